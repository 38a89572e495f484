// SPDX-License-Identifier: GPL-2.0
/*
 * CPUs that come online for the first time while sets count: what was reserved is so on them, too.
 * The machine boots with maxcpus=2; each test brings one CPU more.
 */
#include "storm.h"
#include "perf.h"
#include "kselftest_harness.h"

#define PERF_EVENTS 8 /* more than there are counters beside the sets' */

FIXTURE(late)
{
	int cpu; /* that nobody has seen yet */
	int perf[PERF_EVENTS];
	int nr;
};

/* Or one that went, for which the same has to hold. */
static int unseen_cpu(void)
{
	char path[80];
	int cpu;

	for (cpu = 1; cpu < 4; cpu++) {
		snprintf(path, sizeof(path), "/sys/devices/system/cpu/cpu%d/online", cpu);
		if (!read_number(path))
			return cpu;
	}
	return -1;
}

FIXTURE_SETUP(late)
{
	self->cpu = unseen_cpu();
	if (self->cpu < 0)
		SKIP(return, "needs a CPU that is offline since the boot");
	ASSERT_EQ(0, pin_to(0));
	ASSERT_EQ(0, set_user_access(true));
}

static void close_perf(struct _test_data_late *self)
{
	while (self->nr)
		close(self->perf[--self->nr]);
}

/* The CPU stays: the next test finds another one. */
FIXTURE_TEARDOWN(late)
{
	close_perf(self);
	set_user_access(false);
}

static void open_perf(struct __test_metadata *_metadata, struct _test_data_late *self, pid_t pid,
		      int cpu)
{
	while (self->nr < PERF_EVENTS) {
		self->perf[self->nr] = perf_open(EVENT_INSTRUCTIONS, 0, pid, cpu);
		ASSERT_GE(self->perf[self->nr], 0);
		self->nr++;
	}
}

/* The loop on both CPUs by turns, by read(2) and, with a reader, directly: the same counts. */
static void expect_same(struct __test_metadata *_metadata, int fd, struct reader *reader, int cpu)
{
	__u64 called, direct, n = 1000, first[2];
	int round;

	for (round = 0; round < few(200); round++) {
		ASSERT_EQ(0, pin_to(round & 1 ? cpu : 0));
		called = set_loop(fd, n);
		direct = called;
		if (reader && measure_direct(reader, 0, n, &direct))
			direct = 0;
		if (!round) {
			first[0] = called;
			first[1] = direct;
		}
		ASSERT_GE(called, n);
		ASSERT_GE(direct, n);
		if (!exact_instructions())
			continue;
		ASSERT_EQ(first[0], called) TH_LOG("round %d", round);
		ASSERT_EQ(first[1], direct) TH_LOG("round %d", round);
	}
	ASSERT_EQ(0, pin_to(0));
}

/* Beside perf's events, where perf shares the PMU; elsewhere perf has none there. */
TEST_F(late, comes_while_sets_count)
{
	__u32 flags = user_reads() ? DIRECT_READ : USER_ONLY;
	struct pmudev_event_attr event = raw_event(EVENT_INSTRUCTIONS, flags);
	struct pmudev_event_attr shared = raw_event(EVENT_CYCLES, USER_ONLY);
	struct pmudev_page *page = NULL;
	struct reader mapped, *reader = NULL;
	int fd, cpu_fd, i;

	EXPECT_REFUSED(ENODEV, PMUDEV_WHY_CPU_OFFLINE,
		       pm_cpu_set(self->cpu, PMUDEV_BIND_SHARED, &shared, 1));
	fd = pm_set(&event, 1, true);
	ASSERT_GE(fd, 0);
	if (user_reads()) {
		page = pm_map(fd);
		ASSERT_NE(NULL, page);
		mapped = reader_of(page);
		reader = &mapped;
	}
	if (BESIDE_PERF)
		open_perf(_metadata, self, 0, -1);
	ASSERT_EQ(0, set_cpu_online(self->cpu, true));
	if (!BESIDE_PERF)
		EXPECT_EQ(-EBUSY, perf_open(EVENT_INSTRUCTIONS, 0, -1, self->cpu));
	expect_same(_metadata, fd, reader, self->cpu);
	for (i = 0; i < self->nr; i++)
		EXPECT_TRUE(WAIT_FOR((loop(10000), perf_count(self->perf[i]).running > 0)));

	cpu_fd = pm_cpu_set(self->cpu, PMUDEV_BIND_SHARED, &shared, 1);
	ASSERT_GE(cpu_fd, 0);
	expect_same(_metadata, fd, reader, self->cpu);
	EXPECT_GE(pm_value(cpu_fd, 0), few(200) / 2 * 1000ULL);
	close(cpu_fd);
	if (page)
		pm_unmap(page);
	close(fd);
	close_perf(self);
	EXPECT_EQ(0, nothing_left());
}

/* perf's events there wait for the set, and count after it. */
TEST_F(late, comes_while_a_set_has_the_PMU_to_itself)
{
	struct pmudev_event_attr event = raw_event(EVENT_INSTRUCTIONS, USER_ONLY);
	int fd, i;

	if (!BESIDE_PERF)
		SKIP(return, "here each set has the PMU to itself");
	fd = pm_attach(0, PMUDEV_BIND_EXCLUSIVE, &event, 1, true);
	ASSERT_GE(fd, 0);
	ASSERT_EQ(0, set_cpu_online(self->cpu, true));
	open_perf(_metadata, self, -1, self->cpu);
	expect_same(_metadata, fd, NULL, self->cpu);
	for (i = 0; i < self->nr; i++)
		EXPECT_EQ(0ULL, perf_count(self->perf[i]).running);
	close(fd);
	ASSERT_EQ(0, pin_to(self->cpu));
	for (i = 0; i < self->nr; i++)
		EXPECT_TRUE(WAIT_FOR((loop(10000), perf_count(self->perf[i]).value > 0)));
	close_perf(self);
	EXPECT_EQ(0, nothing_left());
}

TEST_HARNESS_MAIN
