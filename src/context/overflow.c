// SPDX-License-Identifier: GPL-2.0
/* Interrupts of counters that overflow. */
#include <linux/hardirq.h>
#include <linux/jiffies.h>
#include <linux/ptrace.h>

#include "cgroup.h"
#include "deadline.h"
#include "fold.h"
#include "overflow.h"

/* A deadline every 1000 instructions takes a few percent of a CPU, not all of it. */
int pmudev_max_overflows = 25;

static void look(struct pmudev_ctx *ctx, void *arg)
{
	const u64 *overflowed = arg;

	raw_spin_lock(&ctx->lock);
	pmudev_deadlines_look(ctx, *overflowed);
	raw_spin_unlock(&ctx->lock);
}

/* What is loaded here changes on this CPU only, irqs off. @overflowed: counters known to have */
static void look_here(struct pmudev_cpu *cpuc, u64 overflowed)
{
	if (cpuc->ready)
		pmudev_loaded_walk(cpuc, look, &overflowed);
}

/* One more interrupt. Return: false if it was one too many. */
static bool count_one(struct pmudev_overflow *overflow)
{
	const unsigned long now = jiffies;

	/* Not time_after(): with 32 bits it is false for weeks after weeks without interrupts. */
	if (overflow->tick != now) {
		overflow->tick = now;
		overflow->nr = 0;
	}
	return ++overflow->nr <= READ_ONCE(pmudev_max_overflows);
}

static struct pmudev_interrupted interrupted(u64 counters, struct pt_regs *regs)
{
	struct pmudev_interrupted at = { .counters = counters };

	if (regs) {
		at.task = current;
		at.ip = instruction_pointer(regs);
		at.user = user_mode(regs);
	}
	return at;
}

/* An overflow has interrupted. @overflow.at: which, and where */
static void handle(struct pmudev_cpu *cpuc)
{
	struct pmudev_overflow *overflow = &cpuc->overflow;
	u32 found = overflow->found;

	lockdep_assert_irqs_disabled();
	if (!cpuc->ready || overflow->masked)
		return;
	atomic64_inc(&cpuc->pmu->info.overflows);
	if (count_one(overflow)) {
		/* First: what overflows after the look interrupts. */
		pmudev_backend.interrupts(true);
		look_here(cpuc, overflow->at.counters);
	} else {
		look_here(cpuc, overflow->at.counters);
		overflow->masked = true;
		pmudev_backend.interrupts(false);
		pmudev_fold_timer(cpuc, TICK_NSEC);
	}
	if (overflow->found == found)
		atomic64_inc(&cpuc->pmu->info.unexpected);
}

static void handle_work(struct irq_work *work)
{
	struct pmudev_cpu *cpuc = container_of(work, struct pmudev_cpu, overflow.work);

	/* In one step: an NMI may come in between. */
	if (!xchg(&cpuc->overflow.ours, false)) {
		look_here(cpuc, 0);
		return;
	}
	/* Before the next one can come. */
	cpuc->overflow.at = cpuc->overflow.nmi;
	/* Since then another thread may have got the counters. */
	if (cpuc->overflow.at.task != current)
		cpuc->overflow.at.counters = 0;
	handle(cpuc);
	cpuc->overflow.at.task = NULL;
}

void pmudev_overflowed(bool ours, u64 counters, struct pt_regs *regs)
{
	struct pmudev_cpu *cpuc = this_cpu_ptr(&pmudev_cpus);

	if (in_nmi()) {
		if (ours) {
			cpuc->overflow.nmi = interrupted(counters, regs);
			barrier(); /* the work that sees @ours sees it */
			WRITE_ONCE(cpuc->overflow.ours, true);
		}
		irq_work_queue(&cpuc->overflow.work);
	} else if (ours) {
		cpuc->overflow.at = interrupted(counters, regs);
		handle(cpuc);
		cpuc->overflow.at.task = NULL;
	} else {
		look_here(cpuc, 0);
	}
}

void pmudev_overflow_tick(struct pmudev_cpu *cpuc)
{
	lockdep_assert_irqs_disabled();
	/* The timers of a CPU that goes offline may expire elsewhere: it begins anew. */
	if (!cpuc->overflow.masked || !cpuc->ready || cpuc->cpu != smp_processor_id())
		return;
	pmudev_backend.interrupts(true);
	/* Deadlines that were reached meanwhile are late. */
	look_here(cpuc, 0);
	cpuc->overflow.masked = false;
}

void pmudev_overflow_begin(struct pmudev_cpu *cpuc)
{
	lockdep_assert_irqs_disabled();
	cpuc->overflow.masked = false;
	cpuc->overflow.nr = 0;
	cpuc->overflow.tick = jiffies;
	if (cpuc->pmu->info.interrupt)
		pmudev_backend.interrupts(true);
}

void pmudev_overflow_init(struct pmudev_cpu *cpuc)
{
	cpuc->overflow.work = IRQ_WORK_INIT_HARD(handle_work);
}

void pmudev_overflow_exit(struct pmudev_cpu *cpuc)
{
	irq_work_sync(&cpuc->overflow.work);
}
