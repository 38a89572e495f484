/* SPDX-License-Identifier: GPL-2.0 */
/* The processes that were refused: they are not tried again in every interval. */
#ifndef REFUSED_H
#define REFUSED_H

#include <stdbool.h>
#include <stdint.h>

/* ns until one is tried again */
#define REFUSED_AGAIN (10 * 1000000000ULL)

/**
 * struct refusal - one process
 * @pid: its number
 * @start: when it began, for numbers are given anew
 * @again: when it is tried again, ns
 * @why: the reason
 * @seen: it was asked for since the last refused_tidy()
 */
struct refusal {
	int pid;
	uint64_t start;
	uint64_t again;
	const char *why;
	bool seen;
};

/**
 * struct refused - all of them
 * @nr: how many
 * @sorted: how many of these are sorted, and found
 * @room: for so many
 * @all: each of them
 */
struct refused {
	unsigned int nr;
	unsigned int sorted;
	unsigned int room;
	struct refusal *all;
};

/* Why it was refused not long ago. NULL: it was not, and may be tried. @now: ns */
const char *refused_before(struct refused *refused, int pid, uint64_t now);

/* It was. Without memory it is tried again sooner. @why: stays */
void refused_add(struct refused *refused, int pid, const char *why, uint64_t now);

/* Forgets those that nobody asked for, and those that were tried again. */
void refused_tidy(struct refused *refused);

void refused_free(struct refused *refused);

#endif /* REFUSED_H */
