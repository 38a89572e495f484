// SPDX-License-Identifier: GPL-2.0
/*
 * The machine is put to sleep again and again beside counted threads and CPUs. Whoever is frozen in
 * the midst of a count goes on where it was, and he who ordered it counts as if it were any other
 * system call: to the instruction.
 *
 * Where the kernel has its suspend test, that is done, in each of its depths. Elsewhere it is the
 * whole way into hibernation and back, up to the image, which cannot be written because there is no
 * swap: in the emulated machine only.
 */
#include "workers.h"
#include "storm.h"
#include "kselftest_harness.h"

#include <fcntl.h>

#define PM_TEST	 "/sys/power/pm_test"
#define PM_STATE "/sys/power/state"
/* Without it the test waits for 5 s, which are minutes of emulation. */
#define PM_DELAY "/sys/module/hibernate/parameters/pm_test_delay"

/* How far the kernel goes; the last one is the deepest, and comes first. */
static const char *const depths[] = { "core", "freezer", "devices", "processors" };

FIXTURE(sleep_storm)
{
	struct workers *workers;
	bool tests; /* there is a suspend test */
	int state;  /* PM_STATE */
	int own;    /* what counts this thread */
	int cpus;
	int cpu[8];
	__u64 least[8]; /* what those have counted at least */
};

/* A machine with swap would write its image, and be switched off. */
static bool has_swap(void)
{
	char line[256];
	FILE *f = fopen("/proc/swaps", "r");
	int lines = 0;

	while (f && fgets(line, sizeof(line), f))
		lines++;
	if (f)
		fclose(f);
	return lines > 1;
}

/* Why it cannot be put to sleep, or NULL. */
static const char *cannot_sleep(bool *tests)
{
	*tests = has_word(PM_TEST, "core");
	if (!has_word(PM_STATE, "disk"))
		return "the kernel has no hibernation";
	if (*tests && write_file(PM_DELAY, "0"))
		return "the kernel's suspend test takes too long (hibernate.pm_test_delay)";
	if (!*tests && (!emulated() || has_swap()))
		return "no suspend test (PM_DEBUG), and this machine would really sleep";
	return NULL;
}

FIXTURE_SETUP(sleep_storm)
{
	struct pmudev_event_attr event = raw_event(steady_event(), USER_ONLY);
	const char *reason = cannot_sleep(&self->tests);
	int cpu;

	self->state = -1;
	if (reason)
		SKIP(return, "%s", reason);
	ASSERT_EQ(0, set_user_access(true));
	ASSERT_EQ(0, pin_to(0));
	self->state = open(PM_STATE, O_WRONLY | O_CLOEXEC);
	ASSERT_GE(self->state, 0);
	self->workers = storm_memory(sizeof(*self->workers));
	ASSERT_NE(NULL, self->workers);
	ASSERT_EQ(0, workers_start(self->workers, 6, false));
	self->own = pm_set(&event, 1, true);
	ASSERT_GE(self->own, 0);
	self->cpus = cpus_online() < 8 ? cpus_online() : 8;
	for (cpu = 0; cpu < self->cpus; cpu++) {
		self->cpu[cpu] = pm_cpu_set(cpu, PMUDEV_BIND_SHARED, &event, 1);
		ASSERT_GE(self->cpu[cpu], 0);
	}
}

FIXTURE_TEARDOWN(sleep_storm)
{
	if (self->state < 0)
		return;
	if (self->tests)
		EXPECT_EQ(0, write_file(PM_TEST, "none"));
	EXPECT_EQ(0, workers_end(self->workers));
	EXPECT_WORKERS(self->workers);
	close(self->own);
	while (self->cpus)
		close(self->cpu[--self->cpus]);
	set_user_access(false);
	EXPECT_EQ(0, nothing_left());
}

/* The same instructions, whatever the kernel does meanwhile. */
static __attribute__((noinline)) __u64 count_sleep(struct _test_data_sleep_storm *self,
						   const char *state, long len, long *ret)
{
	union record before, after;
	long got;

	memset(&after, 0, sizeof(after));
	got = raw_read(self->own, &before);
	loop(1000);
	*ret = raw_call(SYS_write, self->state, (long)state, len);
	loop(1000);
	got |= raw_read(self->own, &after);
	return got < 0 ? 0 : after.r.counts[0].value - before.r.counts[0].value;
}

/* Every CPU counts again, and goes on where it was. */
static void check_cpus(struct __test_metadata *_metadata, struct _test_data_sleep_storm *self)
{
	union record r;
	int cpu;

	for (cpu = 0; cpu < self->cpus; cpu++) {
		ASSERT_EQ(0, pin_to(cpu));
		ASSERT_EQ(0, pm_read(self->cpu[cpu], &r));
		EXPECT_GE(r.r.counts[0].value, self->least[cpu]);
		EXPECT_LT(r.r.counts[0].value, self->least[cpu] + 1000000000);
		EXPECT_EQ((__u32)PMUDEV_RECORD_ENABLED, r.r.flags);
		EXPECT_LE(r.r.time_running, r.r.time_enabled);
		loop(10000);
		self->least[cpu] = r.r.counts[0].value + 10000;
	}
	ASSERT_EQ(0, pin_to(0));
}

TEST_F_TIMEOUT(sleep_storm, again_and_again, 600)
{
	unsigned int i, times = storm_times(6);
	__u64 awake, count;
	const char *depth;
	long ret;

	/* Nothing that it knows: the call, and no more. The first one brings in pages. */
	count_sleep(self, "x", 1, &ret);
	awake = count_sleep(self, "x", 1, &ret);
	ASSERT_EQ(-EINVAL, ret);
	for (i = 0; i < times && !workers_wrong(self->workers); i++) {
		depth = depths[i % 2 ? i / 2 % ARRAY_SIZE(depths) : 0];
		if (self->tests)
			ASSERT_EQ(0, write_file(PM_TEST, depth));
		count = count_sleep(self, "disk", 4, &ret);
		/* All test programs together may leave too little: nothing went to sleep then. */
		if (!self->tests && ret == -ENOMEM)
			SKIP(return, "no memory for an image beside so many programs: by itself");
		ASSERT_EQ(self->tests ? 4 : -ENODEV, ret) TH_LOG("%s", depth);
		if (exact_instructions())
			EXPECT_EQ(awake, count) TH_LOG("sleep %u", i);
		EXPECT_GE(count, 2000ULL);
		check_cpus(_metadata, self);
		ASSERT_TRUE(workers_works(self->workers)) TH_LOG("sleep %u", i);
	}
	TH_LOG("slept %u times beside %u windows", i, workers_windows(self->workers));
}

TEST_HARNESS_MAIN
