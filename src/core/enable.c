// SPDX-License-Identifier: GPL-2.0
/* Enabling, disabling and resetting: the sleeping half; change.c has the other. */
#include <linux/cpu.h>
#include <linux/slab.h>

#include "ledger.h"

int pmudev_find_group(struct pmudev_set *set, u32 group, u64 *slots, struct pmudev_refusal *why)
{
	unsigned int slot;
	u64 rest;

	lockdep_assert_held(&set->mutex);
	if (!set->ctx)
		return pmudev_refuse(why, -EINVAL, PMUDEV_WHY_UNBOUND, 0);
	if (group == PMUDEV_ALL) {
		*slots = set->used;
	} else {
		*slots = 0;
		pmudev_for_each_slot(slot, rest, set->used)
			if (pmudev_slot_event(set, slot)->group == group)
				*slots |= BIT_ULL(slot);
	}
	if (!*slots)
		return pmudev_refuse(why, -EINVAL, PMUDEV_WHY_GROUP, PMUDEV_MAX_GROUPS - 1);
	return 0;
}

/* What the events want, by slot in ascending order. */
static unsigned int slots_want(struct pmudev_set *set, u64 slots, struct pmudev_want *want)
{
	unsigned int slot, nr = 0;
	u64 rest;

	pmudev_for_each_slot(slot, rest, slots)
		want[nr++] = pmudev_event_want(pmudev_slot_event(set, slot));
	return nr;
}

/* ------------------------------------------------------------- enabling -- */

/*
 * Where the hardware cannot hide counters from a task that may read its own,
 * a CPU's counts and such tasks exclude each other.
 */
static int become_private(struct pmudev_set *set, struct pmudev_refusal *why)
{
	bool refused;

	if (set->cpu < 0 || set->shared || set->private ||
	    (set->pmu->info.features & PMUDEV_HAS_HIDING))
		return 0;
	raw_spin_lock_irq(&pmudev_visible.lock);
	refused = pmudev_visible.nr_granted;
	if (!refused) {
		pmudev_visible.nr_private++;
		list_add_tail(&set->visible_node, &pmudev_visible.private);
		set->private = true;
	}
	raw_spin_unlock_irq(&pmudev_visible.lock);
	return refused ? pmudev_refuse_visible(&pmudev_visible.granted, why) : 0;
}

static noinline void be_shared(struct pmudev_set *set)
{
	raw_spin_lock_irq(&pmudev_visible.lock);
	pmudev_visible.nr_private--;
	list_del(&set->visible_node);
	set->private = false;
	raw_spin_unlock_irq(&pmudev_visible.lock);
}

static void end_private(struct pmudev_set *set)
{
	if (set->private && !set->placed)
		be_shared(set);
}

/*
 * The last placement again? From the same counters the same events get the same ones, so there is
 * no need to look.
 */
static bool placed_before(const struct pmudev_set *set, u64 slots, u64 free)
{
	return slots == set->last.slots && free == set->last.free && !set->removed;
}

/*
 * Counters for strict groups. Nothing is changed yet, but where the events of a set without heirs
 * are to be: its target has not ended, so what is not placed is on no counter.
 */
static noinline_for_stack int place_strict(struct pmudev_set *set, u64 slots, u64 free, bool *moves,
					   struct pmudev_refusal *why)
{
	struct pmudev_want want[PMUDEV_MAX_EVENTS] PMUDEV_UNSET;
	u8 counter[PMUDEV_MAX_EVENTS] PMUDEV_UNSET;
	const struct pmudev_pmu *pmu = set->pmu;
	bool alone = !set->family;
	unsigned int slot, i = 0;
	u64 rest, counters = 0;
	int ret;

	ret = pmudev_place(set, free, want, slots_want(set, slots, want), counter, moves, why);
	if (ret) {
		if (why->event >= 0)
			why->event = pmudev_nth_slot(slots, why->event);
		return ret;
	}
	pmudev_for_each_slot(slot, rest, slots) {
		set->place[slot] = counter[i];
		if (alone)
			pmudev_hw_place(pmu, &pmudev_slot_event(set, slot)->hw, counter[i]);
		counters |= pmudev_place_counters(counter[i], want[i].pair);
		i++;
	}
	set->last = (struct pmudev_placement){
		.slots = slots,
		.counters = counters,
		.free = counters & ~free ? ~0ULL : free,
	};
	set->removed = false;
	return 0;
}

/* Counters that let each multiplexed group fit, beside all that is in the ledger. */
static int place_mux(struct pmudev_set *set, u64 slots, struct pmudev_refusal *why)
{
	u64 all = (set->placed & set->mux) | slots, base;
	int ret;

	ret = pmudev_find_base(set, all, pmudev_mux_free(set), &base, why);
	if (ret)
		return ret;
	if (pmudev_turns_room(set, all))
		return pmudev_refuse(why, -ENOMEM, PMUDEV_WHY_MEMORY, 0);
	pmudev_ledger_withdraw(set);
	set->placed |= slots;
	set->base = base;
	set->turns_changed = true;
	pmudev_ledger_enter(set);
	return 0;
}

static void ledger_add(struct pmudev_set *set, u64 slots)
{
	pmudev_ledger_withdraw(set);
	set->placed |= slots;
	pmudev_ledger_enter(set);
}

static void ledger_remove(struct pmudev_set *set, u64 slots)
{
	pmudev_ledger_withdraw(set);
	set->placed &= ~slots;
	pmudev_ledger_enter(set);
}

/* Whoever has to make room does; what is in the way is moved, and the rest shared out anew. */
static noinline void rearrange_others(struct pmudev_set *set, struct pmudev_set *moving)
{
	pmudev_turns_pause(set);
	if (moving)
		pmudev_ctx_call(set->ctx, pmudev_change_places, moving);
	pmudev_turns_go_on(set);
}

static void rearrange(struct pmudev_set *set, struct pmudev_set *moving)
{
	if (moving || pmudev_turns_concerned(set))
		rearrange_others(set, moving);
}

static int place_slots(struct pmudev_set *set, struct pmudev_change *change,
		       struct pmudev_refusal *why)
{
	u64 strict = change->slots & ~set->mux, mux = change->slots & set->mux, free;
	struct pmudev_set *moving = NULL;
	bool moves = false;
	int ret = 0;

	if (strict) {
		free = pmudev_place_free(set);
		/* An heir has its events where they were when it was born. */
		change->placed = !set->family;
		if (set->family || !placed_before(set, strict, free))
			ret = place_strict(set, strict, free, &moves, why);
	}
	if (ret)
		return ret;
	if (moves)
		moving = pmudev_place_moves(set);
	ledger_add(set, strict);
	if (mux)
		ret = place_mux(set, mux, why);
	if (ret) {
		ledger_remove(set, strict);
		set->last = (struct pmudev_placement){};
	}
	rearrange(set, moving);
	return ret;
}

/* Fewer groups take turns. */
static noinline_for_stack void shrink_base(struct pmudev_set *set)
{
	struct pmudev_refusal unused;

	set->turns_changed = true;
	/* Those that are left fit where they were, if not on less. */
	if (!(set->placed & set->mux)) {
		set->base = 0;
		set->spare = 0;
	} else {
		pmudev_find_base(set, set->placed & set->mux, set->base, &set->base, &unused);
	}
	pmudev_turns_show(set, NULL);
}

/* They are off counters, everywhere. */
static void displace_slots(struct pmudev_set *set, u64 slots)
{
	pmudev_ledger_withdraw(set);
	set->placed &= ~slots;
	if (slots & set->mux)
		shrink_base(set);
	pmudev_ledger_enter(set);
	rearrange(set, NULL);
}

/* Claimed, placed and on, or nothing of it. After lock_pmu(). */
static int enable_slots(struct pmudev_set *set, u64 slots, struct pmudev_refusal *why)
{
	struct pmudev_change change PMUDEV_UNSET;
	int ret;

	pmudev_change_init(&change, slots);
	if ((set->user & slots) && !pmudev_gate_open())
		return pmudev_refuse(why, -EACCES, PMUDEV_WHY_GATE, 0);
	if (!set->claimed) {
		ret = pmudev_claim_get(set->pmu, why);
		if (ret)
			return ret;
		set->claimed = true;
	}
	ret = become_private(set, why);
	if (ret)
		return ret;
	ret = place_slots(set, &change, why);
	if (ret)
		goto out;
	pmudev_family_call(set, pmudev_change_enable, &change);
	if (change.error) {
		displace_slots(set, slots);
		ret = pmudev_refuse(why, -ESRCH, PMUDEV_WHY_ENDED, 0);
	}
out:
	if (ret)
		end_private(set);
	return ret;
}

/* Others cannot have it moved, once it is placed: a CPU set, a family, a DIRECT event. */
static bool stays(struct pmudev_set *set, u64 slots)
{
	unsigned int slot;
	u64 rest;

	if (set->cpu >= 0 || set->family)
		return true;
	pmudev_for_each_slot(slot, rest, slots)
		if (pmudev_slot_event(set, slot)->flags & PMUDEV_DIRECT)
			return true;
	return false;
}

/*
 * Where others rest, events are placed beside them. Not what will stay there when they have ended
 * their rest, nor multiplexed groups, which share all that nobody needs.
 */
static noinline void end_rests(struct pmudev_set *set, u64 slots)
{
	if ((slots & set->mux) || stays(set, slots))
		pmudev_rest_end_all(set->pmu);
	else
		pmudev_rest_end(set);
}

static inline void make_way(struct pmudev_set *set, u64 slots)
{
	if (!hlist_empty(&set->pmu->resting))
		end_rests(set, slots);
}

/*
 * Takes pmu->lock, and before that, if their counters are to be taken or one is asked whether it is
 * there, has the CPUs stay. Returns whether they do.
 */
static bool lock_pmu(struct pmudev_set *set, u64 slots, struct pmudev_refusal *why, int *ret)
{
	struct pmudev_pmu *pmu = set->pmu;
	bool user = set->user & slots;

	*ret = 0;
	/* As most often: a thread's, and others have the claim. */
	if (set->cpu < 0 && (!user || set->claimed_all || pmudev_nr_pmus == 1)) {
		pmudev_lock(&pmu->lock);
		if (set->claimed)
			return false;
		set->claimed = pmudev_claim_join(pmu);
		if (set->claimed)
			return false;
		mutex_unlock(&pmu->lock);
	}
	cpus_read_lock();
	if (user)
		*ret = pmudev_claim_others(set, why);
	pmudev_lock(&pmu->lock);
	return true;
}

int pmudev_slots_enable(struct pmudev_set *set, u64 slots, struct pmudev_refusal *why)
{
	bool had_claim = set->claimed, had_all = set->claimed_all, cpus;
	int ret = 0;

	lockdep_assert_held(&set->mutex);
	if (pmudev_set_ended(set))
		return pmudev_refuse(why, -ESRCH, PMUDEV_WHY_ENDED, 0);

	/* Memory first: nobody is to wait for a lock whose holder waits for memory. */
	if (slots & set->mux)
		pmudev_turns_prepare(set);
	pmudev_family_make_room(set);
	cpus = lock_pmu(set, slots, why, &ret);
	make_way(set, slots);
	slots &= ~set->placed;
	if (!slots || ret)
		;
	/* Meanwhile: its counters may have been given back, and its events are where they were. */
	else if (pmudev_set_ended(set))
		ret = pmudev_refuse(why, -ESRCH, PMUDEV_WHY_ENDED, 0);
	else if (set->cpu >= 0 && !cpu_online(set->cpu))
		ret = pmudev_refuse(why, -ENODEV, PMUDEV_WHY_CPU_OFFLINE, 0);
	else
		ret = enable_slots(set, slots, why);
	/* A refusal leaves perf what it had. */
	if (ret && set->claimed && !had_claim) {
		/* If the CPUs do not stay, others had it all the time. */
		pmudev_claim_put(set->pmu);
		set->claimed = false;
	}
	mutex_unlock(&set->pmu->lock);
	if (ret && !had_all)
		pmudev_claim_put_others(set);
	if (cpus)
		cpus_read_unlock();
	pmudev_turns_wake(set);
	if (ret)
		pmudev_explain_held(ret, why);
	return ret;
}

int pmudev_set_enable(struct pmudev_set *set, u32 group, struct pmudev_refusal *why)
{
	u64 slots;
	int ret;

	ret = pmudev_group_slots(set, group, &slots, why);
	return ret ? ret : pmudev_slots_enable(set, slots, why);
}

static __always_inline void disable_slots(struct pmudev_set *set, u64 slots, bool may_rest)
{
	struct pmudev_change change PMUDEV_UNSET;

	pmudev_rest_not(set);
	/* Also what has no place any more: its target ended. That may be told under pmu->lock. */
	slots &= READ_ONCE(set->placed) | READ_ONCE(set->enabled) | READ_ONCE(set->armed);
	if (!slots)
		return;
	pmudev_change_init(&change, slots);
	pmudev_lock(&set->pmu->lock);
	pmudev_family_call(set, pmudev_change_disable, &change);
	if (!may_rest || !pmudev_rest_begin(set, slots)) {
		displace_slots(set, slots);
		end_private(set);
	}
	/* Or later, where the CPUs stay. */
	if (!may_rest && set->claimed && !set->claimed_all)
		set->claimed = !pmudev_claim_leave(set->pmu);
	mutex_unlock(&set->pmu->lock);
	pmudev_turns_wake(set);
}

int pmudev_set_disable(struct pmudev_set *set, u32 group, struct pmudev_refusal *why)
{
	u64 slots;
	int ret;

	ret = pmudev_group_slots(set, group, &slots, why);
	if (!ret)
		disable_slots(set, slots, true);
	return ret;
}

void pmudev_set_end(struct pmudev_set *set)
{
	disable_slots(set, set->used, false);
}

int pmudev_set_reset(struct pmudev_set *set, u32 group, u32 slot, u64 value,
		     struct pmudev_refusal *why)
{
	struct pmudev_change change = { .value = value };
	int ret;

	ret = pmudev_group_slots(set, group, &change.slots, why);
	if (ret)
		return ret;
	if (slot != PMUDEV_ALL) {
		if (group != PMUDEV_ALL || slot >= PMUDEV_MAX_EVENTS ||
		    !(set->used & BIT_ULL(slot)))
			return pmudev_refuse(why, -EINVAL, PMUDEV_WHY_SLOT, 0);
		change.slots = BIT_ULL(slot);
	}
	change.reset = change.slots;
	pmudev_family_call(set, pmudev_change_reset, &change);
	return 0;
}
