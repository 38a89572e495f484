/* SPDX-License-Identifier: GPL-2.0 */
/* What `pmudev explain` finds out, and its forms for people and machines. */
#ifndef EXPLAIN_H
#define EXPLAIN_H

#include <pmudev_set_array.h>

#include "../common/choice.h"
#include "../common/events.h"
#include "../common/fit.h"
#include "../common/holders.h"
#include "../common/software.h"
#include "../common/target.h"

/**
 * struct explain_options - what was asked for, and the events that this is
 * @target: on what; of no kind: on a program
 * @events: the list, allocated
 * @metrics: names of metrics, allocated
 * @multiplex: groups are multiplexed
 * @json: for machines
 * @choice: of the events
 */
struct explain_options {
	struct target target;
	char *events;
	char *metrics;
	bool multiplex;
	bool json;
	struct choice choice;
};

/* Return: -1 to go on, else the exit status. */
int explain_parse_options(int argc, char **argv, struct explain_options *options);

/**
 * struct progress - of the explanation, from CPU to CPU
 * @array: a set for each CPU, or one for the thread or process
 * @name: of the thread, process or cgroup, "" if it is the only one
 * @list: the events
 * @software: those that need no counter
 * @left_out: names of default events that were left out for want of counters, "" if none
 * @pmus: which PMUs have each
 * @multiplex: they are multiplexed
 * @json: the output is for machines
 * @user_only: events were restricted to user mode
 * @cycles: events with a threshold were made to count cycles
 * @set: on the first of several CPUs with the same answer, of which @same have been seen
 * @cpu: that CPU, negative: none
 * @same: see @set
 * @query: its PMU
 * @part: the events of that PMU
 * @result: how these fit
 * @seen: events that some part has
 * @refused: some part does not fit
 * @hopeless: not even if it were multiplexed
 */
struct progress {
	struct pmudev_set_array *array;
	char name[TARGET_CGROUP];
	const struct event_list *list;
	const struct software *software;
	char left_out[128];
	uint32_t *pmus;
	bool multiplex;
	bool json;
	bool user_only;
	bool cycles;
	struct pmudev *set;
	int cpu;
	unsigned int same;
	struct pmudev_query query;
	struct event_list part;
	struct fit result;
	uint64_t seen;
	bool refused;
	bool hopeless;
};

/**
 * struct taken - a counter that events could be on
 * @counter: its number in the ABI
 * @rival: the event of the part that gets it, or -1
 * @held: somebody else has it
 * @holder: who
 */
struct taken {
	unsigned int counter;
	int rival;
	bool held;
	struct pmudev_holder holder;
};

/*
 * Each counter that an event without one may be on; if all have one, each that sets never get.
 * @counter: where the search begins. False: there are no more.
 */
bool next_taken(const struct progress *p, unsigned int counter, struct taken *taken);

/* Would they fit if they were multiplexed? */
static inline bool multiplex_helps(const struct progress *p)
{
	return p->refused && !p->hopeless && !p->multiplex;
}

void explain_text_changes(const struct progress *p);
/* What needs no counter. */
void explain_text_software(const struct software *software);
/* The answer of @same CPUs. */
void explain_text(const struct progress *p);
void explain_json(const struct progress *p);
/* Of all of them. */
void explain_text_verdict(const struct progress *p);
void explain_json_verdict(const struct progress *p);
/* There is no answer; why was told. */
void explain_json_unknown(void);

#endif /* EXPLAIN_H */
