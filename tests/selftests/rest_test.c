// SPDX-License-Identifier: GPL-2.0
/*
 * A set that was disabled may keep its counters for when it is enabled again. Nobody is to notice:
 * whoever wants them has them, and what it counts is what it would have counted.
 */
#include <pthread.h>

#include "common.h"
#include "kselftest_harness.h"
#include "mux.h"

#define ROUNDS 200

/* Of the emulated 32-bit machine an interrupt in user mode may be an instruction more. */
#ifdef __arm__
#define BY_INTERRUPTS 2
#else
#define BY_INTERRUPTS 0
#endif

FIXTURE(rest)
{
	struct pool pool;
	int all; /* a set with all of the pool's counters */
};

static int set_with_all(const struct pool *pool)
{
	struct pmudev_event_attr events[MOST_COUNTERS];
	unsigned int i;

	for (i = 0; i < pool->nr; i++)
		events[i] = strict_event(pool, 0);
	return pm_set(events, pool->nr, false);
}

/* Twice, so that it rests; and once more, for the second time may be another one's. */
static int have_it_rest(int fd)
{
	unsigned int i;
	int ret = 0;

	for (i = 0; i < 3 && !ret; i++) {
		ret = pm_enable(fd, PMUDEV_ALL);
		loop(1000);
		ret = ret ? ret : pm_disable(fd, PMUDEV_ALL);
	}
	return ret;
}

FIXTURE_SETUP(rest)
{
	struct pmudev_event_attr event = raw_event(steady_event(), USER_ONLY);
	int fd = pm_set(&event, 1, true);

	ASSERT_GE(fd, 0);
	ASSERT_EQ(0, pool_find(&self->pool));
	close(fd);
	self->all = set_with_all(&self->pool);
	ASSERT_GE(self->all, 0);
	ASSERT_EQ(0, have_it_rest(self->all));
}

FIXTURE_TEARDOWN(rest)
{
	struct pmudev_query query;

	close(self->all);
	EXPECT_EQ(0, pm_query(&query));
	EXPECT_EQ(0ULL, query.busy);
}

/* Does it count, so many rounds more? */
static bool counts_on(int fd, unsigned int nr)
{
	union record before, after;
	unsigned int i;

	if (pm_read(fd, &before))
		return false;
	loop(1000);
	if (pm_read(fd, &after))
		return false;
	for (i = 0; i < nr; i++)
		if (after.r.counts[i].value - before.r.counts[i].value < 1000 * LOOP_INSTRUCTIONS)
			return false;
	return true;
}

TEST_F(rest, nothing_is_busy)
{
	struct pmudev_query query;

	ASSERT_EQ(0, pm_query(&query));
	EXPECT_EQ(0ULL, query.busy);
	/* That was asked for: the next time it begins anew. */
	ASSERT_EQ(0, pm_enable(self->all, PMUDEV_ALL));
	ASSERT_EQ(0, pm_query(&query));
	EXPECT_EQ(self->pool.mask, query.busy);
	EXPECT_TRUE(counts_on(self->all, self->pool.nr));
	ASSERT_EQ(0, pm_disable(self->all, PMUDEV_ALL));
	EXPECT_FALSE(counts_on(self->all, self->pool.nr));
}

TEST_F(rest, others_of_the_thread)
{
	int other = set_with_all(&self->pool);

	ASSERT_GE(other, 0);
	ASSERT_EQ(0, pm_enable(other, PMUDEV_ALL));
	EXPECT_TRUE(counts_on(other, self->pool.nr));
	EXPECT_REFUSED(EBUSY, PMUDEV_WHY_HELD, pm_enable(self->all, PMUDEV_ALL));
	ASSERT_EQ(0, pm_disable(other, PMUDEV_ALL));
	ASSERT_EQ(0, pm_enable(self->all, PMUDEV_ALL));
	EXPECT_TRUE(counts_on(self->all, self->pool.nr));
	EXPECT_FALSE(counts_on(other, self->pool.nr));
	close(other);
}

/* Those of a CPU: a thread's counters are nothing to them, unless it is enabled. */
TEST_F(rest, a_cpus)
{
	struct pmudev_event_attr event = strict_event(&self->pool, 0);
	int fd;

	event.flags = PMUDEV_EXCLUDE_HV;
	event.allowed = self->pool.mask;
	ASSERT_EQ(0, pin_to(0));
	fd = pm_cpu_set(0, 0, &event, 1);
	ASSERT_GE(fd, 0);
	ASSERT_EQ(0, pm_enable(fd, PMUDEV_ALL));
	EXPECT_TRUE(counts_on(fd, 1));
	EXPECT_REFUSED(EBUSY, PMUDEV_WHY_HELD, pm_enable(self->all, PMUDEV_ALL));
	close(fd);
	ASSERT_EQ(0, pm_enable(self->all, PMUDEV_ALL));
	EXPECT_TRUE(counts_on(self->all, self->pool.nr));
}

TEST_F(rest, groups_that_take_turns)
{
	int fd = mux_attach(&self->pool, 0, 0, GROUPS);
	struct pmudev_count sum;
	union record r;

	ASSERT_GE(fd, 0);
	ASSERT_EQ(0, pm_read(fd, &r));
	sum = sum_since(&(union record){ 0 }, &r, 0, GROUPS);
	loop(100000);
	ASSERT_EQ(0, pm_read(fd, &r));
	/* As many at a time as there are counters. */
	EXPECT_GE(sum_since(&(union record){ 0 }, &r, 0, GROUPS).value - sum.value,
		  self->pool.nr * 100000 * LOOP_INSTRUCTIONS);
	EXPECT_REFUSED(EBUSY, PMUDEV_WHY_HELD, pm_enable(self->all, PMUDEV_ALL));
	/* Nobody rests beside them: what was disabled is theirs. */
	close(fd);
	ASSERT_EQ(0, have_it_rest(self->all));
	ASSERT_EQ(0, pm_enable(self->all, PMUDEV_ALL));
	EXPECT_TRUE(counts_on(self->all, self->pool.nr));
}

/* The last event's counter is free again, and what comes has it. */
TEST_F(rest, removed_and_added)
{
	struct pmudev_event_attr event = strict_event(&self->pool, 1);

	ASSERT_EQ(0, pm_remove(self->all, 0));
	ASSERT_EQ(0, pm_add(self->all, &event, 1));
	ASSERT_EQ(0, pm_enable(self->all, PMUDEV_ALL));
	EXPECT_TRUE(counts_on(self->all, 1));
	ASSERT_EQ(0, pm_disable(self->all, PMUDEV_ALL));
	/* A group more: all of the set is enabled, not what was. */
	event = strict_event(&self->pool, 2);
	ASSERT_EQ(0, pm_add(self->all, &event, 1));
	ASSERT_EQ(0, pm_enable(self->all, PMUDEV_ALL));
	EXPECT_TRUE(counts_on(self->all, 2));
}

/* Of some of its groups: that is no rest, and the others are not enabled with them. */
TEST_F(rest, groups_by_themselves)
{
	struct pmudev_event_attr events[2] = {
		strict_event(&self->pool, 0),
		strict_event(&self->pool, 1),
	};
	union record r;
	int fd = pm_set(events, 2, false);

	ASSERT_GE(fd, 0);
	ASSERT_EQ(0, have_it_rest(fd));
	ASSERT_EQ(0, pm_enable(fd, 1));
	ASSERT_EQ(0, pm_read(fd, &r));
	EXPECT_TRUE(r.r.flags & PMUDEV_RECORD_ENABLED);
	loop(1000);
	EXPECT_EQ(r.r.counts[0].value, pm_value(fd, 0));
	EXPECT_GE(pm_value(fd, 1), r.r.counts[1].value + 1000 * LOOP_INSTRUCTIONS);
	ASSERT_EQ(0, pm_disable(fd, 1));
	ASSERT_EQ(0, pm_enable(fd, PMUDEV_ALL));
	EXPECT_TRUE(counts_on(fd, 2));
	ASSERT_EQ(0, pm_disable(fd, 0));
	EXPECT_FALSE(counts_on(fd, 1));
	close(fd);
}

TEST_F(rest, the_gate)
{
	struct pmudev_event_attr event = raw_event(steady_event(), DIRECT_READ);
	struct pmudev_page *page;
	int fd;

	if (!user_reads())
		SKIP(return, NO_USER_READS);
	ASSERT_EQ(0, set_user_access(true));
	fd = pm_set(&event, 1, false);
	ASSERT_GE(fd, 0);
	page = pm_map(fd);
	ASSERT_NE(NULL, page);
	ASSERT_EQ(0, have_it_rest(fd));
	EXPECT_EQ(0U, READ_ONCE(page->slots[0].index));
	ASSERT_EQ(0, set_user_access(false));
	EXPECT_REFUSED(EACCES, PMUDEV_WHY_USER_ACCESS, pm_enable(fd, PMUDEV_ALL));
	ASSERT_EQ(0, set_user_access(true));
	ASSERT_EQ(0, have_it_rest(fd));
	ASSERT_EQ(0, pm_enable(fd, PMUDEV_ALL));
	EXPECT_NE(0U, READ_ONCE(page->slots[0].index));
	/* Closed while it rests no more, and disabled: open again, it stays disabled. */
	ASSERT_EQ(0, set_user_access(false));
	ASSERT_EQ(0, pm_disable(fd, PMUDEV_ALL));
	ASSERT_EQ(0, set_user_access(true));
	EXPECT_EQ(0U, READ_ONCE(page->slots[0].index));
	EXPECT_FALSE(counts_on(fd, 1));
	pm_unmap(page);
	close(fd);
	set_user_access(false);
}

/* Two that never count together: neither takes the other's counters if there are more. */
TEST_F(rest, by_turns)
{
	__u64 once = 0, values[2];
	struct pmudev_event_attr event = raw_event(EVENT_INSTRUCTIONS, USER_ONLY);
	unsigned int i, k;
	int fd[2];

	if (!exact_instructions())
		SKIP(return, "instructions are not exact here");
	for (k = 0; k < 2; k++) {
		fd[k] = pm_set(&event, 1, false);
		ASSERT_GE(fd[k], 0);
	}
	for (i = 0; i <= ROUNDS; i++) {
		for (k = 0; k < 2; k++) {
			ASSERT_EQ(0, pm_enable(fd[k], PMUDEV_ALL));
			loop(100);
			ASSERT_EQ(0, pm_disable(fd[k], PMUDEV_ALL));
		}
		if (!i)
			once = pm_value(fd[0], 0);
	}
	for (k = 0; k < 2; k++) {
		values[k] = pm_value(fd[k], 0);
		EXPECT_GE(values[k], once * (ROUNDS + 1));
		EXPECT_LE(values[k], once * (ROUNDS + 1) + BY_INTERRUPTS);
		close(fd[k]);
	}
	EXPECT_GE(once, 100ULL * LOOP_INSTRUCTIONS);
}

/* -------------------------------------------------- many at the same time -- */

struct toggler {
	pthread_t thread;
	bool *stop;
	int fd;
	__u64 rounds, wrong;
};

static void *toggle(void *arg)
{
	struct pmudev_event_attr event = raw_event(steady_event(), USER_ONLY);
	struct toggler *t = arg;
	__u64 before, after;
	unsigned int i;

	t->fd = pm_set(&event, 1, false);
	while (t->fd >= 0 && !READ_ONCE(*t->stop)) {
		before = pm_value(t->fd, 0);
		for (i = 0; i < 20; i++) {
			if (pm_enable(t->fd, PMUDEV_ALL))
				t->wrong++;
			loop(100);
			if (pm_disable(t->fd, PMUDEV_ALL))
				t->wrong++;
		}
		after = pm_value(t->fd, 0);
		/* Disabled means disabled, and enabled that nothing is missed. */
		t->wrong += after - before < 20 * 100 * LOOP_INSTRUCTIONS;
		t->wrong += pm_value(t->fd, 0) != after;
		WRITE_ONCE(t->rounds, t->rounds + 1);
	}
	return NULL;
}

/* Whoever asks what is free, comes for a while, or toggles another's set ends their rest. */
TEST_F(rest, beside_those_who_ask)
{
	struct pmudev_event_attr event = raw_event(steady_event(), USER_ONLY);
	struct toggler togglers[3] = {};
	struct pmudev_query query;
	bool stop = false;
	unsigned int i, done;
	__s32 counter;
	int fd;

	for (i = 0; i < ARRAY_SIZE(togglers); i++) {
		togglers[i].stop = &stop;
		ASSERT_EQ(0, pthread_create(&togglers[i].thread, NULL, toggle, &togglers[i]));
	}
	do {
		ASSERT_EQ(0, pm_query(&query));
		fd = pm_set(&event, 1, true);
		ASSERT_GE(fd, 0);
		ASSERT_EQ(0, pm_place(fd, NULL, 0, &counter));
		EXPECT_TRUE(counts_on(fd, 1));
		close(fd);
		ASSERT_EQ(0, have_it_rest(self->all));
		for (i = 0, done = 0; i < ARRAY_SIZE(togglers); i++)
			done += READ_ONCE(togglers[i].rounds) >= ROUNDS;
		pause_ns(50000);
	} while (done < ARRAY_SIZE(togglers));
	WRITE_ONCE(stop, true);
	for (i = 0; i < ARRAY_SIZE(togglers); i++) {
		pthread_join(togglers[i].thread, NULL);
		EXPECT_EQ(0ULL, togglers[i].wrong);
		close(togglers[i].fd);
	}
}

/* Its target ends while it rests; and its file is closed by another. */
TEST_F(rest, of_who_has_ended)
{
	struct toggler t = {};
	struct pmudev_query query;
	bool stop = false;

	t.stop = &stop;
	ASSERT_EQ(0, pthread_create(&t.thread, NULL, toggle, &t));
	ASSERT_TRUE(WAIT_FOR(READ_ONCE(t.rounds) > 2));
	WRITE_ONCE(stop, true);
	pthread_join(t.thread, NULL);
	/* Joined, it has not quite ended. */
	EXPECT_TRUE(WAIT_FOR(pm_enable(t.fd, PMUDEV_ALL) == -ESRCH));
	EXPECT_EQ((__u32)PMUDEV_WHY_ENDED, why.code);
	EXPECT_EQ(0, pm_disable(t.fd, PMUDEV_ALL));
	ASSERT_EQ(0, pm_query(&query));
	EXPECT_EQ(0ULL, query.busy);
	close(t.fd);
}

/* ------------------------------------------------- nobody is placed worse -- */

/* One event is all that rests. */
static int have_one_rest(struct _test_data_rest *self, struct pmudev_event_attr event)
{
	close(self->all);
	self->all = pm_set(&event, 1, false);
	return self->all < 0 ? self->all : have_it_rest(self->all);
}

static __u64 busy(void)
{
	struct pmudev_query query;

	return pm_query(&query) ? ~0ULL : query.busy;
}

/* What nobody can move later gets the counter that it gets where nothing rests. */
TEST_F(rest, a_cpus_stays_where_it_would)
{
	struct pmudev_event_attr event = strict_event(&self->pool, 0);
	__u64 without;
	int fd;

	ASSERT_EQ(0, have_one_rest(self, event));
	EXPECT_EQ(0ULL, busy());
	fd = pm_cpu_set(0, 0, &event, 1);
	ASSERT_GE(fd, 0);
	without = busy();
	close(fd);
	ASSERT_EQ(0, have_it_rest(self->all));
	fd = pm_cpu_set(0, 0, &event, 1);
	ASSERT_GE(fd, 0);
	EXPECT_EQ(without, busy());
	close(fd);
}

TEST_F(rest, a_dry_run_tells_of_direct)
{
	struct pmudev_event_attr event = strict_event(&self->pool, 0), direct = event;
	struct pmudev_query query;
	__s32 counter;
	int fd;

	ASSERT_EQ(0, pm_query(&query));
	if (!(query.features & PMUDEV_HAS_DIRECT))
		SKIP(return, "no DIRECT events");
	ASSERT_EQ(0, set_user_access(true));
	ASSERT_EQ(0, have_one_rest(self, event));
	direct.flags |= PMUDEV_USER_READ | PMUDEV_DIRECT;
	fd = pm_set(&direct, 1, false);
	if (fd == -EOPNOTSUPP)
		SKIP(return, "programmable counters carry 32 bits here");
	ASSERT_GE(fd, 0);
	ASSERT_EQ(0, pm_place(fd, NULL, 0, &counter));
	ASSERT_EQ(0, have_it_rest(self->all));
	ASSERT_EQ(0, pm_enable(fd, PMUDEV_ALL));
	EXPECT_EQ(1ULL << counter, busy());
	close(fd);
	set_user_access(false);
}

/* What counts is not moved for somebody who would have room if nothing rested. */
TEST_F(rest, who_counts_stays)
{
	struct pmudev_event_attr event = strict_event(&self->pool, 0);
	__u64 place, last;
	int counts, wants;

	if (self->pool.nr < 4)
		SKIP(return, "needs 4 counters");
	counts = pm_set(&event, 1, true);
	ASSERT_GE(counts, 0);
	place = busy();
	/* It may rest on either, but for the one that counts: so it does on the other. */
	last = 1ULL << __builtin_ctzll(self->pool.mask & ~place);
	event.allowed = last | place;
	ASSERT_EQ(0, have_one_rest(self, event));
	event.allowed = last;
	wants = pm_set(&event, 1, true);
	ASSERT_GE(wants, 0);
	EXPECT_EQ(place | last, busy());
	close(wants);
	close(counts);
}

TEST_HARNESS_MAIN
