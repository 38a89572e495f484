// SPDX-License-Identifier: GPL-2.0
/* Which PMUs there are: every CPU is asked, because CPUs can be of several kinds. */
#include <linux/cpu.h>
#include <linux/smp.h>

#include <asm/cpufeature.h>
#include <asm/tsc.h>

#include "regs.h"
#include "x86.h"

DEFINE_PER_CPU(struct x86_cpu, x86_cpus);
const struct x86_vendor *x86_vendor;
const struct pmudev_upcalls *x86_upcalls;
struct x86_kind x86_kinds[PMUDEV_MAX_PMUS];
unsigned int x86_nr_kinds;

static struct x86_kind *find(const struct x86_kind *kind)
{
	unsigned int i;

	for (i = 0; i < x86_nr_kinds; i++)
		if (!memcmp(&kind->caps, &x86_kinds[i].caps, sizeof(kind->caps)) &&
		    kind->counters == x86_kinds[i].counters)
			return &x86_kinds[i];
	return NULL;
}

static int ask(struct x86_kind *kind)
{
	memset(kind, 0, sizeof(*kind));
	return x86_vendor->probe_here(kind);
}

struct x86_kind *x86_kind_here(void)
{
	struct x86_kind kind;

	return ask(&kind) ? NULL : find(&kind);
}

/* Result of probing the CPUs, one after the other */
struct probe {
	u32 version;	/* of the last CPU's PMU, for the log */
	bool too_many;	/* there are more than PMUDEV_MAX_PMUS kinds */
};

static void probe_cpu(void *info)
{
	struct probe *probe = info;
	struct x86_kind kind;
	int ret = ask(&kind);

	kind.cpu = smp_processor_id();
	probe->version = kind.version;
	if (ret || find(&kind))
		return;
	if (x86_nr_kinds < PMUDEV_MAX_PMUS)
		x86_kinds[x86_nr_kinds++] = kind;
	else
		probe->too_many = true;
}

static int probe_all(void)
{
	struct probe probe = {};
	int cpu;

	cpus_read_lock();
	for_each_online_cpu(cpu)
		smp_call_function_single(cpu, probe_cpu, &probe, true);
	cpus_read_unlock();
	if (!x86_nr_kinds)
		x86_vendor->complain(probe.version);
	else if (probe.too_many)
		pr_err("pmudev: the CPUs have more than %u different PMUs: not supported\n",
		       PMUDEV_MAX_PMUS);
	return x86_nr_kinds && !probe.too_many ? 0 : -ENODEV;
}

static void describe(struct pmudev_pmu_info *info, struct x86_kind *kind)
{
	u32 model[4];

	kind->info = info;
	x86_vendor->describe(info, kind);
	info->arch_version = kind->version;
	x86_cpuid(X86_LEAF_MODEL, 0, model);
	info->cpu_id = model[0];
	info->counters = kind->counters;
	info->compat_reads = true;
	if (!boot_cpu_has(X86_FEATURE_APIC))
		info->interrupt = 0;
	info->clock_hz = (u64)tsc_khz * 1000;
}

int x86_identify(void)
{
	struct x86_kind *kind = x86_kind_here();
	struct x86_cpu *cpuc = this_cpu_ptr(&x86_cpus);

	if (!kind)
		return -1;
	cpuc->kind = kind;
	x86_vendor->identified(cpuc);
	return kind->info->index;
}

int x86_find_kinds(struct pmudev_pmu_info *const *info)
{
	unsigned int i;
	int ret = probe_all();

	for (i = 0; !ret && i < x86_nr_kinds; i++)
		describe(info[i], &x86_kinds[i]);
	return ret;
}
