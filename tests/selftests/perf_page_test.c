// SPDX-License-Identifier: GPL-2.0
/*
 * Pages in perf's layout: mapped, read by the algorithm of linux/perf_event.h, and compared with
 * read(2) of the same set.
 */
#include "common.h"
#include "deadline.h"
#include "perf.h"
#include "kselftest_harness.h"

#include <pthread.h>
#include <sys/wait.h>

/* What a page says and the counter adds. */
struct seen {
	bool direct; /* else read(2) would have to tell */
	__u64 value, enabled, running;
};

/* perf's division of the product, and what runs since. */
static __u64 clock_ns(const struct perf_event_mmap_page *page)
{
	__u64 now = read_clock(), part = now & ((1ULL << page->time_shift) - 1);

	return page->time_offset + (now >> page->time_shift) * page->time_mult +
	       (part * page->time_mult >> page->time_shift);
}

static inline __attribute__((always_inline)) struct seen
see(const struct perf_event_mmap_page *page)
{
	struct seen seen;
	__u32 lock, index, shift;
	__u64 since;

	do {
		lock = READ_ONCE(page->lock);
		barrier();
		seen.enabled = page->time_enabled;
		seen.running = page->time_running;
		index = page->index;
		since = page->cap_user_time ? clock_ns(page) : 0;
		seen.enabled += since;
		seen.running += index ? since : 0;
		seen.direct = page->cap_user_rdpmc;
		seen.value = page->offset;
		if (seen.direct && index) {
			shift = 64 - page->pmc_width;
			seen.value += (__s64)(counter(index - 1) << shift) >> shift;
		}
		barrier();
	} while (READ_ONCE(page->lock) != lock);
	return seen;
}

FIXTURE(perf_page)
{
	struct pmudev_query query;
	int fd;
	struct perf_event_mmap_page *page[2];
};

FIXTURE_SETUP(perf_page)
{
	struct pmudev_event_attr events[] = {
		raw_event(EVENT_INSTRUCTIONS, DIRECT_READ),
		in_group(raw_event(EVENT_CYCLES, DIRECT_READ), 1),
		in_group(raw_event(EVENT_INSTRUCTIONS, USER_ONLY), 2),
	};
	unsigned int i;

	ASSERT_EQ(0, pm_query(&self->query));
	ASSERT_EQ(0, set_user_access(true));
	self->fd = pm_set(events, 3, true);
	ASSERT_GE(self->fd, 0);
	for (i = 0; i < 2; i++) {
		self->page[i] = pm_map_perf(self->fd, i);
		ASSERT_NE(NULL, self->page[i]);
	}
}

FIXTURE_TEARDOWN(perf_page)
{
	unsigned int i;

	for (i = 0; i < 2; i++)
		if (self->page[i])
			munmap(self->page[i], PAGE_BYTES);
	if (self->fd >= 0)
		close(self->fd);
	set_user_access(false);
}

/* ------------------------------------------------------------------- counts -- */

/* Between two looks with so many rounds in between; 0: it could not be seen. */
static __attribute__((noinline)) __u64 measure(const struct perf_event_mmap_page *page, __u64 n)
{
	struct seen before, after;

	before = see(page);
	loop(n);
	after = see(page);
	return before.direct && after.direct ? after.value - before.value : 0;
}

/* The least of some: a read that was interrupted is made again. */
static __u64 least(const struct perf_event_mmap_page *page, __u64 n)
{
	__u64 least = ~0ULL, now;
	int i;

	for (i = 0; i < 20; i++) {
		now = measure(page, n);
		if (now && now < least)
			least = now;
	}
	return least;
}

TEST_F(perf_page, exact)
{
	if (!exact_instructions())
		SKIP(return, "instructions are not exact here");
	EXPECT_EQ(1000ULL * LOOP_INSTRUCTIONS,
		  least(self->page[0], 2000) - least(self->page[0], 1000));
}

static void between_reads(struct __test_metadata *_metadata, int fd,
			  const struct perf_event_mmap_page *page, unsigned int slot)
{
	union record before, after;
	struct seen seen;

	ASSERT_EQ(0, pm_read(fd, &before));
	seen = see(page);
	ASSERT_EQ(0, pm_read(fd, &after));
	if (!seen.direct)
		return;
	EXPECT_LT(before.r.counts[slot].value, seen.value);
	EXPECT_GT(after.r.counts[slot].value, seen.value);
	if (!page->cap_user_time)
		return;
	EXPECT_LE(before.r.counts[slot].time_enabled, seen.enabled);
	EXPECT_GE(after.r.counts[slot].time_enabled, seen.enabled);
	EXPECT_LE(before.r.counts[slot].time_running, seen.running);
	EXPECT_GE(after.r.counts[slot].time_running, seen.running);
}

TEST_F(perf_page, counts_and_times_are_those_of_read)
{
	unsigned int i;

	EXPECT_TRUE(see(self->page[0]).direct);
	EXPECT_TRUE(see(self->page[1]).direct);
	for (i = 0; i < 100; i++) {
		loop(i + 1);
		between_reads(_metadata, self->fd, self->page[i % 2], i % 2);
	}
}

/* Another thread on the CPU, for as many switches. */
static void *yield(void *arg)
{
	int i;

	pin_to(0);
	for (i = 0; i < 1000 && !READ_ONCE(*(bool *)arg); i++)
		sched_yield();
	return NULL;
}

TEST_F(perf_page, goes_on_after_switches)
{
	bool stop = false;
	pthread_t thread;
	unsigned int i;

	ASSERT_EQ(0, pin_to(0));
	ASSERT_EQ(0, pthread_create(&thread, NULL, yield, &stop));
	for (i = 0; i < 300; i++) {
		sched_yield();
		between_reads(_metadata, self->fd, self->page[i % 2], i % 2);
	}
	WRITE_ONCE(stop, true);
	ASSERT_EQ(0, pthread_join(thread, NULL));
	EXPECT_TRUE(see(self->page[0]).direct);
}

/* Wherever the counter is, its sum is right, with sign or without. */
TEST_F(perf_page, every_width)
{
	unsigned int bit, i;

	for (bit = 24; bit < 64; bit++) {
		for (i = 0; i < 3; i++) {
			__u64 value = (1ULL << bit) - 3000 + 1500 * i;

			ASSERT_EQ(0, pm_reset(self->fd, 0, value));
			between_reads(_metadata, self->fd, self->page[0], 0);
			loop(3000);
			between_reads(_metadata, self->fd, self->page[0], 0);
			/* The narrowest counters may show anything above their width. */
			if (self->page[0]->pmc_width > 31)
				EXPECT_TRUE(see(self->page[0]).direct) TH_LOG("bit %u", bit);
		}
	}
}

/* ------------------------------------------------------------ what it says -- */

TEST_F(perf_page, contents)
{
	const struct perf_event_mmap_page *page = self->page[0];
	const struct seen seen = see(page);
	const char *byte = (const char *)page;
	long i;

	EXPECT_TRUE(seen.direct);
	EXPECT_EQ(0U, page->version);
	EXPECT_EQ(0U, page->lock & 1);
	EXPECT_TRUE(!!page->cap_bit0_is_deprecated);
	EXPECT_FALSE(!!page->cap_user_time_zero);
	EXPECT_FALSE(!!page->cap_user_time_short);
	EXPECT_EQ(offsetof(struct perf_event_mmap_page, __reserved), page->size);
	/* A 1 of 32 bits can be shifted by it. */
	EXPECT_GT(32, page->time_shift);
	/* There is no ring. */
	for (i = offsetof(struct perf_event_mmap_page, __reserved); i < PAGE_BYTES; i++)
		ASSERT_EQ(0, byte[i]);
}

TEST_F(perf_page, disabled)
{
	const struct perf_event_mmap_page *page = self->page[0];
	union record record;
	struct seen seen;

	ASSERT_EQ(0, pm_disable(self->fd, 0));
	ASSERT_EQ(0, pm_read(self->fd, &record));
	seen = see(page);
	EXPECT_EQ(0U, page->index);
	EXPECT_TRUE(seen.direct);
	EXPECT_EQ(record.r.counts[0].value, seen.value);
	EXPECT_EQ(record.r.counts[0].time_enabled, seen.enabled);
	EXPECT_EQ(record.r.counts[0].time_running, seen.running);
	/* The other one goes on. */
	between_reads(_metadata, self->fd, self->page[1], 1);
	ASSERT_EQ(0, pm_enable(self->fd, 0));
	EXPECT_LT(record.r.counts[0].value, see(page).value);
	ASSERT_EQ(0, pm_disable(self->fd, 0));
	ASSERT_EQ(0, pm_remove(self->fd, 0));
	EXPECT_FALSE(see(page).direct);
	EXPECT_EQ(0ULL, see(page).value);
}

TEST_F(perf_page, with_a_deadline_read_tells)
{
	struct pmudev_query query;

	if (no_deadlines(&query))
		SKIP(return, "%s", no_deadlines(&query));
	ASSERT_EQ(0, pm_deadline(self->fd, 0, PMUDEV_DEADLINE_RELATIVE, 1000000000, 0));
	EXPECT_FALSE(see(self->page[0]).direct);
	EXPECT_TRUE(see(self->page[1]).direct);
	ASSERT_EQ(0, pm_deadline(self->fd, 0, PMUDEV_DEADLINE_REMOVE, 0, 0));
	EXPECT_TRUE(see(self->page[0]).direct);
	between_reads(_metadata, self->fd, self->page[0], 0);
}

TEST_F(perf_page, without_the_right_read_tells)
{
	ASSERT_EQ(0, set_user_access(false));
	EXPECT_FALSE(see(self->page[0]).direct);
	ASSERT_EQ(0, set_user_access(true));
}

/* Its thread does not run while another one looks. */
static void *look(void *arg)
{
	struct seen *seen = arg;
	const struct perf_event_mmap_page *page = (void *)seen->value;

	*seen = see(page);
	return NULL;
}

TEST_F(perf_page, while_its_thread_does_not_run)
{
	struct seen seen = { .value = (uintptr_t)self->page[0] };
	union record before, after;
	pthread_t thread;

	ASSERT_EQ(0, pin_to(0));
	ASSERT_EQ(0, pm_read(self->fd, &before));
	ASSERT_EQ(0, pthread_create(&thread, NULL, look, &seen));
	ASSERT_EQ(0, pthread_join(thread, NULL));
	ASSERT_EQ(0, pm_read(self->fd, &after));
	EXPECT_FALSE(seen.direct);
	/* It is what it was when it stopped, for readers that look at the index only. */
	EXPECT_LT(before.r.counts[0].value, seen.value);
	EXPECT_GT(after.r.counts[0].value, seen.value);
	EXPECT_TRUE(see(self->page[0]).direct);
}

TEST_F(perf_page, a_childs_is_empty)
{
	int status = 0, child = fork();

	if (!child) {
		const __u64 *word = (const __u64 *)self->page[0];
		long i;

		for (i = 0; i < PAGE_BYTES / 8; i++)
			if (word[i])
				_exit(1);
		_exit(see(self->page[0]).direct);
	}
	ASSERT_EQ(child, waitpid(child, &status, 0));
	EXPECT_EQ(0, status);
	EXPECT_TRUE(see(self->page[0]).direct);
}

/* ----------------------------------------------------------------- mapping -- */

TEST_F(perf_page, what_cannot_be_mapped)
{
	static const off_t wrong[] = {
		PMUDEV_PERF_PAGE_OFFSET - PMUDEV_PERF_PAGE_STEP,
		PMUDEV_PERF_PAGE_OFFSET + PMUDEV_PERF_PAGE_STEP / 2,
		PMUDEV_PERF_PAGE_OFFSET + PMUDEV_MAX_EVENTS * (off_t)PMUDEV_PERF_PAGE_STEP,
	};
	struct pmudev_why answer;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(wrong); i++) {
		EXPECT_EQ(MAP_FAILED,
			  mmap(NULL, PAGE_BYTES, PROT_READ, MAP_SHARED, self->fd, wrong[i]));
		EXPECT_EQ(EINVAL, errno);
		ASSERT_EQ(0, pm_why(self->fd, &answer));
		EXPECT_EQ((__u32)PMUDEV_WHY_MAPPING, answer.refusal.code);
	}
	/* An event that is not for user reads, and none at all */
	EXPECT_EQ(NULL, pm_map_perf(self->fd, 2));
	EXPECT_EQ((__u32)PMUDEV_WHY_NO_USER_READ, why.code);
	EXPECT_EQ(NULL, pm_map_perf(self->fd, 3));
	EXPECT_EQ((__u32)PMUDEV_WHY_NO_USER_READ, why.code);
	EXPECT_EQ(MAP_FAILED, mmap(NULL, PAGE_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, self->fd,
				   PMUDEV_PERF_PAGE_OFFSET));
	EXPECT_EQ(-1, mprotect(self->page[0], PAGE_BYTES, PROT_READ | PROT_WRITE));
}

/* The last mapping of any kind takes the right away; the user page is another of them. */
TEST_F(perf_page, beside_the_user_page)
{
	struct pmudev_page *page = pm_map(self->fd);
	struct perf_event_mmap_page *again = pm_map_perf(self->fd, 0);
	__u32 operand = READ_ONCE(self->page[0]->index) - 1;
	struct reader reader;
	__u64 value;

	ASSERT_NE(NULL, page);
	ASSERT_NE(NULL, again);
	reader = reader_of(page);
	ASSERT_EQ(0, direct_read(&reader, 0, &value));
	EXPECT_LT(value, see(self->page[0]).value);
	EXPECT_EQ(0, memcmp(again, self->page[0], PAGE_BYTES));
	munmap(again, PAGE_BYTES);
	pm_unmap(page);
	EXPECT_TRUE(see(self->page[0]).direct);
	munmap(self->page[0], PAGE_BYTES);
	self->page[0] = NULL;
	EXPECT_TRUE(see(self->page[1]).direct);
	munmap(self->page[1], PAGE_BYTES);
	self->page[1] = NULL;
	EXPECT_TRUE(counter_faults(operand));
}

/* The mapping keeps the set. */
TEST_F(perf_page, outlives_the_file)
{
	struct seen first = see(self->page[0]), second;

	close(self->fd);
	self->fd = -1;
	loop(1000);
	second = see(self->page[0]);
	EXPECT_TRUE(second.direct);
	EXPECT_LT(first.value + 1000ULL * LOOP_INSTRUCTIONS, second.value);
}

TEST_HARNESS_MAIN
