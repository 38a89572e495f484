// SPDX-License-Identifier: GPL-2.0
/*
 * perf and pmudev on the same CPUs, with all they have at the same time: `perf stat -a` with more
 * events than counters, perf's samples, a reader of perf's; readers of pmudev's with DIRECT and
 * multiplexed events, CPU sets, a guest's set; and CPUs that come and go. pmudev's counts are
 * exact, each of perf's events gets a counter, no reader faults or sees a step back.
 *
 * PMUDEV_READS in the environment says how many reads there are.
 */
#include "disturb.h"
#include "guest.h"
#include "kselftest_harness.h"
#include "perf_load.h"
#include "readers.h"
#include "storm.h"

#include <string.h>

/* Each has to have happened so often. */
#define LEAST 10

#define ROUNDS 1000

enum {
	HOTPLUG,
	PERF_STAT,
	PERF_RECORD,
	PERF_READER,
	CPU_SETS,
	GUEST,
	DISTURBANCES,
};

struct shared {
	struct crowd crowd;
	struct perf_load perf;
	struct guest guest;
	int cpus;
	bool several; /* kinds of CPUs */
	struct disturbance d[DISTURBANCES];
};

FIXTURE(share_storm)
{
	struct shared *s;
	long perf_right;
	bool guests;
};

/* ---------------------------------------------------------- pmudev's own other sets -- */

/* The readers have three programmable counters, perf needs one at least. */
#define LEAST_COUNTERS 5

static bool has_room(unsigned int cpu)
{
	struct pmudev_query query;

	return !pm_query_pmu(cpu, PMUDEV_QUERY_CPU, &query) &&
	       __builtin_popcountll(query.counters & 0xffffffff) >= LEAST_COUNTERS;
}

/*
 * User instructions of each CPU. Where this thread loops the set counts that at least, and, where
 * an instruction takes a nanosecond and one CPU runs at a time, not more than there was time for.
 */
static int count_cpus(void *arg, unsigned int i)
{
	struct pmudev_event_attr event = raw_event(EVENT_INSTRUCTIONS, USER_ONLY);
	static int fd[PERF_LOAD_CPUS];
	struct shared *s = arg;
	unsigned int cpu = i % s->cpus, gone;
	__u64 begin, before, after, most;
	int ret;

	if (!fd[cpu]) {
		if (!has_room(cpu))
			return -EAGAIN;
		ret = pm_cpu_set(cpu, PMUDEV_BIND_SHARED, &event, 1);
		/* A CPU that is offline. */
		if (ret < 0)
			return ret == -ENODEV ? -EAGAIN : ret;
		fd[cpu] = ret;
	}
	/* Odd: it is about to go. */
	gone = __atomic_load_n(&s->perf.gone[cpu], __ATOMIC_SEQ_CST);
	if (gone % 2 || pin_to(cpu))
		return -EAGAIN;
	begin = now_ns();
	before = pm_value(fd[cpu], 0);
	loop(ROUNDS);
	after = pm_value(fd[cpu], 0);
	most = now_ns() - begin;
	if (before == ~0ULL || after == ~0ULL)
		return -EIO;
	if (after < before || (exact_instructions() && after - before > most))
		return -EPROTO;
	/* Without its CPU the thread is somewhere else. */
	if (gone != __atomic_load_n(&s->perf.gone[cpu], __ATOMIC_SEQ_CST))
		return -EAGAIN;
	if (after - before < ROUNDS * LOOP_INSTRUCTIONS)
		return -ERANGE;
	/* Now and then there is none for a while. */
	if (i % 61 < 8) {
		close(fd[cpu]);
		fd[cpu] = 0;
	}
	return 0;
}

/* A set of the calling thread; of several PMUs, on that of CPU 0, where it stays. */
static int guest_set(bool several)
{
	struct pmudev_event_attr events[] = {
		raw_event(EVENT_INSTRUCTIONS, PMUDEV_EXCLUDE_HOST),
		raw_event(EVENT_INSTRUCTIONS, PMUDEV_EXCLUDE_HOST | PMUDEV_EXCLUDE_USER),
	};

	if (several && pin_to(0))
		return -errno;
	return pm_attach_pmu(0, 0, 0, events, ARRAY_SIZE(events));
}

/* What a guest executes, to the instruction. */
static int count_guest(void *arg, unsigned int i)
{
	static struct guest_count round;
	union record before, after;
	struct shared *s = arg;
	static int fd;
	int ret;

	if (!i) {
		ret = guest_open(&s->guest);
		fd = ret ? ret : guest_set(s->several);
		if (fd < 0)
			return fd;
		round = guest_round(s->guest.vcpu[0].work);
	}
	ret = pm_read(fd, &before);
	if (!ret)
		ret = guest_run(&s->guest);
	if (!ret)
		ret = pm_read(fd, &after);
	if (ret)
		return ret;
	if (after.r.counts[0].value - before.r.counts[0].value != round.el1 + round.el0)
		return -EPROTO;
	return after.r.counts[1].value - before.r.counts[1].value != round.el1 ? -EPROTO : 0;
}

/* ------------------------------------------------------------------------ the machine -- */

static void set_up(struct shared *s)
{
	struct disturbance with[DISTURBANCES] = {
		[HOTPLUG] = DISTURB("a CPU gone and back", perf_load_hotplug, &s->perf, 5000000),
		[PERF_STAT] = DISTURB("perf stat -a", perf_load_stat, &s->perf, 300000),
		[PERF_RECORD] = DISTURB("perf record -a", perf_load_record, &s->perf, 3000000),
		[PERF_READER] = DISTURB("a reader of perf's", perf_load_read, &s->perf, 300000),
		[CPU_SETS] = DISTURB("sets of CPUs", count_cpus, s, 300000),
		[GUEST] = DISTURB("a set of a guest", count_guest, s, 300000),
	};

	memcpy(s->d, with, sizeof(with));
}

FIXTURE_SETUP(share_storm)
{
	struct pmudev_query query;
	struct guest guest;

	if (!BESIDE_PERF)
		SKIP(return, "here perf's events are in the way, or refused");
	self->s = storm_memory(sizeof(*self->s));
	ASSERT_NE(NULL, self->s);
	ASSERT_EQ(0, pm_query(&query));
	self->s->several = query.nr_pmus > 1;
	self->s->cpus = cpus_online();
	ASSERT_EQ(0, perf_load_init(&self->s->perf, self->s->cpus));
	set_up(self->s);
	self->guests = !guest_open(&guest);
	if (self->guests)
		guest_close(&guest);
	self->perf_right = read_number(PERF_RIGHT_FILE);
	/* Kernels from 5.17 on. */
	ASSERT_EQ(0, write_file(PERF_RIGHT_FILE, "1"));
	ASSERT_EQ(0, set_user_access(true));
}

FIXTURE_TEARDOWN(share_storm)
{
	int i;

	for (i = 0; i < DISTURBANCES; i++)
		if (self->s->d[i].pid)
			stop_child(self->s->d[i].pid);
	for (i = 1; i < self->s->cpus; i++)
		set_cpu_online(i, true);
	write_file(PERF_RIGHT_FILE, self->perf_right > 0 ? "1" : "0");
	set_user_access(false);
	EXPECT_EQ(0, nothing_left());
}

/* ------------------------------------------------------------------ perf's samples -- */

#define TAKEN	 3
#define ROTATING 8
/* Rare enough: the kernel throttles events that take too much of its time. */
#define PERIOD 50021
#define WORK   300000000 /* rounds of the loop: hundreds of turns */

/* A sampled event and others that take turns, on what is left of CPU 0's counters. */
static unsigned int samples_of_work(struct __test_metadata *_metadata)
{
	struct perf_samples samples;
	int others[ROTATING], i;
	unsigned int nr = 0;

	ASSERT_EQ(0, perf_samples_open_every(&samples, EVENT_INSTRUCTIONS, 0, PERIOD));
	for (i = 0; i < ROTATING; i++)
		ASSERT_LE(0, others[i] = perf_open(EVENT_INSTRUCTIONS, 0, -1, 0));
	for (i = 0; i < 100; i++) {
		loop(WORK / 100);
		nr += perf_samples_take(&samples);
	}
	EXPECT_EQ(0ULL, samples.lost);
	for (i = 0; i < ROTATING; i++)
		close(others[i]);
	perf_samples_close(&samples);
	return nr;
}

/* perf takes as many samples beside a set as if the set's counters were not there. */
TEST_F_TIMEOUT(share_storm, as_many_samples, 300)
{
	struct pmudev_event_attr events[TAKEN];
	unsigned int without, beside;
	int fd[TAKEN], i;

	if (debug_kernel())
		SKIP(return, "needs instructions that are the program's, most of them");
	ASSERT_EQ(0, pin_to(0));
	ASSERT_EQ(0, perf_set_turns(1));
	for (i = 0; i < TAKEN; i++)
		ASSERT_LE(0, fd[i] = perf_open_pinned(EVENT_INSTRUCTIONS, 0));
	without = samples_of_work(_metadata);
	for (i = 0; i < TAKEN; i++)
		close(fd[i]);
	for (i = 0; i < TAKEN; i++)
		events[i] = raw_event(EVENT_INSTRUCTIONS, USER_ONLY);
	fd[0] = pm_cpu_set(0, PMUDEV_BIND_SHARED, events, TAKEN);
	ASSERT_LE(0, fd[0]);
	beside = samples_of_work(_metadata);
	close(fd[0]);
	EXPECT_EQ(0, perf_set_turns(4));
	TH_LOG("%u samples without %d counters, %u beside a set with them", without, TAKEN, beside);
	EXPECT_LT(100U, without);
	EXPECT_GE(beside * 100, without * 95);
}

/* ------------------------------------------------------------------------ the storm -- */

static void storm(struct __test_metadata *_metadata, struct _test_data_share_storm *self)
{
	struct shared *s = self->s;
	__u64 reads = crowd_reads(10000000), direct = 0, calls = 0;
	unsigned int i;

	/* Before there are threads: a process of one is what fork makes. */
	for (i = 0; i < DISTURBANCES; i++)
		if (s->d[i].once)
			ASSERT_EQ(0, disturb_prepare(&s->d[i]));
	/* Before there are other sets: some of these need one particular counter. */
	ASSERT_EQ(0, crowd_start(&s->crowd));
	for (i = 0; i < DISTURBANCES; i++)
		disturb_begin(&s->d[i]);
	WRITE_ONCE(s->crowd.go, true);
	crowd_wait(&s->crowd, reads, s->d, DISTURBANCES, LEAST);
	for (i = 0; i < DISTURBANCES; i++) {
		if (!s->d[i].once)
			continue;
		EXPECT_EQ(0, disturb_end(&s->d[i])) TH_LOG("%s", s->d[i].name);
		EXPECT_GE(s->d[i].times, (unsigned int)LEAST) TH_LOG("%s", s->d[i].name);
		TH_LOG("%s: %u", s->d[i].name, s->d[i].times);
	}
	crowd_stop(&s->crowd);
	for (i = 0; i < READERS; i++) {
		struct reading *r = &s->crowd.reading[i];

		EXPECT_EQ(0, r->wrong.line)
		TH_LOG("reader %u (%s): readers.c:%d: %#llx, %#llx", i,
		       r->bare ? "bare" : "checked", r->wrong.line, r->wrong.value, r->wrong.bound);
		EXPECT_LT(0ULL, r->direct)
		TH_LOG("reader %u (%s) of %u: %llu calls, %llu discarded, moved %llu times", i,
		       r->bare ? "bare" : "checked", READERS, r->calls, r->discarded, r->moves);
		direct += r->direct;
		calls += r->calls;
	}
	crowd_close(&s->crowd);
	EXPECT_GE(s->crowd.reads, reads);
	EXPECT_LT(0ULL, s->perf.direct);
	EXPECT_EQ(0ULL, s->perf.lost);
	TH_LOG("%llu reads direct, %llu by call; perf: %llu read direct, %llu samples", direct,
	       calls, s->perf.direct, s->perf.samples);
	TH_LOG("perf's events had a counter after %llu ms at most, on CPU %d",
	       s->perf.waited / 1000000, s->perf.waited_cpu);
}

TEST_F_TIMEOUT(share_storm, all_at_once, 1200)
{
	if (!self->guests)
		self->s->d[GUEST].once = NULL;
	else if (guest_forbids_hotplug())
		self->s->d[HOTPLUG].once = NULL;
	storm(_metadata, self);
}

/* Where it had guests alone: the CPUs alone. */
TEST_F_TIMEOUT(share_storm, without_guests, 1200)
{
	if (!self->guests || !guest_forbids_hotplug())
		SKIP(return, "all_at_once had both");
	self->s->d[GUEST].once = NULL;
	storm(_metadata, self);
}

TEST_HARNESS_MAIN
