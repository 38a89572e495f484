// SPDX-License-Identifier: GPL-2.0
/*
 * Multiplexed groups: which counters they have, which of them are on together, and when that
 * changes. All is worked out when the ledger changes; a turn only shows the next image.
 *
 * Of the n groups of a set the k-th image has the k-th group, and those that follow it as far as
 * there is room. So each group has n'ths of the time, most of them many.
 */
#include <linux/math64.h>
#include <linux/slab.h>

#include "compat.h"
#include "ledger.h"

/* ----------------------------------------------------------- the timer -- */

void pmudev_turn_if_due(struct pmudev_ctx *ctx)
{
	lockdep_assert_held(&ctx->lock);
	if (pmudev_ctx_clocks(ctx).running - ctx->turned >= ctx->pmu->turn_ticks)
		pmudev_ctx_turn(ctx);
}

void pmudev_turn_timer(struct pmudev_cpu *pc, struct pmudev_ctx *ctx)
{
	const struct pmudev_pmu *pmu = ctx->pmu;
	u64 ran, left;

	lockdep_assert_held(&ctx->lock);
	/* It looks at all that is loaded when it comes, and starts again. */
	if (hrtimer_is_queued(&pc->turn_timer))
		return;
	ran = pmudev_ctx_clocks(ctx).running - ctx->turned;
	left = pmu->turn_ticks - min(ran, pmu->turn_ticks);
	hrtimer_start(&pc->turn_timer, ns_to_ktime(pmudev_ticks_to_ns(left, pmu->mult, pmu->shift)),
		      HRTIMER_MODE_REL_PINNED_HARD);
}

/* The ticks until its next turn, at most @left. */
static u64 turn(struct pmudev_ctx *ctx, u64 left)
{
	u64 ran;

	raw_spin_lock(&ctx->lock);
	if (pmudev_ctx_counting(ctx) && !hlist_empty(&ctx->turning)) {
		pmudev_turn_if_due(ctx);
		ran = pmudev_ctx_clocks(ctx).running - ctx->turned;
		left = min(left, ctx->pmu->turn_ticks - min(ran, ctx->pmu->turn_ticks));
	}
	raw_spin_unlock(&ctx->lock);
	return left;
}

enum hrtimer_restart pmudev_turn_tick(struct hrtimer *timer)
{
	struct pmudev_cpu *pc = container_of(timer, struct pmudev_cpu, turn_timer);
	const struct pmudev_pmu *pmu = pc->pmu;
	u64 left = turn(&pc->ctx, U64_MAX);

	if (pc->task)
		left = turn(pc->task, left);
	if (left == U64_MAX)
		return HRTIMER_NORESTART;
	/* Not more often than that, whoever comes and goes. */
	left = max(left, pmu->turn_ticks / 8);
	left = pmudev_ticks_to_ns(left, pmu->mult, pmu->shift);
	hrtimer_forward_now(timer, ns_to_ktime(left));
	return HRTIMER_RESTART;
}

/* ------------------------------------------------------- groups to fit -- */

/* The groups of some slots, by their first slots. How many. */
static unsigned int split_groups(struct pmudev_set *set, u64 slots, u64 *group)
{
	u8 place[PMUDEV_MAX_GROUPS] PMUDEV_UNSET;
	unsigned int slot, number, nr = 0;
	u64 rest, seen = 0;

	BUILD_BUG_ON(PMUDEV_MAX_GROUPS > 64);
	pmudev_for_each_slot(slot, rest, slots) {
		number = pmudev_slot_event(set, slot)->group;
		if (!(seen & BIT_ULL(number))) {
			seen |= BIT_ULL(number);
			place[number] = nr;
			group[nr++] = 0;
		}
		group[place[number]] |= BIT_ULL(slot);
	}
	return nr;
}

/* Of a group of one event that takes one counter, as most are, its slot; else -1. */
static int lone_slot(struct pmudev_set *set, u64 group)
{
	unsigned int slot = __ffs64(group);

	return group & (group - 1) || pmudev_slot_event(set, slot)->hw.pair ? -1 : slot;
}

/*
 * Events of @slots on counters of @free, those that @image has already where they are if that can
 * be. Returns the slot that does not fit, or -1; then they are in @image.
 */
static int fit(struct pmudev_set *set, u64 slots, u64 free, struct pmudev_image *image)
{
	struct pmudev_want want[PMUDEV_ASSIGN_MAX] PMUDEV_UNSET;
	u8 counter[PMUDEV_ASSIGN_MAX] PMUDEV_UNSET;
	unsigned int slot, nr = 0;
	u64 rest;
	int bad;

	slots |= image->slots;
	pmudev_for_each_slot(slot, rest, slots) {
		const struct pmudev_event *event = pmudev_slot_event(set, slot);
		bool on = image->slots & BIT_ULL(slot);

		want[nr++] = (struct pmudev_want){
			.allowed = pmudev_places(event->allowed, event->hw.pair, free),
			.pair = event->hw.pair,
			.now = on ? image->counter[slot] : PMUDEV_NOWHERE,
		};
	}
	bad = pmudev_assign(want, nr, counter);
	if (bad >= 0)
		return pmudev_nth_slot(slots, bad);
	nr = 0;
	pmudev_for_each_slot(slot, rest, slots)
		image->counter[slot] = counter[nr++];
	image->slots = slots;
	return -1;
}

static u64 image_counters(struct pmudev_set *set, const struct pmudev_image *image)
{
	unsigned int slot;
	u64 rest, mask = 0;

	pmudev_for_each_slot(slot, rest, image->slots)
		mask |= pmudev_place_counters(image->counter[slot],
					      pmudev_slot_event(set, slot)->hw.pair);
	return mask;
}

/* As fit() by itself: a counter of @found, or one more of @free. The slot if there is none. */
static int find_lone(struct pmudev_set *set, unsigned int slot, u64 free, u64 *found)
{
	u64 allowed = pmudev_slot_event(set, slot)->allowed;

	if (allowed & *found)
		return -1;
	if (!(allowed & free))
		return slot;
	*found |= BIT_ULL(fls64(allowed & free) - 1);
	return -1;
}

/*
 * Counters that let each group fit: where the groups before can do with what there is, nothing is
 * added. Those of many events first would need fewer still; it is not worth sorting.
 */
int pmudev_find_base(struct pmudev_set *set, u64 slots, u64 free, u64 *base,
		     struct pmudev_refusal *why)
{
	struct pmudev_image *image;
	struct pmudev_want want;
	u64 group[PMUDEV_MAX_GROUPS] PMUDEV_UNSET, found = 0;
	unsigned int i, nr = split_groups(set, slots, group);
	int bad = -1, lone;

	lockdep_assert_held(&set->pmu->lock);
	image = kmalloc(sizeof(*image), GFP_KERNEL);
	if (!image)
		return pmudev_refuse(why, -ENOMEM, PMUDEV_WHY_MEMORY, 0);
	for (i = 0; i < nr && bad < 0; i++) {
		lone = lone_slot(set, group[i]);
		if (lone >= 0) {
			bad = find_lone(set, lone, free, &found);
			continue;
		}
		image->slots = 0;
		if (fit(set, group[i], found, image) < 0)
			continue;
		bad = fit(set, group[i], free, image);
		if (bad < 0)
			found |= image_counters(set, image);
	}
	kfree(image);
	if (bad >= 0) {
		why->event = bad;
		want = pmudev_event_want(pmudev_slot_event(set, bad));
		return pmudev_refuse_held(set, &want, why);
	}
	*base = found;
	return 0;
}

u64 pmudev_mux_free(struct pmudev_set *set)
{
	u64 available = set->pmu->info.counters & ~set->pmu->info.reserved;

	return available & (~pmudev_ledger_taken(set, false) | set->base);
}

/* --------------------------------------------------------- the images -- */

/**
 * struct seating - the counters of an image
 * @used: those that its events are on
 * @wants: of those: which else of the pool the event that is there could be on
 */
struct seating {
	u64 used;
	u64 wants[PMUDEV_COUNTERS];
};

static u64 wants(struct pmudev_set *set, unsigned int slot, u64 pool)
{
	const struct pmudev_event *event = pmudev_slot_event(set, slot);

	return pmudev_places_counters(pmudev_places(event->allowed, event->hw.pair, pool),
				      event->hw.pair);
}

static void seat(struct pmudev_set *set, u64 pool, const struct pmudev_image *image,
		 struct seating *seating)
{
	unsigned int slot, c;
	u64 rest, on;

	seating->used = image_counters(set, image);
	pmudev_for_each_slot(slot, rest, image->slots) {
		on = pmudev_place_counters(image->counter[slot],
					   pmudev_slot_event(set, slot)->hw.pair);
		for (; on; on &= on - 1) {
			c = __ffs64(on);
			seating->wants[c] = wants(set, slot, pool);
		}
	}
}

/* A lone event on a counter that nobody is on: so most come to theirs, for much less than fit(). */
static bool sit_down(struct pmudev_set *set, u64 group, u64 pool, struct pmudev_image *image,
		     struct seating *seating)
{
	int slot = lone_slot(set, group);
	u64 can, free;
	unsigned int c;

	if (slot < 0)
		return false;
	can = pmudev_slot_event(set, slot)->allowed & pool;
	free = can & ~seating->used;
	if (!free)
		return false;
	c = fls64(free) - 1;
	image->slots |= BIT_ULL(slot);
	image->counter[slot] = c;
	seating->used |= BIT_ULL(c);
	seating->wants[c] = can;
	return true;
}

/*
 * So many counters more for who wants @counters? Who is on one of them may move, to where others
 * may move away, and so on: if that leads to fewer free counters there is no way.
 */
static bool leads_to(const struct seating *seating, u64 counters, unsigned int nr)
{
	u64 seen = 0, next;

	while ((next = counters & seating->used & ~seen)) {
		seen |= next & -next;
		counters |= seating->wants[__ffs64(next)];
	}
	return hweight64(counters & ~seating->used) >= nr;
}

/* False: the group cannot join the image. So of most that cannot, for much less than fit(). */
static bool may_fit(struct pmudev_set *set, u64 group, u64 pool, const struct seating *seating)
{
	unsigned int slot, needs, all = 0;
	u64 rest, counters, any = 0;

	pmudev_for_each_slot(slot, rest, group) {
		counters = wants(set, slot, pool);
		needs = 1 + pmudev_slot_event(set, slot)->hw.pair;
		if (!leads_to(seating, counters, needs))
			return false;
		any |= counters;
		all += needs;
	}
	return leads_to(seating, any, all);
}

static void make_images(struct pmudev_set *set, u64 pool, struct pmudev_turns *turns)
{
	u64 group[PMUDEV_MAX_GROUPS] PMUDEV_UNSET;
	unsigned int k, i, next, nr = split_groups(set, set->placed & set->mux, group);
	struct seating seating PMUDEV_UNSET;

	turns->nr = 0;
	for (k = 0; k < nr; k++) {
		struct pmudev_image *image = &turns->image[k];

		*image = (struct pmudev_image){};
		seating.used = 0;
		for (i = 0; i < nr && seating.used != pool; i++) {
			next = (k + i) % nr;
			if (sit_down(set, group[next], pool, image, &seating))
				continue;
			if (may_fit(set, group[next], pool, &seating) &&
			    fit(set, group[next], pool, image) < 0)
				seat(set, pool, image, &seating);
		}
		turns->nr++;
		cond_resched();
		/* If all fit together nobody takes turns. */
		if (image->slots == (set->placed & set->mux))
			break;
	}
}

int pmudev_turns_room(struct pmudev_set *set, u64 slots)
{
	unsigned int slot, nr;
	u64 rest, groups = 0;

	pmudev_for_each_slot(slot, rest, slots)
		groups |= BIT_ULL(pmudev_slot_event(set, slot)->group);
	nr = hweight64(groups);
	if (nr <= set->table_room)
		return 0;
	kfree(set->new_table);
	set->new_table = kmalloc(struct_size(set->new_table, image, nr), PMUDEV_GFP);
	if (!set->new_table)
		return -ENOMEM;
	set->table_room = nr;
	return 0;
}

/* ---------------------------------------------------------- the pools -- */

static u64 wanted(struct pmudev_set *set)
{
	unsigned int slot;
	u64 rest, mask = 0;

	pmudev_for_each_slot(slot, rest, set->placed & set->mux)
		mask |= pmudev_places_counters(pmudev_slot_event(set, slot)->allowed,
					       pmudev_slot_event(set, slot)->hw.pair);
	return mask;
}

/* What nobody has placed goes to the multiplexing sets, first come, first served. */
static void share_spare(struct pmudev_pmu *pmu)
{
	u64 available = pmu->info.counters & ~pmu->info.reserved;
	struct pmudev_set *set;

	pmu->task_spare = 0;
	pmu->cpu_spare = 0;
	list_for_each_entry(set, &pmu->sets, node) {
		set->old_spare = set->spare;
		set->spare = 0;
		set->ctx->spare = 0;
	}
	list_for_each_entry(set, &pmu->sets, node) {
		cond_resched();
		if (!set->base)
			continue;
		set->spare = available & wanted(set) & ~pmudev_ledger_taken(set, true);
		set->ctx->spare |= set->spare;
		*(set->cpu < 0 ? &pmu->task_spare : &pmu->cpu_spare) |= set->spare;
	}
}

static bool changed(const struct pmudev_set *set)
{
	return set->turns_changed || (set->base && set->spare != set->old_spare);
}

void pmudev_turns_show(struct pmudev_set *set, const struct pmudev_turns *turns)
{
	struct pmudev_change change = { .turns = turns };

	pmudev_family_call(set, pmudev_change_turns, &change);
}

void pmudev_turns_pause(struct pmudev_set *asking)
{
	struct pmudev_pmu *pmu = asking->pmu;
	struct pmudev_set *set;

	lockdep_assert_held(&pmu->lock);
	if (!pmu->nr_mux && !pmu->task_spare && !pmu->cpu_spare)
		return;
	share_spare(pmu);
	/* All that change first let go of their counters: then each finds its own free. */
	list_for_each_entry(set, &pmu->sets, node) {
		if (!changed(set))
			continue;
		set->turns_changed = true;
		if (set != asking && hlist_unhashed(&set->paused_node))
			hlist_add_head(&set->paused_node, &asking->paused);
		if (set->turns)
			pmudev_turns_show(set, NULL);
	}
}

void pmudev_turns_go_on(struct pmudev_set *set)
{
	lockdep_assert_held(&set->pmu->lock);
	hlist_del_init(&set->paused_node);
	if (!set->turns_changed)
		return;
	set->turns_changed = false;
	if (!set->base)
		return;
	/* Paused: nobody looks at the table. */
	if (set->new_table) {
		kfree(set->table);
		set->table = set->new_table;
		set->new_table = NULL;
	}
	make_images(set, set->base | set->spare, set->table);
	pmudev_turns_show(set, set->table);
}

void pmudev_turns_wake_all(struct pmudev_set *asking)
{
	struct pmudev_pmu *pmu = asking->pmu;
	struct pmudev_set *set;

	lockdep_assert_held(&asking->mutex);
	while (!hlist_empty(&asking->paused)) {
		mutex_lock(&pmu->lock);
		set = hlist_entry_safe(asking->paused.first, struct pmudev_set, paused_node);
		if (set)
			pmudev_turns_go_on(set);
		mutex_unlock(&pmu->lock);
		cond_resched();
	}
}

int pmudev_turns_counter(const struct pmudev_set *set, unsigned int slot)
{
	unsigned int i;

	for (i = 0; set->turns && i < set->turns->nr; i++)
		if (set->turns->image[i].slots & BIT_ULL(slot))
			return set->turns->image[i].counter[slot];
	return -1;
}

void pmudev_turns_init(struct pmudev_pmu *pmu)
{
	u64 hz = pmu->info.clock_hz;

	/* A millisecond, as perf's hardware PMUs have it by default. */
	pmu->turn_ticks = hz ? div_u64(hz, 1000) : NSEC_PER_MSEC;
}
