// SPDX-License-Identifier: GPL-2.0
/*
 * Enable, disable and reset, as calls: counters are allocated and CPUs reserved here, the context
 * changes in context/change.c. The short ways do not sleep.
 */
#include <linux/cpu.h>

#include "../alloc/conflict.h"
#include "../alloc/rotation.h"
#include "../alloc/slots.h"
#include "../context/totals.h"
#include "../context/user_access.h"
#include "../cpu/counters.h"
#include "../worker.h"
#include "deadline.h"
#include "set.h"

int pmudev_group_slots(struct pmudev_set *set, u32 group, u64 *slots, struct pmudev_refusal *why)
{
	lockdep_assert_held(&pmudev_open_set(set)->mutex);
	if (!set->ctx)
		return pmudev_refuse(why, -EINVAL, PMUDEV_WHY_UNBOUND, 0);
	*slots = 0;
	if (group == PMUDEV_ALL)
		*slots = set->used;
	else if (group < PMUDEV_MAX_GROUPS)
		*slots = pmudev_groups_slots(set, set->used, BIT_ULL(group));
	if (!*slots)
		return pmudev_refuse(why, -EINVAL, PMUDEV_WHY_GROUP, PMUDEV_MAX_GROUPS - 1);
	return 0;
}

/* A CPU's counts that nobody but the set's owner may see, where the hardware cannot hide them. */
static bool is_private(struct pmudev_set *set)
{
	return set->cpu >= 0 && !pmudev_open_set(set)->shared &&
	       !(set->pmu->info.features & PMUDEV_HAS_HIDING);
}

int pmudev_check_perf_readers(struct pmudev_set *set, u64 slots, struct pmudev_refusal *why)
{
	/* What counts already goes on, whoever reads. */
	if (!(slots & ~READ_ONCE(set->alloc->placed)))
		return 0;
	if (!is_private(set) || !pmudev_beside_perf() || !pmudev_backend.shared->perf_has_readers())
		return 0;
	why->holder.kind = PMUDEV_HOLDER_PERF;
	return pmudev_refuse(why, -EBUSY, PMUDEV_WHY_USER_READABLE, 0);
}

/* Where counters cannot be hidden, private CPU sets and user reads exclude each other. */
static bool becomes_private(struct pmudev_set *set)
{
	return is_private(set) && !set->mapping.private;
}

/* Return: false if others could read its counters. */
static bool become_private(struct pmudev_set *set)
{
	return !becomes_private(set) || pmudev_readers_add_private(set);
}

/* Undo it if the set has no counter any more. */
static void end_private(struct pmudev_set *set)
{
	if (set->mapping.private && !set->alloc->placed)
		pmudev_readers_remove_private(set);
}

/* What forbids it now, and may not the next moment. */
static int check_moment(struct pmudev_set *set, u64 slots, struct pmudev_refusal *why)
{
	/* Its counters may have been reclaimed. */
	if (pmudev_set_ended(set))
		return pmudev_refuse(why, -ESRCH, PMUDEV_WHY_ENDED, 0);
	if (set->cpu >= 0 && !cpu_online(set->cpu))
		return pmudev_refuse(why, -ENODEV, PMUDEV_WHY_CPU_OFFLINE, 0);
	if ((set->user & slots) && !pmudev_user_access_enabled())
		return pmudev_refuse(why, -EACCES, PMUDEV_WHY_USER_ACCESS, 0);
	return 0;
}

int pmudev_check_enable(struct pmudev_set *set, u64 slots, struct pmudev_refusal *why)
{
	int ret;

	lockdep_assert_held(&set->pmu->lock);
	slots &= ~set->alloc->placed;
	if (!slots)
		return 0;
	ret = check_moment(set, slots, why);
	if (!ret && becomes_private(set) && READ_ONCE(pmudev_readers.nr_granted))
		ret = pmudev_refuse_readable(&pmudev_readers.granted, why);
	return ret;
}

/* Activate what has counters, or give these back. pmu->lock held. */
static int activate(struct pmudev_set *set, u64 slots)
{
	struct pmudev_enable_arg change = { .slots = slots, .place = set->alloc->place };

	lockdep_assert_held(&set->pmu->lock);
	pmudev_set_call(set, pmudev_change_enable, &change);
	if (change.error)
		pmudev_slots_give_back(set, slots);
	return change.error;
}

/* pmu->lock held. */
static int enable_slots(struct pmudev_set *set, u64 slots, struct pmudev_refusal *why)
{
	int ret;

	lockdep_assert_held(&set->pmu->lock);
	if (!become_private(set))
		return pmudev_refuse_readable(&pmudev_readers.granted, why);
	ret = pmudev_slots_allocate(set, slots, why);
	if (!ret && activate(set, slots))
		ret = pmudev_refuse(why, -ESRCH, PMUDEV_WHY_ENDED, 0);
	if (ret)
		end_private(set);
	return ret;
}

/* A call of pmudev_slots_enable(). */
struct enabling {
	struct pmudev_set *set;
	u64 slots;
	struct pmudev_refusal *why;
	int ret; /* out */
};

/* pmu->lock held, in a worker, and the CPUs stay. */
static int enable_locked(struct pmudev_set *set, u64 slots, struct pmudev_refusal *why)
{
	struct pmudev_hold *hold = &pmudev_open_set(set)->hold;
	bool held = hold->held;
	int ret;

	slots &= ~set->alloc->placed;
	if (!slots)
		return 0;
	ret = check_moment(set, slots, why);
	if (!ret && !held) {
		ret = pmudev_reserve_pmu(set->pmu, why);
		hold->held = !ret;
	}
	if (!ret) {
		pmudev_alloc_look_at_perf(set->pmu, hold->pinned);
		ret = enable_slots(set, slots, why);
	}
	/* A refusal leaves perf what it had. */
	if (ret && hold->held && !held) {
		pmudev_release_pmu(set->pmu);
		hold->held = false;
	}
	return ret;
}

/* By a worker. */
static void enable_anyhow(void *arg)
{
	struct enabling *enabling = arg;
	struct pmudev_set *set = enabling->set;
	struct pmudev_hold *hold = &pmudev_open_set(set)->hold;
	bool held_all = hold->held_all;

	/* CPUs' counters may be reserved, and check_moment() asks whether a CPU is online. */
	cpus_read_lock();
	enabling->ret = pmudev_check_perf_readers(set, enabling->slots, enabling->why);
	if (!enabling->ret && (set->user & enabling->slots))
		enabling->ret = pmudev_reserve_others(set->pmu, hold, enabling->why);
	if (!enabling->ret) {
		mutex_lock(&set->pmu->lock);
		enabling->ret = enable_locked(set, enabling->slots, enabling->why);
		mutex_unlock(&set->pmu->lock);
	}
	if (enabling->ret && !held_all)
		pmudev_release_others(set->pmu, hold);
	cpus_read_unlock();
	pmudev_rotation_resume_others(set);
}

/*
 * The short way, for groups that are not multiplexed: free counters of a PMU that is reserved
 * already. No CPU has to be asked, no set makes room, and nothing is refused. pmu->lock held, and
 * the caller is not preempted. Return: false if it takes more, and nothing was done.
 */
static bool enable_free(struct pmudev_set *set, u64 slots)
{
	struct pmudev_hold *hold = &pmudev_open_set(set)->hold;
	bool held = hold->held;

	if (pmudev_rotation_concerned(set) || pmudev_set_ended(set))
		return false;
	/* Whether perf has readers must be found out, which may sleep. */
	if (becomes_private(set) && pmudev_beside_perf())
		return false;
	/* While the CPU's own context is loaded it stays: going offline takes pmu->lock first. */
	if (set->cpu >= 0 && READ_ONCE(per_cpu(pmudev_cpus, set->cpu).ctx.cpu) < 0)
		return false;
	slots &= ~set->alloc->placed;
	if (!slots)
		return true;
	if ((set->user & slots) && !pmudev_user_access_enabled())
		return false;
	if (!held && !pmudev_reserve_join(set->pmu))
		return false;
	pmudev_alloc_look_at_perf(set->pmu, 0);
	if (become_private(set) && pmudev_slots_allocate_free(set, slots) &&
	    !activate(set, slots)) {
		hold->held = true;
		return true;
	}
	end_private(set);
	/* This cannot be the last one: pmudev_reserve_join() found another set. */
	if (!held)
		pmudev_reserve_leave(set->pmu);
	return false;
}

/*
 * With preemption off nothing may sleep: there are no children to walk, no rotation to plan and no
 * other PMU to reserve. Return: false if there are, or others have pmu->lock; nothing was done.
 */
static bool enable_quickly(struct pmudev_set *set, u64 slots)
{
	bool done;

	if (set->inherit || (slots & set->mux) ||
	    ((set->user & slots) && !pmudev_open_set(set)->hold.held_all && pmudev_nr_pmus > 1) ||
	    !pmudev_trylock(&set->pmu->lock))
		return false;
	done = enable_free(set, slots);
	pmudev_unlock(&set->pmu->lock);
	return done;
}

int pmudev_slots_enable(struct pmudev_set *set, u64 slots, struct pmudev_refusal *why)
{
	struct enabling enabling = { .set = set, .slots = slots, .why = why };
	struct pmudev_hold *hold = &pmudev_open_set(set)->hold;
	u64 missing;
	int ret;

	lockdep_assert_held(&pmudev_open_set(set)->mutex);
	if (enable_quickly(set, slots))
		return 0;
	missing = slots & ~READ_ONCE(set->alloc->placed);
	ret = missing || pmudev_set_ended(set) ? check_moment(set, missing, why) : 0;
	if (ret)
		return ret;
	/* The caller allocates memory before a lock is taken that others would wait for. */
	if (slots & set->mux)
		pmudev_rotation_prepare(set);
	pmudev_children_make_room(set);
	/* Asked twice: a caller may see no /proc, and since 7.0 no kernel thread does. */
	ret = pmudev_check_perf_readers(set, slots, why);
	if (ret)
		return ret;
	pmudev_hold_look(set->pmu, hold);
	pmudev_by_worker(pmudev_urgent, enable_anyhow, &enabling);
	pmudev_explain_holder(enabling.ret, why);
	return enabling.ret;
}

int pmudev_set_enable(struct pmudev_set *set, u32 group, struct pmudev_refusal *why)
{
	u64 slots;
	int ret = pmudev_group_slots(set, group, &slots, why);

	return ret ? ret : pmudev_slots_enable(set, slots, why);
}

/* Slots that are disabled. */
struct disabling {
	struct pmudev_set *set;
	u64 slots;
	bool end; /* the set is destroyed: give its reservation back, too, if that is short */
};

/* pmu->lock held. */
static void disable_locked(struct disabling *disabling)
{
	struct pmudev_set *set = disabling->set;
	struct pmudev_hold *hold = &pmudev_open_set(set)->hold;

	lockdep_assert_held(&set->pmu->lock);
	pmudev_set_call(set, pmudev_change_disable, &disabling->slots);
	pmudev_slots_give_back(set, disabling->slots);
	end_private(set);
	if (disabling->end && hold->held && !hold->held_all)
		hold->held = !pmudev_reserve_leave(set->pmu);
}

/* By a worker. */
static void disable_anyhow(void *arg)
{
	struct disabling *disabling = arg;
	struct pmudev_set *set = disabling->set;

	mutex_lock(&set->pmu->lock);
	disable_locked(disabling);
	mutex_unlock(&set->pmu->lock);
	pmudev_rotation_resume_others(set);
}

static void disable_slots(struct pmudev_set *set, u64 slots, bool end)
{
	struct disabling disabling = { .set = set, .end = end };
	bool done = false;

	/* Also slots whose counters were reclaimed when the target ended. */
	disabling.slots = slots & (READ_ONCE(set->alloc->placed) | READ_ONCE(set->enabled) |
				   READ_ONCE(set->armed));
	if (!disabling.slots)
		return;
	/* The short way, if the caller need not sleep with pmu->lock held. */
	if (!set->inherit && !(disabling.slots & set->mux) && pmudev_trylock(&set->pmu->lock)) {
		done = !pmudev_rotation_concerned(set);
		if (done)
			disable_locked(&disabling);
		pmudev_unlock(&set->pmu->lock);
	}
	if (!done)
		pmudev_by_worker(pmudev_urgent, disable_anyhow, &disabling);
}

int pmudev_set_disable(struct pmudev_set *set, u32 group, struct pmudev_refusal *why)
{
	u64 slots;
	int ret = pmudev_group_slots(set, group, &slots, why);

	if (!ret)
		disable_slots(set, slots, false);
	return ret;
}

void pmudev_set_disable_all(struct pmudev_set *set)
{
	disable_slots(set, set->used, true);
}

int pmudev_set_reset(struct pmudev_set *set, u32 group, u32 slot, u64 value,
		     struct pmudev_refusal *why)
{
	struct pmudev_reset_arg change = { .value = value };
	struct pmudev_walk walk = { .fn = pmudev_change_reset, .arg = &change };
	int ret = pmudev_group_slots(set, group, &change.slots, why);

	if (ret)
		return ret;
	if (slot != PMUDEV_ALL) {
		if (group != PMUDEV_ALL || slot >= PMUDEV_MAX_EVENTS ||
		    !(set->used & BIT_ULL(slot)))
			return pmudev_refuse(why, -EINVAL, PMUDEV_WHY_SLOT, 0);
		change.slots = BIT_ULL(slot);
	}
	walk.reset = change.slots;
	/* What they have reached until now is reported. */
	if (pmudev_totals_of(set, change.slots))
		pmudev_set_look(set, pmudev_totals_look, NULL);
	pmudev_set_walk(set, &walk);
	pmudev_set_totals_release(set, change.slots);
	return 0;
}
