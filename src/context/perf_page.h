/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Pages in the layout of perf's struct perf_event_mmap_page, one for each event that has one
 * mapped, for programs that have a reader of their own for that. perf's page does not name its
 * thread: a thread that reads another's gets a wrong count, as with perf.
 *
 * What such a reader cannot read exactly, cap_user_rdpmc 0 sends to read(2).
 */
#ifndef _PMUDEV_CONTEXT_PERF_PAGE_H
#define _PMUDEV_CONTEXT_PERF_PAGE_H

#include <linux/perf_event.h>

#include "ctx.h"
#include "set.h"

struct user_struct;

/*
 * Pages by slot, which stay until the set is closed; under ctx->lock. Page faults read @page
 * without.
 */
struct pmudev_perf_pages {
	u64 mapped;					      /* slots that have one */
	u64 live;					      /* those whose page has an index */
	struct perf_event_mmap_page *page[PMUDEV_MAX_EVENTS]; /* NULL: not mapped yet */
	struct user_struct *user[PMUDEV_MAX_EVENTS]; /* whose locked memory it is, or NULL */
};

/*
 * Rewrite those of a set that has some; @all: also those of events that are on no counter.
 * @readable: slots whose counters its thread may read now.
 * ctx->lock held, on the CPU where the context is loaded, or anywhere if it is loaded nowhere.
 */
void pmudev_perf_pages_publish(const struct pmudev_ctx *ctx, struct pmudev_set *set, u64 readable,
			       bool all) __must_hold(&ctx->lock);

/* The same: the thread stops, or may not read: the pages have the counts of now. */
void pmudev_perf_pages_disown(struct pmudev_set *set) __must_hold(&set->ctx->lock);

/* The set is destroyed. */
void pmudev_perf_pages_free(struct pmudev_perf_pages *pages);

#endif /* _PMUDEV_CONTEXT_PERF_PAGE_H */
