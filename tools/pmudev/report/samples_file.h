/* SPDX-License-Identifier: GPL-2.0 */
/* The table that `pmudev record` writes, read. */
#ifndef SAMPLES_FILE_H
#define SAMPLES_FILE_H

#include <stdbool.h>
#include <stdint.h>

#include "../common/csv.h"

/**
 * struct sample_line - a line of it, as far as `pmudev report` wants to know
 * @event: what was sampled
 * @period: how many of it a sample stands for
 * @value: its count
 * @pid: the process
 * @tid: the thread
 * @end: it is the last line: @value is the count in all
 * @kernel: @symbol is known, and not to be found in @file
 * @file: where the instruction lies, "": unknown
 * @offset: of the instruction
 * @symbol: of the kernel
 * @dropped: how many samples were dropped before this one
 *
 * Texts are valid until the next line.
 */
struct sample_line {
	const char *event;
	uint64_t period;
	uint64_t value;
	int pid;
	int tid;
	bool end;
	bool kernel;
	const char *file;
	uint64_t offset;
	const char *symbol;
	uint64_t dropped;
};

enum sample_column {
	COLUMN_EVENT,
	COLUMN_PERIOD,
	COLUMN_VALUE,
	COLUMN_PID,
	COLUMN_TID,
	COLUMN_MODE,
	COLUMN_FILE,
	COLUMN_OFFSET,
	COLUMN_SYMBOL,
	COLUMN_DROPPED,
	NR_COLUMNS,
};

/* @name: for messages; @column: where in a line each of them is */
struct samples_file {
	const char *name;
	struct csv csv;
	unsigned int column[NR_COLUMNS];
};

/* False if it is none, which has been told on stderr. @in stays the caller's. */
bool samples_file_open(struct samples_file *file, FILE *in, const char *name);

/* Return: 1, 0 at the end, -1 after an error, which has been told on stderr with the line. */
int samples_file_next(struct samples_file *file, struct sample_line *line);
void samples_file_close(struct samples_file *file);

#endif /* SAMPLES_FILE_H */
