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

/* By slot; NULL: not mapped yet. A page stays until the set is closed; under ctx->lock. */
struct pmudev_perf_pages {
	struct perf_event_mmap_page *page[PMUDEV_MAX_EVENTS];
};

/*
 * Rewrite those of a set that has some. @readable: slots whose counters its thread may read now.
 * ctx->lock held, on the CPU where the context is loaded, or anywhere if it is loaded nowhere.
 */
void pmudev_perf_pages_publish(const struct pmudev_ctx *ctx, struct pmudev_set *set, u64 readable)
	__must_hold(&ctx->lock);

/* The same: the thread stops, or may not read: readers use read(2). */
void pmudev_perf_pages_disown(struct pmudev_set *set) __must_hold(&set->ctx->lock);

/* The set is destroyed. */
void pmudev_perf_pages_free(struct pmudev_perf_pages *pages);

#endif /* _PMUDEV_CONTEXT_PERF_PAGE_H */
