// SPDX-License-Identifier: GPL-2.0
/*
 * Guest filters: the selector's bits HOST and GUEST, which the hardware applies at guest entry and
 * exit. No hook is needed there.
 *
 * But HOST counts nothing while EFER.SVME is 0, which KVM sets and clears as virtual machines come
 * and go. It then tells perf's driver, which on PerfMonV2 starts all counters. These functions are
 * probed: pmudev does the same to its selectors afterwards.
 *
 * When SVME is cleared, events for the host only do not count until then: some instructions of the
 * kernel's.
 *
 * A hypervisor may drop the two bits of its guests' selectors without a fault, and still let them
 * run guests of their own: KVM does. There, and where KVM cannot be probed, such events are
 * refused.
 *
 * Probing patches the kernel's text, which takes long, and takes cpus_read_lock(), which whoever
 * reserves a CPU has already. So it is done at load, or when KVM, mostly a module, is loaded:
 * its tracepoints are how it is noticed.
 */
#include <linux/kprobes.h>
#include <linux/module.h>
#include <linux/tracepoint.h>

#include "../hooks.h"
#include "amd.h"
#include "amd_regs.h"

/* As the first kind has: they work on the CPUs of all kinds, or on none. */
bool amd_has_filters(void)
{
	return !x86_nr_kinds || READ_ONCE(x86_kinds[0].caps.amd.filters);
}

/* The first kind first: a CPU that comes online asks there. */
static void drop_filters(void)
{
	unsigned int i;

	for (i = 0; i < x86_nr_kinds; i++) {
		WRITE_ONCE(x86_kinds[i].caps.amd.filters, false);
		x86_kinds[i].info->features &= ~PMUDEV_HAS_GUEST;
	}
}

/*
 * On a CPU of the first kind, interrupts disabled. Perf may have some of the counters: it is asked
 * of one that does not count, which perf's NMI handler does not touch.
 */
static void try_filters(void *work)
{
	const u64 bits = AMD_CTL_GUEST | AMD_CTL_HOST;
	const struct x86_kind *kind = &x86_kinds[0];
	u64 rest;

	for (rest = kind->counters; rest; rest &= rest - 1) {
		u32 msr = amd_msr_ctl(kind->caps.amd.extended, __ffs64(rest));
		u64 before = x86_rdmsr(msr);

		if (before & AMD_CTL_EN)
			continue;
		x86_wrmsr(msr, before | bits);
		*(bool *)work = (x86_rdmsr(msr) & bits) == bits;
		x86_wrmsr(msr, before);
		return;
	}
	*(bool *)work = !boot_cpu_has(X86_FEATURE_HYPERVISOR);
}

static bool filters_work(void)
{
	bool work = false;

	return !smp_call_function_single(x86_kinds[0].cpu, try_filters, &work, true) && work;
}

static int on_return(struct kretprobe_instance *instance, struct pt_regs *regs)
{
	unsigned long flags;

	local_irq_save(flags);
	amd_virt_changed();
	local_irq_restore(flags);
	return 0;
}

static struct kretprobe enable = {
	.kp.symbol_name = "amd_pmu_enable_virt",
	.handler = on_return,
};

static struct kretprobe disable = {
	.kp.symbol_name = "amd_pmu_disable_virt",
	.handler = on_return,
};

static struct kretprobe *probes[] = { &enable, &disable };
static struct pmudev_hook enabled = { .name = "amd_pmu_enable_virt" };
static struct pmudev_hook disabled = { .name = "amd_pmu_disable_virt" };

static void note(bool installed)
{
	pmudev_hook_note(&enabled, installed);
	pmudev_hook_note(&disabled, installed);
}

/* Sets that filter already would miscount. */
static void cannot_hook(int error)
{
	pr_warn_once("pmudev: KVM cannot be hooked (error %d): do not run guests\n", error);
	drop_filters();
}

/* Without the functions, KVM does not run on this kernel, either. */
static void probe_perf(void)
{
	int ret;

	if (enabled.installed)
		return;
	ret = register_kretprobes(probes, ARRAY_SIZE(probes));
	if (!ret)
		note(true);
	else if (ret != -ENOENT)
		cannot_hook(ret);
}

static int on_module(struct notifier_block *nb, unsigned long state, void *data)
{
	if (state == MODULE_STATE_COMING && !strcmp(((struct tp_module *)data)->mod->name, "kvm"))
		probe_perf();
	return NOTIFY_OK;
}

static struct notifier_block module_nb = { .notifier_call = on_module };

void amd_hook(void)
{
	int ret = 0;

	if (!x86_kinds[0].caps.amd.svm)
		return;
	/* K8 has SVM and not the bits: there they are reserved, and a write may fault. */
	if (amd_has_filters() && !filters_work())
		drop_filters();
	/* This also calls the notifier for modules that are loaded already. */
	if (IS_BUILTIN(CONFIG_KVM))
		probe_perf();
	else
		ret = register_tracepoint_module_notifier(&module_nb);
	if (ret)
		cannot_hook(ret);
}

void amd_unhook(void)
{
	if (!IS_BUILTIN(CONFIG_KVM))
		unregister_tracepoint_module_notifier(&module_nb);
	if (!enabled.installed)
		return;
	unregister_kretprobes(probes, ARRAY_SIZE(probes));
	note(false);
}
