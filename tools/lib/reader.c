// SPDX-License-Identifier: MIT
/*
 * Readers: caching the page, and the slow path of the inline read.
 */
#include <errno.h>
#include <string.h>

#include "lib.h"

/* The page of a reader whose set has none. Its head matches no thread. */
static const struct pmudev_page no_page;

static void forget(struct pmudev_reader *reader)
{
	reader->learnt = PMUDEV_NOT_LEARNT;
	reader->learnt_times = PMUDEV_NOT_LEARNT;
	reader->learnt_chained = PMUDEV_NOT_LEARNT;
	__atomic_signal_fence(__ATOMIC_ACQ_REL);
}

int pmudev_reader_init(struct pmudev_reader *reader, struct pmudev *set, const uint32_t *slots,
		       unsigned int nr)
{
	unsigned int i;

	if (!set)
		return -EFAULT;
	if (!reader)
		return pmudev_fail(set, -EFAULT, PMUDEV_WHY_POINTER);
	if (!nr || nr > PMUDEV_READER_EVENTS)
		return pmudev_fail(set, -EINVAL, PMUDEV_WHY_NUMBER);
	memset(reader, 0, sizeof(*reader));
	for (i = 0; i < nr; i++) {
		if (slots && slots[i] >= PMUDEV_MAX_EVENTS)
			return pmudev_fail(set, -EINVAL, PMUDEV_WHY_SLOT);
		reader->slot[i] = slots ? slots[i] : i;
	}
	reader->nr = nr;
	reader->set = set;
	reader->page = set->page ? set->page : &no_page;
	reader->mult = 1ULL << 32;
	/* Valid with and without times. The shift of the kernel's clocks is at most 32. */
	if (reader->page->time_mult)
		reader->mult = (uint64_t)reader->page->time_mult << (32 - reader->page->time_shift);
	forget(reader);
	return 0;
}

/* One pass over the slots; returns whether all can be read. */
static bool learn_slots(struct pmudev_reader *reader)
{
	uint64_t narrow = 0;
	unsigned int i;

	reader->chained = 0;
	for (i = 0; i < reader->nr; i++) {
		struct pmudev_slot slot = reader->page->slots[reader->slot[i]];

		if (!(slot.flags & PMUDEV_SLOT_USED) || !slot.index)
			return false;
		reader->operand[i] = slot.operand;
		reader->event[i].from = slot.count;
		reader->event[i].mask = ~0ULL >> slot.shift;
		reader->event[i].to = slot.count;
		if (slot.flags & PMUDEV_SLOT_CHAIN)
			reader->chained |= 1U << i;
		if (slot.shift)
			narrow = PMUDEV_READER_NARROW;
	}
	reader->operand[0] |= narrow;
	return true;
}

/* Returns whether the page is the calling thread's, and its head. */
static bool owned(const struct pmudev_page *page, uint64_t *head)
{
	*head = pmudev_head(page);
	if (*head >> 32 == pmudev_cached_tid)
		return true;
	if (!pmudev_learnt_owner(page))
		return false;
	*head = pmudev_head(page);
	return *head >> 32 == pmudev_cached_tid;
}

/*
 * Writes the fields, the heads last: they are those from before, so if the page has changed since,
 * they do not match.
 */
static bool learn_page(struct pmudev_reader *reader)
{
	const struct pmudev_page *page = reader->page;
	uint64_t head;
	bool times;

	forget(reader);
	do {
		if (!owned(page, &head))
			return false;
		__atomic_signal_fence(__ATOMIC_ACQUIRE);
		if (!learn_slots(reader))
			return false;
		reader->clock = page->clock;
		reader->enabled = page->time_enabled + page->clock;
		reader->running = page->time_running + page->clock;
		times = page->flags & PMUDEV_PAGE_TIMES;
		__atomic_signal_fence(__ATOMIC_ACQ_REL);
	} while (pmudev_head(page) != head);
	reader->learnt_chained = head;
	if (!reader->chained) {
		reader->learnt = head;
		if (times)
			reader->learnt_times = head;
	}
	return true;
}

/*
 * Caches the page. Fails if it is not the calling thread's or an event is not on a counter. Fails
 * in a signal handler, too, that interrupted this: it would leave fields that the interrupted code
 * then writes, and a second handler would read them half written. If a handler leaves by
 * siglongjmp(), reads stay right, and slow.
 */
static bool learn(struct pmudev_reader *reader)
{
	bool learnt;

	if (reader->learning)
		return false;
	reader->learning = true;
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
	learnt = learn_page(reader);
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
	reader->learning = false;
	return learnt;
}

/* Reads by the cached page if it is still valid: the inline read for all kinds of counters. */
static bool read_learnt(struct pmudev_reader *reader, uint64_t *values, unsigned int n,
			struct pmudev_ticks *ticks)
{
	const struct pmudev_page *page = reader->page;
	uint64_t head, raw, now;
	unsigned int i;

	head = pmudev_head(page);
	if (head != reader->learnt_chained || page->clock != reader->clock)
		return false;
	__atomic_signal_fence(__ATOMIC_ACQUIRE);
	for (i = 0; i < n; i++) {
		uint32_t operand = (uint32_t)reader->operand[i];

		raw = reader->chained >> i & 1 ? pmudev_counter_chained(operand) :
						 pmudev_counter(operand);
		values[i] = pmudev_reader_join(reader, i, raw);
	}
	if (ticks) {
		/* They come and go as groups rotate. */
		if (!(page->flags & PMUDEV_PAGE_TIMES))
			return false;
		now = pmudev_clock();
		ticks->enabled = reader->enabled + now;
		ticks->running = reader->running + now;
	}
	__atomic_signal_fence(__ATOMIC_ACQ_REL);
	return pmudev_head(page) == head;
}

static int read_call(struct pmudev_reader *reader, uint64_t *values, unsigned int n,
		     struct pmudev_ticks *ticks)
{
	union pmudev_record_buffer buffer;
	struct pmudev_record *record = &buffer.record;
	unsigned int i;
	int error;

	error = pmudev_read(reader->set, record, sizeof(buffer));
	if (error)
		return error;
	for (i = 0; i < n; i++) {
		unsigned int slot = reader->slot[i];

		if (slot >= record->nr || !(record->present >> slot & 1))
			return pmudev_fail(reader->set, -EINVAL, PMUDEV_WHY_SLOT);
		values[i] = record->counts[slot].value;
	}
	if (ticks) {
		ticks->enabled = pmudev_muldiv(record->time_enabled, 1ULL << 32, reader->mult);
		ticks->running = pmudev_muldiv(record->time_running, 1ULL << 32, reader->mult);
	}
	return 0;
}

/* Without times in the page its clock is not asked. */
static bool page_tells(const struct pmudev_reader *reader, const struct pmudev_ticks *ticks)
{
	return PMUDEV_CAN_READ &&
	       (!ticks ||
		__atomic_load_n(&reader->page->flags, __ATOMIC_RELAXED) & PMUDEV_PAGE_TIMES);
}

int pmudev_reader_slow(struct pmudev_reader *reader, uint64_t *values, unsigned int n,
		       struct pmudev_ticks *ticks)
{
	if (n > reader->nr)
		return pmudev_fail(reader->set, -EINVAL, PMUDEV_WHY_NUMBER);
	if (page_tells(reader, ticks) && read_learnt(reader, values, n, ticks))
		return 0;
	while (page_tells(reader, ticks) && learn(reader)) {
		if (read_learnt(reader, values, n, ticks))
			return 0;
	}
	return read_call(reader, values, n, ticks);
}

/* ---------------------------------------------------------------- DIRECT events -- */

bool pmudev_direct_begin(struct pmudev *set, unsigned int slot, struct pmudev_direct *direct)
{
	const struct pmudev_page *page = set ? set->page : NULL;
	struct pmudev_slot s;
	uint64_t head;

	if (!PMUDEV_CAN_READ || !page || !direct || slot >= PMUDEV_MAX_EVENTS)
		return false;
	do {
		if (!owned(page, &head))
			return false;
		__atomic_signal_fence(__ATOMIC_ACQUIRE);
		s = page->slots[slot];
		direct->generation = page->generation;
		__atomic_signal_fence(__ATOMIC_ACQ_REL);
	} while (pmudev_head(page) != head);
	if (!(s.flags & PMUDEV_SLOT_DIRECT) || !s.index)
		return false;
	direct->page = page;
	direct->owner = head >> 32;
	direct->operand = s.operand;
	direct->counter = s.index - 1;
	direct->shift = s.shift;
	direct->reserved = 0;
	return true;
}
