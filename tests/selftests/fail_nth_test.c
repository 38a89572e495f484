// SPDX-License-Identifier: GPL-2.0
/*
 * Every allocation fails once. What a program does with a set is done again and again, and each
 * time another allocation in it fails, until none is left: the call concerned says ENOMEM or copes
 * without; done again it succeeds; counts are exact, and at the end nothing is left of it. Here: a
 * thread's own set, sets that make way, user access and guests; others' in fail_target_test.c.
 */
#include "mux.h"
#include "kselftest_harness.h"
#include "fail_nth.h"

/* ------------------------------------------------------------- one's own thread -- */

static long map_fd(int fd, struct pmudev_page **page)
{
	*page = pm_map(fd);
	return *page ? 0 : -errno;
}

static void own_thread(struct __test_metadata *_metadata, struct _test_data_fail *self)
{
	struct pmudev_event_attr events[2] = { steady(USER_ONLY), steady(USER_ONLY) };
	struct pmudev_event_attr mux[GROUPS], readable = steady(DIRECT_READ);
	__s32 counters[PMUDEV_MAX_EVENTS];
	struct pmudev_page *page = NULL;
	struct pmudev_query query;
	struct pmudev_why answer;
	struct reader reader;
	union record r;
	__u64 count;
	int fd, i;

	for (i = 0; i < GROUPS; i++)
		mux[i] = mux_event(&self->pool, 10 + i);
	readable.group = 1;
	fd = STEP(pm_open());
	STEP(pm_bind(fd, PMUDEV_TARGET_TASK, 0, 0));
	STEP(pm_query(&query));
	STEP(pm_place(fd, events, 2, counters));
	STEP(pm_add(fd, events, 2));
	STEP(pm_place(fd, NULL, 0, counters));
	STEP(pm_enable(fd, 0));
	check_count(_metadata, self, fd, 1);
	if (user_reads()) {
		STEP(pm_add(fd, &readable, 1));
		STEP(pm_enable(fd, 1));
		STEP(map_fd(fd, &page));
		reader = reader_of(page);
		EXPECT_EQ(0, measure_direct(&reader, 2, WORK, &count));
		EXPECT_LE(LOOP_INSTRUCTIONS * WORK, count);
		STEP(pm_disable(fd, 1));
		STEP(pm_remove(fd, 1));
		pm_unmap(page);
	}
	STEP(pm_add(fd, mux, GROUPS));
	STEP(pm_enable(fd, PMUDEV_ALL));
	STEP(pm_read(fd, &r));
	EXPECT_EQ(2U + GROUPS, r.r.nr);
	EXPECT_EQ(GROUPS + 2, __builtin_popcountll(r.r.present));
	check_count(_metadata, self, fd, 0);
	STEP(pm_reset(fd, 0, 5));
	STEP(pm_place(fd, events, 1, counters));
	STEP(pm_disable(fd, 10));
	STEP(pm_remove(fd, 10));
	check_count(_metadata, self, fd, 1);
	STEP(pm_why(fd, &answer));
	close(fd);
}

static void own_threads(struct __test_metadata *_metadata, struct _test_data_fail *self)
{
	unsigned int nth;
	bool failed;

	fault_rounds(nth, failed, nr_failing >= 10) {
		fault_arm(nth);
		own_thread(_metadata, self);
		failed = fault_disarm();
		check_idle(_metadata, self);
	}
	tell(_metadata, "one's own thread", nth, 10);
}

TEST_F_TIMEOUT(fail, own_thread, 300)
{
	own_threads(_metadata, self);
	if (variant->own)
		return;
	/* Also what the kernel asks for beside us: to open, to map. */
	fault_everywhere();
	own_threads(_metadata, self);
}

/* --------------------------------------------------------------- held by others -- */

/*
 * A multiplexing set moves for a strict one that wants its counter; what cannot move is refused,
 * with the holders, and never in place of memory.
 */
static void make_way(struct __test_metadata *_metadata, struct _test_data_fail *self)
{
	struct pmudev_event_attr mux = mux_event(&self->pool, 0), want;
	struct pmudev_holder holders[64];
	int fd, other, last, ret;
	unsigned int nr;
	__s32 counter;

	fd = STEP(pm_set(&mux, 1, true));
	STEP(pm_place(fd, NULL, 0, &counter));
	want = event_on(counter, USER_ONLY);
	other = STEP(pm_set(&want, 1, true));
	/* Its own counter, a second time. */
	last = STEP(pm_set(&want, 1, false));
	nr = ARRAY_SIZE(holders);
	ret = pm_enable_holders(last, 0, holders, &nr);
	if (ret == -ENOMEM) {
		EXPECT_EQ((__u32)PMUDEV_WHY_MEMORY, why.code);
		note_failure("pm_enable_holders()");
		nr = ARRAY_SIZE(holders);
		ret = pm_enable_holders(last, 0, holders, &nr);
	}
	EXPECT_EQ(-EBUSY, ret);
	EXPECT_EQ((__u32)PMUDEV_WHY_HELD, why.code);
	EXPECT_EQ(1ULL << counter, why.busy);
	EXPECT_GE(1U, nr);
	close(last);
	close(other);
	close(fd);
}

TEST_F_TIMEOUT(fail, make_way, 300)
{
	unsigned int nth;
	bool failed;

	fault_rounds(nth, failed, nr_failing >= 4) {
		fault_arm(nth);
		make_way(_metadata, self);
		failed = fault_disarm();
		check_idle(_metadata, self);
	}
	tell(_metadata, "making way", nth, 4);
}

/* -------------------------------------------------------------------------- the machine -- */

TEST_F_TIMEOUT(fail, user_access, 300)
{
	struct pmudev_event_attr event = steady(DIRECT_READ);
	unsigned int nth;
	bool failed;
	int fd, ret;

	if (!user_reads())
		SKIP(return, NO_USER_READS);
	fd = pm_set(&event, 1, true);
	ASSERT_GE(fd, 0);
	if (!variant->own)
		fault_everywhere();
	fault_for_each(nth, failed) {
		fault_arm(nth);
		ret = set_user_access(nth & 1);
		failed = fault_disarm();
		if (ret) {
			EXPECT_EQ(-ENOMEM, ret);
			failures++;
			ASSERT_EQ(0, set_user_access(nth & 1));
		}
		EXPECT_EQ(nth & 1, read_number(USER_ACCESS));
	}
	tell(_metadata, "user access", nth, 0);
	ASSERT_EQ(0, set_user_access(true));
	check_count(_metadata, self, fd, 0);
	close(fd);
}

/* KVM's tracepoints, where there are such: they are let go of a second after the last set. */
TEST_F_TIMEOUT(fail, guests, 300)
{
	struct pmudev_event_attr event = steady(USER_ONLY | PMUDEV_EXCLUDE_GUEST);
	struct pmudev_query query;
	unsigned int nth;
	bool failed;
	int fd;

	fault_for_each(nth, failed) {
		ASSERT_TRUE(WAIT_FOR(!pm_query(&query) && !(query.state & PMUDEV_STATE_GUEST)));
		fd = pm_open();
		ASSERT_GE(fd, 0);
		ASSERT_EQ(0, pm_bind(fd, PMUDEV_TARGET_TASK, 0, 0));
		fault_arm(nth);
		STEP(pm_add(fd, &event, 1));
		failed = fault_disarm();
		ASSERT_EQ(0, pm_enable(fd, 0));
		check_count(_metadata, self, fd, 0);
		close(fd);
	}
	tell(_metadata, "guests", nth, 0);
}

TEST_HARNESS_MAIN
