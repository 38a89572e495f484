// SPDX-License-Identifier: GPL-2.0
/*
 * Root writes perf's sysfs file `rdpmc`, and user access is switched off and on, while a thread
 * reads: what it reads never steps back, and nothing is lost. A read faults only in between the
 * file's 0 and the thread's next switch.
 */
#include "common.h"
#include "kselftest_harness.h"

#include <fcntl.h>
#include <pmudev.h>
#include <setjmp.h>
#include <signal.h>

#if defined(__x86_64__)

#define RDPMC "/sys/bus/event_source/devices/cpu/rdpmc"
#define READS 100000

FIXTURE(toggle)
{
	int fd;
	struct pmudev_page *page;
	struct reader reader;
};

FIXTURE_SETUP(toggle)
{
	if (read_number(RDPMC) != 1)
		SKIP(return, RDPMC " is not 1");
	ASSERT_EQ(0, set_user_access(true));
	self->fd = -1;
}

FIXTURE_TEARDOWN(toggle)
{
	if (self->page)
		pm_unmap(self->page);
	if (self->fd >= 0)
		close(self->fd);
	write_file(RDPMC, "1");
	set_user_access(false);
}

/* Slot 0 is read directly; slot 1 counts the same, in the same group or another. */
static int start(struct _test_data_toggle *self, __u32 group)
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

static sigjmp_buf before_fault;
static unsigned int faults;

static void on_fault(int signal)
{
	(void)signal;
	faults++;
	siglongjmp(before_fault, 1);
}

/* From now on guarded() can be used. */
static void catch_faults(void)
{
	struct sigaction action = { .sa_handler = on_fault };

	faults = 0;
	sigaction(SIGSEGV, &action, NULL);
}

/* A read that root's 0 can make fault; it is then repeated after a switch. */
#define guarded(read)                           \
	({                                      \
		if (sigsetjmp(before_fault, 1)) \
			pause_ns(1000);         \
		read;                           \
	})

static int read_guarded(const struct _test_data_toggle *self, struct reader *reader, __u64 *value,
			bool *direct)
{
	return guarded(read_either(self->fd, reader, 0, value, direct));
}

static unsigned int *toggles;

static int toggler(struct turns *turns, const char *path, const char *values)
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

static void read_under_toggles(struct __test_metadata *_metadata, struct _test_data_toggle *self,
			       unsigned int enough)
{
	__u64 value, last = 0, next = 0, n, directs = 0, calls = 0;
	bool direct;

	for (n = 0; n < READS || (READ_ONCE(*toggles) < enough && n < 20 * READS); n++) {
		give_way(n, &next);
		ASSERT_EQ(0, read_guarded(self, &self->reader, &value, &direct));
		ASSERT_GE(value, last) TH_LOG("read %llu, direct %d", n, direct);
		last = value;
		directs += direct;
		calls += !direct;
		n += direct ? 0 : 20;
	}
	TH_LOG("%llu direct, %llu by call, %u toggles, %u faults", directs, calls,
	       READ_ONCE(*toggles), faults);
	EXPECT_GT(directs, 1000ULL);
	EXPECT_GT(calls, 10ULL);
	EXPECT_GE(READ_ONCE(*toggles), enough);
}

/* What a read costs, when all is quiet, is what it did before. */
static __u64 overhead(struct __test_metadata *_metadata, struct _test_data_toggle *self, __u64 n)
{
	__u64 count = 0;

	EXPECT_EQ(0, measure_direct(&self->reader, 0, n, &count));
	return count - LOOP_INSTRUCTIONS * n;
}

static void toggled(struct __test_metadata *_metadata, struct _test_data_toggle *self, bool file,
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
	catch_faults();
	ASSERT_EQ(0, turns_init(&turns));
	toggles = mmap(NULL, PAGE_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	ASSERT_NE(MAP_FAILED, toggles);
	if (file) {
		child[0] = toggler(&turns, RDPMC, "0121");
		turn_wait(&turns, 0);
	}
	if (user_access) {
		child[1] = toggler(&turns, USER_ACCESS, "01");
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

TEST_F(toggle, perfs_file_toggled)
{
	toggled(_metadata, self, true, false);
}

TEST_F(toggle, file_and_user_access_toggled)
{
	toggled(_metadata, self, true, true);
}

static bool try_guarded(struct pmudev *set, uint64_t *count)
{
	return guarded(pmudev_try_count(set, 0, count));
}

static int count_guarded(struct pmudev *set, uint64_t *count)
{
	return guarded(pmudev_read_count(set, 0, count));
}

/* What a program does: the library's read, which finds its way by itself. */
TEST_F(toggle, the_library_under_both)
{
	struct pmudev_event_attr event = raw_event(EVENT_INSTRUCTIONS, DIRECT_READ);
	/* Debug kernels take ten times as long for a call, and toggle as often. */
	const __u64 enough = debug_kernel() ? 100 : 1000;
	__u64 i, next = 0, value, last = 0, direct = 0;
	struct pmudev set;
	struct turns turns;
	int child[2];

	catch_faults();
	ASSERT_EQ(0, pmudev_open(&set));
	ASSERT_EQ(0, pmudev_bind_self(&set));
	ASSERT_EQ(0, pmudev_add(&set, &event, 1, NULL));
	ASSERT_EQ(0, pmudev_enable(&set, PMUDEV_ALL));
	ASSERT_EQ(0, pmudev_map(&set));
	ASSERT_EQ(0, turns_init(&turns));
	toggles = mmap(NULL, PAGE_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	ASSERT_NE(MAP_FAILED, toggles);
	child[0] = toggler(&turns, RDPMC, "01");
	turn_wait(&turns, 0);
	child[1] = toggler(&turns, USER_ACCESS, "01");
	turn_wait(&turns, 0);
	/* How long both let it read at once is luck. */
	for (i = 0; i < READS || ((READ_ONCE(*toggles) < 20 || direct <= enough) && i < 20 * READS);
	     i++) {
		uint64_t count;

		give_way(i, &next);
		if (try_guarded(&set, &count))
			direct++;
		else
			i += 20;
		ASSERT_EQ(0, count_guarded(&set, &count));
		value = count;
		ASSERT_GE(value, last) TH_LOG("read %llu", i);
		last = value;
	}
	EXPECT_EQ(0, waitpid(-1, NULL, WNOHANG));
	stop_child(child[0]);
	stop_child(child[1]);
	TH_LOG("%llu of %llu direct, %u toggles, %u faults", direct, i, READ_ONCE(*toggles),
	       faults);
	EXPECT_GT(direct, enough);
	EXPECT_LT(direct, i);
	pmudev_close(&set);
}

/*
 * Taken while the reader sleeps, alone on its CPU, where no other address space comes, and given
 * back while it runs: it is enough that the reader is switched once.
 */
TEST_F(toggle, comes_back)
{
	struct turns turns;
	int i, child;
	__u64 value;
	bool direct;

	if (cpus_online() < 2)
		SKIP(return, "needs two CPUs");
	catch_faults();
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
		ASSERT_EQ(0, read_guarded(self, &self->reader, &value, &direct));
		EXPECT_TRUE(direct) TH_LOG("round %d", i);
		turn_pass(&turns, 0);
		while (__atomic_load_n(toggles, __ATOMIC_ACQUIRE) <= (unsigned int)i)
			ASSERT_EQ(0, read_guarded(self, &self->reader, &value, &direct));
		/* Long enough to be a sleep on slow kernels too: it takes a switch to come back. */
		pause_ns(1000000);
	}
	EXPECT_EQ(0, waitpid(child, NULL, WNOHANG));
	stop_child(child);
}

#else

TEST(intel)
{
	SKIP(return, "another architecture");
}

#endif

TEST_HARNESS_MAIN
