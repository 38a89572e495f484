// SPDX-License-Identifier: GPL-2.0
#include "mux.h"

#include <string.h>

int pool_find(struct pool *pool)
{
	struct pmudev_event_attr event = raw_event(EVENT_INSTRUCTIONS, USER_ONLY);
	struct pmudev_query query;
	int fd, ret, i;
	__u64 rest;

	fd = pm_set(&event, 1, true);
	if (fd < 0)
		return fd;
	ret = pm_query(&query);
	close(fd);
	*pool = (struct pool){ 0 };
	rest = query.available & 0xffffffff;
	/* The lowest that nobody holds is not borrowed. */
	for (i = 0; i < LEFT_TO_PERF; i++)
		rest &= rest - 1;
	for (; rest && pool->nr < MOST_COUNTERS; rest &= rest - 1, pool->nr++)
		pool->mask |= rest & -rest;
	return ret;
}

struct pmudev_event_attr strict_event(const struct pool *pool, __u32 group)
{
	struct pmudev_event_attr event = raw_event(EVENT_INSTRUCTIONS, USER_ONLY);

	event.allowed = pool->mask;
	event.group = group;
	return event;
}

struct pmudev_event_attr mux_event(const struct pool *pool, __u32 group)
{
	struct pmudev_event_attr event = strict_event(pool, group);

	event.flags |= PMUDEV_MULTIPLEX;
	return event;
}

int mux_attach(const struct pool *pool, int tid, __u32 bind_flags, unsigned int nr)
{
	struct pmudev_event_attr events[PMUDEV_MAX_EVENTS];
	unsigned int i;

	for (i = 0; i < nr; i++)
		events[i] = mux_event(pool, i);
	return pm_attach(tid, bind_flags, events, nr, true);
}

struct pmudev_count sum_since(const union record *before, const union record *after,
			      unsigned int first, unsigned int nr)
{
	struct pmudev_count sum = { 0 }, one;
	unsigned int i;

	for (i = first; i < first + nr; i++) {
		one = since(before, after, i);
		sum.value += one.value;
		sum.time_enabled += one.time_enabled;
		sum.time_running += one.time_running;
	}
	return sum;
}
