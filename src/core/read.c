// SPDX-License-Identifier: GPL-2.0
/* read(2): one record, one moment. */
#include <linux/cpumask.h>
#include <linux/fs.h>
#include <linux/slab.h>
#include <linux/timekeeping.h>
#include <linux/uaccess.h>

#include "core.h"
#include "put.h"

/* A record of this many counts is put together on the stack. */
#define SMALL_RECORD 8

/* Most times of a record are the same: the last one, in both units. */
struct converted {
	const struct pmudev_pmu *pmu;
	u64 ticks;
	u64 ns;
};

static __always_inline u64 to_ns(struct converted *last, u64 ticks)
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
	if (((set->active ^ set->enabled) & ~set->mux) ||
	    (set->enabled & set->mux & set->user && !pmudev_user_access_enabled()))
		flags |= PMUDEV_RECORD_NO_USER_ACCESS;
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

static noinline void find_alike(struct pmudev_set *set)
{
	const u64 used = set->used;
	unsigned int slot;
	u64 rest;

	set->alike = PMUDEV_ALIKE_NOT;
	if (!used || (used & (used + 1)) || set->active != used || set->enabled != used)
		return;
	/* While they advance, all are relative to the same clocks. */
	pmudev_for_each_slot(slot, rest, used) {
		const struct pmudev_event *event = pmudev_slot_event(set, slot);

		if (event->time_enabled != set->time_enabled ||
		    event->time_running != set->time_running)
			return;
	}
	set->alike = PMUDEV_ALIKE;
}

/*
 * As most often: a target that is there, all slots up to the last on counters, as long as the set
 * is. What may change that without @alike being made unknown is asked here: where a CPU's context
 * is loaded, the CPU is online.
 */
static __always_inline bool is_alike(const struct pmudev_ctx *ctx, struct pmudev_set *set)
{
	if (unlikely(set->alike == PMUDEV_ALIKE_UNKNOWN))
		find_alike(set);
	return set->alike == PMUDEV_ALIKE && !ctx->dead && (ctx->cpu >= 0 || set->cpu < 0);
}

/* What a record of such a set has beside its counts. */
static __always_inline struct pmudev_moment moment(const struct pmudev_ctx *ctx,
						   const struct pmudev_set *set)
{
	const struct pmudev_pmu *pmu = set->pmu;
	struct pmudev_clocks now = pmudev_ctx_clocks(ctx);
	const u64 enabled = set->time_enabled + now.enabled;
	const u64 running = set->time_running + now.running;
	struct pmudev_moment at = {
		.time = ktime_get_ns(),
		.enabled = pmudev_ticks_to_ns(enabled, pmu->mult, pmu->shift),
	};

	at.running = at.enabled;
	if (unlikely(running != enabled))
		at.running = pmudev_ticks_to_ns(running, pmu->mult, pmu->shift);
	return at;
}

static __always_inline void fill_alike(const struct pmudev_set *set, struct pmudev_record *record,
				       size_t size, struct pmudev_moment at)
{
	struct pmudev_count *count = record->counts, *end = count + set->nr_slots;
	struct pmudev_event *const *chunk = set->chunk;

	record->size = size;
	record->nr = set->nr_slots;
	record->flags = PMUDEV_RECORD_ENABLED;
	record->generation = set->generation;
	record->time = at.time;
	record->time_enabled = at.enabled;
	record->time_running = at.running;
	record->present = set->used;
	record->multiplexed = set->mux;
	record->reserved = 0;
	for (; count < end; chunk++) {
		const struct pmudev_event *event = *chunk, *behind = event + PMUDEV_CHUNK;

		for (; event < behind && count < end; event++, count++) {
			count->value = event->hw.value;
			count->time_enabled = at.enabled;
			count->time_running = at.running;
			count->tag = event->tag;
		}
	}
}

/* @ticks, @ns: the set's running time, which most events have as well. */
static noinline void fill_counts(struct pmudev_set *set, struct pmudev_record *record,
				 struct pmudev_clocks now, u64 ticks, u64 ns)
{
	struct converted last = { .pmu = set->pmu, .ticks = ticks, .ns = ns };
	const u64 enabled = set->enabled, on = set->active;
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
			convert(&last, count, time_enabled, time_running);
	}
}

static noinline void fill_record(struct pmudev_ctx *ctx, struct pmudev_set *set,
				 struct pmudev_record *record)
{
	struct pmudev_clocks now = pmudev_ctx_clocks(ctx);
	struct converted last = { .pmu = set->pmu };
	const u64 enabled = set->enabled;

	record->time = ktime_get_ns();
	record->flags = record_flags(ctx, set);
	record->generation = set->generation;
	record->present = set->used;
	record->multiplexed = set->mux;
	/* Relative to a clock while they advance. */
	record->time_enabled = to_ns(&last, set->time_enabled + (enabled ? now.enabled : 0));
	record->time_running = to_ns(
		&last, set->time_running + (enabled && set->active == enabled ? now.running : 0));
	fill_counts(set, record, now, last.ticks, last.ns);
}

/**
 * struct reading - a record that is being made
 * @set: whose
 * @record: where
 * @room: bytes there
 * @user: where it is to be in the end; NULL: that is the caller's
 * @user_room: bytes there; 0: it is not to be put there at once
 * @need: out: how many it takes; more than @room, and not @put: nothing was done
 * @put: out: it is there, at @user
 */
struct reading {
	struct pmudev_set *set;
	struct pmudev_record *record;
	size_t room;
	struct pmudev_record __user *user;
	size_t user_room;
	size_t need;
	bool put;
};

/* What is in the record beside the times and counts. */
static void begin_record(const struct pmudev_set *set, struct pmudev_record *record, size_t size)
{
	u64 rest, below = set->nr_slots ? ~0ULL >> (64 - set->nr_slots) : 0;
	unsigned int slot;

	record->size = size;
	record->nr = set->nr_slots;
	record->reserved = 0;
	pmudev_for_each_slot(slot, rest, below & ~set->used)
		record->counts[slot] = (struct pmudev_count){};
}

/* The set's own record, or that of the family's root. ctx->lock held: it is of one moment. */
static __always_inline void read_own(struct pmudev_ctx *ctx, struct pmudev_set *set,
				     struct reading *reading)
{
	struct pmudev_record *record = reading->record;
	const size_t need = struct_size(record, counts, set->nr_slots);
	bool alike = is_alike(ctx, set);

	reading->need = need;
	if (need <= reading->room || (PMUDEV_PUTS_AT_ONCE && need <= reading->user_room))
		pmudev_set_update(ctx, set);
	if (PMUDEV_PUTS_AT_ONCE && likely(alike) && need <= reading->user_room) {
		reading->put = pmudev_put_alike(set, reading->user, need, moment(ctx, set));
		if (likely(reading->put))
			return;
	}
	if (need > reading->room)
		return;
	if (likely(alike)) {
		fill_alike(set, record, need, moment(ctx, set));
		return;
	}
	begin_record(set, record, need);
	fill_record(ctx, set, record);
}

/* pmudev_ctx_fn: of a set without children. Inlined where its context is: as most often. */
static __always_inline void read_alone(struct pmudev_ctx *ctx, void *arg)
{
	struct reading *reading = arg;

	read_own(ctx, reading->set, reading);
}

/* pmudev_ctx_fn: the root's record, or an child's part of the sum. */
static void read_part(struct pmudev_ctx *ctx, void *arg)
{
	struct pmudev_change *change = arg;
	struct pmudev_set *set = change->set;
	struct reading *reading = change->data;

	if (set == set->parent) {
		read_own(ctx, set, reading);
		return;
	}
	pmudev_set_update(ctx, set);
	pmudev_sum_add_child(change->total, set);
	if (set->enabled | set->armed)
		reading->record->flags |= PMUDEV_RECORD_ENABLED;
	if (set->armed)
		reading->record->flags |= PMUDEV_RECORD_ARMED;
}

static void add_children(struct pmudev_set *set, struct pmudev_record *record,
			 const struct pmudev_sum *sum)
{
	struct converted last = { .pmu = set->pmu };
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

/* Its slots stay meanwhile. */
static noinline int read_inherited(struct reading *reading)
{
	struct pmudev_set *set = reading->set;
	struct pmudev_change change = { .data = reading, .reading = true };

	/* What the root has is not all of it. */
	reading->user_room = 0;
	change.total = kmalloc(sizeof(*change.total), GFP_KERNEL);
	if (!change.total)
		return -ENOMEM;
	pmudev_lock(&set->mutex);
	reading->need = struct_size(reading->record, counts, set->nr_slots);
	if (reading->need <= reading->room) {
		pmudev_for_each_child(set, read_part, &change);
		add_children(set, reading->record, change.total);
	}
	mutex_unlock(&set->mutex);
	kfree(change.total);
	return 0;
}

/* Other calls on the set are not waited for: what they change of it they change under ctx->lock. */
static __always_inline int read_record(struct reading *reading)
{
	struct pmudev_set *set = reading->set;
	struct pmudev_ctx *ctx = smp_load_acquire(&set->ctx); /* bound meanwhile, or not */

	if (!ctx)
		return -EINVAL;
	if (set->inherit)
		return read_inherited(reading);
	if (pmudev_ctx_call_here(ctx, read_alone, reading))
		return 0;
	/* Another CPU is in another address space: nothing is put there. */
	reading->user_room = 0;
	pmudev_ctx_call_away(ctx, read_alone, reading);
	return 0;
}

static noinline int refuse(struct pmudev_set *set, int error, enum pmudev_reason code, u64 limit)
{
	struct pmudev_refusal why PMUDEV_UNSET;

	pmudev_no_refusal(&why);
	pmudev_refuse(&why, error, code, limit);
	pmudev_save_refusal(set, &why, error);
	return error;
}

static noinline int refuse_read(struct pmudev_set *set, int error)
{
	return refuse(set, error, error == -ENOMEM ? PMUDEV_WHY_MEMORY : PMUDEV_WHY_UNBOUND, 0);
}

/* More than fits on the stack, or into what the caller has room for. */
static noinline ssize_t read_large(struct pmudev_set *set, char __user *buf, size_t size)
{
	struct reading reading = { .set = set };
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
	else if (pmudev_put_record(buf, reading.record, reading.need))
		ret = refuse(set, -EFAULT, PMUDEV_WHY_POINTER, 0);
	else
		ret = reading.need;
	kfree(reading.record);
	return ret;
}

ssize_t pmudev_read(struct file *file, char __user *buf, size_t size, loff_t *pos)
{
	struct pmudev_set *set = file->private_data;
	struct {
		struct pmudev_record record;
		struct pmudev_count counts[SMALL_RECORD];
	} small PMUDEV_UNSET;
	struct reading reading = {
		.set = set,
		.record = &small.record,
		.room = min(size, sizeof(small)),
		.user = (struct pmudev_record __user *)buf,
		.user_room = size,
	};
	int ret;

	BUILD_BUG_ON(offsetof(typeof(small), counts) != sizeof(struct pmudev_record));
	ret = read_record(&reading);
	if (unlikely(ret))
		return refuse_read(set, ret);
	if (reading.put)
		return reading.need;
	if (unlikely(reading.need > reading.room))
		return read_large(set, buf, size);
	/* The copy may fault, and a fault may end up in mmap: no lock is held. */
	if (pmudev_put_record(buf, &small, reading.need))
		return refuse(set, -EFAULT, PMUDEV_WHY_POINTER, 0);
	return reading.need;
}
