// SPDX-License-Identifier: MIT
/*
 * User-level threads that get the same number of instructions each, whatever they do: a signal each
 * SLICE instructions switches to the next one. With a timer the one that is disturbed most would
 * get least.
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <ucontext.h>

#include <pmudev_deadline.h>

#define THREADS 3
#define SLICE	1000000
#define SLICES	60
#define STACK	65536

static ucontext_t threads[THREADS], scheduler;
static char stacks[THREADS][STACK];
static uint64_t spent[THREADS];
static unsigned int current, slices;
static struct pmudev set;

/* In the signal handler, on the stack of the thread that had its slice. */
static void next_thread(int signal)
{
	const unsigned int last = current;
	static uint64_t before;
	uint64_t now;

	(void)signal;
	if (pmudev_read_counts(&set, &now, 1))
		return;
	spent[last] += now - before;
	before = now;
	if (++slices == SLICES)
		setcontext(&scheduler);
	current = (last + 1) % THREADS;
	swapcontext(&threads[last], &threads[current]);
}

/* Each works in its own way, for ever. */
static void work(int stride)
{
	static unsigned char data[1 << 16];
	unsigned int i;

	for (i = 0;; i += stride) {
		data[i % sizeof(data)]++;
		/* Somebody may look at it, for all that the compiler knows. */
		__asm__ __volatile__("" : : "r"(data) : "memory");
	}
}

static void make_threads(void)
{
	int i;

	for (i = 0; i < THREADS; i++) {
		getcontext(&threads[i]);
		threads[i].uc_stack.ss_sp = stacks[i];
		threads[i].uc_stack.ss_size = STACK;
		makecontext(&threads[i], (void (*)(void))work, 1, 1 << (4 * i));
	}
}

static int start(void)
{
	const struct pmudev_event_attr instructions = {
		.config = PMUDEV_INSTRUCTIONS,
		.flags = PMUDEV_EXCLUDE_KERNEL | PMUDEV_EXCLUDE_HV,
	};
	const struct pmudev_deadline each_slice = {
		.flags = PMUDEV_DEADLINE_PERIODIC | PMUDEV_DEADLINE_SIGNAL,
		.value = SLICE,
		.period = SLICE,
		.signal = SIGUSR1,
	};
	struct sigaction action = { .sa_handler = next_thread };

	sigaction(SIGUSR1, &action, NULL);
	if (pmudev_open(&set) || pmudev_bind_self(&set) ||
	    pmudev_add(&set, &instructions, 1, NULL) || pmudev_deadline_set(&set, &each_slice, 1))
		return -1;
	return pmudev_enable(&set, PMUDEV_ALL);
}

int main(void)
{
	char why[256];
	int i;

	make_threads();
	if (start()) {
		pmudev_explain(&set, why, sizeof(why));
		fprintf(stderr, "fair_threads: %s\n", why);
		return 1;
	}
	/* Back here when all slices are over. */
	swapcontext(&scheduler, &threads[0]);
	pmudev_close(&set);
	for (i = 0; i < THREADS; i++)
		printf("thread %d: %" PRIu64 " instructions\n", i, spent[i]);
	return 0;
}
