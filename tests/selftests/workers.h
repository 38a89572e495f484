/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A workers is a process of threads that count themselves, each in windows of the same code:
 * whatever is done to them meanwhile, a window is the same number of instructions, to the unit, and
 * no value that a thread reads is less than one before.
 */
#ifndef PMUDEV_TEST_WORKERS_H
#define PMUDEV_TEST_WORKERS_H

#include <pthread.h>
#include "common.h"

#define WORKERS_MAX 8

struct workers;

/* One of a workers. */
struct hand {
	struct workers *workers;
	unsigned int number;
	pthread_t thread;
	int tid;
	int fd;
	const struct pmudev_page *page; /* of every other one, if there are user reads */
	__u64 last;			/* what it read at last; less is never right */
	__u64 window;			/* what each window counts; 0: not known yet */
	__u64 handler;			/* what each signal adds; 0 until it was measured */
	__u64 handled[2];		/* signals, by their handlers */
	__u64 extra;			/* by a tracer: what the emulator counts besides */
	/* results */
	unsigned int windows;
	unsigned int direct; /* reads of the page */
	struct {
		int line; /* of workers.c; 0: nothing is */
		__u64 value, bound;
	} wrong;
};

/* In memory that is shared. */
struct workers {
	int pid;
	unsigned int nr;
	bool exact, signals;
	bool stop;
	struct hand hand[WORKERS_MAX];
};

/*
 * A workers of @nr that works when this returns; 0 or -errno. With @signals it handles SIGUSR1 and
 * SIGUSR2, in whose handlers it reads, too; one may interrupt the other.
 */
int workers_start(struct workers *workers, unsigned int nr, bool signals);
/* Each has done some windows more since this was called, or something is wrong; false: it hangs. */
bool workers_works(struct workers *workers);
/* Something is wrong with one of them. */
bool workers_wrong(const struct workers *workers);
/* Told to stop, and collected: 0, or as child_result(). What went wrong is still there. */
int workers_end(struct workers *workers);
/* Windows, signals of all. */
unsigned int workers_windows(const struct workers *workers);
__u64 workers_signals(const struct workers *workers);

static inline __u64 hand_signals(const struct hand *h)
{
	return READ_ONCE(h->handled[0]) + READ_ONCE(h->handled[1]);
}

/* For use below kselftest_harness.h. */
#define EXPECT_WORKERS(workers)                                                                    \
	do {                                                                                 \
		for (unsigned int __i = 0; __i < (workers)->nr; __i++) {                        \
			struct hand *__h = &(workers)->hand[__i];                               \
			EXPECT_EQ(0, __h->wrong.line)                                        \
			TH_LOG("hand %u: workers.c:%d: %llu, %llu (window %llu, handler %llu, " \
			       "signals %llu, windows %u)",                                  \
			       __i, __h->wrong.line, __h->wrong.value, __h->wrong.bound,     \
			       __h->window, __h->handler, hand_signals(__h), __h->windows);  \
		}                                                                            \
	} while (0)

#endif /* PMUDEV_TEST_WORKERS_H */
