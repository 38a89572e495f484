// SPDX-License-Identifier: GPL-2.0
/* KVM's guests, entered and left on this CPU: events with a host/guest filter. */
#include "ctx.h"
#include "guest.h"

/* The active events with a filter. What is loaded here changes on this CPU only, irqs off. */
static unsigned int collect(const struct pmudev_ctx *ctx, struct pmudev_hw **hw)
{
	unsigned int i, nr = 0;

	if (!ctx->ready || ctx->cpu != smp_processor_id())
		return 0;
	for (i = 0; i < ctx->nr; i++)
		if (ctx->active[i]->filter)
			hw[nr++] = ctx->active[i];
	return nr;
}

void pmudev_guest_entered(void)
{
	struct pmudev_cpu *cpuc = this_cpu_ptr(&pmudev_cpus);
	struct pmudev_hw *hw[PMUDEV_COUNTERS];
	unsigned int nr;

	lockdep_assert_irqs_disabled();
	if (!cpuc->ready)
		return;
	nr = collect(&cpuc->ctx, hw);
	if (cpuc->task)
		nr += collect(cpuc->task, hw + nr);
	if (nr)
		pmudev_backend.guest_enter(hw, nr);
}

void pmudev_guest_left(void)
{
	unsigned long flags;

	local_irq_save(flags);
	pmudev_backend.guest_leave();
	local_irq_restore(flags);
}
