/* SPDX-License-Identifier: GPL-2.0 */
/* Sets that count a cgroup's threads on one CPU, and two processes to count. */
#ifndef PMUDEV_TEST_CGROUP_SET_H
#define PMUDEV_TEST_CGROUP_SET_H

#include "cgroup.h"
#include "subject.h"

/* Binds @fd to a cgroup's directory. 0, or -errno and `why`. */
int cgroup_bind(int fd, int directory, int cpu, __u32 flags);
/* A set of @nr events of the group on this CPU, enabled: its descriptor, or -errno and `why`. */
int cgroup_set(const struct cgroup *group, int cpu, const struct pmudev_event_attr *events,
	       unsigned int nr);
/* 0 or -errno. */
int cgroup_move(const struct cgroup *group, int pid);
extern const struct cgroup cgroup_root;

/* Two processes on CPU 0, of which one is in a group */
struct cgroup_pair {
	struct cgroup group;
	struct pmudev_event_attr event; /* what user mode executes */
	struct subject in, out;		/* the first is in the group */
	__u64 cost;			/* of an order */
};

/* 0; -ENODEV: no control groups in this kernel; -errno. The caller stays on CPU 0. */
int cgroup_pair_start(struct cgroup_pair *pair);
int cgroup_pair_end(struct cgroup_pair *pair);
/* An order: stay on this CPU. */
long stay_on(long cpu);

#define NO_CGROUPS "no control groups in this kernel (CONFIG_CGROUPS)"

/* So many rounds of a subject, in so many orders: to the instruction where that is known. */
#define EXPECT_WORK(pair, rounds, orders, counted)                               \
	do {                                                                     \
		__u64 _work = LOOP_INSTRUCTIONS * (__u64)(rounds);               \
		__u64 _counted = (counted);                                      \
		if (exact_instructions() && (pair)->cost)                        \
			EXPECT_EQ(_work + (orders) * (pair)->cost, _counted);    \
		EXPECT_LE(_work, _counted);                                      \
		EXPECT_GE(_work + (orders) * (__u64)SUBJECT_COST_MAX, _counted); \
	} while (0)

#endif /* PMUDEV_TEST_CGROUP_SET_H */
