/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The x86 backend: what PMUs of all vendors share.
 *
 * The files without a vendor's name own the reservation against perf, the right to execute RDPMC,
 * LVTPC and struct x86_cpu. A vendor's own the PMU's registers.
 */
#ifndef _PMUDEV_X86_X86_H
#define _PMUDEV_X86_X86_H

#include <linux/percpu.h>

#include <pmudev/amd.h>
#include <pmudev/backend.h>
#include <pmudev/count.h>
#include <pmudev/intel.h>

#include "../compat.h"

struct kvm_vcpu;
struct mm_struct;
struct pmu;

/* Programmable counters, by index */
#define X86_PROGRAMMABLE	GENMASK_ULL(PMUDEV_FIXED_BASE - 1, 0)

/* Debug kernels also compare registers with their shadow before relying on it. */
#ifndef X86_VERIFY
#define X86_VERIFY		IS_ENABLED(CONFIG_PROVE_LOCKING)
#endif

/* Fixed counters that IA32_PERF_GLOBAL_CTRL can enable */
#define X86_MAX_FIXED		16

/**
 * struct x86_shadow - contents of a counter's registers
 * @config: of the event that was last loaded, or what the vendor selects if there was none. Intel:
 *	IA32_PERFEVTSELx, or the source of the counter's field in IA32_FIXED_CTR_CTRL.
 * @value: the count in the counter when it was stopped. Only a hint: others may have started it
 *	since (taking a snapshot of the branch stack for BPF starts all counters).
 */
struct x86_shadow {
	u64 config;
	u64 value;
};

/*
 * A CPU. Accessed on that CPU only, with interrupts disabled. kind, msr, narrowest, ctl, step and
 * global are written once, before all else.
 */
struct x86_cpu {
	struct x86_kind *kind; /* the CPU's PMU, or NULL if it has none that was probed */
	u32 msr;	/* MSR that writes programmable counter 0 */
	/* By counter; valid while owned */
	struct x86_shadow shadow[PMUDEV_FIXED_BASE + X86_MAX_FIXED];
	bool owned;	/* the counters are reserved */
	/*
	 * Started counters, pmudev's and foreign ones: while owned and in the host, the global
	 * control register
	 */
	u64 active;
	bool masked;	/* LVTPC is, or an NMI of ours waits for the core to look */
	bool disabled;	/* interrupts are, by the core */
	u64 interrupts;	/* counters whose selectors have INT */
	u64 late_until;	/* until then (pmudev_clock()) an NMI without overflow is ours; 0: none */
	u64 foreign;	/* counters of firmware or a hypervisor: never touched */
	u64 found;	/* the global control register before the reservation */

	/* Intel */
	u8 narrowest;	/* bits of the narrowest counter, 31..63 */
	/*
	 * Counters that are started in the guest and not in the host, or the reverse. Not 0 from
	 * guest entry to exit; IA32_PERF_GLOBAL_CTRL is then active ^ guest.
	 */
	u64 guest;
	u64 fixed;	/* IA32_FIXED_CTR_CTRL while owned */

	/* AMD */
	u32 ctl;	/* MSR that selects the event of counter 0 */
	u8 step;	/* the MSRs of counter n are n << step further */
	bool global;	/* there is a global control register */
	bool svme;	/* EFER.SVME while owned */
	u64 armed;	/* without that register: that interrupt, and had their highest bit set */
};

DECLARE_PER_CPU(struct x86_cpu, x86_cpus);

/* Capabilities of a PMU; those of equal PMUs have equal bytes. */
union x86_caps {
	struct intel_caps intel;
	struct amd_caps amd;
};

/*
 * A kind of CPUs; each kind is a PMU. Constant after probe, except users and found, which callers
 * of cpu_up and cpu_down serialize, and caps.amd.filters.
 */
struct x86_kind {
	union x86_caps caps;
	u64 counters;	/* existing counters by index */
	u32 version;	/* of the PMU's architecture */
	int cpu;	/* the first CPU of this kind */
	struct pmudev_pmu_info *info;
	struct pmu *perf; /* perf's PMU of these CPUs, or NULL if it has none */
	unsigned int users; /* number of owned CPUs */
	u64 found;	/* foreign counters that were found on any CPU so far */
};

/*
 * What differs between vendors, besides the hot path. "Here": on the CPU, interrupts disabled.
 * Operations named as in struct pmudev_backend_ops: see there.
 */
struct x86_vendor {
	/* Set caps (all bytes), counters, version and type of this CPU's kind: 0 or -ENODEV. */
	int (*probe_here)(struct x86_kind *kind);
	/* No CPU has a PMU that can be used. @version: of the last one's. One line in the log. */
	void (*complain)(u32 version);
	/* Describe a PMU; the rest of @info is 0. */
	void (*describe)(struct pmudev_pmu_info *info, const struct x86_kind *kind);
	/* This CPU is of @cpuc->kind: set what is written once. */
	void (*identified)(struct x86_cpu *cpuc);
	int (*encode)(const struct pmudev_pmu_info *info, const struct pmudev_event_attr *attr,
		      struct pmudev_code *code, struct pmudev_refusal *why);
	u32 (*operand)(unsigned int counter);
	/* MSR that selects the event of programmable counter @n, by which it is reserved */
	u32 (*selector)(unsigned int n);
	/* Might perf drive the PMU by registers that cannot be reserved? */
	bool (*may_evade)(void);
	/*
	 * An NMI may come this late, in milliseconds, after its overflow was found by the count and
	 * cleared.
	 */
	unsigned int late_ms;
	/* Only perf's driver tells whether the counters work: CPUID does not. */
	bool needs_perf;
	/* At load, if all else has succeeded, and at unload. Optional. May sleep. */
	void (*hook)(void);
	void (*unhook)(void);
	/* The global control register: a bit for each started counter. Here. */
	u64 (*global_ctrl)(void);
	void (*set_global_ctrl)(u64 counters);
	/* Stop and clear our counters, selectors and overflows; @hide them if possible. Here. */
	void (*silence)(bool hide);
	/* Foreign counters among stopped ones: in use, or not writable. Here. */
	u64 (*find_foreign)(u64 counters);
	/* Counters of @kind in use that count user and kernel mode. Here. */
	u64 (*both_modes)(const struct x86_kind *kind);
};

/* kinds.c */
extern const struct x86_vendor *x86_vendor;	/* constant after probe, as are these */
extern const struct pmudev_upcalls *x86_upcalls;
extern struct x86_kind x86_kinds[PMUDEV_MAX_PMUS]; /* by index of the PMU */
extern unsigned int x86_nr_kinds;

/* Find and describe all PMUs. Return: 0 or a negative errno; logs errors. */
int x86_find_kinds(struct pmudev_pmu_info *const *info);
int x86_identify(void);
/* This CPU's kind, or NULL. Preemption disabled. */
struct x86_kind *x86_kind_here(void);

/* reserve.c */
/* Find perf's PMUs and whether they can be reserved. May sleep. Logs errors except -ENOMEM. */
int x86_reserve_init(void);
void x86_reserve_exit(void);
int x86_cpu_up(struct pmudev_pmu_info *info, int cpu, struct pmudev_refusal *why);
void x86_cpu_down(struct pmudev_pmu_info *info, int cpu);
int x86_held(struct pmudev_pmu_info *info, struct pmudev_refusal *why);

/* watchdog.c */
void x86_explain(struct pmudev_refusal *why);

/* user.c: RDPMC in user mode */
/* Return: 0, or a negative errno if there are no user reads. May sleep. */
int x86_user_init(struct pmu *pmu);
/* The PMU was reserved, with no CPU owned yet, or given back. Preemptible. */
void x86_user_reserved(bool reserved);
/*
 * Have perf clear the counters that it used, which no reader may see, now instead of later. On the
 * CPU, perf's events are gone, counters are stopped. Nothing without user reads.
 */
void x86_empty_dirty(void);
void x86_grant(struct mm_struct *mm);
void x86_revoke(struct mm_struct *mm);
void x86_forked(struct mm_struct *mm);

#endif /* _PMUDEV_X86_X86_H */
