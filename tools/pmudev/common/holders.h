/* SPDX-License-Identifier: GPL-2.0 */
/* Who has which counter: found out by dry runs. */
#ifndef HOLDERS_H
#define HOLDERS_H

#include <stdbool.h>

#include <pmudev.h>

enum counter_state {
	COUNTER_UNFIT, /* it cannot count the event */
	COUNTER_FREE,
	COUNTER_HELD,
};

/* Could the set have the event on this counter? @holder: who has it; of no kind if not known. */
enum counter_state counter_state(struct pmudev *set, const struct pmudev_event_attr *attr,
				 unsigned int counter, struct pmudev_holder *holder);

#define MAX_HELD 64

/*
 * Find out who has which of the PMU's counters. A dry run on a thread is refused the counters of
 * CPU sets, one on a CPU those of thread sets. Return: how many holders are known.
 */
unsigned int holders_find(const struct pmudev_query *q, struct pmudev_holder holders[MAX_HELD]);

/*
 * Is an event on this CPU refused because the NMI watchdog has the PMU? For those who may count
 * CPUs; @set is bound.
 */
bool holders_watchdog(struct pmudev *set);

/* "process 123, counting CPU 1" */
void holder_text(const struct pmudev_holder *holder, char *buf, size_t len);

/* One word for machines: "cpu-set" */
const char *holder_kind(const struct pmudev_holder *holder);

#endif /* HOLDERS_H */
