// SPDX-License-Identifier: GPL-2.0
/*
 * Every allocation fails once that the module makes when it is loaded, when it takes the PMU and
 * installs its hooks for the first time, and when a CPU comes online. It is loaded as a whole or
 * not at all, and what did not come about does the next time.
 */
#include "common.h"
#include "fault.h"
#include "kselftest_harness.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#define WORK 1000
/* Faults at random, where the nth of a thread cannot be had: the module's in anybody's name. */
#define TRIES 40
/* Always tried: what has at most so many functions of the kernel between it and the module. */
#define NEAR 4
/* Else every so many-th: no multiple of what a file takes. */
#define STEP 7

FIXTURE(fail)
{
	struct pmudev_event_attr event;
	struct pmudev_query was;
	__u64 events;
};

static void check_counts(struct __test_metadata *_metadata, struct _test_data_fail *self)
{
	int fd = pm_set(&self->event, 1, true);
	__u64 count;

	ASSERT_GE(fd, 0);
	ASSERT_EQ(0, measure_read(fd, 0, WORK, &count));
	EXPECT_LE(LOOP_INSTRUCTIONS * WORK, count);
	if (exact_instructions())
		EXPECT_EQ(self->events, count);
	close(fd);
}

FIXTURE_SETUP(fail)
{
	const char *missing = fault_missing();
	int fd;

	if (missing)
		SKIP(return, "%s", missing);
	if (access(module_file(), R_OK))
		SKIP(return, "needs the module's file (PMUDEV_KO)");
	ASSERT_EQ(0, fault_module_only());
	self->event = raw_event(steady_event(), USER_ONLY);
	ASSERT_EQ(0, pm_query(&self->was));
	fd = pm_set(&self->event, 1, true);
	ASSERT_GE(fd, 0);
	ASSERT_EQ(0, measure_read(fd, 0, WORK, &self->events));
	ASSERT_EQ(0, measure_read(fd, 0, WORK, &self->events));
	close(fd);
}

FIXTURE_TEARDOWN(fail)
{
	struct pmudev_query query;

	fault_everywhere();
	if (access(PMUDEV_DEVICE, F_OK))
		EXPECT_EQ(0, load_module());
	ASSERT_EQ(0, pm_query(&query));
	EXPECT_EQ(0U, query.state & PMUDEV_STATE_RESERVED);
	EXPECT_EQ(0ULL, query.busy);
}

static void tell(const char *what, unsigned int nth, unsigned int failures)
{
	printf("# %s: %u allocations, %u calls failed\n", what, nth - 1, failures);
}

/* It can all that it could: none of what it tries is left out for want of memory. */
static void check_whole(struct __test_metadata *_metadata, struct _test_data_fail *self,
			unsigned int nth)
{
	struct pmudev_query query;

	ASSERT_EQ(0, pm_query(&query));
	EXPECT_EQ(self->was.features, query.features) TH_LOG("allocation %u", nth);
	EXPECT_EQ(self->was.counters, query.counters);
	EXPECT_EQ(self->was.generic, query.generic);
	EXPECT_EQ(self->was.user | 1, query.user | 1) TH_LOG("allocation %u", nth);
}

static bool gone(const char *path)
{
	struct stat stat_;

	return stat(path, &stat_) && errno == ENOENT;
}

/* What came of loading the module again and again. */
struct tally {
	unsigned int refused, coped;
};

/*
 * Refused, nothing of it is there, and what it left behind would be in the way of the next time,
 * which comes past this allocation.
 */
static bool load_without(struct __test_metadata *_metadata, struct _test_data_fail *self,
			 unsigned int nth, struct tally *tally)
{
	bool failed;
	int ret;

	fault_arm(nth);
	ret = load_module();
	failed = fault_disarm();
	if (ret) {
		EXPECT_TRUE(failed);
		EXPECT_EQ(-ENOMEM, ret) TH_LOG("allocation %u", nth);
		EXPECT_TRUE(gone(PMUDEV_DEVICE) && gone("/sys/class/pmudev") &&
			    gone("/proc/sys/dev/pmudev") && gone("/sys/module/pmudev"));
		tally->refused++;
	} else {
		check_whole(_metadata, self, nth);
		check_counts(_metadata, self);
		EXPECT_EQ(0, unload_module());
		tally->coped += failed;
	}
	return failed;
}

static void load_often(struct __test_metadata *_metadata, struct _test_data_fail *self,
		       const char *what, unsigned int step)
{
	struct tally tally = { 0 };
	unsigned int nth;
	bool failed;

	/* It reports at length whatever it lacks, also to those who have asked it for our sake. */
	ASSERT_EQ(0, fault_spare("__vmalloc_node_range_noprof"));
	ASSERT_EQ(0, unload_module());
	fault_for_some(nth, failed, step) {
		failed = load_without(_metadata, self, nth, &tally);
	}
	ASSERT_EQ(0, load_module());
	printf("# loading, %s: %u allocations of %u failed, %u times it coped\n", what,
	       tally.refused + tally.coped, nth - 5 * step, tally.coped);
	EXPECT_LT(0U, tally.refused);
}

/* What the module asks for, and the first functions of the kernel that it calls. */
TEST_F_TIMEOUT(fail, loading, 300)
{
	ASSERT_EQ(0, fault_near(NEAR));
	load_often(_metadata, self, "its own", 1);
}

/*
 * All that the kernel asks for besides, some of it: a file of sysfs takes two allocations, and most
 * of what there is are such files. PMUDEV_FAULTS=all has none left out.
 */
TEST_F_TIMEOUT(fail, loading_all, 3000)
{
	const char *all = getenv("PMUDEV_FAULTS");

	load_often(_metadata, self, "all", all && !strcmp(all, "all") ? 1 : STEP);
}

/* The very first set: hooks, the reservation, KVM entry and exit hooks. */
TEST_F_TIMEOUT(fail, the_first_set, 300)
{
	struct pmudev_event_attr event = self->event;
	unsigned int nth, failures = 0;
	struct pmudev_query query;
	bool failed;
	int fd, ret;

	fault_everywhere();
	event.flags |= PMUDEV_EXCLUDE_GUEST;
	fault_for_each(nth, failed) {
		ASSERT_EQ(0, unload_module());
		ASSERT_EQ(0, load_module());
		fault_arm(nth);
		fd = pm_set(&event, 1, true);
		failed = fault_disarm();
		if (fd < 0) {
			failures++;
			EXPECT_EQ(-ENOMEM, fd) TH_LOG("allocation %u: reason %u", nth, why.code);
			ret = pm_query(&query);
			ASSERT_EQ(0, ret);
			EXPECT_EQ(0U, query.state & PMUDEV_STATE_RESERVED);
			fd = pm_set(&event, 1, true);
		}
		ASSERT_GE(fd, 0);
		close(fd);
		check_counts(_metadata, self);
	}
	tell("the first set", nth, failures);
}

/* What others do for it: perf's events are made by a kernel thread. */
TEST_F_TIMEOUT(fail, by_others, 300)
{
	unsigned int i, failures = 0, hit = 0;
	struct pmudev_query query;
	int fd;

	for (i = 0; i < TRIES; i++) {
		fault_maybe(10);
		fd = pm_set(&self->event, 1, true);
		hit += fault_was();
		if (fd < 0) {
			failures++;
			EXPECT_EQ(-ENOMEM, fd) TH_LOG("reason %u", why.code);
			EXPECT_TRUE(!why.code || why.code == PMUDEV_WHY_MEMORY ||
				    why.code == PMUDEV_WHY_PERF_REFUSED);
		} else {
			close(fd);
		}
		ASSERT_EQ(0, pm_query(&query));
		EXPECT_EQ(0U, query.state & PMUDEV_STATE_RESERVED);
		EXPECT_EQ(0ULL, query.busy);
		check_counts(_metadata, self);
	}
	EXPECT_GT(hit, 0U);
	EXPECT_LE(failures, hit);
	TH_LOG("%u of %u tries lacked memory, %u failed", hit, i, failures);
}

/* An exec needs nothing of ours: nothing fails, and the set ends with the program. */
TEST_F_TIMEOUT(fail, exec, 300)
{
	unsigned int nth;
	union record r;
	int fd, child;

	for (nth = 1; nth <= 3; nth++) {
		fd = pm_attach(0, PMUDEV_BIND_INHERIT | PMUDEV_BIND_ON_EXEC, &self->event, 1, true);
		ASSERT_GE(fd, 0);
		child = fork_bound();
		if (!child) {
			fault_arm(nth);
			execl("/bin/busybox", "true", NULL);
			_exit(1);
		}
		EXPECT_EQ(0, child_result(child));
		ASSERT_EQ(0, pm_read(fd, &r));
		EXPECT_EQ(0U, r.r.flags & PMUDEV_RECORD_INCOMPLETE);
		EXPECT_LT(0ULL, r.r.counts[0].value);
		close(fd);
	}
}

/* -------------------------------------------------------------------------- hotplug -- */

static int find_thread(const char *name)
{
	char path[300], comm[32];
	struct dirent *entry;
	int pid = -ESRCH;
	DIR *proc = opendir("/proc");
	FILE *f;

	while (proc && pid < 0 && (entry = readdir(proc))) {
		if (atoi(entry->d_name) <= 0)
			continue;
		snprintf(path, sizeof(path), "/proc/%s/comm", entry->d_name);
		f = fopen(path, "r");
		if (f && fgets(comm, sizeof(comm), f) && !strncmp(comm, name, strlen(name)))
			pid = atoi(entry->d_name);
		if (f)
			fclose(f);
	}
	if (proc)
		closedir(proc);
	return pid;
}

static bool counts_on(int cpu, int fd)
{
	__u64 before;

	if (pin_to(cpu))
		return false;
	before = pm_value(fd, 0);
	loop(WORK);
	return pm_value(fd, 0) - before >= LOOP_INSTRUCTIONS * WORK;
}

/*
 * The CPU comes, whatever fails. What counts its threads either counts there or, without memory for
 * the reservation, does not: its times say so until the next set is enabled.
 */
TEST_F_TIMEOUT(fail, cpu_comes_online, 300)
{
	unsigned int nth, lost = 0;
	union record before, after;
	int fd, other, helper;
	bool failed, counts;

	if (cpus_online() < 2)
		SKIP(return, "needs two CPUs");
	helper = find_thread("cpuhp/1");
	ASSERT_GT(helper, 0);
	fd = pm_set(&self->event, 1, true);
	ASSERT_GE(fd, 0);
	fault_for_each(nth, failed) {
		ASSERT_EQ(0, pin_to(0));
		ASSERT_EQ(0, set_cpu_online(1, false));
		fault_arm_task(helper, nth);
		ASSERT_EQ(0, set_cpu_online(1, true));
		failed = fault_disarm_task(helper);
		ASSERT_EQ(0, pin_to(1));
		ASSERT_EQ(0, pm_read(fd, &before));
		counts = counts_on(1, fd);
		ASSERT_EQ(0, pm_read(fd, &after));
		if (!counts) {
			lost++;
			EXPECT_TRUE(failed);
			EXPECT_EQ(before.r.counts[0].value, after.r.counts[0].value);
			EXPECT_EQ(before.r.time_running, after.r.time_running);
			EXPECT_LT(before.r.time_enabled, after.r.time_enabled);
		}
		EXPECT_TRUE(counts_on(0, fd));
		/* The next one takes it, for all. */
		other = pm_set(&self->event, 1, true);
		ASSERT_GE(other, 0);
		EXPECT_TRUE(counts_on(1, fd));
		EXPECT_TRUE(counts_on(1, other));
		close(other);
	}
	TH_LOG("%u times of %u nothing was counted on the CPU", lost, nth - 1);
	ASSERT_EQ(0, pin_to(0));
	close(fd);
}

TEST_HARNESS_MAIN
