// SPDX-License-Identifier: GPL-2.0
/*
 * A thread that may execute RDPMC and is not counted itself sees zeroes: nothing of what anybody
 * counts or has counted on the CPU, however he left it. Here the main thread looks, a second
 * thread's page gives the process the right, and other processes count on every counter there is.
 */
#include "intel.h"
#include "kselftest_harness.h"
#include "perf.h"

#include <pthread.h>
#include <sys/mman.h>
#include <sys/resource.h>

#if defined(__x86_64__)

/* In every counter's low and high bits. */
#define SECRET 0x5a5a5a5aULL

struct owner {
	pthread_t thread;
	struct turns turns;
	struct pmudev_page *page;
	int fd;
	int error;
};

FIXTURE(leak)
{
	struct intel_pmu pmu;
	struct owner owner;
	struct turns turns[2];
	int child[2]; /* counted */
};

static int count_everything(const struct intel_pmu *pmu)
{
	struct pmudev_event_attr events[PMUDEV_MAX_EVENTS];
	unsigned int nr = 0;
	__u64 left;
	int fd;

	for (left = pmu->counters; left; left &= left - 1)
		events[nr++] = event_on(__builtin_ctzll(left), USER_ONLY);
	fd = pm_set(events, nr, true);
	return fd < 0 ? fd : pm_reset(fd, PMUDEV_ALL, SECRET) ? -EIO : fd;
}

/* The thread whose page it is: counted whenever it has its turn. */
static void *own(void *arg)
{
	struct pmudev_event_attr event = raw_event(EVENT_INSTRUCTIONS, DIRECT_READ);
	struct owner *owner = arg;

	owner->fd = pm_set(&event, 1, true);
	owner->page = owner->fd < 0 ? NULL : pm_map(owner->fd);
	owner->error = owner->page ? pm_reset(owner->fd, 0, SECRET) : -EIO;
	turn_give(&owner->turns, 1);
	while (!owner->error) {
		turn_wait(&owner->turns, 1);
		if (!owner->page)
			break;
		loop(1000);
		turn_give(&owner->turns, 1);
	}
	return NULL;
}

static int get_the_right(struct _test_data_leak *self)
{
	if (pthread_create(&self->owner.thread, NULL, own, &self->owner))
		return -EIO;
	turn_wait(&self->owner.turns, 0);
	return self->owner.error;
}

FIXTURE_SETUP(leak)
{
	int i;

	intel_pmu(&self->pmu);
	ASSERT_EQ(0, set_user_access(true));
	ASSERT_EQ(0, pin_to(0));
	ASSERT_EQ(0, turns_init(&self->owner.turns));
	for (i = 0; i < 2; i++)
		ASSERT_EQ(0, turns_init(&self->turns[i]));
}

FIXTURE_TEARDOWN(leak)
{
	struct pmudev_page *page = self->owner.page;
	int i;

	if (page) {
		self->owner.page = NULL;
		turn_give(&self->owner.turns, 0);
		pthread_join(self->owner.thread, NULL);
		pm_unmap(page);
		close(self->owner.fd);
	}
	for (i = 0; i < 2; i++)
		stop_child(self->child[i]);
	set_user_access(false);
}

/* Counters that show anything. */
static __u64 seen(const struct _test_data_leak *self)
{
	__u64 left, seen = 0;

	for (left = self->pmu.counters; left; left &= left - 1)
		if (counter(operand_of(__builtin_ctzll(left))))
			seen |= left & -left;
	return seen;
}

/* Counts in its turns. @then: what it does with its set in the first of them. */
static int counted_child(struct _test_data_leak *self, int which, void (*then)(int fd))
{
	int fd, child = fork_bound();

	if (child) {
		turn_pass(&self->turns[which], 0);
		return child;
	}
	turn_wait(&self->turns[which], 1);
	fd = count_everything(&self->pmu);
	if (fd < 0)
		_exit(1);
	loop(1000);
	if (then)
		then(fd);
	for (;;) {
		turn_give(&self->turns[which], 1);
		turn_wait(&self->turns[which], 1);
		loop(1000);
	}
}

/* ------------------------------------------------------------------ who just left */

TEST_F(leak, in_turns)
{
	int i;

	ASSERT_EQ(0, get_the_right(self));
	self->child[0] = counted_child(self, 0, NULL);
	EXPECT_EQ(0ULL, seen(self));
	self->child[1] = counted_child(self, 1, NULL);
	for (i = 0; i < 50; i++) {
		EXPECT_EQ(0ULL, seen(self));
		turn_pass(&self->turns[0], 0);
		EXPECT_EQ(0ULL, seen(self));
		turn_pass(&self->owner.turns, 0);
		EXPECT_EQ(0ULL, seen(self));
		turn_pass(&self->turns[1], 0);
	}
	EXPECT_EQ(0, waitpid(-1, NULL, WNOHANG));
}

/* They were here before anybody had the right; now somebody gets it. */
TEST_F(leak, from_before)
{
	self->child[0] = counted_child(self, 0, NULL);
	self->child[1] = counted_child(self, 1, NULL);
	ASSERT_EQ(0, get_the_right(self));
	EXPECT_EQ(0ULL, seen(self));
}

static void disable(int fd)
{
	pm_disable(fd, PMUDEV_ALL);
}

static void close_it(int fd)
{
	close(fd);
}

static void end(int fd)
{
	(void)fd;
	_exit(0);
}

TEST_F(leak, of_a_set_that_ended)
{
	ASSERT_EQ(0, get_the_right(self));
	self->child[0] = counted_child(self, 0, disable);
	EXPECT_EQ(0ULL, seen(self));
	stop_child(self->child[0]);
	self->child[0] = counted_child(self, 0, close_it);
	EXPECT_EQ(0ULL, seen(self));
	stop_child(self->child[0]);
	self->child[0] = 0;
	EXPECT_EQ(0ULL, seen(self));
}

/* Counted or not, whoever ends leaves nothing. */
TEST_F(leak, of_a_process_that_ended)
{
	int i, child;

	ASSERT_EQ(0, get_the_right(self));
	for (i = 0; i < 10; i++) {
		child = fork_bound();
		if (!child) {
			if (count_everything(&self->pmu) < 0)
				_exit(1);
			loop(1000);
			end(0);
		}
		ASSERT_EQ(0, child_result(child));
		EXPECT_EQ(0ULL, seen(self));
	}
}

/* What the looker's own set counted, it gave back. Not for user reads, it may be hidden anyway. */
TEST_F(leak, of_ones_own)
{
	struct pmudev_query query;
	__u64 own;
	int fd;

	ASSERT_EQ(0, pm_query(&query));
	own = query.features & PMUDEV_HAS_HIDING ? 0 : self->pmu.counters;
	ASSERT_EQ(0, get_the_right(self));
	fd = count_everything(&self->pmu);
	ASSERT_GE(fd, 0);
	loop(1000);
	EXPECT_EQ(own, seen(self));
	ASSERT_EQ(0, pm_disable(fd, PMUDEV_ALL));
	EXPECT_EQ(0ULL, seen(self));
	ASSERT_EQ(0, pm_enable(fd, PMUDEV_ALL));
	EXPECT_EQ(own, seen(self));
	close(fd);
	EXPECT_EQ(0ULL, seen(self));
}

TEST_F(leak, of_perfs)
{
	int fd[3], i;

	for (i = 0; i < 3; i++) {
		fd[i] = perf_open(i ? EVENT_BRANCHES : EVENT_INSTRUCTIONS, 0, -1, 0);
		ASSERT_GE(fd[i], 0);
	}
	loop(100000);
	for (i = 0; i < 3; i++)
		close(fd[i]);
	ASSERT_EQ(0, get_the_right(self));
	EXPECT_EQ(0ULL, seen(self));
}

#define COULD(turn) (1 << (turn))
#define SAW	    100

/*
 * A child of perf's reader: perf leaves it the right to read, and only pmudev takes it. It exits
 * with the turns in which it could read, or with SAW if it saw in the second what others counted.
 */
static int child_of_perfs_reader(const struct _test_data_leak *self, struct turns *turns)
{
	int fd, child, i, result = 0;
	void *page;

	/* Once pmudev has counted a thread it takes the right at each fork. */
	if (unload_module() || load_module() || set_user_access(true))
		return -EIO;
	fd = perf_open(EVENT_INSTRUCTIONS, 0, 0, -1);
	page = mmap(NULL, PAGE_BYTES, PROT_READ, MAP_SHARED, fd, 0);
	if (fd < 0 || page == MAP_FAILED)
		return -EIO;
	child = fork_bound();
	if (!child) {
		close(fd);
		for (i = 0; i < 2; i++) {
			turn_wait(turns, 1);
			if (!all_fault())
				result |= i && seen(self) ? SAW : COULD(i);
			turn_give(turns, 1);
		}
		_exit(result);
	}
	munmap(page, PAGE_BYTES);
	close(fd);
	return child;
}

TEST_F(leak, to_a_child_of_perfs_reader)
{
	struct turns turns;
	int child;

	ASSERT_EQ(0, turns_init(&turns));
	child = child_of_perfs_reader(self, &turns);
	ASSERT_GT(child, 0);
	turn_pass(&turns, 0);
	self->child[0] = counted_child(self, 0, NULL);
	turn_pass(&turns, 0);
	EXPECT_EQ(COULD(0), child_result(child));
}

/* A reader's page is there before the PMU is reserved: only when it is gone can others be found. */
TEST_F(leak, to_a_child_of_perfs_reader_beside_ours)
{
	struct pmudev_event_attr event = raw_event(EVENT_INSTRUCTIONS, DIRECT_READ);
	struct pmudev_page *page;
	struct turns turns;
	__u64 value;
	int child, fd;

	ASSERT_EQ(0, turns_init(&turns));
	child = child_of_perfs_reader(self, &turns);
	ASSERT_GT(child, 0);
	turn_pass(&turns, 0);
	fd = pm_set(&event, 1, false);
	ASSERT_GE(fd, 0);
	page = pm_map(fd);
	ASSERT_NE(NULL, page);
	ASSERT_EQ(0, pm_enable(fd, 0));
	self->child[0] = counted_child(self, 0, NULL);
	/* Its own right is not touched. */
	EXPECT_EQ(0, all_fault());
	EXPECT_EQ(0, direct_read(&(struct reader){ .page = page, .tid = my_tid() }, 0, &value));
	pm_unmap(page);
	EXPECT_EQ(1, all_fault());
	turn_pass(&self->turns[0], 0);
	turn_pass(&turns, 0);
	EXPECT_EQ(COULD(0), child_result(child));
	close(fd);
}

/* ------------------------------------------------------------- who runs beside -- */

/* Pushed off and put back at any instruction, as long as it takes. */
static void spin_counted(struct _test_data_leak *self, int which, bool wander)
{
	unsigned int i;

	if (count_everything(&self->pmu) < 0)
		_exit(1);
	turn_give(&self->turns[which], 1);
	for (i = 0;; i++) {
		if (wander && pin_to(i % cpus_online()))
			_exit(2);
		loop(2000);
		/* Of changing length, to come back to a different place each time. */
		pause_ns(20000 + i % 11 * 3001);
	}
}

static void look(struct __test_metadata *_metadata, struct _test_data_leak *self, bool wander)
{
	struct rusage before, after;
	__u64 i, next = 0;
	long switches;
	int n;

	ASSERT_EQ(0, get_the_right(self));
	for (n = 0; n < 2; n++) {
		self->child[n] = fork_bound();
		if (!self->child[n])
			spin_counted(self, n, wander);
		turn_wait(&self->turns[n], 0);
	}
	getrusage(RUSAGE_THREAD, &before);
	for (i = 0; i < 100000; i++) {
		give_way(i, &next);
		if (wander && i % 1000 == 0)
			ASSERT_EQ(0, pin_to(i / 1000 % cpus_online()));
		ASSERT_EQ(0ULL, seen(self)) TH_LOG("no. %llu", i);
	}
	getrusage(RUSAGE_THREAD, &after);
	switches = after.ru_nivcsw - before.ru_nivcsw;
	TH_LOG("pushed off %ld times", switches);
	EXPECT_GT(switches, 10);
	EXPECT_EQ(0, waitpid(-1, NULL, WNOHANG));
}

TEST_F(leak, under_preemption)
{
	look(_metadata, self, false);
}

TEST_F(leak, on_the_way_from_cpu_to_cpu)
{
	if (cpus_online() < 2)
		SKIP(return, "needs two CPUs");
	look(_metadata, self, true);
}

/* User access disabled: stopped counters are not readable either. */
TEST_F(leak, user_access_disabled)
{
	int i;

	ASSERT_EQ(0, get_the_right(self));
	self->child[0] = counted_child(self, 0, NULL);
	for (i = 0; i < 5; i++) {
		ASSERT_EQ(0, set_user_access(i & 1));
		EXPECT_EQ(0ULL, seen(self));
		turn_pass(&self->owner.turns, 0);
		EXPECT_EQ(0ULL, seen(self));
		turn_pass(&self->turns[0], 0);
		EXPECT_EQ(0ULL, seen(self));
	}
}

#else

TEST(intel)
{
	SKIP(return, "another architecture");
}

#endif

TEST_HARNESS_MAIN
