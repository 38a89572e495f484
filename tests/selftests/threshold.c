// SPDX-License-Identifier: GPL-2.0
#include "kinds.h"
#include "threshold.h"

struct pmudev_event_attr threshold_event(const struct threshold *t)
{
	struct pmudev_event_attr attr = raw_event(t->event, USER_ONLY);

	attr.threshold = t->value;
	attr.threshold_compare = t->compare;
	if (t->count)
		attr.flags |= PMUDEV_THRESHOLD_COUNT;
	return attr;
}

/* x86 counts cycles; Intel compares for equality from CPUID.23H on, which version 6 has. */
bool threshold_offered(const struct pmudev_query *query, const struct threshold *t)
{
	if (query->arch == PMUDEV_ARCH_ARM64)
		return true;
	return t->count && (t->compare >= PMUDEV_GREATER_EQUAL ||
			    (query->arch == PMUDEV_ARCH_INTEL && query->arch_version >= 6));
}

static bool passes(const struct threshold *t, unsigned int increment)
{
	switch (t->compare) {
	case PMUDEV_NOT_EQUAL:
		return increment != t->value;
	case PMUDEV_EQUAL:
		return increment == t->value;
	case PMUDEV_GREATER_EQUAL:
		return increment >= t->value;
	default:
		return increment < t->value;
	}
}

__u64 threshold_counts(const struct threshold *t, __u64 k)
{
	__u64 with = t->event == EVENT_CYCLES ? k : t->event == EVENT_INSTRUCTIONS;
	__u64 counts = 0;

	if (!t->value)
		return with;
	if (passes(t, 1))
		counts += with;
	if (t->count && passes(t, 0))
		counts += k - with;
	return counts;
}

int threshold_set(const struct pmudev_query *query, const struct pmudev_event_attr *events,
		  unsigned int nr)
{
	return query->nr_pmus > 1 ? kinds_set(query->pmu, 0, events, nr) : pm_set(events, nr, true);
}

int threshold_measure(const struct pmudev_query *query, const struct pmudev_event_attr *event,
		      __u64 n, __u64 *count)
{
	__u64 first, second;
	int fd, ret;

	*count = 0;
	fd = threshold_set(query, event, 1);
	if (fd < 0)
		return fd;
	/* The same code around it twice. */
	ret = measure_read(fd, 0, 1, &first);
	if (!ret)
		ret = measure_read(fd, 0, n + 1, &second);
	close(fd);
	if (!ret)
		*count = second - first;
	return ret;
}

int threshold_cycles(const struct pmudev_query *query, __u64 *k)
{
	struct pmudev_event_attr event = raw_event(EVENT_CYCLES, USER_ONLY);
	int ret = threshold_measure(query, &event, 1000, k);

	*k /= 1000 * LOOP_INSTRUCTIONS;
	return ret;
}
