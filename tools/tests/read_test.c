// SPDX-License-Identifier: MIT
/* The direct read by the page's algorithm, which keeps nothing. */
#include "fake.h"

#include <pthread.h>
#include <sys/wait.h>

static void expect(unsigned int slot, uint64_t wanted, const char *what)
{
	uint64_t value = 0;

	if (!pmudev_page_count(&page, slot, &value))
		ok(false, what);
	else
		is_number(value, wanted, what);
}

static void test_arithmetic(void)
{
	fresh_page();
	set_slot(0, 0, 0, 64);
	counters[0] = 12345;
	expect(0, 12345, "a 64-bit counter from 0");
	set_slot(0, 0x123fffffff0, 0, 32);
	counters[0] = 0xfffffff5;
	expect(0, 0x123fffffff5, "a 32-bit counter carries the low bits");
	counters[0] = 5;
	expect(0, 0x12400000005, "and wraps once");
	set_slot(3, 7, 31, 48);
	counters[31] = 7;
	expect(3, 7, "nothing has happened");
	counters[31] = 6;
	expect(3, (1ULL << 48) + 6, "the widest difference of 48 bits");
	set_slot(1, ~0ULL, 32, 64);
	counters[32] = 1;
	expect(1, 1, "64 bits wrap as they must");
}

/*
 * What Intel's counters add: 48 bits or 40, fixed counters, and counters of 48 bits that can only
 * be written 32 bits at a time, sign-extended, of which the low 31 carry the count.
 */
static void test_widths(void)
{
	fresh_page();
	set_slot(0, 5, 2, 48);
	counters[2] = 9;
	expect(0, 9, "a 48-bit counter");
	set_slot(0, 0x3fffffffffff0, 2, 48);
	counters[2] = 0xffffffffffff;
	expect(0, 0x3ffffffffffff, "  one event before it wraps");
	counters[2] = 0;
	expect(0, 0x4000000000000, "  and when it has");
	set_slot(0, 0x1ffffffffff, 2, 40);
	counters[2] = 1;
	expect(0, 0x20000000001, "a 40-bit counter that has wrapped");
	set_slot(0, 0x7fffffff, 2, 31);
	counters[2] = 0x7fffffff;
	expect(0, 0x7fffffff, "31 bits of a wider counter: nothing has happened");
	counters[2] = 0x80000002;
	expect(0, 0x80000002, "  the counter goes on past them");
	set_slot(0, 0x500000010, 2, 31);
	counters[2] = 0x80000000;
	expect(0, 0x580000000, "  and does not carry the bits above");
	counters[2] = 0xffff8000000f;
	expect(0, 0x58000000f, "  whatever is there");
	set_slot(1, 100, FIXED, 48);
	set_slot(2, 200, FIXED | 1, 48);
	counters[PMUDEV_FIXED_BASE] = 101;
	counters[PMUDEV_FIXED_BASE + 1] = 202;
	expect(1, 101, "fixed counter 0");
	expect(2, 202, "fixed counter 1");
}

static void test_refusals(void)
{
	uint64_t value;

	fresh_page();
	set_slot(0, 0, 0, 64);
	page.owner++;
	ok(!pmudev_page_count(&page, 0, &value), "not of another thread's page");
	page.owner = 0;
	ok(!pmudev_page_count(&page, 0, &value), "not while the owner does not run");
	pmudev_cached_tid = PMUDEV_NO_TID;
	ok(!pmudev_page_count(&page, 0, &value), "nor by a thread that does not know its id");
	fresh_page();
	ok(!pmudev_page_count(&page, 0, &value), "not what is on no counter");
	ok(!pmudev_page_counts(&page, &value, 1, &(struct pmudev_times){ 0 }),
	   "no times while nothing counts");
}

static void test_races(void)
{
	uint64_t value, values[3];

	fresh_page();
	set_slot(0, 0, 0, 64);
	counters[0] = 77;
	interrupt = rewrite;
	rewrites = 1;
	expect(0, 1001, "the page was rewritten: read again, on the new counter");
	rewrites = 100;
	expect(0, 1001, "also a hundred times");
	interrupt = steal;
	ok(!pmudev_page_count(&page, 0, &value), "the page was taken away meanwhile");
	fresh_page();
	set_slot(0, 0, 0, 64);
	interrupt = steal;
	ok(!pmudev_page_counts(&page, &value, 1, NULL), "also from one who reads several");

	fresh_page();
	set_slot(0, 0, 0, 64);
	set_slot(2, 5, 2, 64);
	counters[2] = 9;
	interrupt = rewrite;
	rewrites = 1;
	values[1] = 1;
	ok(pmudev_page_counts(&page, values, 3, NULL), "several of one moment");
	is_number(values[0], 1001, "  the first was read again");
	is_number(values[1], 0, "  an empty slot gives 0");
	is_number(values[2], 9, "  the last");
}

static void test_times(void)
{
	struct pmudev_times times;
	uint64_t value;

	fresh_page();
	set_slot(0, 0, 0, 64);
	ok(!pmudev_page_counts(&page, &value, 1, &times), "no times in the page, none read");
	page.flags = PMUDEV_PAGE_TIMES;
	page.time_mult = 16 << 24;
	page.time_shift = 24;
	page.clock = -1000;
	page.time_enabled = 600;
	page.time_running = 500;
	clock_now = 1400;
	ok(pmudev_page_counts(&page, &value, 1, &times), "times are read");
	is_number(times.enabled, 16 * 1000, "  ticks become ns");
	is_number(times.running, 16 * 900, "  both of them");
	page.time_mult = 4294967291U;
	page.time_shift = 32;
	page.time_enabled = 0x123456789abcdULL;
	clock_now = 1000;
	pmudev_page_counts(&page, &value, 1, &times);
	/* 0x123456789abcd * 4294967291 >> 32, in 128 bits */
	is_number(times.enabled, 320255973129073ULL, "large ticks do not overflow");
}

static void *other_thread(void *arg)
{
	struct pmudev *set = arg;
	uint64_t value;

	return (void *)(uintptr_t)pmudev_try_count(set, 0, &value);
}

static void test_threads(void)
{
	struct pmudev set = { .fd = -1, .page = &page };
	pthread_t thread;
	void *result;
	uint64_t value;
	int status;

	fresh_page();
	set_slot(0, 0, 0, 64);
	pthread_create(&thread, NULL, other_thread, &set);
	pthread_join(thread, &result);
	ok(!result, "another thread does not read it");
	is_number(-pmudev_read_count(&set, PMUDEV_MAX_EVENTS, &value), EBADF, "no such slot in it");
	is_number(-pmudev_read_count(&set, ~0U, &value), EBADF, "  nor far behind it");
	pmudev_cached_tid = PMUDEV_NO_TID;
	ok(!pmudev_page_count(&page, 0, &value), "nor does the owner before it knows its id");
	ok(!pmudev_read_count(&set, 0, &value), "which it learns on its first read");
	is_number(pmudev_cached_tid, page.owner, "  and remembers");
	fflush(stdout);
	if (!fork())
		_exit(pmudev_cached_tid != PMUDEV_NO_TID);
	wait(&status);
	is_number(status, 0, "a fork's child forgets its parent's id");
}

int main(void)
{
	test_arithmetic();
	test_widths();
	test_refusals();
	test_races();
	test_times();
	test_threads();
	return tap_end();
}
