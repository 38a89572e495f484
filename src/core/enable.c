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

/* ------------------------------------------------------------- enabling -- */

/*
 * Where the hardware cannot hide counters from a task that may read its own,
 * a CPU's counts and such tasks exclude each other.
 */
static bool become_private(struct pmudev_set *set)
{
	bool refused;

	if (set->cpu < 0 || set->shared || set->private ||
	    (set->pmu->info.features & PMUDEV_HAS_HIDING))
		return true;
	raw_spin_lock_irq(&pmudev_readers.lock);
	refused = pmudev_readers.nr_granted;
	if (!refused) {
		pmudev_readers.nr_private++;
		list_add_tail(&set->readers_node, &pmudev_readers.private);
		set->private = true;
	}
	raw_spin_unlock_irq(&pmudev_readers.lock);
	return !refused;
}

static noinline void be_shared(struct pmudev_set *set)
{
	raw_spin_lock_irq(&pmudev_readers.lock);
	pmudev_readers.nr_private--;
	list_del(&set->readers_node);
	set->private = false;
	raw_spin_unlock_irq(&pmudev_readers.lock);
}

static void end_private(struct pmudev_set *set)
{
	if (set->private && !set->placed)
		be_shared(set);
}

/* Claimed, placed and on, or nothing of it. */
static int enable_slots(struct pmudev_set *set, u64 slots, struct pmudev_refusal *why)
{
	struct pmudev_change change PMUDEV_UNSET;
	int ret;

	pmudev_change_init(&change, slots);
	if (!set->reserved) {
		ret = pmudev_reserve_pmu(set, set->pmu, why);
		if (ret)
			return ret;
		set->reserved = true;
	}
	if (!become_private(set))
		return pmudev_refuse_readable(&pmudev_readers.granted, why);
	ret = pmudev_slots_place(set, &change, why);
	if (ret)
		goto out;
	pmudev_set_call(set, pmudev_change_enable, &change);
	if (change.error) {
		pmudev_slots_displace(set, slots);
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

	if (set->cpu >= 0 || set->inherit)
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
 * Plain events of a thread or a CPU, if nothing is in their way: they are enabled at once. False:
 * it takes more than that, and nothing was done. pmu->lock held, and the caller is not preempted.
 */
static bool enable_here(struct pmudev_set *set, u64 slots)
{
	struct pmudev_change change PMUDEV_UNSET;
	bool joins = !set->reserved;

	if (pmudev_rotation_concerned(set) || pmudev_set_ended(set))
		return false;
	/* A CPU that is loaded stays: who takes it offline wants pmu->lock first. */
	if (set->cpu >= 0 && READ_ONCE(set->ctx->cpu) < 0)
		return false;
	if (!hlist_empty(&set->pmu->resting)) {
		if (stays(set, slots))
			return false;
		pmudev_rest_end(set);
	}
	slots &= ~set->placed;
	if (!slots)
		return true;
	if ((set->user & slots) && !pmudev_user_access_enabled())
		return false;
	if (joins && !pmudev_reserve_join(set->pmu))
		return false;
	if (!become_private(set) || !pmudev_slots_place_free(set, slots))
		goto leave;
	pmudev_change_init(&change, slots);
	change.placed = true;
	change.set = set;
	pmudev_ctx_call(set->ctx, pmudev_change_enable, &change);
	set->reserved = true;
	if (likely(!change.error))
		return true;
	pmudev_slots_displace(set, slots);
leave:
	end_private(set);
	/* Others have it, as before. */
	if (joins)
		set->reserved = !pmudev_reserve_leave(set->pmu);
	return false;
}

static bool enable_quickly(struct pmudev_set *set, u64 slots)
{
	bool done;

	if (set->inherit || (slots & set->mux) ||
	    ((set->user & slots) && !set->reserved_all && pmudev_nr_pmus > 1) ||
	    !pmudev_trylock(&set->pmu->lock))
		return false;
	done = enable_here(set, slots);
	pmudev_unlock(&set->pmu->lock);
	return done;
}

/* What forbids it now, and may not the next moment. */
static int check_moment(struct pmudev_set *set, u64 slots, struct pmudev_refusal *why)
{
	/* Its counters may have been given back, and its events are where they were. */
	if (pmudev_set_ended(set))
		return pmudev_refuse(why, -ESRCH, PMUDEV_WHY_ENDED, 0);
	if (set->cpu >= 0 && !cpu_online(set->cpu))
		return pmudev_refuse(why, -ENODEV, PMUDEV_WHY_CPU_OFFLINE, 0);
	if ((set->user & slots) && !pmudev_user_access_enabled())
		return pmudev_refuse(why, -EACCES, PMUDEV_WHY_USER_ACCESS, 0);
	return 0;
}

/* A worker's work. */
struct enabling {
	struct pmudev_set *set;
	u64 slots;
	struct pmudev_refusal *why;
	int ret;
};

/* pmu->lock held, and if the set has no claim yet the CPUs stay. */
static int enable_placed(struct enabling *enabling)
{
	struct pmudev_refusal *why = enabling->why;
	struct pmudev_set *set = enabling->set;
	bool was_reserved = set->reserved;
	u64 slots = enabling->slots;
	int ret;

	make_way(set, slots);
	slots &= ~set->placed;
	if (!slots)
		return 0;
	ret = check_moment(set, slots, why);
	if (!ret)
		ret = enable_slots(set, slots, why);
	/* A refusal leaves perf what it had. */
	if (ret && set->reserved && !was_reserved) {
		pmudev_release_pmu(set->pmu);
		set->reserved = false;
	}
	return ret;
}

/* By a worker. */
static void enable_anyhow(void *arg)
{
	struct enabling *enabling = arg;
	struct pmudev_set *set = enabling->set;
	bool had_all = set->reserved_all;
	int ret = 0;

	/* Their counters may be taken, and one is asked whether it is there. */
	cpus_read_lock();
	if (set->user & enabling->slots)
		ret = pmudev_reserve_others(set, enabling->why);
	if (!ret) {
		mutex_lock(&set->pmu->lock);
		ret = enable_placed(enabling);
		mutex_unlock(&set->pmu->lock);
	}
	if (ret && !had_all)
		pmudev_release_others(set);
	cpus_read_unlock();
	pmudev_rotation_resume_others(set);
	enabling->ret = ret;
}

int pmudev_slots_enable(struct pmudev_set *set, u64 slots, struct pmudev_refusal *why)
{
	struct enabling enabling = { .set = set, .slots = slots, .why = why };
	u64 missing;
	int ret;

	lockdep_assert_held(&set->mutex);
	if (enable_quickly(set, slots))
		return 0;
	missing = slots & ~READ_ONCE(set->placed);
	ret = missing || pmudev_set_ended(set) ? check_moment(set, missing, why) : 0;
	if (ret)
		return ret;
	/* Memory first, the caller's: nobody waits for a lock whose holder waits for memory. */
	if (slots & set->mux)
		pmudev_rotation_prepare(set);
	pmudev_inherit_make_room(set);
	do {
		ret = pmudev_reserve_check(set, why);
		if (ret)
			break;
		pmudev_by_worker(pmudev_urgent, enable_anyhow, &enabling);
		ret = enabling.ret;
	} while (ret == -EAGAIN);
	if (ret)
		pmudev_explain_holder(ret, why);
	return ret;
}

int pmudev_set_enable(struct pmudev_set *set, u32 group, struct pmudev_refusal *why)
{
	u64 slots;
	int ret;

	ret = pmudev_group_slots(set, group, &slots, why);
	return ret ? ret : pmudev_slots_enable(set, slots, why);
}

/* pmu->lock held. */
static __always_inline void disable_here(struct pmudev_set *set, u64 slots, bool may_rest)
{
	struct pmudev_change change PMUDEV_UNSET;

	pmudev_change_init(&change, slots);
	pmudev_set_call(set, pmudev_change_disable, &change);
	if (!may_rest || !pmudev_rest_begin(set, slots)) {
		pmudev_slots_displace(set, slots);
		end_private(set);
	}
	/* Or later, where the CPUs stay. */
	if (!may_rest && set->reserved && !set->reserved_all)
		set->reserved = !pmudev_reserve_leave(set->pmu);
}

/* A worker's work. */
struct disabling {
	struct pmudev_set *set;
	u64 slots;
	bool may_rest;
};

static void disable_anyhow(void *arg)
{
	struct disabling *disabling = arg;
	struct pmudev_set *set = disabling->set;

	mutex_lock(&set->pmu->lock);
	disable_here(set, disabling->slots, disabling->may_rest);
	mutex_unlock(&set->pmu->lock);
	pmudev_rotation_resume_others(set);
}

static noinline void disable_by_worker(struct pmudev_set *set, u64 slots, bool may_rest)
{
	struct disabling disabling = { .set = set, .slots = slots, .may_rest = may_rest };

	pmudev_by_worker(pmudev_urgent, disable_anyhow, &disabling);
}

/* Without children, and if nobody takes turns: false, and nothing done. */
static __always_inline bool disable_quickly(struct pmudev_set *set, u64 slots, bool may_rest)
{
	bool done;

	if (set->inherit || (slots & set->mux) || !pmudev_trylock(&set->pmu->lock))
		return false;
	done = !pmudev_rotation_concerned(set);
	if (done)
		disable_here(set, slots, may_rest);
	pmudev_unlock(&set->pmu->lock);
	return done;
}

static __always_inline void disable_slots(struct pmudev_set *set, u64 slots, bool may_rest)
{
	pmudev_rest_not(set);
	/* Also what has no place any more: its target ended. That may be told under pmu->lock. */
	slots &= READ_ONCE(set->placed) | READ_ONCE(set->enabled) | READ_ONCE(set->armed);
	if (slots && !disable_quickly(set, slots, may_rest))
		disable_by_worker(set, slots, may_rest);
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
	pmudev_set_call(set, pmudev_change_reset, &change);
	return 0;
}
