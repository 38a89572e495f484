/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The PMUv3 backend, for arm64 and 32-bit arm kernels.
 *
 * This folder owns the PMU's system registers, the reservation against perf and struct pmuv3_cpu.
 */
#ifndef _PMUDEV_ARM64_PMUV3_H
#define _PMUDEV_ARM64_PMUV3_H

#include <linux/bitops.h>
#include <linux/cpumask.h>
#include <linux/percpu.h>
#include <linux/spinlock.h>

#include <pmudev/backend.h>
#include <pmudev/count.h>
#include <pmudev/pmuv3.h>

struct arm_pmu;
struct perf_event;
struct pmu_hw_events;

/* Debug kernels also compare registers with their shadow before relying on it. */
#ifndef PMUV3_VERIFY
#define PMUV3_VERIFY	IS_ENABLED(CONFIG_PROVE_LOCKING)
#endif

/* perf has a driver for PMUv3. 64-bit kernels always have it. */
#define PMUV3_BESIDE_PERF (IS_ENABLED(CONFIG_ARM64) || IS_ENABLED(CONFIG_ARM_PMUV3))

#define PMUV3_NR_COUNTERS	(PMUV3_INSTRUCTION_COUNTER + 1)

/* Not the config of any event */
#define PMUV3_UNKNOWN	(~0ULL)

/* Selector of a chained event's odd counter, which counts wherever the even one does */
#define PMUV3_HIGH_HALF	(PMUV3_CHAIN | PMUV3_TYPER_NSH)

/**
 * struct pmuv3_shadow - contents of a counter's registers
 * @config: of the event that was last loaded: PMEVTYPER<n>_EL0, PMCCFILTR_EL0 or PMICFILTR_EL0,
 *	and PMUV3_INTERRUPT.
 *	PMUV3_UNKNOWN if perf or firmware may have written the counter's registers.
 * @value: the count in the stopped counter, not truncated to its width; in both counters of a
 *	chained event the whole count
 */
struct pmuv3_shadow {
	u64 config;
	u64 value;
};

/* A kind of CPUs; each kind is a PMU. Constant after probe unless it says otherwise. */
struct pmuv3_kind {
	struct pmuv3_caps caps;
	u32 midr; /* MIDR_EL1. CPUs of different models may count differently. */
	struct pmudev_pmu_info *info;
	struct arm_pmu *perf; /* perf's driver, or NULL until it is found; never goes away */
	struct cpumask cpus;  /* those that were ever used; grows in cpu_up */
	/* Counters, by index; under lock, raw, irqs off, unless they say otherwise. */
	raw_spinlock_t lock;
	u64 reserved;	/* reserved on all CPUs */
	u64 spare;	/* those of them that no set needs: perf gets them when it asks */
	/* perf's driver has no counter, and must not stop the PMU; under pmu->lock; READ_ONCE() */
	bool exclusive;
	u64 wanted;	/* being reserved: perf's flexible events leave them at their next chance */
};

/* A CPU. Accessed on that CPU only, with interrupts disabled, unless it says otherwise. */
struct pmuv3_cpu {
	/* The CPU's PMU, or NULL if it has none. Written once, before all else. */
	struct pmudev_pmu_info *info;
	/* By counter; valid while owned, see pmuv3_forget_shadow() */
	struct pmuv3_shadow shadow[PMUV3_NR_COUNTERS];
	/* Counters whose bits in perf's used_mask are ours. Under kind->lock; READ_ONCE(). */
	u64 ours;
	u64 taking;    /* the counter whose bit is being set or cleared; likewise */
	bool starting; /* perf's driver is writing the user access registers */
	u64 stops;     /* how often perf's driver stopped the PMU while owned; all CPUs may read */
	u64 perf_left; /* counters that may still show what perf counted */
	bool owned;    /* the core uses this CPU, from cpu_up to cpu_down */
	bool user;     /* our thread may read counters */
	bool hides;    /* while owned: each counter can be hidden from user mode (PMUACR_EL1) */
	bool masked;   /* our counters do not interrupt now, whatever their selectors say */
	u64 interrupts; /* our counters that interrupt when they overflow, unless masked */
	u64 active;    /* our counters that are started */
	u64 idle;      /* our counters that are loaded, but started in guests only */
	u64 shown;     /* if hides: our part of PMUACR_EL1 */
	/* What perf's driver wants, for a thread that reads perf's counters: */
	u64 perf_userenr; /* PMUSERENR_EL0, 0 if it wants nothing */
	u64 perf_shown;	  /* if hides: its part of PMUACR_EL1 */
	/* From guest entry to exit: */
	u64 changed;	/* counters whose selectors differ from shadow */
	u64 lent_host;	/* bits added to KVM's events_host (PMCNTENSET_EL0) */
	u64 lent_guest; /* bits added to KVM's events_guest, likewise */
};

DECLARE_PER_CPU(struct pmuv3_cpu, pmuv3_cpus);

extern struct pmuv3_kind pmuv3_kinds[PMUDEV_MAX_PMUS]; /* by index of the PMU */
extern const struct pmudev_upcalls *pmuv3_upcalls;	/* constant after probe */

/* For operations named as in struct pmudev_backend_ops, see there. */

/* probe.c */
/* Where the kernel runs. Constant. */
enum pmuv3_shape pmuv3_find_shape(void);
/* Find and describe all PMUs. Return: their number, or a negative errno; logs errors. */
int pmuv3_find_kinds(struct pmudev_pmu_info *const *info, bool protected);
/* Index of this CPU's PMU, or -1. Preemption disabled. */
int pmuv3_kind_here(void);
/* Each counter can be hidden, and the kernel itself uses PMUACR_EL1. */
bool pmuv3_hides(const struct pmuv3_caps *caps);

/* reserve.c; reserve_alone.c where perf has no driver */
int pmuv3_reserve_init(void);
void pmuv3_reserve_exit(void);
/* perf's driver of the kind is that of this CPU, too. */
bool pmuv3_drives(const struct pmuv3_kind *kind, int cpu);
extern const struct pmudev_shared_ops pmuv3_shared;
/* Find the PMU's perf driver by one of its CPUs. May sleep. 0 or an errno. */
int pmuv3_find_perf(unsigned int index, int cpu);
/*
 * A CPU has come that may never have been online: reserve on it what is on the others. In a kernel
 * thread or a hotplug callback; may sleep. Return: 0, or -EBUSY with the holder in @why.
 */
int pmuv3_reserve_again(struct pmudev_pmu_info *info, struct pmudev_refusal *why);
/* Counters that perf uses on this CPU. Irqs disabled. */
u64 pmuv3_perf_counters_here(const struct pmuv3_cpu *cpuc);
/* Have this CPU's PMU run if a counter is reserved. Irqs disabled. */
void pmuv3_start_here(struct pmuv3_cpu *cpuc);

/* perf_wrap.c */
/*
 * Put our functions in front of a driver's, and take them out again; once for each kind that uses
 * it. May sleep. -EBUSY: another module changes the same functions.
 */
int pmuv3_wrap(struct arm_pmu *pmu);
void pmuv3_unwrap(struct arm_pmu *pmu);
/* Wait until nobody is in one of them. May sleep. */
void pmuv3_wrap_exit(void);

/* take_cpu.c */
int pmuv3_cpu_up(struct pmudev_pmu_info *info, int cpu, struct pmudev_refusal *why);
void pmuv3_cpu_down(struct pmudev_pmu_info *info, int cpu);

/* guest.c */
#ifdef CONFIG_KVM
/* Guest filters are impossible: 1, 0 or -ENOMEM. Call it before the others; may sleep. */
int pmuv3_protected_kvm(enum pmuv3_shape shape);
void pmuv3_guest_leave(void);
#else
static inline int pmuv3_protected_kvm(enum pmuv3_shape shape)
{
	return 0;
}

static inline void pmuv3_guest_leave(void)
{
}
#endif
void pmuv3_on_guest_entry(void *data, unsigned long vcpu_pc);
void pmuv3_on_guest_exit(void *data, int ret, unsigned int esr_ec, unsigned long vcpu_pc);
void pmuv3_guest_enter(struct pmudev_hw *const *hw, unsigned int nr);

/* counter.c: irqs disabled */
u64 pmuv3_read_counter(unsigned int counter);
void pmuv3_write_counter(unsigned int counter, u64 value);
void pmuv3_write_config(unsigned int counter, u64 config);
/* The value of a chained event. @even: its even counter. @live: the counters may be counting. */
u64 pmuv3_read_chained(unsigned int even, bool live);
/* Does the overflow of a stopped counter interrupt? */
void pmuv3_set_interrupt(struct pmuv3_cpu *cpuc, unsigned int counter, bool enable);
void pmuv3_interrupts(bool enable);
/* Write the registers of a chained event's stopped odd counter, if they differ. */
void pmuv3_program_high_half(struct pmuv3_cpu *cpuc, const struct pmudev_hw *hw);

/* user.c, irqs disabled */
/* Hide all our counters from user mode, whatever PMUACR_EL1 held. */
void pmuv3_hide(struct pmuv3_cpu *cpuc);
/* Write the registers for our thread, which may read, and what perf's driver wants beside. */
void pmuv3_write_user_access(struct pmuv3_cpu *cpuc);

/*
 * The registers of stopped counters may have changed: call this whenever perf or firmware may have
 * written to them, before they are loaded again. On the CPU, irqs disabled.
 */
static __always_inline void pmuv3_forget_shadow(struct pmuv3_cpu *cpuc, u64 counters)
{
	for (; counters; counters &= counters - 1)
		cpuc->shadow[__ffs64(counters)].config = PMUV3_UNKNOWN;
}

#endif /* _PMUDEV_ARM64_PMUV3_H */
