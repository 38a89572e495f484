// SPDX-License-Identifier: GPL-2.0
/*
 * AMD's late NMIs. The emulator's come up to 10,000 instructions after the overflow (the machines
 * skid-amd*), when its count was found long ago. Others come when the CPU was given back. Nobody
 * would know them: unknown NMIs panic there. Each is swallowed, and counted while the CPU is
 * pmudev's.
 */
#include "deadline.h"
#include "fake.h"
#include "interrupts.h"
#include "kselftest_harness.h"
#include "perf.h"

#if defined(__x86_64__)

#include <sys/ioctl.h>

#define SKID   10000 /* of the emulator */
#define ROUNDS 300

#define MS 1000000ULL

/* A deadline after so many instructions of user mode, and a loop that reaches it. */
#define AFTER 500

FIXTURE(late)
{
	int fd;
	struct pmudev_event_attr event;
	struct pmudev_query query;
	long nmis;
};

FIXTURE_SETUP(late)
{
	self->fd = -1;
	self->event = raw_event(EVENT_INSTRUCTIONS, USER_ONLY);
	ASSERT_EQ(0, limit_overflows(false));
	ASSERT_EQ(0, pin_to(1));
	ASSERT_EQ(0, pm_query(&self->query));
	ASSERT_EQ((__u32)PMUDEV_ARCH_AMD, self->query.arch);
	self->nmis = interrupts_so_far("NMI:", -1);
}

FIXTURE_TEARDOWN(late)
{
	if (self->fd >= 0)
		close(self->fd);
	limit_overflows(true);
}

/* Since the test began, when the last one has come: NMIs, and of these overflows and late ones. */
static void count_all(struct _test_data_late *self, __u64 *nmis, __u64 *overflows, __u64 *late)
{
	struct pmudev_query query;

	loop(SKID);
	pm_query(&query);
	*nmis = interrupts_so_far("NMI:", -1) - self->nmis;
	*overflows = query.overflows - self->query.overflows;
	*late = query.late - self->query.late;
}

static void expect_late(struct __test_metadata *_metadata, struct _test_data_late *self)
{
	__u64 nmis, overflows, late;

	count_all(self, &nmis, &overflows, &late);
	TH_LOG("%llu NMIs: %llu overflows, %llu late", nmis, overflows, late);
	EXPECT_EQ(nmis, overflows + late);
	/* Where the kernel checks its locks, it comes while the event is switched off. */
	if (!debug_kernel())
		EXPECT_LT(ROUNDS / 2ULL, late);
}

/* The event is switched off, its deadline told; then the interrupt comes. */
TEST_F(late, after_disable)
{
	struct pmudev_report report;
	int i;

	self->fd = pm_set(&self->event, 1, true);
	ASSERT_GE(self->fd, 0);
	for (i = 0; i < ROUNDS; i++) {
		ASSERT_EQ(0, pm_deadline(self->fd, 0, PMUDEV_DEADLINE_RELATIVE, AFTER, 0));
		loop(AFTER);
		ASSERT_EQ(0, pm_disable(self->fd, 0));
		ASSERT_EQ(1, pm_reports(self->fd, &report, 1));
		EXPECT_EQ(1ULL, report.reached);
		loop(SKID);
		ASSERT_EQ(0, pm_reports(self->fd, &report, 1));
		ASSERT_EQ(0, pm_enable(self->fd, 0));
	}
	expect_late(_metadata, self);
}

/* A read finds the count while the event goes on: no deadline is told twice, and none is lost. */
TEST_F(late, after_a_read)
{
	struct pmudev_report report;
	__u64 reached = 0;
	union record r;
	int i;

	self->fd = pm_set(&self->event, 1, true);
	ASSERT_GE(self->fd, 0);
	for (i = 0; i < ROUNDS; i++) {
		ASSERT_EQ(0, pm_deadline(self->fd, 0, PMUDEV_DEADLINE_RELATIVE, AFTER, 0));
		loop(AFTER);
		ASSERT_EQ(0, pm_read(self->fd, &r));
		if (i % 2)
			loop(SKID);
		if (pm_reports(self->fd, &report, 1) == 1)
			reached += report.reached;
	}
	EXPECT_EQ((__u64)ROUNDS, reached);
	loop(SKID);
	ASSERT_EQ(0, pm_reports(self->fd, &report, 1));
}

/* Reaches a deadline and closes the last set, while its interrupt is on its way. */
static int reach_and_close(struct _test_data_late *self)
{
	int ret, fd = pm_set(&self->event, 1, true);

	if (fd < 0)
		return fd;
	ret = pm_deadline(fd, 0, PMUDEV_DEADLINE_RELATIVE, AFTER, 0);
	loop(AFTER);
	close(fd);
	return ret;
}

/*
 * The CPU was given back some milliseconds ago, and nobody has it. The emulator is not that late:
 * the NMI is made up (tests/modules/fake_kvm.c).
 */
TEST_F(late, after_giving_back)
{
	__u64 start, nmis, overflows, late;
	int i, fake;

	if (fake_lacks())
		SKIP(return, "%s", fake_lacks());
	ASSERT_EQ(0, fake_load());
	fake = fake_open();
	ASSERT_GE(fake, 0);
	for (i = 0; i < 10; i++) {
		ASSERT_EQ(0, reach_and_close(self));
		for (start = now_ns(); now_ns() - start < 5 * MS;)
			loop(1000);
		ASSERT_EQ(0, fake_enter(fake, 1, FAKE_NMI | FAKE_NO_ENTRY | FAKE_NO_EXIT));
		ASSERT_GT(50 * MS, now_ns() - start);
	}
	close(fake);
	EXPECT_EQ(0, fake_unload());
	count_all(self, &nmis, &overflows, &late);
	EXPECT_EQ(10ULL, nmis - overflows - late);
}

/* Pmudev takes the CPU again at once. */
TEST_F(late, after_taking_again)
{
	struct pmudev_report report;
	int i, fd;

	for (i = 0; i < ROUNDS; i++) {
		ASSERT_EQ(0, reach_and_close(self));
		fd = pm_set(&self->event, 1, true);
		ASSERT_GE(fd, 0);
		ASSERT_EQ(0, pm_deadline(fd, 0, 0, 1ULL << 40, 0));
		loop(SKID);
		EXPECT_EQ(0, pm_reports(fd, &report, 1));
		close(fd);
	}
}

/* Perf has it then: its event counts on. */
TEST_F(late, while_perf_counts)
{
	__u64 first, value;
	int i, fd;

	for (i = 0; i < ROUNDS; i++) {
		ASSERT_EQ(0, reach_and_close(self));
		fd = perf_open(EVENT_INSTRUCTIONS, 0, 0, -1);
		ASSERT_GE(fd, 0);
		first = perf_count(fd).value;
		loop(SKID);
		value = perf_count(fd).value - first;
		EXPECT_LE(2ULL * SKID, value);
		EXPECT_GT(2ULL * SKID + 1000, value);
		close(fd);
	}
}

#else

TEST(late)
{
	SKIP(return, "x86 only");
}

#endif

TEST_HARNESS_MAIN
