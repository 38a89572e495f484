/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Event sets as contexts see them: the masks that say which events are in what state, and the parts
 * that the other files of this layer own.
 *
 * A set belongs to one context and lends it its events while they are active. A set with a file is
 * a parent; for each thread that inherits it there is a child, a set without a file on that
 * thread's context, with the same events on the same counters. A parent's @parent is itself.
 *
 * A set lives as long as its file: descriptors, mappings and calls in progress. A child lives until
 * its thread exits or its parent is destroyed, whichever is first.
 */
#ifndef _PMUDEV_CONTEXT_SET_H
#define _PMUDEV_CONTEXT_SET_H

#include <linux/list.h>

#include <pmudev/attr.h>
#include <pmudev/code.h>
#include <pmudev/count.h>
#include <pmudev/page.h>

#include "event.h"
#include "pmu.h"

#define PMUDEV_CHUNK	4

struct pmudev_alloc;
struct pmudev_ctx;
struct pmudev_inherit;
struct pmudev_rotation;

/**
 * struct pmudev_set_rotation - the set's place in its rotation; under ctx->lock
 * @plan: what its multiplexed groups go through; NULL: none of them is enabled, or suspended
 * @pos: the slot of @plan that is applied
 * @node: in ctx->rotating while @plan is not NULL
 */
struct pmudev_set_rotation {
	const struct pmudev_rotation *plan;
	u32 pos;
	struct hlist_node node;
};

/**
 * struct pmudev_mapping - the set's user page
 * @page: the page; NULL until it is mapped first. Set once, under ctx->lock.
 * @node: in ctx->pages while the page has an event that can be read; under ctx->lock
 * @mm: address space in which it is mapped; compared, never followed; under ctx->lock
 * @maps: number of mappings in @mm; under ctx->lock
 * @owner_tid: the thread's id in its own pid namespace; under ctx->lock
 * @reader_tid: the same while @mm is the context's user_mm, else 0; under ctx->lock
 * @readers_node: in pmudev_readers.granted or pmudev_readers.private, under pmudev_readers.lock
 * @nr_granted: mappings that count in pmudev_readers.nr_granted; under pmudev_readers.lock
 * @private: the set counts in pmudev_readers.nr_private; under pmu->lock
 */
struct pmudev_mapping {
	struct pmudev_page *page;
	struct hlist_node node;
	struct mm_struct *mm;
	u32 maps;
	u32 owner_tid;
	u32 reader_tid;
	struct list_head readers_node;
	u32 nr_granted;
	bool private;
};

/**
 * struct pmudev_set - a set on a context
 * @pmu: the PMU that it counts on. Constant once bound.
 * @ctx: what it counts; NULL until bound. Set once.
 * @parent: the set with the file: itself, or of a child its parent. Constant.
 * @cpu: the CPU counted, -1 for a task. Constant once bound.
 * @on_exec: PMUDEV_BIND_ON_EXEC, and no program was executed yet; under ctx->lock
 * @nr_slots: slots in use, including empty ones between them; under ctx->lock, as all masks below
 * @generation: see struct pmudev_page; under ctx->lock
 * @used: slots with an event
 * @user: slots whose event asked for user reads
 * @mux: slots of multiplexed groups
 * @enabled: slots whose group is enabled
 * @armed: slots whose group will be enabled at the next exec
 * @active: slots whose event is on a counter
 * @time_enabled: as an event's, for the whole set; under ctx->lock
 * @time_running: likewise
 * @rotation: see there
 * @mapping: see there; unused in a child
 * @ctx_node: in ctx->inherited if fork and exec must find the set; under ctx->lock
 * @inherit: the walk over its children (task/children.h); NULL unless the set is inherited. A
 *	child has its parent's.
 * @alloc: its counters (alloc/allocation.h); NULL in a child, whose counters are its parent's
 * @chunk: the events, PMUDEV_CHUNK each; they never move
 * @first: the first chunk
 */
struct pmudev_set {
	struct pmudev_pmu *pmu;
	struct pmudev_ctx *ctx;
	struct pmudev_set *parent;
	int cpu;
	bool on_exec;
	u32 nr_slots;
	u32 generation;
	u64 used;
	u64 user;
	u64 mux;
	u64 enabled;
	u64 armed;
	u64 active;
	u64 time_enabled;
	u64 time_running;
	struct pmudev_set_rotation rotation;
	struct pmudev_mapping mapping;
	struct hlist_node ctx_node;
	struct pmudev_inherit *inherit;
	struct pmudev_alloc *alloc;
	struct pmudev_event *chunk[PMUDEV_MAX_EVENTS / PMUDEV_CHUNK];
	struct pmudev_event first[PMUDEV_CHUNK];
};

static inline bool pmudev_set_is_child(const struct pmudev_set *set)
{
	return set->parent != set;
}

static inline struct pmudev_event *pmudev_slot_event(const struct pmudev_set *set,
						     unsigned int slot)
{
	return &set->chunk[slot / PMUDEV_CHUNK][slot % PMUDEV_CHUNK];
}

/* The slot that is the @nth of a mask, counted from 0. */
static inline unsigned int pmudev_nth_slot(u64 slots, unsigned int nth)
{
	while (nth--)
		slots &= slots - 1;
	return __ffs64(slots);
}

/* Walk the slots in a mask, in ascending order. @rest is a u64 that the loop consumes. */
#define pmudev_for_each_slot(slot, rest, mask)					\
	for ((rest) = (mask); (rest) && (((slot) = __ffs64(rest)), true);	\
	     (rest) &= (rest) - 1)

/* The counters that some slots' events are on. */
static inline u64 pmudev_slots_counters(const struct pmudev_set *set, u64 slots)
{
	unsigned int slot;
	u64 rest, mask = 0;

	pmudev_for_each_slot(slot, rest, slots)
		mask |= pmudev_event_counters(pmudev_slot_event(set, slot));
	return mask;
}

/* The groups of some slots, as a mask by number. */
static inline u64 pmudev_slots_groups(const struct pmudev_set *set, u64 slots)
{
	unsigned int slot;
	u64 rest, groups = 0;

	pmudev_for_each_slot(slot, rest, slots)
		groups |= BIT_ULL(pmudev_slot_event(set, slot)->group);
	return groups;
}

/* Those of some slots that are in these groups. */
static inline u64 pmudev_groups_slots(const struct pmudev_set *set, u64 slots, u64 groups)
{
	unsigned int slot;
	u64 rest, found = 0;

	pmudev_for_each_slot(slot, rest, slots)
		if (groups & BIT_ULL(pmudev_slot_event(set, slot)->group))
			found |= BIT_ULL(slot);
	return found;
}

#endif /* _PMUDEV_CONTEXT_SET_H */
