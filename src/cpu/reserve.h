/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The cpu layer reserves the counters of CPUs and releases them, with the backend's help, and loads
 * what belongs on a CPU when its state changes. It calls the task layer and what is below it.
 *
 * A PMU is reserved on all of its CPUs or on none. Sets that hold the reservation are counted. With
 * the first, pmudev begins to use the PMU, with the last it ends. Where perf shares the PMU the
 * counters themselves are reserved one by one (counters.h), else with the PMU.
 */
#ifndef _PMUDEV_CPU_RESERVE_H
#define _PMUDEV_CPU_RESERVE_H

#include "../context/ctx.h"

/* The reservation of one PMU; under pmu->lock, also read without */
struct pmudev_pmu_reservation {
	unsigned int users; /* sets that hold it */
	bool lacks_cpus;    /* a CPU came online while it was held, and could not be reserved */
	u64 nr_taken;	    /* how often it was taken */
};

extern struct pmudev_pmu_reservation pmudev_reservations[PMUDEV_MAX_PMUS];

static inline struct pmudev_pmu_reservation *pmudev_reservation(const struct pmudev_pmu *pmu)
{
	return &pmudev_reservations[pmu->info.index];
}

/* What a set has of reservations */
struct pmudev_hold {
	bool held; /* its PMU's. Written under the set's mutex and pmu->lock, read under either. */
	/*
	 * It also holds all other PMUs': with events for user reads its thread has user access on
	 * all CPUs, where perf would take it away and show what it counts. The set's mutex.
	 */
	bool held_all;
	/*
	 * Counters that pinned events of perf had when the caller looked. Its own thread's are on
	 * no counter while a worker acts for it. The set's mutex.
	 */
	u64 pinned;
};

/*
 * Hold a PMU's reservation for a set, beginning to use its CPUs if need be; and give it back.
 * pmu->lock held, in a kernel thread; the CPUs stay (cpus_read_lock). Return: 0, -ENOMEM, or -EBUSY
 * with the holder in @why.
 */
int pmudev_reserve_pmu(struct pmudev_pmu *pmu, struct pmudev_refusal *why);
void pmudev_release_pmu(struct pmudev_pmu *pmu);

/*
 * The same two if another set holds the reservation as well, so that nothing is done to any CPU:
 * they need not stay, and no kernel thread has to be asked. Return: false if that is not so, and
 * nothing was done.
 */
bool pmudev_reserve_join(struct pmudev_pmu *pmu);
bool pmudev_reserve_leave(struct pmudev_pmu *pmu);

/* Look what the caller's own events of perf have. The set's mutex held; not in a worker. */
void pmudev_hold_look(struct pmudev_pmu *pmu, struct pmudev_hold *hold);

/* Complete a refusal that names perf: it may be the watchdog. May sleep; without pmu->lock. */
void pmudev_explain_holder(int error, struct pmudev_refusal *why);

/*
 * Hold all other PMUs' reservations, too, once for a set on @own. The CPUs stay (cpus_read_lock).
 * Takes the PMUs' locks. Return: as pmudev_reserve_pmu().
 */
int pmudev_reserve_others(struct pmudev_pmu *own, struct pmudev_hold *hold,
			  struct pmudev_refusal *why);
void pmudev_release_others(struct pmudev_pmu *own, struct pmudev_hold *hold);

/* Hotplug callbacks, on the CPU. A CPU that perf keeps is left to perf. */
void pmudev_cpu_online(unsigned int cpu);
void pmudev_cpu_offline(unsigned int cpu);

/*
 * The system goes down, maybe for another kernel (kexec): release all CPUs for good. May sleep.
 * Sets stay, as on a CPU that goes offline, and count nothing from then on.
 */
void pmudev_reserve_close(void);

/* The CPU's PMU loses power, and has it again. On the CPU, irqs off. */
void pmudev_cpu_power_down(void);
void pmudev_cpu_power_up(void);

#endif /* _PMUDEV_CPU_RESERVE_H */
