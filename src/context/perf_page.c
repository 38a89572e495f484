// SPDX-License-Identifier: GPL-2.0
/* Pages in perf's layout: the kernel's side of what linux/perf_event.h describes. */
#include <linux/mm.h>
#include <linux/slab.h>

#include <pmudev/page.h>

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

/* An event that the thread can read, until as much as a page may lag behind has been counted. */
static bool can_read(const struct pmudev_event *event)
{
	/* Twice: once until a switch or the fold timer rewrites it, and once meanwhile. */
	return !event->hw.chained &&
	       pmudev_page_perf_holds(event->hw.value, event->hw.width, PMUDEV_PAGE_LAG + 1);
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

static void write_active(struct perf_event_mmap_page *page, const struct pmudev_ctx *ctx,
			 const struct pmudev_set *set, const struct pmudev_event *event)
{
	const u64 now = pmudev_clock(), ran = ctx->clock + now;

	page->index = pmudev_backend.operand(event->hw.counter) + 1;
	page->offset = pmudev_page_perf_offset(event->hw.value, event->hw.width);
	page->pmc_width = event->hw.width;
	page->cap_user_rdpmc = 1;
	page->cap_user_time = !!set->pmu->info.clock_hz;
	write_times(page, set->pmu, event->time_enabled + ran,
		    event->time_running - ctx->lost + ran, now);
}

/* Disabled: nothing of it changes. */
static void write_disabled(struct perf_event_mmap_page *page, const struct pmudev_set *set,
			   const struct pmudev_event *event)
{
	page->offset = pmudev_event_count(event);
	page->cap_user_rdpmc = 1;
	write_times(page, set->pmu, event->time_enabled, event->time_running, 0);
}

void pmudev_perf_pages_publish(const struct pmudev_ctx *ctx, struct pmudev_set *set, u64 readable)
{
	unsigned int slot;

	for (slot = 0; slot < PMUDEV_MAX_EVENTS; slot++) {
		struct perf_event_mmap_page *page = set->mapping.perf->page[slot];
		const u64 bit = BIT_ULL(slot);

		if (!page)
			continue;
		begin(page);
		page->index = 0;
		page->capabilities = 0;
		page->cap_bit0_is_deprecated = 1;
		if (!(set->used & bit))
			page->offset = 0;
		else if (!(set->enabled & bit))
			write_disabled(page, set, pmudev_slot_event(set, slot));
		else if ((readable & bit) && can_read(pmudev_slot_event(set, slot)))
			write_active(page, ctx, set, pmudev_slot_event(set, slot));
		end(page);
	}
}

void pmudev_perf_pages_disown(struct pmudev_set *set)
{
	unsigned int slot;

	for (slot = 0; slot < PMUDEV_MAX_EVENTS; slot++) {
		struct perf_event_mmap_page *page = set->mapping.perf->page[slot];

		if (!page || !page->index)
			continue;
		begin(page);
		page->index = 0;
		page->cap_user_rdpmc = 0;
		end(page);
	}
}

void pmudev_perf_pages_free(struct pmudev_perf_pages *pages)
{
	unsigned int slot;

	if (!pages)
		return;
	for (slot = 0; slot < PMUDEV_MAX_EVENTS; slot++)
		free_page((unsigned long)pages->page[slot]);
	kfree(pages);
}
