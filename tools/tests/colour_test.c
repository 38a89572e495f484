// SPDX-License-Identifier: MIT
/* When there is colour: on terminals, and as NO_COLOR, TERM and --color say. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdarg.h>
#include <stdlib.h>

#include "../pmudev/common/cmd.h"
#include "../pmudev/common/colour.h"
#include "tap.h"

static char said[128];

void complain(const char *format, ...)
{
	va_list args;

	va_start(args, format);
	vsnprintf(said, sizeof(said), format, args);
	va_end(args);
}

static FILE *open_terminal(void)
{
	int master = posix_openpt(O_RDWR | O_NOCTTY);

	if (master < 0 || grantpt(master) || unlockpt(master))
		return NULL;
	return fopen(ptsname(master), "w");
}

static void test_auto(FILE *terminal, FILE *file)
{
	setenv("TERM", "xterm", 1);
	unsetenv("NO_COLOR");
	is(colour(terminal, COLOUR_HEAD), "\033[1m", "colour on a terminal");
	is(colour(terminal, COLOUR_END), "\033[0m", "  and its end");
	is(colour(file, COLOUR_HEAD), "", "none in a file");
	setenv("NO_COLOR", "", 1);
	ok(colour_wanted(terminal), "an empty NO_COLOR is none");
	setenv("NO_COLOR", "0", 1);
	ok(!colour_wanted(terminal), "any other is one");
	unsetenv("NO_COLOR");
	setenv("TERM", "dumb", 1);
	ok(!colour_wanted(terminal), "none on a dumb terminal");
	unsetenv("TERM");
	ok(!colour_wanted(terminal), "  nor on one that nobody named");
}

static void test_option(FILE *terminal, FILE *file)
{
	setenv("NO_COLOR", "1", 1);
	ok(colour_option("always") && colour_wanted(file), "--color=always: in a file as well");
	ok(colour_option("never") && !colour_wanted(file), "--color=never: not");
	ok(colour_option(NULL) && colour_wanted(file), "--color: always");
	ok(colour_option("auto") && !colour_wanted(file), "--color=auto: not in a file");
	ok(!colour_wanted(terminal), "  and NO_COLOR counts");
	ok(!colour_option("sometimes"), "no other word");
	is(said, "--color is auto, always or never, not 'sometimes'", "  and it says so");
}

int main(void)
{
	FILE *terminal = open_terminal(), *file = tmpfile();

	if (!ok(terminal && file, "a terminal and a file"))
		return tap_end();
	test_auto(terminal, file);
	test_option(terminal, file);
	return tap_end();
}
