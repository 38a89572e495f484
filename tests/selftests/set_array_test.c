// SPDX-License-Identifier: GPL-2.0
/*
 * Set arrays of libpmudev: sets on several CPUs, all enabled or none, and their sum.
 */
#include "common.h"
#include "kselftest_harness.h"
#include "server.h"

#include <pmudev_set_array.h>

#define ROUNDS 100000

FIXTURE(array)
{
	struct pmudev_set_array array;
	struct pmudev_total total;
	unsigned int cpu[64];
	unsigned int nr_cpus;
	int server;
};

FIXTURE_SETUP(array)
{
	memset(&self->array, 0, sizeof(self->array));
	self->server = -1;
	for (self->nr_cpus = 0; self->nr_cpus < 64 && (int)self->nr_cpus < cpus_online();
	     self->nr_cpus++)
		self->cpu[self->nr_cpus] = self->nr_cpus;
}

FIXTURE_TEARDOWN(array)
{
	pmudev_set_array_close(&self->array);
	stop_child(self->server);
}

static int begin(struct pmudev_set_array *array, const struct pmudev_event_attr *events,
		 unsigned int nr)
{
	int ret = pmudev_set_array_add(array, events, nr);

	return ret ? ret : pmudev_set_array_enable(array, PMUDEV_ALL);
}

static const char *sentence(struct pmudev_set_array *array)
{
	static char text[512];

	pmudev_set_array_explain(array, text, sizeof(text));
	return text;
}

/* ------------------------------------------------------------------------ CPUs -- */

/* The sum is that of the sets, whose counts stand still when they are disabled. */
TEST_F(array, cpus_are_added)
{
	struct pmudev_event_attr events[] = {
		raw_event(steady_event(), USER_ONLY),
		in_group(raw_event(EVENT_CYCLES, 0), 1),
	};
	__u64 sum[2] = { 0 }, enabled = 0;
	union pmudev_record_buffer buffer;
	unsigned int i, j;

	ASSERT_EQ(0, pmudev_set_array_cpus(&self->array, self->cpu, self->nr_cpus, 0))
	TH_LOG("%s", sentence(&self->array));
	ASSERT_EQ(self->nr_cpus, self->array.nr);
	ASSERT_EQ(0, begin(&self->array, events, 2)) TH_LOG("%s", sentence(&self->array));
	for (i = 0; i < self->nr_cpus; i++) {
		EXPECT_EQ((int)i, self->array.cpus[i]);
		ASSERT_EQ(0, pin_to(i));
		loop(ROUNDS);
	}
	ASSERT_EQ(0, pmudev_set_array_disable(&self->array, PMUDEV_ALL));
	for (i = 0; i < self->nr_cpus; i++) {
		ASSERT_EQ(0, pmudev_read(&self->array.sets[i], &buffer.record, sizeof(buffer)));
		enabled += buffer.record.time_enabled;
		for (j = 0; j < 2; j++)
			sum[j] += buffer.record.counts[j].value;
		EXPECT_GE(buffer.record.counts[0].value, (__u64)ROUNDS);
	}
	ASSERT_EQ(0, pmudev_set_array_read(&self->array, &self->total));
	EXPECT_EQ(2U, self->total.nr);
	EXPECT_EQ(3ULL, self->total.present);
	EXPECT_EQ(0ULL, self->total.multiplexed);
	EXPECT_EQ(enabled, self->total.time_enabled);
	EXPECT_EQ(0U, self->total.flags);
	for (j = 0; j < 2; j++) {
		EXPECT_EQ(sum[j], self->total.sums[j].value);
		EXPECT_EQ(sum[j], self->total.sums[j].estimate);
	}
}

/* The last CPU refuses: it is said to be the one, and none counts. */
TEST_F(array, all_cpus_or_none)
{
	struct pmudev_event_attr event = event_on(FIXED_COUNTER, USER_ONLY);
	struct pmudev_query before, after;
	union pmudev_record_buffer buffer;
	struct pmudev_refusal why;
	char wanted[32];
	unsigned int i;
	int fd;

	if (self->nr_cpus < 2)
		SKIP(return, "needs two CPUs");
	fd = pm_cpu_set(self->nr_cpus - 1, 0, &event, 1);
	ASSERT_GE(fd, 0);
	ASSERT_EQ(0, pm_query(&before));
	ASSERT_EQ(0, pmudev_set_array_cpus(&self->array, self->cpu, self->nr_cpus, 0));
	EXPECT_EQ(-EBUSY, begin(&self->array, &event, 1));
	EXPECT_EQ((int)self->nr_cpus - 1, self->array.cpu);
	EXPECT_EQ(-EBUSY, pmudev_set_array_why(&self->array, &why));
	EXPECT_EQ((__u32)PMUDEV_WHY_HELD, why.code);
	EXPECT_EQ(getpid(), why.holder.pid);
	snprintf(wanted, sizeof(wanted), "CPU %u: event 0: every", self->nr_cpus - 1);
	EXPECT_EQ(0, strncmp(wanted, sentence(&self->array), strlen(wanted)))
	TH_LOG("%s", sentence(&self->array));
	for (i = 0; i < self->nr_cpus; i++) {
		ASSERT_EQ(0, pmudev_read(&self->array.sets[i], &buffer.record, sizeof(buffer)));
		EXPECT_EQ(0U, buffer.record.flags & PMUDEV_RECORD_ENABLED);
	}
	ASSERT_EQ(0, pm_query(&after));
	EXPECT_EQ(before.busy, after.busy);
	/* When the other has gone the same array can be enabled. */
	close(fd);
	EXPECT_EQ(0, pmudev_set_array_enable(&self->array, PMUDEV_ALL))
	TH_LOG("%s", sentence(&self->array));
}

/* A group that was enabled before stays so when another one is refused, which counts nowhere. */
TEST_F(array, a_refusal_leaves_the_rest)
{
	struct pmudev_total later;
	struct pmudev_event_attr events[] = {
		raw_event(EVENT_CYCLES, USER_ONLY),
		in_group(event_on(FIXED_COUNTER, USER_ONLY), 1),
	};
	int fd;

	/* Not on the fixed counter. */
	events[0].allowed = 0xffffffff;
	fd = pm_cpu_set(self->nr_cpus - 1, 0, &events[1], 1);
	ASSERT_GE(fd, 0);
	ASSERT_EQ(0, pmudev_set_array_cpus(&self->array, self->cpu, self->nr_cpus, 0));
	ASSERT_EQ(0, pmudev_set_array_add(&self->array, events, 2));
	ASSERT_EQ(0, pmudev_set_array_enable(&self->array, 0)) TH_LOG("%s", sentence(&self->array));
	EXPECT_EQ(-EBUSY, pmudev_set_array_enable(&self->array, PMUDEV_ALL));
	ASSERT_EQ(0, pmudev_set_array_read(&self->array, &self->total));
	ASSERT_EQ(0, pmudev_set_array_read(&self->array, &later));
	EXPECT_EQ((__u32)PMUDEV_RECORD_ENABLED, later.flags);
	EXPECT_GT(later.sums[0].time_running, self->total.sums[0].time_running);
	EXPECT_EQ(later.sums[1].time_enabled, self->total.sums[1].time_enabled);
	EXPECT_EQ(-EEXIST, pmudev_set_array_add(&self->array, events, 1));
	close(fd);
}

TEST_F(array, no_such_cpu)
{
	unsigned int cpus[] = { 0, 4000 };

	EXPECT_EQ(-ENODEV, pmudev_set_array_cpus(&self->array, cpus, 2, 0));
	EXPECT_EQ(4000, self->array.cpu);
	EXPECT_EQ(0U, self->array.nr);
	EXPECT_EQ(0, strncmp("CPU 4000: there is no such CPU", sentence(&self->array), 30))
	TH_LOG("%s", sentence(&self->array));
}

/* ------------------------------------------------------------------- a process -- */

/* An array of one set is that set. */
TEST_F(array, a_process)
{
	struct pmudev_event_attr event = raw_event(steady_event(), USER_ONLY);
	struct pmudev_total before;

	self->server = start_server();
	ASSERT_GT(self->server, 0);
	ASSERT_EQ(0, pmudev_set_array_task(&self->array, PMUDEV_TARGET_PROCESS, self->server, 0))
	TH_LOG("%s", sentence(&self->array));
	ASSERT_EQ(1U, self->array.nr);
	EXPECT_EQ(-1, self->array.cpus[0]);
	ASSERT_EQ(0, begin(&self->array, &event, 1)) TH_LOG("%s", sentence(&self->array));
	ASSERT_EQ(0, pmudev_set_array_read(&self->array, &before));
	ASSERT_EQ(0, ask_server(self->server, ROUNDS));
	ASSERT_EQ(0, pmudev_set_array_read(&self->array, &self->total));
	EXPECT_EQ(0U, self->total.flags & PMUDEV_RECORD_ENDED);
	EXPECT_GE(self->total.sums[0].value - before.sums[0].value, (__u64)SERVER_THREADS * ROUNDS);
	/* It ends: its counts stay, and that is said. */
	ASSERT_EQ(0, end_server(self->server));
	before = self->total;
	ASSERT_EQ(0, pmudev_set_array_read(&self->array, &self->total));
	EXPECT_TRUE(self->total.flags & PMUDEV_RECORD_ENDED);
	EXPECT_GE(self->total.sums[0].value, before.sums[0].value);
	EXPECT_EQ(0, pmudev_set_array_disable(&self->array, PMUDEV_ALL));
	EXPECT_EQ(-ESRCH, pmudev_set_array_enable(&self->array, PMUDEV_ALL));
	EXPECT_EQ(-1, self->array.cpu);
	EXPECT_EQ(-ESRCH, pmudev_set_array_task(&self->array, PMUDEV_TARGET_TASK, 0x7fffffff, 0));
}

TEST_HARNESS_MAIN
