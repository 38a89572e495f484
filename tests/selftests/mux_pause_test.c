// SPDX-License-Identifier: GPL-2.0
/*
 * A call that changes the allocation suspends the other multiplexing sets, and resumes them one by
 * one, releasing the PMU's lock in between. PLACE must not answer "nowhere" of such a set then.
 */
#include "mux.h"
#include "kselftest_harness.h"

#include <stdatomic.h>

#define SLEEPERS 16
#define QUESTIONS ((unsigned int)(debug_kernel() ? 100 : few(2000)))

/* Which call of the changer is going on: even, none; then -1, and it has ended. */
static atomic_long calls;
static atomic_bool enough;

static void *change(void *fd)
{
	long ret = 0;

	while (!ret && !enough) {
		calls++;
		ret = pm_enable(*(int *)fd, PMUDEV_ALL);
		calls++;
		if (!ret)
			ret = pm_disable(*(int *)fd, PMUDEV_ALL);
	}
	return (void *)ret;
}

FIXTURE(pause)
{
	struct pool pool;
	struct subject s[SLEEPERS];
	int set[SLEEPERS], cpu;
	pthread_t changer;
};

FIXTURE_SETUP(pause)
{
	struct pmudev_event_attr event;
	unsigned int i;

	ASSERT_EQ(0, pool_find(&self->pool));
	ASSERT_GE(self->pool.nr, 3U);
	for (i = 0; i < SLEEPERS; i++) {
		ASSERT_EQ(0, subject_fork(&self->s[i]));
		self->set[i] = mux_attach(&self->pool, self->s[i].pid, 0, PMUDEV_MAX_GROUPS);
		ASSERT_GE(self->set[i], 0);
	}
	event = strict_event(&self->pool, 0);
	self->cpu = pm_cpu_set(0, 0, &event, 1);
	ASSERT_GE(self->cpu, 0);
	ASSERT_EQ(0, pm_disable(self->cpu, PMUDEV_ALL));
}

FIXTURE_TEARDOWN(pause)
{
	struct pmudev_query query;
	unsigned int i;

	close(self->cpu);
	for (i = 0; i < SLEEPERS; i++) {
		close(self->set[i]);
		EXPECT_EQ(0, subject_end(&self->s[i]));
	}
	EXPECT_TRUE(WAIT_FOR(!pm_query(&query) && !(query.state & PMUDEV_STATE_RESERVED)));
	EXPECT_EQ(0ULL, query.busy);
}

/* How many of a set's events are on no counter of the pool, by the dry run; or -errno. */
static int lost(const struct pool *pool, int fd)
{
	__s32 counter[PMUDEV_MAX_EVENTS];
	int i, ret = pm_place(fd, NULL, 0, counter), nr = 0;

	for (i = 0; i < PMUDEV_MAX_GROUPS && !ret; i++)
		nr += counter[i] < 0 || !(pool->mask & 1ULL << counter[i]);
	return ret ?: nr;
}

TEST_F(pause, nobody_is_nowhere)
{
	unsigned int i, asked, amidst = 0;
	void *ret;
	long call;

	ASSERT_EQ(0, pthread_create(&self->changer, NULL, change, &self->cpu));
	for (asked = 0; (asked < QUESTIONS || !amidst) && asked < 100 * QUESTIONS; asked++) {
		i = asked % SLEEPERS;
		call = calls;
		ASSERT_EQ(0, lost(&self->pool, self->set[i]))
		TH_LOG("of set %u, question %u", i, asked);
		amidst += call == calls && call % 2;
	}
	enough = true;
	ASSERT_EQ(0, pthread_join(self->changer, &ret));
	EXPECT_EQ(NULL, ret);
	/* Some questions began and ended while the sets were being woken. */
	EXPECT_NE(0U, amidst);
	TH_LOG("%u questions, %u amidst a call", asked, amidst);
}

TEST_HARNESS_MAIN
