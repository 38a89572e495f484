// SPDX-License-Identifier: GPL-2.0
/*
 * RDPMC in user mode. CR4.PCE allows it; the kernel sets it on every switch to an address space
 * whose perf_rdpmc_allowed is not 0. That count is raised and lowered here by perf's own
 * functions, which also have the CPUs where the address space is loaded follow at once.
 *
 * Two things perf does then are kept from the CPUs that are ours, until their next switch to
 * another address space:
 *   - it zeroes counters that it used once, which are ours now;
 *   - writing 0 to its sysfs file `rdpmc` clears CR4.PCE on all CPUs at once. A reader may have
 *     checked its page just before and would fault: its page is disowned, CR4.PCE stays. When it
 *     is switched in again it may still be in that very read: CR4.PCE is set for it, and its page
 *     has no owner.
 */
#include <linux/kprobes.h>
#include <linux/mm_types.h>
#include <linux/perf_event.h>

#include <asm/mmu.h>

#include "intel.h"
#include "regs.h"

/* perf's functions take an event, of which they ask no more than what stands here. */
static struct perf_event reader = {
	.hw.flags = PERF_EVENT_FLAG_USER_READ_CNT,
};

static struct pmu *perf;

void intel_grant(struct mm_struct *mm)
{
	perf->event_mapped(&reader, mm);
}

void intel_revoke(struct mm_struct *mm)
{
	perf->event_unmapped(&reader, mm);
}

void intel_forked(struct mm_struct *mm)
{
	/* fork copies the count, but neither perf's mappings nor ours. */
	atomic_set(&mm->context.perf_rdpmc_allowed, 0);
}

bool intel_user_access(bool allow)
{
	struct intel_cpu *pc = this_cpu_ptr(&intel_cpus);

	pc->user = false;
	if (!allow) {
		if (pc->forced)
			write_pce(false);
		pc->forced = false;
		return true;
	}
	if (pc->forced)
		return false;
	pc->user = read_pce();
	if (!pc->user) {
		/* Not by the kernel's functions: what they remember of CR4 is what is put back. */
		write_pce(true);
		pc->forced = true;
	}
	return pc->user;
}

/* ------------------------------------------------------- keeping perf off -- */

static noinline notrace void nothing(void)
{
}

/* Have the function that was just entered return at once. */
static int __kprobes skip(struct pt_regs *regs)
{
	instruction_pointer_set(regs, (unsigned long)nothing);
	return 1;
}

/* Irqs are off. */
static int __kprobes clearing(struct kprobe *probe, struct pt_regs *regs)
{
	return this_cpu_read(intel_cpus.ours) ? skip(regs) : 0;
}

static int __kprobes updating(struct kprobe *probe, struct pt_regs *regs)
{
	struct intel_cpu *pc = this_cpu_ptr(&intel_cpus);

	if (!pc->user && !pc->forced)
		return 0;
	pmudev_user_access_lost();
	return skip(regs);
}

/* One that has this may not be turned into a jump, past which nothing could be skipped. */
static void __kprobes after(struct kprobe *probe, struct pt_regs *regs, unsigned long flags)
{
}

static struct kprobe clear_probe = {
	.symbol_name = "perf_clear_dirty_counters",
	.pre_handler = clearing,
	.post_handler = after,
};

static struct kprobe update_probe = {
	.symbol_name = "cr4_update_pce",
	.pre_handler = updating,
	.post_handler = after,
};

static struct kprobe *probes[] = { &clear_probe, &update_probe };

int intel_user_init(struct pmu *pmu)
{
	int ret;

	if (!pmu || !pmu->event_mapped || !pmu->event_unmapped)
		return -EOPNOTSUPP;
	ret = register_kprobes(probes, ARRAY_SIZE(probes));
	if (!ret)
		perf = pmu;
	return ret;
}

void intel_user_exit(void)
{
	if (perf)
		unregister_kprobes(probes, ARRAY_SIZE(probes));
	perf = NULL;
}
