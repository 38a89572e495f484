// SPDX-License-Identifier: MIT
/* Tables: on terminals of some widths, and on what is none. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <unistd.h>

#include "../pmudev/common/table.h"
#include "tap.h"

#define MARK	 '$'
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
	struct table *table;
	size_t nr = 0;
	ssize_t len;

	ioctl(master, TIOCSWINSZ, &size);
	table = table_new(terminal, "");
	table_column(table, NULL, 0, 0);
	table_column(table, NULL, TABLE_WRAP, 0);
	table_row(table, "a", text);
	table_print(table);
	/* A terminal hands on what it was sent in parts: up to the mark. */
	fputc(MARK, terminal);
	fflush(terminal);
	do {
		len = read(master, got + nr, sizeof(got) - nr);
		nr += len < 0 ? 0 : len;
	} while (len > 0 && got[nr - 1] != MARK);
	got[nr ? nr - 1 : 0] = '\0';
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
	is(shown(30, "a word-that-is-longer-than-the-room-for-it follows and ends"),
	   "a  a\n   word-that-is-longer-than-the-room-for-it\n   follows and ends\n",
	   "  wherever it stands");
	is(shown(23, "\u00e4\u00f6\u00fc \u00e4\u00f6\u00fc \u00e4\u00f6\u00fc \u00e4\u00f6\u00fc "
		     "\u00e4\u00f6\u00fc"),
	   "a  \u00e4\u00f6\u00fc \u00e4\u00f6\u00fc \u00e4\u00f6\u00fc \u00e4\u00f6\u00fc "
	   "\u00e4\u00f6\u00fc\n",
	   "characters are counted, not bytes");
}

/* What goes into a file. */
static void test_file(void)
{
	char text[512] = "";
	FILE *out = fmemopen(text, sizeof(text), "w");
	struct table *table = table_new(out, "  ");

	table_column(table, "NAME", 0, 6);
	table_column(table, "count", TABLE_RIGHT, 0);
	table_column(table, "A TITLE OF MORE THAN TWENTY", TABLE_WRAP, 0);
	table_row(table, "a", "1", SENTENCE);
	table_row(table, "longer name", "", "");
	table_row(table, "", "1234567", "b");
	table_print(table);
	fclose(out);
	is(text,
	   "  NAME           count  A TITLE OF MORE THAN TWENTY\n"
	   "  a                  1  " SENTENCE "\n"
	   "  longer name\n"
	   "               1234567  b\n",
	   "columns as wide as what they hold, no blanks at the ends, no end of lines");
}

/* Half a character, one that a terminal obeys, and a whole one. */
static void test_strange(void)
{
	char text[128] = "";
	FILE *out = fmemopen(text, sizeof(text), "w");
	struct table *table = table_new(out, "");

	table_column(table, NULL, 0, 0);
	table_column(table, NULL, 0, 0);
	table_row(table, "a\xc3", "b");
	table_row(table, "l\u00e4st", "\033[31m");
	table_print(table);
	fclose(out);
	is(text, "a\\xc3  b\nl\u00e4st   \\x1b[31m\n", "what is no character is escaped");
}

static void test_empty(void)
{
	char text[16] = "";
	FILE *out = fmemopen(text, sizeof(text), "w");
	struct table *table = table_new(out, "");

	table_column(table, "NAME", 0, 0);
	table_print(table);
	fclose(out);
	is(text, "", "nothing without rows");
}

static void test_colour(void)
{
	const char *const cells[] = { "bad", "b" };
	char text[128] = "";
	FILE *out = fmemopen(text, sizeof(text), "w");
	struct table *table;

	colour_option("always");
	table = table_new(out, "");
	table_column(table, "x", 0, 4);
	table_column(table, "y", 0, 0);
	table_row_of(table, cells);
	table_colour(table, 0, COLOUR_BAD);
	table_print(table);
	fclose(out);
	colour_option("never");
	is(text, "\033[1mx   \033[0m  \033[1my\033[0m\n\033[1;31mbad \033[0m  b\n",
	   "colours of titles and of a cell");
}

int main(void)
{
	test_file();
	test_strange();
	test_empty();
	test_colour();
	test_terminal();
	return tap_end();
}
