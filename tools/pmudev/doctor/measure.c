// SPDX-License-Identifier: GPL-2.0
/*
 * What a CPU counts of loops whose instructions and branches are known. All differences are of two
 * loops, so what reading takes is not part of them.
 */
#define _GNU_SOURCE
#include <sched.h>
#include <string.h>

#include <pmudev_deadline.h>

#include "../common/cmd.h"
#include "doctor.h"

#define FEW	100000UL
#define MANY	1100000UL
#define MORE	(MANY - FEW)
#define RUNS	20
#define OWN	(PMUDEV_EXCLUDE_KERNEL | PMUDEV_EXCLUDE_HV)
#define PERIODS 100

/* Two instructions a round, of which one is a branch that is taken but in the last round. */
static __attribute__((__noinline__)) void loop(unsigned long rounds)
{
#if defined(__aarch64__) || defined(__arm__)
	__asm__ __volatile__("1: subs %0, %0, #1\n\tbne 1b" : "+r"(rounds) : : "cc");
#else
	__asm__ __volatile__("1: dec %0\n\tjnz 1b" : "+r"(rounds) : : "cc");
#endif
}

/*
 * What is counted of a loop, and of reading the count once. The same instructions, whatever the
 * number of rounds. False: it cannot be counted.
 */
static __attribute__((__noinline__)) bool count_loop(struct pmudev *set, unsigned long rounds,
						     uint64_t *count)
{
	uint64_t before, after;

	if (pmudev_read_count(set, 0, &before))
		return false;
	loop(rounds);
	if (pmudev_read_count(set, 0, &after))
		return false;
	*count = after - before;
	return true;
}

/* What the longer loop counts more. False: as above. */
static bool count_loops(struct pmudev *set, uint64_t *more)
{
	uint64_t less;

	if (!count_loop(set, FEW, &less) || !count_loop(set, MANY, more))
		return false;
	*more -= less;
	return true;
}

/**
 * struct tally - what an event counted in several runs
 * @least: of a run
 * @most: of a run
 * @right: in how many runs it was what it should be
 */
struct tally {
	uint64_t least;
	uint64_t most;
	unsigned int right;
};

static bool tally(struct pmudev *set, uint64_t wanted, struct tally *tally)
{
	uint64_t more;
	unsigned int i;

	*tally = (struct tally){ .least = UINT64_MAX };
	for (i = 0; i < RUNS; i++) {
		if (!count_loops(set, &more))
			return false;
		tally->least = more < tally->least ? more : tally->least;
		tally->most = more > tally->most ? more : tally->most;
		tally->right += more == wanted;
	}
	return true;
}

/* False: it was refused, which was found. */
static bool begin(struct doctor *d, struct pmudev *set, enum pmudev_generic event,
		  const char *check)
{
	const struct pmudev_event_attr attr = { .config = event, .flags = OWN };
	enum verdict verdict;
	char why[256];

	if (!pmudev_open(set) && !pmudev_start(set, &attr, 1, NULL))
		return true;
	pmudev_explain(set, why, sizeof(why));
	verdict = event == PMUDEV_INSTRUCTIONS ? VERDICT_FAIL : VERDICT_SKIP;
	doctor_find(d, check, verdict, "not counted: %.200s", why);
	pmudev_close(set);
	return false;
}

/* ---------------------------------------------------------------------------- loops -- */

static void judge(struct doctor *d, const char *check, const char *what, uint64_t wanted,
		  const struct tally *t)
{
	struct finding *f;

	if (t->right == RUNS) {
		doctor_find(d, check, VERDICT_OK, "a loop of %llu %s counts as %llu, %u times",
			    (unsigned long long)wanted, what, (unsigned long long)wanted, RUNS);
		return;
	}
	f = doctor_find(d, check, t->right ? VERDICT_WARN : VERDICT_FAIL,
			"a loop of %llu %s counts as %llu to %llu; %u of %u times right",
			(unsigned long long)wanted, what, (unsigned long long)t->least,
			(unsigned long long)t->most, t->right, RUNS);
	doctor_advise(f, t->right ? "some CPUs count an instruction more at each interrupt or page "
				    "fault; compare the least of several runs" :
				    "this counter is wrong, or it counts what others do; report it "
				    "with `pmudev doctor --json`");
}

static void check_event(struct doctor *d, enum pmudev_generic event, const char *what,
			uint64_t wanted)
{
	struct pmudev set;
	struct tally t;

	if (!begin(d, &set, event, what))
		return;
	if (tally(&set, wanted, &t))
		judge(d, what, what, wanted, &t);
	else
		doctor_find(d, what, VERDICT_FAIL, "the count cannot be read");
	pmudev_close(&set);
}

static void check_cycles(struct doctor *d)
{
	struct pmudev set;
	struct tally t;

	if (!begin(d, &set, PMUDEV_CYCLES, "cycles"))
		return;
	if (!tally(&set, 0, &t) || !t.most)
		doctor_find(d, "cycles", VERDICT_FAIL, "the cycles of a loop count as 0");
	else
		doctor_find(d, "cycles", VERDICT_OK, "%.2f to %.2f instructions per cycle",
			    2.0 * MORE / t.most, 2.0 * MORE / t.least);
	pmudev_close(&set);
}

/* ------------------------------------------------------------------------- reading -- */

static void check_overhead(struct doctor *d)
{
	uint64_t before, after, least = UINT64_MAX;
	struct pmudev set;
	unsigned int i;

	if (!begin(d, &set, PMUDEV_INSTRUCTIONS, "overhead"))
		return;
	for (i = 0; i < RUNS; i++)
		if (!pmudev_read_count(&set, 0, &before) && !pmudev_read_count(&set, 0, &after) &&
		    after - before < least)
			least = after - before;
	doctor_find(d, "overhead", VERDICT_OK,
		    "a read by a system call is %llu instructions of user mode",
		    (unsigned long long)least);
	pmudev_close(&set);
}

/* An overflow at each period is told, and none twice. */
static void check_interrupts(struct doctor *d)
{
	const uint64_t period = 2 * MANY;
	struct pmudev_deadline deadline = {
		.slot = 0,
		.value = period,
		.period = period,
		.flags = PMUDEV_DEADLINE_PERIODIC,
	};
	struct pmudev_report report = { 0 };
	struct finding *f;
	struct pmudev set;
	char why[256];
	uint64_t wanted, count = 0;
	unsigned int i;

	if (!begin(d, &set, PMUDEV_INSTRUCTIONS, "interrupts"))
		return;
	if (pmudev_deadline_set(&set, &deadline, 1)) {
		pmudev_explain(&set, why, sizeof(why));
		doctor_find(d, "interrupts", VERDICT_SKIP, "no deadlines: %.200s", why);
		pmudev_close(&set);
		return;
	}
	for (i = 0; i < PERIODS; i++)
		loop(MANY);
	pmudev_read_count(&set, 0, &count);
	pmudev_deadline_reports(&set, &report, 1);
	wanted = count / period;
	if (report.reached == wanted) {
		doctor_find(d, "interrupts", VERDICT_OK, "each of %llu overflows was told once",
			    (unsigned long long)wanted);
	} else {
		f = doctor_find(d, "interrupts", VERDICT_FAIL, "%llu of %llu overflows were told",
				(unsigned long long)report.reached, (unsigned long long)wanted);
		doctor_advise(f, "counts are right, but deadlines and `pmudev record` are not");
	}
	pmudev_close(&set);
}

/* On one CPU: others may be of another kind. */
static void stay_here(void)
{
	cpu_set_t one;

	CPU_ZERO(&one);
	CPU_SET(sched_getcpu(), &one);
	sched_setaffinity(0, sizeof(one), &one);
}

void doctor_measure(struct doctor *doctor)
{
	stay_here();
	check_event(doctor, PMUDEV_INSTRUCTIONS, "instructions", 2 * MORE);
	check_event(doctor, PMUDEV_BRANCHES, "branches", MORE);
	check_cycles(doctor);
	check_overhead(doctor);
	check_interrupts(doctor);
}
