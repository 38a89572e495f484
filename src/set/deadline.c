// SPDX-License-Identifier: GPL-2.0
/* Deadlines, as calls. */
#include <linux/cred.h>
#include <linux/eventfd.h>

#include "../context/context.h"
#include "../context/events.h"
#include "../context/samples.h"
#include "../context/stop.h"
#include "../context/totals.h"
#include "deadline.h"
#include "inherit.h"

static void put_eventfds(struct eventfd_ctx **eventfd, unsigned int nr)
{
	unsigned int i;

	for (i = 0; i < nr; i++)
		if (eventfd[i])
			eventfd_ctx_put(eventfd[i]);
}

/* --------------------------------------------------------------- changes -- */

static bool is_telling(struct pmudev_deadline_common *common)
{
	unsigned long flags;
	bool telling;

	raw_spin_lock_irqsave(&common->lock, flags);
	telling = common->runs;
	raw_spin_unlock_irqrestore(&common->lock, flags);
	return telling;
}

/* All that was reported has been told, and nobody uses what was told. May sleep. */
static void wait_until_told(struct pmudev_set *set)
{
	irq_work_sync(&set->deadlines->notify);
	/* It waits for one of two CPUs that run it at once; and for those of children. */
	while (is_telling(set->deadlines->common))
		schedule_timeout_uninterruptible(1);
}

/* What a change let go of is dropped when nobody can signal it any more. */
static void put_old_eventfds(struct pmudev_set *set, struct eventfd_ctx **eventfd, unsigned int nr)
{
	unsigned int i;

	for (i = 0; i < nr && !eventfd[i]; i++)
		;
	if (i == nr)
		return;
	wait_until_told(set);
	put_eventfds(eventfd, nr);
}

/*
 * The walk's begin: totals begin, held. Those that they replace have ended. A child that ends from
 * now on is told of them.
 */
static void begin_totals(struct pmudev_set *set, void *arg)
{
	const struct pmudev_deadlines_arg *change = arg;
	struct pmudev_deadline_common *common = change->common;
	unsigned int i;

	lockdep_assert_held(&set->inherit->lock);
	raw_spin_lock(&common->lock);
	for (i = 0; i < change->nr; i++)
		pmudev_total_begin(common, &change->entry[i],
				   set->inherit->ended.value[change->entry[i].slot]);
	raw_spin_unlock(&common->lock);
}

static void change_inherited(struct pmudev_set *set, struct pmudev_deadlines_arg *change)
{
	struct pmudev_walk walk = {
		.fn = pmudev_change_deadlines,
		.arg = change,
		.begin = begin_totals,
		.leaving = true,
	};
	u64 slots = 0, old;
	unsigned int i;

	for (i = 0; i < change->nr; i++)
		slots |= BIT_ULL(change->entry[i].slot);
	old = pmudev_totals_of(set, slots);
	if (old)
		pmudev_set_call(set, pmudev_totals_end, &old);
	pmudev_set_walk(set, &walk);
	if (change->incomplete)
		WRITE_ONCE(set->inherit->incomplete, true);
	pmudev_set_totals_release(set, slots);
}

/* The references that the deadlines need; those that they do not need any more are dropped. */
static void keep_eventfds(struct pmudev_set *set, const struct pmudev_deadlines_arg *change)
{
	unsigned int i;

	for (i = 0; i < change->nr; i++)
		swap(change->common->slot[change->entry[i].slot]->eventfd, change->eventfd[i]);
	put_old_eventfds(set, change->eventfd, change->nr);
}

static int change_deadlines(struct pmudev_set *set, struct pmudev_deadlines_arg *change,
			    struct pmudev_refusal *why)
{
	change->common = set->deadlines->common;
	/* Pairs with the mmap() that made it. */
	WRITE_ONCE(change->common->ring, smp_load_acquire(&pmudev_open_set(set)->ring));
	/* So that at most the old ones and the new ones have something to tell. */
	wait_until_told(set);
	pmudev_set_call_alone(set, pmudev_check_deadlines, change);
	if (!change->error && set->inherit)
		change_inherited(set, change);
	else if (!change->error)
		pmudev_set_call_alone(set, pmudev_change_deadlines, change);
	if (!change->error) {
		WRITE_ONCE(change->common->used, true);
		keep_eventfds(set, change);
		return 0;
	}
	put_eventfds(change->eventfd, change->nr);
	if (change->error == -ESRCH)
		return pmudev_refuse(why, -ESRCH, PMUDEV_WHY_ENDED, 0);
	why->event = change->culprit;
	return pmudev_refuse(why, -EINVAL, PMUDEV_WHY_DEADLINE, PMUDEV_DEADLINE_MAX);
}

int pmudev_set_deadlines(struct pmudev_set *set, const struct pmudev_deadline *entry,
			 unsigned int nr, struct pmudev_refusal *why)
{
	struct eventfd_ctx *eventfd[PMUDEV_MAX_EVENTS] = {};
	struct pmudev_deadlines_arg change = {
		.entry = entry,
		.nr = nr,
		.eventfd = eventfd,
		.uid = current_uid(),
		.euid = current_euid(),
	};
	int ret = pmudev_check_deadline_set(set, why);

	lockdep_assert_held(&pmudev_open_set(set)->mutex);
	if (!ret)
		ret = pmudev_check_deadline_list(set, entry, nr, eventfd, why);
	if (!ret && pmudev_deadlines_make_room(set, entry, nr))
		ret = pmudev_refuse(why, -ENOMEM, PMUDEV_WHY_MEMORY, 0);
	if (ret) {
		put_eventfds(eventfd, nr);
		return ret;
	}
	return change_deadlines(set, &change, why);
}

void pmudev_set_totals_release(struct pmudev_set *set, u64 slots)
{
	slots = pmudev_totals_of(set, slots);
	if (!slots)
		return;
	pmudev_totals_release(set, slots);
	pmudev_set_look(set, pmudev_totals_look, NULL);
}

void pmudev_set_deadlines_drop(struct pmudev_set *set)
{
	struct eventfd_ctx *eventfd[PMUDEV_MAX_EVENTS] = {};
	struct pmudev_deadline_common *common;
	unsigned int slot;

	lockdep_assert_held(&pmudev_open_set(set)->mutex);
	if (!set->deadlines)
		return;
	common = set->deadlines->common;
	raw_spin_lock_irq(&common->lock);
	for (slot = 0; slot < PMUDEV_MAX_EVENTS; slot++) {
		if (!common->slot[slot] || set->used & BIT_ULL(slot))
			continue;
		common->slot[slot]->budget = (struct pmudev_budget){};
		swap(eventfd[slot], common->slot[slot]->eventfd);
	}
	/* A child may have reported after they were forgotten here. */
	pmudev_clear_reports(common, ~set->used);
	raw_spin_unlock_irq(&common->lock);
	put_old_eventfds(set, eventfd, ARRAY_SIZE(eventfd));
}

/* ----------------------------------------------------------------- calls -- */

/* pmudev_set_fn: find deadlines that no interrupt told of. */
static void update(struct pmudev_ctx *ctx, struct pmudev_set *set, void *arg)
{
	pmudev_set_update(ctx, set);
}

int pmudev_set_reports(struct pmudev_set *set, struct pmudev_report *report, unsigned int room,
		       struct pmudev_refusal *why)
{
	struct pmudev_reports_arg reading = { .report = report, .room = room };
	struct pmudev_set_deadlines *deadlines;

	/* Pairs with set_ctx(). */
	if (!smp_load_acquire(&set->ctx))
		return pmudev_refuse(why, -EINVAL, PMUDEV_WHY_UNBOUND, 0);
	/* Pairs with pmudev_take_deadlines(). */
	deadlines = smp_load_acquire(&set->deadlines);
	if (!deadlines)
		return 0;
	/* As read(2): who walks over children has the set's mutex, so that others wait for one. */
	if (set->inherit)
		mutex_lock(&pmudev_open_set(set)->mutex);
	pmudev_set_look(set, update, NULL);
	if (set->inherit)
		mutex_unlock(&pmudev_open_set(set)->mutex);
	pmudev_read_reports(deadlines->common, &reading);
	return reading.nr;
}

/* Does a deadline of it stop while the ring is full, and is it? */
static bool waits_for_room(const struct pmudev_set_deadlines *deadlines)
{
	const struct pmudev_deadline_action *action;
	unsigned int slot;
	u64 rest;

	pmudev_for_each_slot(slot, rest, deadlines->slots) {
		action = &deadlines->slot[slot]->action;
		if (action->sample && action->stop)
			return pmudev_ring_full(deadlines->common->ring, deadlines);
	}
	return false;
}

/* pmudev_set_fn: it need not stop any more. @arg: set to true if it must, for the ring is full. */
static void let_go(struct pmudev_ctx *ctx, struct pmudev_set *set, void *arg)
{
	struct pmudev_set_deadlines *deadlines = set->deadlines;
	bool *full = arg;

	pmudev_set_update(ctx, set);
	if (!deadlines || !deadlines->stop)
		return;
	/* In one step: a sample that fills the ring behind it stops the thread again. */
	raw_spin_lock(&deadlines->common->lock);
	if (waits_for_room(deadlines)) {
		*full = true;
	} else {
		WRITE_ONCE(deadlines->stop->held, false);
		/* poll() looks without the lock. */
		WRITE_ONCE(deadlines->common->waiting, false);
	}
	raw_spin_unlock(&deadlines->common->lock);
}

/* Without ctx->lock, which is taken in the scheduler. */
static void wake_thread(struct pmudev_set *set, void *arg)
{
	const struct pmudev_set_deadlines *deadlines;
	struct pmudev_stop *stop = NULL;

	/* Pairs with pmudev_take_deadlines(). */
	deadlines = smp_load_acquire(&set->deadlines);
	if (deadlines)
		/* Pairs with make_room(). */
		stop = smp_load_acquire(&deadlines->stop);
	if (stop && !READ_ONCE(stop->held))
		pmudev_stop_wake(stop);
}

bool pmudev_set_continue(struct pmudev_set *set)
{
	bool full = false;
	struct pmudev_walk walk = {
		.fn = let_go,
		.then = wake_thread,
		.arg = &full,
		.reading = true,
	};

	/* Pairs with set_ctx(): until then BIND may change @inherit. */
	if (!smp_load_acquire(&set->ctx))
		return true;
	if (!set->inherit) {
		pmudev_set_call_alone(set, let_go, &full);
		wake_thread(set, NULL);
		return !full;
	}
	mutex_lock(&pmudev_open_set(set)->mutex);
	pmudev_walk_children(set, &walk);
	mutex_unlock(&pmudev_open_set(set)->mutex);
	return !full;
}

__poll_t pmudev_set_poll(struct pmudev_set *set)
{
	/* Pairs with pmudev_take_deadlines(). */
	const struct pmudev_set_deadlines *deadlines = smp_load_acquire(&set->deadlines);
	const struct pmudev_ring *ring;
	__poll_t events = 0;

	/* There is nothing to wait for. */
	if (!deadlines || !READ_ONCE(deadlines->common->used))
		return EPOLLERR;
	ring = READ_ONCE(deadlines->common->ring);
	if (READ_ONCE(deadlines->common->reported) || READ_ONCE(deadlines->common->waiting) ||
	    (ring && pmudev_ring_half(ring)))
		events |= EPOLLIN | EPOLLRDNORM;
	if (pmudev_set_ended(set))
		events |= EPOLLHUP;
	return events;
}

void pmudev_set_deadlines_close(struct pmudev_set *set)
{
	struct pmudev_deadline_common *common;

	if (!set->deadlines)
		return;
	common = set->deadlines->common;
	raw_spin_lock_irq(&common->lock);
	common->closing = true;
	raw_spin_unlock_irq(&common->lock);
	/* What has queued the look before has ended then. */
	wait_until_told(set);
	cancel_work_sync(&common->look);
}

void pmudev_set_deadlines_destroy(struct pmudev_set *set)
{
	struct pmudev_set_deadlines *deadlines = set->deadlines;
	struct pmudev_deadline_common *common;
	unsigned int slot;

	if (!deadlines)
		return;
	common = deadlines->common;
	wait_until_told(set);
	for (slot = 0; slot < PMUDEV_MAX_EVENTS; slot++)
		if (common->slot[slot] && common->slot[slot]->eventfd)
			eventfd_ctx_put(common->slot[slot]->eventfd);
	set->deadlines = NULL;
	pmudev_set_deadlines_put(deadlines);
	pmudev_deadlines_free(common);
}
