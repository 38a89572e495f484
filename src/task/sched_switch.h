/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The probe of tracepoint sched_switch: finds threads by the task table at their switches. It is
 * installed only while a context is not linked to its thread yet, and up to a second longer.
 */
#ifndef _PMUDEV_TASK_SCHED_SWITCH_H
#define _PMUDEV_TASK_SCHED_SWITCH_H

#include "task_table.h"

struct tracepoint;

/* Contexts that are attached but not linked: those that need the probe. */
extern atomic_t pmudev_nr_unlinked;

/**
 * pmudev_sched_switch_init - before the first thread is attached
 * @tp: the tracepoint; NULL: the kernel has none
 * @out: called with each context of the thread that is switched out; irqs off, rq->lock held
 * @in: of the thread that is switched in; likewise
 *
 * Return: 0 or -ENOENT.
 */
int pmudev_sched_switch_init(struct tracepoint *tp, void (*out)(struct pmudev_ctx *ctx),
			     void (*in)(struct pmudev_ctx *ctx));
void pmudev_sched_switch_exit(void);

/*
 * Install the probe. From its return on every switch of a thread in the table is seen, on every
 * CPU. May sleep. Return: 0 or an error.
 */
int pmudev_sched_switch_start(void);

#endif /* _PMUDEV_TASK_SCHED_SWITCH_H */
