/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The user page: what it says, and user access while its thread is loaded. Unless they say
 * otherwise, functions are called with ctx->lock held, on the CPU where the context is loaded, or
 * anywhere if it is loaded nowhere.
 */
#ifndef _PMUDEV_CONTEXT_USER_PAGE_H
#define _PMUDEV_CONTEXT_USER_PAGE_H

#include "deadline.h"
#include "user_access.h"

/*
 * How far the counts in a page may lag behind at a switch: by less than 2^29, a quarter of what the
 * narrowest counter (31 bits) takes. As much again may be counted until the fold timer rewrites
 * them.
 */
#define PMUDEV_PAGE_LAG 29

/*
 * Begin to write a page; struct pmudev_page of the ABI has the reader's side. The reader runs on
 * the CPU that writes, or is not running and will see all of it after the switch to it: compiler
 * barriers keep the fields between the two steps of seq.
 * Return: the sequence number, for pmudev_page_end().
 */
static __always_inline u32 pmudev_page_begin(struct pmudev_page *page)
{
	u32 seq = page->seq + 1;

	WRITE_ONCE(page->seq, seq);
	barrier(); /* seq is odd before any field changes */
	return seq;
}

static __always_inline void pmudev_page_end(struct pmudev_page *page, u32 seq)
{
	barrier(); /* all fields have changed before seq is even */
	WRITE_ONCE(page->seq, seq + 1);
}

/* Counts were saved. @changed: the bits in which any of them changed. */
static __always_inline void pmudev_pages_counted(struct pmudev_ctx *ctx, u64 changed)
	__must_hold(&ctx->lock)
{
	if (unlikely(changed >> PMUDEV_PAGE_LAG)) {
		ctx->reads.stale |= PMUDEV_STALE_COUNTS;
		/* The sign bit: a deadline may be reached. Others pay nothing for it. */
		if (changed >> 63)
			pmudev_deadlines_check_all(ctx, false);
	}
}

/*
 * Write what a switch changes while a set's events stay where they are: clock and owner. The
 * reader does not run, so the sequence takes both steps at once; a thread on another CPU that reads
 * the page is not its owner.
 */
static __always_inline void pmudev_page_resume(const struct pmudev_ctx *ctx,
					       const struct pmudev_mapping *mapping)
	__must_hold(&ctx->lock)
{
	struct pmudev_page *page = mapping->page;

	page->clock = ctx->clock;
	WRITE_ONCE(page->owner, mapping->reader_tid);
	WRITE_ONCE(page->seq, page->seq + 2);
}

/* Rewrite the stale pages of a thread that is loaded. */
void pmudev_pages_renew(struct pmudev_ctx *ctx) __must_hold(&ctx->lock);

/* The thread can read: have its pages say so. */
static __always_inline void pmudev_pages_show(struct pmudev_ctx *ctx) __must_hold(&ctx->lock)
{
	struct hlist_node *node;

	ctx->reads.enabled = true;
	ctx->reads.was_enabled = true;
	ctx->reads.revoke_pending = false;
	if (unlikely(ctx->reads.stale)) {
		pmudev_pages_renew(ctx);
		return;
	}
	hlist_for_each(node, &ctx->reads.pages)
		pmudev_page_resume(ctx, hlist_entry(node, struct pmudev_mapping, node));
}

/* Part of pmudev_pages_disown(): the pages in perf's layout */
void pmudev_pages_disown_perf(struct pmudev_ctx *ctx, struct pmudev_mapping *mapping)
	__must_hold(&ctx->lock);

static __always_inline void pmudev_page_disown(struct pmudev_ctx *ctx,
					       struct pmudev_mapping *mapping)
	__must_hold(&ctx->lock)
{
	WRITE_ONCE(mapping->page->owner, 0);
	if (unlikely(mapping->perf))
		pmudev_pages_disown_perf(ctx, mapping);
}

/* The thread cannot read: take its name out of its pages. */
static __always_inline void pmudev_pages_disown(struct pmudev_ctx *ctx) __must_hold(&ctx->lock)
{
	struct hlist_node *node;

	hlist_for_each(node, &ctx->reads.pages)
		pmudev_page_disown(ctx, hlist_entry(node, struct pmudev_mapping, node));
	ctx->reads.enabled = false;
}

/* The context was loaded: enable access, if it can be, and show the pages. */
void pmudev_pages_in(struct pmudev_ctx *ctx) __must_hold(&ctx->lock);

/* The context is about to be unloaded: disable access. */
void pmudev_pages_out(struct pmudev_ctx *ctx) __must_hold(&ctx->lock);

/* Access may have been taken away by the kernel: have readers use read(2). */
void pmudev_pages_lost(struct pmudev_ctx *ctx) __must_hold(&ctx->lock);

/* Access ends: the thread executes another program, exits, or has unmapped its last page. */
void pmudev_pages_revoke(struct pmudev_ctx *ctx) __must_hold(&ctx->lock);

/* Does any flag require that a switch calls pmudev_pages_out()? */
static __always_inline bool pmudev_pages_need_out(const struct pmudev_ctx *ctx)
	__must_hold(&ctx->lock)
{
	return ctx->reads.enabled | ctx->reads.revoke_pending | ctx->reads.on_other_pmu;
}

/* Rewrite a set's page, which exists. */
void pmudev_page_rewrite(struct pmudev_ctx *ctx, struct pmudev_set *set) __must_hold(&ctx->lock);

/* Rewrite a set's page after a change of the set, if it has one. */
static inline void pmudev_page_publish(struct pmudev_ctx *ctx, struct pmudev_set *set)
	__must_hold(&ctx->lock)
{
	if (set->mapping.page)
		pmudev_page_rewrite(ctx, set);
}

/* Rewrite the counts of all pages that have active events. */
void pmudev_pages_refresh(struct pmudev_ctx *ctx) __must_hold(&ctx->lock);

/* Slots are about to be removed: clear the times of their groups. */
void pmudev_page_forget(struct pmudev_set *set, u64 slots) __must_hold(&set->ctx->lock);

/* Upcall, not from the backend's operations: user access was taken away on this CPU. Irqs off. */
void pmudev_user_access_lost(void);

#endif /* _PMUDEV_CONTEXT_USER_PAGE_H */
