// SPDX-License-Identifier: GPL-2.0
/*
 * PMUDEV_IOC_READ_SETS: each record is what read(2) of the set returns, and those of one CPU take
 * one interrupt.
 */
#include <fcntl.h>
#include <pthread.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <pmudev.h>

#include "common.h"
#include "interrupts.h"
#include "kselftest_harness.h"

#define NR     PMUDEV_MAX_READ_SETS
#define STRIDE PMUDEV_RECORD_SIZE(2)
/* What no record has at the end of a place that is larger. */
#define UNTOUCHED 0xa5

static int pm_read_sets(const __s32 *fds, __u32 nr, void *records, __u32 record_size)
{
	struct pmudev_read_sets call = {
		.size = sizeof(call),
		.nr = nr,
		.record_size = record_size,
		.fds = (uintptr_t)fds,
		.records = (uintptr_t)records,
	};
	int ret = ioctl(fds ? fds[0] : -1, PMUDEV_IOC_READ_SETS, &call) ? -errno : 0;

	why = call.refusal;
	return ret;
}

FIXTURE(read_sets)
{
	__s32 fds[NR];
	unsigned int nr;
	char records[NR][STRIDE];
};

FIXTURE_SETUP(read_sets)
{
	memset(self->records, UNTOUCHED, sizeof(self->records));
}

FIXTURE_TEARDOWN(read_sets)
{
	while (self->nr)
		close(self->fds[--self->nr]);
}

static const struct pmudev_record *record(const struct _test_data_read_sets *self, unsigned int i)
{
	return (const struct pmudev_record *)self->records[i];
}

static struct pmudev_event_attr event(__u64 tag)
{
	struct pmudev_event_attr attr = raw_event(EVENT_INSTRUCTIONS, USER_ONLY);

	attr.tag = tag;
	return attr;
}

/* Keeps a descriptor. Return: whether it is one. */
static bool keep(struct _test_data_read_sets *self, int fd)
{
	if (fd < 0)
		return false;
	self->fds[self->nr++] = fd;
	return true;
}

/* Of every kind: of this thread, of children that sleep or have ended, inherited, of each CPU. */
TEST_F(read_sets, equals_read)
{
	struct pmudev_event_attr events[] = { event(1), event(2) };
	union record before[NR], after[NR];
	const struct pmudev_record *got;
	struct pmudev_query query;
	struct turns turns;
	int child, ended, ret;
	bool few_counters;
	int cpus = cpus_online();
	unsigned int i;

	/* The child needs two counters beside those of its CPU. */
	ASSERT_EQ(0, pm_query(&query));
	few_counters = __builtin_popcountll(query.counters) < 5;
	ASSERT_EQ(0, turns_init(&turns));
	child = fork_bound();
	if (!child) {
		loop(1000);
		turn_give(&turns, 1);
		turn_wait(&turns, 1);
		_exit(0);
	}
	turn_wait(&turns, 0);
	ended = fork_bound();
	if (!ended)
		for (;;)
			pause();
	ASSERT_TRUE(keep(self, pm_set(events, 1, true)));
	ASSERT_TRUE(keep(self, pm_attach(child, 0, events, 2, true)));
	ASSERT_TRUE(keep(self, pm_attach(ended, 0, events, 2, true)));
	ASSERT_TRUE(keep(self, pm_attach(my_tid(), PMUDEV_BIND_INHERIT, events, 1, true)));
	ASSERT_TRUE(keep(self, pm_set(events, 1, false)));
	for (i = 0; i < 2U * cpus; i++)
		ASSERT_TRUE(keep(self, pm_cpu_set(i / 2, 0, events, few_counters ? 1 : 1 + i % 2)));
	stop_child(ended);
	loop(1000);
	for (i = 0; i < self->nr; i++)
		ASSERT_EQ(0, pm_read(self->fds[i], &before[i]));
	ret = pm_read_sets(self->fds, self->nr, self->records, STRIDE);
	ASSERT_EQ(0, ret) TH_LOG("reason %u, set %d", why.code, why.event);
	for (i = 0; i < self->nr; i++)
		ASSERT_EQ(0, pm_read(self->fds[i], &after[i]));
	for (i = 0; i < self->nr; i++) {
		got = record(self, i);
		EXPECT_EQ(after[i].r.size, got->size);
		EXPECT_EQ(after[i].r.nr, got->nr);
		EXPECT_EQ(after[i].r.flags, got->flags);
		EXPECT_EQ(after[i].r.generation, got->generation);
		EXPECT_EQ(after[i].r.present, got->present);
		EXPECT_LE(before[i].r.time, got->time);
		EXPECT_LE(got->time, after[i].r.time);
		EXPECT_LE(before[i].r.time_running, got->time_running);
		EXPECT_LE(got->time_running, after[i].r.time_running);
		EXPECT_LE(before[i].r.counts[0].value, got->counts[0].value);
		EXPECT_LE(got->counts[0].value, after[i].r.counts[0].value);
		EXPECT_EQ(1ULL, got->counts[0].tag);
		if (got->nr == 2) {
			EXPECT_EQ(got->counts[0].value, got->counts[1].value);
			EXPECT_EQ(2ULL, got->counts[1].tag);
		} else {
			EXPECT_EQ(UNTOUCHED, (__u8)self->records[i][STRIDE - 1]);
		}
	}
	/* The caller works between any two of them; the sleeper does not, nor what is disabled. */
	EXPECT_LT(before[0].r.counts[0].value, record(self, 0)->counts[0].value);
	EXPECT_EQ(before[1].r.counts[0].value, after[1].r.counts[0].value);
	EXPECT_TRUE(record(self, 2)->flags & PMUDEV_RECORD_ENDED);
	EXPECT_EQ(0ULL, record(self, 4)->counts[0].value);
	EXPECT_EQ(UNTOUCHED, (__u8)self->records[self->nr][0]);
	turn_give(&turns, 0);
	EXPECT_EQ(0, child_result(child));
}

/* Function calls that a CPU was interrupted for. */
static long function_calls(int cpu)
{
	return interrupts_so_far("Function call interrupts", cpu);
}

struct worker {
	pthread_t thread;
	bool moves; /* from CPU to CPU */
	bool runs;
	bool stop;
	__u32 tid;
};

static void *work(void *arg)
{
	struct worker *worker = arg;
	unsigned int i;

	worker->tid = my_tid();
	for (i = 1; !READ_ONCE(worker->stop); i++) {
		if (worker->moves || !worker->runs)
			pin_to(i % cpus_online());
		WRITE_ONCE(worker->runs, true);
		loop(100);
	}
	return NULL;
}

/* Of a CPU that works: an idle one may look for calls without an interrupt. */
TEST_F(read_sets, in_one_interrupt)
{
	struct pmudev_event_attr events[] = { event(0) };
	struct worker worker = { .stop = false };
	union record one;
	unsigned int i, k;
	long calls;

	if (cpus_online() < 2)
		SKIP(return, "needs two CPUs");
	ASSERT_EQ(0, pin_to(0));
	ASSERT_EQ(0, pthread_create(&worker.thread, NULL, work, &worker));
	ASSERT_TRUE(WAIT_FOR(READ_ONCE(worker.runs)));
	/* There are not counters enough for all of them to count. */
	for (i = 0; i < 16; i++) {
		if (i < 4) {
			ASSERT_TRUE(keep(self, pm_cpu_set(1, 0, events, 1)));
			continue;
		}
		ASSERT_TRUE(keep(self, pm_open()));
		ASSERT_EQ(0, pm_bind(self->fds[i], PMUDEV_TARGET_CPU, 1, 0));
		ASSERT_EQ(0, pm_add(self->fds[i], events, 1));
	}
	calls = function_calls(1);
	for (k = 0; k < 20; k++)
		for (i = 0; i < self->nr; i++)
			ASSERT_EQ(0, pm_read(self->fds[i], &one));
	calls = function_calls(1) - calls;
	EXPECT_GE(calls, 20 * (long)self->nr);
	calls = function_calls(1);
	for (k = 0; k < 20; k++)
		ASSERT_EQ(0, pm_read_sets(self->fds, self->nr, self->records, STRIDE));
	calls = function_calls(1) - calls;
	TH_LOG("%ld interrupts for 20 calls", calls);
	EXPECT_GE(calls, 20L);
	/* Others may call, too. */
	EXPECT_LE(calls, 30L);
	WRITE_ONCE(worker.stop, true);
	ASSERT_EQ(0, pthread_join(worker.thread, NULL));
}

/* A thread that is somewhere else by the time it is looked for, and all CPUs. */
TEST_F(read_sets, of_a_thread_that_moves)
{
	struct pmudev_event_attr events[] = { event(0), event(0) };
	struct worker worker = { .moves = true };
	__u64 last[NR] = { 0 }, value;
	union record now;
	unsigned int i, k;

	ASSERT_EQ(0, pthread_create(&worker.thread, NULL, work, &worker));
	ASSERT_TRUE(WAIT_FOR(READ_ONCE(worker.runs)));
	ASSERT_TRUE(keep(self, pm_attach(worker.tid, 0, events, 2, true)));
	for (i = 0; i < (unsigned int)cpus_online(); i++)
		ASSERT_TRUE(keep(self, pm_cpu_set(i, 0, events, 1)));
	for (i = 0; i < 3; i++)
		ASSERT_TRUE(keep(self, dup(self->fds[0])));
	for (k = 0; k < 300; k++) {
		ASSERT_EQ(0, pm_read_sets(self->fds, self->nr, self->records, STRIDE));
		for (i = 0; i < self->nr; i++) {
			value = record(self, i)->counts[0].value;
			ASSERT_GE(value, last[i]);
			last[i] = value;
		}
	}
	WRITE_ONCE(worker.stop, true);
	ASSERT_EQ(0, pthread_join(worker.thread, NULL));
	for (i = 0; i < self->nr; i++) {
		ASSERT_EQ(0, pm_read(self->fds[i], &now));
		EXPECT_GE(now.r.counts[0].value, last[i]);
	}
}

TEST_F(read_sets, of_a_cpu_that_is_offline)
{
	struct pmudev_event_attr events[] = { event(0) };
	int i, last = cpus_online() - 1;
	union record now;

	if (last < 1)
		SKIP(return, "needs two CPUs");
	ASSERT_EQ(0, pin_to(0));
	for (i = 0; i <= last; i++)
		ASSERT_TRUE(keep(self, pm_cpu_set(i, 0, events, 1)));
	ASSERT_EQ(0, set_cpu_online(last, false));
	EXPECT_EQ(0, pm_read_sets(self->fds, self->nr, self->records, STRIDE));
	EXPECT_EQ(0, pm_read(self->fds[last], &now));
	EXPECT_EQ(0, set_cpu_online(last, true));
	EXPECT_TRUE(record(self, last)->flags & PMUDEV_RECORD_OFFLINE);
	EXPECT_EQ(now.r.counts[0].value, record(self, last)->counts[0].value);
	EXPECT_FALSE(record(self, 0)->flags & PMUDEV_RECORD_OFFLINE);
}

/* The most that can be, with 64 events each: more than one interrupt takes. */
TEST_F(read_sets, as_many_as_there_can_be)
{
	struct pmudev_event_attr events[PMUDEV_MAX_EVENTS];
	union pmudev_record_buffer *records = calloc(NR, sizeof(*records));
	union record now;
	unsigned int i;

	ASSERT_NE(NULL, records);
	for (i = 0; i < PMUDEV_MAX_EVENTS; i++) {
		events[i] = in_group(event(i), i);
		events[i].flags |= PMUDEV_MULTIPLEX;
	}
	ASSERT_TRUE(keep(self, pm_cpu_set(cpus_online() - 1, 0, events, PMUDEV_MAX_EVENTS)));
	for (i = 1; i < NR; i++)
		self->fds[i] = self->fds[0];
	ASSERT_EQ(0, pm_read_sets(self->fds, NR, records, sizeof(*records)));
	ASSERT_EQ(0, pm_read(self->fds[0], &now));
	for (i = 0; i < NR; i++) {
		ASSERT_EQ(now.r.size, records[i].record.size);
		EXPECT_EQ(now.r.present, records[i].record.present);
		EXPECT_EQ(63ULL, records[i].record.counts[63].tag);
		EXPECT_GE(now.r.time, records[i].record.time);
	}
	free(records);
}

TEST_F(read_sets, refusals)
{
	struct pmudev_event_attr events[] = { event(0), event(0), event(0) };
	__s32 fds[3];
	int other;

	/* A set that is disabled holds no counters: some machines have four. */
	ASSERT_TRUE(keep(self, pm_set(events, 2, true)));
	ASSERT_TRUE(keep(self, pm_set(events, 3, false)));
	ASSERT_TRUE(keep(self, pm_open()));
	memcpy(fds, self->fds, sizeof(fds));
	EXPECT_REFUSED(EINVAL, PMUDEV_WHY_NUMBER, pm_read_sets(fds, 0, self->records, STRIDE));
	EXPECT_REFUSED(EINVAL, PMUDEV_WHY_NUMBER, pm_read_sets(fds, NR + 1, self->records, STRIDE));
	EXPECT_EQ((__u64)NR, why.limit);
	EXPECT_REFUSED(EINVAL, PMUDEV_WHY_SIZE, pm_read_sets(fds, 1, self->records, 56));
	EXPECT_EQ(sizeof(struct pmudev_record), why.limit);
	EXPECT_REFUSED(EFAULT, PMUDEV_WHY_POINTER, pm_read_sets(fds, 1, NULL, STRIDE));
	EXPECT_EQ(0, why.event);
	/* The second is too large, the third not bound. */
	EXPECT_REFUSED(ENOSPC, PMUDEV_WHY_BUFFER, pm_read_sets(fds, 2, self->records, STRIDE));
	EXPECT_EQ(1, why.event);
	EXPECT_EQ(PMUDEV_RECORD_SIZE(3), why.limit);
	EXPECT_REFUSED(ENOSPC, PMUDEV_WHY_BUFFER,
		       pm_read_sets(fds, 2, self->records, PMUDEV_RECORD_SIZE(1)));
	EXPECT_EQ(0, why.event);
	EXPECT_EQ(PMUDEV_RECORD_SIZE(3), why.limit);
	/* Not into the next record, or behind the last. */
	EXPECT_REFUSED(ENOSPC, PMUDEV_WHY_BUFFER,
		       pm_read_sets(fds, 1, self->records, PMUDEV_RECORD_SIZE(2) - 1));
	EXPECT_EQ(PMUDEV_RECORD_SIZE(2), why.limit);
	EXPECT_EQ(0, pm_read_sets(fds, 1, self->records, STRIDE));
	EXPECT_REFUSED(EINVAL, PMUDEV_WHY_UNBOUND, pm_read_sets(fds, 3, self->records, STRIDE));
	EXPECT_EQ(2, why.event);
	/* What is not a set, or cannot be read by this descriptor. */
	fds[1] = -1;
	EXPECT_REFUSED(EBADF, PMUDEV_WHY_NOT_A_SET, pm_read_sets(fds, 2, self->records, STRIDE));
	EXPECT_EQ(1, why.event);
	other = open("/dev/null", O_RDWR | O_CLOEXEC);
	fds[1] = other;
	EXPECT_REFUSED(EBADF, PMUDEV_WHY_NOT_A_SET, pm_read_sets(fds, 2, self->records, STRIDE));
	close(other);
	other = open("/dev/pmudev", O_WRONLY | O_CLOEXEC);
	fds[1] = other;
	EXPECT_REFUSED(EBADF, PMUDEV_WHY_NOT_A_SET, pm_read_sets(fds, 2, self->records, STRIDE));
	EXPECT_EQ(1, why.event);
	close(other);
	EXPECT_EQ(0, pm_read_sets(fds, 1, self->records, STRIDE));
}

/* The library's: 70 sets are two calls; a set that fails has the reason. */
TEST_F(read_sets, by_the_library)
{
	static union pmudev_record_buffer records[NR + 6];
	struct pmudev_event_attr events[] = { event(7) };
	struct pmudev sets[NR + 6];
	unsigned int i;

	for (i = 0; i < NR + 6; i++) {
		ASSERT_EQ(0, pmudev_open(&sets[i]));
		ASSERT_EQ(0, pmudev_bind_self(&sets[i]));
		ASSERT_EQ(0, pmudev_add(&sets[i], events, 1, NULL));
	}
	ASSERT_EQ(0, pmudev_read_sets(sets, NR + 6, records));
	for (i = 0; i < NR + 6; i++) {
		EXPECT_EQ(PMUDEV_RECORD_SIZE(1), records[i].record.size);
		EXPECT_EQ(7ULL, records[i].record.counts[0].tag);
	}
	pmudev_close(&sets[NR + 1]);
	ASSERT_EQ(0, pmudev_open(&sets[NR + 1]));
	EXPECT_EQ(-EINVAL, pmudev_read_sets(sets, NR + 6, records));
	EXPECT_EQ((uint32_t)PMUDEV_WHY_UNBOUND, sets[NR + 1].refusal.code);
	EXPECT_EQ(0, pmudev_read_sets(sets, 0, records));
	EXPECT_EQ(-EFAULT, pmudev_read_sets(NULL, 1, records));
	for (i = 0; i < NR + 6; i++)
		pmudev_close(&sets[i]);
}

TEST_HARNESS_MAIN
