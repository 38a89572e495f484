/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The set layer owns event sets as programs know them: create, bind, add, enable, reset, remove,
 * dry runs, inheritance and the quota. It calls the allocation layer and what is below it.
 *
 * All functions that take a set: its mutex held, by the caller or by whom a worker works for,
 * unless they say otherwise. They may sleep, and fill in @why if they return an error.
 */
#ifndef _PMUDEV_SET_SET_H
#define _PMUDEV_SET_SET_H

#include "../alloc/allocation.h"
#include "../cpu/reserve.h"
#include "quota.h"

/**
 * struct pmudev_last_refusal - the refusal of the last call that failed
 * @lock: all below; nothing nests in it
 * @why: the refusal
 * @error: its errno, positive; 0: no call failed yet
 */
struct pmudev_last_refusal {
	spinlock_t lock; /* all below */
	struct pmudev_refusal why;
	int error;
};

/**
 * struct pmudev_open_set - a set with a file
 * @mutex: one call at a time that changes the set
 * @set: the set
 * @alloc: its counters
 * @hold: its reservations
 * @shared: PMUDEV_BIND_SHARED. Constant once bound.
 * @kvm_hooked: has, or had, events with a host/guest filter: KVM's hooks are held for it
 * @owner: whose quota it takes; NULL: nobody's, or not bound
 * @last: the last refusal
 */
struct pmudev_open_set {
	struct mutex mutex; /* calls on the set */
	struct pmudev_set set;
	struct pmudev_alloc alloc;
	struct pmudev_hold hold;
	bool shared;
	bool kvm_hooked;
	struct pmudev_quota_owner *owner;
	struct pmudev_last_refusal last;
};

/* Of a parent. */
static inline struct pmudev_open_set *pmudev_open_set(struct pmudev_set *set)
{
	return container_of(set, struct pmudev_open_set, set);
}

/**
 * struct pmudev_set_hooks - hooks into the kernel that sets need; entry/ sets them at init
 * @task: install the hooks on fork, exec and exit. May sleep. Return: 0 or an error.
 * @kvm_get: have KVM's guests entered and left under our eyes, until @kvm_put. May sleep.
 * @kvm_put: once for each success of @kvm_get
 */
struct pmudev_set_hooks {
	int (*task)(void);
	int (*kvm_get)(void);
	void (*kvm_put)(void);
};

extern struct pmudev_set_hooks pmudev_set_hooks;

/* --------------------------------------------------------------- set.c -- */

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

/* -------------------------------------------------------------- bind.c -- */

int pmudev_set_bind(struct pmudev_set *set, const struct pmudev_bind *bind,
		    struct pmudev_refusal *why);

/* --------------------------------------------------------------- add.c -- */

/**
 * pmudev_set_add - add events
 * @set: the set
 * @attr: the events
 * @nr: how many, 1 to PMUDEV_MAX_EVENTS
 * @slots: out: the slots they got
 * @why: filled in on error
 *
 * Return: 0 or an error; then nothing has changed.
 */
int pmudev_set_add(struct pmudev_set *set, const struct pmudev_event_attr *attr, unsigned int nr,
		   u32 *slots, struct pmudev_refusal *why);

/*
 * Add events to a set, which is bound to the calling thread if it is not bound; enable their
 * groups.
 */
int pmudev_set_add_enable(struct pmudev_set *set, const struct pmudev_event_attr *attr,
			  unsigned int nr, u32 *slots, struct pmudev_refusal *why);

int pmudev_set_remove(struct pmudev_set *set, u32 group, struct pmudev_refusal *why);

/**
 * pmudev_check_events - all checks of events that do not depend on the moment
 * @set: bound
 * @attr: the events
 * @nr: how many
 * @code: out: their encodings
 * @why: filled in on error
 */
int pmudev_check_events(struct pmudev_set *set, const struct pmudev_event_attr *attr,
			unsigned int nr, struct pmudev_code *code, struct pmudev_refusal *why);

/* ------------------------------------------------------------ enable.c -- */

int pmudev_set_enable(struct pmudev_set *set, u32 group, struct pmudev_refusal *why);
int pmudev_set_disable(struct pmudev_set *set, u32 group, struct pmudev_refusal *why);
int pmudev_set_reset(struct pmudev_set *set, u32 group, u32 slot, u64 value,
		     struct pmudev_refusal *why);

/* Enable these slots: whole groups. */
int pmudev_slots_enable(struct pmudev_set *set, u64 slots, struct pmudev_refusal *why);

/* Disable all: the set is being destroyed. */
void pmudev_set_disable_all(struct pmudev_set *set);

/* The slots of a group, or of all. -EINVAL if there are none. */
int pmudev_group_slots(struct pmudev_set *set, u32 group, u64 *slots, struct pmudev_refusal *why);

/* ------------------------------------------------------------ dryrun.c -- */

/**
 * pmudev_set_place - the counters that events would get
 * @set: the set
 * @attr: the events
 * @nr: how many; 0: the events of the set
 * @counter: out: as struct pmudev_place has it; room for PMUDEV_MAX_EVENTS
 * @nr_out: out: how many
 * @why: filled in on error
 */
int pmudev_set_place(struct pmudev_set *set, const struct pmudev_event_attr *attr, unsigned int nr,
		     s32 *counter, unsigned int *nr_out, struct pmudev_refusal *why);

#endif /* _PMUDEV_SET_SET_H */
