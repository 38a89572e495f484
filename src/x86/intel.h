/* SPDX-License-Identifier: GPL-2.0 */
/* What the Intel backend's files share. */
#ifndef _PMUDEV_X86_INTEL_H
#define _PMUDEV_X86_INTEL_H

#include <linux/percpu.h>

#include <pmudev/backend.h>
#include <pmudev/count.h>
#include <pmudev/intel.h>

#include "../core/compat.h"

struct mm_struct;
struct pmu;

/* The programmable counters in a mask of counters. */
#define INTEL_PROGRAMMABLE	GENMASK_ULL(PMUDEV_FIXED_BASE - 1, 0)

/* On debug kernels what a register is known to hold is compared with it when that is relied on. */
#ifndef INTEL_VERIFY
#define INTEL_VERIFY		IS_ENABLED(CONFIG_PROVE_LOCKING)
#endif

/* Fixed counters that IA32_PERF_GLOBAL_CTRL has bits for. */
#define INTEL_MAX_FIXED		16

/**
 * struct intel_shadow - what a counter of ours is known to hold
 * @config: of the event that it was loaded for last, 0 or HIDDEN: none. IA32_PERFEVTSELx, or what
 *	the field of IA32_FIXED_CTR_CTRL was made of.
 * @value: the count that it held when it was stopped. Only a hint: others than us may have
 *	started it (a snapshot of the branch stack, taken for BPF, starts all counters).
 */
struct intel_shadow {
	u64 config;
	u64 value;
};

/**
 * struct intel_cpu - a CPU
 * @kind: its kind, NULL: none that there was. Written once, before all else.
 * @msr: the first programmable counter, as they are written; likewise, with @kind
 * @narrowest: bits of the narrowest counter, 63 at most; likewise
 * @known: by counter, while @owned
 * @owned: perf is kept away
 * @active: counters that are started, ours and @foreign: IA32_PERF_GLOBAL_CTRL while @owned
 * @guest: counters that are on in the guest, or in KVM's code around it, and not in the host, or
 *	the other way round: while it runs IA32_PERF_GLOBAL_CTRL is @active ^ @guest. 0: no guest
 * @foreign: programmable counters that firmware or a hypervisor uses: never touched
 * @fixed: IA32_FIXED_CTR_CTRL while @owned
 * @found: IA32_PERF_GLOBAL_CTRL as it was before
 * @user: user mode reads counters here: CR4.PCE is to stay
 * @kept_access: CR4.PCE was set behind the kernel's back, which remembers it as not set; see user.c
 *
 * Touched on the CPU itself alone, irqs off.
 */
struct intel_cpu {
	struct intel_kind *kind;
	u32 msr;
	u8 narrowest;
	struct intel_shadow known[PMUDEV_FIXED_BASE + INTEL_MAX_FIXED];
	bool owned;
	bool user;
	bool kept_access;
	u64 active;
	u64 guest;
	u64 foreign;
	u64 fixed;
	u64 found;
};

DECLARE_PER_CPU(struct intel_cpu, intel_cpus);

/**
 * struct intel_kind - a kind of CPUs
 * @caps: what their PMU can do
 * @type: CPUID.1AH:EAX[31:24], 20H: Atom, 40H: Core; 0 where CPUs are of one kind
 * @cpu: the first of them
 * @info: what the core was told
 * @perf: perf's PMU of theirs, NULL if it has none
 * @users: CPUs that are ours; serialized by the callers of cpu_up and cpu_down
 * @found: counters that firmware or a hypervisor was ever found to use, on any CPU; likewise
 */
struct intel_kind {
	struct intel_caps caps;
	u32 type;
	int cpu;
	struct pmudev_pmu_info *info;
	struct pmu *perf;
	unsigned int users;
	u64 found;
};

/* intel_kind.type */
#define INTEL_TYPE_ATOM		0x20
#define INTEL_TYPE_CORE		0x40

/* By the number of the PMU. */
extern struct intel_kind intel_kinds[PMUDEV_MAX_PMUS];
extern unsigned int intel_nr_kinds;

/* probe.c: which kind this CPU is of, NULL: none that there was. Pinned. */
struct intel_kind *intel_kind_here(void);
int intel_probe(struct pmudev_pmu_info *const *info);
int intel_identify(void);
void intel_remove(void);

/* claim.c */

/**
 * intel_reserve_init - find out whether perf can be kept away, and which PMUs it has
 *
 * Return: 0, or an error and (but for -ENOMEM) a line in the log. May sleep.
 */
int intel_reserve_init(void);
void intel_reserve_exit(void);
int intel_cpu_up(struct pmudev_pmu_info *info, int cpu, struct pmudev_refusal *why);
void intel_cpu_down(struct pmudev_pmu_info *info, int cpu);
int intel_held(struct pmudev_pmu_info *info, struct pmudev_refusal *why);
void intel_explain(struct pmudev_refusal *why);

/* user.c: the right to execute RDPMC in user mode */
int intel_user_init(struct pmu *pmu);
void intel_user_exit(void);
void intel_keep_user_access(void);
void intel_grant(struct mm_struct *mm);
void intel_revoke(struct mm_struct *mm);
void intel_forked(struct mm_struct *mm);

/* clear.c: may sleep */
int intel_clear_hook(void);
void intel_clear_unhook(void);

/* guest.c: see struct pmudev_backend_ops; the first two are probes */
struct kvm_vcpu;
pmudev_probe_kvm_entry intel_on_guest_entry;
void intel_on_guest_exit(void *data, struct kvm_vcpu *vcpu, u32 isa);
void intel_guest_enter(struct pmudev_hw *const *hw, unsigned int nr);
void intel_guest_leave(void);

/* pmu.c: irqs off, on the CPU concerned, which is ours */
/*
 * Nothing of ours counts, the counters show 0, no event is selected, no overflow is pending. With
 * @hide they are hidden from user mode, where that can be.
 */
void intel_silence(bool hide);
/* Of these programmable counters, those that somebody uses whom nobody can ask. Nothing counts. */
u64 intel_find_foreign(u64 counters);

#endif /* _PMUDEV_X86_INTEL_H */
