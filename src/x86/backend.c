// SPDX-License-Identifier: GPL-2.0
/* The x86 backend's operations: what the core calls. The vendor is chosen when it is probed. */
#include <asm/processor.h>

#include "amd.h"
#include "intel.h"

DEFINE_STATIC_CALL(pmudev_load, intel_load);
DEFINE_STATIC_CALL(pmudev_save, intel_save);
DEFINE_STATIC_CALL(pmudev_read, intel_read);
DEFINE_STATIC_CALL(pmudev_clear, intel_clear);

static void choose_intel(void)
{
	x86_vendor = &intel_vendor;
	static_call_update(x86_judge_nmi, intel_judge_nmi);
	static_call_update(x86_acknowledge, intel_acknowledge);
}

static void choose_amd(void)
{
	x86_vendor = &amd_vendor;
	static_call_update(x86_judge_nmi, amd_judge_nmi);
	static_call_update(x86_acknowledge, amd_acknowledge);
	static_call_update(pmudev_load, amd_load);
	static_call_update(pmudev_save, amd_save);
	static_call_update(pmudev_read, amd_read);
	static_call_update(pmudev_clear, amd_clear);
}

static int choose_vendor(void)
{
	switch (boot_cpu_data.x86_vendor) {
	case X86_VENDOR_INTEL:
		choose_intel();
		return 0;
	case X86_VENDOR_AMD:
	case X86_VENDOR_HYGON:
		choose_amd();
		return 0;
	default:
		pr_err("pmudev: this CPU is from neither Intel nor AMD: not supported yet\n");
		return -ENODEV;
	}
}

static int x86_probe(struct pmudev_pmu_info *const *info, const struct pmudev_upcalls *upcalls)
{
	unsigned int i;
	int ret, user;

	x86_upcalls = upcalls;
	ret = choose_vendor();
	if (!ret)
		ret = x86_find_kinds(info);
	if (!ret)
		ret = x86_reserve_init();
	if (ret)
		return ret;
	user = x86_user_init(x86_kinds[0].perf);
	if (user == -ENOMEM) {
		x86_reserve_exit();
		return user;
	}
	if (user)
		pr_warn("pmudev: no user reads: perf in this kernel lacks functions that they need\n");
	for (i = 0; i < x86_nr_kinds; i++) {
		if (user) {
			info[i]->features &= ~(PMUDEV_HAS_DIRECT | PMUDEV_HAS_HIDING);
			continue;
		}
		info[i]->user = info[i]->counters;
		info[i]->features |= PMUDEV_HAS_USER_READ;
	}
	return x86_nr_kinds;
}

static int x86_encode(const struct pmudev_pmu_info *info, const struct pmudev_event_attr *attr,
		      struct pmudev_code *code, struct pmudev_refusal *why)
{
	return x86_vendor->encode(info, attr, code, why);
}

static u32 x86_operand(unsigned int counter)
{
	return x86_vendor->operand(counter);
}

/* Guest filters: Intel's alone; other encodings have none (struct pmudev_code). */
const struct pmudev_backend_ops pmudev_backend = {
	.probe = x86_probe,
	.remove = x86_reserve_exit,
	.identify = x86_identify,
	.cpu_up = x86_cpu_up,
	.cpu_down = x86_cpu_down,
	.held = x86_held,
	.explain = x86_explain,
	.encode = x86_encode,
	.operand = x86_operand,
	.grant = x86_grant,
	.revoke = x86_revoke,
	.forked = x86_forked,
	.interrupts = x86_interrupts,
	.guest_entry = intel_on_guest_entry,
	.guest_exit = intel_on_guest_exit,
	.guest_enter = intel_guest_enter,
	.guest_leave = intel_guest_leave,
};
