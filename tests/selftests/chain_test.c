// SPDX-License-Identifier: GPL-2.0
/*
 * Counts of chained events: 64 bits made of two counters, exact over every carry, by read(2) and by
 * reads of the page, over switches and migrations. A reset sets both counters, so that carries can
 * be had.
 */
#include "chain.h"
#include "kselftest_harness.h"

#include <sys/syscall.h>

#define EVEN_COUNTER   2
#define ROUNDS 1000

static const __u64 starts[] = {
	0,
	1,
	(1ULL << 31) - 100,
	(1ULL << 32) - 1000,
	(1ULL << 32) - 1,
	1ULL << 32,
	(1ULL << 33) - 1000,
	(1ULL << 33) - 1,
	0x123456789abcdef0ULL,
	(1ULL << 48) - 1000,
	(1ULL << 63) - 1000,
	(1ULL << 63) - 1,
	-1000ULL,
	-1ULL,
};

FIXTURE(chain)
{
	int fd; /* slot 0: chained; slot 1: the same event on one counter */
	struct pmudev_page *page;
	struct reader reader;
	struct turns turns;
};

FIXTURE_SETUP(chain)
{
	struct pmudev_event_attr events[2] = {
		long_event(0, CHAIN_USER | PMUDEV_COUNTER),
		long_event(PROGRAMMABLE, DIRECT_READ),
	};
	struct pmudev_query query;

	self->fd = -1;
	ASSERT_EQ(0, pm_query(&query));
	if (!(query.features & PMUDEV_HAS_CHAIN))
		SKIP(return, "no chained counters: they have 64 bits, or there is no CHAIN event");
	if (!exact_instructions())
		SKIP(return, "instructions are not counted exactly here (PMUDEV_EXACT)");
	ASSERT_EQ(0, pin_to(0));
	ASSERT_EQ(0, set_user_access(true));
	ASSERT_EQ(0, turns_init(&self->turns));
	events[0].counter = EVEN_COUNTER;
	self->fd = pm_set(events, 2, true);
	ASSERT_GE(self->fd, 0);
	self->page = pm_map(self->fd);
	ASSERT_NE(NULL, self->page);
	self->reader = reader_of(self->page);
}

FIXTURE_TEARDOWN(chain)
{
	if (self->page) {
		pm_unmap(self->page);
		turns_end(&self->turns);
	}
	close(self->fd);
	set_user_access(false);
}

TEST_F(chain, what_the_page_says)
{
	const struct pmudev_slot *slot = self->page->slots;
	__u64 by_page, value;

	EXPECT_EQ(EVEN_COUNTER + 1, slot[0].index);
	EXPECT_EQ((__u32)EVEN_COUNTER, slot[0].operand);
	EXPECT_EQ(0, slot[0].shift);
	EXPECT_EQ(PMUDEV_SLOT_USED | PMUDEV_SLOT_CHAIN, slot[0].flags);
	EXPECT_EQ(32, slot[1].shift);
	EXPECT_EQ(PMUDEV_SLOT_USED, slot[1].flags);
	ASSERT_EQ(0, chained_read(&self->reader, 0, &by_page));
	value = pm_value(self->fd, 0);
	EXPECT_LT(value - by_page, 200ULL);
	ASSERT_EQ(0, pm_disable(self->fd, 0));
	EXPECT_EQ(PMUDEV_SLOT_USED, slot[0].flags);
	EXPECT_EQ(0, slot[0].index);
	EXPECT_EQ(0ULL, counter(EVEN_COUNTER));
	EXPECT_EQ(0ULL, counter(EVEN_COUNTER + 1));
}

/* Each half is where it belongs. */
TEST_F(chain, hardware_is_set)
{
	unsigned int i;
	__u64 raw;

	for (i = 0; i < ARRAY_SIZE(starts); i++) {
		ASSERT_EQ(0, pm_reset(self->fd, 0, starts[i]));
		raw = (counter(EVEN_COUNTER + 1) << 32) + (counter(EVEN_COUNTER) & 0xffffffff);
		/* The low one is read later, and may have carried meanwhile. */
		if ((starts[i] & 0xffffffff) > 0xfffffc00)
			continue;
		EXPECT_LT(raw - starts[i], 500ULL) TH_LOG("%#llx shows %#llx", starts[i], raw);
	}
}

/* ------------------------------------------------------------------------- carries -- */

/* From reset(start): what both events counted until the reads. */
static __attribute__((noinline)) int run(struct _test_data_chain *self, __u64 start, bool away,
					 __u64 *by_call, __u64 *by_page, __u64 *single)
{
	union record record;
	long got;
	int ret;

	memset(&record, 0, sizeof(record));
	self->reader.retries = 0;
	ret = pm_reset(self->fd, 1, 0);
	ret |= pm_reset(self->fd, 0, start);
	loop(ROUNDS);
	if (away)
		turn_pass(&self->turns, 0);
	loop(ROUNDS);
	got = raw_read(self->fd, &record);
	ret |= chained_read(&self->reader, 0, by_page);
	*by_call = record.r.counts[0].value - start;
	*single = record.r.counts[1].value;
	*by_page -= start;
	return ret ? ret : got < 0 ? (int)got : self->reader.retries ? -EINTR : 0;
}

static int run_undisturbed(struct _test_data_chain *self, __u64 start, bool away, __u64 *by_call,
			   __u64 *by_page, __u64 *single)
{
	int tries, ret = -EINTR;

	for (tries = 0; tries < 10 && ret == -EINTR; tries++)
		ret = run(self, start, away, by_call, by_page, single);
	return ret;
}

/* The same from every start, as from 0, which carries nothing. */
static void every_start(struct __test_metadata *_metadata, struct _test_data_chain *self, bool away)
{
	__u64 call, page, single, first_call = 0, first_page = 0, first_single = 0;
	unsigned int i, j;

	for (i = 0; i < 2; i++)
		ASSERT_EQ(0,
			  run_undisturbed(self, 0, away, &first_call, &first_page, &first_single));
	EXPECT_GE(first_call, 2ULL * ROUNDS * LOOP_INSTRUCTIONS);
	EXPECT_LT(first_call, 2ULL * ROUNDS * LOOP_INSTRUCTIONS + 300);
	for (i = 0; i < ARRAY_SIZE(starts); i++) {
		for (j = 0; j < 4; j++) {
			__u64 start = starts[i] - j * ROUNDS;

			ASSERT_EQ(0, run_undisturbed(self, start, away, &call, &page, &single));
			EXPECT_EQ(first_call, call) TH_LOG("start %#llx", start);
			EXPECT_EQ(first_page, page) TH_LOG("start %#llx", start);
			EXPECT_EQ(first_single, single) TH_LOG("start %#llx", start);
		}
	}
}

TEST_F(chain, any_start)
{
	every_start(_metadata, self, false);
}

/* 2000 carries, each at another place of the run. */
TEST_F(chain, many_carries)
{
	__u64 call, page, single, first_call = 0, first_page = 0;
	unsigned int i;

	for (i = 0; i < 2; i++)
		ASSERT_EQ(0, run_undisturbed(self, 0, false, &first_call, &first_page, &single));
	for (i = 1; i <= 2000; i++) {
		__u64 start = ((__u64)i << 32) - 1 - i * 2;

		ASSERT_EQ(0, run_undisturbed(self, start, false, &call, &page, &single));
		ASSERT_EQ(first_call, call) TH_LOG("start %#llx", start);
		/* If it carries between its reads the page's is of the last of them. */
		ASSERT_GE(page, first_page) TH_LOG("start %#llx", start);
		ASSERT_LT(page, first_page + 40) TH_LOG("start %#llx", start);
	}
}

#define STEPS 2000

static __attribute__((noinline)) int walk(struct reader *reader, __u64 *value)
{
	int i, ret = 0;

	for (i = 0; i < STEPS; i++)
		ret |= chained_read(reader, 0, &value[i]);
	return ret;
}

/* Reads of the page one after the other, across the carry: it falls between reads, and into one. */
TEST_F(chain, in_the_midst_of_reads)
{
	static __u64 value[STEPS];
	unsigned int i, j, off, into = 0;
	__u64 step;

	ASSERT_EQ(0, walk(&self->reader, value));
	step = value[STEPS - 1] - value[STEPS - 2];
	ASSERT_LT(step, 200ULL);
	for (j = 0; j < 64; j++) {
		self->reader.retries = 0;
		ASSERT_EQ(0, pm_reset(self->fd, 0, (3ULL << 32) - STEPS / 2 * step - j));
		ASSERT_EQ(0, walk(&self->reader, value));
		if (self->reader.retries)
			continue;
		EXPECT_EQ(2ULL, value[0] >> 32);
		EXPECT_EQ(3ULL, value[STEPS - 1] >> 32);
		for (i = 1, off = 0; i < STEPS; i++) {
			__s64 late = value[i] - value[0] - i * step;

			/* Read when it had carried: the low counter's second value. */
			ASSERT_GE(late, 0) TH_LOG("%#llx after %#llx", value[i], value[i - 1]);
			ASSERT_LT(late, (__s64)step);
			off += !!late;
		}
		ASSERT_LE(off, 1U);
		into += off;
	}
	EXPECT_GT(into, 0U);
}

/* ---------------------------------------------------------- others on its counters -- */

enum kind {
	BOTH_COUNTERS,
	THE_EVEN_ONE,
	THE_ODD_ONE,
	KINDS,
};

static void be_another(struct turns *turns, enum kind kind)
{
	struct pmudev_event_attr event = long_event(0, USER_ONLY | PMUDEV_COUNTER);
	__u64 value = -2000ULL;
	int fd;

	event.counter = EVEN_COUNTER + (kind == THE_ODD_ONE);
	if (kind == BOTH_COUNTERS)
		event.flags |= PMUDEV_LONG;
	fd = pm_set(&event, 1, true);
	for (; fd >= 0; value = value * 0x9e3779b97f4a7c15ULL + 1) {
		turn_wait(turns, 1);
		pm_reset(fd, 0, value);
		loop(ROUNDS);
		turn_give(turns, 1);
	}
	_exit(1);
}

TEST_F(chain, across_switches)
{
	enum kind kind;
	int child;

	for (kind = BOTH_COUNTERS; kind < KINDS; kind++) {
		child = fork_bound();
		if (!child)
			be_another(&self->turns, kind);
		every_start(_metadata, self, true);
		stop_child(child);
	}
}

#define HOPS 4

/* From CPU to CPU, with a reading on each: between any two the same instructions. */
static __attribute__((noinline)) long journey(int fd, const cpu_set_t *const *cpus,
					      union record *record)
{
	long ret, error = 0;
	int i;

	for (i = 0; i < HOPS; i++) {
		ret = raw_call(SYS_sched_setaffinity, 0, sizeof(**cpus), (long)cpus[i]);
		error |= ret < 0 ? ret : 0;
		loop(ROUNDS);
		ret = raw_read(fd, &record[i]);
		error |= ret < 0 ? ret : 0;
	}
	return error;
}

TEST_F(chain, across_migrations)
{
	static union record r[HOPS];
	const cpu_set_t *way[HOPS];
	int cpus = cpus_online(), i, j, slot;
	cpu_set_t set[64];
	__u64 first = 0;

	if (cpus < 2)
		SKIP(return, "one CPU");
	cpus = cpus < 64 ? cpus : 64;
	for (i = 0; i < cpus; i++) {
		CPU_ZERO(&set[i]);
		CPU_SET(i, &set[i]);
	}
	for (i = 0; i < 150; i++) {
		for (j = 0; j < HOPS; j++)
			way[j] = &set[(i + j + 1) % cpus];
		/* Just below a carry: it falls into each part of the way. */
		ASSERT_EQ(0, pm_reset(self->fd, 0, ((__u64)i << 32) - 1 - 50 * i));
		ASSERT_EQ(0, journey(self->fd, way, r));
		for (j = 1; j < HOPS; j++) {
			for (slot = 0; slot < 2; slot++) {
				__u64 step =
					r[j].r.counts[slot].value - r[j - 1].r.counts[slot].value;

				if (!first)
					first = step;
				ASSERT_EQ(first, step) TH_LOG("way %d, hop %d", i, j);
			}
		}
	}
	EXPECT_GE(first, (__u64)ROUNDS * LOOP_INSTRUCTIONS);
	EXPECT_LT(first, ROUNDS * LOOP_INSTRUCTIONS + 100ULL);
}

/* ------------------------------------------------------------------- every level -- */

/* What is counted in the kernel carries there, too: both are started and stopped by one write. */
TEST_F(chain, in_the_kernel)
{
	struct pmudev_event_attr events[2] = {
		long_event(PROGRAMMABLE, PMUDEV_LONG),
		long_event(PROGRAMMABLE, 0),
	};
	unsigned int i, j, carries = 0;
	union record r;
	__u64 start;
	int fd;

	fd = pm_set(events, 2, false);
	ASSERT_GE(fd, 0);
	close(self->fd);
	self->fd = -1;
	pm_unmap(self->page);
	self->page = NULL;
	for (i = 0; i < 300; i++) {
		start = ((__u64)i << 32) - 50 * i;
		ASSERT_EQ(0, pm_reset(fd, 0, start));
		ASSERT_EQ(0, pm_reset(fd, 1, 0));
		ASSERT_EQ(0, pm_enable(fd, 0));
		for (j = 0; j < 10; j++)
			raw_call(SYS_getppid, 0, 0, 0);
		ASSERT_EQ(0, pm_disable(fd, 0));
		ASSERT_EQ(0, pm_read(fd, &r));
		ASSERT_EQ(r.r.counts[1].value, r.r.counts[0].value - start)
		TH_LOG("start %#llx", start);
		carries += r.r.counts[0].value >> 32 != start >> 32;
	}
	EXPECT_GT(carries, 20U);
	close(fd);
}

/* Children's counts on the same chained counters go into the sum. */
TEST_F(chain, inherited)
{
	struct pmudev_event_attr events[2] = {
		long_event(PROGRAMMABLE, LONG_ONLY),
		long_event(PROGRAMMABLE, USER_ONLY),
	};
	union record r;
	int fd, i, child;

	ASSERT_EQ(0, pm_disable(self->fd, 0));
	fd = pm_attach(0, PMUDEV_BIND_INHERIT, events, 2, true);
	if (fd == -EOPNOTSUPP)
		SKIP(return, "no inheritance on this kernel");
	ASSERT_GE(fd, 0);
	for (i = 0; i < 5; i++) {
		child = fork_bound();
		if (!child) {
			loop(ROUNDS);
			_exit(0);
		}
		ASSERT_EQ(0, child_result(child));
	}
	ASSERT_EQ(0, pm_read(fd, &r));
	EXPECT_EQ(r.r.counts[0].value, r.r.counts[1].value);
	EXPECT_GT(r.r.counts[0].value, 5ULL * ROUNDS * LOOP_INSTRUCTIONS);
	close(fd);
}

TEST_HARNESS_MAIN
