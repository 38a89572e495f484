// SPDX-License-Identifier: GPL-2.0
/*
 * What pmudev_assign() costs at its worst, in instructions: a child is single-stepped through the
 * call. Compiled as the kernel is, for speed and without sanitizers.
 */
#include <signal.h>
#include <sys/ptrace.h>
#include <sys/wait.h>

#include <pmudev/assign.h>

#include "unit.h"

#define EVENTS 16

/* 20 microseconds of a CPU that executes an instruction a nanosecond. */
#define BOUND 20000

struct instance {
	struct pmudev_constraint constraint[EVENTS];
	unsigned int nr;
};

/* Steps of the child between two stops of its own, or -1. */
static long count_steps(pid_t child)
{
	long steps = 0;
	int status;

	if (waitpid(child, &status, 0) != child || !WIFSTOPPED(status) ||
	    WSTOPSIG(status) != SIGSTOP)
		return -1;
	for (;;) {
		if (ptrace(PTRACE_SINGLESTEP, child, NULL, NULL) ||
		    waitpid(child, &status, 0) != child || !WIFSTOPPED(status))
			return -1;
		if (WSTOPSIG(status) == SIGSTOP)
			return steps;
		steps++;
	}
}

/* Instructions of one call, with those of two raise() around it, which are few. */
static long cost(const struct instance *in)
{
	u8 counter[64];
	pid_t child = fork();
	long steps;

	if (!child) {
		if (ptrace(PTRACE_TRACEME, 0, NULL, NULL))
			_exit(1);
		kill(getpid(), SIGSTOP);
		pmudev_assign(in->constraint, in->nr, counter);
		kill(getpid(), SIGSTOP);
		_exit(0);
	}
	steps = count_steps(child);
	kill(child, SIGKILL);
	waitpid(child, NULL, 0);
	return steps;
}

static long worst;
static struct instance worst_instance;

static void measure(const struct instance *in)
{
	long steps = cost(in);

	if (steps > worst) {
		worst = steps;
		worst_instance = *in;
	}
}

static void say_worst(long bound)
{
	unsigned int i;

	if (worst < 0) {
		unit_skip("a child that may be traced (ptrace)");
		return;
	}
	printf("# at most %ld instructions:", worst);
	for (i = 0; i < worst_instance.nr; i++)
		printf(" %#llx%s@%d", (unsigned long long)worst_instance.constraint[i].allowed,
		       worst_instance.constraint[i].chained ? "p" : "",
		       (s8)worst_instance.constraint[i].now);
	printf("\n");
	EXPECT_TRUE(worst > 100 && worst <= bound);
}

/* Few: single-stepping is slow. */
static void measure_random(unsigned int nr, unsigned int counters, unsigned int share)
{
	struct instance in = { .nr = counters };
	unsigned int i, j, density;

	for (i = 0; i < nr; i++) {
		for (j = 0; j < in.nr; j++) {
			struct pmudev_constraint *constraint = &in.constraint[j];

			constraint->chained = unit_random() % 16 < share;
			constraint->allowed = unit_random() & (BIT_ULL(counters) - 1);
			for (density = i % 4; density; density--)
				constraint->allowed &= unit_random();
			if (constraint->chained)
				constraint->allowed =
					(constraint->allowed | constraint->allowed >> 1) & 0x5555;
			constraint->now = PMUDEV_NO_COUNTER;
		}
		measure(&in);
	}
}

static void single_events(void)
{
	struct instance in = { .nr = EVENTS };
	unsigned int i, j;

	worst = -1;
	measure_random(12, EVENTS, 0);
	/* Each new event moves all others. */
	for (j = 0; j < EVENTS; j += 5) {
		for (i = 0; i < EVENTS; i++)
			in.constraint[i] = (struct pmudev_constraint){
				.allowed = i < 15 ? 3ULL << i : 1,
				.now = i < j ? 15 - i : PMUDEV_NO_COUNTER,
			};
		measure(&in);
	}
	say_worst(BOUND);
}

static void chained_on_8_counters(void)
{
	worst = -1;
	measure_random(8, 8, 3);
	measure_random(8, 8, 6);
	say_worst(BOUND);
}

/* Masks of chained and single events; an earlier algorithm needed 47528 instructions. */
static const struct {
	u16 mask;
	bool chained;
} found[EVENTS] = {
	{ 0x0041, true },  { 0x5105, true },  { 0x0504, true },	 { 0xc90b, false },
	{ 0x0115, true },  { 0x1464, false }, { 0x8b73, false }, { 0x0a32, false },
	{ 0x4480, false }, { 0x0140, true },  { 0x0c06, false }, { 0x4004, false },
	{ 0x1404, true },  { 0x1505, true },  { 0x1404, false }, { 0xa6db, false },
};

static void chained_on_16_counters(void)
{
	struct instance in = { .nr = EVENTS };
	unsigned int i;

	worst = -1;
	for (i = 0; i < EVENTS; i++)
		in.constraint[i] = (struct pmudev_constraint){
			.allowed = found[i].mask,
			.now = PMUDEV_NO_COUNTER,
			.chained = found[i].chained,
		};
	measure(&in);
	measure_random(6, EVENTS, 4);
	say_worst(BOUND);
}

int main(void)
{
	unit_seed(0xc057);
	RUN(single_events);
	RUN(chained_on_8_counters);
	RUN(chained_on_16_counters);
	return unit_end();
}
