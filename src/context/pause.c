// SPDX-License-Identifier: GPL-2.0
/* Counters that are stopped for a moment. */
#include "pause.h"

void pmudev_slots_pause(struct pmudev_ctx *ctx, struct pmudev_set *set, u64 slots,
			struct pmudev_pause *pause)
{
	lockdep_assert_held(&ctx->lock);
	slots &= set->active;
	pause->nr = 0;
	if (!slots || !pmudev_ctx_counting(ctx))
		return;
	pause->counters = pmudev_slots_counters(set, slots);
	pause->nr = pmudev_slots_hw(set, slots, pause->hw);
	pmudev_backend_save(pause->hw, pause->nr, pause->counters);
}

void pmudev_counters_pause(struct pmudev_ctx *ctx, u64 counters, struct pmudev_pause *pause)
{
	unsigned int i, live = PMUDEV_COUNTERS;
	u64 mask;

	lockdep_assert_held(&ctx->lock);
	pause->nr = 0;
	pause->counters = 0;
	for (i = 0; i < ctx->nr; i++) {
		mask = pmudev_hw_counters(&ctx->active[i], 1);
		if (mask & counters && ctx->active[i]->config & ctx->pmu->info.interrupt) {
			pause->hw[pause->nr++] = ctx->active[i];
			pause->counters |= mask;
		} else {
			pause->hw[--live] = ctx->active[i];
		}
	}
	if (pause->nr)
		pmudev_backend_save(pause->hw, pause->nr, pause->counters);
	if (live < PMUDEV_COUNTERS)
		pmudev_backend_read(pause->hw + live, PMUDEV_COUNTERS - live);
}

void pmudev_slots_resume(const struct pmudev_pause *pause)
{
	if (pause->nr)
		pmudev_backend_load(pause->hw, pause->nr, pause->counters);
}
