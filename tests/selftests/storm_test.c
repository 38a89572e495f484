// SPDX-License-Identifier: GPL-2.0
/*
 * Storms: ten thousand children that inherit, a hundred thousand sets that come and go, and CPUs
 * that do so, too, all the while. No count is lost, not one instruction, and nothing stays behind:
 * no counter, no reference to the module, no memory.
 */
#include "disturb.h"
#include "kselftest_harness.h"

#include <linux/sched.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/wait.h>

#define BATCH  8 /* children that live at the same time */
#define OPENER 4 /* processes that open sets */
#define PARTS  4 /* of a storm: something is said after each */
#define FORKS  (debug_kernel() ? 10 * PARTS * BATCH : 10016)
#define OPENS  (debug_kernel() ? 2000 : 100000)

/* How many of the kernel's objects, and how much memory, may come and go by themselves. */
#define NOISE_OBJECTS 400
#define NOISE_KB      3000

struct shared {
	struct disturbance hotplug;
	int wrong; /* -errno, or a line, of one of the others */
	struct pmudev_refusal why; /* of that -errno */
	unsigned int opens;
};

struct resources {
	long objects; /* of kmalloc() */
	long free_kb;
	long references; /* to the module */
};

FIXTURE(storm)
{
	struct pmudev_event_attr event;
	struct shared *shared;
	struct resources before;
	bool exact; /* else the storms are for whatever else may go wrong */
	int cpus;
};

/* --------------------------------------------------------------- what stays behind -- */

static long kmalloc_objects(void)
{
	char line[256];
	long active, sum = 0;
	FILE *f = fopen("/proc/slabinfo", "r");

	if (!f)
		return -1;
	while (fgets(line, sizeof(line), f))
		if (!strncmp(line, "kmalloc-", 8) && sscanf(line, "%*s %ld", &active) == 1)
			sum += active;
	fclose(f);
	return sum;
}

static long word_after(const char *path, const char *start, const char *format)
{
	char line[256];
	long value = -1;
	FILE *f = fopen(path, "r");

	while (f && fgets(line, sizeof(line), f))
		if (!strncmp(line, start, strlen(start)))
			sscanf(line + strlen(start), format, &value);
	if (f)
		fclose(f);
	return value;
}

static struct resources resources(void)
{
	return (struct resources){
		.objects = kmalloc_objects(),
		.free_kb = word_after("/proc/meminfo", "MemFree:", "%ld"),
		.references = word_after("/proc/modules", "pmudev ", "%*d %ld"),
	};
}

/* What was given up just now is freed after a grace period: until no more of it goes. */
static struct resources settled(void)
{
	struct resources now = resources(), before;

	do {
		before = now;
		pause_ns(300000000);
		now = resources();
	} while (now.objects < before.objects - NOISE_OBJECTS / 20);
	return now;
}

/* KASAN keeps for a while what was freed, and kmemleak finds what was not. */
static bool back_again(const struct resources *before)
{
	struct resources now = resources();

	if (debug_kernel())
		return now.references == before->references;
	return now.objects <= before->objects + NOISE_OBJECTS &&
	       now.free_kb >= before->free_kb - NOISE_KB && now.references == before->references;
}

/* ------------------------------------------------------------------------- hotplug -- */

/* CPUs 1 and up go and come back, one after another, until it is told to stop. */
static void start_hotplug(struct __test_metadata *_metadata, struct _test_data_storm *self)
{
	self->shared->hotplug = (struct disturbance){
		.once = hotplug_once,
		.arg = (void *)(long)self->cpus,
		.pause = 500000,
	};
	if (self->cpus > 1)
		ASSERT_EQ(0, disturb_start(&self->shared->hotplug));
}

FIXTURE_SETUP(storm)
{
	self->exact = exact_instructions();
	self->event = raw_event(steady_event(), USER_ONLY);
	self->cpus = cpus_online();
	self->shared = mmap(NULL, sizeof(*self->shared), PROT_READ | PROT_WRITE,
			    MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	ASSERT_NE(MAP_FAILED, self->shared);
	if (self->cpus > 1 && set_cpu_online(1, true))
		SKIP(return, "CPU 1 cannot be taken offline");
}

FIXTURE_TEARDOWN(storm)
{
	struct pmudev_query query;
	int cpu;

	/* A test that ended early. */
	stop_child(self->shared->hotplug.pid);
	EXPECT_EQ(0, self->shared->wrong)
	{
		const struct pmudev_refusal *refused = &self->shared->why;

		TH_LOG("reason %u, busy %#llx, holder of %u: kind %u, process %d, CPU %d",
		       refused->code, refused->busy, refused->holder.counter, refused->holder.kind,
		       refused->holder.pid, refused->holder.cpu);
	}
	EXPECT_TRUE(WAIT_FOR(!pm_query(&query) && !(query.state & PMUDEV_STATE_RESERVED)));
	EXPECT_EQ(0ULL, query.busy);
	for (cpu = 1; cpu < self->cpus; cpu++)
		set_cpu_online(cpu, true);
	EXPECT_EQ(self->cpus, cpus_online());
}

static void end_hotplug(struct __test_metadata *_metadata, struct _test_data_storm *self)
{
	if (self->cpus > 1)
		EXPECT_EQ(0, disturb_end(&self->shared->hotplug));
	EXPECT_GE(self->shared->hotplug.times + 1, (unsigned int)self->cpus);
	TH_LOG("%u CPUs went and came", self->shared->hotplug.times);
}

/* ---------------------------------------------------------------------- short children -- */

/*
 * n children, BATCH at a time, of a known number of instructions: the same for each of them and for
 * each batch, but for the loops, whose lengths are in step with the children's numbers.
 */
static __attribute__((noinline)) long children(unsigned int n, __u64 first)
{
	unsigned int i, j;
	long error = 0, child;

	for (i = 0; i < n; i += BATCH) {
		for (j = 0; j < BATCH; j++) {
			child = raw_call(SYS_clone, SIGCHLD, 0, 0);
			if (!child) {
				loop(first + j);
				raw_call(SYS_exit_group, 0, 0, 0);
			}
			error |= child;
		}
		for (j = 0; j < BATCH; j++)
			error |= raw_call4(SYS_wait4, -1, 0, 0, 0);
	}
	return error;
}

#define LOOPS(n, first) (LOOP_INSTRUCTIONS * ((n) * (__u64)(first) + (n) * (BATCH - 1) / 2))

/* What n children added to a set. */
static __attribute__((noinline)) __u64 count_children(int fd, unsigned int n, __u64 first,
						      long *error)
{
	union record before, after;

	memset(&after, 0, sizeof(after));
	*error = raw_read(fd, &before);
	*error |= children(n, first);
	*error |= raw_read(fd, &after);
	return after.r.counts[0].value - before.r.counts[0].value;
}

static void many_children(struct __test_metadata *_metadata, struct _test_data_storm *self,
			  unsigned int forks)
{
	__u64 count[2], each, base;
	union record r;
	long error;
	int fd;

	fd = pm_attach(0, PMUDEV_BIND_INHERIT, &self->event, 1, true);
	ASSERT_GE(fd, 0);
	/* The first ones bring in pages. */
	count_children(fd, BATCH, 100, &error);
	count[0] = count_children(fd, 2 * BATCH, 100, &error) - LOOPS(2 * BATCH, 100);
	count[1] = count_children(fd, 4 * BATCH, 100, &error) - LOOPS(4 * BATCH, 100);
	ASSERT_GE(error, 0);
	each = (count[1] - count[0]) / 2;
	base = count[0] - 2 * each;
	count[0] = count_children(fd, forks, 1000, &error);
	EXPECT_GE(error, 0);
	if (self->exact) {
		EXPECT_LT(base, 200ULL);
		EXPECT_LT(each, 100ULL * BATCH);
		EXPECT_EQ(base + forks / BATCH * each + LOOPS(forks, 1000), count[0]);
	}
	ASSERT_EQ(0, pm_read(fd, &r));
	EXPECT_EQ((__u32)PMUDEV_RECORD_ENABLED, r.r.flags);
	EXPECT_EQ(r.r.counts[0].time_enabled, r.r.counts[0].time_running);
	close(fd);
}

TEST_F_TIMEOUT(storm, of_children, 300)
{
	unsigned int i;

	/* Some, so that the machine has what it needs for as many at a time. */
	many_children(_metadata, self, 10 * BATCH);
	start_hotplug(_metadata, self);
	many_children(_metadata, self, 10 * BATCH);
	self->before = settled();
	for (i = 1; i <= PARTS; i++) {
		many_children(_metadata, self, FORKS / PARTS);
		TH_LOG("%u children", i * (FORKS / PARTS));
	}
	EXPECT_TRUE(WAIT_FOR(back_again(&self->before)));
	end_hotplug(_metadata, self);
}

/* ------------------------------------------------------------------------ short sets -- */

/*
 * Whether a CPU's set always finds a counter: none that any thread has. Three openers can have sets
 * on the same process, and threads that were placed beside an earlier CPU's set have one more.
 */
static bool cpu_fits(void)
{
	struct pmudev_query query;

	return !pm_query(&query) && __builtin_popcountll(query.available) > 4;
}

/* A set of one kind after the other: on oneself, one's children, another process, a CPU. */
static int open_one(unsigned int i, int other, bool cpu, const struct pmudev_event_attr *event)
{
	switch (i % 8) {
	case 0:
		return pm_attach(other, 0, event, 1, true);
	case 1:
		return pm_attach(0, PMUDEV_BIND_INHERIT, event, 1, true);
	case 2:
		return pm_attach(other, PMUDEV_BIND_INHERIT | PMUDEV_BIND_ON_EXEC, event, 1, true);
	case 3:
		if (cpu)
			return pm_cpu_set(0, 0, event, 1);
		__attribute__((fallthrough));
	default:
		return pm_attach(0, 0, event, 1, i & 1);
	}
}

/* Enabled, a loop, read: the same count each time. */
static __attribute__((noinline)) __u64 count_loop(int fd)
{
	union record r;

	memset(&r, 0, sizeof(r));
	if (pm_disable(fd, 0) || pm_reset(fd, 0, 0) || pm_enable(fd, 0))
		return 0;
	loop(100);
	return raw_read(fd, &r) < 0 ? 0 : r.r.counts[0].value;
}

static int opens(const struct pmudev_event_attr *event, struct shared *shared, unsigned int n,
		 int other)
{
	bool exact = exact_instructions(), cpu = cpu_fits();
	__u64 count, first = 0;
	unsigned int i;
	int fd;

	for (i = 0; i < n; i++) {
		fd = open_one(i, other, cpu, event);
		if (fd < 0) {
			shared->why = why;
			WRITE_ONCE(shared->wrong, fd);
			return fd;
		}
		if (i % 64 == 5) {
			count = count_loop(fd);
			if (!first || !exact)
				first = count;
			if (count != first || count < 100)
				WRITE_ONCE(shared->wrong, __LINE__);
		}
		close(fd);
		__atomic_fetch_add(&shared->opens, 1, __ATOMIC_RELAXED);
	}
	return 0;
}

static void many_sets(struct __test_metadata *_metadata, struct _test_data_storm *self,
		      unsigned int nr)
{
	int opener[OPENER], other, i;

	other = fork_bound();
	if (!other)
		for (;;)
			pause();
	self->shared->opens = 0;
	for (i = 0; i < OPENER; i++) {
		opener[i] = fork_bound();
		if (!opener[i])
			_exit(!!opens(&self->event, self->shared, nr / OPENER, other));
	}
	for (i = 0; i < OPENER; i++)
		EXPECT_EQ(0, child_result(opener[i]));
	EXPECT_EQ(nr, self->shared->opens);
	stop_child(other);
}

/* What is looked at would show what a set consists of, if it stayed. */
static void leaks_would_be_seen(struct __test_metadata *_metadata, struct _test_data_storm *self)
{
	struct resources before = settled();
	int fd[2 * NOISE_OBJECTS], i;

	for (i = 0; i < 2 * NOISE_OBJECTS; i++) {
		fd[i] = pm_set(&self->event, 1, false);
		ASSERT_GE(fd[i], 0);
	}
	EXPECT_FALSE(back_again(&before));
	EXPECT_GE(resources().objects, before.objects + NOISE_OBJECTS);
	EXPECT_EQ(before.references + i, resources().references);
	while (i)
		close(fd[--i]);
	EXPECT_TRUE(WAIT_FOR(back_again(&before)));
}

TEST_F_TIMEOUT(storm, of_sets, 600)
{
	unsigned int i;
	int keep;

	/* The PMU is not to be taken from perf, and given back, a hundred thousand times. */
	keep = pm_set(&self->event, 1, true);
	ASSERT_GE(keep, 0);
	many_sets(_metadata, self, OPENS / 100);
	leaks_would_be_seen(_metadata, self);
	start_hotplug(_metadata, self);
	many_sets(_metadata, self, OPENS / 100);
	self->before = settled();
	for (i = 1; i <= PARTS; i++) {
		many_sets(_metadata, self, OPENS / PARTS);
		TH_LOG("%u sets", i * OPENS / PARTS);
	}
	EXPECT_TRUE(WAIT_FOR(back_again(&self->before)));
	end_hotplug(_metadata, self);
	close(keep);
}

/* ------------------------------------------------------------------------------- both -- */

TEST_F_TIMEOUT(storm, of_everything, 300)
{
	int opener;

	start_hotplug(_metadata, self);
	opener = fork_bound();
	if (!opener) {
		many_sets(_metadata, self, OPENS / 20);
		/* Not to be taken for one of the others' children. */
		for (;;)
			pause();
	}
	do
		many_children(_metadata, self, 50 * BATCH);
	while (!self->shared->wrong && READ_ONCE(self->shared->opens) < OPENS / 20);
	stop_child(opener);
	end_hotplug(_metadata, self);
	self->before = resources();
	EXPECT_EQ(0L, self->before.references);
}

TEST_HARNESS_MAIN
