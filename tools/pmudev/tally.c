// SPDX-License-Identifier: GPL-2.0
#define _GNU_SOURCE
#include <search.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tally.h"

struct tally *tally_open(enum tally_by by, time_t written)
{
	struct tally *tally = calloc(1, sizeof(*tally));

	if (!tally)
		return NULL;
	tally->by = by;
	tally->symbols = symbols_open(written);
	if (tally->symbols)
		return tally;
	free(tally);
	return NULL;
}

static void free_row(void *arg)
{
	struct tally_row *row = arg;

	free(row->name);
	free(row);
}

void tally_close(struct tally *tally)
{
	tdestroy(tally->tree, free_row);
	free(tally->rows);
	symbols_close(tally->symbols);
	free(tally->event);
	free(tally);
}

/* -------------------------------------------------------------------------- names -- */

/* "symbol  (file)" */
static char *name_symbol(const struct tally *tally, const struct sample_line *line)
{
	const char *file = strrchr(line->file, '/'), *symbol = line->symbol;
	char *name;

	file = file ? file + 1 : line->file;
	if (!line->kernel)
		symbol = symbols_find(tally->symbols, line->file, line->offset).symbol;
	if (!*file)
		return strdup("[unknown]");
	if (!symbol || !*symbol)
		return strdup(file);
	return asprintf(&name, "%s  (%s)", symbol, file) < 0 ? NULL : name;
}

/* "source.c:12", or the function */
static char *name_line(const struct tally *tally, const struct sample_line *line)
{
	struct symbol_place place = {};
	char *name;

	if (!line->kernel)
		place = symbols_find(tally->symbols, line->file, line->offset);
	if (!place.source)
		return name_symbol(tally, line);
	return asprintf(&name, "%s:%d", place.source, place.line) < 0 ? NULL : name;
}

static char *make_name(const struct tally *tally, const struct sample_line *line)
{
	char *name;

	switch (tally->by) {
	case TALLY_SYMBOL:
		return name_symbol(tally, line);
	case TALLY_LINE:
		return name_line(tally, line);
	case TALLY_FILE:
		return strdup(*line->file ? line->file : "[unknown]");
	case TALLY_THREAD:
		return asprintf(&name, "%d of process %d", line->tid, line->pid) < 0 ? NULL : name;
	}
	return NULL;
}

/* ------------------------------------------------------------------------- counts -- */

static int compare_names(const void *a, const void *b)
{
	const struct tally_row *one = a, *other = b;

	return strcmp(one->name, other->name);
}

/* Of names that are new the row is @name's owner. */
static bool add_name(struct tally *tally, char *name)
{
	struct tally_row key = { .name = name }, *new;
	struct tally_row **found = tfind(&key, &tally->tree, compare_names);

	if (found) {
		(*found)->samples++;
		free(name);
		return true;
	}
	new = malloc(sizeof(*new));
	if (new) {
		*new = (struct tally_row){ .name = name, .samples = 1 };
		if (tsearch(new, &tally->tree, compare_names)) {
			tally->nr++;
			return true;
		}
	}
	free(new);
	free(name);
	return false;
}

bool tally_add(struct tally *tally, const struct sample_line *line)
{
	char *name;

	if (!tally->event)
		tally->event = strdup(line->event);
	tally->period = line->period;
	if (line->dropped > tally->dropped)
		tally->dropped = line->dropped;
	if (line->end) {
		tally->total = line->value;
		tally->ended = true;
		return true;
	}
	tally->samples++;
	name = make_name(tally, line);
	return name && add_name(tally, name);
}

/* ---------------------------------------------------------------------------- sort -- */

static void collect(const void *node, VISIT which, void *arg)
{
	struct tally_row ***to = arg;

	if (which == postorder || which == leaf)
		*(*to)++ = *(struct tally_row *const *)node;
}

static int compare_samples(const void *a, const void *b)
{
	const struct tally_row *one = *(struct tally_row *const *)a;
	const struct tally_row *other = *(struct tally_row *const *)b;

	if (one->samples != other->samples)
		return one->samples < other->samples ? 1 : -1;
	return strcmp(one->name, other->name);
}

bool tally_sort(struct tally *tally)
{
	struct tally_row **to;

	tally->rows = calloc(tally->nr + 1, sizeof(*tally->rows));
	if (!tally->rows)
		return false;
	to = tally->rows;
	twalk_r(tally->tree, collect, &to);
	qsort(tally->rows, tally->nr, sizeof(*tally->rows), compare_samples);
	return true;
}
