// SPDX-License-Identifier: GPL-2.0
/*
 * The library in a 32-bit program on a 64-bit kernel: each group of its functions once, and values
 * that need all 64 bits. Like compat32_test it shares nothing with the other programs.
 */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>
#include <pmudev_set_array.h>
#include "kselftest_harness.h"

#define USER_ACCESS	  "/proc/sys/dev/pmudev/user_access"
#define USER_ONLY (PMUDEV_EXCLUDE_KERNEL | PMUDEV_EXCLUDE_HV)
#define LARGE	  0xfedcba9800000000ULL
#define N	  100000U

/* Counters are read by instructions where one shows all of a counter. */
#ifdef __arm__
#define USER_READS false
#else
#define USER_READS true
#endif

FIXTURE(lib32)
{
	struct pmudev set;
};

static int set_user_access(const char *state)
{
	int fd = open(USER_ACCESS, O_WRONLY | O_CLOEXEC);
	int done = write(fd, state, 1);

	close(fd);
	return done == 1 ? 0 : -EIO;
}

FIXTURE_SETUP(lib32)
{
	struct utsname name;

	memset(&self->set, 0, sizeof(self->set));
	if (sizeof(long) != 4)
		SKIP(return, "not built as a 32-bit program (CC32)");
	ASSERT_EQ(0, uname(&name));
	if (!strstr(name.machine, "64") && strcmp(name.machine, "armv8l"))
		SKIP(return, "the kernel is a 32-bit one");
	ASSERT_EQ(0, set_user_access("1"));
	ASSERT_EQ(0, pmudev_open(&self->set));
	ASSERT_EQ(0, pmudev_bind_self(&self->set));
}

FIXTURE_TEARDOWN(lib32)
{
	pmudev_close(&self->set);
	set_user_access("0");
}

static const struct pmudev_event_attr cycles = {
	.type = PMUDEV_TYPE_GENERIC,
	.config = PMUDEV_CYCLES,
	.flags = USER_ONLY,
	.tag = 0x123456789abcdef0ULL,
};

static __attribute__((noinline)) void work(unsigned int n)
{
	while (n--)
		__asm__ __volatile__("");
}

static __attribute__((noinline)) uint64_t cost(struct pmudev *set, unsigned int n)
{
	uint64_t before = 0, after = 0;

	if (pmudev_read_count(set, 0, &before))
		return 0;
	work(n);
	return pmudev_read_count(set, 0, &after) ? 0 : after - before;
}

/* The least of some: a switch makes a reader learn anew. */
static __attribute__((noinline)) uint64_t reader_cost(struct pmudev_reader *reader, unsigned int n)
{
	uint64_t before = 0, after = 0, least = UINT64_MAX;
	int tries;

	for (tries = 0; tries < 8; tries++) {
		if (pmudev_reader_count(reader, &before))
			return 0;
		work(n);
		if (pmudev_reader_count(reader, &after))
			return 0;
		if (after - before < least)
			least = after - before;
	}
	return least;
}

static bool exact(void)
{
	const char *is = getenv("PMUDEV_EXACT");

	return is && !strcmp(is, "1");
}

TEST_F(lib32, query_and_place)
{
	const struct pmudev_event_attr both[] = { cycles, cycles };
	struct pmudev_query query, same;
	int32_t counters[2] = { -5, -5 };
	uint32_t slots[2] = { 9, 9 };

	ASSERT_EQ(0, pmudev_query(&self->set, 0, &query));
	EXPECT_EQ((uint32_t)PMUDEV_ABI_VERSION, query.abi);
	EXPECT_EQ(!!query.width_fixed, !!(query.counters >> PMUDEV_FIXED_BASE));
	EXPECT_NE('\0', query.name[0]);
	ASSERT_EQ(0, pmudev_query_cpu(&self->set, 0, &same));
	EXPECT_EQ(query.counters, same.counters);
	ASSERT_EQ(0, pmudev_place(&self->set, both, 2, counters));
	EXPECT_NE(counters[0], counters[1]);
	EXPECT_NE(0ULL, query.counters >> counters[0] & 1);
	EXPECT_NE(0ULL, query.counters >> counters[1] & 1);
	ASSERT_EQ(0, pmudev_add(&self->set, both, 2, slots));
	EXPECT_EQ(0U, slots[0]);
	EXPECT_EQ(1U, slots[1]);
}

/* By read(2); each turn of the loop takes as much as the others. */
TEST_F(lib32, reads_by_calls)
{
	const struct pmudev_event_attr both[] = { cycles, cycles };
	union pmudev_record_buffer buffer;
	struct pmudev_times times;
	uint64_t values[2], a, b, c;

	ASSERT_EQ(0, pmudev_add(&self->set, both, 2, NULL));
	ASSERT_EQ(0, pmudev_reset_slot(&self->set, 0, LARGE));
	ASSERT_EQ(0, pmudev_enable(&self->set, PMUDEV_ALL));
	a = cost(&self->set, N);
	b = cost(&self->set, 2 * N);
	c = cost(&self->set, 3 * N);
	EXPECT_GE(a, N);
	if (exact())
		EXPECT_EQ(b - a, c - b);
	ASSERT_EQ(0, pmudev_disable(&self->set, PMUDEV_ALL));
	ASSERT_EQ(0, pmudev_read_counts_times(&self->set, values, 2, &times));
	EXPECT_EQ(LARGE, values[0] - values[1]);
	EXPECT_EQ(times.enabled, times.running);
	EXPECT_LT(0ULL, times.enabled);
	ASSERT_EQ(0, pmudev_read(&self->set, &buffer.record, sizeof(buffer)));
	EXPECT_EQ(PMUDEV_RECORD_SIZE(2), buffer.record.size);
	EXPECT_EQ(values[0], buffer.record.counts[0].value);
	EXPECT_EQ(cycles.tag, buffer.record.counts[1].tag);
	ASSERT_EQ(0, pmudev_remove(&self->set, PMUDEV_ALL));
	EXPECT_EQ(-EINVAL, pmudev_read_count(&self->set, 0, &a));
}

/* Directly, by all forms, or refused: on arm64 a 32-bit program has no user reads. */
TEST_F(lib32, reads_directly)
{
	struct pmudev_event_attr event = cycles;
	struct pmudev_reader reader;
	struct pmudev_refusal why;
	struct pmudev_ticks ticks;
	uint64_t a, b, c;

	event.flags |= PMUDEV_USER_READ;
	if (!USER_READS) {
		EXPECT_EQ(-EOPNOTSUPP, pmudev_add(&self->set, &event, 1, NULL));
		EXPECT_EQ(-EOPNOTSUPP, pmudev_why(&self->set, &why));
		EXPECT_EQ((uint32_t)PMUDEV_WHY_HARDWARE, why.code);
		return;
	}
	ASSERT_EQ(0, pmudev_add(&self->set, &event, 1, NULL));
	ASSERT_EQ(0, pmudev_reset_slot(&self->set, 0, LARGE));
	ASSERT_EQ(0, pmudev_enable(&self->set, PMUDEV_ALL));
	ASSERT_EQ(0, pmudev_map(&self->set));
	ASSERT_TRUE(pmudev_try_count(&self->set, 0, &a));
	EXPECT_LT(LARGE, a);
	ASSERT_EQ(0, pmudev_reader_init(&reader, &self->set, NULL, 1));
	/* It learns by its first read. */
	ASSERT_EQ(0, pmudev_reader_count(&reader, &a));
	a = reader_cost(&reader, N);
	b = reader_cost(&reader, 2 * N);
	c = reader_cost(&reader, 3 * N);
	EXPECT_GE(a, N);
	if (exact())
		EXPECT_EQ(b - a, c - b);
	ASSERT_EQ(0, pmudev_reader_counts_ticks(&reader, &a, 1, &ticks));
	ASSERT_EQ(0, pmudev_read_count(&self->set, 0, &b));
	EXPECT_LT(LARGE, a);
	EXPECT_LT(a, b);
	EXPECT_LT(0ULL, pmudev_reader_ns(&reader, ticks.enabled));
	EXPECT_EQ(ticks.enabled, ticks.running);
	pmudev_unmap(&self->set);
	ASSERT_EQ(0, pmudev_read_count(&self->set, 0, &c));
	EXPECT_LT(b, c);
}

/* A reader of a set that is not mapped reads by calls. */
TEST_F(lib32, a_reader_without_a_page)
{
	struct pmudev_reader reader;
	uint64_t values[1];

	ASSERT_EQ(0, pmudev_add(&self->set, &cycles, 1, NULL));
	ASSERT_EQ(0, pmudev_reset_slot(&self->set, 0, LARGE));
	ASSERT_EQ(0, pmudev_enable(&self->set, PMUDEV_ALL));
	ASSERT_EQ(0, pmudev_reader_init(&reader, &self->set, NULL, 1));
	EXPECT_LE(N, reader_cost(&reader, N));
	ASSERT_EQ(0, pmudev_reader_counts(&reader, values, 1));
	EXPECT_LT(LARGE, values[0]);
	EXPECT_FALSE(pmudev_try_count(&self->set, 0, values));
}

static void *read_there(void *arg)
{
	static uint64_t value;

	return pmudev_try_count(arg, 0, &value) || pmudev_read_count(arg, 0, &value) ? NULL :
										       &value;
}

TEST_F(lib32, another_thread_reads_by_calls)
{
	pthread_t thread;
	uint64_t *value;

	ASSERT_EQ(0, pmudev_add(&self->set, &cycles, 1, NULL));
	ASSERT_EQ(0, pmudev_reset_slot(&self->set, 0, LARGE));
	ASSERT_EQ(0, pmudev_enable(&self->set, PMUDEV_ALL));
	ASSERT_EQ(0, pthread_create(&thread, NULL, read_there, &self->set));
	ASSERT_EQ(0, pthread_join(thread, (void **)&value));
	ASSERT_NE(NULL, value);
	EXPECT_LT(LARGE, *value);
}

/* Who holds a counter: the list comes back through a pointer of 64 bits. */
TEST_F(lib32, refusals)
{
	struct pmudev_event_attr events[PMUDEV_MAX_EVENTS + 1] = { cycles };
	struct pmudev_refusal why;
	const struct pmudev_holder *holders;
	struct pmudev cpu;
	int32_t counter;
	char text[512], pid[32];

	ASSERT_EQ(0, pmudev_open(&cpu));
	ASSERT_EQ(0, pmudev_bind_cpu(&cpu, 0, PMUDEV_BIND_SHARED));
	ASSERT_EQ(0, pmudev_place(&cpu, events, 1, &counter));
	events[0].flags |= PMUDEV_COUNTER;
	events[0].counter = counter;
	ASSERT_EQ(0, pmudev_add(&cpu, events, 1, NULL));
	ASSERT_EQ(0, pmudev_enable(&cpu, PMUDEV_ALL));
	ASSERT_EQ(0, pmudev_add(&self->set, events, 1, NULL));
	EXPECT_EQ(-EBUSY, pmudev_enable(&self->set, PMUDEV_ALL));
	ASSERT_EQ(-EBUSY, pmudev_why(&self->set, &why));
	EXPECT_EQ((uint32_t)PMUDEV_WHY_HELD, why.code);
	EXPECT_EQ(1ULL << counter, why.allowed);
	ASSERT_EQ(1U, why.nr_holders);
	holders = (const struct pmudev_holder *)(uintptr_t)why.holders;
	EXPECT_EQ(getpid(), holders[0].pid);
	EXPECT_EQ(0, holders[0].cpu);
	pmudev_explain(&self->set, text, sizeof(text));
	snprintf(pid, sizeof(pid), "process %d, which counts CPU 0", getpid());
	EXPECT_NE(NULL, strstr(text, pid));
	pmudev_close(&cpu);

	/* Wrong calls that only the module sees to be wrong. */
	memset(events, 0, sizeof(events));
	EXPECT_EQ(-EINVAL, pmudev_add(&self->set, events, PMUDEV_MAX_EVENTS + 1, NULL));
	EXPECT_EQ(-EINVAL, pmudev_add(&self->set, events, 0, NULL));
	EXPECT_EQ(-EFAULT, pmudev_add(&self->set, NULL, 1, NULL));
	EXPECT_EQ(-EINVAL, pmudev_enable(&self->set, PMUDEV_MAX_GROUPS));
	EXPECT_EQ(-EINVAL, pmudev_reset_slot(&self->set, PMUDEV_MAX_EVENTS, 0));
	EXPECT_EQ(-EFAULT, pmudev_read(&self->set, NULL, sizeof(union pmudev_record_buffer)));
	EXPECT_EQ(-ENODEV, pmudev_query(&self->set, 1000, &(struct pmudev_query){ 0 }));
	EXPECT_EQ(-EBUSY, pmudev_bind_self(&self->set));
}

TEST_F(lib32, set_arrays)
{
	const unsigned int cpu = 0;
	struct pmudev_event_attr event = cycles;
	struct pmudev_set_array array;
	struct pmudev_total total;

	event.flags = 0;
	ASSERT_EQ(0, pmudev_set_array_cpus(&array, &cpu, 1, PMUDEV_BIND_SHARED));
	ASSERT_EQ(0, pmudev_set_array_add(&array, &event, 1));
	ASSERT_EQ(0, pmudev_set_array_enable(&array, PMUDEV_ALL));
	work(N);
	ASSERT_EQ(0, pmudev_set_array_disable(&array, PMUDEV_ALL));
	ASSERT_EQ(0, pmudev_set_array_read(&array, &total));
	EXPECT_EQ(1U, total.nr);
	EXPECT_LE(N, total.sums[0].value);
	EXPECT_EQ(total.sums[0].value, total.sums[0].estimate);
	EXPECT_EQ(total.sums[0].time_enabled, total.sums[0].time_running);
	pmudev_set_array_close(&array);

	ASSERT_EQ(0, pmudev_set_array_task(&array, PMUDEV_TARGET_PROCESS, 0, 0));
	ASSERT_EQ(0, pmudev_set_array_add(&array, &cycles, 1));
	ASSERT_EQ(0, pmudev_set_array_enable(&array, PMUDEV_ALL));
	work(N);
	ASSERT_EQ(0, pmudev_set_array_read(&array, &total));
	EXPECT_LE(N, total.sums[0].value);
	pmudev_set_array_close(&array);
}

TEST_HARNESS_MAIN
