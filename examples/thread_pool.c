// SPDX-License-Identifier: MIT
/*
 * A pool of threads counts what its jobs cost: one set and one reader a thread, because a thread
 * reads its own counters and nobody else's. When a thread ends it leaves its sums behind; who joins
 * it adds them up.
 *
 * usage: thread_pool [THREADS]
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

#include <pmudev.h>

#define OWN_CODE (PMUDEV_EXCLUDE_KERNEL | PMUDEV_EXCLUDE_HV)
#define JOBS	 1000
#define THREADS	 64

struct worker {
	pthread_t thread;
	unsigned int jobs;
	uint64_t total[2]; /* instructions, cycles */
	char why[256];	   /* not empty: it could not count */
};

static atomic_uint next_job;

static void do_job(unsigned int job)
{
	unsigned int i;

	for (i = 0; i < 10 * job; i++)
		__asm__ __volatile__("");
}

/* A reader reads directly while user access is enabled, and by read(2) otherwise. */
static int start_counting(struct pmudev *set, struct pmudev_reader *reader)
{
	struct pmudev_event_attr events[] = {
		{ .config = PMUDEV_INSTRUCTIONS, .flags = OWN_CODE | PMUDEV_USER_READ },
		{ .config = PMUDEV_CYCLES, .flags = OWN_CODE | PMUDEV_USER_READ },
	};
	int error;

	error = pmudev_open(set);
	if (!error)
		error = pmudev_bind_self(set);
	if (error)
		return error;
	error = pmudev_add(set, events, 2, NULL);
	if (error) {
		events[0].flags = OWN_CODE;
		events[1].flags = OWN_CODE;
		error = pmudev_add(set, events, 2, NULL);
	} else {
		error = pmudev_map(set);
	}
	if (!error)
		error = pmudev_enable(set, PMUDEV_ALL);
	if (!error)
		error = pmudev_reader_init(reader, set, NULL, 2);
	return error;
}

static void *work(void *arg)
{
	struct worker *worker = arg;
	uint64_t before[2], after[2];
	struct pmudev_reader reader;
	struct pmudev set;
	unsigned int job;

	if (start_counting(&set, &reader)) {
		/* Why is known to the set, and the set is this thread's: it is told now. */
		pmudev_explain(&set, worker->why, sizeof(worker->why));
		pmudev_close(&set);
		return NULL;
	}
	while ((job = atomic_fetch_add(&next_job, 1)) < JOBS) {
		if (pmudev_reader_counts(&reader, before, 2))
			break;
		do_job(job);
		if (pmudev_reader_counts(&reader, after, 2))
			break;
		worker->total[0] += after[0] - before[0];
		worker->total[1] += after[1] - before[1];
		worker->jobs++;
	}
	/* The set goes with its thread: nobody else could read it directly, and nobody needs to. */
	pmudev_close(&set);
	return NULL;
}

int main(int argc, char **argv)
{
	static struct worker workers[THREADS];
	unsigned int nr = argc > 1 ? atoi(argv[1]) : 4, i, jobs = 0;
	unsigned long long total[2] = { 0, 0 };

	if (nr < 1 || nr > THREADS) {
		fprintf(stderr, "usage: thread_pool [THREADS]    1 to %d of them\n", THREADS);
		return 2;
	}
	for (i = 0; i < nr; i++)
		if (pthread_create(&workers[i].thread, NULL, work, &workers[i]))
			break;
	nr = i;
	for (i = 0; i < nr; i++) {
		/* After the join, and not before, its sums are there to be read. */
		pthread_join(workers[i].thread, NULL);
		if (workers[i].why[0])
			fprintf(stderr, "thread_pool: thread %u: %s\n", i, workers[i].why);
		else
			printf("thread %u: %4u jobs, %llu instructions\n", i, workers[i].jobs,
			       (unsigned long long)workers[i].total[0]);
		total[0] += workers[i].total[0];
		total[1] += workers[i].total[1];
		jobs += workers[i].jobs;
	}
	printf("all:      %4u jobs, %llu instructions, %llu cycles\n", jobs, total[0], total[1]);
	return jobs == JOBS ? 0 : 1;
}
