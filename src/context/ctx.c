// SPDX-License-Identifier: GPL-2.0
/* The CPUs, and new contexts. */
#include "context.h"

DEFINE_PER_CPU(struct pmudev_cpu, pmudev_cpus);

void pmudev_ctx_init(struct pmudev_ctx *ctx)
{
	raw_spin_lock_init(&ctx->lock);
	kref_init(&ctx->ref);
	INIT_HLIST_HEAD(&ctx->rotating);
	INIT_HLIST_HEAD(&ctx->deadlines);
	INIT_HLIST_HEAD(&ctx->with_deadlines);
	INIT_HLIST_HEAD(&ctx->inherited);
	INIT_HLIST_HEAD(&ctx->reads.pages);
	ctx->cpu = -1;
}
