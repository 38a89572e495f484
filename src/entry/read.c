// SPDX-License-Identifier: GPL-2.0
/* read(2): one record of one moment. */
#include <linux/cpumask.h>
#include <linux/slab.h>
#include <linux/timekeeping.h>
#include <linux/uaccess.h>

#include "../context/events.h"
#include "../context/user_access.h"
#include "../set/set.h"
#include "entry.h"
#include "reading.h"

/* A record of this many counts is put together on the stack. */
#define SMALL_RECORD 8

/**
 * struct converter - converts ticks to ns; most times of a record are the same
 * @pmu: whose clock
 * @ticks: the last time
 * @ns: the same in ns
 */
struct converter {
	const struct pmudev_pmu *pmu;
	u64 ticks;
	u64 ns;
};

static __always_inline u64 to_ns(struct converter *last, u64 ticks)
{
	if (ticks != last->ticks) {
		last->ticks = ticks;
		last->ns = pmudev_ticks_to_ns(ticks, last->pmu->mult, last->pmu->shift);
	}
	return last->ns;
}

/* ------------------------------------------------------------ the record -- */

static u32 record_flags(const struct pmudev_ctx *ctx, struct pmudev_set *set)
{
	u32 flags = 0;

	if (pmudev_set_ended(set))
		flags |= PMUDEV_RECORD_ENDED;
	else if (set->enabled | set->armed)
		flags |= PMUDEV_RECORD_ENABLED;
	/* Nothing of its own counts any more, or waits to. */
	if (ctx->dead)
		return flags;
	if (set->cpu >= 0 && !cpu_online(set->cpu))
		flags |= PMUDEV_RECORD_OFFLINE;
	if (((set->active ^ set->enabled) & ~set->mux) ||
	    (set->enabled & set->mux & set->user && !pmudev_user_access_enabled()))
		flags |= PMUDEV_RECORD_NO_USER_ACCESS;
	if (set->armed)
		flags |= PMUDEV_RECORD_ARMED;
	return flags;
}

/* The counts; @last: has converted the set's running time, which most events have as well. */
static void fill_counts(struct pmudev_set *set, struct pmudev_count *count,
			struct pmudev_clocks now, struct converter *last)
{
	const u64 enabled = set->enabled, active = set->active, used = set->used;
	const unsigned int nr = set->nr_slots;
	unsigned int slot;
	u64 bit = 1;

	for (slot = 0; slot < nr; slot++, count++, bit <<= 1) {
		const struct pmudev_event *event;
		u64 ran, counted;

		if (unlikely(!(used & bit))) {
			*count = (struct pmudev_count){};
			continue;
		}
		event = pmudev_slot_event(set, slot);
		ran = event->time_enabled + (enabled & bit ? now.enabled : 0);
		counted = event->time_running + (active & bit ? now.running : 0);
		*count = (struct pmudev_count){
			.value = pmudev_event_count(event),
			.time_enabled = to_ns(last, ran),
			.time_running = to_ns(last, counted),
			.tag = event->tag,
		};
	}
}

static void fill_record(struct pmudev_ctx *ctx, struct pmudev_set *set,
			struct pmudev_record *record, size_t size)
{
	struct pmudev_clocks now = pmudev_ctx_clocks(ctx);
	struct converter last = { .pmu = set->pmu };
	const u64 enabled = set->enabled;
	const bool all = enabled && set->active == enabled;

	record->size = size;
	record->nr = set->nr_slots;
	record->flags = record_flags(ctx, set);
	record->generation = set->generation;
	record->time = ktime_get_ns();
	/* Times are relative to a clock while they advance. */
	record->time_enabled = to_ns(&last, set->time_enabled + (enabled ? now.enabled : 0));
	record->time_running = to_ns(&last, set->time_running + (all ? now.running : 0));
	record->present = set->used;
	record->multiplexed = set->mux;
	record->reserved = 0;
	fill_counts(set, record->counts, now, &last);
}

/* The record of a set itself. pmudev_ctx_fn: under ctx->lock it is of one moment. */
static __always_inline void read_own(struct pmudev_ctx *ctx, void *arg)
{
	struct pmudev_reading *reading = arg;
	struct pmudev_set *set = reading->set;

	reading->need = struct_size(reading->record, counts, set->nr_slots);
	if (reading->need > reading->room)
		return;
	pmudev_set_update(ctx, set);
	fill_record(ctx, set, reading->record, reading->need);
}

void pmudev_reading_own(struct pmudev_ctx *ctx, void *arg)
{
	read_own(ctx, arg);
}

/* ----------------------------------------------------------- inheritance -- */

/* pmudev_set_fn: the parent's record, or a child's part of the sum. */
static void read_part(struct pmudev_ctx *ctx, struct pmudev_set *set, void *arg)
{
	struct pmudev_reading *reading = arg;

	if (!pmudev_set_is_child(set)) {
		read_own(ctx, reading);
		return;
	}
	pmudev_set_update(ctx, set);
	pmudev_sum_add_child(reading->total, pmudev_child_of(set));
	if (set->enabled | set->armed)
		reading->record->flags |= PMUDEV_RECORD_ENABLED;
	if (set->armed)
		reading->record->flags |= PMUDEV_RECORD_ARMED;
}

static void add_children(struct pmudev_set *set, struct pmudev_record *record,
			 const struct pmudev_sum *sum)
{
	struct converter last = { .pmu = set->pmu };
	unsigned int slot;
	u64 rest;

	if (READ_ONCE(set->inherit->incomplete))
		record->flags |= PMUDEV_RECORD_INCOMPLETE;
	record->time_enabled += to_ns(&last, sum->set_enabled);
	record->time_running += to_ns(&last, sum->set_running);
	pmudev_for_each_slot(slot, rest, set->used) {
		struct pmudev_count *count = &record->counts[slot];

		count->value += sum->value[slot];
		count->time_enabled += to_ns(&last, sum->enabled[slot]);
		count->time_running += to_ns(&last, sum->running[slot]);
	}
}

/*
 * A child that is made and ends during the walk may have no part in the sum: counts are final only
 * if all had ended before.
 */
static void take_back_ended(struct pmudev_record *record, const struct pmudev_set *set)
{
	if (!(record->flags & PMUDEV_RECORD_ENDED))
		return;
	record->flags &= ~PMUDEV_RECORD_ENDED;
	if (set->enabled | set->armed)
		record->flags |= PMUDEV_RECORD_ENABLED;
}

/* With the set's mutex held its slots stay. */
int pmudev_reading_inherited(struct pmudev_reading *reading)
{
	struct pmudev_set *set = reading->set;
	struct pmudev_walk walk = { .fn = read_part, .arg = reading, .reading = true };
	bool ended;

	walk.total = kmalloc(sizeof(*walk.total), GFP_KERNEL);
	if (!walk.total)
		return -ENOMEM;
	reading->total = walk.total;
	mutex_lock(&pmudev_open_set(set)->mutex);
	reading->need = struct_size(reading->record, counts, set->nr_slots);
	if (reading->need <= reading->room) {
		ended = pmudev_set_ended(set);
		pmudev_walk_children(set, &walk);
		if (!ended)
			take_back_ended(reading->record, set);
		add_children(set, reading->record, walk.total);
	}
	mutex_unlock(&pmudev_open_set(set)->mutex);
	kfree(walk.total);
	return 0;
}

/* --------------------------------------------------------------- the call -- */

/* It waits for no other call on the set: what these change of it they change under ctx->lock. */
static __always_inline int read_record(struct pmudev_reading *reading)
{
	struct pmudev_set *set = reading->set;
	struct pmudev_ctx *ctx = smp_load_acquire(&set->ctx); /* may just be bound, see bind.c */

	if (!ctx)
		return -EINVAL;
	if (set->inherit)
		return pmudev_reading_inherited(reading);
	pmudev_ctx_call(ctx, read_own, reading);
	return 0;
}

static noinline int refuse(struct pmudev_set *set, int error, enum pmudev_reason code, u64 limit)
{
	struct pmudev_refusal why = pmudev_no_refusal();

	pmudev_refuse(&why, error, code, limit);
	pmudev_save_refusal(set, &why, error);
	return error;
}

static noinline int refuse_read(struct pmudev_set *set, int error)
{
	return refuse(set, error, error == -ENOMEM ? PMUDEV_WHY_MEMORY : PMUDEV_WHY_UNBOUND, 0);
}

/*
 * It may fault, and a fault may end up in mmap: no lock is held. Word by word: copy_to_user() would
 * first search for the object that the record lies in.
 */
static __always_inline int copy_record(struct pmudev_record __user *to,
				       const struct pmudev_record *record)
{
	const struct pmudev_count *count = record->counts, *end = count + record->nr;
	struct pmudev_count __user *slot = to->counts;

	if (!user_access_begin(to, record->size))
		return -EFAULT;
	unsafe_put_user(record->size, &to->size, fault);
	unsafe_put_user(record->nr, &to->nr, fault);
	unsafe_put_user(record->flags, &to->flags, fault);
	unsafe_put_user(record->generation, &to->generation, fault);
	unsafe_put_user(record->time, &to->time, fault);
	unsafe_put_user(record->time_enabled, &to->time_enabled, fault);
	unsafe_put_user(record->time_running, &to->time_running, fault);
	unsafe_put_user(record->present, &to->present, fault);
	unsafe_put_user(record->multiplexed, &to->multiplexed, fault);
	unsafe_put_user(record->reserved, &to->reserved, fault);
	for (; count < end; count++, slot++) {
		unsafe_put_user(count->value, &slot->value, fault);
		unsafe_put_user(count->time_enabled, &slot->time_enabled, fault);
		unsafe_put_user(count->time_running, &slot->time_running, fault);
		unsafe_put_user(count->tag, &slot->tag, fault);
	}
	user_access_end();
	return 0;
fault:
	user_access_end();
	return -EFAULT;
}

int pmudev_reading_copy(struct pmudev_record __user *to, const struct pmudev_record *record)
{
	return copy_record(to, record);
}

/* More than fits on the stack, or into the caller's buffer. */
static noinline ssize_t read_large(struct pmudev_set *set, char __user *buf, size_t size)
{
	struct pmudev_reading reading = { .set = set };
	ssize_t ret;

	reading.room = min(size, struct_size(reading.record, counts, PMUDEV_MAX_EVENTS));
	reading.record = kmalloc(reading.room, GFP_KERNEL);
	if (!reading.record)
		return refuse(set, -ENOMEM, PMUDEV_WHY_MEMORY, 0);
	ret = read_record(&reading);
	if (ret)
		ret = refuse_read(set, ret);
	else if (reading.room < reading.need)
		ret = refuse(set, -ENOSPC, PMUDEV_WHY_BUFFER, reading.need);
	else if (copy_record((struct pmudev_record __user *)buf, reading.record))
		ret = refuse(set, -EFAULT, PMUDEV_WHY_POINTER, 0);
	else
		ret = reading.need;
	kfree(reading.record);
	return ret;
}

ssize_t pmudev_dev_read(struct file *file, char __user *buf, size_t size, loff_t *pos)
{
	struct pmudev_set *set = file->private_data;
	struct {
		struct pmudev_record record;
		struct pmudev_count counts[SMALL_RECORD];
	} small __uninitialized; /* read_record() writes what is copied */
	struct pmudev_reading reading = {
		.set = set,
		.record = &small.record,
		.room = min(size, sizeof(small)),
	};
	int ret;

	BUILD_BUG_ON(offsetof(typeof(small), counts) != sizeof(struct pmudev_record));
	ret = read_record(&reading);
	if (unlikely(ret))
		return refuse_read(set, ret);
	if (unlikely(reading.need > reading.room))
		return read_large(set, buf, size);
	if (unlikely(copy_record((struct pmudev_record __user *)buf, &small.record)))
		return refuse(set, -EFAULT, PMUDEV_WHY_POINTER, 0);
	return reading.need;
}
