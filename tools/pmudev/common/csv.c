// SPDX-License-Identifier: GPL-2.0
#define _GNU_SOURCE
#include <stdlib.h>
#include <string.h>

#include "csv.h"

void csv_text(FILE *out, const char *separator, const char *text)
{
	const char *at;

	if (!strstr(text, separator) && !strpbrk(text, "\"\r\n")) {
		fputs(text, out);
		return;
	}
	fputc('"', out);
	for (at = text; *at; at++)
		fprintf(out, *at == '"' ? "\"\"" : "%c", *at);
	fputc('"', out);
}

/* A quoted field becomes what it stands for. Return: behind it, NULL: it is none. */
static char *unquote(char *at, char **field)
{
	char *to = at;

	*field = at;
	for (at++; *at; at++) {
		if (*at == '"' && *++at != '"') {
			*to = '\0';
			return at;
		}
		*to++ = *at;
	}
	return NULL;
}

/* Return: behind the field, NULL: it is none. */
static char *take_field(struct csv *csv, char *at)
{
	char **field = &csv->field[csv->nr++];

	if (*at == '"')
		return unquote(at, field);
	*field = at;
	return at + strcspn(at, ",");
}

int csv_read(struct csv *csv)
{
	ssize_t len = getline(&csv->line, &csv->size, csv->in);
	char *at = csv->line;

	csv->nr = 0;
	if (len < 0)
		return feof(csv->in) && !ferror(csv->in) ? 0 : -1;
	/* One that is still being written, or was cut off. */
	if (at[len - 1] != '\n')
		return 0;
	csv->lines++;
	at[--len] = '\0';
	if (len && at[len - 1] == '\r')
		at[len - 1] = '\0';
	while (csv->nr < CSV_FIELDS) {
		at = take_field(csv, at);
		if (!at || (*at && *at != ','))
			return -1;
		if (!*at)
			return 1;
		*at++ = '\0';
	}
	return -1;
}

void csv_close(struct csv *csv)
{
	free(csv->line);
	csv->line = NULL;
}
