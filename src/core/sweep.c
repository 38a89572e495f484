// SPDX-License-Identifier: GPL-2.0
/* Sweeps: what is done to an inherited set, or read from it, reaches its heirs. */
#include <linux/slab.h>

#include "core.h"

/* A sweep (the root's), or a step of it. */
struct visit {
	struct pmudev_set *heir;
	pmudev_ctx_fn fn;
	struct pmudev_change *change;
};

/* The root is visited first, like an heir. */
static void visit_here(struct pmudev_ctx *ctx, void *arg)
{
	struct visit *visit = arg;
	struct pmudev_set *set = visit->heir;
	struct pmudev_family *family = set->family;
	struct pmudev_change change = *visit->change;

	if (set != set->root && list_empty(&set->heir_node))
		return;
	change.set = set;
	visit->fn(ctx, &change);
	if (change.error)
		visit->change->error = change.error;
	raw_spin_lock(&family->lock);
	set->seq = family->seq;
	/* Who asks whether there are heirs takes no lock: not even for a moment are there none. */
	if (set != set->root && !list_is_singular(&family->heirs))
		list_move_tail(&set->heir_node, &family->heirs);
	raw_spin_unlock(&family->lock);
}

/* An heir may have to be told of events that came after it was born. Under the root's mutex. */
static bool has_room(const struct pmudev_set *heir, u64 slots)
{
	unsigned int slot;
	u64 rest;

	pmudev_for_each_slot(slot, rest, slots)
		if (!heir->chunk[slot / PMUDEV_CHUNK])
			return false;
	return true;
}

static int make_room(struct pmudev_set *heir, u64 slots)
{
	unsigned int slot;
	u64 rest;

	pmudev_for_each_slot(slot, rest, slots) {
		struct pmudev_event **chunk = &heir->chunk[slot / PMUDEV_CHUNK];

		if (!*chunk)
			*chunk = kcalloc(PMUDEV_CHUNK, sizeof(**chunk), PMUDEV_GFP);
		if (!*chunk)
			return -ENOMEM;
	}
	return 0;
}

/*
 * The heir after @heir, referenced; @heir is put. NULL: it was the last, or (@lost) is in the
 * family no more.
 */
static struct pmudev_set *next_heir(struct pmudev_family *family, struct pmudev_set *heir,
				    bool *lost)
{
	struct pmudev_set *next = NULL;

	raw_spin_lock_irq(&family->lock);
	*lost = heir && list_empty(&heir->heir_node);
	if (!heir)
		next = list_first_entry_or_null(&family->heirs, struct pmudev_set, heir_node);
	else if (!*lost && !list_is_last(&heir->heir_node, &family->heirs))
		next = list_next_entry(heir, heir_node);
	if (next)
		kref_get(&next->heir_ref);
	raw_spin_unlock_irq(&family->lock);
	if (heir)
		pmudev_heir_put(heir);
	return next;
}

/* Where one has left the family in the midst of it, it begins anew, so often. */
#define MAKE_ROOM_AGAIN 64

void pmudev_family_make_room(struct pmudev_set *root)
{
	unsigned int left = MAKE_ROOM_AGAIN;
	struct pmudev_set *heir = NULL;
	bool lost;

	lockdep_assert_held(&root->mutex);
	if (!root->family || root->nr_slots <= PMUDEV_CHUNK)
		return;
	/* Who comes meanwhile has room. Whom this misses says so: his counts are incomplete. */
	do {
		while ((heir = next_heir(root->family, heir, &lost))) {
			if (make_room(heir, root->used)) {
				pmudev_heir_put(heir);
				return;
			}
			cond_resched();
		}
	} while (lost && left--);
}

static struct pmudev_set *not_reached(struct pmudev_family *family)
{
	struct pmudev_set *heir;

	raw_spin_lock_irq(&family->lock);
	heir = list_first_entry_or_null(&family->heirs, struct pmudev_set, heir_node);
	if (heir && heir->seq == family->seq)
		heir = NULL;
	if (heir)
		kref_get(&heir->heir_ref);
	raw_spin_unlock_irq(&family->lock);
	return heir;
}

static void forget_sum(struct pmudev_sum *sum, u64 values, u64 times)
{
	unsigned int slot;
	u64 rest;

	pmudev_for_each_slot(slot, rest, values)
		sum->value[slot] = 0;
	pmudev_for_each_slot(slot, rest, times) {
		sum->enabled[slot] = 0;
		sum->running[slot] = 0;
	}
}

static void begin_sweep(struct pmudev_family *family, pmudev_ctx_fn fn,
			const struct pmudev_change *change)
{
	raw_spin_lock_irq(&family->lock);
	family->seq++;
	family->fn = change->reading ? NULL : fn;
	family->change = change;
	family->total = change->total;
	if (family->total)
		*family->total = family->ended;
	family->reset = change->reset;
	family->forget = change->forget;
	forget_sum(&family->ended, change->reset, change->forget);
	raw_spin_unlock_irq(&family->lock);
}

static void end_sweep(struct pmudev_family *family)
{
	raw_spin_lock_irq(&family->lock);
	family->total = NULL;
	family->fn = NULL;
	family->change = NULL;
	family->reset = 0;
	family->forget = 0;
	raw_spin_unlock_irq(&family->lock);
}

/* In a worker, or in a call that nobody waits for. */
static bool sweep(void *arg)
{
	struct visit visit = *(struct visit *)arg;
	struct pmudev_change *change = visit.change;
	struct pmudev_set *root = visit.heir;
	struct pmudev_family *family = root->family;
	pmudev_ctx_fn fn = visit.fn;

	if (root->mux && !pmudev_in_worker())
		return false;
	begin_sweep(family, fn, change);
	pmudev_ctx_call(root->ctx, visit_here, &visit);
	while ((visit.heir = not_reached(family))) {
		/* Without memory it cannot count what is new, but what it has goes on. */
		if (fn == pmudev_change_enable && !has_room(visit.heir, root->used))
			WRITE_ONCE(family->incomplete, true);
		pmudev_ctx_call(visit.heir->ctx, visit_here, &visit);
		pmudev_heir_put(visit.heir);
		cond_resched();
	}
	end_sweep(family);
	return true;
}

void pmudev_family_sweep(struct pmudev_set *root, pmudev_ctx_fn fn, struct pmudev_change *change)
{
	struct visit visit = { .heir = root, .fn = fn, .change = change };
	struct pmudev_family *family = root->family;

	/* Others have it take turns, with pmu->lock held. Else all calls on it hold its mutex. */
	if (root->mux) {
		pmudev_locked(pmudev_plain, &family->mutex, sweep, &visit);
		return;
	}
	mutex_lock(&family->mutex);
	sweep(&visit);
	mutex_unlock(&family->mutex);
}

void pmudev_family_add(struct pmudev_sum *total, struct pmudev_set *heir)
{
	lockdep_assert_held(&heir->ctx->lock);
	/* An heir that ends may add itself at the same time. */
	raw_spin_lock(&heir->family->lock);
	pmudev_sum_add(total, heir, ~0ULL, ~0ULL);
	raw_spin_unlock(&heir->family->lock);
}

static void dismiss(struct pmudev_ctx *ctx, void *arg)
{
	struct visit *visit = arg;
	struct pmudev_set *heir = visit->heir;
	struct pmudev_change change = { .set = heir, .slots = heir->used };

	if (list_empty(&heir->heir_node)) {
		visit->heir = NULL;
		return;
	}
	pmudev_change_disable(ctx, &change);
	/* No set less, for now: that keeps the context until the caller drops it. */
	pmudev_heir_leave(heir);
}

void pmudev_family_destroy(struct pmudev_set *root)
{
	struct pmudev_family *family = root->family;
	struct visit visit;
	struct pmudev_set *heir;

	if (!family)
		return;
	/* A tree that grows as fast as it is cut down would not end. */
	WRITE_ONCE(family->closing, true);
	for (;;) {
		raw_spin_lock_irq(&family->lock);
		heir = list_first_entry_or_null(&family->heirs, struct pmudev_set, heir_node);
		if (heir)
			kref_get(&heir->heir_ref);
		raw_spin_unlock_irq(&family->lock);
		if (!heir)
			break;
		visit.heir = heir;
		pmudev_ctx_call(heir->ctx, dismiss, &visit);
		if (visit.heir) {
			kref_get(&heir->ctx->ref);
			pmudev_unfollow(heir->ctx);
			pmudev_heir_put(heir);
		}
		pmudev_heir_put(heir);
		cond_resched();
	}
	mutex_destroy(&family->mutex);
	kfree(family);
	root->family = NULL;
}
