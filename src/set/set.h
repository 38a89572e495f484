/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The set layer owns event sets as programs know them: create, bind, add, enable, reset, remove,
 * dry runs, inheritance, deadlines and the quota. It calls the allocation layer and what is below.
 *
 * All functions that take a set: its mutex held, by the caller or by whom a worker works for,
 * unless they say otherwise. They may sleep, and fill in @why if they return an error.
 */
#ifndef _PMUDEV_SET_SET_H
#define _PMUDEV_SET_SET_H

#include <linux/wait.h>

#include "../alloc/allocation.h"
#include "../cpu/reserve.h"
#include "quota.h"

/* The refusal of the last call that failed. */
struct pmudev_last_refusal {
	spinlock_t lock; /* all below; nothing nests in it */
	struct pmudev_refusal why;
	int error; /* its errno, positive; 0: no call failed yet */
};

/* A set with a file. */
struct pmudev_open_set {
	struct mutex mutex; /* one call at a time that changes the set */
	struct pmudev_set set;
	struct pmudev_alloc alloc; /* its counters */
	struct pmudev_hold hold;   /* its reservations */
	bool shared;		   /* PMUDEV_BIND_SHARED. Constant once bound. */
	struct pmudev_cgroup *cgroup; /* whose context the set has, or NULL. Constant once bound. */
	/* Holds KVM's hooks: has events with a host/guest filter, or had since it was empty. */
	bool kvm_hooked;
	struct pmudev_quota_owner *owner; /* whose quota it takes; NULL: nobody's. At BIND. */
	struct pmudev_last_refusal last;
	wait_queue_head_t wait; /* who polls it */
	struct pmudev_ring *ring; /* of samples; NULL: not mapped yet. Set once, without lock. */
};

/* Of a parent. */
static inline struct pmudev_open_set *pmudev_open_set(struct pmudev_set *set)
{
	return container_of(set, struct pmudev_open_set, set);
}

/* Hooks into the kernel that sets need; entry/ sets them at init. They may sleep. */
struct pmudev_set_hooks {
	int (*task)(void);     /* install those on fork, exec and exit. Return: 0 or an error. */
	int (*fork)(void);     /* that on fork alone, if the backend needs it; likewise */
	int (*kvm_get)(void);  /* have KVM's guests entered and left under our eyes, likewise */
	void (*kvm_put)(void); /* once for each success of @kvm_get */
};

extern struct pmudev_set_hooks pmudev_set_hooks;

/* set.c */

/* Return: a new set, not bound; NULL without memory. */
struct pmudev_set *pmudev_set_create(void);

/* Its file is closed: no call and no mapping is left. The mutex is not held. */
void pmudev_set_destroy(struct pmudev_set *set);

/* Keep a refusal for PMUDEV_IOC_WHY. Does not sleep; the mutex need not be held. */
void pmudev_save_refusal(struct pmudev_set *set, const struct pmudev_refusal *why, int error);

/* A refusal that says nothing yet. */
static inline struct pmudev_refusal pmudev_no_refusal(void)
{
	return (struct pmudev_refusal){ .event = -1, .holder.cpu = -1 };
}

/* bind.c */

/* sysctl dev.pmudev.attach. 0: who counts another process needs CAP_PERFMON. */
extern int pmudev_attach_allowed;

int pmudev_set_bind(struct pmudev_set *set, const struct pmudev_bind *bind,
		    struct pmudev_refusal *why);

/* add.c: @nr events, 1 to PMUDEV_MAX_EVENTS. @slots: out: theirs. On error nothing has changed. */
int pmudev_set_add(struct pmudev_set *set, const struct pmudev_event_attr *attr, unsigned int nr,
		   u32 *slots, struct pmudev_refusal *why);

/* The same, and enable their groups. A set that is not bound is bound to the calling thread. */
int pmudev_set_add_enable(struct pmudev_set *set, const struct pmudev_event_attr *attr,
			  unsigned int nr, u32 *slots, struct pmudev_refusal *why);

int pmudev_set_remove(struct pmudev_set *set, u32 group, struct pmudev_refusal *why);

/* All checks of events that do not depend on the moment. @code: out: their encodings. */
int pmudev_check_events(struct pmudev_set *set, const struct pmudev_event_attr *attr,
			unsigned int nr, struct pmudev_code *code, struct pmudev_refusal *why);

/* enable.c */
int pmudev_set_enable(struct pmudev_set *set, u32 group, struct pmudev_refusal *why);
int pmudev_set_disable(struct pmudev_set *set, u32 group, struct pmudev_refusal *why);
int pmudev_set_reset(struct pmudev_set *set, u32 group, u32 slot, u64 value,
		     struct pmudev_refusal *why);

/* Enable these slots: whole groups. */
int pmudev_slots_enable(struct pmudev_set *set, u64 slots, struct pmudev_refusal *why);

/* Disable all: the set is being destroyed. */
void pmudev_set_disable_all(struct pmudev_set *set);

/*
 * Could perf's readers see these slots, which a set is about to count? 0; -EBUSY: yes. Without
 * pmu->lock; the caller may see no /proc, and since 7.0 no kernel thread does: ask both.
 */
int pmudev_check_perf_readers(struct pmudev_set *set, u64 slots, struct pmudev_refusal *why);

/*
 * What ENABLE of these slots refuses, whatever counters are free: the CPU is offline, others could
 * read its counters, user access is off. Changes nothing. pmu->lock held, and the CPUs stay.
 */
int pmudev_check_enable(struct pmudev_set *set, u64 slots, struct pmudev_refusal *why);

/* The slots of a group, or of all. -EINVAL if there are none. */
int pmudev_group_slots(struct pmudev_set *set, u32 group, u64 *slots, struct pmudev_refusal *why);

/*
 * dryrun.c: the counters that @nr events would get; 0: the events of the set. @counter: out: as
 * struct pmudev_place has it; room for PMUDEV_MAX_EVENTS. @nr_out: out: how many.
 */
int pmudev_set_place(struct pmudev_set *set, const struct pmudev_event_attr *attr, unsigned int nr,
		     s32 *counter, unsigned int *nr_out, struct pmudev_refusal *why);

#endif /* _PMUDEV_SET_SET_H */
