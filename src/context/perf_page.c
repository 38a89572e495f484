// SPDX-License-Identifier: GPL-2.0
/* Pages in perf's layout: the kernel's side of what linux/perf_event.h describes. */
#include <linux/mm.h>
#include <linux/slab.h>

#include <pmudev/page.h>

#include "../memory.h"
#include "perf_page.h"
#include "user_page.h"

/* Steps of a page's lock, which perf's readers take for a sequence. */
static void begin(struct perf_event_mmap_page *page)
{
	WRITE_ONCE(page->lock, page->lock + 1);
	barrier(); /* lock has changed before any field does */
}

static void end(struct perf_event_mmap_page *page)
{
	barrier(); /* all fields have changed before lock does again */
	WRITE_ONCE(page->lock, page->lock + 1);
}

static void write_times(struct perf_event_mmap_page *page, const struct pmudev_pmu *pmu,
			u64 enabled, u64 running, u64 now)
{
	page->time_enabled = pmudev_ticks_to_ns(enabled, pmu->mult, pmu->shift);
	page->time_running = pmudev_ticks_to_ns(running, pmu->mult, pmu->shift);
	/* A reader adds this, and what its clock reads in ns. */
	page->time_offset = -pmudev_ticks_to_ns(now, pmu->mult, pmu->shift);
	page->time_mult = pmu->mult;
	page->time_shift = pmu->shift;
}

/* @event is on a counter that its thread reads. Return: false: for perf's readers it is none. */
static bool write_active(struct perf_event_mmap_page *page, const struct pmudev_ctx *ctx,
			 const struct pmudev_set *set, const struct pmudev_event *event)
{
	const u64 now = pmudev_clock(), ran = ctx->clock + now;
	struct pmudev_page_perf perf;

	if (event->hw.chained || (pmudev_backend.not_perfs & BIT_ULL(event->hw.counter)) ||
	    !pmudev_page_perf(event->hw.value, event->hw.width, &perf))
		return false;
	page->index = pmudev_backend.operand(event->hw.counter) + 1;
	page->offset = perf.offset;
	page->pmc_width = perf.width;
	page->cap_user_rdpmc = 1;
	page->cap_user_time = !!set->pmu->info.clock_hz;
	write_times(page, set->pmu, event->time_enabled + ran,
		    event->time_running - ctx->lost + ran, now);
	return true;
}

/* On no counter: the count stands still while it is disabled, else read(2) knows better. */
static void write_inactive(struct perf_event_mmap_page *page, const struct pmudev_set *set,
			   const struct pmudev_event *event, bool enabled)
{
	page->offset = pmudev_event_count(event);
	if (enabled)
		return;
	page->cap_user_rdpmc = 1;
	write_times(page, set->pmu, event->time_enabled, event->time_running, 0);
}

static void publish(const struct pmudev_ctx *ctx, struct pmudev_set *set, unsigned int slot,
		    bool readable)
{
	const struct pmudev_event *event = pmudev_slot_event(set, slot);
	struct perf_event_mmap_page *page = set->mapping.perf->page[slot];
	const u64 bit = BIT_ULL(slot);

	begin(page);
	page->index = 0;
	page->capabilities = 0;
	page->cap_bit0_is_deprecated = 1;
	set->mapping.perf->live &= ~bit;
	if (!(set->used & bit))
		page->offset = 0;
	else if (readable && write_active(page, ctx, set, event))
		set->mapping.perf->live |= bit;
	else
		write_inactive(page, set, event, set->enabled & bit);
	end(page);
}

void pmudev_perf_pages_publish(const struct pmudev_ctx *ctx, struct pmudev_set *set, u64 readable,
			       bool all)
{
	const u64 mapped = set->mapping.perf->mapped;
	unsigned int slot;
	u64 rest;

	pmudev_for_each_slot(slot, rest, all ? mapped : mapped & set->active)
		publish(ctx, set, slot, readable & BIT_ULL(slot));
}

void pmudev_perf_pages_disown(struct pmudev_set *set)
{
	struct pmudev_perf_pages *pages = set->mapping.perf;
	/* Events that move to other counters are not active meanwhile, and have their counts. */
	const u64 counting = pages->live & set->active;
	struct pmudev_hw *hw[PMUDEV_COUNTERS];
	struct perf_event_mmap_page *page;
	unsigned int slot;
	u64 rest;

	/* Readers that do not look at the capability take the offset for the count. */
	if (counting && pmudev_ctx_counting(set->ctx))
		pmudev_backend_read(hw, pmudev_slots_hw(set, counting, hw));
	pmudev_for_each_slot(slot, rest, pages->live) {
		page = pages->page[slot];
		begin(page);
		page->index = 0;
		page->cap_user_rdpmc = 0;
		page->offset = pmudev_event_count(pmudev_slot_event(set, slot));
		end(page);
	}
	pages->live = 0;
}

void pmudev_perf_pages_free(struct pmudev_perf_pages *pages)
{
	unsigned int slot;

	if (!pages)
		return;
	for (slot = 0; slot < PMUDEV_MAX_EVENTS; slot++) {
		free_page((unsigned long)pages->page[slot]);
		pmudev_uncharge_locked(pages->user[slot], 1);
	}
	kfree(pages);
}
