// SPDX-License-Identifier: GPL-2.0
/* Is the NMI watchdog the holder of the PMU? */
#include <linux/workqueue.h>

#include "../setting.h"
#include "x86.h"

/* A question to a kernel thread */
struct question {
	struct work_struct work; /* runs ask_watchdog() */
	bool enabled;		 /* the caller's /proc says that the NMI watchdog is */
	bool watchdog;		 /* the answer: it may have the PMU */
};

static bool watchdog_enabled(void)
{
	return pmudev_setting_is_on("/proc/sys/kernel/nmi_watchdog");
}

/*
 * Is there an event of perf like the watchdog's? It has one on each CPU where work is queued, for
 * user and kernel mode. While this thread runs, events of users' threads are on no counter here. If
 * the watchdog was enabled when pmudev had the PMU, it has no event, although its file says 1.
 */
static bool counts_like_watchdog(void)
{
	struct x86_kind *kind;
	unsigned long flags;
	u64 both = 0;

	local_irq_save(flags);
	kind = x86_kind_here();
	if (kind && !this_cpu_read(x86_cpus.owned))
		both = x86_vendor->both_modes(kind);
	local_irq_restore(flags);
	return both;
}

static void ask_watchdog(struct work_struct *work)
{
	struct question *question = container_of(work, struct question, work);

	question->watchdog = (question->enabled || watchdog_enabled()) && counts_like_watchdog();
}

void x86_explain(struct pmudev_refusal *why)
{
	struct question question = {};

	/* Other hard lockup detectors, as the "buddy", use no counter. */
	if (why->holder.kind != PMUDEV_HOLDER_PERF || !IS_ENABLED(CONFIG_HARDLOCKUP_DETECTOR_PERF))
		return;
	/* The caller may see another /proc, or none; kernel threads see none since 7.0. */
	question.enabled = watchdog_enabled();
	INIT_WORK_ONSTACK(&question.work, ask_watchdog);
	schedule_work(&question.work);
	flush_work(&question.work);
	destroy_work_on_stack(&question.work);
	if (question.watchdog)
		why->holder.kind = PMUDEV_HOLDER_WATCHDOG;
}
