// SPDX-License-Identifier: GPL-2.0
/* What one user can ask for is bounded: the module's stack, the work at a switch of his threads. */
#include <pthread.h>
#include <sys/mman.h>
#include <time.h>

#include "common.h"
#include "kselftest_harness.h"

#define SWITCHES 200
#define PARTS	 10 /* of them */
#define PAGES	 200

/* A dry run beside events of the set: together more than a set can hold, all in one group. */
TEST(dry_run_of_more_than_a_set_holds)
{
	struct pmudev_event_attr events[PMUDEV_MAX_EVENTS];
	__s32 counters[PMUDEV_MAX_EVENTS];
	unsigned int i;
	int fd;

	for (i = 0; i < PMUDEV_MAX_EVENTS; i++)
		events[i] = raw_event(EVENT_CYCLES, USER_ONLY);
	fd = pm_set(events, 1, false);
	ASSERT_GE(fd, 0);
	EXPECT_REFUSED(ENOSPC, PMUDEV_WHY_NO_COUNTER,
		       pm_place(fd, events, PMUDEV_MAX_EVENTS, counters));
	EXPECT_REFUSED(EINVAL, PMUDEV_WHY_NUMBER, pm_add(fd, events, PMUDEV_MAX_EVENTS));
	/* One group each: any one of them fits, all at once do not. */
	for (i = 0; i < PMUDEV_MAX_EVENTS; i++)
		events[i].group = i;
	EXPECT_REFUSED(ENOSPC, PMUDEV_WHY_NO_COUNTER,
		       pm_place(fd, events, PMUDEV_MAX_EVENTS, counters));
	EXPECT_EQ(0, pm_place(fd, events, 1, counters));
	close(fd);
}

static void *partner(void *arg)
{
	struct turns *turns = arg;
	int i;

	for (i = 0; i < 3 * SWITCHES; i++) {
		turn_wait(turns, 1);
		turn_give(turns, 1);
	}
	return NULL;
}

/*
 * To the partner and back: two switches of this thread. The fastest tenth of them: others run too,
 * on kernels that watch what they do for much of the time.
 */
static __u64 switch_ns(struct turns *turns)
{
	__u64 best = ~0ULL, from, took;
	int i, part;

	for (part = 0; part < PARTS; part++) {
		from = now_ns();
		for (i = 0; i < SWITCHES / PARTS; i++)
			turn_pass(turns, 0);
		took = (now_ns() - from) / (SWITCHES / PARTS);
		if (took < best)
			best = took;
	}
	return best;
}

/* Pages that have nothing on a counter cost nothing when their thread is switched. */
TEST(pages_at_a_switch)
{
	struct pmudev_event_attr event = raw_event(EVENT_CYCLES, DIRECT_READ);
	struct pmudev_page *page, *idle[PAGES];
	__u64 one, many;
	struct turns turns;
	pthread_t thread;
	int fd, set, i;

	if (!user_reads())
		SKIP(return, NO_USER_READS);
	if (!exact_clock())
		SKIP(return, "the clock does not count instructions here (one CPU, -icount)");
	ASSERT_EQ(0, set_user_access(true));
	fd = pm_set(&event, 1, true);
	ASSERT_GE(fd, 0);
	page = pm_map(fd);
	ASSERT_NE(NULL, page);
	ASSERT_EQ(0, turns_init(&turns));
	ASSERT_EQ(0, pthread_create(&thread, NULL, partner, &turns));
	switch_ns(&turns);
	one = switch_ns(&turns);
	for (i = 0; i < PAGES; i++) {
		set = pm_set(&event, 1, false);
		ASSERT_GE(set, 0);
		idle[i] = pm_map(set);
		ASSERT_NE(NULL, idle[i]);
		/* The mapping keeps it. */
		close(set);
	}
	many = switch_ns(&turns);
	TH_LOG("%llu ns a turn with one page, %llu with %d more", one, many, PAGES);
	EXPECT_LE(many, one + one / 4);
	ASSERT_EQ(0, pthread_join(thread, NULL));
	turns_end(&turns);
	for (i = 0; i < PAGES; i++)
		pm_unmap(idle[i]);
	pm_unmap(page);
	close(fd);
	EXPECT_EQ(0, set_user_access(false));
}

TEST_HARNESS_MAIN
