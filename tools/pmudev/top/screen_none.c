// SPDX-License-Identifier: GPL-2.0
/* Without ncurses there is no screen. */
#include "../common/cmd.h"
#include "top.h"

bool screen_there(void)
{
	complain(
		"this command was built without ncurses, so top has no screen: --batch shows text; "
		"with libncurses-dev installed, `make tools` builds one that has a screen");
	return false;
}

int screen_run(struct top *top, uint64_t intervals)
{
	(void)top;
	(void)intervals;
	return EXIT_USAGE;
}
