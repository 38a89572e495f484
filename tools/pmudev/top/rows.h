/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The rows of `pmudev top`: what a CPU or a process counted between two readings. They are the same
 * for the screen, for text and for JSON.
 */
#ifndef ROWS_H
#define ROWS_H

#include "columns.h"

/* The values that a sparkline can have. */
#define HISTORY 128

/**
 * struct row - one of them
 * @id: of the CPU or process
 * @name: of the process, "" for a CPU
 * @flags: PMUDEV_RECORD_*
 * @elapsed: ns between the two readings
 * @enabled: ns of CPU time of the process, or of the CPU
 * @running: ns of these in which the events were on counters
 * @counts: events between the two readings, by their places
 * @counted: mask of the events that were counted
 * @values: of the columns, by their places; NAN: none
 * @columns: how many there are
 * @history: the last values of each column, HISTORY for each
 * @filled: how many values each has had
 */
struct row {
	int id;
	char name[32];
	uint32_t flags;
	uint64_t elapsed;
	uint64_t enabled;
	uint64_t running;
	uint64_t counts[PMUDEV_MAX_EVENTS];
	uint64_t counted;
	double values[MAX_COLUMNS];
	unsigned int columns;
	float *history;
	unsigned long filled;
};

static inline bool row_counted(const struct row *row, unsigned int event)
{
	return row->counted >> event & 1;
}

/* False: no memory. */
bool row_open(struct row *row, int id, const struct columns *columns);
void row_close(struct row *row);

/* An interval of so many ns has ended. @total: what was counted in it */
void row_update(struct row *row, const struct columns *columns, const struct pmudev_total *total,
		uint64_t elapsed);

/* The value of a column, @ago updates ago; NAN: there is none. */
double row_value_ago(const struct row *row, unsigned int column, unsigned int ago);

/*
 * Part of the time its events were on no counter: counts and rates are of the other part. NULL: of
 * all of it. @text: room for what is told
 */
#define ROW_REMARK 64
const char *row_remark(const struct row *row, char text[ROW_REMARK]);

/* "4 CPUs", "1 CPU"; @waiting: no interval has ended, "waiting for CPUs". Return: @text */
const char *rows_count(char text[ROW_REMARK], unsigned int nr, bool waiting, const char *one,
		       const char *noun);

/* Sorts by the chosen column; rows without a value come last, and of equals the lowest number. */
void rows_sort(struct row **rows, unsigned int nr, const struct columns *columns);

#endif /* ROWS_H */
