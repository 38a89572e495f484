// SPDX-License-Identifier: GPL-2.0
/* AMD's PMU of a CPU, by CPUID. */
#include "amd.h"
#include "amd_regs.h"

#define LEAF_HIGHEST	0x80000000
#define LEAF_FEATURES	0x80000001
#define LEAF_PERFMON	0x80000022

static int probe_here(struct x86_kind *kind)
{
	struct amd_cpuid id = {};
	u32 highest[4], r[4];
	int ret;

	x86_cpuid(X86_LEAF_MODEL, 0, r);
	id.signature = r[0];
	x86_cpuid(LEAF_HIGHEST, 0, highest);
	if (highest[0] >= LEAF_FEATURES) {
		x86_cpuid(LEAF_FEATURES, 0, r);
		id.features = r[2];
	}
	if (highest[0] >= LEAF_PERFMON)
		x86_cpuid(LEAF_PERFMON, 0, id.perfmon);
	ret = amd_enumerate(&kind->caps.amd, &id);
	kind->caps.amd.filters &= amd_has_filters();
	kind->version = kind->caps.amd.version;
	kind->counters = kind->caps.amd.counters;
	return ret;
}

static void complain(u32 version)
{
	pr_err("pmudev: this CPU is older than AMD's K7: it has no counters\n");
}

static void describe(struct pmudev_pmu_info *info, const struct x86_kind *kind)
{
	const struct amd_caps *caps = &kind->caps.amd;

	if (x86_nr_kinds == 1)
		strscpy(info->name, "amd", sizeof(info->name));
	else
		snprintf(info->name, sizeof(info->name), "amd_%u", info->index);
	info->arch = PMUDEV_ARCH_AMD;
	info->arch_name = "amd";
	info->generic = amd_generic_events(caps);
	info->width = AMD_WIDTH;
	info->threshold_max = AMD_THRESHOLD_MAX;
	info->features = PMUDEV_HAS_THRESHOLD | PMUDEV_HAS_DIRECT;
	/* KVM is a module that may be loaded at any time. */
	if (caps->filters)
		info->features |= PMUDEV_HAS_GUEST;
	info->interrupt = AMD_CTL_INT;
	info->terms = amd_terms;
	info->events = amd_events(caps, &info->nr_events);
}

static void identified(struct x86_cpu *cpuc)
{
	const struct amd_caps *caps = &cpuc->kind->caps.amd;

	cpuc->ctl = amd_msr_ctl(caps->extended, 0);
	cpuc->msr = amd_msr_ctr(caps->extended, 0);
	cpuc->step = caps->extended;
	cpuc->global = caps->version >= 2;
}

static int encode(const struct pmudev_pmu_info *info, const struct pmudev_event_attr *attr,
		  struct pmudev_code *code, struct pmudev_refusal *why)
{
	return amd_encode(&x86_kinds[info->index].caps.amd, attr, code, why);
}

static u32 selector(unsigned int n)
{
	return amd_msr_ctl(x86_kinds[0].caps.amd.extended, n);
}

static bool may_evade(void)
{
	return false;
}

const struct x86_vendor amd_vendor = {
	.late_ms = 100, /* perf's window */
	.needs_perf = true,
	.probe_here = probe_here,
	.complain = complain,
	.describe = describe,
	.identified = identified,
	.encode = encode,
	.operand = amd_operand,
	.selector = selector,
	.may_evade = may_evade,
	.hook = amd_hook,
	.unhook = amd_unhook,
	.global_ctrl = amd_global_ctrl,
	.set_global_ctrl = amd_set_global_ctrl,
	.silence = amd_silence,
	.find_foreign = amd_find_foreign,
	.both_modes = amd_both_modes,
};
