// SPDX-License-Identifier: GPL-2.0
/*
 * Switches, by the sched_switch probe alone, for kernels without preempt notifiers (KVM brings
 * them, and not every architecture has KVM). It is in while any thread is followed, and each switch
 * pays for a look into two buckets.
 *
 * A context is found until it is dead, and nothing is linked to its thread: who ends it unloads it
 * where it is loaded, and a probe that found it before sees that it is dead.
 *
 * The probe comes before all else that happens at a switch: the address space's, and perf's. So the
 * kernel's part of a switch is counted for the next thread, and what perf then does could take back
 * the right to read.
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
