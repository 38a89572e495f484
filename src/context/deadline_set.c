// SPDX-License-Identifier: GPL-2.0
/* Deadlines as programs set them, read their reports, and are told of them. */
#include <linux/eventfd.h>
#include <linux/poll.h>
#include <linux/sched/signal.h>

#include "../compat.h"
#include "deadline.h"
#include "events.h"
#include "stop.h"
#include "user_page.h"

/* ------------------------------------------------------------------- set -- */

/* The entry's deadline as a count, or U64_MAX if that is out of range. */
static u64 target_of(struct pmudev_set *set, const struct pmudev_deadline *entry)
{
	u64 count = pmudev_event_count(pmudev_slot_event(set, entry->slot));

	if (!(entry->flags & PMUDEV_DEADLINE_RELATIVE))
		return entry->value;
	/* Both are far below 2^64 if the sum is in range. */
	if (count > PMUDEV_DEADLINE_MAX || entry->value > PMUDEV_DEADLINE_MAX - count)
		return U64_MAX;
	return count + entry->value;
}

static bool all_in_range(struct pmudev_set *set, struct pmudev_deadlines_arg *change)
{
	unsigned int i;

	for (i = 0; i < change->nr; i++) {
		if (target_of(set, &change->entry[i]) <= PMUDEV_DEADLINE_MAX)
			continue;
		change->error = -EINVAL;
		change->culprit = i;
		return false;
	}
	return true;
}

/* Its counter is stopped, and what it has reached was reported. */
static void set_deadline(struct pmudev_ctx *ctx, struct pmudev_set *set,
			 const struct pmudev_deadline *entry, struct eventfd_ctx **eventfd)
{
	struct pmudev_set_deadlines *deadlines = set->deadlines;
	struct pmudev_slot_deadline *deadline = deadlines->slot[entry->slot];
	u64 target = target_of(set, entry);

	if (deadlines->armed & BIT_ULL(entry->slot))
		pmudev_deadline_disarm(set, entry->slot);
	swap(deadline->action.eventfd, *eventfd);
	deadline->action.signal = entry->signal;
	deadline->action.id = entry->id;
	deadline->action.stop = entry->flags & PMUDEV_DEADLINE_STOP;
	deadline->period = entry->period;
	if (entry->flags & PMUDEV_DEADLINE_REMOVE) {
		deadlines->slots &= ~BIT_ULL(entry->slot);
		return;
	}
	deadlines->slots |= BIT_ULL(entry->slot);
	pmudev_deadline_begin(ctx, set, entry->slot, target);
}

void pmudev_change_deadlines(struct pmudev_ctx *ctx, struct pmudev_set *set, void *arg)
{
	struct pmudev_deadlines_arg *change = arg;
	struct pmudev_hw *hw[PMUDEV_COUNTERS];
	bool live = pmudev_ctx_counting(ctx);
	unsigned int i, nr;
	u64 slots = 0, active, counters;

	lockdep_assert_held(&ctx->lock);
	if (ctx->dead) {
		change->error = -ESRCH;
		return;
	}
	for (i = 0; i < change->nr; i++)
		slots |= BIT_ULL(change->entry[i].slot);
	active = slots & set->active;
	counters = pmudev_slots_counters(set, active);
	nr = pmudev_slots_hw(set, active, hw);
	if (live && nr)
		pmudev_backend_save(hw, nr, counters);
	if (set->deadlines)
		pmudev_deadlines_check(ctx, set, active, false);
	if (all_in_range(set, change)) {
		if (!set->deadlines)
			hlist_add_head(&change->deadlines->ctx_node, &ctx->with_deadlines);
		/* poll() looks without the lock. */
		smp_store_release(&set->deadlines, change->deadlines);
		for (i = 0; i < change->nr; i++)
			set_deadline(ctx, set, &change->entry[i], &change->eventfd[i]);
	}
	if (live && nr)
		pmudev_backend_load(hw, nr, counters);
	pmudev_deadlines_list(ctx, set);
	pmudev_page_publish(ctx, set);
}

/* --------------------------------------------------------------- reports -- */

void pmudev_read_reports(struct pmudev_ctx *ctx, struct pmudev_set *set, void *arg)
{
	struct pmudev_set_deadlines *deadlines = set->deadlines;
	struct pmudev_reports_arg *reading = arg;
	struct pmudev_slot_deadline *deadline;
	unsigned int slot;
	u64 rest;

	lockdep_assert_held(&ctx->lock);
	pmudev_set_update(ctx, set);
	pmudev_for_each_slot(slot, rest, deadlines->reported) {
		if (reading->nr == reading->room)
			break;
		deadline = deadlines->slot[slot];
		reading->report[reading->nr++] = (struct pmudev_report){
			.slot = slot,
			.flags = deadline->late ? PMUDEV_REPORT_LATE : 0,
			.value = deadline->value,
			.count = deadline->count,
			.reached = deadline->reached,
			.overruns = deadline->overruns,
		};
		deadline->reached = 0;
		deadline->overruns = 0;
		deadline->late = false;
		WRITE_ONCE(deadlines->reported, deadlines->reported & ~BIT_ULL(slot));
	}
}

/* One event's report as it is told */
struct telling {
	struct eventfd_ctx *eventfd;
	struct kernel_siginfo info; /* si_signo 0: no signal */
	struct task_struct *task;   /* valid under RCU; NULL: it has ended, or is none */
	bool stop;		    /* stop it */
};

/* Take an event's oldest report that was not told. */
static struct pmudev_deadline_told take_told(struct pmudev_set_deadlines *deadlines,
					     unsigned int slot)
{
	struct pmudev_slot_deadline *deadline = deadlines->slot[slot];
	struct pmudev_deadline_told told = deadline->told[0];

	deadline->told[0] = deadline->told[1];
	if (!--deadline->nr_told)
		deadlines->pending &= ~BIT_ULL(slot);
	return told;
}

/* Take the next report to be told. Return: false if there is none. */
static bool next_report(struct pmudev_set_deadlines *deadlines, struct telling *telling)
{
	struct pmudev_ctx *ctx = deadlines->set->ctx;
	struct pmudev_deadline_told told;
	unsigned long flags;
	unsigned int slot;

	raw_spin_lock_irqsave(&ctx->lock, flags);
	if (!deadlines->pending) {
		raw_spin_unlock_irqrestore(&ctx->lock, flags);
		return false;
	}
	slot = __ffs64(deadlines->pending);
	told = take_told(deadlines, slot);
	telling->eventfd = told.action.eventfd;
	telling->stop = told.action.stop;
	clear_siginfo(&telling->info);
	telling->info.si_signo = told.action.signal;
	telling->info.si_code = SI_SIGIO;
	telling->info.si_errno = slot;
	telling->info.si_fd = told.action.id;
	telling->info.si_band = told.count;
	/* The exit hook takes the lock, and the task is freed by RCU after that. */
	telling->task = ctx->dead ? NULL : ctx->link.task;
	raw_spin_unlock_irqrestore(&ctx->lock, flags);
	return true;
}

static bool has_ended(struct pmudev_set_deadlines *deadlines)
{
	return READ_ONCE(deadlines->set->ctx->dead);
}

/* The last access to @deadlines. */
static void end_run(struct pmudev_set_deadlines *deadlines)
{
	struct pmudev_ctx *ctx = deadlines->set->ctx;
	unsigned long flags;

	raw_spin_lock_irqsave(&ctx->lock, flags);
	deadlines->runs--;
	raw_spin_unlock_irqrestore(&ctx->lock, flags);
}

/*
 * The irq_work calls this with no lock held, maybe with interrupts disabled, maybe on two CPUs at
 * once. A caller that takes an eventfd or the set away waits until @runs is 0.
 */
void pmudev_deadlines_notify(struct irq_work *work)
{
	struct pmudev_set_deadlines *deadlines =
		container_of(work, struct pmudev_set_deadlines, notify);
	struct telling telling;

	rcu_read_lock();
	while (next_report(deadlines, &telling)) {
		/* First: whoever is told finds it stopped, or about to be. */
		if (telling.stop && telling.task)
			pmudev_stop_thread(deadlines->stop, telling.task);
		if (telling.eventfd)
			pmudev_eventfd_signal(telling.eventfd);
		if (telling.info.si_signo && telling.task)
			send_sig_info(telling.info.si_signo, &telling.info, telling.task);
	}
	/* A set that has ended stops nobody any more. */
	if (has_ended(deadlines) && deadlines->stop)
		pmudev_stop_continue(deadlines->stop);
	wake_up_interruptible_poll(deadlines->wait, EPOLLIN | EPOLLRDNORM | EPOLLHUP);
	end_run(deadlines);
	/* RCU keeps @deadlines for the caller, which still looks at its irq_work. */
	rcu_read_unlock();
}
