// SPDX-License-Identifier: GPL-2.0
/*
 * RDPMC in user mode. CR4.PCE allows it; the kernel sets it on every switch to an address space
 * whose perf_rdpmc_allowed is not 0. That count is raised and lowered here by perf's own
 * functions, which also have the CPUs where the address space is loaded follow at once.
 *
 * Two things that perf does then must not reach who counts on the CPUs that are ours:
 *   - when somebody comes who may read, it zeroes counters that it used once, which are ours now:
 *     instead those are cleared that we used and do not any more (clear.c);
 *   - writing 0 to its sysfs file `rdpmc` clears CR4.PCE on all CPUs at once. A reader may have
 *     checked its page just before and would fault: its page is disowned, and CR4.PCE set again
 *     behind the kernel's back. When it is switched in again it may still be in that very read:
 *     CR4.PCE is set for it, and its page has no owner.
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

bool pmudev_backend_user_readable(void)
{
	return read_pce();
}

/* Which counters it can read is in their selectors. */
bool pmudev_backend_try_user_access_enable(u64 counters)
{
	struct intel_cpu *cpuc = this_cpu_ptr(&intel_cpus);

	cpuc->user = !cpuc->kept_access && read_pce();
	return cpuc->user;
}

bool pmudev_backend_user_access_enable(u64 counters)
{
	return pmudev_backend_try_user_access_enable(counters);
}

bool pmudev_backend_try_user_access_disable(void)
{
	struct intel_cpu *cpuc = this_cpu_ptr(&intel_cpus);

	cpuc->user = false;
	return !cpuc->kept_access;
}

bool pmudev_backend_user_access_disable(void)
{
	if (!pmudev_backend_try_user_access_disable()) {
		write_pce(false);
		this_cpu_write(intel_cpus.kept_access, false);
	}
	return true;
}

/*
 * Not by the kernel's functions: what they remember of CR4 is what is put back. When they write CR4
 * for another reason (a new bit for all CPUs, a global TLB flush without INVPCID) this is lost.
 */
void intel_keep_user_access(void)
{
	struct intel_cpu *cpuc = this_cpu_ptr(&intel_cpus);

	if (cpuc->kept_access || read_pce())
		return;
	write_pce(true);
	cpuc->kept_access = true;
}

/* ------------------------------------------------------- keeping perf off -- */

/* Irqs are off. What is kept_access the function does not touch, unless it came by clear.c. */
static int after_update(struct kretprobe_instance *instance, struct pt_regs *regs)
{
	struct intel_cpu *cpuc = this_cpu_ptr(&intel_cpus);

	if (!cpuc->user || read_pce())
		return 0;
	write_pce(true);
	cpuc->kept_access = true;
	cpuc->user = false;
	pmudev_user_access_lost();
	return 0;
}

NOKPROBE_SYMBOL(after_update);

static struct kretprobe update_probe = {
	.kp.symbol_name = "cr4_update_pce",
	.handler = after_update,
};

int intel_user_init(struct pmu *pmu)
{
	int ret;

	if (!pmu || !pmu->event_mapped || !pmu->event_unmapped)
		return -EOPNOTSUPP;
	ret = intel_clear_hook();
	if (ret)
		return ret;
	ret = register_kretprobe(&update_probe);
	if (ret) {
		intel_clear_unhook();
		return ret;
	}
	perf = pmu;
	return 0;
}

void intel_user_exit(void)
{
	if (!perf)
		return;
	unregister_kretprobe(&update_probe);
	intel_clear_unhook();
	perf = NULL;
}
