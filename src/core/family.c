// SPDX-License-Identifier: GPL-2.0
/*
 * Inherited sets: heirs come with their threads and go with them. event.h has the words, sweep.c
 * what is done to all of them.
 */
#include <linux/capability.h>
#include <linux/sched.h>
#include <linux/sched/signal.h>
#include <linux/slab.h>

#include "compat.h"
#include "core.h"

int pmudev_family_create(struct pmudev_set *set, bool threads_only)
{
	struct pmudev_family *family = kzalloc(sizeof(*family), PMUDEV_GFP);

	if (!family)
		return -ENOMEM;
	mutex_init(&family->mutex);
	raw_spin_lock_init(&family->lock);
	INIT_LIST_HEAD(&family->heirs);
	family->threads_only = threads_only;
	set->family = family;
	return 0;
}

bool pmudev_family_lives(struct pmudev_set *set)
{
	return set->family && !list_empty(&set->family->heirs);
}

/* ------------------------------------------------------- an heir's life -- */

static struct pmudev_set *heir_alloc(unsigned int nr_slots, gfp_t gfp)
{
	unsigned int i, chunks = DIV_ROUND_UP(max(nr_slots, 1U), PMUDEV_CHUNK);
	struct pmudev_event *more;
	struct pmudev_set *heir;

	/* One piece: what a set has in chunks follows it. */
	heir = kzalloc(sizeof(*heir) + (chunks - 1) * PMUDEV_CHUNK * sizeof(*more), gfp);
	if (!heir)
		return NULL;
	more = (struct pmudev_event *)(heir + 1);
	heir->chunk[0] = heir->first;
	for (i = 1; i < chunks; i++)
		heir->chunk[i] = more + (i - 1) * PMUDEV_CHUNK;
	heir->own_chunks = chunks;
	INIT_LIST_HEAD(&heir->heir_node);
	kref_init(&heir->heir_ref);
	return heir;
}

/* Also of one that was never born: nobody looks at it, and nobody pays for what waits for RCU. */
static void heir_free(struct pmudev_set *heir)
{
	unsigned int i;

	/* What was added to the root after the heir was born has chunks of its own. */
	for (i = heir->own_chunks; i < ARRAY_SIZE(heir->chunk); i++)
		kfree(heir->chunk[i]);
	pmudev_quota_forget(heir->payer);
	kfree(heir);
}

static void heir_free_rcu(struct rcu_head *rcu)
{
	heir_free(container_of(rcu, struct pmudev_set, rcu));
}

static void heir_release(struct kref *ref)
{
	struct pmudev_set *heir = container_of(ref, struct pmudev_set, heir_ref);

	if (heir->ctx)
		pmudev_ctx_put(heir->ctx);
	pmudev_quota_give_back(heir->payer);
	call_rcu(&heir->rcu, heir_free_rcu);
}

void pmudev_heir_put(struct pmudev_set *heir)
{
	kref_put(&heir->heir_ref, heir_release);
}

static void copy_events(struct pmudev_set *heir, struct pmudev_set *src, u64 slots)
{
	unsigned int slot;
	u64 rest;

	pmudev_for_each_slot(slot, rest, slots) {
		struct pmudev_event *event = pmudev_slot_event(heir, slot);

		*event = *pmudev_slot_event(src, slot);
		event->hw.value = 0;
		event->time_enabled = 0;
		event->time_running = 0;
	}
}

/* Join the family. What a sweep has not yet done to the parent is done to the child now. */
static void join(struct pmudev_set *heir, const struct pmudev_set *src)
{
	struct pmudev_family *family = heir->family;
	struct pmudev_change change;

	raw_spin_lock(&family->lock);
	if (family->fn && src->seq != family->seq) {
		change = *family->change;
		change.set = heir;
		family->fn(heir->ctx, &change);
		/* Of what is new it may have no room for all. */
		if (family->fn == pmudev_change_enable && (change.slots & ~heir->used))
			family->incomplete = true;
	}
	heir->seq = family->seq;
	list_add_tail(&heir->heir_node, &family->heirs);
	raw_spin_unlock(&family->lock);
}

/* How many there were before. */
static u32 count_birth(struct pmudev_family *family)
{
	u32 births;

	raw_spin_lock(&family->lock);
	births = family->births++;
	raw_spin_unlock(&family->lock);
	return births;
}

/*
 * Make @heir the heir of @src on @ctx: either the latter is a child's that has not run, whose
 * clocks stand at 0, and both contexts' locks are held; or nothing of @src is enabled.
 */
static void be_born(struct pmudev_set *heir, struct pmudev_set *src, struct pmudev_ctx *ctx)
{
	lockdep_assert_held(&ctx->lock);
	heir->root = src->root;
	heir->family = src->family;
	heir->pmu = src->pmu;
	heir->cpu = -1;
	heir->on_exec = src->on_exec;
	heir->armed = src->armed;
	heir->nr_slots = src->nr_slots;
	heir->used = src->used;
	heir->mux = src->mux;
	heir->enabled = src->enabled;
	copy_events(heir, src, src->used);
	WARN_ON_ONCE(!pmudev_slots_on(ctx, heir, src->on & ~src->mux));
	heir->turns = src->turns;
	if (heir->turns) {
		/* Children that live for less than a turn each have another one. */
		heir->turn = count_birth(heir->family) % max(heir->turns->nr, 1U);
		hlist_add_head(&heir->turn_node, &ctx->turning);
		pmudev_show_image(ctx, heir);
	}
	heir->ctx = ctx;
	kref_get(&ctx->ref);
	ctx->nr_sets++;
	WRITE_ONCE(ctx->nr_family, ctx->nr_family + 1);
	hlist_add_head(&heir->ctx_node, &ctx->family);
	join(heir, src);
}

/* Who pays for the root pays for each heir. */
static bool pay(struct pmudev_set *heir, const struct pmudev_set *src)
{
	if (!pmudev_quota_more(src->root->payer))
		return false;
	heir->payer = src->root->payer;
	return true;
}

static void lose(struct pmudev_set *set)
{
	raw_spin_lock(&set->family->lock);
	set->family->incomplete = true;
	raw_spin_unlock(&set->family->lock);
}

/* @child is a child of the calling thread. */
static bool inherits(const struct pmudev_set *set, struct task_struct *child)
{
	const struct pmudev_family *family = set->family;

	return family && !READ_ONCE(family->closing) &&
	       (!family->threads_only || same_thread_group(child, current));
}

/* How many sets of the context are inherited, and the most slots one has. */
static unsigned int count_inherited(struct pmudev_ctx *ctx, struct task_struct *child,
				    unsigned int *slots)
{
	struct pmudev_set *set;
	unsigned long flags;
	unsigned int nr = 0;

	raw_spin_lock_irqsave(&ctx->lock, flags);
	hlist_for_each_entry(set, &ctx->family, ctx_node) {
		if (!inherits(set, child))
			continue;
		nr++;
		*slots = max3(*slots, set->nr_slots, READ_ONCE(set->root->nr_slots));
	}
	raw_spin_unlock_irqrestore(&ctx->lock, flags);
	return nr;
}

static bool has_heir(struct pmudev_ctx *ctx, const struct pmudev_set *root)
{
	struct pmudev_set *set;

	hlist_for_each_entry(set, &ctx->family, ctx_node)
		if (set->root == root)
			return true;
	return false;
}

/* One heir for each inherited set of @ctx. */
static void inherit(struct pmudev_ctx *ctx, struct task_struct *task, struct pmudev_ctx *child,
		    struct list_head *spares, unsigned int slots)
{
	bool foreign = child && child->nr_roots;
	struct pmudev_set *set, *heir;

	lockdep_assert_held(&ctx->lock);
	hlist_for_each_entry(set, &ctx->family, ctx_node) {
		if (!inherits(set, task) || (child && has_heir(child, set->root)))
			continue;
		heir = list_first_entry_or_null(spares, struct pmudev_set, heir_node);
		/*
		 * The set may have grown, or come, since memory was asked for. Or somebody counts
		 * the child already, on what may be the set's counters.
		 */
		if (!child || !heir || set->nr_slots > slots || foreign || !pay(heir, set)) {
			lose(set);
			continue;
		}
		list_del_init(&heir->heir_node);
		be_born(heir, set, child);
	}
}

void pmudev_family_fork(struct pmudev_ctx *ctx, struct task_struct *child)
{
	struct pmudev_set *heir, *next;
	struct pmudev_ctx *born;
	unsigned int nr, slots = 0;
	unsigned long flags;
	LIST_HEAD(spares);

	nr = count_inherited(ctx, child, &slots);
	if (!nr)
		return;
	slots = round_up(slots, PMUDEV_CHUNK);
	while (nr--) {
		heir = heir_alloc(slots, PMUDEV_GFP_NOWAIT);
		if (heir)
			list_add(&heir->heir_node, &spares);
	}
	born = pmudev_follow_newborn(child, ctx->pmu);
	if (born) {
		raw_spin_lock_irqsave(&ctx->lock, flags);
		raw_spin_lock_nested(&born->lock, SINGLE_DEPTH_NESTING);
		inherit(ctx, child, born, &spares, slots);
		raw_spin_unlock(&born->lock);
		raw_spin_unlock_irqrestore(&ctx->lock, flags);
		/* It was kept by one set too many. */
		pmudev_unfollow(born);
	} else {
		raw_spin_lock_irqsave(&ctx->lock, flags);
		inherit(ctx, child, NULL, &spares, slots);
		raw_spin_unlock_irqrestore(&ctx->lock, flags);
	}
	list_for_each_entry_safe(heir, next, &spares, heir_node)
		heir_free(heir);
}

/* ------------------------------------------------------------- adoption -- */

unsigned int pmudev_family_limit(void)
{
	return perfmon_capable() ? 2 * PMUDEV_MAX_FAMILY : PMUDEV_MAX_FAMILY;
}

bool pmudev_family_has(struct pmudev_set *root, const struct task_struct *task)
{
	struct pmudev_ctx *ctx = pmudev_ctx_find(task, root->pmu);
	unsigned long flags;
	bool has;

	if (!ctx)
		return false;
	raw_spin_lock_irqsave(&ctx->lock, flags);
	has = has_heir(ctx, root);
	raw_spin_unlock_irqrestore(&ctx->lock, flags);
	pmudev_ctx_put(ctx);
	return has;
}

struct adoption {
	struct pmudev_set *root;
	struct pmudev_set *heir;
	unsigned int limit;
	bool born;
	int error;
};

static void adopt_here(struct pmudev_ctx *ctx, void *arg)
{
	struct adoption *adoption = arg;

	/* Nothing is enabled yet: its clocks do not matter. */
	if (ctx->dead || has_heir(ctx, adoption->root))
		return;
	if (ctx->nr_family >= adoption->limit) {
		adoption->error = -EBUSY;
		return;
	}
	adoption->born = pay(adoption->heir, adoption->root);
	if (adoption->born)
		be_born(adoption->heir, adoption->root, ctx);
	else
		adoption->error = -EDQUOT;
}

int pmudev_family_adopt(struct pmudev_set *root, struct task_struct *task)
{
	struct adoption adoption = { .root = root, .limit = pmudev_family_limit() };
	struct pmudev_ctx *ctx;

	adoption.heir = heir_alloc(0, pmudev_bind_gfp(task));
	if (!adoption.heir)
		return -ENOMEM;
	ctx = pmudev_follow(task, root->pmu);
	if (!IS_ERR(ctx)) {
		pmudev_ctx_call(ctx, adopt_here, &adoption);
		pmudev_unfollow(ctx);
	}
	if (!adoption.born)
		heir_free(adoption.heir);
	return IS_ERR(ctx) ? PTR_ERR(ctx) : adoption.error;
}

/* ---------------------------------------------------------- an heir ends -- */

void pmudev_sum_add(struct pmudev_sum *sum, struct pmudev_set *heir, u64 values, u64 times)
{
	struct pmudev_clocks now = pmudev_ctx_clocks(heir->ctx);
	unsigned int slot;
	u64 rest;

	pmudev_for_each_slot(slot, rest, heir->used) {
		struct pmudev_event *event = pmudev_slot_event(heir, slot);
		u64 bit = BIT_ULL(slot);

		if (values & bit)
			sum->value[slot] += event->hw.value;
		if (!(times & bit))
			continue;
		sum->enabled[slot] += event->time_enabled;
		sum->running[slot] += event->time_running;
		if (heir->enabled & bit)
			sum->enabled[slot] += now.enabled;
		if (heir->on & bit)
			sum->running[slot] += now.running;
	}
	sum->set_enabled += heir->time_enabled;
	sum->set_running += heir->time_running;
	if (heir->enabled)
		sum->set_enabled += now.enabled;
	if (heir->enabled && heir->on == heir->enabled)
		sum->set_running += now.running;
}

void pmudev_heir_leave(struct pmudev_set *heir)
{
	struct pmudev_family *family = heir->family;
	bool reached;

	lockdep_assert_held(&heir->ctx->lock);
	raw_spin_lock(&family->lock);
	list_del_init(&heir->heir_node);
	reached = heir->seq == family->seq;
	/* What a sweep takes back, it takes back from those that it does not reach, too. */
	pmudev_sum_add(&family->ended, heir, reached ? ~0ULL : ~family->reset,
		       reached ? ~0ULL : ~family->forget);
	if (family->total && !reached)
		pmudev_sum_add(family->total, heir, ~0ULL, ~0ULL);
	raw_spin_unlock(&family->lock);

	hlist_del_init(&heir->ctx_node);
	hlist_del_init(&heir->turn_node);
	WRITE_ONCE(heir->ctx->nr_family, heir->ctx->nr_family - 1);
}

struct pmudev_set *pmudev_family_end(struct pmudev_ctx *ctx)
{
	struct pmudev_set *set, *ended = NULL;
	struct hlist_node *next;

	lockdep_assert_held(&ctx->lock);
	hlist_for_each_entry_safe(set, next, &ctx->family, ctx_node) {
		if (set->root == set)
			continue;
		pmudev_heir_leave(set);
		/* It goes; the context and what others have on it stay. */
		pmudev_slots_off(ctx, set, set->on);
		ctx->nr_sets--;
		set->next_ended = ended;
		ended = set;
	}
	return ended;
}

void pmudev_family_free(struct pmudev_set *heirs)
{
	while (heirs) {
		struct pmudev_set *next = heirs->next_ended;

		pmudev_heir_put(heirs);
		heirs = next;
	}
}
