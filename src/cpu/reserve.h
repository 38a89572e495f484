/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The cpu layer reserves the counters of CPUs and releases them, with the backend's help, and loads
 * what belongs on a CPU when its state changes. It calls the task layer and what is below it.
 *
 * A PMU is reserved on all of its CPUs or on none. Sets that hold the reservation are counted; the
 * first takes the counters from perf, the last gives them back.
 */
#ifndef _PMUDEV_CPU_RESERVE_H
#define _PMUDEV_CPU_RESERVE_H

#include "../context/ctx.h"

/**
 * struct pmudev_pmu_reservation - the reservation of one PMU; under pmu->lock, also read without
 * @users: sets that hold it
 * @lacks_cpus: a CPU came online while it was held, and could not be reserved
 * @nr_taken: how often it was taken
 */
struct pmudev_pmu_reservation {
	unsigned int users;
	bool lacks_cpus;
	u64 nr_taken;
};

extern struct pmudev_pmu_reservation pmudev_reservations[PMUDEV_MAX_PMUS];

static inline struct pmudev_pmu_reservation *pmudev_reservation(const struct pmudev_pmu *pmu)
{
	return &pmudev_reservations[pmu->info.index];
}

/**
 * struct pmudev_hold - what a set has of reservations
 * @held: it holds its PMU's; under pmu->lock
 * @held_all: it also holds those of all other PMUs: it has events for user reads, so its thread has
 *	user access on all CPUs, where perf would take it away and would show what it counts. Under
 *	the set's mutex.
 * @checked: the PMUs, by their number, that nobody else used when the caller looked. Under the
 *	set's mutex.
 */
struct pmudev_hold {
	bool held;
	bool held_all;
	u32 checked;
};

/**
 * pmudev_reserve_pmu - hold a PMU's reservation, reserving its CPUs if need be
 * @pmu: its lock is held, and the CPUs stay (cpus_read_lock). In a kernel thread.
 * @hold: of the set that wants it
 * @why: filled in on error
 *
 * Return: 0, or -EBUSY with the holder, -ENOMEM; -EAGAIN: pmudev_reserve_check() must come first.
 */
int pmudev_reserve_pmu(struct pmudev_pmu *pmu, struct pmudev_hold *hold,
		       struct pmudev_refusal *why);
void pmudev_release_pmu(struct pmudev_pmu *pmu);

/*
 * The same two if another set holds the reservation as well, so that nothing is done to any CPU:
 * they need not stay, and no kernel thread has to be asked. Return: false if that is not so, and
 * nothing was done.
 */
bool pmudev_reserve_join(struct pmudev_pmu *pmu);
bool pmudev_reserve_leave(struct pmudev_pmu *pmu);

/**
 * pmudev_reserve_check - does somebody else use counters that a reservation would take?
 * @own: the PMU of the set
 * @all: for all other PMUs as well
 * @hold: of the set; its mutex is held, by the caller
 * @why: filled in if so
 *
 * Comes before a worker makes the reservation: what perf counts of the caller is on no counter
 * while the caller waits for the worker.
 *
 * Return: 0, or -EBUSY with the holder.
 */
int pmudev_reserve_check(struct pmudev_pmu *own, bool all, struct pmudev_hold *hold,
			 struct pmudev_refusal *why);

/* Complete a refusal that names perf: it may be the watchdog. May sleep; without pmu->lock. */
void pmudev_explain_holder(int error, struct pmudev_refusal *why);

/**
 * pmudev_reserve_others - hold all other PMUs' reservations, too, once for a set
 * @own: the set's PMU
 * @hold: of the set
 * @why: filled in on error
 *
 * The CPUs stay (cpus_read_lock). Takes the PMUs' locks. Return: as pmudev_reserve_pmu().
 */
int pmudev_reserve_others(struct pmudev_pmu *own, struct pmudev_hold *hold,
			  struct pmudev_refusal *why);
void pmudev_release_others(struct pmudev_pmu *own, struct pmudev_hold *hold);

/*
 * A CPU comes online, and goes offline: on that CPU, in the hotplug callbacks. A CPU that perf
 * keeps is left to perf.
 */
void pmudev_cpu_online(unsigned int cpu);
void pmudev_cpu_offline(unsigned int cpu);

#endif /* _PMUDEV_CPU_RESERVE_H */
