// SPDX-License-Identifier: GPL-2.0
/* Finding PMUv3: by what each CPU's registers report. */
#include <linux/cpu.h>
#include <linux/smp.h>

#include <asm/arch_timer.h>
#include <asm/cputype.h>
#include <asm/virt.h>

#include "pmuv3.h"
#include "regs.h"

struct pmuv3_caps pmuv3_caps;

void pmuv3_probe_here(struct pmuv3_caps *caps)
{
	unsigned int nr;
	u64 id0, id1;

	memset(caps, 0, sizeof(*caps));
	caps->version = read_pmuver();
	if (!caps->version || caps->version == PMUVER_IMP_DEF)
		return;
	/*
	 * A kernel at EL1 does not tell modules whether KVM is below it at EL2: it is taken
	 * to be. Without, the bits that concern EL2 have no effect.
	 */
	caps->shape = is_kernel_in_hyp_mode() ? PMUV3_VHE : PMUV3_NVHE;
	nr = (read_pmcr() & PMCR_N) >> 11;
	caps->counters = BIT_ULL(PMUV3_CYCLE_COUNTER) | (BIT_ULL(nr) - 1);
	id0 = read_pmceid0();
	id1 = read_pmceid1();
	caps->pmceid = (u32)id0 | id1 << 32;
	caps->pmceid_ext = id0 >> 32 | (id1 >> 32) << 32;
}

struct probe {
	atomic_t missing;
	atomic_t differing;
	u32 midr;
	struct pmuv3_caps caps;
};

static void probe_cpu(void *info)
{
	struct probe *probe = info;
	struct pmuv3_caps caps;

	pmuv3_probe_here(&caps);
	if (!caps.counters)
		atomic_inc(&probe->missing);
	else if (memcmp(&caps, &probe->caps, sizeof(caps)) || read_cpuid_id() != probe->midr)
		atomic_inc(&probe->differing);
}

static int probe_all(struct probe *probe)
{
	cpus_read_lock();
	/* The first CPU is the measure, the others have to be like it. */
	preempt_disable();
	pmuv3_probe_here(&probe->caps);
	probe->midr = read_cpuid_id();
	preempt_enable();
	on_each_cpu(probe_cpu, probe, true);
	cpus_read_unlock();
	if (atomic_read(&probe->missing)) {
		pr_err("pmudev: no PMUv3: ID_AA64DFR0_EL1.PMUVer is %u\n", probe->caps.version);
		return -ENODEV;
	}
	if (atomic_read(&probe->differing)) {
		pr_err("pmudev: CPUs of several kinds (big.LITTLE) are not supported yet\n");
		return -ENODEV;
	}
	return 0;
}

static u64 generic_events(const struct pmuv3_caps *caps)
{
	unsigned int i;
	u64 mask = 0;

	for (i = 0; i < PMUDEV_GENERIC_MAX; i++)
		if (pmuv3_generic(caps, i) >= 0)
			mask |= BIT_ULL(i);
	return mask;
}

int pmuv3_probe(struct pmudev_pmu_info *info)
{
	struct probe probe = {};
	int ret;

	ret = probe_all(&probe);
	if (ret)
		return ret;
	pmuv3_caps = probe.caps;
	strscpy(info->name, "armv8_pmuv3", sizeof(info->name));
	info->arch = PMUDEV_ARCH_ARM64;
	info->arch_version = pmuv3_caps.version;
	info->cpu_id = probe.midr;
	info->counters = pmuv3_caps.counters;
	/* What perf's placeholder will take: its lowest. Confirmed when it does. */
	info->reserved = BIT_ULL(0);
	info->user = pmuv3_caps.counters;
	info->generic = generic_events(&pmuv3_caps);
	info->width = pmuv3_long_counters(&pmuv3_caps) ? 64 : 32;
	info->width_fixed = 64;
	info->features = PMUDEV_HAS_USER_READ;
	if (info->width == 64)
		info->features |= PMUDEV_HAS_LONG;
	info->clock_hz = arch_timer_get_cntfrq();
	ret = pmuv3_claim_init();
	if (ret)
		return ret;
	ret = pmuv3_mend_init(info);
	if (ret)
		pmuv3_claim_exit();
	return ret;
}

void pmuv3_remove(struct pmudev_pmu_info *info)
{
	pmuv3_mend_exit();
	pmuv3_claim_exit();
}
