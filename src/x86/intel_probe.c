// SPDX-License-Identifier: GPL-2.0
/* Intel's PMU of a CPU, by CPUID and IA32_PERF_CAPABILITIES. */
#include <linux/cpu.h>

#include <asm/cpufeature.h>

#include "intel.h"
#include "intel_regs.h"

#define LEAF_PMU      0x0a
#define LEAF_HYBRID   0x1a
#define LEAF_PMU_MORE 0x23

/* MSRs above IA32_PMC9 are not counters. */
#define WITH_REGISTERS GENMASK_ULL(9, 0)

/* Asked once, at load: what a kind of CPU is does not change when threads are switched off. */
static bool has_smt(void)
{
	static int smt = -1;

	/* Kernels that cannot switch them off do not tell. */
	if (smt < 0)
		smt = !IS_ENABLED(CONFIG_HOTPLUG_SMT) || cpu_smt_possible();
	return smt;
}

/* struct intel_cpuid.type of this CPU. CPUID.07H:EDX[15]: the machine may be hybrid. */
static u8 type_here(void)
{
	u32 r[4];

	if (!boot_cpu_has(X86_FEATURE_HYBRID_CPU))
		return 0;
	x86_cpuid(0, 0, r);
	if (r[0] < LEAF_HYBRID)
		return 0;
	x86_cpuid(LEAF_HYBRID, 0, r);
	return r[0] >> 24;
}

static int probe_here(struct intel_caps *caps)
{
	struct intel_cpuid id = { .type = type_here(), .smt = has_smt() };
	u64 capabilities = 0;
	u32 guaranteed[4];
	unsigned int i;
	int ret;

	x86_cpuid(X86_LEAF_MODEL, 0, guaranteed);
	id.signature = guaranteed[0];
	x86_cpuid(0, 0, guaranteed);
	if (guaranteed[0] >= LEAF_PMU)
		x86_cpuid(LEAF_PMU, 0, id.leaf0a);
	for (i = 0; guaranteed[0] >= LEAF_PMU_MORE && i < ARRAY_SIZE(id.leaf23); i++)
		x86_cpuid(LEAF_PMU_MORE, i, id.leaf23[i]);
	/* CPUID.01H:ECX.PDCM: IA32_PERF_CAPABILITIES exists. */
	if (boot_cpu_has(X86_FEATURE_PDCM))
		capabilities = read_capabilities();
	ret = intel_enumerate(caps, &id, capabilities, boot_cpu_has(X86_FEATURE_HYPERVISOR));
	if (!ret)
		caps->counters &= ~(X86_PROGRAMMABLE & ~WITH_REGISTERS);
	return ret;
}

static int probe_kind(struct x86_kind *kind)
{
	int ret = probe_here(&kind->caps.intel);

	kind->version = kind->caps.intel.version;
	kind->counters = kind->caps.intel.counters;
	return ret;
}

static void complain(u32 version)
{
	pr_err("pmudev: no PMU of version 2 or later: CPUID.0AH says version %u\n", version);
}

static void name(struct pmudev_pmu_info *info, const struct x86_kind *kind)
{
	const u8 type = kind->caps.intel.type;

	if (x86_nr_kinds == 1)
		strscpy(info->name, "intel", sizeof(info->name));
	else if (type == INTEL_TYPE_CORE || type == INTEL_TYPE_ATOM)
		snprintf(info->name, sizeof(info->name), "intel_%s_%u",
			 type == INTEL_TYPE_CORE ? "core" : "atom", info->index);
	else
		snprintf(info->name, sizeof(info->name), "intel_%u", info->index);
}

static void fill_in(struct pmudev_pmu_info *info, const struct x86_kind *kind)
{
	const struct intel_caps *caps = &kind->caps.intel;

	name(info, kind);
	info->arch = PMUDEV_ARCH_INTEL;
	info->arch_name = "intel";
	/* MSR_TSX_FORCE_ABORT: by default, microcode uses counter 3. */
	if (boot_cpu_has(X86_FEATURE_TSX_FORCE_ABORT))
		info->unavailable = BIT_ULL(3);
	info->generic = intel_generic_events(caps);
	info->width = caps->width;
	info->width_fixed = caps->width_fixed;
	info->threshold_max = INTEL_THRESHOLD_MAX;
	/* KVM is a module that may be loaded at any time. */
	info->features = PMUDEV_HAS_THRESHOLD | PMUDEV_HAS_GUEST;
	if (caps->full_width || (kind->counters & ~X86_PROGRAMMABLE))
		info->features |= PMUDEV_HAS_DIRECT;
	if (caps->hiding)
		info->features |= PMUDEV_HAS_HIDING;
	info->interrupt = INTEL_EVTSEL_INT;
	info->terms = intel_terms;
	info->events = intel_events;
	info->nr_events = caps->declared;
}

static void identified(struct x86_cpu *cpuc)
{
	const struct intel_caps *caps = &cpuc->kind->caps.intel;

	cpuc->msr = caps->full_width ? INTEL_MSR_A_PMC : INTEL_MSR_PMC;
	/* A width is 0 if there are no such counters. */
	cpuc->narrowest = min3(caps->width ?: 63U, caps->width_fixed ?: 63U, 63U);
}

static int encode(const struct pmudev_pmu_info *info, const struct pmudev_event_attr *attr,
		  struct pmudev_code *code, struct pmudev_refusal *why)
{
	return intel_encode(&x86_kinds[info->index].caps.intel, attr, code, why);
}

static u32 selector(unsigned int n)
{
	return INTEL_MSR_EVTSEL + n;
}

/* Newer kernels drive some PMUs of version 6 by registers that no reservation covers. */
static bool may_evade(void)
{
	return x86_kinds[0].version >= 6;
}

const struct x86_vendor intel_vendor = {
	.late_ms = 2,
	.probe_here = probe_kind,
	.complain = complain,
	.describe = fill_in,
	.identified = identified,
	.encode = encode,
	.operand = intel_operand,
	.selector = selector,
	.may_evade = may_evade,
	.global_ctrl = intel_global_ctrl,
	.set_global_ctrl = intel_set_global_ctrl,
	.silence = intel_silence,
	.find_foreign = intel_find_foreign,
	.both_modes = intel_both_modes,
};
