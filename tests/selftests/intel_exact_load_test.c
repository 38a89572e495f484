// SPDX-License-Identifier: GPL-2.0
/*
 * Intel's events to the unit, in user mode: all counters at once, on every CPU at once, in turns on
 * one, and while other processes come and go.
 *
 * Counters that count user mode only, started and stopped together, have seen the same
 * instructions, whatever the kernel and other tasks did in between. So in every two records of a
 * set each event's difference follows from those of two: instructions and branches.
 */
#include "intel.h"
#include "kselftest_harness.h"

#include <pthread.h>
#include <stdio.h>

#if defined(__x86_64__)

#define MIX 16

/* As many events as there are counters: instructions in slot 0, branches in slot 1. */
struct mix {
	unsigned int nr;
	struct pmudev_event_attr attr[MIX];
	struct rate rate[MIX];
};

static void add(struct mix *mix, struct pmudev_event_attr attr, int insn, int branch)
{
	mix->attr[mix->nr] = attr;
	mix->rate[mix->nr++] = (struct rate){ insn, branch };
}

/* Programmable counters besides that of the branches. */
static unsigned int programmable_ones(void)
{
	struct intel_pmu pmu;

	intel_pmu(&pmu);
	return pmu.gp - 1;
}

static void mix_events(struct mix *mix, unsigned int first)
{
	const struct intel_event *event;
	struct intel_pmu pmu;
	unsigned int i;

	intel_pmu(&pmu);
	mix->nr = 0;
	add(mix, event_on(FIXED_INSTRUCTIONS, USER_ONLY), 1, 0);
	add(mix, event_among(EVENT_BRANCHES, PROGRAMMABLE, USER_ONLY), 0, 1);
	if (pmu.counters & 1ULL << FIXED_CYCLES)
		add(mix, event_on(FIXED_CYCLES, USER_ONLY), CORE, 0);
	if (pmu.counters & 1ULL << FIXED_REF_CYCLES)
		add(mix, event_on(FIXED_REF_CYCLES, USER_ONLY), REF, 0);
	for (i = 0; i < programmable_ones() && mix->nr < MIX; i++) {
		event = &intel_events[(first + i) % nr_intel_events];
		add(mix, event_among(event->config, PROGRAMMABLE, USER_ONLY), event->rate.insn,
		    event->rate.branch);
	}
}

/* How many rounds it takes until each event had its turn. */
static unsigned int rounds_for_all(void)
{
	return (nr_intel_events + programmable_ones() - 1) / programmable_ones();
}

struct worker {
	pthread_t thread;
	int cpu;
	unsigned int rounds;
	const unsigned int *forks; /* go on until there were so many */
	unsigned int enough;
	/* results */
	unsigned int done;
	char wrong[128]; /* the first thing that was */
};

static __attribute__((noinline)) long two_records(int fd, __u64 n, union record *a, union record *b)
{
	long ret;

	ret = raw_read(fd, a);
	loop(n);
	return ret < 0 ? ret : raw_read(fd, b);
}

static __u64 gain(const union record *a, const union record *b, unsigned int slot)
{
	return b->r.counts[slot].value - a->r.counts[slot].value;
}

#define WRONG(worker, ...) snprintf((worker)->wrong, sizeof((worker)->wrong), __VA_ARGS__)

/* @around: what instructions and branches there are besides the loop, as first found. */
static void check(struct worker *w, const struct mix *mix, const union record *a,
		  const union record *b, __u64 n, __u64 around[2])
{
	__u64 instructions = gain(a, b, 0), branches = gain(a, b, 1);
	unsigned int i;

	if (!around[0]) {
		around[0] = instructions - LOOP_INSTRUCTIONS * n;
		around[1] = branches - LOOP_BRANCHES * n;
	}
	if (instructions != LOOP_INSTRUCTIONS * n + around[0] ||
	    branches != LOOP_BRANCHES * n + around[1] || around[0] > 50)
		WRONG(w, "cpu %d, n %llu: %llu instructions, %llu branches", w->cpu, n,
		      instructions, branches);
	for (i = 2; i < mix->nr; i++)
		if (gain(a, b, i) != expected(mix->rate[i], instructions, branches))
			WRONG(w, "cpu %d, n %llu: event %#llx counted %llu beside %llu, %llu",
			      w->cpu, n, mix->attr[i].config, gain(a, b, i), instructions,
			      branches);
	if (b->r.time_enabled != b->r.time_running)
		WRONG(w, "cpu %d: did not run all the time", w->cpu);
}

static bool go_on(const struct worker *w)
{
	if (w->wrong[0])
		return false;
	return w->done < w->rounds || (w->forks && READ_ONCE(*w->forks) < w->enough);
}

static void *work(void *arg)
{
	__u64 around[2] = { 0 }, n;
	struct worker *w = arg;
	union record a, b;
	struct mix mix;
	int fd;

	if (pin_to(w->cpu)) {
		WRONG(w, "cannot be pinned to CPU %d", w->cpu);
		return NULL;
	}
	memset(&a, 0, sizeof(a));
	memset(&b, 0, sizeof(b));
	for (; go_on(w); w->done++) {
		mix_events(&mix, w->cpu * 7 + w->done * programmable_ones());
		fd = pm_set(mix.attr, mix.nr, true);
		if (fd < 0) {
			WRONG(w, "error %d, reason %u", fd, why.code);
			break;
		}
		for (n = 1000; n <= 100000; n *= 10) {
			if (two_records(fd, n + w->cpu, &a, &b) < 0)
				WRONG(w, "no record");
			check(w, &mix, &a, &b, n + w->cpu, around);
		}
		close(fd);
	}
	return NULL;
}

static void work_on_all_cpus(struct __test_metadata *_metadata, unsigned int rounds,
			     const unsigned int *forks, unsigned int enough)
{
	struct worker w[16] = { 0 };
	int i, n = cpus_online() < 16 ? cpus_online() : 16;

	for (i = 0; i < n; i++) {
		w[i].cpu = i;
		w[i].rounds = rounds;
		w[i].forks = forks;
		w[i].enough = enough;
		ASSERT_EQ(0, pthread_create(&w[i].thread, NULL, work, &w[i]));
	}
	for (i = 0; i < n; i++) {
		ASSERT_EQ(0, pthread_join(w[i].thread, NULL));
		EXPECT_EQ('\0', w[i].wrong[0]) TH_LOG("%s", w[i].wrong);
		EXPECT_GE(w[i].done, rounds);
	}
}

/* Each round with other events on the programmable counters, until all were on. */
TEST(on_every_cpu_at_once)
{
	if (!exact())
		SKIP(return, NOT_EXACT);
	work_on_all_cpus(_metadata, rounds_for_all(), NULL, 0);
}

/* Several counted threads on one CPU. */
TEST(in_turns_on_one_cpu)
{
	struct worker w[4] = { 0 };
	int i;

	if (!exact())
		SKIP(return, NOT_EXACT);
	for (i = 0; i < 4; i++) {
		w[i].rounds = rounds_for_all();
		ASSERT_EQ(0, pthread_create(&w[i].thread, NULL, work, &w[i]));
	}
	for (i = 0; i < 4; i++) {
		ASSERT_EQ(0, pthread_join(w[i].thread, NULL));
		EXPECT_EQ('\0', w[i].wrong[0]) TH_LOG("%s", w[i].wrong);
	}
}

/* ------------------------------------------------------------------- fork load -- */

static void fork_and_exit(int cpu, unsigned int *forks)
{
	int child;

	pin_to(cpu);
	for (;;) {
		child = fork();
		if (!child) {
			loop(100);
			_exit(0);
		}
		if (child_result(child))
			_exit(1);
		__atomic_fetch_add(forks, 1, __ATOMIC_RELAXED);
	}
}

TEST(under_a_fork_load)
{
	unsigned int *forks;
	int children[16], i, n = cpus_online() < 16 ? cpus_online() : 16;

	if (!exact())
		SKIP(return, NOT_EXACT);
	forks = mmap(NULL, PAGE_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	ASSERT_NE(MAP_FAILED, forks);
	for (i = 0; i < n; i++) {
		children[i] = fork_bound();
		if (!children[i])
			fork_and_exit(i, forks);
	}
	work_on_all_cpus(_metadata, rounds_for_all(), forks, 20 * n);
	EXPECT_GE(READ_ONCE(*forks), 20U * n);
	for (i = 0; i < n; i++) {
		EXPECT_EQ(0, waitpid(children[i], NULL, WNOHANG));
		stop_child(children[i]);
	}
}

#else

TEST(intel)
{
	SKIP(return, "another architecture");
}

#endif

TEST_HARNESS_MAIN
