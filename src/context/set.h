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

#define PMUDEV_CHUNK 4

struct pmudev_alloc;
struct pmudev_ctx;
struct pmudev_inherit;
struct pmudev_perf_pages;
struct pmudev_rotation;
struct pmudev_set_deadlines;

/*
 * The set's place in its rotation; under ctx->lock. Of a set with a file @plan is written under
 * pmu->lock, too, and read under either.
 */
struct pmudev_set_rotation {
	const struct pmudev_rotation *plan; /* NULL: no group is enabled, or it is suspended */
	/*
	 * Counts rotations; modulo the plan's slots it is the one that is applied. Plans may change
	 * more often than they rotate, as groups and other sets come and go: each goes on where the
	 * last one was, or the groups behind the first would have no turns.
	 */
	u32 pos;
	struct hlist_node node; /* in ctx->rotating while the plan has more than one slot */
};

/* The set's user page; under ctx->lock unless it says otherwise */
struct pmudev_mapping {
	struct pmudev_page *page;      /* NULL until mapped first. Set once: read without lock. */
	struct pmudev_perf_pages *perf; /* likewise, for events with a page in perf's layout */
	struct hlist_node node;	       /* in ctx->reads.pages while the page has an event to read */
	struct mm_struct *mm;	       /* where it is mapped: compared, also by page faults */
	u32 maps;		       /* number of mappings in mm */
	u32 owner_tid;		       /* the thread's id in its own pid namespace */
	u32 reader_tid;		       /* the same while mm is ctx->reads.mm, else 0 */
	struct list_head readers_node; /* in pmudev_readers.granted or .private, under its lock */
	u32 nr_granted; /* mappings that count in pmudev_readers.nr_granted, under its lock */
	bool private;	/* the set counts in pmudev_readers.nr_private; under pmu->lock */
};

/* A set on a context */
struct pmudev_set {
	struct pmudev_pmu *pmu;	   /* the PMU that it counts on. Constant once bound. */
	struct pmudev_ctx *ctx;	   /* what it counts; NULL until bound. Set once. */
	struct pmudev_set *parent; /* itself, or a child's set with the file. Constant. */
	int cpu;		   /* the CPU counted, -1 for a task. Constant once bound. */
	bool on_exec;	/* PMUDEV_BIND_ON_EXEC, and no program was executed yet; under ctx->lock */
	u32 generation; /* see struct pmudev_page; under ctx->lock */
	/*
	 * Written under the mutex of the set with the file and ctx->lock, read under either. Of
	 * slots that are placed @mux is constant, and also read under pmu->lock.
	 */
	u32 nr_slots;	/* slots, with empty ones in between */
	u64 used;	/* slots with an event */
	u64 user;	/* slots whose event asked for user reads */
	u64 mux;	/* slots of multiplexed groups */
	/* Under ctx->lock; DISABLE only looks whether there are some before it takes that: */
	u64 enabled;	/* slots whose group is enabled */
	u64 armed;	/* slots whose group will be enabled at the next exec */
	u64 active;	/* slots whose event is on a counter */
	u64 time_enabled; /* as an event's, for the whole set; under ctx->lock */
	u64 time_running; /* likewise */
	struct pmudev_set_rotation rotation;
	struct pmudev_mapping mapping; /* unused in a child */
	struct hlist_node ctx_node; /* in ctx->inherited, if fork or exec must find it; ctx->lock */
	struct pmudev_inherit *inherit; /* NULL: not inherited. A child's is its parent's. */
	struct pmudev_alloc *alloc;	/* NULL in a child, whose counters are its parent's */
	struct pmudev_set_deadlines *deadlines; /* NULL: none yet. Set once, under ctx->lock. */
	struct pmudev_event *chunk[PMUDEV_MAX_EVENTS / PMUDEV_CHUNK]; /* events, which never move */
	struct pmudev_event first[PMUDEV_CHUNK];		      /* the first chunk */
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
#define pmudev_for_each_slot(slot, rest, mask) \
	for ((rest) = (mask); (rest) && (((slot) = __ffs64(rest)), true); (rest) &= (rest) - 1)

/* The counters that some slots' events are on. */
static inline u64 pmudev_slots_counters(const struct pmudev_set *set, u64 slots)
{
	unsigned int slot;
	u64 rest, mask = 0;

	pmudev_for_each_slot(slot, rest, slots)
		mask |= pmudev_event_counters(pmudev_slot_event(set, slot));
	return mask;
}

/* The events of some slots, in ascending order. Return: how many. */
static inline unsigned int pmudev_slots_hw(struct pmudev_set *set, u64 slots, struct pmudev_hw **hw)
{
	unsigned int slot, nr = 0;
	u64 rest;

	pmudev_for_each_slot(slot, rest, slots)
		hw[nr++] = &pmudev_slot_event(set, slot)->hw;
	return nr;
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
