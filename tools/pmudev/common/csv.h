/* SPDX-License-Identifier: GPL-2.0 */
/* Tables as RFC 4180 has them; those that are read have no line breaks in their fields. */
#ifndef CSV_H
#define CSV_H

#include <stdbool.h>
#include <stdio.h>

/* A field, quoted where it has to be. */
void csv_text(FILE *out, const char *separator, const char *text);

#define CSV_FIELDS 128

/**
 * struct csv - a table as it is read, a line at a time
 * @in: the stream
 * @line: the line's bytes, of which the fields are
 * @size: of @line
 * @nr: how many fields
 * @field: the fields, without quotes
 * @lines: how many were read
 */
struct csv {
	FILE *in;
	char *line;
	size_t size;
	unsigned int nr;
	char *field[CSV_FIELDS];
	unsigned long lines;
};

/* Return: 1, 0 at the end or in its last line if that is cut off, -1: no table, or not readable. */
int csv_read(struct csv *csv);
void csv_close(struct csv *csv);

#endif /* CSV_H */
