/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A command that is killed when it, its threads and its child processes have counted so much of an
 * event together.
 */
#ifndef LIMIT_H
#define LIMIT_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "../common/events.h"

struct child;

#define MAX_LIMITS 8

/**
 * struct limits - of a command
 * @nr: how many
 * @text: the events, as they were written
 * @limit: how much they may count
 * @list: the events
 * @count: what they have counted in the end
 * @noticed: what they had counted when the limit was seen to be reached, or 0
 * @reached: one was
 * @killed: the command was killed: it had not ended
 * @incomplete: the kernel could not count all of its processes
 * @escaped: the command was killed because it was not counted any more
 */
struct limits {
	unsigned int nr;
	const char *text[MAX_LIMITS];
	uint64_t limit[MAX_LIMITS];
	struct event_list list;
	uint64_t count[MAX_LIMITS];
	uint64_t noticed[MAX_LIMITS];
	bool reached;
	bool killed;
	bool incomplete;
	bool escaped;
};

/* "EVENT=N". False if it is not, which was reported on stderr. */
bool limit_add(struct limits *limits, const char *text);

/* Before the command's process is made. False if that fails, which was reported on stderr. */
bool limit_prepare(struct limits *limits);

/*
 * Runs the command to its end, and kills what it leaves. @end: as wait(2) has it. Return: 0, or the
 * exit status after an error, which was reported on stderr.
 */
int limit_run(struct limits *limits, struct child *child, const char *name, int *end);

void limit_report_text(FILE *out, const struct limits *limits, const char *name);
void limit_report_json(FILE *out, const struct limits *limits);

#endif /* LIMIT_H */
