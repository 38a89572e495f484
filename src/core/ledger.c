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
	bool borrowed;
};

/* What the sets of a context have, and those of whom it has children, but not what @but's child has. */
static void add_taken(struct pmudev_ctx *ctx, const struct pmudev_set *but, struct taken *taken)
{
	struct pmudev_set *set;

	lockdep_assert_held(&ctx->lock);
	taken->counters |= ctx->held | (taken->borrowed ? ctx->borrowed : 0);
	if (!ctx->task)
		return;
	hlist_for_each_entry(set, &ctx->inherit, ctx_node)
		if (set->parent != set && set->parent != but)
			taken->counters |=
				set->parent->held | (taken->borrowed ? set->parent->borrowed : 0);
}

static void visit_taken(struct pmudev_ctx *ctx, void *arg)
{
	struct pmudev_change *change = arg;

	add_taken(ctx, change->set->parent, change->data);
}

static void visit_taken_by_child(struct pmudev_ctx *ctx, void *arg)
{
	struct pmudev_change *change = arg;

	if (change->set != change->set->parent)
		visit_taken(ctx, arg);
}

u64 pmudev_alloc_taken_by_children(struct pmudev_set *set)
{
	struct taken taken = {};
	struct pmudev_change change = { .data = &taken, .reading = true };

	lockdep_assert_held(&set->pmu->lock);
	if (pmudev_has_children(set))
		pmudev_set_call(set, visit_taken_by_child, &change);
	return taken.counters;
}

static noinline_for_stack void add_taken_by_children(struct pmudev_set *set, struct taken *taken)
{
	struct pmudev_change change = { .data = taken, .reading = true };

	pmudev_set_call(set, visit_taken, &change);
}

u64 pmudev_alloc_taken(struct pmudev_set *set, bool borrowed)
{
	struct taken taken = { .borrowed = borrowed };
	unsigned long flags;

	lockdep_assert_held(&set->pmu->lock);
	taken.counters = pmudev_alloc_taken_alone(set, borrowed);
	if (pmudev_has_children(set)) {
		add_taken_by_children(set, &taken);
	} else if (READ_ONCE(set->ctx->nr_inherit)) {
		/* Only looked at: the context may be loaded on_other_pmu. */
		raw_spin_lock_irqsave(&set->ctx->lock, flags);
		add_taken(set->ctx, set, &taken);
		raw_spin_unlock_irqrestore(&set->ctx->lock, flags);
	}
	return taken.counters;
}

void pmudev_reclaim_dead(struct pmudev_pmu *pmu)
{
	struct pmudev_set *set, *next;

	lockdep_assert_held(&pmu->lock);
	list_for_each_entry_safe(set, next, &pmu->sets, node) {
		if (!pmudev_set_ended(set))
			continue;
		pmudev_rest_end(set);
		pmudev_alloc_unaccount(set);
		WRITE_ONCE(set->placed, 0);
		set->guaranteed = 0;
		set->borrowed = 0;
	}
}

u64 pmudev_alloc_busy(struct pmudev_pmu *pmu)
{
	lockdep_assert_held(&pmu->lock);
	pmudev_reclaim_dead(pmu);
	return pmu->task_use.any | pmu->cpu_use.any | pmu->task_borrowed | pmu->cpu_borrowed;
}

static u64 placed_counters(struct pmudev_set *set)
{
	u64 rest, mask = set->guaranteed, non_mux = set->placed & ~set->mux;
	unsigned int slot;

	if (non_mux == set->last.slots)
		return mask | set->last.counters;
	pmudev_for_each_slot(slot, rest, non_mux)
		mask |= pmudev_place_counters(set->place[slot],
					      pmudev_slot_event(set, slot)->hw.chained);
	return mask;
}

static struct pmudev_use *use_of(const struct pmudev_set *set)
{
	return set->cpu < 0 ? &set->pmu->task_use : &set->pmu->cpu_use;
}

void pmudev_alloc_do_account(struct pmudev_set *set)
{
	struct pmudev_pmu *pmu = set->pmu;
	struct pmudev_use *use = use_of(set);
	unsigned int c;
	u64 rest;

	lockdep_assert_held(&pmu->lock);
	list_add_tail(&set->node, &pmu->sets);
	pmu->nr_sets++;
	pmu->nr_mux += !!set->guaranteed;
	set->held = placed_counters(set);
	set->ctx->held |= set->held;
	pmudev_for_each_slot(c, rest, set->held)
		use->nr[c]++;
	use->any |= set->held;
}

void pmudev_alloc_do_unaccount(struct pmudev_set *set)
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
	set->ctx->borrowed &= ~set->borrowed;
	set->held = 0;
	pmu->nr_mux -= !!set->guaranteed;
	list_del(&set->node);
	pmu->nr_sets--;
	/* Who enters it again has it go on. */
	hlist_del_init(&set->suspended_node);
}

/* -------------------------------------------------------------- holders -- */

/* The context, and whoever has children there. */
static void visit_mark(struct pmudev_ctx *ctx, void *arg)
{
	struct pmudev_change *change = arg;
	u64 mark = change->set->pmu->mark;
	struct pmudev_set *set;

	ctx->mark = mark;
	if (!ctx->task)
		return;
	hlist_for_each_entry(set, &ctx->inherit, ctx_node)
		set->parent->mark = mark;
}

/* Once for all questions of a refusal: how many sets there are matters once, then. */
void pmudev_find_conflicts(struct pmudev_set *asking)
{
	struct pmudev_change change = { .set = asking, .reading = true };
	unsigned long flags;

	lockdep_assert_held(&asking->pmu->lock);
	asking->pmu->mark++;
	if (pmudev_has_children(asking)) {
		pmudev_set_call(asking, visit_mark, &change);
	} else {
		/* Only looked at: the context may be loaded on_other_pmu. */
		raw_spin_lock_irqsave(&asking->ctx->lock, flags);
		visit_mark(asking->ctx, &change);
		raw_spin_unlock_irqrestore(&asking->ctx->lock, flags);
	}
}

/* As in pmudev_alloc_taken(): others of the other kind, and those of the same targets. */
static bool holds(const struct pmudev_set *set, const struct pmudev_set *asking, u64 counters)
{
	u64 mark = asking->pmu->mark;

	if (!((set->held | set->borrowed) & counters))
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

int pmudev_refuse_readable(struct list_head *sets, struct pmudev_refusal *why)
{
	struct pmudev_set *set;
	struct pid *opener = NULL;

	/* The last may be gone by now: then nobody is named. */
	raw_spin_lock_irq(&pmudev_readers.lock);
	set = list_first_entry_or_null(sets, struct pmudev_set, readers_node);
	if (set) {
		why->holder.kind = set->cpu < 0 ? PMUDEV_HOLDER_TASK_SET : PMUDEV_HOLDER_CPU_SET;
		why->holder.cpu = set->cpu;
		opener = get_pid(set->opener);
	}
	raw_spin_unlock_irq(&pmudev_readers.lock);
	/* Whether the caller may know is asked without a spinlock. */
	why->holder.pid = set ? opener_seen(opener) : 0;
	put_pid(opener);
	return pmudev_refuse(why, -EBUSY, PMUDEV_WHY_USER_READABLE, 0);
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
	pmudev_find_conflicts(set);
	pmudev_for_each_slot(c, rest, listing->busy) {
		if (set->pmu->info.unavailable & BIT_ULL(c))
			*holder++ = (struct pmudev_holder){
				.counter = c,
				.kind = pmudev_unavailable_kind(set->pmu, c),
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
