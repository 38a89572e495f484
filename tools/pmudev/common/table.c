// SPDX-License-Identifier: GPL-2.0
#define _GNU_SOURCE
#include <locale.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>

#include <libsmartcols/libsmartcols.h> /* libsmartcols-dev, -devel, or Arch's util-linux-libs */

#include "cmd.h"
#include "json.h"
#include "table.h"

/* Between two columns. */
#define GAP "  "

/* A narrower column is not wrapped. */
#define LEAST 20

/* Of table_row() */
#define MAX_CELLS 16

struct table {
	struct libscols_table *scols;
	struct libscols_line *line; /* the last row */
	char *indent;
	unsigned int columns;
	unsigned int width; /* of the terminal; 0: it is none */
	bool titled;
	bool failed; /* for want of memory */
};

/* 0: it is no terminal, or its width is not known. */
static unsigned int width_of(FILE *out)
{
	struct winsize size = { .ws_col = 0 };

	return ioctl(fileno(out), TIOCGWINSZ, &size) ? 0 : size.ws_col;
}

struct table *table_new(FILE *out, const char *indent)
{
	struct table *table = calloc(1, sizeof(*table));

	if (!table)
		return NULL;
	table->width = width_of(out);
	table->indent = strdup(indent);
	table->scols = scols_new_table();
	table->failed = !table->scols || !table->indent ||
			scols_table_set_column_separator(table->scols, GAP);
	if (table->failed)
		return table;
	scols_table_set_stream(table->scols, out);
	scols_table_set_termforce(table->scols,
				  table->width ? SCOLS_TERMFORCE_ALWAYS : SCOLS_TERMFORCE_NEVER);
	if (table->width)
		scols_table_set_termwidth(table->scols, table->width);
	scols_table_enable_colors(table->scols, colour_wanted(out));
	/*
	 * No blanks at the ends of lines. What is no character is escaped: without that
	 * (noencoding) libsmartcols does not come to the end of a text with half a character.
	 */
	scols_table_enable_minout(table->scols, 1);
	return table;
}

/* ----------------------------------------------------------------- wrapping by words -- */

/* How much of @text is for a line with @room: up to a blank, unless all is. */
static size_t fit(const char *text, size_t room)
{
	size_t at = 0, blank = 0, width;
	unsigned int len;

	for (width = 0; text[at] && width <= room; width++) {
		if (text[at] == ' ')
			blank = at;
		len = utf8_length((const unsigned char *)text + at);
		at += len ? len : 1;
	}
	if (width <= room)
		return at;
	return blank ? blank : at + strcspn(text + at, " ");
}

/*
 * So narrow can the column be. libsmartcols before 2.40 gives the last one what is left of the
 * line; later ones do not ask, but look for the longest of the chunks.
 */
static size_t wrap_least(const struct libscols_column *column, const char *text, void *arg)
{
	(void)column;
	(void)arg;
	return !!*text;
}

/* How wide the last column may be: when that is asked, the others have their widths. */
static size_t room_of(const struct table *table)
{
	const struct libscols_column *column;
	size_t others = 0;
	unsigned int i;

	for (i = 0; i + 1 < table->columns; i++) {
		column = scols_table_get_column(table->scols, i);
		others += scols_column_get_width(column) + strlen(GAP);
	}
	return others < table->width ? table->width - others : 0;
}

/* Ends the text where the line does. Return: what goes on below, or NULL. */
static char *wrap_next(const struct libscols_column *column, char *text, void *arg)
{
	const size_t room = room_of(arg);
	size_t len;

	(void)column;
	if (room < LEAST)
		return NULL;
	len = fit(text, room);
	if (!text[len])
		return NULL;
	text[len] = '\0';
	return text + len + 1;
}

/* --------------------------------------------------------------- columns and rows -- */

void table_column(struct table *table, const char *title, unsigned int flags, unsigned int least)
{
	struct libscols_column *column;
	char *text = NULL;
	int len;

	if (!table || table->failed)
		return;
	/* A column is never narrower than its title, nor a table without titles than the hint. */
	len = asprintf(&text, "%s%*s", table->columns ? "" : table->indent,
		       flags & TABLE_RIGHT ? (int)least : -(int)least, title ? title : "");
	if (len < 0)
		text = NULL;
	column = text ? scols_table_new_column(table->scols, text, len,
					       (flags & TABLE_RIGHT ? SCOLS_FL_RIGHT : 0) |
						       (flags & TABLE_WRAP ? SCOLS_FL_WRAP : 0)) :
			NULL;
	free(text);
	table->failed = !column || scols_cell_set_color(scols_column_get_header(column),
							colour_sequence(COLOUR_HEAD));
	if (!table->failed && flags & TABLE_WRAP)
		scols_column_set_wrapfunc(column, wrap_least, wrap_next, table);
	table->titled |= !!title;
	table->columns++;
}

void table_row_of(struct table *table, const char *const *cells)
{
	unsigned int column;
	char *first;

	if (!table || table->failed)
		return;
	table->line = scols_table_new_line(table->scols, NULL);
	table->failed = !table->line || asprintf(&first, "%s%s", table->indent, cells[0]) < 0 ||
			scols_line_refer_data(table->line, 0, first);
	for (column = 1; column < table->columns && !table->failed; column++)
		table->failed = scols_line_set_data(table->line, column, cells[column]);
}

void table_row(struct table *table, ...)
{
	const char *cells[MAX_CELLS];
	unsigned int column;
	va_list args;

	if (!table || table->failed)
		return;
	table->failed = table->columns > MAX_CELLS;
	va_start(args, table);
	for (column = 0; column < table->columns && column < MAX_CELLS; column++)
		cells[column] = va_arg(args, const char *);
	va_end(args);
	table_row_of(table, cells);
}

void table_colour(struct table *table, unsigned int column, enum colour what)
{
	if (table && !table->failed)
		table->failed = scols_cell_set_color(scols_line_get_cell(table->line, column),
						     colour_sequence(what));
}

void table_print(struct table *table)
{
	if (table && !table->failed) {
		scols_table_enable_noheadings(table->scols, !table->titled);
		/*
		 * Texts are UTF-8, whatever the user's locale. Then the C locale again: in others
		 * letters of names may have no, or another, capital.
		 */
		setlocale(LC_CTYPE, "C.UTF-8");
		table->failed = scols_print_table(table->scols);
		setlocale(LC_CTYPE, "C");
	}
	if (!table || table->failed)
		complain("no memory left for a table");
	if (!table)
		return;
	scols_unref_table(table->scols);
	free(table->indent);
	free(table);
}
