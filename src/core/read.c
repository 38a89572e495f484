// SPDX-License-Identifier: GPL-2.0
/* read(2): one record, one moment. */
#include <linux/cpumask.h>
#include <linux/slab.h>
#include <linux/timekeeping.h>
#include <linux/uaccess.h>

#include "core.h"

/* A record of this many counts is put together on the stack. */
#define SMALL_RECORD 8

/* Most times of a record are the same: the last one, in both units. */
struct converted {
	const struct pmudev_pmu *pmu;
	u64 ticks;
	u64 ns;
};

static u64 to_ns(struct converted *last, u64 ticks)
{
	if (ticks != last->ticks) {
		last->ticks = ticks;
		last->ns = pmudev_ticks_to_ns(ticks, last->pmu->mult, last->pmu->shift);
	}
	return last->ns;
}

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
	if (((set->on ^ set->enabled) & ~set->mux) ||
	    (set->enabled & set->mux & set->user && !pmudev_gate_open()))
		flags |= PMUDEV_RECORD_GATED;
	if (set->armed)
		flags |= PMUDEV_RECORD_ARMED;
	return flags;
}

static noinline void convert(struct converted *last, struct pmudev_count *count, u64 time_enabled,
			     u64 time_running)
{
	count->time_enabled = to_ns(last, time_enabled);
	count->time_running = to_ns(last, time_running);
}

/* @last: that of the set, which most events have as well. */
static void fill_counts(struct pmudev_set *set, struct pmudev_record *record,
			struct pmudev_clocks now, struct converted *last)
{
	const u64 enabled = set->enabled, on = set->on, ticks = last->ticks, ns = last->ns;
	unsigned int slot;
	u64 rest;

	pmudev_for_each_slot(slot, rest, set->used) {
		const struct pmudev_event *event = pmudev_slot_event(set, slot);
		struct pmudev_count *count = &record->counts[slot];
		u64 time_enabled = event->time_enabled + (now.enabled & -(enabled >> slot & 1));
		u64 time_running = event->time_running + (now.running & -(on >> slot & 1));

		count->value = event->hw.value;
		count->tag = event->tag;
		count->time_enabled = ns;
		count->time_running = ns;
		if (unlikely((time_enabled ^ ticks) | (time_running ^ ticks)))
			convert(last, count, time_enabled, time_running);
	}
}

static void fill_record(struct pmudev_ctx *ctx, struct pmudev_set *set,
			struct pmudev_record *record)
{
	struct pmudev_clocks now = pmudev_ctx_clocks(ctx);
	struct converted last = { .pmu = set->pmu };
	const u64 enabled = set->enabled;

	record->time = ktime_get_mono_fast_ns();
	/* All of a task that lives counts, as most often. */
	if (likely(enabled && set->on == enabled && !(set->armed | ctx->dead) && set->cpu < 0))
		record->flags = PMUDEV_RECORD_ENABLED;
	else
		record->flags = record_flags(ctx, set);
	record->generation = set->generation;
	record->present = set->used;
	record->multiplexed = set->mux;
	/* Relative to a clock while they advance. */
	record->time_enabled = to_ns(&last, set->time_enabled + (enabled ? now.enabled : 0));
	record->time_running = to_ns(&last, set->time_running +
				     (enabled && set->on == enabled ? now.running : 0));
	fill_counts(set, record, now, &last);
}

/* pmudev_ctx_fn: the root's part of the record, or an heir's of the sum. */
static void read_part(struct pmudev_ctx *ctx, void *arg)
{
	struct pmudev_change *change = arg;
	struct pmudev_set *set = change->set;
	struct pmudev_record *record = change->data;

	pmudev_set_bring_forward(ctx, set);
	if (set == set->root) {
		fill_record(ctx, set, record);
		return;
	}
	pmudev_family_add(change->total, set);
	if (set->enabled | set->armed)
		record->flags |= PMUDEV_RECORD_ENABLED;
	if (set->armed)
		record->flags |= PMUDEV_RECORD_ARMED;
}

static void add_heirs(struct pmudev_set *set, struct pmudev_record *record,
		      const struct pmudev_sum *sum)
{
	struct converted last = { .pmu = set->pmu };
	unsigned int slot;
	u64 rest;

	if (READ_ONCE(set->family->incomplete))
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

/* What is in the record beside the times and counts. */
static void begin_record(struct pmudev_set *set, struct pmudev_record *record, size_t size)
{
	u64 rest, below = set->nr_slots ? ~0ULL >> (64 - set->nr_slots) : 0;
	unsigned int slot;

	record->size = size;
	record->nr = set->nr_slots;
	record->reserved = 0;
	pmudev_for_each_slot(slot, rest, below & ~set->used)
		record->counts[slot] = (struct pmudev_count){};
}

static noinline int refuse(struct pmudev_set *set, int error, enum pmudev_reason code,
			   u64 limit)
{
	struct pmudev_refusal why PMUDEV_UNSET;

	pmudev_no_refusal(&why);
	pmudev_refuse(&why, error, code, limit);
	pmudev_remember(set, &why, error);
	return error;
}

static noinline int read_family(struct pmudev_set *set, struct pmudev_record *record)
{
	struct pmudev_change reading = { .data = record, .reading = true };

	reading.total = kmalloc(sizeof(*reading.total), GFP_KERNEL);
	if (!reading.total)
		return refuse(set, -ENOMEM, PMUDEV_WHY_MEMORY, 0);
	pmudev_family_sweep(set, read_part, &reading);
	add_heirs(set, record, reading.total);
	kfree(reading.total);
	return record->size;
}

/* How much there is in the record now; -EAGAIN: it needs @need, and there is less room. */
static __always_inline int read_record(struct pmudev_set *set, struct pmudev_record *record,
				       size_t room, size_t size)
{
	struct pmudev_change reading PMUDEV_UNSET;
	size_t need;

	lockdep_assert_held(&set->mutex);
	if (!set->ctx)
		return refuse(set, -EINVAL, PMUDEV_WHY_UNBOUND, 0);
	need = struct_size(record, counts, set->nr_slots);
	if (size < need)
		return refuse(set, -ENOSPC, PMUDEV_WHY_BUFFER, need);
	/* Slots may have come since the caller looked: have it look again. */
	if (room < need)
		return -EAGAIN;
	begin_record(set, record, need);
	if (set->family)
		return read_family(set, record);
	reading.set = set;
	reading.data = record;
	pmudev_ctx_call(set->ctx, read_part, &reading);
	return need;
}

static noinline ssize_t read_large(struct pmudev_set *set, char __user *buf, size_t size)
{
	struct pmudev_record *record;
	const size_t room = struct_size(record, counts, PMUDEV_MAX_EVENTS);
	ssize_t ret;

	record = kmalloc(room, GFP_KERNEL);
	if (!record)
		return refuse(set, -ENOMEM, PMUDEV_WHY_MEMORY, 0);
	pmudev_lock(&set->mutex);
	ret = read_record(set, record, room, size);
	mutex_unlock(&set->mutex);
	if (ret > 0 && copy_to_user(buf, record, ret))
		ret = refuse(set, -EFAULT, PMUDEV_WHY_POINTER, 0);
	kfree(record);
	return ret;
}

/* copy_to_user(), but for the question whether there is so much of it: read_record() made it. */
static __always_inline int put_record(void __user *to, const void *from, size_t size)
{
	might_fault();
	if (!access_ok(to, size))
		return -EFAULT;
	instrument_copy_to_user(to, from, size);
	return raw_copy_to_user(to, from, size) ? -EFAULT : 0;
}

ssize_t pmudev_set_read(struct pmudev_set *set, char __user *buf, size_t size)
{
	struct {
		struct pmudev_record record;
		struct pmudev_count counts[SMALL_RECORD];
	} small PMUDEV_UNSET;
	ssize_t ret;

	BUILD_BUG_ON(offsetof(typeof(small), counts) != sizeof(struct pmudev_record));
	pmudev_lock(&set->mutex);
	ret = read_record(set, &small.record, sizeof(small), size);
	mutex_unlock(&set->mutex);
	if (unlikely(ret == -EAGAIN))
		return read_large(set, buf, size);
	/* The copy may fault, and a fault may end up in mmap: no lock is held. */
	if (ret > 0 && put_record(buf, &small, ret))
		ret = refuse(set, -EFAULT, PMUDEV_WHY_POINTER, 0);
	return ret;
}
