/* SPDX-License-Identifier: GPL-2.0 */
/* What the arm64 backend's files share. */
#ifndef _PMUDEV_ARM64_PMUV3_H
#define _PMUDEV_ARM64_PMUV3_H

#include <linux/bitops.h>
#include <linux/percpu.h>

#include <pmudev/backend.h>
#include <pmudev/count.h>
#include <pmudev/pmuv3.h>

struct arm_pmu;
struct perf_event;

/* On debug kernels what a register is known to hold is compared with it when that is relied on. */
#ifndef PMUV3_VERIFY
#define PMUV3_VERIFY	IS_ENABLED(CONFIG_PROVE_LOCKING)
#endif

#define PMUV3_NR_COUNTERS	(PMUV3_INSTRUCTION_COUNTER + 1)

/* No event's config. */
#define PMUV3_UNKNOWN	(~0ULL)

/* The odd counter of a pair: it follows the even one at whatever level that counts. */
#define PMUV3_HIGH_HALF	(PMUV3_CHAIN | PMUV3_TYPER_NSH)

/**
 * struct pmuv3_shadow - what a counter of ours is known to hold
 * @config: of the event that it was loaded for last: PMEVTYPER<n>_EL0, PMCCFILTR_EL0 or
 *	PMICFILTR_EL0.
 *	PMUV3_UNKNOWN: somebody else may have written to its registers
 * @value: the count that it holds, modulo its width, while it is stopped; of both counters of a
 *	pair the whole count
 */
struct pmuv3_shadow {
	u64 config;
	u64 value;
};

/**
 * struct pmuv3_kind - a kind of CPUs
 * @caps: what their PMU can do
 * @midr: MIDR_EL1: two kinds may differ in nothing else, yet count other things
 * @info: what the core was told
 * @perf: perf's driver of theirs, once it is known; it is built in, and stays
 */
struct pmuv3_kind {
	struct pmuv3_caps caps;
	u32 midr;
	struct pmudev_pmu_info *info;
	struct arm_pmu *perf;
};

/**
 * struct pmuv3_cpu - a CPU
 * @info: of its PMU, NULL: none. Written once, before all else.
 * @known: by counter, while @owned; see pmuv3_forget_shadow()
 * @claim: the event of perf's that keeps its others away; NULL while not held
 * @owned: perf is kept away
 * @active: our counters that are started
 * @idle: our counters that are loaded, but started in guests only
 * @user: user mode may read counters here
 * @hides: it can be given each counter by itself; while @owned
 * @shown: if so: PMUACR_EL1, those that it is given
 * @restoring: perf is changing the PMU, ours are stopped and saved
 * @userenr: PMUSERENR_EL0 before it did
 * @saved: values of @active and @idle while perf does
 * @changed: from a guest's entry to its exit: counters whose selectors are not as @known
 * @lent_host: likewise: what KVM stops in the guest for us, as PMCNTENSET_EL0 has it
 * @lent_guest: likewise: what it starts there
 *
 * All but @info and @claim: touched on the CPU itself alone, irqs off.
 */
struct pmuv3_cpu {
	struct pmudev_pmu_info *info;
	struct pmuv3_shadow known[PMUV3_NR_COUNTERS];
	struct perf_event *placeholder;
	bool owned;
	bool user;
	bool hides;
	bool restoring;
	u64 active;
	u64 idle;
	u64 shown;
	u64 userenr;
	u64 saved[PMUV3_NR_COUNTERS];
	u64 changed;
	u64 lent_host;
	u64 lent_guest;
};

DECLARE_PER_CPU(struct pmuv3_cpu, pmuv3_cpus);

/* By the number of the PMU. */
extern struct pmuv3_kind pmuv3_kinds[PMUDEV_MAX_PMUS];

/* probe.c: which kind this CPU is of, -1: none that there was. Pinned. */
int pmuv3_kind_here(void);
int pmuv3_probe(struct pmudev_pmu_info *const *info);
int pmuv3_identify(void);
void pmuv3_remove(void);

/* claim.c where perf has a driver of the PMU, else claim_alone.c */
int pmuv3_reserve_init(void);
void pmuv3_reserve_exit(void);
int pmuv3_cpu_up(struct pmudev_pmu_info *info, int cpu, struct pmudev_refusal *why);
void pmuv3_cpu_down(struct pmudev_pmu_info *info, int cpu);
int pmuv3_held(struct pmudev_pmu_info *info, struct pmudev_refusal *why);
bool pmuv3_used_now(struct pmudev_pmu_info *info, struct pmudev_refusal *why);

/* Find perf's driver of a kind. On a CPU of it, in a kernel thread; may sleep. */
void pmuv3_find_perf(unsigned int index);

/* On the CPU, irqs off: the PMU as a whole counts; start it, if that is ours to do. */
bool pmuv3_started(void);

/* The counters that cannot be had for it. */
u64 pmuv3_reserve_cost(u64 counters);

/*
 * takeover.c: stop the counters and forget their values; -EBUSY if the PMU as a whole does not
 * count, -EOPNOTSUPP if it is not the PMU that it was.
 */
int pmuv3_take_cpu(int cpu, u64 counters);
void pmuv3_return_cpu(int cpu, u64 counters);
int pmuv3_power_init(void);
void pmuv3_power_exit(void);

/*
 * guest.c, or guest_none.c where no kernel has guests: can KVM's guests not be told from the host?
 * 1, 0 or -ENOMEM. To be asked first; may sleep.
 */
int pmuv3_protected_kvm(enum pmuv3_shape shape);
/* And see struct pmudev_backend_ops; the first two are probes */
void pmuv3_on_guest_entry(void *data, unsigned long vcpu_pc);
void pmuv3_on_guest_exit(void *data, int ret, unsigned int esr_ec, unsigned long vcpu_pc);
void pmuv3_guest_enter(struct pmudev_hw *const *hw, unsigned int nr);
void pmuv3_guest_leave(void);

/* mend.c: undoing what perf does to our counters while it is kept away */
int pmuv3_restore_init(void);
void pmuv3_restore_exit(void);

/**
 * pmuv3_forget_shadow - what these counters' registers hold is not known any more
 * @cpuc: this CPU
 * @counters: stopped
 *
 * Whoever else writes to them (perf's driver, firmware that powers the CPU down) must be followed
 * by this before they are loaded again. Irqs off.
 */
static __always_inline void pmuv3_forget_shadow(struct pmuv3_cpu *cpuc, u64 counters)
{
	for (; counters; counters &= counters - 1)
		cpuc->known[__ffs64(counters)].config = PMUV3_UNKNOWN;
}

/* pmu.c: one counter, by index */
u64 pmuv3_read_counter(unsigned int counter);
void pmuv3_write_counter(unsigned int counter, u64 value);
void pmuv3_write_config(unsigned int counter, u64 config);

/* Show no counter to user mode, whatever PMUACR_EL1 held. */
void pmuv3_hide(struct pmuv3_cpu *cpuc);

/* Can each counter be shown by itself? Only where the kernel itself uses PMUACR_EL1. */
bool pmuv3_hides(const struct pmuv3_caps *caps);

#endif /* _PMUDEV_ARM64_PMUV3_H */
