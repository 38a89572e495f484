// SPDX-License-Identifier: GPL-2.0
/* The user page: publish it, and control user access while its thread is loaded. */
#include "cgroup.h"
#include "perf_page.h"
#include "user_page.h"

/* Active events that the thread can read; with a deadline the counter does not hold the count. */
static u64 readable_slots(const struct pmudev_set *set)
{
	return set->active & set->user & ~pmudev_deadline_slots(set);
}

/*
 * List only pages that a switch must write: those with an active event for user reads. There are at
 * most as many as counters.
 */
static void list_page(struct pmudev_ctx *ctx, struct pmudev_set *set)
{
	bool listed = !hlist_unhashed(&set->mapping.node);
	bool list = set->mapping.page && (set->active & set->user);

	if (list && !listed)
		hlist_add_head(&set->mapping.node, &ctx->reads.pages);
	else if (!list && listed)
		hlist_del_init(&set->mapping.node);
}

/* Find the counters that the thread may read: those that its own pages publish, and no others. */
static void find_readable(struct pmudev_ctx *ctx)
{
	struct pmudev_set *set;

	ctx->reads.counters = 0;
	hlist_for_each_entry(set, &ctx->reads.pages, mapping.node) {
		set->mapping.reader_tid = 0;
		if (!set->mapping.mm || set->mapping.mm != ctx->reads.mm)
			continue;
		set->mapping.reader_tid = set->mapping.owner_tid;
		ctx->reads.counters |= pmudev_slots_counters(set, readable_slots(set));
	}
}

/* The owner word of a page. 0 makes readers use read(2). */
static u32 owner(const struct pmudev_ctx *ctx, const struct pmudev_set *set)
{
	return ctx->reads.enabled && (set->active & set->user) ? set->mapping.reader_tid : 0;
}

static void publish_perf(const struct pmudev_ctx *ctx, struct pmudev_set *set, bool all)
{
	if (unlikely(set->mapping.perf))
		pmudev_perf_pages_publish(ctx, set, owner(ctx, set) ? readable_slots(set) : 0, all);
}

/* Rewrite counts, clock and owner, which change while a set's events keep their counters. */
static void refresh(const struct pmudev_ctx *ctx, struct pmudev_set *set)
{
	struct pmudev_page *page = set->mapping.page;
	u32 seq = pmudev_page_begin(page);
	unsigned int slot;
	u64 rest;

	pmudev_for_each_slot(slot, rest, readable_slots(set))
		page->slots[slot].count = pmudev_slot_event(set, slot)->hw.value;
	page->clock = ctx->clock;
	WRITE_ONCE(page->owner, owner(ctx, set));
	pmudev_page_end(page, seq);
	publish_perf(ctx, set, false);
}

/* They are written when the thread can read again: that is when its pages are stale. */
void pmudev_pages_disown_perf(struct pmudev_ctx *ctx, struct pmudev_mapping *mapping)
{
	pmudev_perf_pages_disown(container_of(mapping, struct pmudev_set, mapping));
	ctx->reads.stale |= PMUDEV_STALE_COUNTS;
}

static void publish_slot(struct pmudev_page *page, struct pmudev_set *set, unsigned int slot,
			 u64 lost)
{
	struct pmudev_event *event = pmudev_slot_event(set, slot);
	struct pmudev_group_times *times = &page->times[event->group];

	if (readable_slots(set) & BIT_ULL(slot))
		pmudev_page_slot(&page->slots[slot], event->hw.value, event->hw.counter,
				 pmudev_backend.operand(event->hw.counter), event->hw.width,
				 event->group);
	else
		pmudev_page_slot_inactive(&page->slots[slot], pmudev_event_count(event),
					  event->group);
	if (page->slots[slot].index && event->hw.chained)
		page->slots[slot].flags |= PMUDEV_SLOT_CHAIN;
	if (event->flags & PMUDEV_DIRECT)
		page->slots[slot].flags |= PMUDEV_SLOT_DIRECT;
	if (set->mux & BIT_ULL(slot))
		page->slots[slot].flags |= PMUDEV_SLOT_MULTIPLEX;
	times->enabled = event->time_enabled;
	times->running = event->time_running - lost;
}

/*
 * After pages have changed: enable access anew. That grants the counters that are readable now, and
 * resets a counter selection that a reader made before; the reader starts again, too.
 */
static void renew_access(struct pmudev_ctx *ctx)
{
	if (ctx->reads.enabled && !pmudev_backend_user_access_enable(ctx->reads.counters))
		pmudev_pages_lost(ctx);
}

/*
 * The set's running time stops while a group has no counters, which readers cannot see in the page.
 * Publish the set's times only while all enabled events are active.
 */
static u32 page_flags(const struct pmudev_set *set)
{
	if (!set->pmu->info.clock_hz)
		return 0;
	return PMUDEV_PAGE_GROUP_TIMES | (set->active == set->enabled ? PMUDEV_PAGE_TIMES : 0);
}

static void publish(struct pmudev_ctx *ctx, struct pmudev_set *set)
{
	struct pmudev_page *page = set->mapping.page;
	u32 seq = pmudev_page_begin(page);
	unsigned int slot, old;

	old = page->nr_slots;
	for (slot = 0; slot < max(set->nr_slots, old); slot++) {
		if (set->used & BIT_ULL(slot))
			publish_slot(page, set, slot, ctx->lost);
		else
			memset(&page->slots[slot], 0, sizeof(page->slots[slot]));
	}
	page->nr_slots = set->nr_slots;
	page->clock = ctx->clock;
	page->time_enabled = set->time_enabled;
	page->time_running = set->time_running - ctx->lost;
	page->flags = page_flags(set);
	page->generation = set->generation;
	WRITE_ONCE(page->owner, owner(ctx, set));
	pmudev_page_end(page, seq);
	publish_perf(ctx, set, true);
}

void pmudev_pages_renew(struct pmudev_ctx *ctx)
{
	struct pmudev_set *set;

	lockdep_assert_held(&ctx->lock);
	hlist_for_each_entry(set, &ctx->reads.pages, mapping.node) {
		if (ctx->reads.stale & PMUDEV_STALE_ALL)
			publish(ctx, set);
		else
			refresh(ctx, set);
	}
	ctx->reads.stale = 0;
}

void pmudev_page_rewrite(struct pmudev_ctx *ctx, struct pmudev_set *set)
{
	lockdep_assert_held(&ctx->lock);
	list_page(ctx, set);
	find_readable(ctx);
	publish(ctx, set);
	renew_access(ctx);
}

void pmudev_pages_refresh(struct pmudev_ctx *ctx)
{
	struct pmudev_set *set;

	lockdep_assert_held(&ctx->lock);
	hlist_for_each_entry(set, &ctx->reads.pages, mapping.node)
		refresh(ctx, set);
	/* Else pages in perf's layout are to be written when there is access again. */
	if (ctx->reads.enabled)
		ctx->reads.stale &= ~PMUDEV_STALE_COUNTS;
	renew_access(ctx);
}

void pmudev_page_forget(struct pmudev_set *set, u64 slots)
{
	unsigned int slot;
	u64 rest;

	if (!set->mapping.page)
		return;
	pmudev_for_each_slot(slot, rest, slots)
		memset(&set->mapping.page->times[pmudev_slot_event(set, slot)->group], 0,
		       sizeof(set->mapping.page->times[0]));
}

/*
 * Access that the thread had is gone, and pmudev did not take it. Count it once until it is back.
 */
static void count_loss(struct pmudev_ctx *ctx)
{
	if (ctx->reads.was_enabled)
		atomic64_inc(&ctx->pmu->info.user_access_lost);
	ctx->reads.was_enabled = false;
}

/* Access cannot be enabled now, so readers fall back to read(2). */
static void access_not_enabled(struct pmudev_ctx *ctx)
{
	count_loss(ctx);
	ctx->reads.revoke_pending = true;
}

static void add_mask(struct pmudev_ctx *ctx, void *arg)
{
	*(u64 *)arg |= ctx->mask;
}

/* Counters in use on this CPU by others than its thread. */
static u64 others_mask(struct pmudev_cpu *cpuc)
{
	u64 mask = cpuc->ctx.mask;

	pmudev_cgroups_walk(cpuc, add_mask, &mask);
	return mask;
}

/*
 * The CPU belongs to another PMU, so the pages are invalid here. A read that began before the
 * thread migrated must not fault. If the thread's context on this PMU has enabled access, nothing
 * is to be done.
 */
static void pages_on_other_pmu(struct pmudev_ctx *ctx)
{
	struct pmudev_cpu *cpuc = this_cpu_ptr(&pmudev_cpus);
	struct pmudev_ctx *other = cpuc->task;

	if (!cpuc->ready || ctx->pmu == cpuc->pmu)
		return;
	cpuc->nr_on_other_pmu += !ctx->reads.on_other_pmu;
	ctx->reads.on_other_pmu = true;
	if (other && other->reads.enabled)
		return;
	pmudev_clear_residue_but(cpuc, (other ? other->mask : 0) | others_mask(cpuc));
	if (!pmudev_backend_user_access_enable(0))
		access_not_enabled(ctx);
}

/* The context does not count on this CPU: a bare read returns a value that is not the thread's. */
static void pages_not_counted(struct pmudev_ctx *ctx)
{
	struct pmudev_set *set;
	u32 seq;

	hlist_for_each_entry(set, &ctx->reads.pages, mapping.node) {
		set->generation++;
		seq = pmudev_page_begin(set->mapping.page);
		set->mapping.page->generation = set->generation;
		pmudev_page_end(set->mapping.page, seq);
	}
}

void pmudev_pages_in(struct pmudev_ctx *ctx)
{
	struct pmudev_cpu *cpuc = this_cpu_ptr(&pmudev_cpus);

	lockdep_assert_held(&ctx->lock);
	if (!ctx->ready) {
		pages_not_counted(ctx);
		pages_on_other_pmu(ctx);
		return;
	}
	pmudev_clear_residue_but(cpuc, ctx->mask | others_mask(cpuc));
	if (!pmudev_backend_user_access_enable(ctx->reads.counters)) {
		access_not_enabled(ctx);
		return;
	}
	pmudev_pages_show(ctx);
}

/*
 * Disable access, unless another context of the thread still needs it; then that context disables
 * it later.
 *
 * Return: false if access could not be disabled now.
 */
static bool disable_access(struct pmudev_ctx *ctx)
{
	struct pmudev_cpu *cpuc = this_cpu_ptr(&pmudev_cpus);
	bool here;

	if (ctx->reads.on_other_pmu)
		cpuc->nr_on_other_pmu--;
	ctx->reads.on_other_pmu = false;
	here = cpuc->task && cpuc->task->reads.enabled;
	if (cpuc->nr_on_other_pmu || here) {
		pmudev_backend_user_access_enable(here ? cpuc->task->reads.counters : 0);
		return true;
	}
	return pmudev_backend_user_access_disable();
}

void pmudev_pages_out(struct pmudev_ctx *ctx)
{
	lockdep_assert_held(&ctx->lock);
	pmudev_pages_disown(ctx);
	/*
	 * KVM may have replaced the register, and will restore access: disable it at the next
	 * switch.
	 */
	ctx->reads.revoke_pending = !disable_access(ctx);
}

void pmudev_pages_lost(struct pmudev_ctx *ctx)
{
	lockdep_assert_held(&ctx->lock);
	if (!ctx->reads.enabled)
		return;
	pmudev_pages_disown(ctx);
	count_loss(ctx);
	ctx->reads.revoke_pending = true;
}

void pmudev_pages_revoke(struct pmudev_ctx *ctx)
{
	struct pmudev_set *set;

	lockdep_assert_held(&ctx->lock);
	if (ctx->cpu >= 0 && pmudev_pages_need_out(ctx))
		pmudev_pages_out(ctx);
	hlist_for_each_entry(set, &ctx->reads.pages, mapping.node)
		set->mapping.reader_tid = 0;
	ctx->reads.was_enabled = false;
	ctx->reads.counters = 0;
	ctx->reads.mm = NULL;
	ctx->reads.maps = 0;
}

void pmudev_user_access_lost(void)
{
	struct pmudev_ctx *ctx = this_cpu_ptr(&pmudev_cpus)->task;

	lockdep_assert_irqs_disabled();
	if (!ctx)
		return;
	raw_spin_lock(&ctx->lock);
	pmudev_pages_lost(ctx);
	raw_spin_unlock(&ctx->lock);
}
