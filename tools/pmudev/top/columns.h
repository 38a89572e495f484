/* SPDX-License-Identifier: GPL-2.0 */
/* The columns of `pmudev top`: numbers that are made of what a row counted in an interval. */
#ifndef COLUMNS_H
#define COLUMNS_H

#include <stdint.h>

#include "counting.h"

#define MAX_COLUMNS 24

enum column_kind {
	COLUMN_CPU,    /* CPU time of the elapsed time, in percent */
	COLUMN_RATE,   /* events in a second */
	COLUMN_RATIO,  /* events for each other event */
	COLUMN_METRIC, /* a formula */
};

/**
 * struct column - one of them
 * @name: its title, and its name for --sort
 * @kind: how it is made
 * @event: the event's place
 * @by: RATIO: the place of the event that it is divided by
 * @scale: RATIO: of so many
 * @metric: METRIC: which
 * @rows: METRIC: the places of its events
 */
struct column {
	char name[EVENT_NAME + 2];
	enum column_kind kind;
	unsigned int event;
	unsigned int by;
	double scale;
	const struct metric *metric;
	const unsigned char *rows;
};

/**
 * struct columns - all of them
 * @nr: how many
 * @columns: each of them
 * @sort: the place of the one that rows are sorted by
 * @reverse: the smallest first
 */
struct columns {
	unsigned int nr;
	struct column columns[MAX_COLUMNS];
	unsigned int sort;
	bool reverse;
};

/* @cpu_time: of processes it is known. Those beyond MAX_COLUMNS are left out, which is noted. */
void columns_make(struct columns *columns, struct counting *counting, bool cpu_time);

/* Sorts by the column with that name, in any case. False: there is none. */
bool columns_sort_by(struct columns *columns, const char *name);

/* "insn/s, cycles/s, IPC" */
void columns_names(const struct columns *columns, char *text, size_t len);

struct row;

/* NAN: it has no value. */
double column_value(const struct column *column, const struct row *row);

/* For people: "1.234G", "0.98", "-". */
#define COLUMN_TEXT 16
const char *column_text(const struct column *column, double value, char text[COLUMN_TEXT]);

/* So many characters. */
int column_width(const struct column *column);

#endif /* COLUMNS_H */
