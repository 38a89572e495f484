// SPDX-License-Identifier: GPL-2.0
/* KVM's guests, entered and left on this CPU: events with a host/guest filter. */
#include "cgroup.h"
#include "guest.h"

/* Events that are loaded here and have a filter */
struct filtered {
	struct pmudev_hw *hw[PMUDEV_COUNTERS];
	unsigned int nr;
};

/* Those of one context. What is loaded here changes on this CPU only, irqs off. */
static void collect(struct pmudev_ctx *ctx, void *arg)
{
	struct filtered *filtered = arg;
	unsigned int i;

	if (!ctx->ready || ctx->cpu != smp_processor_id())
		return;
	for (i = 0; i < ctx->nr; i++)
		if (ctx->active[i]->filter)
			filtered->hw[filtered->nr++] = ctx->active[i];
}

void pmudev_guest_entered(void)
{
	struct pmudev_cpu *cpuc = this_cpu_ptr(&pmudev_cpus);
	struct filtered filtered;

	lockdep_assert_irqs_disabled();
	if (!cpuc->ready)
		return;
	filtered.nr = 0;
	pmudev_loaded_walk(cpuc, collect, &filtered);
	if (filtered.nr)
		pmudev_backend.guest_enter(filtered.hw, filtered.nr);
}

void pmudev_guest_left(void)
{
	unsigned long flags;

	local_irq_save(flags);
	pmudev_backend.guest_leave();
	local_irq_restore(flags);
}
