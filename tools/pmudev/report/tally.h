/* SPDX-License-Identifier: GPL-2.0 */
/* Samples, counted by where they were. */
#ifndef TALLY_H
#define TALLY_H

#include <stdint.h>

#include "../common/json.h"
#include "samples_file.h"
#include "symbols.h"

enum tally_by {
	TALLY_SYMBOL,
	TALLY_FILE,
	TALLY_LINE,
	TALLY_THREAD,
};

/*
 * @key: what they were counted by: different things can have one name
 * @name: the same for people
 */
struct tally_row {
	char *key;
	char *name;
	uint64_t samples;
};

/**
 * struct tally - of a recording
 * @by: what they are counted by
 * @symbols: of the files
 * @event: what was sampled, NULL: nothing
 * @period: how much of it a sample stands for
 * @samples: how many there are
 * @dropped: how many were dropped besides
 * @total: what was counted, 0: unknown
 * @ended: its last line was seen
 * @nr: how many rows
 * @tree: rows by their keys, of tsearch()
 * @spots: the rows of instructions that were looked up, likewise
 * @rows: after tally_sort(), those with the most samples first
 */
struct tally {
	enum tally_by by;
	struct symbols *symbols;
	char *event;
	uint64_t period;
	uint64_t samples;
	uint64_t dropped;
	uint64_t total;
	bool ended;
	uint64_t nr;
	void *tree;
	void *spots;
	struct tally_row **rows;
};

/* @written: when the recording was. NULL if there is no memory. */
struct tally *tally_open(enum tally_by by, time_t written);
void tally_close(struct tally *tally);

/* False if there is no memory. */
bool tally_add(struct tally *tally, const struct sample_line *line);
bool tally_sort(struct tally *tally);

#endif /* TALLY_H */
