/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A thread's set beside perf's events, which perf keeps feeding while pmudev counts and afterwards.
 * For use below kselftest_harness.h.
 */
#ifndef PMUDEV_TEST_ARM64_PERF_H
#define PMUDEV_TEST_ARM64_PERF_H

#if defined(__aarch64__)

#include "common.h"
#include "perf.h"

#define PERF_ACCESS   "/proc/sys/kernel/perf_user_access"
#define CONFIG1_RDPMC 2 /* config1 of arm64's PMU: the event is to be read by user mode */

FIXTURE(perf)
{
	struct pmudev_query query;
	int fd; /* a set on this thread */
	int perf[16];
	int nr;
	int child; /* that does something to perf all the time */
	long access;
};

FIXTURE_SETUP(perf)
{
	int fd;

	ASSERT_EQ(0, pm_query(&self->query));
	self->fd = -1;
	self->access = read_number(PERF_ACCESS);
	fd = perf_open(EVENT_CYCLES, 0, 0, -1);
	if (fd < 0)
		SKIP(return, "perf does not count cycles here");
	close(fd);
	ASSERT_EQ(0, pin_to(0));
	ASSERT_EQ(0, set_user_access(true));
	/* What perf had to tidy up is done: the PMU is free for whoever comes. */
	ASSERT_FALSE(self->query.state & PMUDEV_STATE_RESERVED);
}

FIXTURE_TEARDOWN(perf)
{
	stop_child(self->child);
	while (self->nr)
		close(self->perf[--self->nr]);
	if (self->fd >= 0)
		close(self->fd);
	if (self->access >= 0)
		write_file(PERF_ACCESS, self->access ? "1" : "0");
	set_user_access(false);
}

static inline int add_perf(struct _test_data_perf *self, __u64 config, pid_t pid, int cpu,
			   bool rdpmc)
{
	int fd = perf_open(config, rdpmc ? CONFIG1_RDPMC : 0, pid, cpu);

	if (fd >= 0)
		self->perf[self->nr++] = fd;
	return fd;
}

static inline int add_set(struct _test_data_perf *self, __u64 config, __u32 flags)
{
	struct pmudev_event_attr event = raw_event(config, flags);

	self->fd = pm_set(&event, 1, true);
	return self->fd;
}

/* While pmudev counts, perf's events do; and when it has gone they still do. */
static inline void expect_fed(struct __test_metadata *_metadata, struct _test_data_perf *self)
{
	struct perf_count count;
	struct pmudev_query query;
	int i;

	for (i = 0; i < self->nr; i++) {
		count = perf_count(self->perf[i]);
		EXPECT_GT(count.value, 0ULL) TH_LOG("no. %d", i);
		EXPECT_GT(count.running, 0ULL) TH_LOG("no. %d", i);
	}
	EXPECT_EQ(0, pm_query(&query));
	EXPECT_TRUE(query.state & PMUDEV_STATE_RESERVED);
	close(self->fd);
	self->fd = -1;
	EXPECT_TRUE(WAIT_FOR(!pm_query(&query) && !(query.state & PMUDEV_STATE_RESERVED)));
	for (i = 0; i < self->nr; i++) {
		__u64 before = perf_count(self->perf[i]).value;

		EXPECT_TRUE(WAIT_FOR((loop(10000), perf_count(self->perf[i]).value > before)));
	}
}

#endif
#endif /* PMUDEV_TEST_ARM64_PERF_H */
