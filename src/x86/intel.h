/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The Intel backend.
 *
 * This folder owns the PMU's MSRs, the reservation against perf and struct intel_cpu.
 */
#ifndef _PMUDEV_X86_INTEL_H
#define _PMUDEV_X86_INTEL_H

#include <linux/percpu.h>

#include <pmudev/backend.h>
#include <pmudev/count.h>
#include <pmudev/intel.h>

#include "../compat.h"

struct kvm_vcpu;
struct mm_struct;
struct pmu;

/* Programmable counters, by index */
#define INTEL_PROGRAMMABLE	GENMASK_ULL(PMUDEV_FIXED_BASE - 1, 0)

/* Debug kernels also compare registers with their shadow before relying on it. */
#ifndef INTEL_VERIFY
#define INTEL_VERIFY		IS_ENABLED(CONFIG_PROVE_LOCKING)
#endif

/* struct intel_caps.width without full-width writes */
#define INTEL_NARROW		31

/* Fixed counters that IA32_PERF_GLOBAL_CTRL can enable */
#define INTEL_MAX_FIXED		16

/**
 * struct intel_shadow - contents of a counter's registers
 * @config: of the event that was last loaded, or 0 or HIDDEN if there was none. IA32_PERFEVTSELx,
 *	or the source of the counter's field in IA32_FIXED_CTR_CTRL.
 * @value: the count in the counter when it was stopped. Only a hint: others may have started it
 *	since (taking a snapshot of the branch stack for BPF starts all counters).
 */
struct intel_shadow {
	u64 config;
	u64 value;
};

/*
 * A CPU. Accessed on that CPU only, with interrupts disabled. kind, msr and narrowest are written
 * once, before all else.
 */
struct intel_cpu {
	struct intel_kind *kind; /* the CPU's PMU, or NULL if it has none that was probed */
	u32 msr;	/* MSR that writes programmable counter 0: IA32_PMC0 or IA32_A_PMC0 */
	u8 narrowest;	/* bits of the narrowest counter, 31..63 */
	/* By counter; valid while owned */
	struct intel_shadow shadow[PMUDEV_FIXED_BASE + INTEL_MAX_FIXED];
	bool owned;	/* the counters are reserved */
	/*
	 * Started counters, pmudev's and foreign ones: while owned and in the host,
	 * IA32_PERF_GLOBAL_CTRL
	 */
	u64 active;
	/*
	 * Counters that are started in the guest and not in the host, or the reverse. Not 0 from
	 * guest entry to exit; IA32_PERF_GLOBAL_CTRL is then active ^ guest.
	 */
	u64 guest;
	bool masked;	/* LVTPC is, or an NMI of ours waits for the core to look */
	u64 interrupts;	/* counters whose selectors have INT */
	u64 late_until;	/* until then (pmudev_clock()) an NMI without overflow is ours; 0: none */
	u64 foreign;	/* programmable counters of firmware or a hypervisor: never touched */
	u64 fixed;	/* IA32_FIXED_CTR_CTRL while owned */
	u64 found;	/* IA32_PERF_GLOBAL_CTRL before the reservation */
};

DECLARE_PER_CPU(struct intel_cpu, intel_cpus);

/*
 * A kind of CPUs; each kind is a PMU. Constant after probe, except users and found, which callers
 * of cpu_up and cpu_down serialize.
 */
struct intel_kind {
	struct intel_caps caps;
	u32 type;	/* INTEL_TYPE_*, CPUID.1AH:EAX[31:24]; 0 if all CPUs are of one kind */
	int cpu;	/* the first CPU of this kind */
	struct pmudev_pmu_info *info;
	struct pmu *perf; /* perf's PMU of these CPUs, or NULL if it has none */
	unsigned int users; /* number of owned CPUs */
	u64 found;	/* foreign counters that were found on any CPU so far */
};

/* struct intel_kind.type */
#define INTEL_TYPE_ATOM		0x20
#define INTEL_TYPE_CORE		0x40

extern struct intel_kind intel_kinds[PMUDEV_MAX_PMUS]; /* by index of the PMU */
extern unsigned int intel_nr_kinds;
extern const struct pmudev_upcalls *intel_upcalls; /* constant after probe */

/* probe.c. For operations named as in struct pmudev_backend_ops, see there. */
/* Find and describe all PMUs. Return: 0 or a negative errno; logs errors. */
int intel_find_kinds(struct pmudev_pmu_info *const *info);
int intel_identify(void);
/* This CPU's kind, or NULL. Preemption disabled. */
struct intel_kind *intel_kind_here(void);

/* reserve.c */
/* Find perf's PMUs and whether they can be reserved. May sleep. Logs errors except -ENOMEM. */
int intel_reserve_init(void);
void intel_reserve_exit(void);
int intel_cpu_up(struct pmudev_pmu_info *info, int cpu, struct pmudev_refusal *why);
void intel_cpu_down(struct pmudev_pmu_info *info, int cpu);
int intel_held(struct pmudev_pmu_info *info, struct pmudev_refusal *why);
void intel_explain(struct pmudev_refusal *why);

/* user.c: RDPMC in user mode */
/* Return: 0, or a negative errno if there are no user reads. May sleep. */
int intel_user_init(struct pmu *pmu);
/* The PMU was reserved, with no CPU owned yet, or given back. Preemptible. */
void intel_user_reserved(bool reserved);
/*
 * Have perf clear the counters that it used, which no reader may see, now instead of later. On the
 * CPU, perf's events are gone, counters are stopped. Nothing without user reads.
 */
void intel_empty_dirty(void);
void intel_grant(struct mm_struct *mm);
void intel_revoke(struct mm_struct *mm);
void intel_forked(struct mm_struct *mm);

/* nmi.c */
/* With the first reservation, and before unload. May sleep. */
void intel_hook_nmi(void);
void intel_unhook_nmi(void);
void intel_interrupts(bool enable);
/* An overflow that interrupts was cleared by its count: its NMI may still come. Irqs off. */
void intel_expect_late_nmi(struct intel_cpu *cpuc);

/* guest.c */
pmudev_probe_kvm_entry intel_on_guest_entry;
void intel_on_guest_exit(void *data, struct kvm_vcpu *vcpu, u32 isa);
void intel_guest_enter(struct pmudev_hw *const *hw, unsigned int nr);
void intel_guest_leave(void);

/* pmu.c: on the CPU, interrupts disabled */
/* Stop and clear all our counters, their selectors and overflows; @hide them if possible. */
void intel_silence(bool hide);
u32 intel_operand(unsigned int counter);
/* Foreign counters among stopped programmable counters: in use, or not writable */
u64 intel_find_foreign(u64 counters);

#endif /* _PMUDEV_X86_INTEL_H */
