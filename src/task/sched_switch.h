/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The probe of tracepoint sched_switch: finds threads by the task table at their switches, and
 * loads and unloads contexts of cgroups. It is installed only while a context is not linked to its
 * thread yet or is of a cgroup, and up to a second longer.
 */
#ifndef _PMUDEV_TASK_SCHED_SWITCH_H
#define _PMUDEV_TASK_SCHED_SWITCH_H

#include "task_table.h"

struct tracepoint;

/* Contexts that need the probe: those that are attached but not linked, and those of cgroups. */
extern atomic_t pmudev_nr_unlinked;
extern atomic_t pmudev_nr_cgroups;

/*
 * Before the first thread is attached. @tp: the tracepoint, or NULL: -ENOENT. @out and @in are
 * called with each context of the threads that are switched out and in; irqs off, rq->lock held.
 */
int pmudev_sched_switch_init(struct tracepoint *tp, void (*out)(struct pmudev_ctx *ctx),
			     void (*in)(struct pmudev_ctx *ctx));
void pmudev_sched_switch_exit(void);

/*
 * Install the probe. From its return on every switch of a thread in the table is seen, on every
 * CPU. May sleep. Return: 0 or an error.
 */
int pmudev_sched_switch_start(void);

/* One context of a cgroup less. */
void pmudev_sched_switch_put_cgroup(void);

#endif /* _PMUDEV_TASK_SCHED_SWITCH_H */
