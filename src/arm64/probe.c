// SPDX-License-Identifier: GPL-2.0
/* Find PMUv3: read the ID registers of every CPU. */
#include <linux/arch_topology.h>
#include <linux/cpu.h>
#include <linux/smp.h>

#include <asm/arch_timer.h>
#include <asm/cputype.h>
#include <asm/virt.h>

#include "../compat.h"
#include "pmuv3.h"
#include "regs.h"

DEFINE_PER_CPU(struct pmuv3_cpu, pmuv3_cpus);
const struct pmudev_upcalls *pmuv3_upcalls;
struct pmuv3_kind pmuv3_kinds[PMUDEV_MAX_PMUS];
static unsigned int nr_kinds;
static bool protected_kvm, smt;

bool pmuv3_hides(const struct pmuv3_caps *caps)
{
	return PMUDEV_PERF_UEN && pmuv3_can_hide(caps);
}

/*
 * Number of event counters. Those from MDCR_EL2.HPMN on are EL2's: PMCR_EL0.E does not start them,
 * and Linux does not set MDCR_EL2.HPME. At EL1, PMCR_EL0.N reads as HPMN. KVM keeps HPMN.
 */
static unsigned int count_event_counters(void)
{
	unsigned int nr = (read_pmcr() & PMCR_N) >> 11;

	if (is_kernel_in_hyp_mode())
		nr = min_t(unsigned int, nr, read_mdcr() & MDCR_HPMN);
	return nr;
}

/*
 * A kernel at EL1 does not tell modules whether it has KVM's code at EL2. If EL2 exists, assume so:
 * otherwise no guest is ever entered, and PMUV3_NVHE does no harm.
 */
enum pmuv3_shape pmuv3_find_shape(void)
{
	if (is_kernel_in_hyp_mode())
		return PMUV3_VHE;
	return read_has_el2() ? PMUV3_NVHE : PMUV3_EL1;
}

/* One such core is enough: a thread may run anywhere. */
static bool find_smt(void)
{
	int one, other;

	for_each_possible_cpu(one)
		for_each_possible_cpu(other)
			if (pmuv3_share_core(one, other))
				return true;
	return false;
}

static void probe_here(struct pmuv3_caps *caps)
{
	unsigned int pmuver = read_pmuver();
	u64 id0, id1;

	memset(caps, 0, sizeof(*caps));
	caps->version = pmuver_version(pmuver);
	if (!caps->version || pmuver == PMUVER_IMP_DEF)
		return;
	caps->narrow = PMUV3_NARROW;
	caps->shape = pmuv3_find_shape();
	caps->guestless = !IS_ENABLED(CONFIG_KVM);
	caps->protected_kvm = protected_kvm;
	caps->smt = smt;
	caps->counters = BIT_ULL(PMUV3_CYCLE_COUNTER) | (BIT_ULL(count_event_counters()) - 1);
	/* Only if perf's driver uses it: the kernel then makes sure that EL2 does not trap it. */
	if (PMUDEV_PERF_ICNTR && read_has_pmicntr())
		caps->counters |= BIT_ULL(PMUV3_INSTRUCTION_COUNTER);
	id0 = read_pmceid0();
	id1 = read_pmceid1();
	caps->pmceid = (u32)id0 | id1 << 32;
	caps->pmceid_ext = id0 >> 32 | (id1 >> 32) << 32;
	if (pmuv3_has_pmmir(caps))
		caps->threshold_max = pmuv3_threshold_max(read_pmmir());
}

int pmuv3_kind_here(void)
{
	struct pmuv3_caps caps;
	unsigned int i;

	probe_here(&caps);
	for (i = 0; i < nr_kinds; i++)
		if (!memcmp(&caps, &pmuv3_kinds[i].caps, sizeof(caps)) &&
		    read_cpuid_id() == pmuv3_kinds[i].midr)
			return i;
	return -1;
}

/* Result of probing the CPUs, one after the other */
struct probe {
	unsigned int pmuver; /* ID_AA64DFR0_EL1.PMUVer of the last CPU, for the log */
	bool too_many;	     /* there are more than PMUDEV_MAX_PMUS kinds */
};

static void probe_cpu(void *info)
{
	struct probe *probe = info;
	struct pmuv3_kind kind = {};

	probe_here(&kind.caps);
	probe->pmuver = read_pmuver();
	if (!kind.caps.counters || pmuv3_kind_here() >= 0)
		return;
	kind.midr = read_cpuid_id();
	if (nr_kinds < PMUDEV_MAX_PMUS)
		pmuv3_kinds[nr_kinds++] = kind;
	else
		probe->too_many = true;
}

/* Returns false, and logs the error, if there is no PMU or there are too many. */
static bool probe_all(struct probe *probe)
{
	int cpu;

	cpus_read_lock();
	for_each_online_cpu(cpu)
		smp_call_function_single(cpu, probe_cpu, probe, true);
	cpus_read_unlock();
	if (!nr_kinds)
		pr_err("pmudev: no PMUv3: " PMUVER_NAME " is %u\n", probe->pmuver);
	else if (probe->too_many)
		pr_err("pmudev: the CPUs have more than %u different PMUs: not supported\n",
		       PMUDEV_MAX_PMUS);
	return nr_kinds && !probe->too_many;
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

static void fill_in(struct pmudev_pmu_info *info, const struct pmuv3_kind *kind)
{
	const struct pmuv3_caps *caps = &kind->caps;

	if (nr_kinds == 1)
		strscpy(info->name, "armv8_pmuv3", sizeof(info->name));
	else
		snprintf(info->name, sizeof(info->name), "armv8_pmuv3_%u", info->index);
	info->arch = PMUDEV_ARCH_ARM64;
	info->arch_name = "arm64";
	info->arch_version = caps->version;
	info->cpu_id = kind->midr;
	info->counters = caps->counters;
	info->user = caps->counters;
	/* EL0 can read PMICNTR_EL0 by PMUACR_EL1 only. */
	if (!pmuv3_hides(caps))
		info->user &= ~BIT_ULL(PMUV3_INSTRUCTION_COUNTER);
	info->generic = generic_events(caps);
	info->width = pmuv3_long_counters(caps) ? 64 : 32;
	info->width_fixed = 64;
	/* The cycle counter can always be DIRECT. */
	info->features = PMUDEV_HAS_USER_READ | PMUDEV_HAS_DIRECT;
	if (pmuv3_hides(caps))
		info->features |= PMUDEV_HAS_HIDING;
	if (caps->shape != PMUV3_EL1 && !caps->guestless && !caps->protected_kvm)
		info->features |= PMUDEV_HAS_GUEST;
	if (info->width == 64)
		info->features |= PMUDEV_HAS_LONG;
	if (pmuv3_chained(caps))
		info->features |= PMUDEV_HAS_CHAIN;
	if (caps->threshold_max)
		info->features |= PMUDEV_HAS_THRESHOLD;
	info->threshold_max = caps->threshold_max;
	/* perf's driver has the interrupt. */
	if (PMUV3_BESIDE_PERF)
		info->interrupt = PMUV3_INTERRUPT;
	info->clock_hz = arch_timer_get_cntfrq();
	info->terms = pmuv3_terms;
	info->events = pmuv3_events;
	info->nr_events = pmuv3_nr_events;
}

int pmuv3_find_kinds(struct pmudev_pmu_info *const *info, bool protected)
{
	struct probe probe = {};
	unsigned int i;

	protected_kvm = protected;
	smt = find_smt();
	if (!probe_all(&probe))
		return -ENODEV;
	for (i = 0; i < nr_kinds; i++) {
		pmuv3_kinds[i].info = info[i];
		fill_in(info[i], &pmuv3_kinds[i]);
	}
	return nr_kinds;
}
