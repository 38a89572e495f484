// SPDX-License-Identifier: GPL-2.0
/*
 * Every allocation fails once. What a program does with a set is done again and again, and each
 * time another allocation in it fails, until none is left: the call concerned says ENOMEM or copes
 * without; done again it succeeds; counts are exact, and at the end nothing is left of it.
 */
#include "as.h"
#include "fault.h"
#include "mux.h"
#include "quota.h"
#include "kselftest_harness.h"

#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>

#define THREADS 5
#define WORK	1000

FIXTURE(fail)
{
	__u64 events; /* of steady() between two reads with WORK rounds between them */
	__u64 cost;   /* of a subject's work */
	struct pmudev_query idle;
	struct pool pool;
};

/*
 * The module's own allocations, each of them; and then what the kernel asks for on its behalf, too,
 * which varies, so that one of ours may be left out.
 */
FIXTURE_VARIANT(fail)
{
	bool own;
};

FIXTURE_VARIANT_ADD(fail, own) {
	.own = true,
};

FIXTURE_VARIANT_ADD(fail, all) {
	.own = false,
};

/* What is exact here was asked before: while allocations fail a question may, too. */
static struct pmudev_event_attr steady(__u32 flags)
{
	return raw_event(EVENT_INSTRUCTIONS, flags);
}

static bool own_alone;

FIXTURE_SETUP(fail)
{
	const char *missing = fault_missing();
	struct pmudev_event_attr event;
	int fd;

	if (missing)
		SKIP(return, "%s", missing);
	if (!exact_instructions())
		SKIP(return, "instructions are not counted exactly here (PMUDEV_EXACT)");
	ASSERT_EQ(0, set_user_access(true));
	event = steady(USER_ONLY);
	fd = pm_set(&event, 1, true);
	ASSERT_GE(fd, 0);
	ASSERT_EQ(0, pool_find(&self->pool));
	ASSERT_EQ(0, measure_read(fd, 0, WORK, &self->events));
	ASSERT_EQ(0, measure_read(fd, 0, WORK, &self->events));
	close(fd);
	self->cost = subject_cost();
	ASSERT_NE(0ULL, self->cost);
	ASSERT_EQ(0, pm_query(&self->idle));
	ASSERT_EQ(0U, self->idle.state & PMUDEV_STATE_RESERVED);
	own_alone = variant->own;
	ASSERT_EQ(0, variant->own ? fault_near(1) : fault_module_only());
}

/* Nothing is left: no reservation and no counters. */
static void check_idle(struct __test_metadata *_metadata, struct _test_data_fail *self)
{
	struct pmudev_query query;

	ASSERT_EQ(0, pm_query(&query));
	EXPECT_EQ(self->idle.state & ~PMUDEV_STATE_GUEST, query.state & ~PMUDEV_STATE_GUEST);
	EXPECT_EQ(self->idle.available, query.available);
	EXPECT_EQ(0ULL, query.busy);
}

FIXTURE_TEARDOWN(fail)
{
	fault_everywhere();
	check_idle(_metadata, self);
	set_user_access(false);
}

/* How often something failed, for want of memory, and which calls did. */
static unsigned int failures;
static const char *failing[32];
static unsigned int nr_failing;

static void note_failure(const char *call)
{
	unsigned int i;

	failures++;
	for (i = 0; i < nr_failing; i++)
		if (!strcmp(failing[i], call))
			return;
	if (i < ARRAY_SIZE(failing))
		failing[nr_failing++] = call;
}

/* A call; if its memory failed, once more: only one does. */
#define STEP(call)                                                                            \
	({                                                                                    \
		long __ret;                                                                   \
		why = (struct pmudev_refusal){ 0 };                                           \
		errno = 0;                                                                    \
		__ret = (long)(call);                                                         \
		if (__ret == -ENOMEM) {                                                       \
			EXPECT_TRUE(why.code == PMUDEV_OK || why.code == PMUDEV_WHY_MEMORY || \
				    why.code == PMUDEV_WHY_PERF_REFUSED)                      \
			TH_LOG("%s: reason %u", #call, why.code);                             \
			note_failure(#call);                                                  \
			__ret = (long)(call);                                                 \
		}                                                                             \
		ASSERT_GE(__ret, 0) TH_LOG("%s: reason %u", #call, why.code);                 \
		__ret;                                                                        \
	})

/* Counts of this slot are exact. */
static void check_count(struct __test_metadata *_metadata, struct _test_data_fail *self, int fd,
			unsigned int slot)
{
	__u64 count;

	ASSERT_EQ(0, STEP(measure_read(fd, slot, WORK, &count)));
	EXPECT_EQ(self->events, count);
}

/*
 * The kernel's own allocations come and go between ours, so one round may miss one of ours. Repeat
 * until @enough, at most three times.
 */
#define fault_rounds(nth, failed, enough)                                            \
	for (unsigned int round_ = 0; round_ < 3 && !(round_ && (enough)); round_++) \
		fault_for_each(nth, failed)

/*
 * @least: so many different calls failed, or more: else nothing was tested. Where the kernel's
 * allocations are between them, two may have been left out.
 */
static void tell(struct __test_metadata *_metadata, const char *what, unsigned int nth,
		 unsigned int least)
{
	unsigned int i;

	if (!own_alone && least)
		least = least > 2 ? least - 2 : 1;
	EXPECT_LE(least, nr_failing) TH_LOG("%s", what);
	printf("# %s: %u times, %u calls failed\n", what, nth - 1, failures);
	for (i = 0; i < nr_failing; i++)
		printf("#   %s\n", failing[i]);
	failures = 0;
	nr_failing = 0;
}

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

/* ----------------------------------------------------------------- other targets -- */

TEST_F_TIMEOUT(fail, cpu, 300)
{
	struct pmudev_event_attr events[10]; /* a few need no memory */
	unsigned int nth, i;
	union record r;
	bool failed;
	int fd;

	for (i = 0; i < ARRAY_SIZE(events); i++)
		events[i] = in_group(steady(USER_ONLY), i);
	fault_rounds(nth, failed, nr_failing >= 2) {
		fault_arm(nth);
		fd = STEP(pm_open());
		STEP(pm_bind(fd, PMUDEV_TARGET_CPU, 0, 0));
		STEP(pm_add(fd, events, ARRAY_SIZE(events)));
		STEP(pm_enable(fd, 0));
		loop(WORK);
		STEP(pm_read(fd, &r));
		EXPECT_LE(LOOP_INSTRUCTIONS * WORK, r.r.counts[0].value);
		close(fd);
		failed = fault_disarm();
		check_idle(_metadata, self);
	}
	tell(_metadata, "a CPU", nth, 2);
}

/* Slot 0 counts each of the threads. */
static void check_work(struct __test_metadata *_metadata, struct _test_data_fail *self, int fd,
		       struct subject *s)
{
	__u64 value = pm_value(fd, 0);
	unsigned int i;

	for (i = 0; i < THREADS; i++) {
		ASSERT_EQ(0, subject_work(&s[i], WORK));
		value += LOOP_INSTRUCTIONS * WORK + self->cost;
		EXPECT_EQ(value, pm_value(fd, 0));
	}
}

/* In memory that is shared: what starts them is another process. */
static struct subject *many_subjects(void)
{
	struct subject *s = mmap(NULL, THREADS * sizeof(*s), PROT_READ | PROT_WRITE,
				 MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	int i;

	for (i = 0; s != MAP_FAILED && i < THREADS; i++)
		if (subject_prepare(&s[i]))
			return MAP_FAILED;
	return s;
}

/* A process of many threads: all of them or none. Then what is added reaches all, or is told. */
TEST_F_TIMEOUT(fail, process, 300)
{
	struct pmudev_event_attr events[5], event = steady(USER_ONLY);
	struct subject leader, *s = many_subjects();
	unsigned int nth, i, incomplete = 0;
	union record r;
	bool failed;
	int fd;

	ASSERT_NE(MAP_FAILED, s);
	ASSERT_EQ(0, subject_fork(&leader));
	for (i = 0; i < THREADS; i++)
		ASSERT_EQ(0, subject_do(&leader, subject_start_prepared, (long)&s[i]));
	for (i = 0; i < ARRAY_SIZE(events); i++)
		events[i] = in_group(mux_event(&self->pool, 0), i + 1);
	fault_rounds(nth, failed, nr_failing >= 4) {
		fault_arm(nth);
		fd = STEP(pm_open());
		STEP(pm_bind(fd, PMUDEV_TARGET_PROCESS, leader.pid, 0));
		STEP(pm_add(fd, &event, 1));
		STEP(pm_enable(fd, 0));
		STEP(pm_read(fd, &r));
		STEP(pm_add(fd, events, ARRAY_SIZE(events)));
		STEP(pm_enable(fd, PMUDEV_ALL));
		STEP(pm_read(fd, &r));
		failed = fault_disarm();
		/* One thread had no memory for the new events; what it had goes on. */
		incomplete += !!(r.r.flags & PMUDEV_RECORD_INCOMPLETE);
		check_work(_metadata, self, fd, s);
		close(fd);
		check_idle(_metadata, self);
	}
	EXPECT_GT(incomplete, 0U);
	tell(_metadata, "a process", nth, 4);
	EXPECT_EQ(0, subject_end(&leader));
}

/* --------------------------------------------------------------------------- children -- */

/* A child either is counted, or the record says that some is not: its work, and no more. */
TEST_F_TIMEOUT(fail, children, 300)
{
	struct pmudev_event_attr event = steady(USER_ONLY);
	unsigned int nth, missing = 0;
	__u64 before, after;
	union record r;
	int fd, child;
	bool failed;

	fault_rounds(nth, failed, missing >= 2) {
		fd = pm_attach(0, PMUDEV_BIND_INHERIT, &event, 1, true);
		ASSERT_GE(fd, 0);
		before = pm_value(fd, 0);
		fault_arm(nth);
		child = fork();
		if (!child) {
			loop(100 * WORK);
			_exit(0);
		}
		failed = fault_disarm();
		ASSERT_GT(child, 0);
		ASSERT_EQ(0, child_result(child));
		ASSERT_EQ(0, pm_read(fd, &r));
		after = r.r.counts[0].value;
		if (r.r.flags & PMUDEV_RECORD_INCOMPLETE) {
			missing++;
			EXPECT_TRUE(failed);
			EXPECT_GT(LOOP_INSTRUCTIONS * 50 * WORK, after - before);
		} else {
			EXPECT_LT(LOOP_INSTRUCTIONS * 100 * WORK, after - before);
			EXPECT_GT(LOOP_INSTRUCTIONS * 110 * WORK, after - before);
		}
		/* The next one is counted. */
		child = fork_bound();
		if (!child) {
			loop(100 * WORK);
			_exit(0);
		}
		ASSERT_EQ(0, child_result(child));
		EXPECT_LT(LOOP_INSTRUCTIONS * 100 * WORK, pm_value(fd, 0) - after);
		close(fd);
		check_idle(_metadata, self);
	}
	/*
	 * The child and its context: both failed once, or what the allocator needed for one of
	 * them. Of all allocations its own are some, which come or do not, so that one of the two
	 * may be jumped over.
	 */
	EXPECT_LE(variant->own ? 2U : 1U, missing);
	printf("# %u children were missing, and it was told\n", missing);
	tell(_metadata, "a fork", nth, 0);
}

/* ------------------------------------------------------------------------- other users -- */

/* 0, 1 if memory was lacking the first time, or -errno. */
static long bind_and_close(long flags)
{
	int fd = pm_open(), ret;

	ret = fd < 0 ? fd : pm_bind(fd, PMUDEV_TARGET_TASK, 0, flags);
	if (fd >= 0 && ret == -ENOMEM && why.code == PMUDEV_WHY_MEMORY)
		ret = pm_bind(fd, PMUDEV_TARGET_TASK, 0, flags) ?: 1;
	if (fd >= 0)
		close(fd);
	return ret;
}

/* Who is not exempt from the limit has an account, which takes memory as well, and is balanced. */
TEST_F_TIMEOUT(fail, somebody, 300)
{
	long limit = read_number(LIMIT), ret;
	unsigned int nth;
	struct stat stat_;
	struct subject s;
	bool failed;
	mode_t mode;

	ASSERT_EQ(0, stat(PMUDEV_DEVICE, &stat_));
	mode = stat_.st_mode & 07777;
	ASSERT_EQ(0, chmod(PMUDEV_DEVICE, 0666));
	ASSERT_EQ(0, set_limit(MOST));
	ASSERT_EQ(0, subject_fork(&s));
	ASSERT_EQ(0, subject_do(&s, become_user, NOBODY));
	fault_rounds(nth, failed, failures >= 3) {
		fault_arm_task(s.pid, nth);
		ret = subject_do(&s, bind_and_close, 0);
		failed = fault_disarm_task(s.pid);
		EXPECT_TRUE(ret == 0 || (failed && (ret == 1 || ret == -ENOMEM)))
		TH_LOG("allocation %u: %ld", nth, ret);
		failures += !!ret;
	}
	/* The file; who pays for it, and what is followed. Of all, one may be jumped over. */
	EXPECT_LE(variant->own ? 3U : 2U, failures);
	EXPECT_EQ(0, room_of(NOBODY, MOST));
	tell(_metadata, "somebody", nth, 0);
	EXPECT_EQ(0, subject_end(&s));
	set_limit(limit);
	chmod(PMUDEV_DEVICE, mode);
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
