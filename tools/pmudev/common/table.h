/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Tables for people, by libsmartcols: columns are as wide as what they hold.
 *
 *	struct table *table = table_new(stdout, "  ");
 *
 *	table_column(table, "event", 0, 16);
 *	table_column(table, "counts", TABLE_WRAP, 0);
 *	table_row(table, "cycles", "cycles in which the CPU was not halted");
 *	table_print(table);
 *
 * Texts are UTF-8, in one line. What there is no memory for is not printed, which table_print()
 * tells on stderr.
 */
#ifndef TABLE_H
#define TABLE_H

#include <stdio.h>

#include "colour.h"

struct table;

enum table_flags {
	TABLE_RIGHT = 1, /* numbers */
	/*
	 * Only the last column. On a terminal what does not fit into the line goes on below, where
	 * the column begins; no word is broken that is not longer than such a line.
	 */
	TABLE_WRAP = 2,
};

/* @indent: before each line. NULL: no memory, which the other functions take. */
struct table *table_new(FILE *out, const char *indent);

/* @title: NULL: a table without titles. @least: so many characters, if not more. */
void table_column(struct table *table, const char *title, unsigned int flags, unsigned int least);

/*
 * A text for each column, of at most 16; "" for none. They are copied. table_row_of(): of any
 * number of columns.
 */
void table_row(struct table *table, ...);
void table_row_of(struct table *table, const char *const *cells);

/* A cell of the last row; the first column is 0. */
void table_colour(struct table *table, unsigned int column, enum colour what);

/*
 * Prints the rows, titles first, and frees it. Without rows nothing is printed. The locale of
 * characters (LC_CTYPE) is the C locale afterwards, as it is in all of the command.
 */
void table_print(struct table *table);

#endif /* TABLE_H */
