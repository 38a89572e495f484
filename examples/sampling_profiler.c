// SPDX-License-Identifier: MIT
/*
 * A profiler: each PERIOD instructions a signal says where the program is. This one profiles
 * itself, and knows its functions by their addresses.
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <signal.h>
#include <stdio.h>
#include <ucontext.h>

#include <pmudev_deadline.h>

#define PERIOD 1000003 /* a prime: no loop is as long */

static unsigned int samples[4];

static __attribute__((noinline)) unsigned int turn(unsigned int x, unsigned int rounds)
{
	while (rounds--)
		x = x * 1664525 + 1013904223;
	return x;
}

static __attribute__((noinline)) unsigned int shift(unsigned int x, unsigned int rounds)
{
	while (rounds--)
		x ^= (x << 13) ^ (x >> 17);
	return x;
}

static const struct {
	const char *name;
	unsigned int (*function)(unsigned int x, unsigned int rounds);
	size_t size; /* at most */
} functions[] = {
	{ "turn", turn, 64 },
	{ "shift", shift, 64 },
};

#define NR_FUNCTIONS (sizeof(functions) / sizeof(*functions))

static uintptr_t pc_of(const ucontext_t *context)
{
#if defined(__x86_64__)
	return context->uc_mcontext.gregs[REG_RIP];
#elif defined(__aarch64__)
	return context->uc_mcontext.pc;
#elif defined(__arm__)
	return context->uc_mcontext.arm_pc;
#else
	return context->uc_mcontext.gregs[REG_EIP];
#endif
}

static void take_sample(int signal, siginfo_t *info, void *context)
{
	uintptr_t pc = pc_of(context);
	size_t i;

	(void)signal;
	(void)info;
	for (i = 0; i < NR_FUNCTIONS; i++)
		if (pc - (uintptr_t)functions[i].function < functions[i].size)
			break;
	samples[i]++;
}

static int start(struct pmudev *set)
{
	const struct pmudev_event_attr instructions = {
		.config = PMUDEV_INSTRUCTIONS,
		.flags = PMUDEV_EXCLUDE_KERNEL | PMUDEV_EXCLUDE_HV,
	};
	const struct pmudev_deadline each_period = {
		.flags = PMUDEV_DEADLINE_PERIODIC | PMUDEV_DEADLINE_SIGNAL,
		.value = PERIOD,
		.period = PERIOD,
		.signal = SIGPROF,
	};
	struct sigaction action = { .sa_sigaction = take_sample, .sa_flags = SA_SIGINFO };

	sigaction(SIGPROF, &action, NULL);
	if (pmudev_open(set) || pmudev_bind_self(set) || pmudev_add(set, &instructions, 1, NULL) ||
	    pmudev_deadline_set(set, &each_period, 1))
		return -1;
	return pmudev_enable(set, PMUDEV_ALL);
}

int main(void)
{
	unsigned int x = 1, all = 0;
	struct pmudev set;
	char why[256];
	size_t i;
	int round;

	if (start(&set)) {
		pmudev_explain(&set, why, sizeof(why));
		fprintf(stderr, "sampling_profiler: %s\n", why);
		return 1;
	}
	for (round = 0; round < 100; round++)
		x = shift(turn(x, 300000), 100000);
	pmudev_disable(&set, PMUDEV_ALL);
	for (i = 0; i <= NR_FUNCTIONS; i++)
		all += samples[i];
	for (i = 0; i <= NR_FUNCTIONS && all; i++)
		printf("%5.1f%%  %s\n", 100.0 * samples[i] / all,
		       i < NR_FUNCTIONS ? functions[i].name : "(elsewhere)");
	printf("%u samples (%u)\n", all, x & 1);
	pmudev_close(&set);
	return 0;
}
