// SPDX-License-Identifier: GPL-2.0
/*
 * Readers on the real thing: what they learnt holds as long as it may, and no longer. Every
 * value is asked of the module before and after.
 */
#include "common.h"
#include "kselftest_harness.h"

#include <pthread.h>
#include <sched.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <pmudev.h>

#define NR 4

FIXTURE(reader)
{
	struct pmudev set;
	struct pmudev_reader reader;
	unsigned int nr;
};

FIXTURE_SETUP(reader)
{
	struct pmudev_event_attr events[NR];
	unsigned int i;

	ASSERT_EQ(0, set_user_access(true));
	ASSERT_EQ(0, pmudev_open(&self->set));
	ASSERT_EQ(0, pmudev_bind_self(&self->set));
	for (i = 0; i < NR; i++)
		events[i] = in_group(raw_event(EVENT_CYCLES, DIRECT_READ), i / 2);
	ASSERT_EQ(0, pmudev_add(&self->set, events, NR, NULL));
	ASSERT_EQ(0, pmudev_enable(&self->set, PMUDEV_ALL));
	ASSERT_EQ(0, pmudev_map(&self->set));
	ASSERT_EQ(0, pmudev_reader_init(&self->reader, &self->set, NULL, NR));
}

FIXTURE_TEARDOWN(reader)
{
	pmudev_close(&self->set);
	set_user_access(false);
}

/* Does the inline read do it by what was learnt, without another look? */
static bool is_learnt(const struct pmudev *set, const struct pmudev_reader *reader)
{
	return pmudev_head(set->page) == reader->learnt;
}

/* The reader's values lie between the module's of before and after: 0, or which one does not. */
static int check(struct pmudev *set, struct pmudev_reader *reader)
{
	union pmudev_record_buffer before, after;
	uint64_t values[NR];
	unsigned int i;

	if (pmudev_read(set, &before.record, sizeof(before)) ||
	    pmudev_reader_counts(reader, values, NR) ||
	    pmudev_read(set, &after.record, sizeof(after)))
		return -EIO;
	for (i = 0; i < NR; i++) {
		if (values[i] < before.record.counts[i].value ||
		    values[i] > after.record.counts[i].value)
			return i + 1;
	}
	return 0;
}

TEST_F(reader, agrees_with_the_module)
{
	unsigned int i, learnt = 0;

	for (i = 0; i < 1000; i++) {
		ASSERT_EQ(0, check(&self->set, &self->reader));
		learnt += is_learnt(&self->set, &self->reader);
		if (i % 16 == 0)
			pause_ns(1000);
	}
	EXPECT_GT(learnt, 900U);
}

/* Once learnt it stays so while nothing happens: the inline read did not call anybody. */
TEST_F(reader, stays_learnt)
{
	uint64_t values[NR], learnt;
	unsigned int i, same = 0;

	for (i = 0; i < 100; i++) {
		ASSERT_EQ(0, pmudev_reader_counts(&self->reader, values, NR));
		learnt = self->reader.learnt;
		ASSERT_EQ(0, pmudev_reader_counts(&self->reader, values, NR));
		same += learnt == self->reader.learnt;
	}
	EXPECT_GT(same, 90U);
}

TEST_F(reader, ticks)
{
	union pmudev_record_buffer before, after;
	struct pmudev_ticks ticks;
	uint64_t values[NR], ns;
	unsigned int i;

	for (i = 0; i < 100; i++) {
		ASSERT_EQ(0, pmudev_read(&self->set, &before.record, sizeof(before)));
		ASSERT_EQ(0, pmudev_reader_counts_ticks(&self->reader, values, NR, &ticks));
		ASSERT_EQ(0, pmudev_read(&self->set, &after.record, sizeof(after)));
		EXPECT_EQ(ticks.enabled, ticks.running);
		ns = pmudev_reader_ns(&self->reader, ticks.enabled);
		EXPECT_GE(ns, before.record.time_enabled);
		EXPECT_LE(ns, after.record.time_enabled);
		pause_ns(i * 100);
	}
}

/* What a tick is stands in the page of the set, whether or not its times do at the moment. */
TEST_F(reader, ns_of_a_reader_made_while_off)
{
	struct pmudev_page page = *self->set.page;
	struct pmudev set = self->set;

	page.flags = 0;
	page.time_mult = 16 << 20;
	page.time_shift = 20;
	set.page = &page;
	ASSERT_EQ(0, pmudev_reader_init(&self->reader, &set, NULL, NR));
	EXPECT_EQ(1600ULL, pmudev_reader_ns(&self->reader, 100));
}

/* By the module, where the page does not say: in the same ticks. */
TEST_F(reader, ticks_of_the_module)
{
	struct pmudev_ticks direct, asked;
	uint64_t values[NR];

	ASSERT_EQ(0, pmudev_reader_counts_ticks(&self->reader, values, NR, &direct));
	ASSERT_EQ(0, set_user_access(false));
	EXPECT_FALSE(pmudev_try_counts(&self->set, values, NR, NULL));
	ASSERT_EQ(0, pmudev_reader_counts_ticks(&self->reader, values, NR, &asked));
	EXPECT_GE(asked.enabled, direct.enabled);
	EXPECT_LT(pmudev_reader_ns(&self->reader, asked.enabled - direct.enabled), 1000000000ULL);
}

TEST_F(reader, reset_disabled_removed)
{
	uint64_t values[NR];

	ASSERT_EQ(0, check(&self->set, &self->reader));
	ASSERT_EQ(0, pmudev_reset_slot(&self->set, 1, 1ULL << 40));
	ASSERT_EQ(0, pmudev_reader_counts(&self->reader, values, NR));
	EXPECT_EQ(1U, values[1] >> 40);
	EXPECT_EQ(0U, values[2] >> 40);
	ASSERT_EQ(0, pmudev_disable(&self->set, 1));
	EXPECT_EQ(0, check(&self->set, &self->reader));
	EXPECT_FALSE(is_learnt(&self->set, &self->reader));
	ASSERT_EQ(0, pmudev_enable(&self->set, 1));
	EXPECT_EQ(0, check(&self->set, &self->reader));
	ASSERT_EQ(0, pmudev_disable(&self->set, 1));
	ASSERT_EQ(0, pmudev_remove(&self->set, 1));
	EXPECT_EQ(-EINVAL, pmudev_reader_counts(&self->reader, values, NR));
}

/* Which counter each event is on changes between any two reads. */
TEST_F(reader, follows_what_moves)
{
	struct pmudev_event_attr *e, events[NR] = { 0 };
	struct pmudev_query query;
	unsigned int i, k;
	__u64 left;

	ASSERT_EQ(0, check(&self->set, &self->reader));
	ASSERT_EQ(0, pm_query(&query));
	if (__builtin_popcountll(cycle_counters(query.available)) <= NR)
		SKIP(return, "needs %u counters for cycles", NR + 1);
	for (k = 0; k < 20; k++) {
		ASSERT_EQ(0, pmudev_disable(&self->set, PMUDEV_ALL));
		ASSERT_EQ(0, pmudev_remove(&self->set, PMUDEV_ALL));
		left = cycle_counters(query.available);
		for (i = 0; i < k % 2; i++)
			left &= left - 1;
		for (i = 0; i < NR; i++, left &= left - 1) {
			e = &events[k % 2 ? NR - 1 - i : i];
			*e = event_on(__builtin_ctzll(left), DIRECT_READ);
		}
		ASSERT_EQ(0, pmudev_add(&self->set, events, NR, NULL));
		ASSERT_EQ(0, pmudev_enable(&self->set, PMUDEV_ALL));
		for (i = 0; i < NR; i++)
			ASSERT_EQ(0, pmudev_reset_slot(&self->set, i, (i + 1ULL) << 40));
		ASSERT_EQ(0, check(&self->set, &self->reader)) TH_LOG("round %u", k);
	}
}

static void *in_another_thread(void *arg)
{
	struct _test_data_reader *self = arg;
	struct pmudev_reader reader;
	static long result;

	pmudev_reader_init(&reader, &self->set, NULL, NR);
	result = check(&self->set, &reader);
	if (!result && reader.learnt != PMUDEV_NOT_LEARNT)
		result = -EPERM;
	return &result;
}

/* Whose page it is not has a reader of his own, and it never learns. */
TEST_F(reader, in_another_thread)
{
	pthread_t thread;
	long *result;

	ASSERT_EQ(0, check(&self->set, &self->reader));
	ASSERT_EQ(0, pthread_create(&thread, NULL, in_another_thread, self));
	ASSERT_EQ(0, pthread_join(thread, (void **)&result));
	EXPECT_EQ(0, *result);
	EXPECT_EQ(0, check(&self->set, &self->reader));
}

/* A child has the reader as it was, and a page of zeroes. */
TEST_F(reader, in_a_forks_child)
{
	int child;

	ASSERT_EQ(0, check(&self->set, &self->reader));
	child = fork();
	if (!child)
		_exit(check(&self->set, &self->reader) || self->reader.learnt != PMUDEV_NOT_LEARNT);
	EXPECT_EQ(0, child_result(child));
	EXPECT_EQ(0, check(&self->set, &self->reader));
}

/*
 * A vfork's child has its parent's page and thread id. The parent may still run on another CPU, on
 * its way to sleep, and until then the child must not read; then the page is nobody's.
 */
TEST_F(reader, in_a_vforks_child)
{
	int child;

	ASSERT_EQ(0, check(&self->set, &self->reader));
	child = vfork();
	if (!child) {
		while (pmudev_head(self->set.page) >> 32)
			sched_yield();
		_exit(!!check(&self->set, &self->reader));
	}
	EXPECT_EQ(0, child_result(child));
	EXPECT_EQ(0, check(&self->set, &self->reader));
	EXPECT_EQ(pmudev_cached_tid, my_tid());
}

/* On every CPU in turn. */
TEST_F(reader, migrates)
{
	unsigned int i;

	for (i = 0; i < 50; i++) {
		ASSERT_EQ(0, pin_to(i % cpus_online()));
		ASSERT_EQ(0, check(&self->set, &self->reader));
	}
}

/* A group that is off now and then: the reader asks, and learns when it is on again. */
TEST_F(reader, multiplexed)
{
	struct pmudev_event_attr events[64];
	struct pmudev_query query;
	unsigned int i, nr, k, direct = 0;
	uint64_t value, last = 0;

	ASSERT_EQ(0, pm_query(&query));
	nr = 2 * __builtin_popcountll(query.available);
	for (i = 0; i < nr; i++)
		events[i] = in_group(raw_event(EVENT_CYCLES, DIRECT_READ | PMUDEV_MULTIPLEX), i);
	ASSERT_EQ(0, pmudev_disable(&self->set, PMUDEV_ALL));
	ASSERT_EQ(0, pmudev_remove(&self->set, PMUDEV_ALL));
	ASSERT_EQ(0, pmudev_add(&self->set, events, nr, NULL));
	ASSERT_EQ(0, pmudev_enable(&self->set, PMUDEV_ALL));
	ASSERT_EQ(0, pmudev_reader_init(&self->reader, &self->set, NULL, 1));
	/* Until it was often on a counter, and often not. */
	for (k = 0; k < 20000 && (direct < 200 || k - direct < 200); k++) {
		ASSERT_EQ(0, pmudev_reader_count(&self->reader, &value));
		ASSERT_GE(value, last);
		last = value;
		direct += is_learnt(&self->set, &self->reader);
		loop(5000);
	}
	EXPECT_GE(direct, 200U);
	EXPECT_GE(k - direct, 200U);
}

/* ------------------------------------------------------------- the page itself -- */

static long faults_between(const struct rusage *before, const struct rusage *after)
{
	return after->ru_minflt - before->ru_minflt + after->ru_majflt - before->ru_majflt;
}

/* Maps the page anew and reads it in every way: the page faults of that, or -1. */
static long faults_of_reads(struct pmudev *set, struct pmudev_reader *reader)
{
	struct rusage before, after;
	uint64_t value, values[NR];
	struct pmudev_times times;

	pmudev_unmap(set);
	if (pmudev_map(set) || getrusage(RUSAGE_THREAD, &before) ||
	    pmudev_reader_init(reader, set, NULL, NR) || pmudev_reader_counts(reader, values, NR) ||
	    !pmudev_try_counts(set, values, NR, &times) || pmudev_read_count(set, 0, &value) ||
	    getrusage(RUSAGE_THREAD, &after))
		return -1;
	return faults_between(&before, &after);
}

/* Without MAP_POPULATE, and one read. */
static long faults_of_a_lazy_page(struct pmudev *set)
{
	struct rusage before, after;
	const struct pmudev_page *page;
	int ret;

	page = mmap(NULL, PAGE_BYTES, PROT_READ, MAP_SHARED, set->fd, 0);
	if (page == MAP_FAILED)
		return -1;
	ret = getrusage(RUSAGE_THREAD, &before);
	(void)READ_ONCE(page->seq);
	ret |= getrusage(RUSAGE_THREAD, &after);
	munmap((void *)page, PAGE_BYTES);
	return ret ? -1 : faults_between(&before, &after);
}

/*
 * The library maps it populated: neither the first read nor a later one faults; lazily mapped,
 * the first does, so the measure sees faults. Those of code and stack, which other rounds do not
 * have, depend on how the program is linked; those of the mapping come in every round.
 */
TEST_F(reader, no_fault_at_the_first_read)
{
	long populated = 1, lazy = 0;
	int i;

	for (i = 0; i < 4 && populated; i++) {
		populated = faults_of_reads(&self->set, &self->reader);
		ASSERT_LE(0, populated);
	}
	EXPECT_EQ(0, populated);
	for (i = 0; i < 4 && lazy != 1; i++) {
		lazy = faults_of_a_lazy_page(&self->set);
		ASSERT_LE(1, lazy);
	}
	EXPECT_EQ(1, lazy);
}

/*
 * Header and four slots are two lines of 64 bytes. What is read beside them is a hosted
 * test's.
 */
TEST_F(reader, two_cache_lines)
{
	EXPECT_EQ(0U, (uintptr_t)self->set.page % 128);
	EXPECT_EQ(64U, offsetof(struct pmudev_page, slots));
	EXPECT_EQ(128U, offsetof(struct pmudev_page, slots[4]));
}

/* ---------------------------------------------------------------- DIRECT events -- */

TEST_F(reader, direct_events)
{
	struct pmudev_event_attr event =
		in_group(raw_event(EVENT_CYCLES, DIRECT_READ | PMUDEV_DIRECT), 5);
	struct pmudev_direct direct;
	uint64_t from, to, before, after;
	int ret;

	ASSERT_EQ(0, pmudev_disable(&self->set, PMUDEV_ALL));
	ret = pmudev_add(&self->set, &event, 1, NULL);
	if (ret == -EOPNOTSUPP)
		SKIP(return, "no DIRECT events here (EOPNOTSUPP)");
	ASSERT_EQ(0, ret);
	ASSERT_EQ(0, pmudev_enable(&self->set, 5));
	ASSERT_TRUE(pmudev_direct_begin(&self->set, NR, &direct));
	ASSERT_EQ(0, pmudev_read_count(&self->set, NR, &before));
	from = pmudev_direct_value(&direct);
	loop(1000);
	pause_ns(1000);
	to = pmudev_direct_value(&direct);
	ASSERT_EQ(0, pmudev_read_count(&self->set, NR, &after));
	EXPECT_TRUE(pmudev_direct_holds(&direct));
	EXPECT_GE(pmudev_direct_since(&direct, from, to), 1000ULL);
	EXPECT_LE(pmudev_direct_since(&direct, from, to), after - before);
	ASSERT_EQ(0, pmudev_reset_slot(&self->set, NR, 0));
	EXPECT_FALSE(pmudev_direct_holds(&direct));
}

TEST_HARNESS_MAIN
