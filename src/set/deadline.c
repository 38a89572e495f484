// SPDX-License-Identifier: GPL-2.0
/* Deadlines, as calls. */
#include <linux/eventfd.h>
#include <linux/pid.h>
#include <linux/sched/signal.h>
#include <linux/slab.h>

#include "../context/context.h"
#include "../context/deadline.h"
#include "../context/stop.h"
#include "../memory.h"
#include "deadline.h"
#include "inherit.h"

/* The counted thread's pid, referenced; NULL if it has ended. @kernel: out: a kernel thread */
static struct pid *counted_pid(struct pmudev_ctx *ctx, bool *kernel)
{
	struct pid *pid = NULL;
	unsigned long flags;

	/* The exit hook takes the lock, and the task is freed by RCU after that. */
	rcu_read_lock();
	raw_spin_lock_irqsave(&ctx->lock, flags);
	if (!ctx->dead) {
		pid = get_pid(task_pid(ctx->link.task));
		*kernel = ctx->link.task->flags & PF_KTHREAD;
	}
	raw_spin_unlock_irqrestore(&ctx->lock, flags);
	rcu_read_unlock();
	return pid;
}

/*
 * A caller that may send the thread a signal may also stop it. The kernel decides this as for
 * kill(2), security modules included: it checks signal 0 and does not send it.
 */
static int check_signal(struct pmudev_set *set, const struct pmudev_deadline *entry,
			struct pmudev_refusal *why)
{
	bool signal = entry->flags & PMUDEV_DEADLINE_SIGNAL, kernel = false;
	struct pid *pid;
	int ret;

	if (!signal && (entry->signal || entry->id))
		return pmudev_refuse(why, -EINVAL, PMUDEV_WHY_RESERVED, 0);
	if (!signal && !(entry->flags & PMUDEV_DEADLINE_STOP))
		return 0;
	if (set->cpu >= 0)
		return pmudev_refuse(why, -EINVAL, PMUDEV_WHY_COMBINATION,
				     PMUDEV_DEADLINE_SIGNAL | PMUDEV_DEADLINE_STOP);
	if (signal && (!entry->signal || !valid_signal(entry->signal)))
		return pmudev_refuse(why, -EINVAL, PMUDEV_WHY_DEADLINE, _NSIG);
	pid = counted_pid(set->ctx, &kernel);
	if (!pid)
		return pmudev_refuse(why, -ESRCH, PMUDEV_WHY_ENDED, 0);
	ret = kill_pid(pid, 0, 0);
	put_pid(pid);
	/* It has no way to user mode, on which it could be stopped. */
	if (kernel)
		return pmudev_refuse(why, -EINVAL, PMUDEV_WHY_COMBINATION,
				     PMUDEV_DEADLINE_SIGNAL | PMUDEV_DEADLINE_STOP);
	if (ret == -ESRCH)
		return pmudev_refuse(why, -ESRCH, PMUDEV_WHY_ENDED, 0);
	return ret ? pmudev_refuse(why, -EPERM, PMUDEV_WHY_CAP_SIGNAL, 0) : 0;
}

static int check_numbers(const struct pmudev_deadline *entry, struct pmudev_refusal *why)
{
	u32 flags = entry->flags;

	if (flags & ~PMUDEV_DEADLINE_FLAGS)
		return pmudev_refuse(why, -EINVAL, PMUDEV_WHY_FLAGS, PMUDEV_DEADLINE_FLAGS);
	if (flags & PMUDEV_DEADLINE_REMOVE && flags != PMUDEV_DEADLINE_REMOVE)
		return pmudev_refuse(why, -EINVAL, PMUDEV_WHY_COMBINATION, flags);
	if (entry->reserved || (!(flags & PMUDEV_DEADLINE_PERIODIC) && entry->period) ||
	    (!(flags & PMUDEV_DEADLINE_EVENTFD) && entry->eventfd) ||
	    (flags & PMUDEV_DEADLINE_REMOVE && entry->value))
		return pmudev_refuse(why, -EINVAL, PMUDEV_WHY_RESERVED, 0);
	if (entry->value > PMUDEV_DEADLINE_MAX || entry->period > PMUDEV_DEADLINE_MAX ||
	    (flags & PMUDEV_DEADLINE_PERIODIC && !entry->period))
		return pmudev_refuse(why, -EINVAL, PMUDEV_WHY_DEADLINE, PMUDEV_DEADLINE_MAX);
	return 0;
}

static int check_entry(struct pmudev_set *set, const struct pmudev_deadline *entry, u64 *slots,
		       struct pmudev_refusal *why)
{
	int ret = check_numbers(entry, why);

	if (ret)
		return ret;
	if (entry->slot >= PMUDEV_MAX_EVENTS || !(set->used & BIT_ULL(entry->slot)))
		return pmudev_refuse(why, -EINVAL, PMUDEV_WHY_SLOT, 0);
	if (*slots & BIT_ULL(entry->slot))
		return pmudev_refuse(why, -EINVAL, PMUDEV_WHY_DEADLINE, 0);
	*slots |= BIT_ULL(entry->slot);
	/* Its bare reads rely on the count being in the counter. */
	if (pmudev_slot_event(set, entry->slot)->flags & PMUDEV_DIRECT)
		return pmudev_refuse(why, -EINVAL, PMUDEV_WHY_COMBINATION, PMUDEV_DIRECT);
	return check_signal(set, entry, why);
}

static int check_set(struct pmudev_set *set, struct pmudev_refusal *why)
{
	if (!set->ctx)
		return pmudev_refuse(why, -EINVAL, PMUDEV_WHY_UNBOUND, 0);
	if (!set->pmu->info.interrupt)
		return pmudev_refuse(why, -EOPNOTSUPP, PMUDEV_WHY_HARDWARE, 0);
	if (set->inherit)
		return pmudev_refuse(why, -EOPNOTSUPP, PMUDEV_WHY_INHERITED, 0);
	if (pmudev_set_ended(set))
		return pmudev_refuse(why, -ESRCH, PMUDEV_WHY_ENDED, 0);
	return 0;
}

static void put_eventfds(struct eventfd_ctx **eventfd, unsigned int nr)
{
	unsigned int i;

	for (i = 0; i < nr; i++)
		if (eventfd[i])
			eventfd_ctx_put(eventfd[i]);
}

/* All checks of the entries. @eventfd: out: their references. */
static int check_entries(struct pmudev_set *set, const struct pmudev_deadline *entry,
			 unsigned int nr, struct eventfd_ctx **eventfd, struct pmudev_refusal *why)
{
	unsigned int i;
	u64 slots = 0;
	int ret;

	for (i = 0; i < nr; i++) {
		why->event = i;
		ret = check_entry(set, &entry[i], &slots, why);
		if (ret)
			return ret;
		if (!(entry[i].flags & PMUDEV_DEADLINE_EVENTFD))
			continue;
		eventfd[i] = eventfd_ctx_fdget(entry[i].eventfd);
		if (IS_ERR(eventfd[i])) {
			eventfd[i] = NULL;
			return pmudev_refuse(why, -EINVAL, PMUDEV_WHY_EVENTFD, 0);
		}
	}
	why->event = -1;
	return 0;
}

static void free_deadlines(struct pmudev_set_deadlines *deadlines)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(deadlines->slot); i++)
		kfree(deadlines->slot[i]);
	if (deadlines->stop)
		pmudev_stop_end(deadlines->stop);
	/* The last run of the notifier may still look at its irq_work. */
	kfree_rcu(deadlines, rcu);
}

/* The set's, or new ones, with room for all entries; NULL without memory. */
static struct pmudev_set_deadlines *make_room(struct pmudev_set *set,
					      const struct pmudev_deadline *entry, unsigned int nr)
{
	struct pmudev_set_deadlines *deadlines = set->deadlines;
	struct pmudev_slot_deadline **slot;
	unsigned int i;

	if (!deadlines) {
		deadlines = kzalloc(sizeof(*deadlines), PMUDEV_GFP);
		if (!deadlines)
			return NULL;
		deadlines->set = set;
		deadlines->wait = &pmudev_open_set(set)->wait;
		init_irq_work(&deadlines->notify, pmudev_deadlines_notify);
	}
	for (i = 0; i < nr; i++) {
		if (entry[i].flags & PMUDEV_DEADLINE_STOP && !deadlines->stop)
			/* CONTINUE looks without the mutex. */
			smp_store_release(&deadlines->stop, pmudev_stop_alloc(PMUDEV_GFP));
		if (entry[i].flags & PMUDEV_DEADLINE_STOP && !deadlines->stop)
			goto no_memory;
		slot = &deadlines->slot[entry[i].slot];
		/* Looked at for slots with a deadline only, so it may come early. */
		if (!*slot)
			*slot = kzalloc(sizeof(**slot), PMUDEV_GFP);
		if (!*slot)
			goto no_memory;
	}
	return deadlines;
no_memory:
	if (deadlines != set->deadlines)
		free_deadlines(deadlines);
	return NULL;
}

static bool is_telling(struct pmudev_set *set)
{
	unsigned long flags;
	bool telling;

	raw_spin_lock_irqsave(&set->ctx->lock, flags);
	telling = set->deadlines->runs;
	raw_spin_unlock_irqrestore(&set->ctx->lock, flags);
	return telling;
}

/* All that was reported has been told, and nobody uses what was told. May sleep. */
static void wait_until_told(struct pmudev_set *set)
{
	irq_work_sync(&set->deadlines->notify);
	/* It waits for one of two CPUs that run it at once. */
	while (is_telling(set))
		schedule_timeout_uninterruptible(1);
}

/* What the change let go of is dropped when nobody can signal it any more. */
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

int pmudev_set_deadlines(struct pmudev_set *set, const struct pmudev_deadline *entry,
			 unsigned int nr, struct pmudev_refusal *why)
{
	struct eventfd_ctx *eventfd[PMUDEV_MAX_EVENTS] = {};
	struct pmudev_deadlines_arg change = { .entry = entry, .nr = nr, .eventfd = eventfd };
	int ret = check_set(set, why);

	lockdep_assert_held(&pmudev_open_set(set)->mutex);
	if (!ret)
		ret = check_entries(set, entry, nr, eventfd, why);
	if (!ret) {
		change.deadlines = make_room(set, entry, nr);
		if (!change.deadlines)
			ret = pmudev_refuse(why, -ENOMEM, PMUDEV_WHY_MEMORY, 0);
	}
	if (ret) {
		put_eventfds(eventfd, nr);
		return ret;
	}
	/* So that at most the old ones and the new ones have something to tell. */
	if (set->deadlines)
		wait_until_told(set);
	pmudev_set_call_alone(set, pmudev_change_deadlines, &change);
	if (!change.error) {
		put_old_eventfds(set, eventfd, nr);
		return 0;
	}
	put_eventfds(eventfd, nr);
	if (change.deadlines != set->deadlines)
		free_deadlines(change.deadlines);
	if (change.error == -ESRCH)
		return pmudev_refuse(why, -ESRCH, PMUDEV_WHY_ENDED, 0);
	why->event = change.culprit;
	return pmudev_refuse(why, -EINVAL, PMUDEV_WHY_DEADLINE, PMUDEV_DEADLINE_MAX);
}

int pmudev_set_reports(struct pmudev_set *set, struct pmudev_report *report, unsigned int room,
		       struct pmudev_refusal *why)
{
	struct pmudev_reports_arg reading = { .report = report, .room = room };

	/* Pairs with set_ctx(). */
	if (!smp_load_acquire(&set->ctx))
		return pmudev_refuse(why, -EINVAL, PMUDEV_WHY_UNBOUND, 0);
	/* Pairs with pmudev_change_deadlines(). */
	if (smp_load_acquire(&set->deadlines))
		pmudev_set_call_alone(set, pmudev_read_reports, &reading);
	return reading.nr;
}

void pmudev_set_continue(struct pmudev_set *set)
{
	const struct pmudev_set_deadlines *deadlines;
	struct pmudev_stop *stop = NULL;

	/* Pairs with pmudev_change_deadlines(). */
	deadlines = smp_load_acquire(&set->deadlines);
	if (deadlines)
		/* Pairs with make_room(). */
		stop = smp_load_acquire(&deadlines->stop);
	if (stop)
		pmudev_stop_continue(stop);
}

__poll_t pmudev_set_poll(struct pmudev_set *set)
{
	/* Pairs with pmudev_change_deadlines(). */
	const struct pmudev_set_deadlines *deadlines = smp_load_acquire(&set->deadlines);
	__poll_t events = 0;

	/* There is nothing to wait for. */
	if (!deadlines)
		return EPOLLERR;
	if (READ_ONCE(deadlines->reported))
		events |= EPOLLIN | EPOLLRDNORM;
	if (READ_ONCE(set->ctx->dead))
		events |= EPOLLHUP;
	return events;
}

/* pmudev_set_fn: take the eventfds of slots without a deadline. @arg: room for all */
static void take_eventfds(struct pmudev_ctx *ctx, struct pmudev_set *set, void *arg)
{
	struct eventfd_ctx **eventfd = arg;
	unsigned int slot;

	lockdep_assert_held(&ctx->lock);
	for (slot = 0; slot < PMUDEV_MAX_EVENTS; slot++)
		if (!(set->deadlines->slots & BIT_ULL(slot)) && set->deadlines->slot[slot])
			swap(eventfd[slot], set->deadlines->slot[slot]->action.eventfd);
}

void pmudev_set_deadlines_drop(struct pmudev_set *set)
{
	struct eventfd_ctx *eventfd[PMUDEV_MAX_EVENTS] = {};

	lockdep_assert_held(&pmudev_open_set(set)->mutex);
	if (!set->deadlines)
		return;
	pmudev_set_call_alone(set, take_eventfds, eventfd);
	put_old_eventfds(set, eventfd, ARRAY_SIZE(eventfd));
}

void pmudev_set_deadlines_destroy(struct pmudev_set *set)
{
	struct pmudev_set_deadlines *deadlines = set->deadlines;
	unsigned int slot;

	if (!deadlines)
		return;
	wait_until_told(set);
	for (slot = 0; slot < PMUDEV_MAX_EVENTS; slot++)
		if (deadlines->slot[slot] && deadlines->slot[slot]->action.eventfd)
			eventfd_ctx_put(deadlines->slot[slot]->action.eventfd);
	set->deadlines = NULL;
	free_deadlines(deadlines);
}
