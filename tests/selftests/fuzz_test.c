// SPDX-License-Identifier: GPL-2.0
/*
 * The fuzzer (fuzz.h), in rounds. After each nothing is held, nothing is referenced, and a plain
 * count is exact to the unit.
 *
 * In the environment, which in the test machine is the kernel's command line:
 *   PMUDEV_FUZZ_SEED=	  of it all; 1
 *   PMUDEV_FUZZ_ROUND=	  only this one
 *   PMUDEV_FUZZ_ROUNDS=  how many (4; on debug kernels 2); 0: until the console says so
 *   PMUDEV_FUZZ_CALLS=	  in each round
 *   PMUDEV_FUZZ_WORKERS= in each round; 1: the same seed is the same calls. 0: of all numbers
 */
#include "cgroup_set.h"
#include "fuzz.h"
#include "kselftest_harness.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/sendfile.h>
#include <sys/stat.h>

#define SHARED_FILE "/dev/shm/pmudev-fuzz"
#define PID_MAX	    "/proc/sys/kernel/pid_max"
#define LAST_CALLS  100

/* Runs before main(): programs that the fuzzer executes are this one. */
static __attribute__((constructor)) void executed(void)
{
	fuzz_executed();
}

static __u64 option(const char *name, __u64 otherwise)
{
	const char *given = getenv(name);

	return given ? strtoull(given, NULL, 0) : otherwise;
}

FIXTURE(fuzz)
{
	struct fuzz_shared *s;
	__u64 seed;
	__u64 calls;
	unsigned int limit;
	long perf_right;
	long pid_max;
	int console;
};

static void copy_program(const char *to)
{
	int in = open("/proc/self/exe", O_RDONLY), out;

	out = open(to, O_CREAT | O_TRUNC | O_WRONLY, 0755);
	while (sendfile(out, in, NULL, 1 << 20) > 0)
		;
	fchmod(out, 04755);
	close(in);
	close(out);
}

static void write_number(const char *path, long number)
{
	char text[24];

	snprintf(text, sizeof(text), "%ld", number);
	write_file(path, text);
}

/* An allocation that is told to fail may be any, and nobody has to read of each. */
static void prepare_failures(void)
{
	write_file("/sys/kernel/debug/failslab/ignore-gfp-wait", "N");
	write_file("/sys/kernel/debug/failslab/verbose", "0");
	write_file("/sys/kernel/debug/fail_page_alloc/ignore-gfp-wait", "N");
	write_file("/sys/kernel/debug/fail_page_alloc/min-order", "0");
	write_file("/sys/kernel/debug/fail_page_alloc/verbose", "0");
}

/* It has all threads. */
static int open_root_cgroup(void)
{
	struct cgroup group;

	if (cgroup_make(&group, NULL))
		return -1;
	cgroup_end(&group);
	return open(cgroup_root.path, O_RDONLY | O_DIRECTORY);
}

FIXTURE_SETUP(fuzz)
{
	int fd;

	self->seed = option("PMUDEV_FUZZ_SEED", 1);
	self->limit = option("PMUDEV_FUZZ_CALLS", 1000);
	fd = open(SHARED_FILE, O_CREAT | O_TRUNC | O_RDWR, 0666);
	ASSERT_GE(fd, 0);
	unlink(SHARED_FILE);
	ASSERT_EQ(0, ftruncate(fd, sizeof(*self->s)));
	self->s = mmap(NULL, sizeof(*self->s), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	ASSERT_NE(MAP_FAILED, self->s);
	dup2(fd, FUZZ_SHARED_FD);
	close(fd);
	self->s->cpus = cpus_online();
	self->s->cgroup = open_root_cgroup();
	fuzz_find_sysfs(self->s);
	copy_program(FUZZ_SUID);
	prepare_failures();
	prctl(PR_SET_CHILD_SUBREAPER, 1);
	self->perf_right = read_number(FUZZ_PERF_RIGHT_FILE);
	/* So that no number comes again: children are signalled by it. */
	self->pid_max = read_number(PID_MAX);
	write_number(PID_MAX, 4194304);
	self->console = emulated() ? open("/dev/console", O_RDONLY | O_NONBLOCK | O_NOCTTY) : -1;
	ASSERT_EQ(0, chmod(PMUDEV_DEVICE, 0666));
	TH_LOG("PMUDEV_FUZZ_SEED=%llu, %d CPUs", self->seed, self->s->cpus);
}

FIXTURE_TEARDOWN(fuzz)
{
	write_number(PID_MAX, self->pid_max);
	chmod(PMUDEV_DEVICE, 0600);
	unlink(FUZZ_SUID);
}

static bool told_to_stop(int console)
{
	char text[16];

	return console >= 0 && read(console, text, sizeof(text)) > 0;
}

/* ------------------------------------------------------------------ after a round -- */

static bool nothing_held(void)
{
	struct pmudev_query query;
	unsigned int i = 0;

	do {
		if (pm_query_pmu(i, 0, &query))
			return false;
		if (query.busy || (query.state & (PMUDEV_STATE_RESERVED | PMUDEV_STATE_GUEST)))
			return false;
	} while (++i < query.nr_pmus);
	return !read_number("/sys/module/pmudev/refcnt");
}

/* On machines with several kinds of CPUs a thread has to name one: that of the first. */
static int plain_set(void)
{
	struct pmudev_event_attr event = raw_event(steady_event(), USER_ONLY);
	struct pmudev_query query;
	int ret = pm_query_pmu(0, PMUDEV_QUERY_CPU, &query);

	return ret ? ret : pm_attach_pmu(0, query.pmu, 0, &event, 1);
}

/* How many events a loop has, or -errno. */
static long count_plainly(void)
{
	__u64 few, many;
	int fd, ret;

	pin_to(0);
	fd = plain_set();
	if (fd < 0)
		return fd;
	ret = measure_read(fd, 0, 1000, &few);
	if (!ret)
		ret = measure_read(fd, 0, 11000, &many);
	close(fd);
	/* Where a cycle is what it takes, the longer one may take less. */
	return ret ? ret : exact_instructions() ? (long)(many - few) : (long)many;
}

static bool is_count(long count)
{
	long wanted = 10000 * LOOP_INSTRUCTIONS;

	return exact_instructions() ? count == wanted : count > 0;
}

static void put_back(struct _test_data_fuzz *self)
{
	int i;

	for (i = 1; i < self->s->cpus; i++)
		set_cpu_online(i, true);
	if (self->perf_right >= 0)
		write_number(FUZZ_PERF_RIGHT_FILE, self->perf_right);
	set_user_access(false);
}

static void forget(struct fuzz_shared *s)
{
	memset(s->tid, 0, sizeof(s->tid));
	memset(s->kid, 0, sizeof(s->kid));
	s->calls = 0;
	s->stop = 0;
	s->hotplug = 0;
}

/* Whether all was well. */
static bool one_round(struct __test_metadata *_metadata, struct _test_data_fuzz *self,
		      unsigned int nr, int workers)
{
	struct fuzz_shared *s = self->s;
	long count;
	bool good;

	forget(s);
	s->limit = self->limit;
	set_user_access(true);
	fuzz_round(s, self->seed * 1000003 + nr, workers);
	self->calls += s->calls;
	put_back(self);
	good = WAIT_FOR(nothing_held());
	EXPECT_TRUE(good) TH_LOG("something is held");
	count = count_plainly();
	EXPECT_TRUE(is_count(count)) TH_LOG("a plain count is %ld, reason %u", count, why.code);
	EXPECT_NE(2U, s->stop) TH_LOG("%s", s->failure);
	if (good && is_count(count) && s->stop != 2)
		return true;
	TH_LOG("round %u of seed %llu failed; the last calls:", nr, self->seed);
	fuzz_print_calls(s, LAST_CALLS);
	return false;
}

/* ------------------------------------------------------------------------- tests -- */

static __u64 hash_of_calls(const struct fuzz_shared *s, __u64 from, __u64 to)
{
	__u64 hash = 14695981039346656037ULL;
	const char *at;

	for (; from < to; from++)
		for (at = s->ring[from % FUZZ_RING].text; *at; at++)
			hash = (hash ^ *at) * 1099511628211ULL;
	return hash;
}

TEST_F_TIMEOUT(fuzz, with_one_worker_the_same_seed_is_the_same_calls, 600)
{
	__u64 hash[3], from, seed = self->seed;
	int i;

	self->limit = 300;
	for (i = 0; i < 3; i++) {
		from = self->s->nr;
		self->seed = seed + (i == 2);
		ASSERT_TRUE(one_round(_metadata, self, 0, 1));
		ASSERT_GE(self->s->nr, from + self->limit);
		hash[i] = hash_of_calls(self->s, from, from + self->limit);
	}
	EXPECT_EQ(hash[0], hash[1]);
	EXPECT_NE(hash[0], hash[2]);
}

static void tell(struct __test_metadata *_metadata, struct _test_data_fuzz *self,
		 unsigned int rounds)
{
	struct fuzz_shared *s = self->s;
	int i;

	TH_LOG("%llu calls in %u rounds, %llu with an allocation to fail; %llu counts read",
	       self->calls, rounds, s->no_memory, s->direct);
	for (i = 0; i < FUZZ_KINDS; i++)
		printf("#   %-20s %8llu, %8llu of them good\n", fuzz_kinds[i], s->done[i],
		       s->good[i]);
	printf("#   reasons:");
	for (i = 0; i < (int)ARRAY_SIZE(s->reason); i++)
		if (s->reason[i])
			printf(" %d: %llu,", i, s->reason[i]);
	printf("\n");
}

TEST_F_TIMEOUT(fuzz, of_everything, 100000)
{
	__u64 rounds = option("PMUDEV_FUZZ_ROUNDS", debug_kernel() ? 2 : (unsigned int)few(4)), i;
	__u64 only = option("PMUDEV_FUZZ_ROUND", ~0ULL);
	int workers = option("PMUDEV_FUZZ_WORKERS", 0);

	for (i = 0; !rounds || i < rounds; i++) {
		if (!one_round(_metadata, self, only != ~0ULL ? only : i, workers))
			break;
		if (i % 4 == 3)
			TH_LOG("%llu rounds, %llu calls", i + 1, self->calls);
		if (told_to_stop(self->console))
			break;
	}
	tell(_metadata, self, i);
}

TEST_HARNESS_MAIN
