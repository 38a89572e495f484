/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Multiplexed groups of one event, which all count the user instructions of a subject. At every
 * moment as many of them are on as there are counters, so that what all of them have counted is
 * that many times what the subject has executed, to the instruction.
 */
#ifndef PMUDEV_TEST_MUX_H
#define PMUDEV_TEST_MUX_H

#include <pmudev.h>

#include "subject.h"

#define GROUPS	     12
#define MOST_COUNTERS 6

struct pool {
	__u64 mask; /* programmable counters, MOST_COUNTERS of them at most */
	unsigned int nr;
};

/* What the groups share, without what they leave to perf. */
int pool_find(struct pool *pool);
/* An event of a multiplexed group, or of a strict one, on the pool's counters. */
struct pmudev_event_attr mux_event(const struct pool *pool, __u32 group);
struct pmudev_event_attr strict_event(const struct pool *pool, __u32 group);
/* A set on a task (0: the caller) with @nr multiplexed groups of one event. */
int mux_attach(const struct pool *pool, int tid, __u32 bind_flags, unsigned int nr);

/* value * time_enabled / time_running: what the group would have counted. */
static inline __u64 scaled(const struct pmudev_count *count)
{
	uint64_t whole = 0;

	pmudev_scale(count->value, count->time_enabled, count->time_running, &whole);
	return whole;
}

/* The difference of two records, by slot. */
static inline struct pmudev_count since(const union record *before, const union record *after,
					unsigned int slot)
{
	const struct pmudev_count *a = &before->r.counts[slot], *b = &after->r.counts[slot];

	return (struct pmudev_count){
		.value = b->value - a->value,
		.time_enabled = b->time_enabled - a->time_enabled,
		.time_running = b->time_running - a->time_running,
	};
}

/* Of slots first..first + nr - 1. */
struct pmudev_count sum_since(const union record *before, const union record *after,
			      unsigned int first, unsigned int nr);

/* How far a scaled count may be off: the kernel's part of the time, if it is much, varies. */
#define PERCENT (debug_kernel() ? 20 : 1)
/* And of the time that a group has. */
#define SHARE_PERCENT (debug_kernel() ? 10 : 5)

/* |a - b| in percent of b, rounded up; of nothing it is none, or as much as can be. */
static inline __u64 percent_off(__u64 a, __u64 b)
{
	__u64 off = a > b ? a - b : b - a;

	if (!b)
		return off ? ~0ULL : 0;
	return (off * 100 + b - 1) / b;
}

static inline bool within_percent(__u64 a, __u64 b, unsigned int percent)
{
	return percent_off(a, b) <= percent;
}

/* Whether a group has had its share: of @groups alike on @counters. */
static inline bool has_share(const struct pmudev_count *c, unsigned int groups,
			     unsigned int counters, unsigned int percent)
{
	return within_percent(c->time_running * groups, c->time_enabled * counters, percent);
}

#endif /* PMUDEV_TEST_MUX_H */
