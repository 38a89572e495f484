// SPDX-License-Identifier: MIT
/* perf's names of cache events, on CPUs that this machine need not have. */
#include <errno.h>

#include "cpus.h"
#include "describe.h"

static struct pmudev_pmus *pmus[NR_KINDS];

/* By the kernel's tables: arch/x86/events/intel/core.c, drivers/perf/arm_pmuv3.c */
static const struct {
	enum cpu cpu;
	const char *text;
	const char *meaning;
} good[] = {
	{ SKYLAKE, "L1-dcache-loads", "0:1/81d0/0" },
	{ SKYLAKE, "L1-dcache-load-misses", "0:1/151/0" },
	{ SKYLAKE, "L1-dcache-stores:u", "0:1/82d0/6" },
	{ SKYLAKE, "L1-icache-load-misses", "0:1/283/0" },
	{ SKYLAKE, "dTLB-loads,dTLB-load-misses", "0:1/81d0/0 1:1/e08/0" },
	{ SKYLAKE, "dTLB-stores,dTLB-store-misses", "0:1/82d0/0 1:1/e49/0" },
	{ SKYLAKE, "iTLB-loads,iTLB-load-misses", "0:1/2085/0 1:1/e85/0" },
	{ SKYLAKE, "{branch-loads,branch-load-misses}:k", "0:1/c4/5 0:1/c5/5" },
	{ SKYLAKE, "cpu/L1-dcache-loads/", "0:1/81d0/0" },
	{ SKYLAKE, "pmu/L1-dcache-loads,cmask=2/@1:u", "0:1/20081d0/406@1" },
	{ SKYLAKE, "L1-dcache-loads/name=loads/", "0:1/81d0/0" },
	{ ICE_LAKE, "L1-dcache-load-misses,iTLB-load-misses", "0:1/151/0 1:1/e85/0" },
	{ SAPPHIRE_RAPIDS, "L1-dcache-loads,L1-dcache-load-misses", "0:1/81d0/0 1:1/e124/0" },
	{ SAPPHIRE_RAPIDS, "L1-icache-load-misses", "0:1/e424/0" },
	{ SAPPHIRE_RAPIDS, "dTLB-load-misses,dTLB-store-misses", "0:1/e12/0 1:1/e13/0" },
	{ SAPPHIRE_RAPIDS, "iTLB-load-misses,branch-load-misses", "0:1/e11/0 1:1/4c5/0" },
	/* On a hybrid what both have the same, or one. 1 and 2 are the PMUs. */
	{ ALDER_LAKE, "L1-dcache-loads", "0:1/81d0/0" },
	{ ALDER_LAKE, "intel_core/dTLB-load-misses/", "0:1/e12/0#2" },
	{ ALDER_LAKE, "intel_atom/dTLB-load-misses/", "0:1/e08/0#1" },
	{ ALDER_LAKE, "L1-icache-loads", "0:1/380/0#1" },
	{ NEOVERSE, "L1-dcache-loads,L1-dcache-load-misses", "0:1/4/0 1:1/3/0" },
	{ NEOVERSE, "L1-icache-loads,L1-icache-load-misses", "0:1/14/0 1:1/1/0" },
	{ NEOVERSE, "dTLB-loads,dTLB-load-misses", "0:1/25/0 1:1/5/0" },
	{ NEOVERSE, "iTLB-loads,iTLB-load-misses", "0:1/26/0 1:1/2/0" },
	{ NEOVERSE, "LLC-loads,LLC-load-misses", "0:1/36/0 1:1/37/0" },
	{ NEOVERSE, "branch-loads,branch-load-misses:u", "0:1/12/0 1:1/10/6" },
	{ CORTEX_A72, "L1-dcache-loads,L1-dcache-stores", "0:1/4/0 1:1/41/0" },
	{ CORTEX_A72, "L1-dcache-store-misses,node-loads", "0:1/43/0 1:1/60/0" },
};

#define NO_EVENT(name) "this CPU has no event for " name "; `pmudev list` shows those it has"
#define SECOND	       " needs a second register on this CPU (offcore response), which pmudev does not set"

static const struct {
	enum cpu cpu;
	const char *text;
	int error;
	size_t position;
	const char *sentence;
} bad[] = {
	{ SKYLAKE, "cycles,LLC-loads", EOPNOTSUPP, 7, "LLC-loads" SECOND },
	{ SKYLAKE, "node-load-misses:u", EOPNOTSUPP, 0, "node-load-misses" SECOND },
	{ SKYLAKE, "cpu/LLC-store-misses/", EOPNOTSUPP, 4, "LLC-store-misses" SECOND },
	{ SKYLAKE, "L1-icache-loads", ENOENT, 0, NO_EVENT("L1-icache-loads") },
	{ SKYLAKE, "L1-dcache-prefetches", ENOENT, 0, NO_EVENT("L1-dcache-prefetches") },
	{ SILVERMONT, "LLC-load-misses", ENOENT, 0, NO_EVENT("LLC-load-misses") },
	{ SILVERMONT, "LLC-loads", EOPNOTSUPP, 0, "LLC-loads" SECOND },
	{ ICE_LAKE, "iTLB-loads", ENOENT, 0, NO_EVENT("iTLB-loads") },
	{ SKYLAKE, "l1-dcache-loads", ENOENT, 0,
	  "unknown event 'l1-dcache-loads'; did you mean L1-dcache-loads, L1-dcache-stores? "
	  "`pmudev list` shows all" },
	{ LATER_INTEL, "L1-dcache-loads", ENOENT, 0,
	  "pmudev does not know which event of this CPU L1-dcache-loads is; `pmudev list` shows "
	  "those it knows" },
	{ ALDER_LAKE, "dTLB-load-misses", EINVAL, 0,
	  "'dTLB-load-misses' differs between intel_atom and intel_core: name one, as in "
	  "intel_atom/.../" },
	{ ALDER_LAKE, "intel_core/L1-icache-loads/", ENOENT, 11, NO_EVENT("L1-icache-loads") },
	{ NEOVERSE, "L1-dcache-stores", ENOENT, 0, NO_EVENT("L1-dcache-stores") },
	{ POOR_ARM, "l1-DCACHE-loads:k", ENOENT, 0, NO_EVENT("L1-dcache-loads") },
	{ POOR_ARM, "{cycles,LLC-loads}", ENOENT, 8, NO_EVENT("LLC-loads") },
};

int main(void)
{
	struct pmudev_events_error error;
	struct pmudev_events *events;
	size_t i;

	fake_cpus(pmus);
	for (i = 0; i < sizeof(good) / sizeof(*good); i++)
		expect_meaning(pmus[good[i].cpu], good[i].text, good[i].meaning);
	for (i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
		expect_wrong(pmus[bad[i].cpu], bad[i].text, bad[i].position, bad[i].sentence);
		is_number(-pmudev_events_parse(bad[i].text, pmus[bad[i].cpu], &events, &error),
			  bad[i].error, "  its errno");
	}
	for (i = 0; i < NR_KINDS; i++)
		pmudev_pmus_free(pmus[i]);
	return tap_end();
}
