// SPDX-License-Identifier: MIT
/* Reads of a set, which has a reader of its own: what it learns, and when it must not be used. */
#include "fake.h"

#include <pthread.h>
#include <sys/mman.h>

static struct pmudev set;

/* A set with @n events on 64-bit counters, the i-th on counter i with count 100 * i. */
static void fresh_set(unsigned int n)
{
	unsigned int i;

	free(set.reader);
	memset(&set, 0, sizeof(set));
	fresh_page();
	page.clock = 5;
	for (i = 0; i < n; i++) {
		set_slot(i, 100 * i, i, 64);
		counters[i] = 100 * i;
	}
	set.fd = -1;
	set.opened = 1;
	set.page = &page;
	pmudev_reader_of_set(&set);
}

static void expect_read(unsigned int slot, uint64_t wanted, const char *what)
{
	uint64_t value;

	if (pmudev_read_count(&set, slot, &value))
		ok(false, what);
	else
		is_number(value, wanted, what);
}

/* Whether the inline read would do: nobody is asked, nothing learnt. */
static bool is_inline(unsigned int slot)
{
	uint64_t value;

	return pmudev_is_learnt(&set) &&
	       pmudev_reader_try(set.reader, &value, slot, 1, true, false, NULL);
}

static void test_learns(void)
{
	uint64_t values[4] = { 0 };

	fresh_set(4);
	ok(!is_inline(0), "nothing is learnt at first");
	expect_read(3, 300, "the first read of an event");
	ok(is_inline(0) && is_inline(3), "  learns all of them");
	ok(!is_inline(4) && !is_inline(PMUDEV_READER_EVENTS - 1) && !is_inline(UINT32_MAX),
	   "  and no others");
	page.slots[1].operand = 9;
	counters[9] = 1;
	ok(!pmudev_read_counts(&set, values, 4), "several");
	is_number(values[1], 100, "  without another look at the slots");
	page.seq += 2;
	ok(!is_inline(1), "the head says that they have changed");
	ok(!pmudev_read_counts(&set, values, 4), "  several again");
	is_number(values[1], 1, "  learnt again");
	is_number(values[3], 300, "  the last");
	page.clock--;
	ok(!is_inline(1), "the clock has changed, the sequence number has gone round");
	expect_read(1, 1, "  and is read");
}

static void test_numbers(void)
{
	uint64_t values[PMUDEV_MAX_EVENTS];
	unsigned int several = 3;

	/* The compiler does not know the number. */
	__asm__("" : "+r"(several));
	fresh_set(20);
	ok(!pmudev_read_counts(&set, values, several), "a number that is no constant");
	is_number(values[2], 200, "  the last");
	ok(!pmudev_read_counts(&set, values, 16), "as many as the reader has");
	is_number(values[15], 1500, "  the last");
	ok(!pmudev_read_counts(&set, values, 20), "more than the reader has");
	is_number(values[19], 1900, "  the last");
	expect_read(19, 1900, "one of those");
	ok(is_inline(0), "  and the others are still learnt");
	ok(!pmudev_read_counts(&set, values, 0), "none");
	is_number(-pmudev_read_counts(&set, values, PMUDEV_MAX_EVENTS + 1), EBADF,
		  "more than there can be: the module is asked");
}

/* What is not readable ends what the reader learns; the page has zeroes for empty slots. */
static void test_holes(void)
{
	uint64_t value, values[4];

	fresh_set(4);
	page.slots[1] = (struct pmudev_slot){ 0 };
	ok(!pmudev_read_counts(&set, values, 4), "an empty slot");
	is_number(values[1], 0, "  has no count");
	is_number(values[2], 200, "  the next one has");
	expect_read(2, 200, "  also alone");
	ok(is_inline(0) && !is_inline(1) && !is_inline(2), "  those before are learnt");
	is_number(-pmudev_read_count(&set, 1, &value), EBADF, "  and it: the module is asked");
	page.seq += 2;
	page.slots[2].index = 0;
	ok(!pmudev_try_counts(&set, values, 4, NULL), "an event on no counter");
	ok(!pmudev_try_count(&set, 2, &value), "  also alone");
	expect_read(3, 300, "  the one behind it");
	page.seq += 2;
	page.slots[0].index = 0;
	ok(!pmudev_try_count(&set, 0, &value) && !is_inline(0), "nor is the first");
	expect_read(3, 300, "  the one behind it");
}

static void test_widths(void)
{
	uint64_t values[3] = { 0 };
	unsigned int i;

	fresh_set(3);
	set_slot(0, 0x123fffffff0, 0, 32);
	set_slot(2, (5ULL << 48) - 1, 2, 48);
	counters[0] = 5;
	counters[1] = ~0ULL;
	counters[2] = 1;
	for (i = 0; i < 2; i++) {
		ok(!pmudev_read_counts(&set, values, 3), "counters of three widths");
		is_number(values[0], 0x12400000005, "  32 bits, gone round");
		is_number(values[1], ~0ULL, "  64 bits, about to");
		is_number(values[2], (5ULL << 48) + 1, "  48 bits, gone round");
	}
	expect_read(2, (5ULL << 48) + 1, "  48 bits alone");
	expect_read(0, 0x12400000005, "  32 bits alone");
}

static void test_chained(void)
{
	uint64_t values[2] = { 0 };

	fresh_set(2);
	set_slot(1, 0x1100000000, 4, 64);
	page.slots[1].flags |= PMUDEV_SLOT_CHAIN;
	counters[0] = 1;
	counters[5] = 0x11;
	counters[4] = 0xffffffff;
	ok(!pmudev_read_counts(&set, values, 2), "a chained event");
	is_number(values[1], 0x11ffffffff, "  both halves");
	is_number(values[0], 1, "  and the one beside it");
	ok(!is_inline(0), "  not by the inline read");
	expect_read(1, 0x11ffffffff, "  alone");
}

static void test_times(void)
{
	struct pmudev_times times, wanted;
	uint64_t values[2];

	fresh_set(2);
	page.time_mult = 3 << 20;
	page.time_shift = 20;
	page.time_enabled = 1000;
	page.time_running = 900;
	clock_now = 77;
	ok(!pmudev_try_counts(&set, values, 2, &times), "no times in the page, none read");
	page.flags = PMUDEV_PAGE_TIMES;
	pmudev_reader_init(set.reader, &set, NULL, PMUDEV_READER_EVENTS);
	ok(pmudev_page_counts(&page, values, 2, &wanted), "times of the page");
	is_number(wanted.enabled, 3 * 1082, "  in ns");
	ok(!pmudev_read_counts_times(&set, values, 2, &times), "the reader's, as it learns them");
	is_number(times.enabled, wanted.enabled, "  enabled");
	is_number(times.running, wanted.running, "  running");
	ok(!pmudev_read_counts_times(&set, values, 2, &times), "  and as it has");
	is_number(times.enabled, wanted.enabled, "  enabled");
	is_number(times.running, wanted.running, "  running");
	page.seq += 2;
	page.flags = 0;
	ok(!pmudev_try_counts(&set, values, 2, &times), "they have gone");
	ok(!pmudev_read_counts(&set, values, 2), "the counts have not");
	clock_now = 0;
}

/* ------------------------------------------------------------------ who may read -- */

static void *in_another_thread(void *arg)
{
	struct pmudev_times times;
	uint64_t values[2], value;

	(void)arg;
	/* It has the same fields before it, and another processor's counters. */
	counters[0] = 666;
	return (void *)(uintptr_t)(pmudev_try_count(&set, 0, &value) ||
				   pmudev_try_counts(&set, values, 2, &times) ||
				   pmudev_read_count(&set, 0, &value) != -EBADF ||
				   pmudev_read_counts(&set, values, 2) != -EBADF ||
				   pmudev_read_counts_times(&set, values, 2, &times) != -EBADF);
}

static void test_another_thread(void)
{
	struct pmudev_reader before;
	uint32_t thread;
	void *result;
	pthread_t other;

	fresh_set(2);
	expect_read(1, 100, "the owner reads");
	before = *set.reader;
	thread = set.thread;
	pthread_create(&other, NULL, in_another_thread, NULL);
	pthread_join(other, &result);
	ok(!result, "while it runs, another thread asks the module");
	ok(set.thread == thread && !memcmp(&before, set.reader, sizeof(before)),
	   "  and leaves alone what the owner has learnt");
	counters[0] = 0;
	expect_read(0, 0, "  which still holds");
	/* The owner has not quite ended, and a new thread has its storage. */
	pmudev_cached_tid = PMUDEV_NO_TID;
	ok(!is_inline(0), "a thread that is new does not read what another one has learnt");
	pmudev_cached_tid = page.owner + 1;
	ok(!is_inline(0), "  nor does it when it knows its id");
	pmudev_cached_tid = page.owner;
	ok(is_inline(0), "the owner does");
	page.owner = 0;
	ok(!is_inline(0), "  but not what belongs to nobody");
}

static void steal_at_second(void)
{
	static int reads;

	if (++reads == 2)
		steal();
}

/* A signal handler that reads the set after it has got fewer events, on other counters. */
static void read_in_signal(void)
{
	uint64_t value;

	interrupt = NULL;
	page.seq += 2;
	page.slots[1] = (struct pmudev_slot){ 0 };
	set_slot(0, 7, 8, 64);
	counters[8] = 7;
	expect_read(0, 7, "  a signal comes, and its handler reads");
	ok(pmudev_read_count(&set, 1, &value), "  what has gone it does not");
}

static void test_interrupted(void)
{
	uint64_t values[3];

	fresh_set(3);
	ok(!pmudev_read_counts(&set, values, 3), "learnt");
	interrupt = read_in_signal;
	ok(!pmudev_read_counts(&set, values, 3), "interrupted in the midst of a read");
	is_number(values[0], 7, "  the first, where it is now");
	is_number(values[1], 0, "  the second has gone");
	is_number(values[2], 200, "  the third");

	/* A handler that comes while the reader learns. */
	fresh_set(3);
	set.reader->learning = true;
	expect_read(1, 100, "while the reader learns, a handler takes the page");
	ok(!is_inline(1), "  and learns nothing");
	set.reader->learning = false;
	expect_read(1, 100, "afterwards it reads");
	ok(is_inline(1), "  and learns");

	fresh_set(3);
	interrupt = steal_at_second;
	ok(!pmudev_try_counts(&set, values, 3, NULL), "the page was taken away while it was read");
	interrupt = NULL;
}

/* The reader ends with the mapping. */
static void test_unmapped(void)
{
	const size_t size = sysconf(_SC_PAGESIZE);
	struct pmudev_page *map;
	uint64_t value;

	fresh_set(1);
	map = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	memcpy(map, &page, sizeof(page));
	free(set.reader);
	set.page = map;
	set.page_size = size;
	pmudev_reader_of_set(&set);
	expect_read(0, 0, "a page that is mapped");
	pmudev_unmap(&set);
	ok(!pmudev_is_learnt(&set) && !set.reader, "nothing is left of it");
	is_number(-pmudev_read_count(&set, 0, &value), EBADF, "  the module is asked");
}

int main(void)
{
	test_learns();
	test_numbers();
	test_holes();
	test_widths();
	test_chained();
	test_times();
	test_another_thread();
	test_interrupted();
	test_unmapped();
	return tap_end();
}
