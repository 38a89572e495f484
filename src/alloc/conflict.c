// SPDX-License-Identifier: GPL-2.0
/* Conflicts: which sets have counters that another one wants. */
#include <linux/pid_namespace.h>
#include <linux/sched.h>

#include "../context/user_access.h"
#include "../worker.h"
#include "conflict.h"

u64 pmudev_held_by_others(struct pmudev_set *set, u64 allowed)
{
	return allowed & pmudev_pmu_available(set->pmu) & pmudev_alloc_taken(set, true);
}

/* Mark a context, and the parents of its children. pmudev_set_fn; @arg: the mark. */
static void mark(struct pmudev_ctx *ctx, struct pmudev_set *looked, void *arg)
{
	const u64 mark = *(const u64 *)arg;
	struct pmudev_set *set;

	pmudev_alloc_of(ctx, looked)->mark = mark;
	hlist_for_each_entry(set, &ctx->inherited, ctx_node)
		set->parent->alloc->mark = mark;
}

/*
 * Mark all that could be in conflict with @asking, once for all questions of a refusal: the number
 * of sets matters once then. pmu->lock held, as for find_holder().
 */
static void find_conflicts(struct pmudev_set *asking)
{
	struct pmudev_pmu_alloc *all = pmudev_pmu_alloc(asking->pmu);

	lockdep_assert_held(&asking->pmu->lock);
	all->mark++;
	pmudev_alloc_look(asking, mark, &all->mark);
}

/* As pmudev_alloc_taken() has it: sets of the other kind, and those of the same targets. */
static bool holds(const struct pmudev_alloc *alloc, const struct pmudev_set *asking, u64 counters)
{
	const struct pmudev_set *set = alloc->set;
	u64 mark = pmudev_pmu_alloc(asking->pmu)->mark;

	if (!((alloc->held | alloc->mux.borrowed) & counters))
		return false;
	return (set->cpu < 0) != (asking->cpu < 0) ||
	       pmudev_alloc_of(set->ctx, set)->mark == mark || alloc->mark == mark;
}

/* The pid of the process that opened a set; 0 if the caller may not know it. */
static pid_t opener_seen(struct pid *opener)
{
	struct task_struct *caller = pmudev_caller();

	if (opener != task_tgid(caller) && !pmudev_caller_sees_all())
		return 0;
	return pid_nr_ns(opener, task_active_pid_ns(caller));
}

static u32 kind_of(const struct pmudev_set *set)
{
	return set->cpu < 0 ? PMUDEV_HOLDER_TASK_SET : PMUDEV_HOLDER_CPU_SET;
}

/* After find_conflicts(asking). Return: false if neither a set nor perf has the counter. */
static bool find_holder(struct pmudev_set *asking, unsigned int counter,
			struct pmudev_holder *holder)
{
	const struct pmudev_perf_use *perf = &pmudev_pmu_alloc(asking->pmu)->perf;
	const struct pmudev_alloc *alloc;

	pmudev_for_each_alloc(alloc, asking->pmu) {
		const struct pmudev_set *set = alloc->set;

		if (!holds(alloc, asking, BIT_ULL(counter)))
			continue;
		holder->counter = counter;
		holder->kind = set == asking ? PMUDEV_HOLDER_SET : kind_of(set);
		holder->cpu = set->cpu;
		holder->pid = opener_seen(alloc->opener);
		return true;
	}
	if (!((perf->pinned | perf->flexible) & BIT_ULL(counter)))
		return false;
	*holder = (struct pmudev_holder){
		.counter = counter,
		.kind = PMUDEV_HOLDER_PERF,
		.cpu = pmudev_backend.shared->perf_cpu(&asking->pmu->info, counter),
	};
	return true;
}

/* A call of pmudev_list_holders() */
struct listing {
	struct pmudev_set *set;
	u64 busy;
	struct pmudev_holder *holder;
	unsigned int nr; /* out: how many were found */
};

static bool list_holders(void *arg)
{
	struct listing *listing = arg;
	struct pmudev_holder *holder = listing->holder;
	struct pmudev_set *set = listing->set;
	unsigned int c;
	u64 rest;

	if (!pmudev_in_worker())
		return false;
	pmudev_alloc_look_at_perf(set->pmu, 0);
	find_conflicts(set);
	pmudev_for_each_slot(c, rest, listing->busy) {
		if (READ_ONCE(set->pmu->info.unavailable) & BIT_ULL(c))
			*holder++ = (struct pmudev_holder){
				.counter = c,
				.kind = PMUDEV_HOLDER_HYPERVISOR,
				.cpu = -1,
			};
		else if (find_holder(set, c, holder))
			holder++;
	}
	listing->nr = holder - listing->holder;
	return true;
}

unsigned int pmudev_list_holders(struct pmudev_set *set, u64 busy, struct pmudev_holder *holder)
{
	struct listing listing = { .set = set, .busy = busy, .holder = holder };

	pmudev_locked(pmudev_urgent, &set->pmu->lock, list_holders, &listing);
	return listing.nr;
}

int pmudev_refuse_held(struct pmudev_set *set, const struct pmudev_constraint *constraint,
		       struct pmudev_refusal *why)
{
	why->allowed = pmudev_places_counters(constraint->allowed, constraint->chained);
	why->busy = pmudev_held_by_others(set, why->allowed);
	if (why->busy) {
		find_conflicts(set);
		find_holder(set, __ffs64(why->busy), &why->holder);
	}
	return pmudev_refuse(why, -EBUSY, PMUDEV_WHY_HELD, 0);
}

int pmudev_refuse_unavailable(const struct pmudev_pmu *pmu, struct pmudev_refusal *why)
{
	u64 unavailable = READ_ONCE(pmu->info.unavailable);

	why->busy = why->allowed & unavailable;
	why->holder.counter = __ffs64(why->busy ?: unavailable);
	why->holder.kind = PMUDEV_HOLDER_HYPERVISOR;
	return pmudev_refuse(why, -EBUSY, PMUDEV_WHY_HELD, 0);
}

/* A refusal that is completed */
struct refused {
	struct pmudev_set *set;	    /* the set that was refused */
	struct pmudev_refusal *why; /* the refusal */
};

static bool complete_busy(void *arg)
{
	struct refused *refused = arg;

	if (!pmudev_in_worker())
		return false;
	pmudev_alloc_look_at_perf(refused->set->pmu, 0);
	refused->why->busy |= pmudev_held_by_others(refused->set, refused->why->allowed);
	return true;
}

void pmudev_refusal_complete(struct pmudev_set *set, struct pmudev_refusal *why)
{
	struct refused refused = { .set = set, .why = why };

	if (why->code == PMUDEV_WHY_HELD)
		pmudev_locked(pmudev_urgent, &set->pmu->lock, complete_busy, &refused);
}

int pmudev_refuse_readable(struct list_head *sets, struct pmudev_refusal *why)
{
	struct pid *opener = NULL;
	struct pmudev_set *set;

	/* The last of them may be gone by now: then nobody is named. */
	raw_spin_lock_irq(&pmudev_readers.lock);
	set = list_first_entry_or_null(sets, struct pmudev_set, mapping.readers_node);
	if (set) {
		why->holder.kind = kind_of(set);
		why->holder.cpu = set->cpu;
		opener = get_pid(set->alloc->opener);
	}
	raw_spin_unlock_irq(&pmudev_readers.lock);
	/* The caller's right to know is checked without a spinlock. */
	why->holder.pid = opener ? opener_seen(opener) : 0;
	put_pid(opener);
	return pmudev_refuse(why, -EBUSY, PMUDEV_WHY_USER_READABLE, 0);
}
