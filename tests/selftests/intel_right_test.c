// SPDX-License-Identifier: GPL-2.0
/*
 * The right to execute RDPMC belongs to an address space (CR4.PCE), and perf has a say in it: its
 * sysfs file `rdpmc` takes the right from everybody (0) or gives it to everybody (2). Whatever
 * becomes of it, a checked read never faults and what it shows never steps back.
 */
#include "intel.h"
#include "kselftest_harness.h"
#include "perf.h"

#include <fcntl.h>
#include <pmudev.h>
#include <pthread.h>

#if defined(__x86_64__)

#define RDPMC "/sys/bus/event_source/devices/cpu/rdpmc"
#define READS 100000

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

/* --------------------------------------------------------------------- toggled -- */

static unsigned int *toggles;

static int toggle(struct turns *turns, const char *path, const char *values)
{
	int child = fork_bound();
	unsigned int i;
	int fd;

	if (child)
		return child;
	pin_to(cpus_online() - 1);
	fd = open(path, O_WRONLY | O_CLOEXEC);
	turn_give(turns, 1);
	for (i = 0;; i++) {
		if (pwrite(fd, &values[i % strlen(values)], 1, 0) != 1)
			_exit(errno);
		__atomic_fetch_add(toggles, 1, __ATOMIC_RELAXED);
		/* Of changing length, so that the reader is at a different place each time. */
		pause_ns(30000 + i % 13 * 7001);
	}
}

static void read_under_toggles(struct __test_metadata *_metadata, struct _test_data_right *self,
			       unsigned int enough)
{
	__u64 value, last = 0, next = 0, n, directs = 0, calls = 0;
	bool direct;

	for (n = 0; n < READS || (READ_ONCE(*toggles) < enough && n < 20 * READS); n++) {
		give_way(n, &next);
		ASSERT_EQ(0, read_either(self->fd, &self->reader, 0, &value, &direct));
		ASSERT_GE(value, last) TH_LOG("read %llu, direct %d", n, direct);
		last = value;
		directs += direct;
		calls += !direct;
		n += direct ? 0 : 20;
	}
	TH_LOG("%llu direct, %llu by call, %u toggles", directs, calls, READ_ONCE(*toggles));
	EXPECT_GT(directs, 1000ULL);
	EXPECT_GT(calls, 10ULL);
	EXPECT_GE(READ_ONCE(*toggles), enough);
}

/* What a read costs, when all is quiet, is what it did before. */
static __u64 overhead(struct __test_metadata *_metadata, struct _test_data_right *self, __u64 n)
{
	__u64 count = 0;

	EXPECT_EQ(0, measure_direct(&self->reader, 0, n, &count));
	return count - LOOP_INSTRUCTIONS * n;
}

static void toggled(struct __test_metadata *_metadata, struct _test_data_right *self, bool file,
		    bool user_access)
{
	bool exact = exact_instructions();
	int child[2] = { 0 };
	struct turns turns;
	union record record;
	__u64 value, c = 0;

	/* Disabling user access stops the group that is read directly, and no other. */
	ASSERT_EQ(0, start(self, user_access ? 1 : 0));
	if (exact)
		c = overhead(_metadata, self, 1000);
	ASSERT_EQ(0, turns_init(&turns));
	toggles = mmap(NULL, PAGE_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	ASSERT_NE(MAP_FAILED, toggles);
	if (file) {
		child[0] = toggle(&turns, RDPMC, "0121");
		turn_wait(&turns, 0);
	}
	if (user_access) {
		child[1] = toggle(&turns, USER_ACCESS, "01");
		turn_wait(&turns, 0);
	}
	read_under_toggles(_metadata, self, 20);
	EXPECT_EQ(0, waitpid(-1, NULL, WNOHANG));
	stop_child(child[0]);
	stop_child(child[1]);
	ASSERT_EQ(0, write_file(RDPMC, "1"));
	ASSERT_EQ(0, set_user_access(true));
	/* The right comes back at a switch. */
	EXPECT_TRUE(WAIT_FOR(!direct_read(&self->reader, 0, &value)));
	ASSERT_EQ(0, pm_read(self->fd, &record));
	if (user_access) {
		EXPECT_LT(record.r.counts[0].value, record.r.counts[1].value);
	} else {
		/* The one that nobody touched has counted the same. */
		EXPECT_EQ(record.r.counts[1].value, record.r.counts[0].value);
		EXPECT_EQ(record.r.time_enabled, record.r.time_running);
	}
	EXPECT_EQ(record.r.counts[1].time_enabled, record.r.counts[1].time_running);
	for (value = 1000; exact && value <= 1000000; value *= 10)
		EXPECT_EQ(c, overhead(_metadata, self, value));
}

TEST_F(right, perfs_file_toggled)
{
	toggled(_metadata, self, true, false);
}

TEST_F(right, file_and_user_access_toggled)
{
	toggled(_metadata, self, true, true);
}

/* What a program does: the library's read, which finds its way by itself. */
TEST_F(right, the_library_under_both)
{
	struct pmudev_event_attr event = raw_event(EVENT_INSTRUCTIONS, DIRECT_READ);
	__u64 i, next = 0, value, last = 0, direct = 0;
	struct pmudev set;
	struct turns turns;
	int child[2];

	ASSERT_EQ(0, pmudev_open(&set));
	ASSERT_EQ(0, pmudev_bind_self(&set));
	ASSERT_EQ(0, pmudev_add(&set, &event, 1, NULL));
	ASSERT_EQ(0, pmudev_enable(&set, PMUDEV_ALL));
	ASSERT_EQ(0, pmudev_map(&set));
	ASSERT_EQ(0, turns_init(&turns));
	toggles = mmap(NULL, PAGE_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	ASSERT_NE(MAP_FAILED, toggles);
	child[0] = toggle(&turns, RDPMC, "01");
	turn_wait(&turns, 0);
	child[1] = toggle(&turns, USER_ACCESS, "01");
	turn_wait(&turns, 0);
	for (i = 0; i < READS || READ_ONCE(*toggles) < 20; i++) {
		uint64_t count;

		give_way(i, &next);
		if (pmudev_try_count(&set, 0, &count))
			direct++;
		else
			i += 20;
		ASSERT_EQ(0, pmudev_read_count(&set, 0, &count));
		value = count;
		ASSERT_GE(value, last) TH_LOG("read %llu", i);
		last = value;
	}
	EXPECT_EQ(0, waitpid(-1, NULL, WNOHANG));
	stop_child(child[0]);
	stop_child(child[1]);
	TH_LOG("%llu of %llu direct, %u toggles", direct, i, READ_ONCE(*toggles));
	EXPECT_GT(direct, 1000ULL);
	EXPECT_LT(direct, i);
	pmudev_close(&set);
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
 * Taken while the reader sleeps, alone on its CPU, where no other address space comes, and given
 * back while it runs: it is enough that the reader is switched once.
 */
TEST_F(right, comes_back)
{
	struct turns turns;
	int i, child;
	__u64 value;
	bool direct;

	if (cpus_online() < 2)
		SKIP(return, "needs two CPUs");
	ASSERT_EQ(0, turns_init(&turns));
	toggles = mmap(NULL, PAGE_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	ASSERT_NE(MAP_FAILED, toggles);
	child = fork_bound();
	if (!child) {
		pin_to(0);
		for (;;) {
			turn_wait(&turns, 1);
			if (write_file(RDPMC, "0"))
				_exit(1);
			turn_give(&turns, 1);
			pause_ns(1000000);
			if (write_file(RDPMC, "1"))
				_exit(2);
			__atomic_fetch_add(toggles, 1, __ATOMIC_RELEASE);
		}
	}
	ASSERT_EQ(0, pin_to(1));
	ASSERT_EQ(0, start(self, 0));
	for (i = 0; i < 10; i++) {
		ASSERT_EQ(0, read_either(self->fd, &self->reader, 0, &value, &direct));
		EXPECT_TRUE(direct) TH_LOG("round %d", i);
		turn_pass(&turns, 0);
		while (__atomic_load_n(toggles, __ATOMIC_ACQUIRE) <= (unsigned int)i)
			ASSERT_EQ(0, read_either(self->fd, &self->reader, 0, &value, &direct));
		/* Long enough to be a sleep on slow kernels too: it takes a switch to come back. */
		pause_ns(1000000);
	}
	EXPECT_EQ(0, waitpid(child, NULL, WNOHANG));
	stop_child(child);
}

/* The reader itself writes: the kernel patches its text then, in another address space. */
TEST_F(right, written_by_the_reader)
{
	__u64 value;
	int i;

	ASSERT_EQ(0, start(self, 0));
	for (i = 0; i < 5; i++) {
		ASSERT_EQ(0, write_file(RDPMC, "0"));
		EXPECT_EQ(-EAGAIN, direct_read(&self->reader, 0, &value));
		pause_ns(1000000);
		EXPECT_EQ(-EAGAIN, direct_read(&self->reader, 0, &value));
		ASSERT_EQ(0, write_file(RDPMC, "1"));
		EXPECT_TRUE(WAIT_FOR(!direct_read(&self->reader, 0, &value)));
		EXPECT_EQ(0, all_fault());
	}
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
