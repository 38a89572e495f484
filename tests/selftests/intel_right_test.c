// SPDX-License-Identifier: GPL-2.0
/*
 * The right to execute RDPMC belongs to an address space (CR4.PCE), and perf has a say in it: its
 * sysfs file `rdpmc` takes the right from everybody (0) or gives it to everybody (2). What a
 * checked read shows never steps back. It faults only if root has taken the right since the thread
 * was last switched in.
 */
#include "intel.h"
#include "kselftest_harness.h"
#include "perf.h"

#include <pthread.h>

#if defined(__x86_64__)

#define RDPMC "/sys/bus/event_source/devices/cpu/rdpmc"

FIXTURE(right)
{
	int fd;
	struct pmudev_page *page;
	struct reader reader;
};

FIXTURE_SETUP(right)
{
	if (read_number(RDPMC) != 1)
		SKIP(return, RDPMC " is not 1");
	ASSERT_EQ(0, set_user_access(true));
	self->fd = -1;
}

FIXTURE_TEARDOWN(right)
{
	if (self->page)
		pm_unmap(self->page);
	if (self->fd >= 0)
		close(self->fd);
	write_file(RDPMC, "1");
	set_user_access(false);
}

/* Slot 0 is read directly; slot 1 counts the same, in the same group or another. */
static int start(struct _test_data_right *self, __u32 group)
{
	struct pmudev_event_attr events[] = {
		raw_event(EVENT_INSTRUCTIONS, DIRECT_READ),
		in_group(raw_event(EVENT_INSTRUCTIONS, USER_ONLY), group),
	};

	self->fd = pm_set(events, 2, true);
	if (self->fd < 0)
		return self->fd;
	self->page = pm_map(self->fd);
	if (!self->page)
		return -errno;
	self->reader = reader_of(self->page);
	return 0;
}

static __u64 lost(void)
{
	struct pmudev_query query;

	return pm_query(&query) ? ~0ULL : query.user_access_lost;
}

/* The thread was switched and found without the right. */
static bool disowned(const struct _test_data_right *self)
{
	return WAIT_FOR(!READ_ONCE(self->page->owner));
}

/* ------------------------------------------------------------ threads and CPUs -- */

/* On each CPU it has the right, and somebody else who comes there just after it has not. */
TEST_F(right, on_every_cpu)
{
	struct turns turns;
	__u64 value;
	int i, child, cpus = cpus_online();

	ASSERT_EQ(0, turns_init(&turns));
	child = fork_bound();
	if (!child) {
		for (i = 0;; i++) {
			turn_wait(&turns, 1);
			if (pin_to(i % cpus) || all_fault() != 1)
				_exit(1);
			turn_give(&turns, 1);
		}
	}
	ASSERT_EQ(0, start(self, 0));
	for (i = 0; i < 100; i++) {
		ASSERT_EQ(0, pin_to(i % cpus));
		EXPECT_EQ(0, all_fault());
		EXPECT_EQ(0, direct_read(&self->reader, 0, &value));
		turn_pass(&turns, 0);
		EXPECT_EQ(0, all_fault());
	}
	EXPECT_EQ(0, waitpid(child, NULL, WNOHANG));
	stop_child(child);
}

struct watcher {
	pthread_t thread;
	int cpu;
	const int *step; /* look again when it changes; -1: end */
	int looked;
	int faults;
};

static void *watch(void *arg)
{
	struct watcher *w = arg;
	int step;

	pin_to(w->cpu);
	/* Never asleep: nothing but what mmap and munmap do changes the right. */
	do {
		step = __atomic_load_n(w->step, __ATOMIC_ACQUIRE);
		if (step == w->looked) {
			loop(500);
			continue;
		}
		w->faults = all_fault();
		__atomic_store_n(&w->looked, step, __ATOMIC_RELEASE);
	} while (step >= 0);
	return NULL;
}

static int all_looked(struct watcher *w, int n, int step, int faults)
{
	int i, wrong = 0;

	for (i = 0; i < n; i++) {
		if (!WAIT_FOR(__atomic_load_n(&w[i].looked, __ATOMIC_ACQUIRE) == step))
			return -1;
		wrong += w[i].faults != faults;
	}
	return wrong;
}

/* The threads of the process, on other CPUs meanwhile, get it by mmap and lose it by munmap. */
TEST_F(right, of_all_threads_at_once)
{
	struct watcher w[16];
	int step = 0, i, n = cpus_online() < 16 ? cpus_online() : 16;

	for (i = 0; i < n; i++) {
		w[i] = (struct watcher){ .cpu = i, .step = &step };
		ASSERT_EQ(0, pthread_create(&w[i].thread, NULL, watch, &w[i]));
	}
	for (i = 0; i < 10; i++) {
		ASSERT_EQ(0, start(self, 0));
		__atomic_store_n(&step, step + 1, __ATOMIC_RELEASE);
		EXPECT_EQ(0, all_looked(w, n, step, 0));
		pm_unmap(self->page);
		self->page = NULL;
		__atomic_store_n(&step, step + 1, __ATOMIC_RELEASE);
		EXPECT_EQ(0, all_looked(w, n, step, 1));
		close(self->fd);
		self->fd = -1;
	}
	__atomic_store_n(&step, -1, __ATOMIC_RELEASE);
	for (i = 0; i < n; i++)
		ASSERT_EQ(0, pthread_join(w[i].thread, NULL));
}

/* ------------------------------------------------------------ the file's values -- */

/* With 0 nobody reads directly, who maps meanwhile neither; it comes back with 1. */
TEST_F(right, nobody)
{
	__u64 before, value;
	bool direct = true;

	ASSERT_EQ(0, write_file(RDPMC, "0"));
	EXPECT_EQ(1, all_fault());
	ASSERT_EQ(0, start(self, 0));
	ASSERT_EQ(0, read_either(self->fd, &self->reader, 0, &before, &direct));
	loop(1000);
	ASSERT_EQ(0, read_either(self->fd, &self->reader, 0, &value, NULL));
	EXPECT_GE(value, before + 1000 * LOOP_INSTRUCTIONS);
	ASSERT_EQ(0, write_file(RDPMC, "1"));
	EXPECT_TRUE(WAIT_FOR(!direct_read(&self->reader, 0, &value)));
	EXPECT_GT(value, before);
	pm_unmap(self->page);
	self->page = NULL;
	EXPECT_EQ(1, all_fault());
}

/*
 * Taken while the thread runs: the bare instruction faults at once. Once it was switched its page
 * has no owner, checked reads call read(2), and the loss is counted, once until it is back.
 */
TEST_F(right, taken_while_it_runs)
{
	__u64 value, last = 0, before;
	bool direct;
	int i;

	ASSERT_EQ(0, start(self, 0));
	before = lost();
	for (i = 1; i <= 5; i++) {
		ASSERT_EQ(0, write_file(RDPMC, "0"));
		EXPECT_EQ(1, all_fault());
		ASSERT_TRUE(disowned(self));
		EXPECT_EQ(before + i, lost());
		pause_ns(1000000);
		ASSERT_EQ(0, read_either(self->fd, &self->reader, 0, &value, &direct));
		EXPECT_FALSE(direct);
		EXPECT_GT(value, last);
		EXPECT_EQ(before + i, lost());
		ASSERT_EQ(0, write_file(RDPMC, "1"));
		EXPECT_TRUE(WAIT_FOR(!direct_read(&self->reader, 0, &last)));
		EXPECT_GT(last, value);
		EXPECT_EQ(0, all_fault());
		EXPECT_EQ(before + i, lost());
	}
}

/* A thread with two sets, whose pages have perf's layout */
struct twice {
	pthread_t thread;
	struct turns turns;
	struct pmudev_event_attr event[2];
	int fd[2];
	void *page[2];
	__u32 tid;
	bool spins;
	bool stop;
};

static void *count_twice(void *arg)
{
	struct twice *twice = arg;
	int i;

	pin_to(1);
	twice->tid = my_tid();
	for (i = 0; i < 2; i++) {
		twice->fd[i] = pm_set(&twice->event[i], 1, true);
		twice->page[i] = pm_map_perf(twice->fd[i], 0);
		loop(1000000);
	}
	turn_pass(&twice->turns, 1);
	WRITE_ONCE(twice->spins, true);
	while (!READ_ONCE(twice->stop))
		;
	turn_pass(&twice->turns, 1);
	return NULL;
}

static __u64 place(int fd)
{
	__s32 counter;

	return pm_place(fd, NULL, 0, &counter) ? 0 : 1ULL << counter;
}

/*
 * Taken while the thread runs, and then a newcomer makes events of both its sets move: the first
 * goes to the counter of the second. When the first page is written the right turns out to be
 * gone, and the second page is taken away, too: its event has no counter at that moment.
 */
TEST_F(right, taken_before_events_move)
{
	struct twice twice = {};
	struct pmudev_event_attr newcomer = raw_event(EVENT_INSTRUCTIONS, USER_ONLY);
	struct pmudev_query query;
	__u64 before, where[2], p[3];
	int i, fd;

	if (cpus_online() < 2)
		SKIP(return, "needs two CPUs");
	ASSERT_EQ(0, pm_query(&query));
	for (i = 0; i < 3; i++) {
		p[i] = query.counters & 0xffffffff & -(query.counters & 0xffffffff);
		query.counters -= p[i];
	}
	ASSERT_EQ(0, pin_to(0));
	ASSERT_EQ(0, turns_init(&twice.turns));
	for (i = 0; i < 2; i++) {
		twice.event[i] = raw_event(EVENT_INSTRUCTIONS, DIRECT_READ);
		twice.event[i].allowed = p[i] | p[i + 1];
	}
	ASSERT_EQ(0, pthread_create(&twice.thread, NULL, count_twice, &twice));
	turn_wait(&twice.turns, 0);
	ASSERT_NE(NULL, twice.page[0]);
	ASSERT_NE(NULL, twice.page[1]);
	/* It has given the turn, and may not wait for its own yet: until then both sets count. */
	ASSERT_TRUE(WAIT_FOR(task_state(twice.tid) == 'S'));
	for (i = 0; i < 2; i++)
		where[i] = place(twice.fd[i]);
	/* One of them has the counter that both may have: the newcomer wants the other's. */
	ASSERT_TRUE(where[0] == p[1] || where[1] == p[1]);
	newcomer.allowed = where[where[0] == p[1]];
	before = pm_value(twice.fd[0], 0) - pm_value(twice.fd[1], 0);
	turn_give(&twice.turns, 0);
	ASSERT_TRUE(WAIT_FOR(READ_ONCE(twice.spins)));
	ASSERT_EQ(0, write_file(RDPMC, "0"));
	fd = pm_attach(twice.tid, 0, &newcomer, 1, true);
	EXPECT_LE(0, fd);
	for (i = 0; i < 2; i++)
		EXPECT_NE(where[i], place(twice.fd[i]));
	WRITE_ONCE(twice.stop, true);
	turn_wait(&twice.turns, 0);
	ASSERT_TRUE(WAIT_FOR(task_state(twice.tid) == 'S'));
	EXPECT_EQ(before, pm_value(twice.fd[0], 0) - pm_value(twice.fd[1], 0));
	turn_give(&twice.turns, 0);
	ASSERT_EQ(0, pthread_join(twice.thread, NULL));
	for (i = 0; i < 2; i++) {
		munmap(twice.page[i], PAGE_BYTES);
		close(twice.fd[i]);
	}
	close(fd);
	turns_end(&twice.turns);
}

/* A right that pmudev itself gives up, or that the thread never had, is no loss. */
TEST_F(right, given_up_is_not_lost)
{
	__u64 before = lost(), value;

	ASSERT_EQ(0, start(self, 0));
	ASSERT_EQ(0, set_user_access(false));
	EXPECT_EQ(-EAGAIN, direct_read(&self->reader, 0, &value));
	pause_ns(1000000);
	ASSERT_EQ(0, set_user_access(true));
	EXPECT_TRUE(WAIT_FOR(!direct_read(&self->reader, 0, &value)));
	pm_unmap(self->page);
	self->page = NULL;
	close(self->fd);
	ASSERT_EQ(0, write_file(RDPMC, "0"));
	ASSERT_EQ(0, start(self, 0));
	pause_ns(1000000);
	EXPECT_EQ(-EAGAIN, direct_read(&self->reader, 0, &value));
	EXPECT_EQ(before, lost());
}

/* With 2 everybody, which is perf's business; afterwards it is ours again. */
TEST_F(right, everybody)
{
	__u64 value;

	ASSERT_EQ(0, write_file(RDPMC, "2"));
	EXPECT_EQ(0, all_fault());
	ASSERT_EQ(0, start(self, 0));
	EXPECT_EQ(0, direct_read(&self->reader, 0, &value));
	ASSERT_EQ(0, write_file(RDPMC, "1"));
	EXPECT_TRUE(WAIT_FOR(!direct_read(&self->reader, 0, &value)));
	EXPECT_EQ(0, all_fault());
	pm_unmap(self->page);
	self->page = NULL;
	EXPECT_EQ(1, all_fault());
}

/* perf's own readers and ours, one after another: what one gives back the other does not miss. */
TEST_F(right, in_turns_with_perfs_readers)
{
	struct perf_event_mmap_page *page;
	struct pmudev_query query;
	__u64 value;
	int i, fd;

	for (i = 0; i < 10; i++) {
		fd = perf_open(EVENT_INSTRUCTIONS, 0, 0, -1);
		ASSERT_GE(fd, 0);
		page = mmap(NULL, PAGE_BYTES, PROT_READ, MAP_SHARED, fd, 0);
		ASSERT_NE(MAP_FAILED, page);
		EXPECT_EQ(1, (int)page->cap_user_rdpmc);
		EXPECT_EQ(0, all_fault());
		EXPECT_EQ(-EBUSY, start(self, 0));
		munmap(page, PAGE_BYTES);
		close(fd);
		EXPECT_EQ(1, all_fault());
		ASSERT_EQ(0, start(self, 0));
		EXPECT_EQ(0, direct_read(&self->reader, 0, &value));
		pm_unmap(self->page);
		self->page = NULL;
		EXPECT_EQ(1, all_fault());
		close(self->fd);
		self->fd = -1;
		EXPECT_TRUE(WAIT_FOR(!pm_query(&query) && !(query.state & PMUDEV_STATE_RESERVED)));
	}
}

#else

TEST(intel)
{
	SKIP(return, "another architecture");
}

#endif

TEST_HARNESS_MAIN
