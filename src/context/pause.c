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

void pmudev_slots_resume(const struct pmudev_pause *pause)
{
	if (pause->nr)
		pmudev_backend_load(pause->hw, pause->nr, pause->counters);
}
