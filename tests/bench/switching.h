/* SPDX-License-Identifier: GPL-2.0 */
/* Two processes on one CPU that take turns: what a switch costs. */
#ifndef PMUDEV_BENCH_SWITCHING_H
#define PMUDEV_BENCH_SWITCHING_H

#include "api.h"
#include "cgroup.h"

/*
 * The caller, and whom it creates, so that no wakeup preempts: each turn is one switch, always at
 * the same place.
 */
void steady(bool on);

/* A child that counts as @wish says, or does not (NULL), and sleeps: its id, or -errno. */
int sleeper_start(const struct api *api, const struct wish *wish);

/*
 * This and the next one keep the costs of a switch, too (costs.h).
 *
 * Nanoseconds of a switch between the caller and a process that takes turns with it, in the cgroup
 * @partner. NULL: in the caller's.
 */
double time_switches(const struct cgroup *partner);

/**
 * extra_switch() - what counting adds to such a switch
 * @start, @stop: the counting, between the two of a pair of measurements: 0 or -errno
 * @arg: theirs
 * @partner: as of time_switches()
 *
 * The median of several pairs; REFUSED, if @start() failed.
 */
double extra_switch(int (*start)(void *arg), void (*stop)(void *arg), void *arg,
		    const struct cgroup *partner);

#endif /* PMUDEV_BENCH_SWITCHING_H */
