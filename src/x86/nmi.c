// SPDX-License-Identifier: GPL-2.0
/*
 * NMIs: overflows of counters that interrupt, and what perf's NMI handler leaves behind.
 *
 * The handler is called after perf's. It may interrupt load, save or a KVM hook, and then writes
 * what they write. KVM handles an NMI that ended a guest before it calls kvm_exit.
 *
 * The interrupt of an overflow masks LVTPC. It stays masked until the core has compared counts, in
 * an interrupt that is pending now: intel_interrupts() unmasks it. So there is one NMI at a time,
 * and no overflow is missed: it either interrupts after LVTPC is unmasked, or came before the core
 * compares.
 *
 * What the handler shares with code that it interrupts is read with READ_ONCE() in it, and written
 * with WRITE_ONCE().
 */
#include <asm/apic.h>
#include <asm/nmi.h>

#include "../hooks.h"
#include "intel.h"
#include "regs.h"

/* An NMI may come this late, in milliseconds, after a save has found and cleared its overflow. */
#define LATE_MS 2

/* Can this be the NMI of an overflow that was cleared? There is one such NMI at most. */
static bool is_late(struct intel_cpu *cpuc)
{
	u64 late = READ_ONCE(cpuc->late_until);

	WRITE_ONCE(cpuc->late_until, 0);
	return late && (s64)(late - pmudev_clock()) > 0;
}

/* Is the NMI of a counter of ours? Clear what has overflowed. */
static bool is_ours(struct intel_cpu *cpuc)
{
	const u64 interrupts = READ_ONCE(cpuc->interrupts);
	u64 status = interrupts ? read_global_status() & interrupts : 0;
	bool late = is_late(cpuc), masked = READ_ONCE(cpuc->masked);

	if (status) {
		write_global_ovf_ctrl(status);
		/* Masked: the NMI is somebody else's, and the core will compare. */
		return !masked;
	}
	/*
	 * Its overflow was cleared before it came: a save found the count. Or its event was
	 * unloaded, but the interrupt has masked LVTPC: perf's handler has unmasked what was
	 * perf's.
	 */
	return late || (!masked && apic->read(APIC_LVTPC) & APIC_LVT_MASKED);
}

static int on_nmi(unsigned int type, struct pt_regs *regs)
{
	struct intel_cpu *cpuc = this_cpu_ptr(&intel_cpus);

	if (!READ_ONCE(cpuc->owned))
		return is_late(cpuc) ? NMI_HANDLED : NMI_DONE;
	/* perf's handler, called for Intel PT, stops the PMU and may leave it stopped. */
	write_global_ctrl(READ_ONCE(cpuc->active) ^ READ_ONCE(cpuc->guest));
	if (!is_ours(cpuc)) {
		/* That handler may also have taken an overflow of ours for its own. */
		if (READ_ONCE(cpuc->interrupts))
			intel_upcalls->overflowed(false, NULL);
		return NMI_DONE;
	}
	/* Until the core has looked: NMIs meanwhile are others'. */
	WRITE_ONCE(cpuc->masked, true);
	intel_upcalls->overflowed(true, regs);
	return NMI_HANDLED;
}

void intel_interrupts(bool enable)
{
	struct intel_cpu *cpuc = this_cpu_ptr(&intel_cpus);

	/* First, so that the interrupt of a later overflow finds its status. */
	if (enable && cpuc->owned)
		write_global_ovf_ctrl(cpuc->kind->caps.counters & ~cpuc->foreign);
	WRITE_ONCE(cpuc->masked, !enable);
	/* apic_write() is not for modules. */
	apic->write(APIC_LVTPC, APIC_DM_NMI | (enable ? 0 : APIC_LVT_MASKED));
}

void intel_expect_late_nmi(struct intel_cpu *cpuc)
{
	WRITE_ONCE(cpuc->late_until, pmudev_clock() + LATE_MS * (u64)tsc_khz);
}

static const char nmi_name[] = "pmudev";
static struct pmudev_hook nmi_hook = { .name = "nmi_handler" };

void intel_hook_nmi(void)
{
	if (nmi_hook.installed)
		return;
	if (register_nmi_handler(NMI_LOCAL, on_nmi, 0, nmi_name))
		pr_warn_once("pmudev: no NMI handler: deadlines are late\n");
	else
		pmudev_hook_note(&nmi_hook, true);
}

void intel_unhook_nmi(void)
{
	if (!nmi_hook.installed)
		return;
	unregister_nmi_handler(NMI_LOCAL, nmi_name);
	pmudev_hook_note(&nmi_hook, false);
}
