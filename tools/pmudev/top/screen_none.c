// SPDX-License-Identifier: GPL-2.0
/* Without ncurses there is no screen. */
#include "../common/cmd.h"
#include "top.h"

bool screen_there(void)
{
	complain("top has no screen in this command, which was built without ncurses");
	complain("--batch shows text; `make tools` with libncurses-dev builds one with a screen");
	return false;
}

int screen_run(struct top *top, uint64_t intervals)
{
	(void)top;
	(void)intervals;
	return EXIT_USAGE;
}
