// SPDX-License-Identifier: GPL-2.0
/*
 * RDPMC in user mode, which CR4.PCE allows.
 *
 * The kernel sets CR4.PCE whenever it switches to an address space with
 * mm->context.perf_rdpmc_allowed above 0. perf's event_mapped() and event_unmapped() change that
 * count, and update CR4.PCE on the CPUs where the address space is loaded.
 *
 * perf does two more things, which must not affect owned CPUs:
 *   - Before a reader runs, it clears counters that it used earlier. perf_clear.c replaces that.
 *   - Writing 0 to its sysfs file `rdpmc` clears CR4.PCE on all CPUs at once. A reader that just
 *     checked its page would fault. So its page loses its owner, and CR4.PCE is set again without
 *     the kernel's knowledge. The reader may be switched out and in again in the middle of that
 *     read: CR4.PCE is then set again, and the page still has no owner.
 */
#include <linux/kprobes.h>
#include <linux/mm_types.h>
#include <linux/perf_event.h>

#include <asm/mmu.h>

#include "../hooks.h"
#include "intel.h"
#include "regs.h"

/* Argument of perf's event_mapped() and event_unmapped(), which read only these flags */
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
	/* fork copies the count, but no mapping of perf or pmudev. */
	atomic_set(&mm->context.perf_rdpmc_allowed, 0);
}

bool pmudev_backend_user_readable(void)
{
	return read_pce();
}

/* The selectors, not @counters, say what user mode can read. */
bool pmudev_backend_user_access_enable(u64 counters)
{
	struct intel_cpu *cpuc = this_cpu_ptr(&intel_cpus);

	cpuc->user = !cpuc->kept_access && read_pce();
	return cpuc->user;
}

bool pmudev_backend_user_access_disable(void)
{
	struct intel_cpu *cpuc = this_cpu_ptr(&intel_cpus);

	cpuc->user = false;
	if (unlikely(cpuc->kept_access)) {
		write_pce(false);
		cpuc->kept_access = false;
	}
	return true;
}

/*
 * Bypass the kernel's functions, which would remember the new value of CR4. Lost when the kernel
 * writes CR4 for another reason: a new bit for all CPUs, or a global TLB flush without INVPCID.
 */
void intel_keep_user_access(void)
{
	struct intel_cpu *cpuc = this_cpu_ptr(&intel_cpus);

	if (cpuc->kept_access || read_pce())
		return;
	write_pce(true);
	cpuc->kept_access = true;
}

/*
 * cr4_update_pce() returned; interrupts are disabled. If CR4.PCE was kept, the kernel believes it
 * to be clear and did not touch it.
 */
static int after_update(struct kretprobe_instance *instance, struct pt_regs *regs)
{
	struct intel_cpu *cpuc = this_cpu_ptr(&intel_cpus);

	if (!cpuc->user || read_pce())
		return 0;
	write_pce(true);
	cpuc->kept_access = true;
	cpuc->user = false;
	intel_upcalls->user_access_lost();
	return 0;
}

NOKPROBE_SYMBOL(after_update);

static struct kretprobe update_probe = {
	.kp.symbol_name = "cr4_update_pce",
	.handler = after_update,
};

static struct pmudev_hook update_hook = { .name = "cr4_update_pce" };

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
	pmudev_hook_note(&update_hook, true);
	perf = pmu;
	return 0;
}

void intel_user_exit(void)
{
	if (!perf)
		return;
	unregister_kretprobe(&update_probe);
	pmudev_hook_note(&update_hook, false);
	intel_clear_unhook();
	perf = NULL;
}
