/* SPDX-License-Identifier: GPL-2.0 */
/* Who has which counters: the ledger, placements, and the turns of multiplexed groups. */
#ifndef _PMUDEV_ALLOC_H
#define _PMUDEV_ALLOC_H

#include "core.h"

/* -------------------------------------------------------------- ledger.c -- */

/* Counters that @set cannot have; with @borrowed also what multiplexing sets would give up. */
u64 pmudev_alloc_taken(struct pmudev_set *set, bool borrowed);

/* The same of a set without children, of a context without: who comes now would come after it. */
static inline u64 pmudev_alloc_taken_alone(const struct pmudev_set *set, bool borrowed)
{
	const struct pmudev_pmu *pmu = set->pmu;
	const struct pmudev_ctx *ctx = set->ctx;
	u64 taken = ctx->held | (set->cpu < 0 ? pmu->cpu_use.any : pmu->task_use.any);

	if (borrowed)
		taken |= ctx->borrowed | (set->cpu < 0 ? pmu->cpu_borrowed : pmu->task_borrowed);
	return taken;
}

/* Those of them that are held for other tasks of an inherited set's family. */
u64 pmudev_alloc_taken_by_children(struct pmudev_set *set);

/*
 * Enter and leave, with what set->placed, place and base say. A set without a placement is in no
 * ledger. pmu->lock held, as for all here.
 */
void pmudev_alloc_do_account(struct pmudev_set *set);
void pmudev_alloc_do_unaccount(struct pmudev_set *set);

static inline void pmudev_alloc_account(struct pmudev_set *set)
{
	if (set->placed)
		pmudev_alloc_do_account(set);
}

static inline void pmudev_alloc_unaccount(struct pmudev_set *set)
{
	if (set->placed)
		pmudev_alloc_do_unaccount(set);
}

/* Give back what sets have whose targets have ended. */
void pmudev_reclaim_dead(struct pmudev_pmu *pmu);

/* Counters that some set holds, those of ended threads given back. */
u64 pmudev_alloc_busy(struct pmudev_pmu *pmu);

/* Who has a counter that @asking wants: pmudev_find_conflicts() comes first, once for all of them. */
void pmudev_find_conflicts(struct pmudev_set *asking);
bool pmudev_find_holder(struct pmudev_set *asking, unsigned int counter,
			struct pmudev_holder *holder);

/**
 * pmudev_list_holders - who has each of these counters
 * @set: the set that was refused; bound
 * @busy: the counters
 * @holder: out: room for as many as @busy has bits
 *
 * Return: how many were found. May sleep: a worker looks, with pmu->lock held.
 */
unsigned int pmudev_list_holders(struct pmudev_set *set, u64 busy, struct pmudev_holder *holder);

/* ---------------------------------------------------------------- rest.c -- */

/* All that is placed has just been disabled: it keeps its counters, if nobody could want them. */
bool pmudev_rest_begin(struct pmudev_set *set, u64 slots);

/* What is disabled has no counters any more. pmu->lock held. */
void pmudev_rest_end(struct pmudev_set *set);
void pmudev_rest_end_all(struct pmudev_pmu *pmu);

/* --------------------------------------------------------------- place.c -- */

/* Counters that strict events of @set can have at nobody's cost. pmu->lock held. */
static inline u64 pmudev_place_free(struct pmudev_set *set)
{
	const struct pmudev_pmu_info *info = &set->pmu->info;
	bool alone = !set->inherit && !READ_ONCE(set->ctx->nr_inherit);

	return info->counters & ~READ_ONCE(info->unavailable) &
	       ~(alone ? pmudev_alloc_taken_alone(set, true) : pmudev_alloc_taken(set, true));
}

/**
 * pmudev_place - find counters for strict events of a set
 * @set: bound; pmu->lock held
 * @free: pmudev_place_free(); if these do, the result depends on them and on @constraint alone
 * @constraint: by event; .now means nothing
 * @nr: how many events
 * @counter: out: by event; of a pair the even one
 * @moves: out: others have to move for it: pmudev_place_moves()
 * @why: filled in on error; its event is the index into @constraint
 *
 * Return: 0, -ENOSPC if no state of the ledger would do, -EBUSY with the holders, -ENOMEM.
 */
int pmudev_place(struct pmudev_set *set, u64 free, const struct pmudev_constraint *constraint,
		 unsigned int nr, u8 *counter, bool *moves, struct pmudev_refusal *why);

/* The same, if these do: nobody is asked to make room, and nothing is refused. */
bool pmudev_place_at_once(u64 free, const struct pmudev_constraint *constraint, unsigned int nr,
			  u8 *counter);

/* The same on counters of @free, and nothing moves. */
int pmudev_place_alone(struct pmudev_set *set, u64 free, const struct pmudev_constraint *constraint,
		       unsigned int nr, u8 *counter, struct pmudev_refusal *why);

/*
 * In the ledger, what has to move for the last placement has moved. The sets it concerns, for
 * pmudev_change_places().
 */
struct pmudev_set *pmudev_place_moves(struct pmudev_set *asking);

/* Could these events be on counters together, if nobody else had any? */
int pmudev_place_ever(struct pmudev_pmu *pmu, const struct pmudev_constraint *constraint,
		      unsigned int nr, struct pmudev_refusal *why);

/*
 * What pmudev_place_ever() refuses because counters are reserved: adds those that other sets hold,
 * so that the refusal has all of @allowed that others hold. May sleep: a worker looks.
 */
void pmudev_refusal_complete(struct pmudev_set *set, struct pmudev_refusal *why);

/* -EBUSY: others hold what could take the event. */
int pmudev_refuse_held(struct pmudev_set *set, const struct pmudev_constraint *constraint,
		       struct pmudev_refusal *why);

/* ------------------------------------------------------------- placing.c -- */

/*
 * Strict events of a set without children have counters that nobody has, from now on. False: there are
 * not enough, and nothing was done. pmu->lock held, as for the others here.
 */
bool pmudev_slots_place_free(struct pmudev_set *set, u64 slots);

/* The slots of a change have counters, for which others make room, or nothing has changed. */
int pmudev_slots_place(struct pmudev_set *set, struct pmudev_change *change,
		       struct pmudev_refusal *why);

/* They are off counters, everywhere, and have none any more. */
void pmudev_slots_displace(struct pmudev_set *set, u64 slots);

/* --------------------------------------------------------------- turns.c -- */

/* Take turns if an image has been shown long enough. ctx->lock held. */
void pmudev_rotate_if_due(struct pmudev_ctx *ctx);

/* Have this CPU's timer running. ctx->lock held, loaded here. */
void pmudev_rotate_timer(struct pmudev_cpu *cpuc, struct pmudev_ctx *ctx);
enum hrtimer_restart pmudev_rotate_tick(struct hrtimer *timer);

/* Counters that multiplexed groups of @set could have placed. pmu->lock held, as for all below. */
u64 pmudev_mux_free(struct pmudev_set *set);

/* Memory for the images of so many groups. */
int pmudev_rotation_room(struct pmudev_set *set, u64 slots);

/* Asks for that memory, for all of the set's groups, before pmu->lock is taken. set->mutex held. */
void pmudev_rotation_prepare(struct pmudev_set *set);

/* Have a set, and its children, take these turns from now on; NULL: none. */
void pmudev_rotation_show(struct pmudev_set *set, const struct pmudev_rotation *rotation);

/*
 * After a change of the ledger: the multiplexing sets that it concerns let go of their counters,
 * and then take what is theirs now. There may be thousands, and each takes its time; so only
 * @asking's own groups go on under the same lock. The others are its to wake before the call on it
 * returns, but who picks one up meanwhile, for whatever reason, wakes it himself.
 */
void pmudev_rotation_suspend(struct pmudev_set *asking);
void pmudev_rotation_resume(struct pmudev_set *set);

/* Can it concern any? If not, nobody needs to be suspended, nor @asking to go on. */
static inline bool pmudev_rotation_concerned(const struct pmudev_set *asking)
{
	const struct pmudev_pmu *pmu = asking->pmu;

	return asking->rotation_changed || pmu->nr_mux || pmu->task_borrowed || pmu->cpu_borrowed;
}

/* By a worker, who gives pmu->lock to whoever waits for it after each set. @asking's mutex held. */
void pmudev_rotation_resume_all(struct pmudev_set *asking);

static inline void pmudev_rotation_resume_others(struct pmudev_set *asking)
{
	/* Others only take from the list. */
	if (!hlist_empty(&asking->suspended))
		pmudev_rotation_resume_all(asking);
}

/* The counter that an event gets, when it is on for the first time; -1: none. */
int pmudev_rotation_counter(const struct pmudev_set *set, unsigned int slot);

void pmudev_rotation_init(struct pmudev_pmu *pmu);

/* -------------------------------------------------------------- images.c -- */

/* Of @free, so many that each group of @slots fits. On error why->event is a slot. */
int pmudev_find_guaranteed(struct pmudev_set *set, u64 slots, u64 free, u64 *guaranteed,
			   struct pmudev_refusal *why);

/* Who is on together, on counters of @pool. pmu->lock held, and nobody takes these turns. */
void pmudev_rotation_plan(struct pmudev_set *set, u64 pool, struct pmudev_rotation *rotation);

#endif /* _PMUDEV_ALLOC_H */
