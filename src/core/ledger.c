// SPDX-License-Identifier: GPL-2.0
/*
 * The ledger: which counters are placed for whom. A placement is made when a
 * set is enabled and holds on every CPU, wherever its task goes.
 *
 *   a task set		avoids the counters of every CPU set and of the same task's sets
 *   a CPU set		avoids the counters of every task set and of the same CPU's sets
 *
 * A task's sets are those that were bound to it and those that it inherited; an inherited set
 * avoids what each of its family's tasks has. Multiplexing sets have placed as many counters as
 * let each of their groups fit; what they use beyond (their spare counters) is anybody's.
 */
#include <linux/pid_namespace.h>
#include <linux/sched.h>

#include "ledger.h"

struct taken {
	u64 counters;
	bool spare;
};

/* What the sets of a context have, and those of whom it has heirs, but not what @but's heir has. */
static void add_taken(struct pmudev_ctx *ctx, const struct pmudev_set *but, struct taken *taken)
{
	struct pmudev_set *set;

	lockdep_assert_held(&ctx->lock);
	taken->counters |= ctx->held | (taken->spare ? ctx->spare : 0);
	if (!ctx->task)
		return;
	hlist_for_each_entry(set, &ctx->family, ctx_node)
		if (set->root != set && set->root != but)
			taken->counters |= set->root->held | (taken->spare ? set->root->spare : 0);
}

static void visit_taken(struct pmudev_ctx *ctx, void *arg)
{
	struct pmudev_change *change = arg;

	add_taken(ctx, change->set->root, change->data);
}

static void visit_elsewhere(struct pmudev_ctx *ctx, void *arg)
{
	struct pmudev_change *change = arg;

	if (change->set != change->set->root)
		visit_taken(ctx, arg);
}

u64 pmudev_ledger_elsewhere(struct pmudev_set *set)
{
	struct taken taken = {};
	struct pmudev_change change = { .data = &taken, .reading = true };

	lockdep_assert_held(&set->pmu->lock);
	if (pmudev_family_lives(set))
		pmudev_family_call(set, visit_elsewhere, &change);
	return taken.counters;
}

static noinline_for_stack void add_taken_by_family(struct pmudev_set *set, struct taken *taken)
{
	struct pmudev_change change = { .data = taken, .reading = true };

	pmudev_family_call(set, visit_taken, &change);
}

u64 pmudev_ledger_taken(struct pmudev_set *set, bool spare)
{
	struct taken taken = { .spare = spare };
	unsigned long flags;

	lockdep_assert_held(&set->pmu->lock);
	taken.counters = pmudev_ledger_taken_alone(set, spare);
	if (pmudev_family_lives(set)) {
		add_taken_by_family(set, &taken);
	} else if (READ_ONCE(set->ctx->nr_family)) {
		/* Only looked at: the context may be loaded elsewhere. */
		raw_spin_lock_irqsave(&set->ctx->lock, flags);
		add_taken(set->ctx, set, &taken);
		raw_spin_unlock_irqrestore(&set->ctx->lock, flags);
	}
	return taken.counters;
}

void pmudev_ledger_sweep(struct pmudev_pmu *pmu)
{
	struct pmudev_set *set, *next;

	lockdep_assert_held(&pmu->lock);
	list_for_each_entry_safe(set, next, &pmu->sets, node) {
		if (!pmudev_set_ended(set))
			continue;
		pmudev_rest_end(set);
		pmudev_ledger_withdraw(set);
		WRITE_ONCE(set->placed, 0);
		set->base = 0;
		set->spare = 0;
	}
}

u64 pmudev_ledger_busy(struct pmudev_pmu *pmu)
{
	lockdep_assert_held(&pmu->lock);
	pmudev_ledger_sweep(pmu);
	return pmu->task_use.any | pmu->cpu_use.any | pmu->task_spare | pmu->cpu_spare;
}

static u64 placed_counters(struct pmudev_set *set)
{
	u64 rest, mask = set->base, strict = set->placed & ~set->mux;
	unsigned int slot;

	if (strict == set->last.slots)
		return mask | set->last.counters;
	pmudev_for_each_slot(slot, rest, strict)
		mask |= pmudev_place_counters(set->place[slot],
					      pmudev_slot_event(set, slot)->hw.pair);
	return mask;
}

static struct pmudev_use *use_of(const struct pmudev_set *set)
{
	return set->cpu < 0 ? &set->pmu->task_use : &set->pmu->cpu_use;
}

void pmudev_ledger_list(struct pmudev_set *set)
{
	struct pmudev_pmu *pmu = set->pmu;
	struct pmudev_use *use = use_of(set);
	unsigned int c;
	u64 rest;

	lockdep_assert_held(&pmu->lock);
	list_add_tail(&set->node, &pmu->sets);
	pmu->nr_sets++;
	pmu->nr_mux += !!set->base;
	set->held = placed_counters(set);
	set->ctx->held |= set->held;
	pmudev_for_each_slot(c, rest, set->held)
		use->nr[c]++;
	use->any |= set->held;
}

void pmudev_ledger_unlist(struct pmudev_set *set)
{
	struct pmudev_pmu *pmu = set->pmu;
	struct pmudev_use *use = use_of(set);
	unsigned int c;
	u64 rest;

	lockdep_assert_held(&pmu->lock);
	pmudev_for_each_slot(c, rest, set->held)
		if (!--use->nr[c])
			use->any &= ~BIT_ULL(c);
	set->ctx->held &= ~set->held;
	set->ctx->spare &= ~set->spare;
	set->held = 0;
	pmu->nr_mux -= !!set->base;
	list_del(&set->node);
	pmu->nr_sets--;
	/* Who enters it again has it go on. */
	hlist_del_init(&set->paused_node);
}

/* -------------------------------------------------------------- holders -- */

/* The context, and whoever has heirs there. */
static void visit_mark(struct pmudev_ctx *ctx, void *arg)
{
	struct pmudev_change *change = arg;
	u64 mark = change->set->pmu->mark;
	struct pmudev_set *set;

	ctx->mark = mark;
	if (!ctx->task)
		return;
	hlist_for_each_entry(set, &ctx->family, ctx_node)
		set->root->mark = mark;
}

/* Once for all questions of a refusal: how many sets there are matters once, then. */
void pmudev_ledger_meet(struct pmudev_set *asking)
{
	struct pmudev_change change = { .set = asking, .reading = true };
	unsigned long flags;

	lockdep_assert_held(&asking->pmu->lock);
	asking->pmu->mark++;
	if (pmudev_family_lives(asking)) {
		pmudev_family_call(asking, visit_mark, &change);
	} else {
		/* Only looked at: the context may be loaded elsewhere. */
		raw_spin_lock_irqsave(&asking->ctx->lock, flags);
		visit_mark(asking->ctx, &change);
		raw_spin_unlock_irqrestore(&asking->ctx->lock, flags);
	}
}

/* As in pmudev_ledger_taken(): others of the other kind, and those of the same targets. */
static bool holds(const struct pmudev_set *set, const struct pmudev_set *asking, u64 counters)
{
	u64 mark = asking->pmu->mark;

	if (!((set->held | set->spare) & counters))
		return false;
	return (set->cpu < 0) != (asking->cpu < 0) || set->ctx->mark == mark || set->mark == mark;
}

/* The pid of the process that opened the set; 0 if the caller may not know it. */
static pid_t opener_seen(struct pid *opener)
{
	struct task_struct *caller = pmudev_caller();

	if (opener != task_tgid(caller) && !pmudev_caller_sees_all())
		return 0;
	return pid_nr_ns(opener, task_active_pid_ns(caller));
}

int pmudev_refuse_visible(struct list_head *sets, struct pmudev_refusal *why)
{
	struct pmudev_set *set;
	struct pid *opener = NULL;

	/* The last may be gone by now: then nobody is named. */
	raw_spin_lock_irq(&pmudev_visible.lock);
	set = list_first_entry_or_null(sets, struct pmudev_set, visible_node);
	if (set) {
		why->holder.kind = set->cpu < 0 ? PMUDEV_HOLDER_TASK_SET : PMUDEV_HOLDER_CPU_SET;
		why->holder.cpu = set->cpu;
		opener = get_pid(set->opener);
	}
	raw_spin_unlock_irq(&pmudev_visible.lock);
	/* Whether the caller may know is asked without a spinlock. */
	why->holder.pid = set ? opener_seen(opener) : 0;
	put_pid(opener);
	return pmudev_refuse(why, -EBUSY, PMUDEV_WHY_VISIBLE, 0);
}

static void name_holder(struct pmudev_set *set, struct pmudev_set *asking, unsigned int counter,
			struct pmudev_holder *holder)
{
	holder->counter = counter;
	if (set == asking)
		holder->kind = PMUDEV_HOLDER_SET;
	else
		holder->kind = set->cpu < 0 ? PMUDEV_HOLDER_TASK_SET : PMUDEV_HOLDER_CPU_SET;
	holder->cpu = set->cpu;
	holder->pid = opener_seen(set->opener);
}

bool pmudev_find_holder(struct pmudev_set *asking, unsigned int counter,
			struct pmudev_holder *holder)
{
	struct pmudev_set *set;

	lockdep_assert_held(&asking->pmu->lock);
	list_for_each_entry(set, &asking->pmu->sets, node) {
		if (holds(set, asking, BIT_ULL(counter))) {
			name_holder(set, asking, counter, holder);
			return true;
		}
	}
	return false;
}

struct listing {
	struct pmudev_set *set;
	u64 busy;
	struct pmudev_holder *holder;
	unsigned int nr;
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
	pmudev_rest_end_all(set->pmu);
	pmudev_ledger_meet(set);
	pmudev_for_each_slot(c, rest, listing->busy) {
		if (set->pmu->info.reserved & BIT_ULL(c))
			*holder++ = (struct pmudev_holder){
				.counter = c,
				.kind = pmudev_reserved_kind(set->pmu, c),
				.cpu = -1,
			};
		else if (pmudev_find_holder(set, c, holder))
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
