/* SPDX-License-Identifier: GPL-2.0 */
/* The sets of `pmudev stat`: opened, given their events, enabled, or refused. */
#ifndef SETS_H
#define SETS_H

#include "stat.h"

/**
 * struct sets - an array on the CPUs or on the command, or one for each thread or process
 * @arrays: the arrays
 * @nr: how many; 0 if no event is counted by a PMU
 * @last: the one whose call came last, which knows why it was refused
 * @pmus: of each event the PMUs that it is for, by number
 */
struct sets {
	struct pmudev_set_array *arrays;
	unsigned int nr;
	struct pmudev_set_array *last;
	uint32_t pmus[PMUDEV_MAX_EVENTS];
};

/*
 * On the target, or on @child; not enabled. Return: 0, or the exit status, and what is wrong has
 * been told on stderr; negative: a set was refused. The caller closes them in any case.
 */
int sets_open(struct measurement *m, struct sets *sets, pid_t child);

void sets_close(struct sets *sets);

/* Counting begins, or ends. Return: 0 or a negative errno. */
int sets_enable(struct sets *sets);
int sets_disable(struct sets *sets);

/* How many records there are of all sets. */
unsigned int sets_records(const struct sets *sets);

/* Reads them. Return: 0 or a negative errno. */
int sets_read(struct sets *sets, union pmudev_record_buffer *records);

/*
 * What the sets of one array counted, or with @set one of its sets; PMUDEV_ALL: all of them.
 * @records: of all arrays
 */
void sets_sum(const struct sets *sets, unsigned int array, uint32_t set,
	      const union pmudev_record_buffer *before, const union pmudev_record_buffer *after,
	      struct pmudev_total *total);

/* Make all groups multiplexed. */
void sets_multiplex(struct measurement *m);

/* Was the last call refused because counters were missing? */
bool sets_lack_counters(struct sets *sets);

/* Can they share counters over time? */
bool sets_can_rotate(const struct sets *sets, const struct event_list *list);

/* Tells why the last call was refused. Return: the exit status. */
int sets_refused(struct sets *sets, const struct event_list *list);

/* Tells what helps if it was for want of counters; the sets count no more afterwards. */
void sets_advise(const struct measurement *m, struct sets *sets);

#endif /* SETS_H */
