// SPDX-License-Identifier: GPL-2.0
/* Finding Intel's PMU: by what CPUID and IA32_PERF_CAPABILITIES of each CPU report. */
#include <linux/cpu.h>
#include <linux/smp.h>

#include <asm/cpufeature.h>
#include <asm/processor.h>
#include <asm/tsc.h>

#include "intel.h"
#include "regs.h"

#define LEAF_MODEL	0x01
#define LEAF_PMU	0x0a
#define LEAF_PMU_MORE	0x23

/* The numbers after IA32_PMC9 belong to registers of another kind. */
#define WITH_REGISTERS	GENMASK_ULL(9, 0)

struct intel_caps intel_caps;

int intel_probe_here(struct intel_caps *caps)
{
	struct intel_cpuid id = {};
	u64 capabilities = 0;
	u32 base[4];
	unsigned int i;
	int ret;

	intel_cpuid(0, 0, base);
	if (base[0] >= LEAF_PMU)
		intel_cpuid(LEAF_PMU, 0, id.leaf0a);
	for (i = 0; base[0] >= LEAF_PMU_MORE && i < ARRAY_SIZE(id.leaf23); i++)
		intel_cpuid(LEAF_PMU_MORE, i, id.leaf23[i]);
	/* CPUID.01H:ECX.PDCM: the register is there. */
	if (boot_cpu_has(X86_FEATURE_PDCM))
		capabilities = read_capabilities();
	ret = intel_enumerate(caps, &id, capabilities, boot_cpu_has(X86_FEATURE_HYPERVISOR));
	if (!ret)
		caps->counters &= ~(INTEL_PROGRAMMABLE & ~WITH_REGISTERS);
	return ret;
}

struct probe {
	atomic_t differing;
	struct intel_caps caps;
};

static void probe_cpu(void *info)
{
	struct probe *probe = info;
	struct intel_caps caps;

	if (intel_probe_here(&caps) || memcmp(&caps, &probe->caps, sizeof(caps)))
		atomic_inc(&probe->differing);
}

static int probe_all(struct probe *probe)
{
	int ret;

	if (boot_cpu_data.x86_vendor != X86_VENDOR_INTEL) {
		pr_err("pmudev: not an Intel CPU: not supported yet\n");
		return -ENODEV;
	}
	/* The first CPU is the measure, the others have to be like it. */
	cpus_read_lock();
	preempt_disable();
	ret = intel_probe_here(&probe->caps);
	preempt_enable();
	if (!ret)
		on_each_cpu(probe_cpu, probe, true);
	cpus_read_unlock();
	if (ret) {
		pr_err("pmudev: no PMU of version 2 or later: CPUID.0AH says version %u\n",
		       probe->caps.version);
		return ret;
	}
	if (boot_cpu_has(X86_FEATURE_HYBRID_CPU) || atomic_read(&probe->differing)) {
		pr_err("pmudev: CPUs of several kinds (hybrid) are not supported yet\n");
		return -ENODEV;
	}
	return 0;
}

int intel_probe(struct pmudev_pmu_info *info)
{
	struct probe probe = {};
	struct pmu *pmu;
	u32 model[4];
	int ret;

	ret = probe_all(&probe);
	if (ret)
		return ret;
	intel_caps = probe.caps;
	strscpy(info->name, "intel", sizeof(info->name));
	info->arch = PMUDEV_ARCH_INTEL;
	info->arch_version = intel_caps.version;
	intel_cpuid(LEAF_MODEL, 0, model);
	info->cpu_id = model[0];
	info->counters = intel_caps.counters;
	/* The microcode of some has counter 3 for aborting transactions, unless told otherwise. */
	if (boot_cpu_has(X86_FEATURE_TSX_FORCE_ABORT))
		info->reserved = BIT_ULL(3);
	info->generic = intel_generic_events(&intel_caps);
	info->width = intel_caps.width;
	info->width_fixed = intel_caps.width_fixed;
	info->threshold_max = INTEL_THRESHOLD_MAX;
	info->features = PMUDEV_HAS_THRESHOLD;
	info->compat_reads = true;
	info->clock_hz = (u64)tsc_khz * 1000;
	ret = intel_claim_init(&pmu);
	if (ret)
		return ret;
	if (!intel_user_init(pmu)) {
		info->user = info->counters;
		info->features |= PMUDEV_HAS_USER_READ;
	} else {
		pr_warn("pmudev: no user reads: this kernel's perf does not offer what they need\n");
	}
	return 0;
}

void intel_remove(struct pmudev_pmu_info *info)
{
	intel_user_exit();
	intel_claim_exit();
}
