// SPDX-License-Identifier: GPL-2.0
#define _GNU_SOURCE
#include <inttypes.h>
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

	free(row->key);
	free(row->name);
	free(row);
}

/* An instruction: looking one up in the symbols of a large program takes long. */
struct spot {
	char *file;
	uint64_t offset;
	struct tally_row *row;
};

static void free_spot(void *arg)
{
	struct spot *spot = arg;

	free(spot->file);
	free(spot);
}

void tally_close(struct tally *tally)
{
	tdestroy(tally->spots, free_spot);
	tdestroy(tally->tree, free_row);
	free(tally->rows);
	symbols_close(tally->symbols);
	free(tally->event);
	free(tally);
}

/* -------------------------------------------------------------------------- names -- */

/* Both allocated; NULL: no memory. */
static void set_name(struct tally_row *row, const char *key, const char *name)
{
	row->key = strdup(key);
	row->name = strdup(name);
}

/* "symbol  (file)" */
static void name_symbol(struct tally_row *row, const struct sample_line *line,
			const struct symbol_place *place)
{
	const char *file = strrchr(line->file, '/'), *symbol = place->symbol;

	file = file ? file + 1 : line->file;
	if (!*file) {
		set_name(row, "", "[unknown]");
	} else if (!symbol || !*symbol) {
		set_name(row, line->file, file);
	} else if (asprintf(&row->key, "%s+0x%" PRIx64 " %s", line->file, place->start, symbol) <
			   0 ||
		   asprintf(&row->name, "%s  (%s)", symbol, file) < 0) {
		row->name = NULL;
	}
}

/* "source.c:12", or the function */
static void name_line(struct tally_row *row, const struct sample_line *line,
		      const struct symbol_place *place)
{
	if (!place->source)
		name_symbol(row, line, place);
	else if (asprintf(&row->key, "%s %s:%d", line->file, place->source, place->line) < 0 ||
		 asprintf(&row->name, "%s:%d", place->source, place->line) < 0)
		row->name = NULL;
}

static void name_thread(struct tally_row *row, const struct sample_line *line)
{
	char name[64];

	snprintf(name, sizeof(name), "%d of process %d", line->tid, line->pid);
	set_name(row, name, name);
}

/* False if there is no memory. */
static bool name_row(const struct tally *tally, const struct sample_line *line,
		     struct tally_row *row)
{
	struct symbol_place place = { .symbol = line->symbol };

	if (!line->kernel && (tally->by == TALLY_SYMBOL || tally->by == TALLY_LINE))
		place = symbols_find(tally->symbols, line->file, line->offset,
				     tally->by == TALLY_LINE);
	switch (tally->by) {
	case TALLY_SYMBOL:
		name_symbol(row, line, &place);
		break;
	case TALLY_LINE:
		name_line(row, line, &place);
		break;
	case TALLY_FILE:
		set_name(row, line->file, *line->file ? line->file : "[unknown]");
		break;
	case TALLY_THREAD:
		name_thread(row, line);
		break;
	}
	return row->key && row->name;
}

/* ------------------------------------------------------------------------- counts -- */

static int compare_keys(const void *a, const void *b)
{
	const struct tally_row *one = a, *other = b;

	return strcmp(one->key, other->key);
}

/* NULL if there is no memory. */
static struct tally_row *find_row(struct tally *tally, const struct sample_line *line)
{
	struct tally_row *new = calloc(1, sizeof(*new)), **found = NULL;

	if (!new)
		return NULL;
	if (name_row(tally, line, new))
		found = tsearch(new, &tally->tree, compare_keys);
	if (found && *found == new) {
		tally->nr++;
		return new;
	}
	free_row(new);
	return found ? *found : NULL;
}

static int compare_spots(const void *a, const void *b)
{
	const struct spot *one = a, *other = b;

	if (one->offset != other->offset)
		return one->offset < other->offset ? -1 : 1;
	return strcmp(one->file, other->file);
}

/* The same for an instruction of a program: what was looked up once is known. */
static struct tally_row *find_spot(struct tally *tally, const struct sample_line *line)
{
	struct spot key = { .file = (char *)line->file, .offset = line->offset }, *new;
	struct spot **found = tfind(&key, &tally->spots, compare_spots);

	if (found)
		return (*found)->row;
	new = calloc(1, sizeof(*new));
	if (!new)
		return NULL;
	new->file = strdup(line->file);
	new->offset = line->offset;
	new->row = new->file ? find_row(tally, line) : NULL;
	if (new->row && tsearch(new, &tally->spots, compare_spots))
		return new->row;
	free_spot(new);
	return NULL;
}

bool tally_add(struct tally *tally, const struct sample_line *line)
{
	struct tally_row *row;

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
	row = line->kernel || tally->by == TALLY_THREAD ? find_row(tally, line) :
							  find_spot(tally, line);
	if (row)
		row->samples++;
	return row;
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
	return strcmp(one->key, other->key);
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
