// SPDX-License-Identifier: MIT
/* Readers, which keep what they found in the page, and bare reads of DIRECT events. */
#include "fake.h"

#include <pthread.h>
#include <sys/mman.h>

static struct pmudev reader_set = { .fd = -1, .page = &page };

/* A reader of @n events in slots with 64-bit counters, the i-th on counter i with count 100 * i. */
static void fresh_reader(struct pmudev_reader *reader, unsigned int n)
{
	unsigned int i;

	fresh_page();
	page.clock = 5;
	for (i = 0; i < n; i++) {
		set_slot(i, 100 * i, i, 64);
		counters[i] = 100 * i;
	}
	pmudev_reader_init(reader, &reader_set, NULL, n);
}

static void expect_read(struct pmudev_reader *reader, uint64_t wanted, const char *what)
{
	uint64_t value;

	if (pmudev_reader_count(reader, &value))
		ok(false, what);
	else
		is_number(value, wanted, what);
}

static int counter_reads;

static void count_reads(void)
{
	counter_reads++;
}

static void rewrite_second(void)
{
	counter_reads++;
	if (counter_reads == 2)
		rewrite();
}

static void test_reader(void)
{
	struct pmudev_reader reader;
	uint64_t values[4] = { 0 };

	fresh_reader(&reader, 1);
	counters[0] = 7;
	expect_read(&reader, 7, "a reader learns and reads");
	is_number(reader.learnt, pmudev_head(&page), "  and keeps what it learnt");
	counters[0] = 8;
	expect_read(&reader, 8, "  and reads again");
	/* What stands in the page without a new head is not looked at. */
	page.slots[0].operand = 9;
	counters[9] = 1;
	expect_read(&reader, 8, "  without another look at the slots");
	page.seq += 2;
	expect_read(&reader, 1, "  until the head says that they have changed");
	page.slots[0].operand = 0;
	page.clock--;
	expect_read(&reader, 8, "  or the clock does, when the sequence number has gone round");
	page.seq += 2;
	reader.learning = true;
	is_number(-pmudev_reader_count(&reader, values), EBADF,
		  "while it learns, a signal handler asks the module");
	reader.learning = false;
	expect_read(&reader, 8, "  afterwards it is read directly");

	fresh_reader(&reader, 4);
	interrupt = count_reads;
	counter_reads = 0;
	ok(!pmudev_reader_counts(&reader, values, 4), "four events");
	is_number(values[3], 300, "  the last of them");
	is_number(counter_reads, 4, "  each counter read once");
	interrupt = rewrite_second;
	counter_reads = 0;
	rewrites = 1;
	ok(!pmudev_reader_counts(&reader, values, 4), "the page is written in the midst of it");
	is_number(values[0], 1001, "  the first is read again, where it is now");
	is_number(values[3], 300, "  the last");
	is_number(counter_reads, 8, "  all of them were read again");
	interrupt = NULL;
}

static void test_reader_widths(void)
{
	struct pmudev_reader reader;
	uint64_t values[3] = { 0 };

	fresh_reader(&reader, 3);
	set_slot(0, 0x123fffffff0, 0, 32);
	set_slot(2, (5ULL << 48) - 1, 2, 48);
	counters[0] = 5;
	counters[1] = ~0ULL;
	counters[2] = 1;
	ok(!pmudev_reader_counts(&reader, values, 3), "counters of three widths in one read");
	is_number(values[0], 0x12400000005, "  32 bits, gone round");
	is_number(values[1], ~0ULL, "  64 bits, about to");
	is_number(values[2], (5ULL << 48) + 1, "  48 bits, gone round");
	ok(!pmudev_reader_counts(&reader, values, 3), "  and once more");
	is_number(values[0], 0x12400000005, "  by what was learnt");
}

/* The upper half of the chained counters carries after it was read the first time. */
static void carry(void)
{
	if (++counter_reads != 2)
		return;
	counters[5] = 0x12;
	counters[4] = 3;
}

static void test_chained(void)
{
	struct pmudev_reader reader;
	uint64_t value = 0, values[2] = { 0 };

	fresh_reader(&reader, 2);
	set_slot(1, 0x1100000000, 4, 64);
	page.slots[1].flags |= PMUDEV_SLOT_CHAIN;
	counters[0] = 1;
	counters[5] = 0x11;
	counters[4] = 0xffffffff;
	ok(!pmudev_reader_counts(&reader, values, 2), "a chained event by a reader");
	is_number(values[1], 0x11ffffffff, "  both halves");
	is_number(values[0], 1, "  and what stands beside it");
	is_number(reader.learnt, PMUDEV_NOT_LEARNT, "  not by the inline read");
	interrupt = carry;
	counter_reads = 0;
	/* The other event is the first to be read. */
	counter_reads--;
	ok(!pmudev_reader_counts(&reader, values, 2), "it carries between the halves");
	is_number(values[1], 0x1200000003, "  and is read again");
	counters[5] = 0x11;
	counters[4] = 0xffffffff;
	counter_reads = 0;
	ok(pmudev_page_count(&page, 1, &value), "the same without a reader");
	is_number(value, 0x1200000003, "  is read again");
	interrupt = NULL;
	ok(pmudev_page_counts(&page, values, 2, NULL), "and among several");
	is_number(values[1], 0x1200000003, "  both halves");
}

static void test_reader_times(void)
{
	struct pmudev_reader reader;
	struct pmudev_ticks ticks = { 0 };
	struct pmudev_times times = { 0 };
	uint64_t value;

	fresh_reader(&reader, 1);
	page.flags = PMUDEV_PAGE_TIMES;
	page.time_mult = 4294967291U;
	page.time_shift = 31;
	page.clock = -1000;
	page.time_enabled = 0x123456789abcdULL;
	page.time_running = 500;
	pmudev_reader_init(&reader, &reader_set, NULL, 1);
	clock_now = 1400;
	ok(!pmudev_reader_counts_ticks(&reader, &value, 1, &ticks), "a reader's ticks");
	is_number(ticks.running, 900, "  running");
	is_number(ticks.enabled, 0x123456789abcdULL + 400, "  enabled");
	ok(pmudev_page_counts(&page, &value, 1, &times), "the page's times");
	is_number(pmudev_reader_ns(&reader, ticks.enabled), times.enabled, "  are its ticks in ns");
	is_number(pmudev_reader_ns(&reader, ticks.running), times.running, "  both of them");
	/* What a record has in ns comes back as the ticks it was made of. */
	is_number(pmudev_muldiv(times.running, 1ULL << 32, reader.mult), ticks.running,
		  "  and back");
	page.flags = 0;
	page.seq += 2;
	ok(pmudev_reader_counts_ticks(&reader, &value, 1, &ticks) == -EBADF,
	   "no times in the page: the module is asked");
}

static void *read_other(void *arg)
{
	uint64_t value;

	return (void *)(uintptr_t)(pmudev_reader_count(arg, &value) == -EBADF);
}

/* There is no file: what is asked of the module is EBADF. */
static void test_reader_refusals(void)
{
	struct pmudev nowhere = { .fd = -1 };
	struct pmudev_reader reader, of_none;
	uint32_t slots[2] = { 3, 64 };
	uint64_t value, values[3] = { 0 };
	pthread_t thread;
	void *result;

	fresh_reader(&reader, 2);
	ok(pmudev_reader_init(&reader, &reader_set, NULL, 0) == -EINVAL, "a reader of nothing");
	ok(pmudev_reader_init(&reader, &reader_set, NULL, PMUDEV_READER_EVENTS + 1) == -EINVAL,
	   "  of too much");
	ok(pmudev_reader_init(&reader, &reader_set, slots, 2) == -EINVAL, "  of no slot");
	pmudev_reader_init(&of_none, &nowhere, NULL, 1);
	ok(pmudev_reader_count(&of_none, &value) == -EBADF, "of a set that is not mapped");

	fresh_reader(&reader, 1);
	ok(!pmudev_reader_count(&reader, &value), "it can be read");
	page.owner = 0;
	ok(pmudev_reader_count(&reader, &value) == -EBADF, "  not while the owner does not run");
	page.owner = pmudev_cached_tid;
	ok(!pmudev_reader_count(&reader, &value), "  but then again");
	page.owner = 0;
	pthread_create(&thread, NULL, read_other, &reader);
	pthread_join(thread, &result);
	ok(result, "  not by another thread");
	fresh_reader(&reader, 2);
	page.slots[1].index = 0;
	ok(pmudev_reader_counts(&reader, values, 2) == -EBADF, "  not while one is on no counter");
	memset(&page, 0, sizeof(page));
	ok(pmudev_reader_counts(&reader, values, 2) == -EBADF, "  not from a page of zeroes");
	ok(pmudev_reader_counts(&reader, values, 3) == -EINVAL, "  nor more than it was made for");
	fresh_reader(&reader, 1);
	interrupt = steal;
	ok(pmudev_reader_count(&reader, &value) == -EBADF, "  nor if it is taken away meanwhile");
	interrupt = NULL;
}

static uint64_t read_in_signal;
static struct pmudev_reader *reader_in_signal;

/* A signal handler that comes in the midst of a read, when the page was written. */
static void signal_handler(void)
{
	if (rewrites-- <= 0)
		return;
	page.seq += 2;
	set_slot(0, 1000, 5, 32);
	counters[5] = 999;
	pmudev_reader_count(reader_in_signal, &read_in_signal);
}

static void test_reader_signal(void)
{
	struct pmudev_reader reader;

	fresh_reader(&reader, 1);
	counters[0] = 1;
	expect_read(&reader, 1, "a signal handler reads in the midst of a read");
	reader_in_signal = &reader;
	rewrites = 1;
	interrupt = signal_handler;
	expect_read(&reader, 0x1000003e7,
		    "  and what it learnt does not mix with what was learnt before");
	is_number(read_in_signal, 0x1000003e7, "  it has the value itself");
	interrupt = NULL;
}

static void test_direct(void)
{
	struct pmudev_direct direct;
	uint64_t from;

	fresh_page();
	set_slot(0, 0, 3, 48);
	page.generation = 7;
	ok(!pmudev_direct_begin(&reader_set, 0, &direct), "not DIRECT: no bare reads");
	page.slots[0].flags |= PMUDEV_SLOT_DIRECT;
	ok(pmudev_direct_begin(&reader_set, 0, &direct), "DIRECT: a long measurement begins");
	is_number(direct.counter, 3, "  on a counter");
	counters[3] = 0xfffffffffff0;
	from = pmudev_direct_value(&direct);
	counters[3] = 5;
	is_number(pmudev_direct_since(&direct, from, PMUDEV_DIRECT_READ(3)), 21,
		  "  which may go round");
	ok(pmudev_direct_holds(&direct), "  and holds");
	page.seq += 2;
	ok(pmudev_direct_holds(&direct), "  also after a switch");
	page.generation++;
	ok(!pmudev_direct_holds(&direct), "  but not after a reset");
	page.slots[0].index = 0;
	ok(!pmudev_direct_begin(&reader_set, 0, &direct), "not while it is on no counter");
	set_slot(0, 0, 3, 48);
	page.slots[0].flags |= PMUDEV_SLOT_DIRECT;
	page.owner = 0;
	ok(!pmudev_direct_begin(&reader_set, 0, &direct), "nor in another thread");
}

/* Four events and both times are in 128 bytes: what comes after them cannot be touched here. */
static void test_two_lines(void)
{
	size_t size = sysconf(_SC_PAGESIZE);
	char *memory =
		mmap(NULL, 2 * size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	struct pmudev_page *edge = (struct pmudev_page *)(memory + size - 128);
	struct pmudev set = { .fd = -1, .page = edge };
	struct pmudev_reader reader;
	struct pmudev_ticks ticks = { 0 };
	struct pmudev_times times;
	uint64_t values[4] = { 0 };

	fresh_reader(&reader, 4);
	page.flags = PMUDEV_PAGE_TIMES;
	page.time_mult = 1;
	memcpy((void *)edge, &page, 128);
	mprotect(memory + size, size, PROT_NONE);
	pmudev_reader_init(&reader, &set, NULL, 4);
	ok(!pmudev_reader_counts_ticks(&reader, values, 4, &ticks),
	   "four events in two cache lines");
	is_number(values[3], 300, "  the last");
	ok(pmudev_page_counts(edge, values, 4, &times), "  also without a reader");
	is_number(values[3], 300, "  the last");
	munmap(memory, 2 * size);
}

int main(void)
{
	test_reader();
	test_reader_widths();
	test_chained();
	test_reader_times();
	test_reader_refusals();
	test_reader_signal();
	test_direct();
	test_two_lines();
	return tap_end();
}
