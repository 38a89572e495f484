// SPDX-License-Identifier: MIT
/* Reads of a set: the inline one, what it leaves to the page's slow path, and what to read(2). */
#include "fake.h"

#include <pthread.h>

static struct pmudev set;

/* A set with @n events on 64-bit counters, the i-th on counter i with count 100 * i. */
static void fresh_set(unsigned int n)
{
	unsigned int i;

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
}

/* The same number, of which the compiler knows nothing. */
static unsigned int unknown(unsigned int n)
{
	__asm__("" : "+r"(n));
	return n;
}

static void expect_read(unsigned int slot, uint64_t wanted, const char *what)
{
	uint64_t value;

	if (pmudev_read_count(&set, slot, &value))
		ok(false, what);
	else
		is_number(value, wanted, what);
}

static void test_numbers(void)
{
	uint64_t values[PMUDEV_MAX_EVENTS];
	unsigned int several;

	fresh_set(20);
	expect_read(19, 1900, "one event");
	ok(pmudev_page_get(&page, values, 0, 8, NULL), "eight by the inline read");
	is_number(values[7], 700, "  the last");
	ok(!pmudev_read_counts(&set, values, 8), "eight of the set");
	is_number(values[7], 700, "  the last");
	ok(!pmudev_read_counts(&set, values, 9), "more than are inline");
	is_number(values[8], 800, "  the last");
	for (several = 0; several <= 20; several++) {
		memset(values, 0xff, sizeof(values));
		if (pmudev_read_counts(&set, values, unknown(several)) || ~values[several] ||
		    (several && values[several - 1] != 100 * (several - 1)))
			break;
	}
	is_number(several, 21, "every number that is no constant, and not one more");
	is_number(-pmudev_read_counts(&set, values, 21), EBADF,
		  "more than it has: the module is asked");
	is_number(-pmudev_read_counts(&set, values, PMUDEV_MAX_EVENTS + 1), EBADF,
		  "more than there can be: the module is asked");
	set.page = NULL;
	is_number(-pmudev_read_counts(&set, values, 2), EBADF, "not mapped: the module is asked");
	is_number(-pmudev_read_count(&set, 0, values), EBADF, "  also for one");
}

static void test_holes(void)
{
	uint64_t value, values[4];

	fresh_set(4);
	page.slots[1] = (struct pmudev_slot){ 0 };
	ok(!pmudev_page_get(&page, values, 0, 4, NULL), "an empty slot: not by the inline read");
	ok(!pmudev_read_counts(&set, values, 4), "  the set reads it");
	is_number(values[1], 0, "  no count");
	is_number(values[2], 200, "  the next one has");
	expect_read(2, 200, "  also alone");
	is_number(-pmudev_read_count(&set, 1, &value), EBADF, "  it alone: the module is asked");
	page.slots[2].index = 0;
	ok(!pmudev_try_counts(&set, values, 4, NULL), "an event on no counter");
	ok(!pmudev_try_count(&set, 2, &value), "  also alone");
	is_number(-pmudev_read_counts(&set, values, 3), EBADF, "  the module is asked");
	expect_read(3, 300, "  the one behind it");
}

static void test_widths(void)
{
	uint64_t values[3] = { 0 };

	fresh_set(3);
	set_slot(0, 0x123fffffff0, 0, 32);
	set_slot(2, (5ULL << 48) - 1, 2, 48);
	counters[0] = 5;
	counters[1] = ~0ULL;
	counters[2] = 1;
	ok(pmudev_page_get(&page, values, 0, 3, NULL), "counters of three widths");
	is_number(values[0], 0x12400000005, "  32 bits, gone round");
	is_number(values[1], ~0ULL, "  64 bits, about to");
	is_number(values[2], (5ULL << 48) + 1, "  48 bits, gone round");
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
	ok(!pmudev_page_get(&page, values, 0, 2, NULL), "a chained event: not by the inline read");
	ok(!pmudev_read_counts(&set, values, 2), "  the set reads it");
	is_number(values[1], 0x11ffffffff, "  both halves");
	is_number(values[0], 1, "  and the one beside it");
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
	ok(!pmudev_page_get(&page, values, 0, 2, &times), "no times in the page, none read");
	is_number(-pmudev_read_counts_times(&set, values, 2, &times), EBADF,
		  "  the module is asked");
	page.flags = PMUDEV_PAGE_TIMES;
	ok(pmudev_page_counts_slow(&page, values, 2, &wanted), "times of the page");
	is_number(wanted.enabled, 3 * 1082, "  in ns");
	ok(!pmudev_read_counts_times(&set, values, 2, &times), "by the inline read");
	is_number(times.enabled, wanted.enabled, "  enabled");
	is_number(times.running, wanted.running, "  running");
	memset(&times, 0, sizeof(times));
	ok(!pmudev_read_counts_times(&set, values, unknown(2), &times),
	   "a number that is no constant");
	is_number(times.enabled, wanted.enabled, "  enabled");
	is_number(times.running, wanted.running, "  running");
	page.time_shift = 33;
	ok(!pmudev_page_get(&page, values, 0, 2, &times), "a clock that cannot be converted here");
	clock_now = 0;
}

static void *in_another_thread(void *arg)
{
	struct pmudev_times times;
	uint64_t values[2], value;

	(void)arg;
	/* Its own processor's counters have other values. */
	counters[0] = 666;
	return (void *)(uintptr_t)(pmudev_try_count(&set, 0, &value) ||
				   pmudev_try_counts(&set, values, 2, &times) ||
				   pmudev_read_count(&set, 0, &value) != -EBADF ||
				   pmudev_read_counts(&set, values, 2) != -EBADF ||
				   pmudev_read_counts_times(&set, values, 2, &times) != -EBADF);
}

static void test_another_thread(void)
{
	uint64_t values[2];
	pthread_t other;
	void *result;

	fresh_set(2);
	expect_read(1, 100, "the owner reads");
	pthread_create(&other, NULL, in_another_thread, NULL);
	pthread_join(other, &result);
	ok(!result, "  another thread asks the module");
	/* The first read of a thread learns its id. */
	counters[0] = 0;
	pmudev_cached_tid = PMUDEV_NO_TID;
	expect_read(0, 0, "an owner that does not know its id");
	ok(pmudev_cached_tid == page.owner, "  learns it");
	page.owner = 0;
	ok(!pmudev_try_counts(&set, values, 2, NULL), "a page that belongs to nobody");
}

/* The page gets an empty slot in the midst of a read. */
static void leave_second(void)
{
	interrupt = NULL;
	page.seq += 2;
	page.slots[1] = (struct pmudev_slot){ 0 };
	set_slot(0, 7, 8, 64);
	counters[8] = 7;
}

static void steal_at_second(void)
{
	static int reads;

	if (++reads == 2)
		steal();
}

static void test_interrupted(void)
{
	uint64_t values[3];

	fresh_set(3);
	interrupt = leave_second;
	ok(!pmudev_read_counts(&set, values, 3), "the page changes in the midst of a read");
	is_number(values[0], 7, "  the first, where it is now");
	is_number(values[1], 0, "  the second has gone");
	is_number(values[2], 200, "  the third");
	fresh_set(3);
	interrupt = rewrite;
	rewrites = 3;
	ok(!pmudev_read_counts(&set, values, 3), "the page is written at each of three counters");
	is_number(values[0], 1001, "  the first was read again");
	is_number(values[2], 200, "  the last");
	fresh_set(3);
	interrupt = steal;
	values[0] = 42;
	ok(!pmudev_page_count(&page, 0, values), "the page was taken away while one was read");
	is_number(values[0], 42, "  which leaves the caller's value alone");
	is_number(-pmudev_read_count(&set, 0, values), EBADF, "  of a set: the module is asked");
	is_number(values[0], 42, "  nor does that write it");
	fresh_set(3);
	interrupt = steal_at_second;
	ok(!pmudev_page_get(&page, values, 0, 3, NULL), "the page was taken away meanwhile");
	interrupt = NULL;
}

int main(void)
{
	test_numbers();
	test_holes();
	test_widths();
	test_chained();
	test_times();
	test_another_thread();
	test_interrupted();
	return tap_end();
}
