// SPDX-License-Identifier: GPL-2.0
/*
 * The ledger: which counters are placed for whom. A placement is made when a
 * set is enabled and holds on every CPU, wherever its task goes.
 *
 *   a task set		avoids the counters of every CPU set and of the same task's sets
 *   a CPU set		avoids the counters of every task set and of the same CPU's sets
 */
#include <linux/pid_namespace.h>
#include <linux/sched.h>

#include "core.h"

static u64 busy_for(struct pmudev_set *set)
{
	struct pmudev_pmu *pmu = set->pmu;
	const u32 *use = set->cpu < 0 ? pmu->cpu_use : pmu->task_use;
	u64 busy = set->ctx->held;
	unsigned int c;

	for (c = 0; c < PMUDEV_COUNTERS; c++)
		if (use[c])
			busy |= BIT_ULL(c);
	return busy;
}

/* Sets whose thread has ended count no more: their counters are free. */
static void sweep(struct pmudev_pmu *pmu)
{
	struct pmudev_set *set, *next;

	list_for_each_entry_safe(set, next, &pmu->sets, node)
		if (READ_ONCE(set->ctx->dead))
			pmudev_ledger_give(set, set->placed);
}

u64 pmudev_ledger_busy(struct pmudev_pmu *pmu)
{
	unsigned int c;
	u64 busy = 0;

	lockdep_assert_held(&pmu->lock);
	sweep(pmu);
	for (c = 0; c < PMUDEV_COUNTERS; c++)
		if (pmu->task_use[c] || pmu->cpu_use[c])
			busy |= BIT_ULL(c);
	return busy;
}

static int try_place(u64 free, const u64 *allowed, unsigned int nr, u8 *counter)
{
	struct pmudev_want want[PMUDEV_MAX_EVENTS];
	unsigned int i;

	if (WARN_ON_ONCE(nr > PMUDEV_MAX_EVENTS))
		return 0;
	for (i = 0; i < nr; i++) {
		want[i].allowed = allowed[i] & free;
		want[i].now = PMUDEV_NOWHERE;
		want[i].pair = false;
	}
	return pmudev_assign(want, nr, counter);
}

static bool holds(struct pmudev_set *set, struct pmudev_set *asking, u64 counters)
{
	if (!(set->held & counters))
		return false;
	/* As in busy_for(): others of the other kind, and those of the same target. */
	return set->ctx == asking->ctx || (set->cpu < 0) != (asking->cpu < 0);
}

static void name_holder(struct pmudev_set *set, struct pmudev_set *asking, unsigned int counter,
			struct pmudev_holder *holder)
{
	pid_t pid = pid_nr_ns(set->opener, task_active_pid_ns(current));

	holder->counter = counter;
	if (set == asking)
		holder->kind = PMUDEV_HOLDER_SET;
	else
		holder->kind = set->cpu < 0 ? PMUDEV_HOLDER_TASK_SET : PMUDEV_HOLDER_CPU_SET;
	holder->cpu = set->cpu;
	holder->pid = set->opener == task_tgid(current) || perfmon_capable() ? pid : 0;
}

static bool find_holder(struct pmudev_set *asking, unsigned int counter,
			struct pmudev_holder *holder)
{
	struct pmudev_set *set;

	list_for_each_entry(set, &asking->pmu->sets, node) {
		if (holds(set, asking, BIT_ULL(counter))) {
			name_holder(set, asking, counter, holder);
			return true;
		}
	}
	return false;
}

unsigned int pmudev_list_holders(struct pmudev_set *set, u64 busy, struct pmudev_holder *holder)
{
	unsigned int c, nr = 0;
	u64 rest;

	mutex_lock(&set->pmu->lock);
	pmudev_for_each_slot(c, rest, busy) {
		if (set->pmu->info.reserved & BIT_ULL(c))
			holder[nr++] = (struct pmudev_holder){
				.counter = c,
				.kind = PMUDEV_HOLDER_CLAIM,
				.cpu = -1,
			};
		else if (find_holder(set, c, &holder[nr]))
			nr++;
	}
	mutex_unlock(&set->pmu->lock);
	return nr;
}

int pmudev_place_ever(struct pmudev_pmu *pmu, const u64 *allowed, unsigned int nr,
		      struct pmudev_refusal *why)
{
	u64 reserved = pmu->info.reserved;
	u8 counter[PMUDEV_MAX_EVENTS];
	int bad;

	bad = try_place(pmu->info.counters & ~reserved, allowed, nr, counter);
	if (bad < 0)
		return 0;
	why->event = bad;
	why->allowed = allowed[bad];
	if (try_place(pmu->info.counters, allowed, nr, counter) >= 0)
		return pmudev_refuse(why, -ENOSPC, PMUDEV_WHY_NO_COUNTER, 0);
	/* All would fit if the claim did not cost a counter. */
	why->busy = allowed[bad] & reserved;
	why->holder.kind = PMUDEV_HOLDER_CLAIM;
	why->holder.counter = why->busy ? __ffs64(why->busy) : __ffs64(reserved);
	return pmudev_refuse(why, -EBUSY, PMUDEV_WHY_HELD, 0);
}

int pmudev_place(struct pmudev_set *set, const u64 *allowed, unsigned int nr, u8 *counter,
		 struct pmudev_refusal *why)
{
	struct pmudev_pmu *pmu = set->pmu;
	u64 available = pmu->info.counters & ~pmu->info.reserved;
	int bad, ret;

	lockdep_assert_held(&pmu->lock);
	bad = try_place(available & ~busy_for(set), allowed, nr, counter);
	if (bad < 0)
		return 0;
	sweep(pmu);
	bad = try_place(available & ~busy_for(set), allowed, nr, counter);
	if (bad < 0)
		return 0;

	ret = pmudev_place_ever(pmu, allowed, nr, why);
	if (ret)
		return ret;
	why->event = bad;
	why->allowed = allowed[bad];
	why->busy = allowed[bad] & available & busy_for(set);
	if (!why->busy)
		return pmudev_refuse(why, -EBUSY, PMUDEV_WHY_HELD, 0);
	find_holder(set, __ffs64(why->busy), &why->holder);
	return pmudev_refuse(why, -EBUSY, PMUDEV_WHY_HELD, 0);
}

static u64 slots_counters(struct pmudev_set *set, u64 slots)
{
	unsigned int slot;
	u64 rest, mask = 0;

	pmudev_for_each_slot(slot, rest, slots)
		mask |= BIT_ULL(pmudev_slot_event(set, slot)->hw.counter);
	return mask;
}

void pmudev_ledger_take(struct pmudev_set *set, u64 slots)
{
	struct pmudev_pmu *pmu = set->pmu;
	u32 *use = set->cpu < 0 ? pmu->task_use : pmu->cpu_use;
	u64 rest, mask = slots_counters(set, slots);
	unsigned int c;

	lockdep_assert_held(&pmu->lock);
	if (!set->placed)
		list_add_tail(&set->node, &pmu->sets);
	set->placed |= slots;
	set->held |= mask;
	set->ctx->held |= mask;
	pmudev_for_each_slot(c, rest, mask)
		use[c]++;
}

void pmudev_ledger_give(struct pmudev_set *set, u64 slots)
{
	struct pmudev_pmu *pmu = set->pmu;
	u32 *use = set->cpu < 0 ? pmu->task_use : pmu->cpu_use;
	u64 rest, mask;
	unsigned int c;

	lockdep_assert_held(&pmu->lock);
	slots &= set->placed;
	if (!slots)
		return;
	mask = slots_counters(set, slots);
	set->placed &= ~slots;
	set->held &= ~mask;
	set->ctx->held &= ~mask;
	pmudev_for_each_slot(c, rest, mask)
		use[c]--;
	if (!set->placed)
		list_del(&set->node);
}
