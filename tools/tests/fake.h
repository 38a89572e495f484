/* SPDX-License-Identifier: MIT */
/*
 * A page and counters made up, and the library's reads of them: its sources themselves, in place of
 * those of libpmudev.a, which read real counters. Included once by a test.
 */
#ifndef FAKE_H
#define FAKE_H

#define PMUDEV_FAKE_COUNTER
#include <stdint.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <linux/pmudev.h>

static uint64_t counters[64];
static uint64_t clock_now;

/* Of RDPMC: the operand of a fixed counter has bit 30 set. */
#define FIXED (1U << 30)

/* What happens while a counter is read: a switch, a change of the page. */
static void (*interrupt)(void);

static uint64_t pmudev_counter(uint32_t operand)
{
	uint64_t value;

	if (operand & FIXED)
		operand = PMUDEV_FIXED_BASE + (operand & ~FIXED);
	value = counters[operand];

	if (interrupt)
		interrupt();
	return value;
}

static uint64_t pmudev_clock(void)
{
	return clock_now;
}

static inline void pmudev_isb(void)
{
}

#include "../lib/read.c"
#include "../lib/reader.c"

#include "tap.h"

static struct pmudev_page page;

static inline void fresh_page(void)
{
	memset(&page, 0, sizeof(page));
	page.seq = 2;
	page.owner = syscall(SYS_gettid);
	pmudev_cached_tid = page.owner;
	interrupt = NULL;
}

static inline void set_slot(unsigned int i, uint64_t count, unsigned int operand,
			    unsigned int width)
{
	if (page.nr_slots <= i)
		page.nr_slots = i + 1;
	page.slots[i] = (struct pmudev_slot){
		.count = count,
		.operand = operand,
		.index = operand + 1,
		.shift = 64 - width,
		.flags = PMUDEV_SLOT_USED,
	};
}

static int rewrites;

static inline void rewrite(void)
{
	if (rewrites-- <= 0)
		return;
	page.seq += 2;
	set_slot(0, 1000, 5, 64);
	counters[5] = 1001;
}

/* The owner may be taken away without a new sequence number. */
static inline void steal(void)
{
	page.owner = 0;
}

#endif /* FAKE_H */
