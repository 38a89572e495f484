// SPDX-License-Identifier: MIT
/* The last column of lines: on terminals of some widths, and on what is none. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <unistd.h>

#include "../pmudev/common/wrap.h"
#include "tap.h"

#define SENTENCE "This is longer than thirty-nine columns, and has a comma."

static int master;
static FILE *terminal;

static bool open_terminal(void)
{
	struct termios raw;
	int slave;

	master = posix_openpt(O_RDWR | O_NOCTTY);
	if (master < 0 || grantpt(master) || unlockpt(master))
		return false;
	slave = open(ptsname(master), O_RDWR | O_NOCTTY);
	if (slave < 0 || tcgetattr(slave, &raw))
		return false;
	cfmakeraw(&raw);
	terminal = fdopen(slave, "w");
	return terminal && !tcsetattr(slave, TCSANOW, &raw);
}

/* What a terminal of @width columns is sent. */
static const char *shown(unsigned int width, const char *text)
{
	struct winsize size = { .ws_row = 24, .ws_col = width };
	static char got[1024];
	ssize_t len;

	ioctl(master, TIOCSWINSZ, &size);
	print_wrapped(terminal, fprintf(terminal, "a  "), text);
	fflush(terminal);
	len = read(master, got, sizeof(got) - 1);
	got[len < 0 ? 0 : len] = '\0';
	return got;
}

static void test_terminal(void)
{
	if (!open_terminal()) {
		ok(true, "# SKIP there are no pseudo-terminals");
		return;
	}
	is(shown(80, SENTENCE), "a  " SENTENCE "\n", "what fits is one line");
	is(shown(60, SENTENCE), "a  " SENTENCE "\n", "  to the last column");
	is(shown(59, SENTENCE),
	   "a  This is longer than thirty-nine columns, and has a\n   comma.\n",
	   "what does not goes on below");
	is(shown(40, SENTENCE),
	   "a  This is longer than thirty-nine\n   columns, and has a comma.\n", "  once");
	is(shown(23, SENTENCE),
	   "a  This is longer than\n   thirty-nine columns,\n   and has a comma.\n",
	   "  or more often");
	is(shown(22, SENTENCE), "a  " SENTENCE "\n", "not into a column that is too narrow");
	is(shown(0, SENTENCE), "a  " SENTENCE "\n", "  or of which nothing is known");
	is(shown(30, "one-word-that-has-no-blank-to-break-at"),
	   "a  one-word-that-has-no-blank-to-break-at\n", "no word is broken");
	is(shown(23, "\u00e4\u00f6\u00fc \u00e4\u00f6\u00fc \u00e4\u00f6\u00fc \u00e4\u00f6\u00fc "
		     "\u00e4\u00f6\u00fc"),
	   "a  \u00e4\u00f6\u00fc \u00e4\u00f6\u00fc \u00e4\u00f6\u00fc \u00e4\u00f6\u00fc "
	   "\u00e4\u00f6\u00fc\n",
	   "characters are counted, not bytes");
}

int main(void)
{
	char text[128] = "";
	FILE *out = fmemopen(text, sizeof(text), "w");

	print_wrapped(out, 3, SENTENCE);
	fclose(out);
	is(text, SENTENCE "\n", "what is no terminal has no end of lines");
	test_terminal();
	return tap_end();
}
