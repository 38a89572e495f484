/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Deadlines of totals, when sets change. While threads are visited one after the other totals are
 * held: what is known of them is not compared.
 */
#ifndef _PMUDEV_CONTEXT_TOTALS_H
#define _PMUDEV_CONTEXT_TOTALS_H

#include "deadline.h"

/* A total's deadline begins, held. @known: what ended threads counted. common->lock held. */
void pmudev_total_begin(struct pmudev_deadline_common *common, const struct pmudev_deadline *entry,
			u64 known);

/* A set or child that counts no more keeps its count in the total. ctx->lock held. */
void pmudev_total_keep(struct pmudev_set *set, struct pmudev_deadline_common *common,
		       unsigned int slot) __must_hold(&set->ctx->lock);

/* pmudev_set_fn: end totals; they have no deadline then. @arg: const u64 *slots */
void pmudev_totals_end(struct pmudev_ctx *ctx, struct pmudev_set *set, void *arg)
	__must_hold(&ctx->lock);

/* pmudev_set_fn: bring totals up to date, and begin new steps. @arg: unused */
void pmudev_totals_look(struct pmudev_ctx *ctx, struct pmudev_set *set, void *arg)
	__must_hold(&ctx->lock);

/* Those of some slots that have a total's deadline. The set's mutex or inherit->lock held. */
u64 pmudev_totals_of(const struct pmudev_set *set, u64 slots);

/*
 * A walk begins that resets these slots: what ended threads counted is dropped, and totals are
 * held. @value: by slot. Irqs off.
 */
void pmudev_totals_drop(struct pmudev_set *set, u64 slots, const u64 *value);

/* The walk has ended: compare again. @slots: that have a total's deadline */
void pmudev_totals_release(struct pmudev_set *set, u64 slots);

#endif /* _PMUDEV_CONTEXT_TOTALS_H */
