// SPDX-License-Identifier: GPL-2.0
/* Enabling, disabling and resetting: the sleeping half; sched.c has the other. */
#include <linux/cpu.h>
#include <linux/slab.h>

#include "core.h"

int pmudev_group_slots(struct pmudev_set *set, u32 group, u64 *slots, struct pmudev_refusal *why)
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

/* The masks of allowed counters, by slot in ascending order. */
static unsigned int slots_allowed(struct pmudev_set *set, u64 slots, u64 *allowed)
{
	unsigned int slot, nr = 0;
	u64 rest;

	pmudev_for_each_slot(slot, rest, slots)
		allowed[nr++] = pmudev_slot_event(set, slot)->allowed;
	return nr;
}

/* The slot that is the @nth of a mask. */
static int nth_slot(u64 slots, int nth)
{
	while (nth-- > 0)
		slots &= slots - 1;
	return __ffs64(slots);
}

/* ------------------------------------------------------------- enabling -- */

/*
 * Where the hardware cannot hide counters from a task that may read its own,
 * a CPU's counts and such tasks exclude each other.
 */
static int become_private(struct pmudev_set *set, struct pmudev_refusal *why)
{
	struct pmudev_pmu *pmu = set->pmu;
	int ret = 0;

	if (set->cpu < 0 || set->shared || set->private)
		return 0;
	raw_spin_lock_irq(&pmu->visible_lock);
	if (pmu->nr_granted) {
		why->holder.kind = PMUDEV_HOLDER_TASK_SET;
		why->holder.cpu = -1;
		ret = pmudev_refuse(why, -EBUSY, PMUDEV_WHY_VISIBLE, 0);
	} else {
		pmu->nr_private++;
		set->private = true;
	}
	raw_spin_unlock_irq(&pmu->visible_lock);
	return ret;
}

static void end_private(struct pmudev_set *set)
{
	if (!set->private || set->placed)
		return;
	raw_spin_lock_irq(&set->pmu->visible_lock);
	set->pmu->nr_private--;
	set->private = false;
	raw_spin_unlock_irq(&set->pmu->visible_lock);
}

static int place_slots(struct pmudev_set *set, u64 slots, struct pmudev_refusal *why)
{
	const struct pmudev_pmu_info *info = &set->pmu->info;
	u64 allowed[PMUDEV_MAX_EVENTS], rest;
	unsigned int slot, i = 0, nr;
	u8 counter[PMUDEV_MAX_EVENTS];
	int ret;

	nr = slots_allowed(set, slots, allowed);
	ret = pmudev_place(set, allowed, nr, counter, why);
	if (ret) {
		why->event = nth_slot(slots, why->event);
		return ret;
	}
	pmudev_for_each_slot(slot, rest, slots) {
		struct pmudev_hw *hw = &pmudev_slot_event(set, slot)->hw;

		hw->counter = counter[i++];
		hw->width = hw->counter < PMUDEV_FIXED_BASE ? info->width : info->width_fixed;
	}
	pmudev_ledger_take(set, slots);
	return 0;
}

/* Claimed, placed and on, or nothing of it. The CPUs stay; pmu->lock held. */
static int enable_slots(struct pmudev_set *set, u64 slots, struct pmudev_refusal *why)
{
	struct pmudev_change change = { .set = set, .slots = slots };
	int ret;

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
	ret = place_slots(set, slots, why);
	if (ret)
		goto out;
	pmudev_ctx_call(set->ctx, pmudev_change_enable, &change);
	if (change.error) {
		pmudev_ledger_give(set, slots);
		ret = pmudev_refuse(why, -ESRCH, PMUDEV_WHY_ENDED, 0);
	}
out:
	if (ret)
		end_private(set);
	return ret;
}

int pmudev_set_enable(struct pmudev_set *set, u32 group, struct pmudev_refusal *why)
{
	bool had_claim = set->claimed;
	u64 slots;
	int ret;

	ret = pmudev_group_slots(set, group, &slots, why);
	if (ret)
		return ret;
	if (READ_ONCE(set->ctx->dead))
		return pmudev_refuse(why, -ESRCH, PMUDEV_WHY_ENDED, 0);
	slots &= ~set->enabled;
	if (!slots)
		return 0;

	cpus_read_lock();
	mutex_lock(&set->pmu->lock);
	if (set->cpu >= 0 && !cpu_online(set->cpu))
		ret = pmudev_refuse(why, -ENODEV, PMUDEV_WHY_CPU_OFFLINE, 0);
	else
		ret = enable_slots(set, slots, why);
	/* A refusal leaves perf what it had. */
	if (ret && set->claimed && !had_claim) {
		pmudev_claim_put(set->pmu);
		set->claimed = false;
	}
	mutex_unlock(&set->pmu->lock);
	cpus_read_unlock();
	if (ret && why->code == PMUDEV_WHY_PMU_HELD && pmudev_backend.explain)
		pmudev_backend.explain(why);
	return ret;
}

int pmudev_set_disable(struct pmudev_set *set, u32 group, struct pmudev_refusal *why)
{
	struct pmudev_change change = { .set = set };
	int ret;

	ret = pmudev_group_slots(set, group, &change.slots, why);
	if (ret)
		return ret;
	change.slots &= set->enabled;
	if (!change.slots)
		return 0;
	mutex_lock(&set->pmu->lock);
	pmudev_ctx_call(set->ctx, pmudev_change_disable, &change);
	pmudev_ledger_give(set, change.slots);
	end_private(set);
	mutex_unlock(&set->pmu->lock);
	return 0;
}

int pmudev_set_reset(struct pmudev_set *set, u32 group, u32 slot, u64 value,
		     struct pmudev_refusal *why)
{
	struct pmudev_change change = { .set = set, .value = value };
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
	pmudev_ctx_call(set->ctx, pmudev_change_reset, &change);
	return 0;
}

/* ------------------------------------------------------------- dry runs -- */

static int place_in_set(struct pmudev_set *set, s32 *counter, struct pmudev_refusal *why)
{
	u64 placed = set->placed, want = set->used & ~placed;
	u64 allowed[PMUDEV_MAX_EVENTS], rest;
	u8 place[PMUDEV_MAX_EVENTS];
	unsigned int slot, i = 0;
	int ret = 0;

	for (slot = 0; slot < set->nr_slots; slot++)
		counter[slot] = -1;
	if (want) {
		ret = pmudev_place(set, allowed, slots_allowed(set, want, allowed), place, why);
		if (ret)
			why->event = nth_slot(want, why->event);
	}
	if (ret)
		return ret;
	pmudev_for_each_slot(slot, rest, set->used) {
		if (placed & BIT_ULL(slot))
			counter[slot] = pmudev_slot_event(set, slot)->hw.counter;
		else
			counter[slot] = place[i++];
	}
	return 0;
}

static int place_new(struct pmudev_set *set, const struct pmudev_event_attr *attr, unsigned int nr,
		     s32 *counter, struct pmudev_refusal *why)
{
	u64 allowed[PMUDEV_MAX_EVENTS];
	u8 place[PMUDEV_MAX_EVENTS];
	struct pmudev_code *code;
	unsigned int i;
	int ret;

	code = kcalloc(nr, sizeof(*code), GFP_KERNEL);
	if (!code)
		return pmudev_refuse(why, -ENOMEM, PMUDEV_WHY_MEMORY, 0);
	ret = pmudev_check_events(set, attr, nr, code, why);
	for (i = 0; i < nr && !ret; i++)
		allowed[i] = code[i].allowed;
	kfree(code);
	if (!ret)
		ret = pmudev_place(set, allowed, nr, place, why);
	for (i = 0; i < nr && !ret; i++)
		counter[i] = place[i];
	return ret;
}

int pmudev_set_place(struct pmudev_set *set, const struct pmudev_event_attr *attr, unsigned int nr,
		     s32 *counter, unsigned int *nr_out, struct pmudev_refusal *why)
{
	int ret;

	lockdep_assert_held(&set->mutex);
	if (!set->ctx)
		return pmudev_refuse(why, -EINVAL, PMUDEV_WHY_UNBOUND, 0);
	if (READ_ONCE(set->ctx->dead))
		return pmudev_refuse(why, -ESRCH, PMUDEV_WHY_ENDED, 0);
	mutex_lock(&set->pmu->lock);
	if (nr)
		ret = place_new(set, attr, nr, counter, why);
	else
		ret = place_in_set(set, counter, why);
	mutex_unlock(&set->pmu->lock);
	*nr_out = nr ? nr : set->nr_slots;
	return ret;
}
