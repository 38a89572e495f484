// SPDX-License-Identifier: GPL-2.0
/*
 * libpmudev on the real thing: its direct read counts as exactly as the ABI allows, falls back
 * where it must, and its words name the reason.
 */
#include "common.h"
#include "kselftest_harness.h"

#include <pthread.h>
#include <pmudev.h>

FIXTURE(lib)
{
	struct pmudev set;
};

FIXTURE_SETUP(lib)
{
	ASSERT_EQ(0, set_user_access(true));
	ASSERT_EQ(0, pmudev_open(&self->set));
	ASSERT_EQ(0, pmudev_bind_self(&self->set));
}

FIXTURE_TEARDOWN(lib)
{
	pmudev_close(&self->set);
	set_user_access(false);
}

static int start(struct pmudev *set, const struct pmudev_event_attr *events, unsigned int nr)
{
	int ret = pmudev_add(set, events, nr, NULL);

	if (!ret)
		ret = pmudev_enable(set, PMUDEV_ALL);
	return ret ? ret : pmudev_map(set);
}

/* No call but that one, of a set that has no target yet. */
TEST_F(lib, starts_at_once)
{
	struct pmudev_event_attr events[] = {
		raw_event(EVENT_INSTRUCTIONS, USER_ONLY),
		raw_event(EVENT_CYCLES, USER_ONLY),
	};
	struct pmudev_refusal why;
	struct pmudev set;
	uint64_t before[2], after[2];
	uint32_t slots[2] = { 7, 7 };

	ASSERT_EQ(0, pmudev_open(&set));
	ASSERT_EQ(0, pmudev_start(&set, events, 2, slots));
	EXPECT_EQ(0U, slots[0]);
	EXPECT_EQ(1U, slots[1]);
	ASSERT_EQ(0, pmudev_read_counts(&set, before, 2));
	loop(1000);
	ASSERT_EQ(0, pmudev_read_counts(&set, after, 2));
	EXPECT_GE(after[0] - before[0], 1000 * LOOP_INSTRUCTIONS);
	EXPECT_GT(after[1], before[1]);
	EXPECT_EQ(-EBUSY, pmudev_bind_self(&set));
	EXPECT_EQ(-EBUSY, pmudev_start(&set, events, 1, NULL));
	EXPECT_EQ(-EBUSY, pmudev_why(&set, &why));
	EXPECT_EQ(PMUDEV_WHY_ENABLED, why.code);
	pmudev_close(&set);
}

static __attribute__((noinline)) int measure(struct pmudev *set, __u64 n, __u64 *count)
{
	uint64_t before, after;
	__u32 seq = READ_ONCE(set->page->seq);

	if (pmudev_read_count(set, 0, &before))
		return -EIO;
	loop(n);
	if (pmudev_read_count(set, 0, &after))
		return -EIO;
	*count = after - before;
	/* A switch may have made the second read begin anew. */
	return READ_ONCE(set->page->seq) == seq ? 0 : -EINTR;
}

TEST_F(lib, counts_exactly)
{
	struct pmudev_event_attr event = raw_event(EVENT_INSTRUCTIONS, DIRECT_READ);
	__u64 n, c = 0, count;
	int tries, ret;

	if (!exact_instructions())
		SKIP(return, "instructions are not counted exactly here (PMUDEV_EXACT)");
	ASSERT_EQ(0, start(&self->set, &event, 1));
	for (n = 1000; n <= 1000000; n *= 10) {
		for (tries = 0, ret = -EINTR; tries < 10 && ret == -EINTR; tries++)
			ret = measure(&self->set, n, &count);
		ASSERT_EQ(0, ret);
		if (n == 1000)
			c = count - LOOP_INSTRUCTIONS * n;
		EXPECT_EQ(LOOP_INSTRUCTIONS * n + c, count);
	}
	/* Its whole read is some twenty instructions. */
	EXPECT_LE(c, 40ULL);
}

/* Its table of instructions: the n-th slot reads the n-th slot's counter, for all there are. */
TEST_F(lib, reads_the_right_counter)
{
	struct pmudev_event_attr events[PMUDEV_MAX_EVENTS];
	struct pmudev_query query;
	struct pmudev_times times;
	uint64_t values[PMUDEV_MAX_EVENTS], value;
	unsigned int i, nr;
	__u64 left;

	events[0] = event_on(FIXED_COUNTER, DIRECT_READ);
	ASSERT_EQ(0, start(&self->set, events, 1));
	ASSERT_EQ(0, pmudev_query(&self->set, 0, &query));
	left = query.available & ~(1ULL << FIXED_COUNTER);
	for (nr = 1; left; left &= left - 1, nr++)
		events[nr] = in_group(event_on(__builtin_ctzll(left), DIRECT_READ), nr);
	ASSERT_EQ(0, pmudev_add(&self->set, events + 1, nr - 1, NULL));
	ASSERT_EQ(0, pmudev_enable(&self->set, PMUDEV_ALL));
	/* Values of their own, far enough apart to tell them. */
	for (i = 0; i < nr; i++)
		ASSERT_EQ(0, pmudev_reset_slot(&self->set, i, i * 100000000ULL));
	ASSERT_TRUE(pmudev_try_counts(&self->set, values, nr, &times));
	for (i = 0; i < nr; i++) {
		EXPECT_EQ(i, values[i] / 100000000);
		ASSERT_TRUE(pmudev_try_count(&self->set, i, &value));
		EXPECT_GT(value, values[i]);
		EXPECT_EQ(i, value / 100000000);
	}
	EXPECT_EQ(times.enabled, times.running);
	EXPECT_GT(times.enabled, 0ULL);
	EXPECT_EQ(-EINVAL, pmudev_read_count(&self->set, nr, &value));
}

static void *read_there(void *arg)
{
	struct pmudev *set = arg;
	static uint64_t value;

	if (pmudev_try_count(set, 0, &value) || pmudev_read_count(set, 0, &value))
		return NULL;
	return &value;
}

/* A thread that is not the owner, and a child, get their answer by read(2). */
TEST_F(lib, others_fall_back)
{
	struct pmudev_event_attr event = raw_event(EVENT_CYCLES, DIRECT_READ);
	uint64_t before, after, *there;
	pthread_t thread;
	int child;

	ASSERT_EQ(0, start(&self->set, &event, 1));
	ASSERT_TRUE(pmudev_try_count(&self->set, 0, &before));
	ASSERT_EQ(0, pthread_create(&thread, NULL, read_there, &self->set));
	ASSERT_EQ(0, pthread_join(thread, (void **)&there));
	ASSERT_NE(NULL, there);
	EXPECT_GT(*there, before);
	child = fork();
	if (!child)
		_exit(read_there(&self->set) ? 0 : 1);
	EXPECT_EQ(0, child_result(child));
	ASSERT_TRUE(pmudev_try_count(&self->set, 0, &after));
	EXPECT_GT(after, *there);
}

/* After user access is disabled, the same call still returns values. */
TEST_F(lib, user_access_disabled)
{
	struct pmudev_event_attr event = raw_event(EVENT_CYCLES, DIRECT_READ);
	uint64_t before, value;
	char text[256];

	ASSERT_EQ(0, start(&self->set, &event, 1));
	ASSERT_EQ(0, pmudev_read_count(&self->set, 0, &before));
	ASSERT_EQ(0, set_user_access(false));
	EXPECT_FALSE(pmudev_try_count(&self->set, 0, &value));
	EXPECT_EQ(0, pmudev_read_count(&self->set, 0, &value));
	EXPECT_GE(value, before);
	event.group = 1;
	EXPECT_EQ(-EACCES, pmudev_add(&self->set, &event, 1, NULL));
	EXPECT_GT(pmudev_explain(&self->set, text, sizeof(text)), 0);
	EXPECT_NE(NULL, strstr(text, "dev.pmudev.user_access")) TH_LOG("%s", text);
}

TEST_F(lib, says_who_is_in_the_way)
{
	struct pmudev_event_attr event = raw_event(EVENT_CYCLES, USER_ONLY);
	struct pmudev_refusal why;
	char text[512], pid[16];
	unsigned int i;
	int ret = 0;

	for (i = 0; i < 64 && !ret; i++) {
		event.group = i;
		ASSERT_EQ(0, pmudev_add(&self->set, &event, 1, NULL));
		ret = pm_set(&event, 1, true);
		if (ret >= 0)
			ret = 0;
	}
	EXPECT_EQ(-EBUSY, ret);
	EXPECT_EQ(-EBUSY, pmudev_enable(&self->set, 0));
	EXPECT_EQ(-EBUSY, pmudev_why(&self->set, &why));
	EXPECT_EQ((__u32)PMUDEV_WHY_HELD, why.code);
	EXPECT_GE(why.nr_holders, 1U);
	EXPECT_GT(pmudev_explain(&self->set, text, sizeof(text)), 0);
	snprintf(pid, sizeof(pid), "%d", getpid());
	EXPECT_NE(NULL, strstr(text, pid)) TH_LOG("%s", text);
}

TEST_HARNESS_MAIN
