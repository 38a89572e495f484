// SPDX-License-Identifier: GPL-2.0
/* ADD that enables: a set that counts with one call, or nothing of it. */
#include <sys/ioctl.h>
#include <sys/wait.h>

#include "common.h"
#include "kselftest_harness.h"
#include "mux.h"

#define ROUNDS 1000

static __u32 slots[PMUDEV_MAX_EVENTS];

static int pm_begin(int fd, const struct pmudev_event_attr *events, unsigned int nr)
{
	struct pmudev_add add = {
		.size = sizeof(add),
		.flags = PMUDEV_ADD_ENABLE,
		.nr = nr,
		.event_size = sizeof(*events),
		.events = (uintptr_t)events,
		.slots = (uintptr_t)slots,
	};
	int ret = ioctl(fd, PMUDEV_IOC_ADD, &add) ? -errno : 0;

	why = add.refusal;
	return ret;
}

static struct pmudev_event_attr instructions(__u32 group)
{
	return in_group(raw_event(EVENT_INSTRUCTIONS, USER_ONLY), group);
}

/* Counted by a set of the three calls and by one of the one call: the same work. */
static __u64 __attribute__((noinline)) count_loop(int fd)
{
	__u64 before = pm_value(fd, 0);

	loop(ROUNDS);
	return pm_value(fd, 0) - before;
}

FIXTURE(begin)
{
	int fd;
};

FIXTURE_SETUP(begin)
{
	self->fd = pm_open();
	ASSERT_GE(self->fd, 0);
}

FIXTURE_TEARDOWN(begin)
{
	close(self->fd);
}

TEST_F(begin, counts_the_caller)
{
	struct pmudev_event_attr events[2] = { instructions(0), instructions(0) };
	union record record;
	int other;

	other = pm_set(events, 1, true);
	ASSERT_GE(other, 0);
	ASSERT_EQ(0, pm_begin(self->fd, events, 2));
	EXPECT_EQ(0U, slots[0]);
	EXPECT_EQ(1U, slots[1]);
	if (exact_instructions())
		EXPECT_EQ(count_loop(other), count_loop(self->fd));
	EXPECT_GE(count_loop(self->fd), LOOP_INSTRUCTIONS * ROUNDS);
	ASSERT_EQ(0, pm_read(self->fd, &record));
	EXPECT_EQ(PMUDEV_RECORD_ENABLED, record.r.flags);
	EXPECT_EQ(3ULL, record.r.present);
	EXPECT_EQ(record.r.counts[0].value, record.r.counts[1].value);
	EXPECT_EQ(record.r.time_enabled, record.r.time_running);
	/* It has its target. */
	EXPECT_REFUSED(EBUSY, PMUDEV_WHY_BOUND, pm_bind(self->fd, PMUDEV_TARGET_TASK, 0, 0));
	ASSERT_EQ(0, pm_disable(self->fd, PMUDEV_ALL));
	EXPECT_EQ(0ULL, count_loop(self->fd));
	close(other);
}

/* Groups that are enabled go on; those that events come to are enabled whole. */
TEST_F(begin, beside_others)
{
	struct pmudev_event_attr event = instructions(1);
	union record record;

	event.tag = 1;
	ASSERT_EQ(0, pm_begin(self->fd, &event, 1));
	event = in_group(raw_event(EVENT_CYCLES, USER_ONLY), 2);
	ASSERT_EQ(0, pm_add(self->fd, &event, 1));
	event.tag = 3;
	EXPECT_REFUSED(EBUSY, PMUDEV_WHY_ENABLED, ({
			       event.group = 1;
			       pm_begin(self->fd, &event, 1);
		       }));
	EXPECT_EQ(0, why.event);
	event = instructions(2);
	event.tag = 3;
	ASSERT_EQ(0, pm_begin(self->fd, &event, 1));
	EXPECT_EQ(2U, slots[0]);
	loop(ROUNDS);
	ASSERT_EQ(0, pm_read(self->fd, &record));
	EXPECT_EQ(7ULL, record.r.present);
	EXPECT_GT(record.r.counts[0].value, record.r.counts[2].value);
	EXPECT_GE(record.r.counts[1].value, LOOP_INSTRUCTIONS * ROUNDS * EMULATED_CYCLES);
	EXPECT_GE(record.r.counts[2].value, LOOP_INSTRUCTIONS * ROUNDS);
	EXPECT_EQ(3ULL, record.r.counts[2].tag);
}

/* Somebody has the counters: nothing was added, and what was there is as it was. */
TEST_F(begin, nothing_if_there_is_no_room)
{
	struct pmudev_event_attr events[MOST_COUNTERS + 1];
	struct pool pool;
	union record before, after;
	unsigned int i;
	int all;

	events[0] = instructions(0);
	ASSERT_EQ(0, pm_begin(self->fd, events, 1));
	ASSERT_EQ(0, pool_find(&pool));
	for (i = 0; i < pool.nr; i++)
		events[i] = strict_event(&pool, 0);
	ASSERT_EQ(0, pm_disable(self->fd, PMUDEV_ALL));
	ASSERT_EQ(0, pm_read(self->fd, &before));
	all = pm_set(events, pool.nr, true);
	ASSERT_GE(all, 0);
	events[1] = strict_event(&pool, 1);
	EXPECT_REFUSED(EBUSY, PMUDEV_WHY_HELD, pm_begin(self->fd, events + 1, 1));
	EXPECT_EQ(0, why.event);
	ASSERT_EQ(0, pm_read(self->fd, &after));
	EXPECT_EQ(before.r.present, after.r.present);
	EXPECT_EQ(before.r.counts[0].value, after.r.counts[0].value);
	EXPECT_EQ(0U, after.r.flags);
	/* Nor does it come to what is disabled. */
	events[2] = strict_event(&pool, 0);
	EXPECT_REFUSED(EBUSY, PMUDEV_WHY_HELD, pm_begin(self->fd, events + 2, 1));
	EXPECT_LE(why.event, 0);
	ASSERT_EQ(0, pm_read(self->fd, &after));
	EXPECT_EQ(before.r.present, after.r.present);
	close(all);
	ASSERT_EQ(0, pm_begin(self->fd, events + 1, 1));
	EXPECT_EQ(1U, slots[0]);
	EXPECT_GT(pm_value(self->fd, 1), 0);
}

/* What the set was bound to, and how, is what counts. */
TEST_F(begin, of_other_targets)
{
	struct pmudev_event_attr event = instructions(0);
	union record record;
	int fd, status, child;

	ASSERT_EQ(0, pm_bind(self->fd, PMUDEV_TARGET_CPU, 0, 0));
	ASSERT_EQ(0, pm_begin(self->fd, &event, 1));
	ASSERT_EQ(0, pm_read(self->fd, &record));
	EXPECT_EQ(PMUDEV_RECORD_ENABLED, record.r.flags);
	ASSERT_EQ(0, pm_disable(self->fd, PMUDEV_ALL));

	fd = pm_open();
	ASSERT_GE(fd, 0);
	ASSERT_EQ(0, pm_bind(fd, PMUDEV_TARGET_TASK, 0, PMUDEV_BIND_ON_EXEC));
	ASSERT_EQ(0, pm_begin(fd, &event, 1));
	ASSERT_EQ(0, pm_read(fd, &record));
	EXPECT_EQ(PMUDEV_RECORD_ENABLED | PMUDEV_RECORD_ARMED, record.r.flags);
	EXPECT_EQ(0ULL, record.r.counts[0].value);
	close(fd);

	fd = pm_open();
	ASSERT_GE(fd, 0);
	status = pm_bind(fd, PMUDEV_TARGET_TASK, 0, PMUDEV_BIND_INHERIT);
	if (status == -EOPNOTSUPP)
		SKIP(return, "sets are not inherited on this kernel");
	ASSERT_EQ(0, status);
	ASSERT_EQ(0, pm_begin(fd, &event, 1));
	child = fork();
	if (!child) {
		loop(ROUNDS);
		_exit(0);
	}
	ASSERT_EQ(child, waitpid(child, &status, 0));
	EXPECT_GE(pm_value(fd, 0), LOOP_INSTRUCTIONS * ROUNDS);
	close(fd);
}

/* The target stays, whatever came of the events. */
TEST_F(begin, refused)
{
	struct pmudev_event_attr event = instructions(0);

	event.type = ~0U;
	EXPECT_REFUSED(EINVAL, PMUDEV_WHY_TYPE, pm_begin(self->fd, &event, 1));
	EXPECT_REFUSED(EBUSY, PMUDEV_WHY_BOUND, pm_bind(self->fd, PMUDEV_TARGET_TASK, 0, 0));
	event = instructions(0);
	ASSERT_EQ(0, pm_begin(self->fd, &event, 1));
	EXPECT_GT(pm_value(self->fd, 0), 0);
}

TEST_F(begin, of_a_target_that_has_ended)
{
	struct pmudev_event_attr event = instructions(0);
	int child, go[2], status;
	char byte;

	ASSERT_EQ(0, pipe(go));
	child = fork();
	if (!child)
		_exit(read(go[0], &byte, 1) != 1);
	ASSERT_EQ(0, pm_bind(self->fd, PMUDEV_TARGET_TASK, child, 0));
	ASSERT_EQ(0, pm_begin(self->fd, &event, 1));
	ASSERT_EQ(1, write(go[1], "", 1));
	ASSERT_EQ(child, waitpid(child, &status, 0));
	EXPECT_EQ(0, status);
	EXPECT_GT(pm_value(self->fd, 0), 0);
	event.group = 1;
	EXPECT_REFUSED(ESRCH, PMUDEV_WHY_ENDED, pm_begin(self->fd, &event, 1));
}

TEST_HARNESS_MAIN
