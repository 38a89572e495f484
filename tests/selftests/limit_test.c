// SPDX-License-Identifier: GPL-2.0
/*
 * How many sets a user can have: in many processes, by mappings, by children that are counted
 * along. What is refused, to whom, and when room comes back. For user namespaces: userns_test.c.
 */
#include "as.h"
#include "quota.h"
#include "subject.h"
#include "kselftest_harness.h"

#include <signal.h>
#include <stdio.h>
#include <sys/stat.h>

#define SOMEBODY 65533
/* Threads of a process that is counted as a whole. */
#define THREADS 8

FIXTURE(limit)
{
	mode_t mode;
	long limit;
};

FIXTURE_SETUP(limit)
{
	if (geteuid())
		SKIP(return, "needs root");
	ASSERT_EQ(0, open_to_all(&self->mode));
	self->limit = read_number(LIMIT);
	ASSERT_EQ(0, set_limit(MOST));
	ASSERT_EQ(0, set_user_access(true));
}

FIXTURE_TEARDOWN(limit)
{
	struct pmudev_query query;

	set_limit(self->limit);
	chmod(PMUDEV_DEVICE, self->mode);
	set_user_access(false);
	EXPECT_TRUE(WAIT_FOR(!pm_query(&query) && !(query.state & PMUDEV_STATE_RESERVED)));
	EXPECT_EQ(0ULL, query.busy);
}

/* --------------------------------------------------------- in many processes -- */

static void start_user(struct __test_metadata *_metadata, struct subject *s, uid_t uid)
{
	ASSERT_EQ(0, subject_fork(s));
	ASSERT_EQ(0, subject_do(s, become_user, uid));
}

TEST_F(limit, in_many_processes)
{
	struct subject s[4], other;
	struct pmudev_query query;
	int i, fd, refused_set;

	for (i = 0; i < 4; i++) {
		start_user(_metadata, &s[i], NOBODY);
		EXPECT_EQ(3, subject_do(&s[i], hold, 3));
	}
	EXPECT_EQ(0, subject_do(&s[0], hold, 1));
	/* It can ask, still, and what was refused can be bound once there is room. */
	refused_set = pm_open();
	ASSERT_GE(refused_set, 0);
	EXPECT_EQ(0,
		  AS(NOBODY, -1, ({
			     CHECK(!pm_query(&query));
			     CHECK(refused(pm_bind(refused_set, PMUDEV_TARGET_TASK, 0, 0), MOST));
		     })));
	/* Another user has as many again. Capabilities: the one for resources alone. */
	start_user(_metadata, &other, SOMEBODY);
	EXPECT_EQ(MOST, subject_do(&other, hold, MOST + 1));
	EXPECT_EQ(0, AS(NOBODY, CAP_SYS_RESOURCE, CHECK(hold(MOST + 1) == MOST + 1)));
	EXPECT_EQ(0, AS(NOBODY, CAP_PERFMON, CHECK(hold(1) == 0)));
	EXPECT_EQ(0, AS(NOBODY, CAP_SYS_ADMIN, CHECK(hold(1) == 0)));
	EXPECT_EQ(0, AS(0, -1, CHECK(hold(MOST + 1) == MOST)));
	for (i = 0; i <= MOST; i++) {
		fd = bound();
		EXPECT_GE(fd, 0);
		close(fd);
	}
	EXPECT_EQ(0, subject_end(&other));
	/* Closed, killed, ended: what each had, and no more. */
	EXPECT_EQ(2, subject_do(&s[1], let_go, 1));
	EXPECT_EQ(0, room_of(NOBODY, 1));
	EXPECT_EQ(0, AS(NOBODY, -1, CHECK(!pm_bind(refused_set, PMUDEV_TARGET_TASK, 0, 0))));
	EXPECT_EQ(0, room_of(NOBODY, 0));
	close(refused_set);
	stop_child(s[2].pid);
	EXPECT_EQ(0, room_of(NOBODY, 4));
	EXPECT_EQ(0, subject_end(&s[3]));
	EXPECT_EQ(0, room_of(NOBODY, 7));
	EXPECT_EQ(0, subject_end(&s[0]));
	EXPECT_EQ(0, subject_end(&s[1]));
	EXPECT_EQ(0, room_of(NOBODY, MOST));
}

static void map_many(void)
{
	struct pmudev_event_attr event = raw_event(EVENT_CYCLES, DIRECT_READ);
	struct pmudev_page *page[MOST];
	int i, fd;

	for (i = 0; i < MOST; i++) {
		fd = pm_set(&event, 1, false);
		CHECK(fd >= 0);
		page[i] = pm_map(fd);
		CHECK(page[i]);
		CHECK(!close(fd));
	}
	CHECK(has_room_of(0, MOST));
	for (i = 0; i < MOST; i++) {
		pm_unmap(page[i]);
		CHECK(has_room_of(i + 1, MOST));
	}
}

/* A mapping keeps a set without a descriptor. */
TEST_F(limit, by_mappings)
{
	if (!user_reads())
		SKIP(return, NO_USER_READS);
	EXPECT_EQ(0, AS(NOBODY, -1, map_many()));
}

static void try_in_vain(int roots)
{
	int i, fd = pm_open();

	for (i = 0; i < 2 * MOST; i++) {
		CHECK_REFUSED(EPERM, PMUDEV_WHY_CAP_TASK,
			      pm_bind(fd, PMUDEV_TARGET_TASK, roots, PMUDEV_BIND_INHERIT));
		CHECK_REFUSED(EPERM, PMUDEV_WHY_CAP_CPU, pm_bind(fd, PMUDEV_TARGET_CPU, 0, 0));
		CHECK_REFUSED(ESRCH, PMUDEV_WHY_NO_TASK,
			      pm_bind(fd, PMUDEV_TARGET_TASK, 0x3fffffff, 0));
		CHECK_REFUSED(EINVAL, PMUDEV_WHY_TYPE, pm_bind(fd, 77, 0, 0));
	}
	CHECK(has_room_of(MOST, MOST));
	CHECK(!pm_bind(fd, PMUDEV_TARGET_TASK, 0, 0));
	CHECK_REFUSED(EBUSY, PMUDEV_WHY_BOUND, pm_bind(fd, PMUDEV_TARGET_TASK, 0, 0));
	CHECK(has_room_of(MOST - 1, MOST));
}

TEST_F(limit, what_is_refused_costs_nothing)
{
	int roots = getpid();

	EXPECT_EQ(0, AS(NOBODY, -1, try_in_vain(roots)));
}

/* Who binds it pays for it, whoever opened it, and whoever has it. */
TEST_F(limit, passed_on)
{
	int fd = pm_open();

	ASSERT_GE(fd, 0);
	EXPECT_EQ(0, AS(NOBODY, -1, CHECK(!pm_bind(fd, PMUDEV_TARGET_TASK, 0, 0))));
	EXPECT_EQ(0, room_of(NOBODY, MOST - 1));
	close(fd);
	EXPECT_EQ(0, room_of(NOBODY, MOST));
}

/* Nothing is taken from who has more than he may. */
TEST_F(limit, changed)
{
	struct subject s;

	EXPECT_EQ(4096, self->limit);
	start_user(_metadata, &s, NOBODY);
	EXPECT_EQ(6, subject_do(&s, hold, 6));
	ASSERT_EQ(0, set_limit(3));
	EXPECT_EQ(0, subject_do(&s, hold, 1));
	EXPECT_EQ(3, subject_do(&s, let_go, 3));
	EXPECT_EQ(0, subject_do(&s, hold, 1));
	EXPECT_EQ(2, subject_do(&s, let_go, 1));
	EXPECT_EQ(1, subject_do(&s, hold, 2));
	ASSERT_EQ(0, set_limit(0));
	EXPECT_EQ(0, subject_do(&s, let_go, 3));
	EXPECT_EQ(0, subject_do(&s, hold, 1));
	ASSERT_EQ(0, set_limit(1));
	EXPECT_EQ(1, subject_do(&s, hold, 2));
	EXPECT_EQ(0, subject_end(&s));
	EXPECT_EQ(-EINVAL, set_limit(-1));
	EXPECT_EQ(-EINVAL, set_limit(1L << 31));
	EXPECT_EQ(1, read_number(LIMIT));
	EXPECT_EQ(0, AS(NOBODY, -1, CHECK(set_limit(100) == -EACCES)));
	EXPECT_EQ(0, AS(NOBODY, -1, CHECK(read_number(LIMIT) == 1)));
}

/* ------------------------------------------------------------------------ children -- */

static struct subject *to_start;

static long start_child(long i)
{
	return subject_thread(&to_start[i]);
}

static __u64 counted(int fd, bool incomplete)
{
	union record r;

	CHECK(!pm_read(fd, &r));
	CHECK(!!(r.r.flags & PMUDEV_RECORD_INCOMPLETE) == incomplete);
	return r.r.counts[0].value;
}

/*
 * The set and the children that it counts are parts alike. One child too many runs like the
 * others, and is not counted; the others are, to the instruction.
 */
static void count_children(void)
{
	struct pmudev_event_attr event = raw_event(EVENT_INSTRUCTIONS, USER_ONLY);
	struct subject parent, s[MOST];
	__u64 cost, value;
	int fd, i;

	cost = subject_cost();
	CHECK(cost && !subject_thread(&parent));
	fd = pm_attach(parent.pid, PMUDEV_BIND_INHERIT, &event, 1, true);
	CHECK(fd >= 0);
	to_start = s;
	for (i = 0; i < MOST - 1; i++)
		CHECK(!subject_do(&parent, start_child, i));
	counted(fd, false);
	CHECK(has_room_of(0, MOST));
	CHECK(!subject_do(&parent, start_child, MOST - 1));
	value = counted(fd, true);
	CHECK(!subject_work(&s[MOST - 1], 1000));
	CHECK(counted(fd, true) == value);
	for (i = 0; i < MOST - 1; i++) {
		CHECK(!subject_work(&s[i], 1000));
		value += LOOP_INSTRUCTIONS * 1000 + cost;
		CHECK(counted(fd, true) == value);
	}
	/* Room for one, which the next child has; so it is counted. */
	CHECK(!subject_end(&s[0]));
	CHECK(WAIT_FOR(has_room_of(1, MOST)));
	CHECK(!subject_do(&parent, start_child, 0));
	CHECK(has_room_of(0, MOST));
	value = counted(fd, true);
	CHECK(!subject_work(&s[0], 1000));
	CHECK(counted(fd, true) == value + LOOP_INSTRUCTIONS * 1000 + cost);
	/* All of it goes with the set, though they live. */
	CHECK(!close(fd));
	CHECK(has_room_of(MOST, MOST));
	for (i = 0; i < MOST; i++)
		CHECK(!subject_end(&s[i]));
	CHECK(!subject_end(&parent));
}

TEST_F(limit, children)
{
	if (!exact_instructions())
		SKIP(return, "instructions are not counted exactly here (PMUDEV_EXACT)");
	EXPECT_EQ(0, AS(NOBODY, -1, count_children()));
}

/* Each makes two more, as deep as this. All have been made when it ends. */
static void multiply(int depth)
{
	int i, child[2];

	for (i = 0; depth && i < 2; i++) {
		child[i] = fork();
		CHECK(child[i] >= 0);
		if (child[i])
			continue;
		multiply(depth - 1);
		_exit(0);
	}
	for (i = 0; depth && i < 2; i++)
		CHECK(child_result(child[i]) == 0);
}

static void fork_storm(void)
{
	struct pmudev_event_attr event = raw_event(EVENT_CYCLES, USER_ONLY);
	int fd = pm_attach(0, PMUDEV_BIND_INHERIT, &event, 1, true);

	CHECK(fd >= 0);
	multiply(6);
	counted(fd, true);
	/* They have ended, and have nothing more. */
	CHECK(has_room_of(MOST - 1, MOST));
}

TEST_F(limit, fork_storm)
{
	EXPECT_EQ(0, AS(NOBODY, -1, fork_storm()));
	EXPECT_EQ(0, room_of(NOBODY, MOST));
}

static void count_process(void)
{
	struct subject s[THREADS];
	int i, fd = pm_open();

	CHECK(fd >= 0);
	for (i = 0; i < THREADS; i++)
		CHECK(!subject_thread(&s[i]));
	/* All threads or none. */
	CHECK(hold(MOST - THREADS) == MOST - THREADS);
	CHECK(refused(pm_bind(fd, PMUDEV_TARGET_PROCESS, 0, 0), MOST));
	CHECK(has_room_of(THREADS, MOST));
	CHECK(!let_go(MOST));
	CHECK(!pm_bind(fd, PMUDEV_TARGET_PROCESS, 0, 0));
	CHECK(has_room_of(MOST - THREADS - 1, MOST));
	for (i = 0; i < THREADS; i++)
		CHECK(!subject_end(&s[i]));
	CHECK(WAIT_FOR(has_room_of(MOST - 1, MOST)));
	close(fd);
	CHECK(has_room_of(MOST, MOST));
}

TEST_F(limit, process)
{
	EXPECT_EQ(0, AS(NOBODY, -1, count_process()));
}

TEST_HARNESS_MAIN
