// SPDX-License-Identifier: GPL-2.0
/*
 * NMIs: overflows of counters that interrupt, and what perf's NMI handler leaves behind.
 *
 * The handler is called after perf's. It may interrupt load, save or a KVM hook, and then writes
 * what they write. KVM handles an NMI that ended a guest before it calls kvm_exit.
 *
 * The interrupt of an overflow masks LVTPC. It stays masked until the core has compared counts, in
 * an interrupt that is pending now: x86_interrupts() unmasks it. So there is one NMI at a time,
 * and no overflow is missed: it either interrupts after LVTPC is unmasked, or came before the core
 * compares.
 *
 * What the handler shares with code that it interrupts is read with READ_ONCE() in it, and written
 * with WRITE_ONCE().
 */
#include <asm/apic.h>
#include <asm/nmi.h>

#include "../hooks.h"
#include "nmi.h"

DEFINE_STATIC_CALL(x86_judge_nmi, x86_no_nmi);
DEFINE_STATIC_CALL(x86_acknowledge, x86_no_acknowledge);

enum x86_nmi x86_no_nmi(struct x86_cpu *cpuc, u64 *counters)
{
	return X86_NMI_OTHER;
}

void x86_no_acknowledge(struct x86_cpu *cpuc)
{
}

static u64 late_window(void)
{
	return x86_vendor->late_ms * (u64)tsc_khz;
}

void x86_expect_late_nmi(struct x86_cpu *cpuc)
{
	WRITE_ONCE(cpuc->late_until, pmudev_clock() + late_window());
}

bool x86_late_nmi_expected(const struct x86_cpu *cpuc)
{
	/* Neither over, nor from before a system sleep that has set the clock back. */
	return READ_ONCE(cpuc->late_until) - pmudev_clock() <= late_window();
}

bool x86_is_late_nmi(struct x86_cpu *cpuc)
{
	bool late = x86_late_nmi_expected(cpuc);

	WRITE_ONCE(cpuc->late_until, 0);
	return late;
}

static int on_nmi(unsigned int type, struct pt_regs *regs)
{
	struct x86_cpu *cpuc = this_cpu_ptr(&x86_cpus);
	u64 counters = 0;

	if (!READ_ONCE(cpuc->owned))
		return x86_is_late_nmi(cpuc) ? NMI_HANDLED : NMI_DONE;
	switch (static_call(x86_judge_nmi)(cpuc, &counters)) {
	case X86_NMI_OURS:
		/* Until the core has looked: NMIs meanwhile are others'. */
		WRITE_ONCE(cpuc->masked, true);
		x86_upcalls->overflowed(true, counters, regs);
		return NMI_HANDLED;
	case X86_NMI_LATE:
		/* What cleared its overflow may have looked at one context only. */
		x86_upcalls->overflowed(false, 0, NULL);
		return NMI_HANDLED;
	case X86_NMI_MISSED:
		x86_upcalls->overflowed(false, 0, NULL);
		return NMI_DONE;
	default:
		return NMI_DONE;
	}
}

void x86_interrupts(bool enable)
{
	struct x86_cpu *cpuc = this_cpu_ptr(&x86_cpus);

	/*
	 * First, so that the interrupt of a later overflow finds its status. After an NMI of ours
	 * the handler has cleared it; what overflows before LVTPC is unmasked the core finds next,
	 * and clears.
	 */
	if (enable && cpuc->owned && cpuc->disabled)
		static_call(x86_acknowledge)(cpuc);
	cpuc->disabled = !enable;
	WRITE_ONCE(cpuc->masked, !enable);
	/* apic_write() is not for modules. */
	apic->write(APIC_LVTPC, APIC_DM_NMI | (enable ? 0 : APIC_LVT_MASKED));
}

static const char nmi_name[] = "pmudev";
static struct pmudev_hook nmi_hook = { .name = "nmi_handler" };

void x86_hook_nmi(void)
{
	if (nmi_hook.installed)
		return;
	if (register_nmi_handler(NMI_LOCAL, on_nmi, 0, nmi_name))
		pr_warn_once("pmudev: no NMI handler: deadlines are late\n");
	else
		pmudev_hook_note(&nmi_hook, true);
}

void x86_unhook_nmi(void)
{
	if (!nmi_hook.installed)
		return;
	unregister_nmi_handler(NMI_LOCAL, nmi_name);
	pmudev_hook_note(&nmi_hook, false);
}
