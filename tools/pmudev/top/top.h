/* SPDX-License-Identifier: GPL-2.0 */
/*
 * pmudev top: a source makes the rows of an interval, CPUs or processes; an output shows them. Only
 * what is shown is counted: sets of CPUs and of processes would need counters of their own each.
 */
#ifndef TOP_H
#define TOP_H

#include "../common/target.h"
#include "../common/watch.h"
#include "rows.h"

/* Reasons why something is not counted; further ones are counted with the last. */
#define MAX_LEFT_OUT 6

/**
 * struct left_out - what is not counted
 * @why: the reason
 * @nr: how many processes
 */
struct left_out {
	const char *why;
	unsigned int nr;
};

struct top;

/**
 * struct source - what rows are
 * @noun: "CPUs" or "processes"
 * @one: one of them
 * @open: begins to count. False: it cannot be; @error of struct top says why, and nothing is open
 * @sample: an interval has ended: makes the rows. False: as above, but it stays open
 * @close: ends it
 */
struct source {
	const char *noun;
	const char *one;
	bool (*open)(struct top *top);
	bool (*sample)(struct top *top);
	void (*close)(struct top *top);
};

extern const struct source source_cpus;
extern const struct source source_processes;

/**
 * struct top - what is counted and shown
 * @cpus: the CPUs that were named, or none
 * @processes: the processes that were named, or none
 * @chosen: the events as they were chosen
 * @counting: the same, without those that there are no counters for
 * @columns: made of these
 * @sort: the name of the column that rows are sorted by; "": the default
 * @source: what is counted now
 * @state: the source's own
 * @sampled: an interval has ended: there are rows, if there is anything
 * @nr: how many rows
 * @rows: each of them, sorted
 * @nr_left_out: how many reasons
 * @left_out: each of them
 * @gone: all processes that were named have ended
 * @interval: ns
 * @start: when it began, ns
 * @now: when the interval ended
 * @error: why something failed
 */
struct top {
	struct target cpus;
	struct target processes;
	struct counting chosen;
	struct counting counting;
	struct columns columns;
	char sort[EVENT_NAME + 2];
	const struct source *source;
	void *state;
	bool sampled;
	unsigned int nr;
	struct row **rows;
	unsigned int nr_left_out;
	struct left_out left_out[MAX_LEFT_OUT];
	bool gone;
	uint64_t interval;
	uint64_t start;
	uint64_t now;
	char error[512];
};

/* Counts with another source, and ends the last one. False: @error says why, and nothing counts. */
bool top_begin(struct top *top, const struct source *source);
void top_end(struct top *top);

/* The interval has ended: makes the rows and sorts them. */
bool top_sample(struct top *top);

/* Sorts by that column from now on. */
void top_sort(struct top *top, unsigned int column, bool reverse);

/* "left out: 12 processes (why), 3 (why)", or "". */
void top_left_out(const struct top *top, char *text, size_t len);

/**
 * struct top_output - a way to show rows
 * @begin: counting has begun
 * @show: an interval has ended
 */
struct top_output {
	void (*begin)(const struct top *top);
	void (*show)(const struct top *top);
};

extern const struct top_output output_text;
extern const struct top_output output_json;

/*
 * The screen: shows @intervals of them (0: no end), and does what keys say. Return: the exit
 * status.
 */
int screen_run(struct top *top, uint64_t intervals);

/* Is it part of this command? Else it is told what is missing. */
bool screen_there(void);

extern const char top_help[];

#endif /* TOP_H */
