/* SPDX-License-Identifier: GPL-2.0 */
/* What the arm64 backend's files share. */
#ifndef _PMUDEV_ARM64_PMUV3_H
#define _PMUDEV_ARM64_PMUV3_H

#include <linux/percpu.h>

#include <pmudev/backend.h>

struct perf_event;

/**
 * struct pmuv3_cpu - a CPU
 * @claim: the event of perf's that keeps its others away; NULL while not held
 * @ours: perf is kept away
 * @on: our counters that are started
 * @user: user mode may read counters here
 * @mending: perf is changing the PMU, ours are stopped and saved
 * @userenr: PMUSERENR_EL0 before it did
 * @saved: values of @on while perf does
 *
 * All but @claim: touched on the CPU itself alone, irqs off.
 */
struct pmuv3_cpu {
	struct perf_event *claim;
	bool ours;
	u64 on;
	bool user;
	bool mending;
	u64 userenr;
	u64 saved[PMUV3_CYCLE_COUNTER + 1];
};

DECLARE_PER_CPU(struct pmuv3_cpu, pmuv3_cpus);

extern struct pmuv3_caps pmuv3_caps;

/* probe.c: what this CPU has. Any context. */
void pmuv3_probe_here(struct pmuv3_caps *caps);
int pmuv3_probe(struct pmudev_pmu_info *info);
void pmuv3_remove(struct pmudev_pmu_info *info);

/* claim.c */
int pmuv3_claim_init(void);
void pmuv3_claim_exit(void);
int pmuv3_cpu_up(struct pmudev_pmu_info *info, int cpu, struct pmudev_refusal *why);
void pmuv3_cpu_down(struct pmudev_pmu_info *info, int cpu);

/* mend.c: undoing what perf does to our counters while it is kept away */
int pmuv3_mend_init(struct pmudev_pmu_info *info);
void pmuv3_mend_exit(void);

/* pmu.c: one counter, by index */
u64 pmuv3_read_counter(unsigned int counter);
void pmuv3_write_counter(unsigned int counter, u64 value);
u64 pmuv3_enable_bits(u64 counters);
bool pmuv3_user_access(bool allow);

#endif /* _PMUDEV_ARM64_PMUV3_H */
