// SPDX-License-Identifier: GPL-2.0
/*
 * Events that are on counters stay there, unless moving them makes room for a newcomer; and moving
 * one loses none of its counts. What is to be counted is the same for all events here, so that two
 * of them that are on together differ by what the later one has missed, and for ever by that.
 */
#include "subject.h"
#include "kselftest_harness.h"

#include <sys/mman.h>

FIXTURE(move)
{
	__u64 free;  /* programmable counters */
	__u32 p[64]; /* each of them */
	unsigned int nr;
	int fd;
};

static struct pmudev_event_attr within(__u64 allowed, __u32 group)
{
	struct pmudev_event_attr event = raw_event(EVENT_INSTRUCTIONS, USER_ONLY);

	event.allowed = allowed;
	event.group = group;
	return event;
}

FIXTURE_SETUP(move)
{
	struct pmudev_query query;
	__u64 rest;

	if (!exact_instructions())
		SKIP(return, "instructions are not counted exactly here (PMUDEV_EXACT)");
	/* What is available is known once perf has said which counter it keeps. */
	self->fd = pm_set((struct pmudev_event_attr[]){ within(0, 0) }, 1, true);
	ASSERT_GE(self->fd, 0);
	ASSERT_EQ(0, pm_query(&query));
	self->free = query.available & 0xffffffff;
	for (rest = self->free; rest; rest &= rest - 1)
		self->p[self->nr++] = __builtin_ctzll(rest);
	ASSERT_GE(self->nr, 4U);
	ASSERT_EQ(0, pm_disable(self->fd, 0));
	ASSERT_EQ(0, pm_remove(self->fd, 0));
}

FIXTURE_TEARDOWN(move)
{
	struct pmudev_query query;

	close(self->fd);
	EXPECT_TRUE(WAIT_FOR(!pm_query(&query) && !(query.state & PMUDEV_STATE_RESERVED)));
	EXPECT_EQ(0ULL, query.busy);
}

static int add(int fd, __u64 allowed, __u32 group)
{
	struct pmudev_event_attr event = within(allowed, group);

	return pm_add(fd, &event, 1);
}

static int add_enabled(int fd, __u64 allowed, __u32 group)
{
	int ret = add(fd, allowed, group);

	return ret ? ret : pm_enable(fd, group);
}

/* Where an event of a set whose groups are all enabled is, as a mask. */
static __u64 place(int fd, unsigned int slot)
{
	__s32 counter[PMUDEV_MAX_EVENTS];

	return pm_place(fd, NULL, 0, counter) ? 0 : 1ULL << counter[slot];
}

#define P(i) (1ULL << self->p[i])

/* ------------------------------------------------------------------ moved, or not -- */

TEST_F(move, only_if_it_makes_room)
{
	__u64 first, second;
	__s32 counter;
	unsigned int i;

	ASSERT_EQ(0, add_enabled(self->fd, self->free, 0));
	first = place(self->fd, 0);
	/* Those that find a counter of their own. */
	for (i = 1; i < self->nr; i++) {
		ASSERT_EQ(0, add_enabled(self->fd, self->free, i));
		EXPECT_EQ(first, place(self->fd, 0));
	}
	for (i = 1; i < self->nr; i++) {
		ASSERT_EQ(0, pm_disable(self->fd, i));
		ASSERT_EQ(0, pm_remove(self->fd, i));
	}
	/* One that wants the first one's: a dry run says that it can have it, and moves nothing. */
	ASSERT_EQ(0, pm_place(self->fd, (struct pmudev_event_attr[]){ within(first, 1) }, 1,
			      &counter));
	EXPECT_EQ(first, 1ULL << counter);
	EXPECT_EQ(first, place(self->fd, 0));
	ASSERT_EQ(0, add_enabled(self->fd, first, 1));
	EXPECT_EQ(first, place(self->fd, 1));
	second = place(self->fd, 0);
	EXPECT_NE(first, second);
	EXPECT_NE(0ULL, self->free & second);
	/* When the newcomer goes nothing moves back. */
	ASSERT_EQ(0, pm_disable(self->fd, 1));
	ASSERT_EQ(0, pm_remove(self->fd, 1));
	EXPECT_EQ(second, place(self->fd, 0));
}

/*
 * Instructions that may be executed again: on 32-bit arm the first one of the VFP after a switch
 * traps.
 */
#ifdef __arm__
#define AGAIN 1
#else
#define AGAIN 0
#endif

/* Read, loop, have a newcomer, loop, read: the same instructions whatever the newcomer does. */
static __attribute__((noinline)) __u64 newcomer_between(int fd, __u32 group)
{
	union record before, after;
	long ret;

	memset(&after, 0, sizeof(after));
	ret = raw_read(fd, &before);
	loop(1000);
	if (pm_enable(fd, group))
		return 0;
	loop(1000);
	if (ret < 0 || raw_read(fd, &after) < 0)
		return 0;
	return after.r.counts[0].value - before.r.counts[0].value;
}

TEST_F(move, to_the_instruction)
{
	__u64 where, other, unmoved = 0, moved;
	int i;

	ASSERT_EQ(0, add_enabled(self->fd, self->free, 0));
	for (i = 0; i < 20; i++) {
		where = place(self->fd, 0);
		other = where == P(0) ? P(1) : P(0);
		ASSERT_EQ(0, add(self->fd, other, 1));
		moved = newcomer_between(self->fd, 1);
		/* The first one brings in its pages. */
		if (i < 2)
			unmoved = moved;
		EXPECT_EQ(where, place(self->fd, 0));
		EXPECT_LE(unmoved, moved + AGAIN);
		EXPECT_LE(moved, unmoved + AGAIN);
		ASSERT_EQ(0, pm_disable(self->fd, 1));
		ASSERT_EQ(0, pm_remove(self->fd, 1));

		ASSERT_EQ(0, add(self->fd, where, 1));
		moved = newcomer_between(self->fd, 1);
		EXPECT_NE(where, place(self->fd, 0));
		EXPECT_LE(unmoved, moved + AGAIN);
		EXPECT_LE(moved, unmoved + AGAIN);
		ASSERT_EQ(0, pm_disable(self->fd, 1));
		ASSERT_EQ(0, pm_remove(self->fd, 1));
	}
	EXPECT_GT(unmoved, 2000ULL * LOOP_INSTRUCTIONS);
}

/* Each can give way only if the next one does. */
TEST_F(move, one_after_another)
{
	unsigned int i, last = self->nr - 1;
	__u64 behind[64];
	union record r;

	for (i = 0; i < last; i++) {
		/* Somebody in slot 0 is on its other counter when it comes, and leaves. */
		ASSERT_EQ(0, add_enabled(self->fd, P(i + 1), 63));
		ASSERT_EQ(0, add_enabled(self->fd, P(i) | P(i + 1), i));
		ASSERT_EQ(0, pm_disable(self->fd, 63));
		ASSERT_EQ(0, pm_remove(self->fd, 63));
		EXPECT_EQ(P(i), place(self->fd, i + 1));
	}
	ASSERT_EQ(0, pm_read(self->fd, &r));
	for (i = 1; i <= last; i++)
		behind[i] = r.r.counts[1].value - r.r.counts[i].value;
	/* The newcomer is in slot 0 as well. */
	ASSERT_EQ(0, add_enabled(self->fd, P(0), 63));
	EXPECT_EQ(P(0), place(self->fd, 0));
	for (i = 1; i <= last; i++)
		EXPECT_EQ(P(i), place(self->fd, i));
	loop(1000);
	ASSERT_EQ(0, pm_read(self->fd, &r));
	for (i = 1; i <= last; i++) {
		EXPECT_EQ(behind[i], r.r.counts[1].value - r.r.counts[i].value);
		EXPECT_EQ(r.r.counts[i].time_enabled, r.r.counts[i].time_running);
	}
}

TEST_F(move, not_from_a_chosen_counter)
{
	struct pmudev_event_attr chosen = within(0, 0);
	union record before, after;

	chosen.flags |= PMUDEV_COUNTER;
	chosen.counter = self->p[1];
	ASSERT_EQ(0, pm_add(self->fd, &chosen, 1));
	ASSERT_EQ(0, pm_enable(self->fd, 0));
	ASSERT_EQ(0, add(self->fd, P(1), 1));
	ASSERT_EQ(0, pm_read(self->fd, &before));
	EXPECT_REFUSED(EBUSY, PMUDEV_WHY_HELD, pm_enable(self->fd, 1));
	EXPECT_EQ(P(1), why.busy);
	EXPECT_EQ(1, why.event);
	EXPECT_EQ((__u32)PMUDEV_HOLDER_SET, why.holder.kind);
	EXPECT_EQ(self->p[1], why.holder.counter);
	ASSERT_EQ(0, pm_remove(self->fd, 1));
	EXPECT_EQ(P(1), place(self->fd, 0));
	loop(1000);
	ASSERT_EQ(0, pm_read(self->fd, &after));
	EXPECT_GE(after.r.counts[0].value, before.r.counts[0].value + 1000 * LOOP_INSTRUCTIONS);
}

/* ------------------------------------------------------------------- other sets' -- */

TEST_F(move, of_another_set)
{
	__u64 where, value, behind;
	union record r;
	int other;

	/* Two events, of which one can stay. */
	ASSERT_EQ(0, add_enabled(self->fd, self->free, 0));
	ASSERT_EQ(0, add_enabled(self->fd, self->free, 1));
	where = place(self->fd, 0);
	ASSERT_EQ(0, pm_read(self->fd, &r));
	behind = r.r.counts[0].value - r.r.counts[1].value;
	other = pm_set((struct pmudev_event_attr[]){ within(where, 0) }, 1, true);
	ASSERT_GE(other, 0);
	EXPECT_EQ(where, place(other, 0));
	EXPECT_NE(where, place(self->fd, 0));
	ASSERT_EQ(0, pm_read(self->fd, &r));
	EXPECT_EQ(behind, r.r.counts[0].value - r.r.counts[1].value);
	value = pm_value(other, 0);
	loop(1000);
	EXPECT_GE(pm_value(other, 0), value + 1000 * LOOP_INSTRUCTIONS);
	close(other);
}

/* Of a task that sleeps, and of one that was bound by somebody else. */
TEST_F(move, of_another_task)
{
	__u64 cost = subject_cost(), where, sum = 0;
	struct subject s;
	int fd, other, i;

	ASSERT_EQ(0, subject_fork(&s));
	fd = pm_attach(s.pid, 0, (struct pmudev_event_attr[]){ within(self->free, 0) }, 1, true);
	ASSERT_GE(fd, 0);
	for (i = 0; i < 10; i++) {
		where = place(fd, 0);
		other = pm_attach(s.pid, 0, (struct pmudev_event_attr[]){ within(where, 0) }, 1,
				  true);
		ASSERT_GE(other, 0);
		EXPECT_NE(where, place(fd, 0));
		ASSERT_EQ(0, subject_work(&s, 1000));
		sum += 1000 * LOOP_INSTRUCTIONS + cost;
		EXPECT_EQ(sum, pm_value(fd, 0));
		EXPECT_EQ(1000 * LOOP_INSTRUCTIONS + cost, pm_value(other, 0));
		close(other);
	}
	/* What is on another task's counters is in nobody's way here. */
	where = place(fd, 0);
	ASSERT_EQ(0, add_enabled(self->fd, where, 0));
	EXPECT_EQ(where, place(fd, 0));
	close(fd);
	EXPECT_EQ(0, subject_end(&s));
}

/* While it is read directly: the page names the new counter, and the count goes on. */
TEST_F(move, of_a_reader)
{
	struct pmudev_event_attr event = within(self->free, 0);
	__u64 value, last = 0, cost = 0;
	struct pmudev_page *page;
	struct reader reader;
	__u32 operand;
	int fd, i;

	if (!user_reads())
		SKIP(return, NO_USER_READS);
	ASSERT_EQ(0, set_user_access(true));
	event.flags = DIRECT_READ;
	fd = pm_set(&event, 1, true);
	ASSERT_GE(fd, 0);
	page = pm_map(fd);
	ASSERT_NE(NULL, page);
	reader = reader_of(page);
	for (i = 0; i < 20; i++) {
		operand = READ_ONCE(page->slots[0].operand);
		ASSERT_EQ(0, direct_read(&reader, 0, &value));
		ASSERT_GE(value, last);
		ASSERT_EQ(0, add_enabled(self->fd, place(fd, 0), 0));
		EXPECT_NE(operand, READ_ONCE(page->slots[0].operand));
		ASSERT_EQ(0, direct_read(&reader, 0, &last));
		EXPECT_GT(last, value);
		EXPECT_LT(last, value + 5000);
		ASSERT_EQ(0, measure_direct(&reader, 0, 1000, &value));
		if (i < 2)
			cost = value;
		EXPECT_LE(value, cost + 20);
		EXPECT_GE(value + 20, cost);
		ASSERT_EQ(0, pm_disable(self->fd, 0));
		ASSERT_EQ(0, pm_remove(self->fd, 0));
	}
	pm_unmap(page);
	close(fd);
	EXPECT_EQ(0, set_user_access(false));
}

/* ------------------------------------------------------------------ as many as fit -- */

TEST_F(move, ten_sets_of_one_task)
{
	struct pmudev_event_attr event = within(0, 0), cycles = raw_event(EVENT_CYCLES, USER_ONLY);
	unsigned int i, nr, room = 64;
	struct pmudev_holder holders[64];
	struct pmudev_query query;
	__u64 used = 0, value[64];
	int fd[65], more = -1;
	struct subject s;

	ASSERT_EQ(0, subject_fork(&s));
	for (nr = 0; nr < ARRAY_SIZE(fd); nr++) {
		fd[nr] = pm_attach(s.pid, 0, &event, 1, true);
		if (fd[nr] < 0)
			break;
		used |= place(fd[nr], 0);
	}
	/* All counters that can count it are full, each of them once. */
	ASSERT_LT(nr, ARRAY_SIZE(fd));
	EXPECT_EQ(-EBUSY, fd[nr]);
	EXPECT_EQ(nr, (unsigned int)__builtin_popcountll(used));
	EXPECT_EQ(self->free, used & self->free);
	fd[nr] = pm_attach(s.pid, 0, &event, 1, false);
	ASSERT_GE(fd[nr], 0);
	EXPECT_EQ(-EBUSY, pm_enable_holders(fd[nr], 0, holders, &room));
	EXPECT_EQ((__u32)PMUDEV_WHY_HELD, why.code);
	EXPECT_EQ(used, why.busy);
	EXPECT_EQ(nr, room);
	for (i = 0; i < room; i++) {
		EXPECT_NE(0ULL, used & 1ULL << holders[i].counter);
		used &= ~(1ULL << holders[i].counter);
		EXPECT_EQ((__u32)PMUDEV_HOLDER_TASK_SET, holders[i].kind);
		EXPECT_EQ(getpid(), holders[i].pid);
		EXPECT_EQ(-1, holders[i].cpu);
	}
	EXPECT_EQ(0ULL, used);
	/* One more on the counter that only cycles can have, where there is one. */
	ASSERT_EQ(0, pm_query(&query));
	if (cycle_counters(query.available) & ~query.busy) {
		more = pm_attach(s.pid, 0, &cycles, 1, true);
		EXPECT_GE(more, 0);
		EXPECT_REFUSED(EBUSY, PMUDEV_WHY_HELD, pm_attach(s.pid, 0, &cycles, 1, true));
	}
	if (self->nr >= 8 && more >= 0)
		EXPECT_GE(nr + 1, 10U);
	for (i = 0; i < nr; i++)
		value[i] = pm_value(fd[i], 0);
	ASSERT_EQ(0, subject_work(&s, 12345));
	for (i = 0; i < nr; i++) {
		EXPECT_EQ(pm_value(fd[0], 0) - value[0], pm_value(fd[i], 0) - value[i]);
		EXPECT_GE(pm_value(fd[i], 0) - value[i], 12345ULL * LOOP_INSTRUCTIONS);
	}
	/* One goes, and there is room. */
	close(fd[0]);
	EXPECT_EQ(0, pm_enable(fd[nr], 0));
	for (i = 1; i <= nr; i++)
		close(fd[i]);
	close(more);
	EXPECT_EQ(0, subject_end(&s));
}

TEST_HARNESS_MAIN
