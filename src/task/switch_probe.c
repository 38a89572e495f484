// SPDX-License-Identifier: GPL-2.0
/*
 * Context switches by the sched_switch probe alone, for kernels without preempt notifiers: only KVM
 * selects them, and not every architecture has KVM. The probe is installed while any thread is
 * followed, and each switch on the machine pays for a look into two hash buckets.
 *
 * A context is found until it is dead, and nothing is linked to its thread. The caller that ends a
 * context unloads it where it is loaded; a probe that found it earlier then sees that it is dead.
 *
 * The probe runs before everything else in a switch, including the address space's and perf's
 * parts. So the rest of the switch counts for the next thread, and perf could disable user access
 * after the probe has enabled it.
 */
#include <linux/sched.h>
#include <linux/smp.h>

#include "../context/context.h"
#include "sched_switch.h"
#include "switch.h"

const bool pmudev_switch_lets_read;

int pmudev_switch_prepare(void)
{
	return pmudev_sched_switch_start();
}

void pmudev_switch_link(struct pmudev_ctx *ctx)
{
}

bool pmudev_switch_unlink(struct pmudev_ctx *ctx, bool out)
{
	return false;
}

static void switch_out(struct pmudev_ctx *ctx)
{
	raw_spin_lock(&ctx->lock);
	if (ctx->cpu >= 0)
		pmudev_ctx_unload(ctx);
	raw_spin_unlock(&ctx->lock);
}

static void switch_in(struct pmudev_ctx *ctx)
{
	raw_spin_lock(&ctx->lock);
	if (!ctx->dead && ctx->cpu < 0)
		pmudev_ctx_load(ctx);
	raw_spin_unlock(&ctx->lock);
}

int pmudev_switch_hook(struct tracepoint *tp)
{
	return pmudev_sched_switch_init(tp, switch_out, switch_in);
}

void pmudev_switch_unhook(void)
{
	pmudev_sched_switch_exit();
}
