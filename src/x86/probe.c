// SPDX-License-Identifier: GPL-2.0
/* Find Intel's PMU: read CPUID and IA32_PERF_CAPABILITIES of every CPU. */
#include <linux/cpu.h>
#include <linux/smp.h>

#include <asm/cpufeature.h>
#include <asm/processor.h>
#include <asm/tsc.h>

#include "intel.h"
#include "regs.h"

#define LEAF_MODEL	0x01
#define LEAF_PMU	0x0a
#define LEAF_HYBRID	0x1a
#define LEAF_PMU_MORE	0x23

/* MSRs above IA32_PMC9 are not counters. */
#define WITH_REGISTERS	GENMASK_ULL(9, 0)

DEFINE_PER_CPU(struct intel_cpu, intel_cpus);
const struct pmudev_upcalls *intel_upcalls;
struct intel_kind intel_kinds[PMUDEV_MAX_PMUS];
unsigned int intel_nr_kinds;

static int probe_here(struct intel_caps *caps)
{
	struct intel_cpuid id = {};
	u64 capabilities = 0;
	u32 guaranteed[4];
	unsigned int i;
	int ret;

	intel_cpuid(0, 0, guaranteed);
	if (guaranteed[0] >= LEAF_PMU)
		intel_cpuid(LEAF_PMU, 0, id.leaf0a);
	for (i = 0; guaranteed[0] >= LEAF_PMU_MORE && i < ARRAY_SIZE(id.leaf23); i++)
		intel_cpuid(LEAF_PMU_MORE, i, id.leaf23[i]);
	/* CPUID.01H:ECX.PDCM: IA32_PERF_CAPABILITIES exists. */
	if (boot_cpu_has(X86_FEATURE_PDCM))
		capabilities = read_capabilities();
	ret = intel_enumerate(caps, &id, capabilities, boot_cpu_has(X86_FEATURE_HYPERVISOR));
	if (!ret)
		caps->counters &= ~(INTEL_PROGRAMMABLE & ~WITH_REGISTERS);
	return ret;
}

/* struct intel_kind.type of this CPU. CPUID.07H:EDX[15]: the machine may be hybrid. */
static u32 type_here(void)
{
	u32 r[4];

	if (!boot_cpu_has(X86_FEATURE_HYBRID_CPU))
		return 0;
	intel_cpuid(0, 0, r);
	if (r[0] < LEAF_HYBRID)
		return 0;
	intel_cpuid(LEAF_HYBRID, 0, r);
	return r[0] >> 24;
}

struct intel_kind *intel_kind_here(void)
{
	u32 type = type_here();
	struct intel_caps caps;
	unsigned int i;

	if (probe_here(&caps))
		return NULL;
	for (i = 0; i < intel_nr_kinds; i++)
		if (!memcmp(&caps, &intel_kinds[i].caps, sizeof(caps)) &&
		    intel_kinds[i].type == type)
			return &intel_kinds[i];
	return NULL;
}

/* Result of probing the CPUs, one after the other */
struct probe {
	unsigned int version;	/* CPUID.0AH:EAX[7:0] of the last CPU, for the log */
	bool too_many;		/* there are more than PMUDEV_MAX_PMUS kinds */
};

static void probe_cpu(void *info)
{
	struct intel_kind kind = { .type = type_here(), .cpu = smp_processor_id() };
	struct probe *probe = info;
	int ret;

	ret = probe_here(&kind.caps);
	probe->version = kind.caps.version;
	if (ret || intel_kind_here())
		return;
	if (intel_nr_kinds < PMUDEV_MAX_PMUS)
		intel_kinds[intel_nr_kinds++] = kind;
	else
		probe->too_many = true;
}

static int probe_all(struct probe *probe)
{
	int cpu;

	if (boot_cpu_data.x86_vendor != X86_VENDOR_INTEL) {
		pr_err("pmudev: this CPU is not from Intel: not supported yet\n");
		return -ENODEV;
	}
	cpus_read_lock();
	for_each_online_cpu(cpu)
		smp_call_function_single(cpu, probe_cpu, probe, true);
	cpus_read_unlock();
	if (!intel_nr_kinds)
		pr_err("pmudev: no PMU of version 2 or later: CPUID.0AH says version %u\n",
		       probe->version);
	else if (probe->too_many)
		pr_err("pmudev: the CPUs have more than %u different PMUs: not supported\n",
		       PMUDEV_MAX_PMUS);
	return intel_nr_kinds && !probe->too_many ? 0 : -ENODEV;
}

static void name(struct pmudev_pmu_info *info, const struct intel_kind *kind)
{
	if (intel_nr_kinds == 1)
		strscpy(info->name, "intel", sizeof(info->name));
	else if (kind->type == INTEL_TYPE_CORE || kind->type == INTEL_TYPE_ATOM)
		snprintf(info->name, sizeof(info->name), "intel_%s_%u",
			 kind->type == INTEL_TYPE_CORE ? "core" : "atom", info->index);
	else
		snprintf(info->name, sizeof(info->name), "intel_%u", info->index);
}

static void fill_in(struct pmudev_pmu_info *info, const struct intel_kind *kind)
{
	u32 model[4];

	name(info, kind);
	info->arch = PMUDEV_ARCH_INTEL;
	info->arch_name = "intel";
	info->arch_version = kind->caps.version;
	intel_cpuid(LEAF_MODEL, 0, model);
	info->cpu_id = model[0];
	info->counters = kind->caps.counters;
	/* MSR_TSX_FORCE_ABORT: by default, microcode uses counter 3. */
	if (boot_cpu_has(X86_FEATURE_TSX_FORCE_ABORT))
		info->unavailable = BIT_ULL(3);
	info->generic = intel_generic_events(&kind->caps);
	info->width = kind->caps.width;
	info->width_fixed = kind->caps.width_fixed;
	info->threshold_max = INTEL_THRESHOLD_MAX;
	/* KVM is a module that may be loaded at any time. */
	info->features = PMUDEV_HAS_THRESHOLD | PMUDEV_HAS_GUEST;
	info->compat_reads = true;
	if (boot_cpu_has(X86_FEATURE_APIC))
		info->interrupt = INTEL_EVTSEL_INT;
	info->clock_hz = (u64)tsc_khz * 1000;
	info->terms = intel_terms;
	info->events = intel_events;
	info->nr_events = kind->caps.declared;
}

int intel_identify(void)
{
	struct intel_kind *kind = intel_kind_here();

	if (!kind)
		return -1;
	this_cpu_write(intel_cpus.kind, kind);
	this_cpu_write(intel_cpus.msr, kind->caps.full_width ? INTEL_MSR_A_PMC : INTEL_MSR_PMC);
	/* A width is 0 if there are no such counters. */
	this_cpu_write(intel_cpus.narrowest,
		       min3(kind->caps.width ?: 63U, kind->caps.width_fixed ?: 63U, 63U));
	return kind->info->index;
}

int intel_find_kinds(struct pmudev_pmu_info *const *info)
{
	struct probe probe = {};
	unsigned int i;
	int ret = probe_all(&probe);

	if (ret)
		return ret;
	for (i = 0; i < intel_nr_kinds; i++) {
		intel_kinds[i].info = info[i];
		fill_in(info[i], &intel_kinds[i]);
	}
	return 0;
}
