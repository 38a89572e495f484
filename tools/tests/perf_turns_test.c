// SPDX-License-Identifier: MIT
/*
 * The library of `pmudev exec` in this program, with sanitizers and made-up sets: events that take
 * turns where something fails, or two threads do it at the same time.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <linux/perf_event.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <pmudev.h>

#include "fake_sets.h"
#include "tap.h"

static int open_event(unsigned int inherit)
{
	struct perf_event_attr attr = {
		.size = sizeof(attr),
		.type = PERF_TYPE_HARDWARE,
		.config = PERF_COUNT_HW_INSTRUCTIONS,
		.inherit = inherit,
	};

	/* The first thread */
	return syscall(SYS_perf_event_open, &attr, (long)getpid(), -1L, -1L, 0L, 0L);
}

static uint64_t value(int fd)
{
	uint64_t value;

	return read(fd, &value, sizeof(value)) == sizeof(value) ? value : ~0ULL;
}

static void close_all(const int *fd, unsigned int nr)
{
	while (nr--)
		close(fd[nr]);
	is_number(fake_open_sets(), 0, "no set is left");
	fake_counters = 64;
}

/* On two counters; the third event is opened while something fails. */
static void begin(int *fd, unsigned long request, unsigned int in, int error)
{
	unsigned int i;

	fake_counters = 2;
	for (i = 0; i < 2; i++)
		fd[i] = open_event(0);
	fake_step(5, 10);
	fake_failure = (struct fake_failure){ .request = request, .in = in, .error = error };
	errno = 0;
	fd[2] = open_event(0);
	is_number(fake_failure.in, 0, "something failed");
	fake_step(7, 10);
}

static void another_cannot_move(void)
{
	int fd[3];

	begin(fd, PMUDEV_IOC_REMOVE, 2, -EIO);
	ok(fd[2] >= 0, "an event for which another one cannot make room");
	is_number(value(fd[1]), 12, "that goes on where it is");
	is_number(value(fd[0]), 12, "one that can goes on");
	is_number(value(fd[2]), 7, "and so does the new one");
	close_all(fd, 3);
}

static void it_cannot_move(void)
{
	int fd[3];

	begin(fd, PMUDEV_IOC_REMOVE, 1, -EIO);
	ok(fd[2] == -1 && errno == EIO, "an event that cannot share");
	is_number(fake_open_sets(), 2, "the others need not");
	is_number(value(fd[0]), 12, "and go on");
	is_number(value(fd[1]), 12, "both of them");
	close_all(fd, 2);
}

/* The second one has moved by then. */
static void no_counter_at_first(void)
{
	int fd[3];

	begin(fd, PMUDEV_IOC_ENABLE, 3, -EBUSY);
	is_number(fake_open_sets(), 1, "all of them share");
	is_number(value(fd[1]), 12, "one that had no counter for a moment goes on");
	is_number(value(fd[0]), 12, "the others, too");
	is_number(value(fd[2]), 7, "and the new one");
	close_all(fd, 3);
}

static void *open_inherited(void *barrier)
{
	pthread_barrier_wait(barrier);
	return (void *)(intptr_t)open_event(1);
}

/* Sets of which children have copies cannot change: they are shared from the beginning. */
static void two_join(void)
{
	unsigned int i, wrong = 0, sets = 0;
	pthread_barrier_t barrier;
	pthread_t thread[2];
	void *fd[2];

	fake_counters = 1;
	pthread_barrier_init(&barrier, NULL, 2);
	for (i = 0; i < 300; i++) {
		pthread_create(&thread[0], NULL, open_inherited, &barrier);
		pthread_create(&thread[1], NULL, open_inherited, &barrier);
		pthread_join(thread[0], &fd[0]);
		pthread_join(thread[1], &fd[1]);
		sets += fake_open_sets() != 1;
		fake_step(3, 1);
		wrong += value((intptr_t)fd[0]) != 3 || value((intptr_t)fd[1]) != 3;
		close((intptr_t)fd[0]);
		close((intptr_t)fd[1]);
	}
	is_number(wrong, 0, "two threads open events that children inherit");
	is_number(sets, 0, "in one set");
	pthread_barrier_destroy(&barrier);
	close_all(NULL, 0);
}

static void too_many_groups(void)
{
	int fd[PMUDEV_MAX_EVENTS];
	unsigned int i, wrong = 0;

	for (i = 0; i < PMUDEV_MAX_EVENTS; i++) {
		fd[i] = open_event(1);
		wrong += fd[i] < 0;
	}
	is_number(wrong, 0, "as many groups as a set can have");
	ok(open_event(1) == -1 && errno == EBUSY, "one more has no turn");
	close_all(fd, PMUDEV_MAX_EVENTS);
}

/* ----------------------------------------------------------------------- reads -- */

static atomic_uint yields;
static atomic_bool changing;

/* In place of the C library's */
int sched_yield(void)
{
	atomic_fetch_add(&yields, 1);
	return 0;
}

static void slowly(void)
{
	atomic_store(&changing, true);
	usleep(100000);
}

static void *reset(void *fd)
{
	return (void *)(intptr_t)ioctl((intptr_t)fd, PERF_EVENT_IOC_RESET, 0);
}

/* It sleeps: of another thread's priority it knows nothing. */
static void read_beside_change(void)
{
	int fd = open_event(0);
	pthread_t thread;

	fake_step(4, 1);
	fake_during = slowly;
	pthread_create(&thread, NULL, reset, (void *)(intptr_t)fd);
	while (!atomic_load(&changing))
		usleep(100);
	is_number(value(fd), 0, "a read beside a change sees it");
	ok(atomic_load(&yields) < 1000, "and does not spin until it is there");
	pthread_join(thread, NULL);
	fake_during = NULL;
	close_all(&fd, 1);
}

int main(void)
{
	another_cannot_move();
	it_cannot_move();
	no_counter_at_first();
	two_join();
	too_many_groups();
	read_beside_change();
	return tap_end();
}
