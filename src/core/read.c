// SPDX-License-Identifier: GPL-2.0
/* read(2): one record, one moment. */
#include <linux/cpumask.h>
#include <linux/slab.h>
#include <linux/timekeeping.h>
#include <linux/uaccess.h>

#include "core.h"

/* A record of this many counts is put together on the stack. */
#define SMALL_RECORD 8

/* Many times are the same: the last one, in both units. */
struct converted {
	const struct pmudev_pmu *pmu;
	u64 ticks;
	u64 ns;
};

/* A time in ns, of one that is a total or, while it advances, relative to a clock. */
static u64 total(struct converted *last, u64 time, bool advances, u64 clock)
{
	u64 ticks = advances ? time + clock : time;

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

static void fill_record(struct pmudev_ctx *ctx, struct pmudev_set *set,
			struct pmudev_record *record)
{
	struct pmudev_clocks now = pmudev_ctx_clocks(ctx);
	struct converted last = { .pmu = set->pmu };
	u64 rest;
	unsigned int slot;

	record->time = ktime_get_mono_fast_ns();
	record->flags = record_flags(ctx, set);
	record->generation = set->generation;
	record->present = set->used;
	record->multiplexed = set->mux;
	record->time_enabled = total(&last, set->time_enabled, set->enabled, now.enabled);
	record->time_running = total(&last, set->time_running,
				     set->enabled && set->on == set->enabled, now.running);
	pmudev_for_each_slot(slot, rest, set->used) {
		struct pmudev_event *event = pmudev_slot_event(set, slot);
		struct pmudev_count *count = &record->counts[slot];
		u64 bit = BIT_ULL(slot);

		count->value = event->hw.value;
		count->tag = event->tag;
		count->time_enabled =
			total(&last, event->time_enabled, set->enabled & bit, now.enabled);
		count->time_running = total(&last, event->time_running, set->on & bit, now.running);
	}
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
	record->time_enabled += total(&last, sum->set_enabled, false, 0);
	record->time_running += total(&last, sum->set_running, false, 0);
	pmudev_for_each_slot(slot, rest, set->used) {
		struct pmudev_count *count = &record->counts[slot];

		count->value += sum->value[slot];
		count->time_enabled += total(&last, sum->enabled[slot], false, 0);
		count->time_running += total(&last, sum->running[slot], false, 0);
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

static int read_record(struct pmudev_set *set, struct pmudev_record *record, size_t room,
		       size_t size, struct pmudev_refusal *why)
{
	struct pmudev_change reading PMUDEV_UNSET;
	size_t need;

	lockdep_assert_held(&set->mutex);
	if (!set->ctx)
		return pmudev_refuse(why, -EINVAL, PMUDEV_WHY_UNBOUND, 0);
	need = struct_size(record, counts, set->nr_slots);
	if (size < need)
		return pmudev_refuse(why, -ENOSPC, PMUDEV_WHY_BUFFER, need);
	/* Slots may have come since the caller looked: have it look again. */
	if (room < need)
		return -EAGAIN;
	reading.data = record;
	if (set->family) {
		reading.reading = true;
		reading.reset = 0;
		reading.forget = 0;
		reading.error = 0;
		reading.total = kmalloc(sizeof(*reading.total), GFP_KERNEL);
		if (!reading.total)
			return pmudev_refuse(why, -ENOMEM, PMUDEV_WHY_MEMORY, 0);
	}
	begin_record(set, record, need);
	pmudev_family_call(set, read_part, &reading);
	if (set->family) {
		add_heirs(set, record, reading.total);
		kfree(reading.total);
	}
	return need;
}

ssize_t pmudev_set_read(struct pmudev_set *set, char __user *buf, size_t size,
			struct pmudev_refusal *why)
{
	struct {
		struct pmudev_record record;
		struct pmudev_count counts[SMALL_RECORD];
	} small PMUDEV_UNSET;
	size_t room = sizeof(small);
	struct pmudev_record *record = &small.record;
	ssize_t ret;

	BUILD_BUG_ON(offsetof(typeof(small), counts) != sizeof(struct pmudev_record));
	pmudev_lock(&set->mutex);
	ret = read_record(set, record, room, size, why);
	mutex_unlock(&set->mutex);
	if (ret == -EAGAIN) {
		room = struct_size(record, counts, PMUDEV_MAX_EVENTS);
		record = kmalloc(room, GFP_KERNEL);
		if (!record)
			return pmudev_refuse(why, -ENOMEM, PMUDEV_WHY_MEMORY, 0);
		pmudev_lock(&set->mutex);
		ret = read_record(set, record, room, size, why);
		mutex_unlock(&set->mutex);
	}
	/* The copy may fault, and a fault may end up in mmap: no lock is held. */
	if (ret > 0 && copy_to_user(buf, record, ret))
		ret = pmudev_refuse(why, -EFAULT, PMUDEV_WHY_POINTER, 0);
	if (record != &small.record)
		kfree(record);
	return ret;
}
