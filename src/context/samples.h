/* SPDX-License-Identifier: GPL-2.0 */
/* Samples: the ring that user mode reads them from, and what is written there. */
#ifndef _PMUDEV_CONTEXT_SAMPLES_H
#define _PMUDEV_CONTEXT_SAMPLES_H

#include "ctx.h"

struct pmudev_set_deadlines;

/* A set's ring, from its first mapping until the set is destroyed */
struct pmudev_ring {
	struct pmudev_samples_page *page; /* user mode may write to it. Constant. */
	u32 size;	     /* bytes of data, a power of two. Constant. */
	u32 head;	     /* as @page has it; under common->lock; poll() reads it without */
	u64 dropped;	     /* likewise */
	u32 largest;	     /* sample so far, in bytes; under common->lock */
	struct user_struct *user; /* whose locked memory it is; NULL: nobody's. Constant. */
	unsigned int nr;      /* pages, @page included. Constant. */
	struct page *pages[]; /* constant */
};

/* Is half of it used? Without lock. */
bool pmudev_ring_half(const struct pmudev_ring *ring);

/*
 * Has it no room for the samples of each thread and CPU, while it has some to be read? A thread
 * that is to stop then may write one of each event before it does. ctx->lock, common->lock held.
 */
bool pmudev_ring_full(const struct pmudev_ring *ring, const struct pmudev_set_deadlines *deadlines);

/*
 * Write a sample: an event has reached its deadline @value. ctx->lock and common->lock held.
 * @full: out: as pmudev_ring_full() has it now. Return: true if half of the ring is used now
 * and was not before.
 */
bool pmudev_sample(struct pmudev_ring *ring, const struct pmudev_set_deadlines *deadlines,
		   unsigned int slot, u64 value, bool *full);

#endif /* _PMUDEV_CONTEXT_SAMPLES_H */
