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
 * Probing patches the kernel's text, which takes long, and takes cpus_read_lock(), which whoever
 * reserves a CPU has already. So it is done at load, or when KVM, mostly a module, is loaded:
 * its tracepoints are how it is noticed.
 */
#include <linux/kprobes.h>
#include <linux/module.h>
#include <linux/tracepoint.h>

#include "../hooks.h"
#include "amd.h"

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
		pr_warn_once("pmudev: KVM cannot be hooked (error %d): do not run guests\n", ret);
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
	if (!x86_kinds[0].caps.amd.svm)
		return;
	/* This also calls the notifier for modules that are loaded already. */
	if (IS_BUILTIN(CONFIG_KVM))
		probe_perf();
	else if (register_tracepoint_module_notifier(&module_nb))
		pr_warn_once("pmudev: KVM cannot be noticed: do not run guests\n");
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
