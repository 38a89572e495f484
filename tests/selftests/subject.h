/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Somebody to be counted from outside.
 *
 * A subject is a process or a thread that sleeps until it is told to do something. From one sleep
 * to the next a piece of work of n rounds takes it LOOP_INSTRUCTIONS * n + cost instructions of
 * user mode, where the cost is the same for every subject and every n.
 *
 * A spinner is a process that never sleeps; halted, it tells to the instruction how far it got.
 *
 * An account holds the sets of tasks against those of all CPUs: what tasks executed, some CPU did.
 */
#ifndef PMUDEV_TEST_SUBJECT_H
#define PMUDEV_TEST_SUBJECT_H

#include <pthread.h>
#include "common.h"

/* More than the code around the work is long: a cost beyond that is not this code's. */
#define SUBJECT_COST_MAX 100

struct order {
	long (*fn)(long arg);
	long arg;
	long result;
};

struct subject {
	int pid; /* the thread's id */
	bool forked;
	pthread_t thread;
	struct turns turns;
	struct order *order; /* shared */
};

/* 0 or -errno; it sleeps when these return. A process ends when its parent does. */
int subject_fork(struct subject *s);
int subject_thread(struct subject *s);
/*
 * A thread of another process: prepared here, in memory that is shared, started there by the order,
 * whose argument it is; then both can tell it what to do.
 */
int subject_prepare(struct subject *s);
long subject_start_prepared(long s);
/* Tell it to do something that may not come back. */
void subject_tell(struct subject *s, long (*fn)(long arg), long arg);
/* Wait until it has, and sleeps again: the result, -ETIMEDOUT if it never did. */
long subject_finish(struct subject *s);
/* Both. */
long subject_do(struct subject *s, long (*fn)(long arg), long arg);
/* The work: n rounds. */
long subject_work(struct subject *s, __u64 n);
/* Have it end by itself, and collect it: 0 or as child_result(). */
int subject_end(struct subject *s);
/* What a subject executes in user mode for each order, besides the work; 0 if it varies. */
__u64 subject_cost(void);
/* An order: make a set on yourself, already open, count instructions. */
long count_yourself(long fd);

struct spinner {
	int pid;
	__u64 *rounds; /* shared: how often it went round */
};

/* It runs when this returns. */
int spinner_start(struct spinner *s);
/* With so many more threads, which sleep. */
int spinner_start_among(struct spinner *s, int sleepers);
/* Halted with SIGSTOP, and going on: 0 or -errno. */
int spinner_halt(struct spinner *s);
int spinner_go(struct spinner *s);
/* While it is halted: the instructions it has executed since it began to spin, or -errno. */
__s64 spinner_executed(const struct spinner *s);
void spinner_stop(struct spinner *s);

struct account {
	int nr; /* CPUs */
	int fd[64];
};

struct tally {
	__u64 cpus; /* instructions of user mode on all CPUs */
	__u64 sets; /* those in slot 0 of the sets */
};

/*
 * A set of each CPU's user instructions. The caller stays on one CPU from then on, and returns when
 * nobody runs who waits for the caller.
 */
int account_open(struct account *a);
/* Both sides now. Those counted by the sets are the caller and whoever else runs meanwhile. */
int account_read(const struct account *a, const int *fd, int nr, struct tally *t);
void account_close(struct account *a);

#endif /* PMUDEV_TEST_SUBJECT_H */
