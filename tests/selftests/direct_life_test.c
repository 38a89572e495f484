// SPDX-License-Identifier: GPL-2.0
/*
 * How long bare reads of a DIRECT event hold: its counter is the same as long as it is enabled,
 * whoever comes and goes; and what ends them is told by the page's generation.
 */
#include "direct.h"
#include "kselftest_harness.h"

#include <pthread.h>

FIXTURE(life)
{
	int fd;
	struct pmudev_page *page;
	struct pmudev_query query;
	__u64 free; /* programmable counters */
};

FIXTURE_SETUP(life)
{
	struct pmudev_event_attr event = bare_event(true, DIRECT_FLAGS);

	ASSERT_EQ(0, set_user_access(true));
	self->fd = pm_set(&event, 1, true);
	ASSERT_GE(self->fd, 0);
	ASSERT_EQ(0, pm_query(&self->query));
	self->free = self->query.available & 0xffffffff & ~(1ULL << FIXED_COUNTER);
	self->page = pm_map(self->fd);
	ASSERT_NE(NULL, self->page);
}

FIXTURE_TEARDOWN(life)
{
	if (self->page)
		pm_unmap(self->page);
	close(self->fd);
	set_user_access(false);
}

/* ------------------------------------------------------------------- brackets -- */

struct bracket {
	const struct pmudev_page *page;
	__u32 generation;
};

/* As the header has it: false if nothing can be read directly now. */
static bool bracket_begin(struct bracket *b, const struct pmudev_page *page)
{
	b->page = page;
	b->generation = READ_ONCE(page->generation);
	barrier();
	return READ_ONCE(page->owner) == my_tid() && READ_ONCE(page->slots[0].index);
}

static bool bracket_holds(const struct bracket *b)
{
	barrier();
	return READ_ONCE(b->page->generation) == b->generation;
}

TEST_F(life, nothing_ends_it)
{
	struct pmudev_event_attr other = in_group(raw_event(EVENT_CYCLES, USER_ONLY), 1);
	struct pmudev_page *second;
	struct bracket b;
	union record r;
	int i;

	ASSERT_TRUE(bracket_begin(&b, self->page));
	EXPECT_EQ(0, pm_read(self->fd, &r));
	EXPECT_EQ(b.generation, r.r.generation);
	other.allowed = self->free;
	EXPECT_EQ(0, pm_add(self->fd, &other, 1));
	EXPECT_EQ(0, pm_enable(self->fd, 1));
	for (i = 0; i < 100; i++) {
		sched_yield();
		pause_ns(1000);
	}
	second = pm_map(self->fd);
	pm_unmap(second);
	/* The mapping has the set, with or without its file. */
	close(self->fd);
	self->fd = -1;
	EXPECT_TRUE(bracket_holds(&b));
	EXPECT_FALSE(counter_faults(FIXED_OPERAND));
}

static int reset(int fd)
{
	return pm_reset(fd, 0, 12345);
}

static int disable(int fd)
{
	return pm_disable(fd, 0);
}

static int disable_user_access(int fd)
{
	(void)fd;
	return set_user_access(false);
}

/* An event that had nothing to do with it: whoever measures long hears of it all the same. */
static int remove_another(int fd)
{
	struct pmudev_event_attr other = in_group(raw_event(EVENT_CYCLES, USER_ONLY), 1);
	int ret = pm_add(fd, &other, 1);

	return ret ? ret : pm_remove(fd, 1);
}

static int (*const endings[])(int fd) = { reset, disable, disable_user_access, remove_another };

struct by_thread {
	int (*end)(int fd);
	int fd;
	int ret;
};

static void *end_it(void *arg)
{
	struct by_thread *by = arg;

	by->ret = by->end(by->fd);
	return NULL;
}

/* By the thread itself, and by another one. No bare read faults meanwhile. */
TEST_F(life, generation_tells_of_endings)
{
	struct by_thread by = { .fd = self->fd };
	pthread_t thread;
	struct bracket b;
	unsigned int i;

	for (i = 0; i < 2 * ARRAY_SIZE(endings); i++) {
		ASSERT_EQ(0, set_user_access(true));
		ASSERT_EQ(0, pm_enable(self->fd, 0));
		ASSERT_TRUE(bracket_begin(&b, self->page)) TH_LOG("ending %u", i);
		loop(1000);
		ASSERT_TRUE(bracket_holds(&b));
		by.end = endings[i / 2];
		if (i % 2) {
			ASSERT_EQ(0, pthread_create(&thread, NULL, end_it, &by));
			ASSERT_EQ(0, pthread_join(thread, NULL));
		} else {
			end_it(&by);
		}
		ASSERT_EQ(0, by.ret);
		EXPECT_FALSE(bracket_holds(&b)) TH_LOG("ending %u", i);
		EXPECT_FALSE(counter_faults(FIXED_OPERAND));
	}
	/* What is disabled cannot be begun. */
	ASSERT_EQ(0, pm_disable(self->fd, 0));
	EXPECT_FALSE(bracket_begin(&b, self->page));
	EXPECT_FALSE(counter_faults(FIXED_OPERAND));
	EXPECT_EQ(0ULL, bare(true));
	ASSERT_EQ(0, pm_remove(self->fd, 0));
	EXPECT_FALSE(bracket_holds(&b));
	EXPECT_FALSE(counter_faults(FIXED_OPERAND));
	EXPECT_EQ(0ULL, bare(true));
}

/* ---------------------------------------------------------------- the counter stays -- */

static struct pmudev_event_attr direct_within(__u64 allowed)
{
	struct pmudev_event_attr event = raw_event(steady_event(), DIRECT_FLAGS);

	event.allowed = allowed;
	return event;
}

static int add_enabled(int fd, __u64 allowed, __u32 group)
{
	struct pmudev_event_attr event = in_group(raw_event(EVENT_CYCLES, USER_ONLY), group);
	int ret;

	event.allowed = allowed;
	ret = pm_add(fd, &event, 1);
	return ret ? ret : pm_enable(fd, group);
}

/* Who could only come if it moved is refused, and told whose the counter is. */
TEST_F(life, it_does_not_move)
{
	struct pmudev_event_attr event = direct_within(self->free);
	__u64 here, there;
	__s32 counter[PMUDEV_MAX_EVENTS];
	struct pmudev_page *page;
	int fd, other;

	if (!can_be_direct(&self->query, false))
		SKIP(return, "programmable counters carry %u bits here", self->query.width);
	fd = pm_set(&event, 1, true);
	ASSERT_GE(fd, 0);
	/* Mapped or not: it may be, any time. */
	ASSERT_EQ(0, pm_place(fd, NULL, 0, counter));
	here = 1ULL << counter[0];
	EXPECT_REFUSED(EBUSY, PMUDEV_WHY_HELD, add_enabled(fd, here, 1));
	EXPECT_EQ(here, why.busy);
	EXPECT_EQ(here, why.allowed);
	EXPECT_EQ((__u32)PMUDEV_HOLDER_SET, why.holder.kind);
	EXPECT_EQ((__u32)counter[0], why.holder.counter);
	EXPECT_EQ(getpid(), why.holder.pid);
	page = pm_map(fd);
	ASSERT_NE(NULL, page);
	other = pm_set((struct pmudev_event_attr[]){ raw_event(EVENT_CYCLES, USER_ONLY) }, 1,
		       false);
	ASSERT_GE(other, 0);
	EXPECT_REFUSED(EBUSY, PMUDEV_WHY_HELD, add_enabled(other, here, 1));
	EXPECT_EQ((__u32)PMUDEV_HOLDER_TASK_SET, why.holder.kind);
	EXPECT_EQ((__u32)counter[0], why.holder.counter);
	EXPECT_EQ(counter[0] + 1, READ_ONCE(page->slots[0].index));
	/* Disabled, it is in nobody's way; and comes back elsewhere. */
	ASSERT_EQ(0, pm_disable(fd, 0));
	ASSERT_EQ(0, pm_enable(other, 1));
	ASSERT_EQ(0, pm_enable(fd, 0));
	there = 1ULL << (READ_ONCE(page->slots[0].index) - 1);
	EXPECT_NE(here, there);
	EXPECT_EQ(there, there & self->free);
	pm_unmap(page);
	close(other);
	close(fd);
}

/* Others come and go at random, and are moved to and fro: counter and count stay. */
TEST_F(life, whoever_comes_and_goes)
{
	struct pmudev_event_attr events[2] = { direct_within(self->free) };
	unsigned int i, group, seed = 1, admitted = 0, moved = 0;
	__u64 allowed[8], behind = 0;
	__u32 on = 0, index, last;
	struct pmudev_page *page;
	union record r;
	int fd, other;

	if (!can_be_direct(&self->query, false))
		SKIP(return, "programmable counters carry %u bits here", self->query.width);
	events[1] = events[0];
	events[1].flags = DIRECT_READ;
	fd = pm_set(events, 2, true);
	ASSERT_GE(fd, 0);
	page = pm_map(fd);
	ASSERT_NE(NULL, page);
	index = READ_ONCE(page->slots[0].index);
	last = READ_ONCE(page->slots[1].index);
	other = pm_set((struct pmudev_event_attr[]){ raw_event(EVENT_CYCLES, USER_ONLY) }, 1,
		       false);
	ASSERT_GE(other, 0);
	for (group = 1; group < 8; group++) {
		struct pmudev_event_attr event =
			in_group(raw_event(EVENT_CYCLES, USER_ONLY), group);

		/* One or two counters each. */
		allowed[group] = self->free & (5ULL << group % 4 | 1ULL << group * 3 % 7);
		event.allowed = allowed[group] ? allowed[group] : self->free;
		ASSERT_EQ(0, pm_add(other, &event, 1));
	}
	for (i = 0; i < (debug_kernel() ? 300 : 2000); i++) {
		seed = seed * 1103515245 + 12345;
		group = 1 + (seed >> 16) % 7;
		if (on & 1U << group) {
			ASSERT_EQ(0, pm_disable(other, group));
		} else {
			if (pm_enable(other, group))
				continue;
			admitted++;
		}
		on ^= 1U << group;
		/* Somebody who wants just where the other one is: it goes, if there is where to. */
		if (!add_enabled(fd, 1ULL << (last - 1), 9))
			ASSERT_EQ(0, pm_disable(fd, 9));
		ASSERT_EQ(0, pm_remove(fd, 9));
		ASSERT_EQ(index, READ_ONCE(page->slots[0].index));
		moved += last != READ_ONCE(page->slots[1].index);
		last = READ_ONCE(page->slots[1].index);
		if (!exact_instructions())
			continue;
		ASSERT_EQ(0, pm_read(fd, &r));
		if (!behind)
			behind = r.r.counts[0].value - r.r.counts[1].value;
		ASSERT_EQ(behind, r.r.counts[0].value - r.r.counts[1].value);
	}
	EXPECT_GT(admitted, 50U);
	/* The one beside it had to give way. */
	EXPECT_GT(moved, 5U);
	pm_unmap(page);
	close(other);
	close(fd);
}

/* ------------------------------------------------------------------------ refusals -- */

TEST_F(life, where_it_cannot_be)
{
	struct pmudev_event_attr event = bare_event(false, DIRECT_FLAGS);
	int fd;

	if (can_be_direct(&self->query, false)) {
		fd = pm_set(&event, 1, true);
		EXPECT_GE(fd, 0);
		close(fd);
	} else {
		/* Nowhere, or where else. */
		EXPECT_REFUSED(EOPNOTSUPP, PMUDEV_WHY_WIDTH, pm_set(&event, 1, false));
		EXPECT_EQ((__u64)self->query.width, why.limit);
		EXPECT_EQ(EVENT_INSTRUCTIONS == FIXED_EVENT ? 1ULL << FIXED_COUNTER : 0,
			  why.allowed);
		event.config = FIXED_EVENT;
		EXPECT_REFUSED(EOPNOTSUPP, PMUDEV_WHY_WIDTH, pm_set(&event, 1, false));
		EXPECT_EQ(1ULL << FIXED_COUNTER, why.allowed);
	}
	event = bare_event(true, DIRECT_FLAGS);
	/* Bare reads are the owner thread's: there is none, or there are many. */
	EXPECT_REFUSED(EOPNOTSUPP, PMUDEV_WHY_HARDWARE, pm_cpu_set(0, 0, &event, 1));
	EXPECT_EQ((__u64)PMUDEV_USER_READ, why.limit);
	EXPECT_REFUSED(EOPNOTSUPP, PMUDEV_WHY_INHERITED,
		       pm_attach(0, PMUDEV_BIND_INHERIT, &event, 1, false));
	if (!(self->query.features & PMUDEV_HAS_LONG)) {
		/* 64 bits made of two counters are no bare read. */
		event = raw_event(EVENT_INSTRUCTIONS, DIRECT_FLAGS | PMUDEV_LONG);
		EXPECT_REFUSED(EOPNOTSUPP, PMUDEV_WHY_WIDTH, pm_set(&event, 1, false));
		event.flags |= PMUDEV_CHAIN_READ;
		EXPECT_REFUSED(EOPNOTSUPP, PMUDEV_WHY_WIDTH, pm_set(&event, 1, false));
	}
	ASSERT_EQ(0, set_user_access(false));
	event = bare_event(true, DIRECT_FLAGS);
	EXPECT_REFUSED(EACCES, PMUDEV_WHY_USER_ACCESS, pm_set(&event, 1, false));
}

TEST_HARNESS_MAIN
