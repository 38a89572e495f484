// SPDX-License-Identifier: GPL-2.0
/*
 * A set on a thread counts that thread, wherever and whenever it runs, and nothing else; ends with
 * it; and can be read, controlled and closed by others meanwhile.
 */
#include "common.h"
#include "kselftest_harness.h"

#include <pthread.h>
#include <sys/resource.h>
#include <sys/socket.h>

/* ------------------------------------------------------- only this thread's -- */

#define ROUNDS 200

struct worker {
	pthread_t thread;
	pthread_barrier_t *start;
	struct turns *turns;
	int me;
	__u64 n;
	/* results */
	int error;
	long switches;
	__u64 count;
};

/* Both workers run this very code; only n differs, and the loop is as long as n says. */
static __attribute__((noinline)) int work(struct worker *w, int fd)
{
	union record before, after;
	int i, ret;

	memset(&before, 0, sizeof(before));
	memset(&after, 0, sizeof(after));
	ret = pm_read(fd, &before);
	for (i = 0; i < ROUNDS; i++) {
		loop(w->n);
		turn_pass(w->turns, w->me);
	}
	if (!ret)
		ret = pm_read(fd, &after);
	w->count = after.r.counts[0].value - before.r.counts[0].value;
	return ret;
}

static void *worker(void *arg)
{
	struct pmudev_event_attr event = raw_event(EVENT_INSTRUCTIONS, USER_ONLY);
	struct rusage before, after;
	struct worker *w = arg;
	int fd;

	fd = pm_set(&event, 1, true);
	w->error = fd < 0 ? fd : 0;
	pthread_barrier_wait(w->start);
	if (fd < 0)
		return NULL;
	if (w->me)
		turn_wait(w->turns, 1);
	getrusage(RUSAGE_THREAD, &before);
	w->error = work(w, fd);
	getrusage(RUSAGE_THREAD, &after);
	w->switches = after.ru_nvcsw - before.ru_nvcsw + after.ru_nivcsw - before.ru_nivcsw;
	if (!w->me)
		turn_give(w->turns, 0);
	close(fd);
	return NULL;
}

/*
 * Two threads in strict turns, each counting itself, one with loops ten times as long. What a
 * worker counts besides its loops is the same code for both: if the difference to 2n is equal, no
 * instruction of one was counted for the other.
 */
TEST(two_threads_in_turns)
{
	pthread_barrier_t start;
	struct turns turns;
	struct worker w[2] = {
		{ .start = &start, .turns = &turns, .me = 0, .n = 1000 },
		{ .start = &start, .turns = &turns, .me = 1, .n = 10000 },
	};
	int i;

	if (!exact_instructions())
		SKIP(return, "instructions are not counted exactly here (PMUDEV_EXACT)");
	/* On one CPU, so that each turn is a switch. */
	ASSERT_EQ(0, pin_to(sched_getcpu()));
	ASSERT_EQ(0, turns_init(&turns));
	pthread_barrier_init(&start, NULL, 2);
	for (i = 0; i < 2; i++)
		ASSERT_EQ(0, pthread_create(&w[i].thread, NULL, worker, &w[i]));
	for (i = 0; i < 2; i++) {
		ASSERT_EQ(0, pthread_join(w[i].thread, NULL));
		ASSERT_EQ(0, w[i].error);
		/* They did take turns, whether they slept for it or were pushed off. */
		EXPECT_GE(w[i].switches, ROUNDS - 1);
		EXPECT_GT(w[i].count, LOOP_INSTRUCTIONS * ROUNDS * w[i].n);
	}
	EXPECT_EQ(w[0].count - LOOP_INSTRUCTIONS * ROUNDS * w[0].n,
		  w[1].count - LOOP_INSTRUCTIONS * ROUNDS * w[1].n);
}

static void *spin(void *arg)
{
	loop(*(__u64 *)arg);
	return NULL;
}

/* Neither a thread nor a child that is started while a set counts is counted with it. */
TEST(new_tasks_are_not_counted)
{
	struct pmudev_event_attr event = raw_event(steady_event(), USER_ONLY);
	__u64 n = 1000000;
	union record before, after;
	pthread_t thread;
	int fd, child;

	if (emulated() && cpus_online() > 1 && event.config == EVENT_CYCLES)
		SKIP(return, "the emulator's clock runs for all CPUs together");
	fd = pm_set(&event, 1, true);
	ASSERT_GE(fd, 0);
	ASSERT_EQ(0, pm_read(fd, &before));
	ASSERT_EQ(0, pthread_create(&thread, NULL, spin, &n));
	ASSERT_EQ(0, pthread_join(thread, NULL));
	child = fork();
	if (!child) {
		loop(n);
		_exit(0);
	}
	ASSERT_EQ(0, child_result(child));
	child = vfork();
	if (!child) {
		loop(n);
		_exit(0);
	}
	ASSERT_EQ(0, child_result(child));
	ASSERT_EQ(0, pm_read(fd, &after));
	EXPECT_LT(after.r.counts[0].value - before.r.counts[0].value, n);
	/* It still counts itself. */
	loop(n);
	ASSERT_EQ(0, pm_read(fd, &before));
	EXPECT_GE(before.r.counts[0].value - after.r.counts[0].value, n);
	close(fd);
}

/* Four pairs at once, so that whoever wakes next has seldom been the last on the CPU. */
TEST(many_threads)
{
	enum {
		THREADS = 8
	};
	struct turns turns[THREADS / 2];
	struct worker w[THREADS];
	pthread_barrier_t start;
	int i;

	if (!exact_instructions())
		SKIP(return, "instructions are not counted exactly here (PMUDEV_EXACT)");
	pthread_barrier_init(&start, NULL, THREADS);
	for (i = 0; i < THREADS / 2; i++)
		ASSERT_EQ(0, turns_init(&turns[i]));
	for (i = 0; i < THREADS; i++) {
		w[i] = (struct worker){
			.start = &start,
			.turns = &turns[i / 2],
			.me = i % 2,
			.n = 1000 * (i + 1),
		};
		ASSERT_EQ(0, pthread_create(&w[i].thread, NULL, worker, &w[i]));
	}
	for (i = 0; i < THREADS; i++) {
		ASSERT_EQ(0, pthread_join(w[i].thread, NULL));
		ASSERT_EQ(0, w[i].error);
		EXPECT_EQ(w[0].count - LOOP_INSTRUCTIONS * ROUNDS * w[0].n,
			  w[i].count - LOOP_INSTRUCTIONS * ROUNDS * w[i].n);
	}
}

/* -------------------------------------------------------------- the thread ends -- */

struct mortal {
	int fd;
	__u64 n;
};

static void *count_and_end(void *arg)
{
	struct pmudev_event_attr event = raw_event(steady_event(), USER_ONLY);
	struct mortal *mortal = arg;

	mortal->fd = pm_set(&event, 1, true);
	loop(mortal->n);
	return NULL;
}

TEST(thread_ends)
{
	struct pmudev_event_attr event = raw_event(EVENT_CYCLES, USER_ONLY);
	struct mortal mortal = { .n = 100000 };
	union record final, later;
	struct pmudev_query query;
	pthread_t thread;

	ASSERT_EQ(0, pthread_create(&thread, NULL, count_and_end, &mortal));
	ASSERT_EQ(0, pthread_join(thread, NULL));
	ASSERT_GE(mortal.fd, 0);
	/* A thread can be joined a little before it has ended for the kernel. */
	EXPECT_TRUE(WAIT_FOR(!pm_read(mortal.fd, &final) && final.r.flags & PMUDEV_RECORD_ENDED));
	EXPECT_GE(final.r.counts[0].value, mortal.n);
	if (exact_instructions())
		EXPECT_LE(final.r.counts[0].value, LOOP_INSTRUCTIONS * mortal.n + 20000);
	EXPECT_EQ(final.r.counts[0].time_enabled, final.r.counts[0].time_running);
	loop(100000);
	ASSERT_EQ(0, pm_read(mortal.fd, &later));
	EXPECT_EQ(final.r.counts[0].value, later.r.counts[0].value);
	EXPECT_EQ(final.r.counts[0].time_enabled, later.r.counts[0].time_enabled);
	EXPECT_EQ(final.r.flags, later.r.flags);

	/* Its counters are free for others, although the file is open. */
	EXPECT_EQ(0, pm_query(&query));
	EXPECT_EQ(0ULL, query.busy);
	event.group = 1;
	EXPECT_REFUSED(ESRCH, PMUDEV_WHY_ENDED, pm_add(mortal.fd, &event, 1));
	EXPECT_REFUSED(ESRCH, PMUDEV_WHY_ENDED, pm_enable(mortal.fd, 0));
	close(mortal.fd);
}

/* A process that counted itself through a file it inherited: the parent reads its final record. */
TEST(process_ends)
{
	struct pmudev_event_attr event = raw_event(EVENT_INSTRUCTIONS, USER_ONLY);
	__u64 n, rest = 0;
	union record final;
	int fd, child;

	if (!exact_instructions())
		SKIP(return, "instructions are not counted exactly here (PMUDEV_EXACT)");
	for (n = 1000; n <= 1000000; n *= 10) {
		fd = pm_open();
		ASSERT_GE(fd, 0);
		child = fork();
		if (!child) {
			int ret = pm_bind(fd, PMUDEV_TARGET_TASK, 0, 0);

			if (!ret)
				ret = pm_add(fd, &event, 1);
			if (!ret)
				ret = pm_enable(fd, 0);
			loop(n);
			raw_call(SYS_exit_group, ret, 0, 0);
		}
		ASSERT_EQ(0, child_result(child));
		EXPECT_TRUE(WAIT_FOR(!pm_read(fd, &final) && final.r.flags & PMUDEV_RECORD_ENDED));
		/* From enable's return to exit is one and the same code for every n. */
		if (n == 1000)
			rest = final.r.counts[0].value - LOOP_INSTRUCTIONS * n;
		EXPECT_EQ(LOOP_INSTRUCTIONS * n + rest, final.r.counts[0].value);
		EXPECT_LT(rest, 200ULL);
		close(fd);
	}
}

/* --------------------------------------------------------- others use the set -- */

struct seen {
	int error;
	union record record;
};

static void *read_it(void *arg)
{
	struct seen *seen = arg;

	seen->error = pm_read(seen->error, &seen->record);
	return NULL;
}

/* The owner sleeps in join: others see what it had counted by then, and a little more. */
TEST(another_thread_reads)
{
	struct pmudev_event_attr event = raw_event(EVENT_INSTRUCTIONS, USER_ONLY);
	union record before, after;
	struct seen seen;
	pthread_t thread;
	int fd, i;

	if (!exact_instructions())
		SKIP(return, "instructions are not counted exactly here (PMUDEV_EXACT)");
	fd = pm_set(&event, 1, true);
	ASSERT_GE(fd, 0);
	for (i = 0; i < 20; i++) {
		loop(1000);
		ASSERT_EQ(0, pm_read(fd, &before));
		seen.error = fd;
		ASSERT_EQ(0, pthread_create(&thread, NULL, read_it, &seen));
		ASSERT_EQ(0, pthread_join(thread, NULL));
		ASSERT_EQ(0, pm_read(fd, &after));
		ASSERT_EQ(0, seen.error);
		EXPECT_LT(before.r.counts[0].value, seen.record.r.counts[0].value);
		EXPECT_LT(seen.record.r.counts[0].value, after.r.counts[0].value);
		EXPECT_LT(after.r.counts[0].value, before.r.counts[0].value + 20000);
	}
	close(fd);
}

/* A process that got the file by a socket reads, stops, resets and starts another one's set. */
TEST(another_process_controls)
{
	struct pmudev_event_attr event = raw_event(EVENT_CYCLES, USER_ONLY);
	union record record;
	int sockets[2], fd, child;

	if (socketpair(AF_UNIX, SOCK_STREAM, 0, sockets))
		SKIP(return, "the kernel has no unix sockets");
	child = fork();
	if (!child) {
		fd = receive_fd(sockets[1]);
		if (fd < 0)
			_exit(1);
		if (pm_read(fd, &record) || record.r.counts[0].value < 1000)
			_exit(2);
		if (pm_disable(fd, 0) || pm_reset(fd, 0, 1234567))
			_exit(3);
		if (pm_read(fd, &record) || record.r.counts[0].value != 1234567)
			_exit(4);
		_exit(pm_enable(fd, 0) ? 5 : 0);
	}
	fd = pm_set(&event, 1, true);
	ASSERT_GE(fd, 0);
	loop(1000);
	ASSERT_EQ(0, send_fd(sockets[0], fd));
	ASSERT_EQ(0, child_result(child));
	ASSERT_EQ(0, pm_read(fd, &record));
	EXPECT_GE(record.r.counts[0].value, 1234567ULL);
	EXPECT_EQ((__u32)PMUDEV_RECORD_ENABLED, record.r.flags);
	loop(1000000);
	EXPECT_EQ(0, pm_read(fd, &record));
	EXPECT_GE(record.r.counts[0].value, 1234567 + 1000000ULL);
	close(fd);
}

TEST_HARNESS_MAIN
