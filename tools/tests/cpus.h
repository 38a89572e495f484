/* SPDX-License-Identifier: MIT */
/* Machines with the CPUs of some manufacturers, in a made-up sysfs. */
#ifndef CPUS_H
#define CPUS_H

#include "sysfs.h"

enum cpu {
	SKYLAKE,
	ICE_LAKE,
	SAPPHIRE_RAPIDS,
	ALDER_LAKE,
	SILVERMONT,
	GOLDMONT,
	LATER_INTEL,
	NEOVERSE,
	CORTEX_A72,
	POOR_ARM,
	NR_KINDS,
};

static const char *const fake_ids[NR_KINDS] = {
	[SKYLAKE] = "0x0000000000050654",	  [ICE_LAKE] = "0x00000000000606a6",
	[SAPPHIRE_RAPIDS] = "0x00000000000806f8", [ALDER_LAKE] = "0x0000000000090672",
	[SILVERMONT] = "0x00000000000406d8",	  [GOLDMONT] = "0x00000000000506c9",
	[LATER_INTEL] = "0x0000000000ff06f0",	  [NEOVERSE] = "0x00000000414fd0c1",
	[CORTEX_A72] = "0x00000000410fd083",	  [POOR_ARM] = "0x00000000000f0510",
};

/* What is the same on all CPUs of an architecture. */
static const struct fake_file fake_any_intel[] = {
	{ "cpumask", "0-1" },
	{ "caps/arch", "intel" },
	{ "caps/generic", "0x000000000000007f" },
	{ "format/event", "config:0-7" },
	{ "format/umask", "config:8-15" },
	{ "format/edge", "config:18" },
	{ "format/cmask", "config:24-31" },
	{ "events/branch-misses", "event=0xc5,umask=0x00" },
	{ NULL, NULL },
};

static const struct fake_file fake_poor_arm[] = {
	{ "cpumask", "0-1" },
	{ "caps/arch", "arm64" },
	{ "caps/generic", "0x0000000000000003" },
	{ "format/event", "config:0-15" },
	{ "events/cpu_cycles", "event=0x11" },
	{ NULL, NULL },
};

static const struct fake_file fake_common_events[] = {
	{ "events/l1d_cache", "event=0x04" },
	{ "events/l1d_cache_refill", "event=0x03" },
	{ "events/l1i_cache", "event=0x14" },
	{ "events/l1i_cache_refill", "event=0x01" },
	{ "events/l1d_tlb", "event=0x25" },
	{ "events/l1d_tlb_refill", "event=0x05" },
	{ "events/l1i_tlb", "event=0x26" },
	{ "events/l1i_tlb_refill", "event=0x02" },
	{ "events/br_pred", "event=0x12" },
	{ "events/br_mis_pred", "event=0x10" },
	{ "events/ll_cache_rd", "event=0x36" },
	{ "events/ll_cache_miss_rd", "event=0x37" },
	{ NULL, NULL },
};

static inline void fake_cpu(const char *root, const char *name, enum cpu cpu)
{
	const struct fake_file id[] = { { "caps/cpu_id", fake_ids[cpu] }, { NULL, NULL } };

	fake_pmu(root, name, cpu < NEOVERSE ? fake_any_intel : fake_poor_arm);
	fake_pmu(root, name, id);
	if (cpu == NEOVERSE || cpu == CORTEX_A72)
		fake_pmu(root, name, fake_common_events);
}

/* Loads what the library finds on each of them. The folder is gone afterwards. */
static inline void fake_cpus(struct pmudev_pmus *pmus[NR_KINDS])
{
	char root[] = "/tmp/pmudev-test-XXXXXX", path[64], remove[96];
	int i;

	ok(mkdtemp(root), "a temporary folder");
	for (i = 0; i < NR_KINDS; i++) {
		snprintf(path, sizeof(path), "%s/%d", root, i);
		mkdir(path, 0755);
		if (i == ALDER_LAKE) {
			fake_cpu(path, "intel_core", i);
			fake_cpu(path, "intel_atom", i);
		} else {
			fake_cpu(path, "pmu", i);
		}
		ok(!pmudev_pmus_load(&pmus[i], path), "  a machine's PMUs are read from it");
	}
	snprintf(remove, sizeof(remove), "rm -r %s", root);
	ok(!system(remove), "  and it is removed");
}

#endif /* CPUS_H */
