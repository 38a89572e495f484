// SPDX-License-Identifier: GPL-2.0
/* Reports of deadlines, and the notifier that tells of them. */
#include <linux/cred.h>
#include <linux/eventfd.h>
#include <linux/pid.h>
#include <linux/poll.h>
#include <linux/sched/signal.h>
#include <linux/slab.h>

#include "../compat.h"
#include "../worker.h"
#include "notify.h"
#include "samples.h"
#include "stop.h"

/* --------------------------------------------------------------- reports -- */

void pmudev_tell(struct pmudev_set_deadlines *deadlines)
{
	lockdep_assert_held(&deadlines->common->lock);
	/* The run that it is queued for comes on this CPU, after this lock is free. */
	if (!irq_work_queue(&deadlines->notify))
		return;
	deadlines->common->runs++;
	kref_get(&deadlines->ref);
}

static bool same_action(const struct pmudev_deadline_action *a,
			const struct pmudev_deadline_action *b)
{
	return a->eventfd == b->eventfd && a->signal == b->signal && a->id == b->id &&
	       a->stop == b->stop && uid_eq(a->uid, b->uid) && uid_eq(a->euid, b->euid);
}

/*
 * Remember what is to be told: the deadline may change before it is. Return: true if an earlier
 * report was not told yet, and they are told together.
 */
static bool remember(struct pmudev_set_deadlines *deadlines, unsigned int slot,
		     const struct pmudev_deadline_action *action, u64 count)
{
	struct pmudev_slot_deadline *deadline = deadlines->slot[slot];
	struct pmudev_deadline_told *told = deadline->told;
	unsigned int i;
	bool together;

	for (i = 0; i < deadline->nr_told; i++, told++)
		if (same_action(&told->action, action))
			break;
	together = i < deadline->nr_told;
	/* There are not more kinds than room. */
	if (i == ARRAY_SIZE(deadline->told))
		told--;
	else if (!together)
		deadline->nr_told++;
	told->action = *action;
	told->count = count;
	deadlines->pending |= BIT_ULL(slot);
	/* Before the report can be read: CONTINUE may follow at once. */
	if (action->stop)
		WRITE_ONCE(deadlines->stop->held, true);
	return together;
}

/* The notifier tells everyone who waits for a report. */
static void tell_report(struct pmudev_set_deadlines *deadlines, unsigned int slot, u64 count)
{
	struct pmudev_deadline_common *common = deadlines->common;

	if (remember(deadlines, slot, &deadlines->slot[slot]->action, count))
		common->slot[slot]->overruns++;
	/* poll() looks without the lock. */
	WRITE_ONCE(common->reported, common->reported | BIT_ULL(slot));
	pmudev_tell(deadlines);
}

/* The notifier writes every eventfd of the set's samples. */
static void tell_eventfds(struct pmudev_set_deadlines *deadlines, u64 count)
{
	struct pmudev_deadline_action action;
	unsigned int slot;
	u64 rest;

	pmudev_for_each_slot(slot, rest, deadlines->slots) {
		action = deadlines->slot[slot]->action;
		action.stop = false;
		if (action.sample && action.eventfd)
			remember(deadlines, slot, &action, count);
	}
}

/*
 * Write a sample. The notifier tells of samples when half of the ring is used, and when a thread
 * stops because it is full.
 */
static void sample(struct pmudev_set_deadlines *deadlines, unsigned int slot, u64 value, u64 count)
{
	struct pmudev_deadline_action action = deadlines->slot[slot]->action;
	struct pmudev_deadline_common *common = deadlines->common;
	bool tell, full, stop;

	common->sampled |= BIT_ULL(slot);
	tell = pmudev_sample(common->ring, deadlines, slot, value, &full);
	stop = action.stop && full;
	if (stop) {
		action.eventfd = NULL;
		remember(deadlines, slot, &action, count);
		tell |= !common->waiting;
		/* poll() looks without the lock. */
		WRITE_ONCE(common->waiting, true);
	}
	if (tell)
		tell_eventfds(deadlines, count);
	if (tell || stop)
		pmudev_tell(deadlines);
}

static void report(struct pmudev_set_deadlines *deadlines, unsigned int slot, u64 value, u64 count,
		   u64 passed)
{
	struct pmudev_deadline_common *common = deadlines->common;
	struct pmudev_slot_report *report = common->slot[slot];

	lockdep_assert_held(&common->lock);
	report->value = value;
	report->count = count;
	report->reached += passed;
	report->overruns += passed - 1;
	report->tid = 0;
	if (deadlines->task && !deadlines->ended)
		report->tid = task_pid_nr_ns(deadlines->task, common->ns);
	if (deadlines->slot[slot]->action.sample)
		sample(deadlines, slot, value, count);
	else
		tell_report(deadlines, slot, count);
}

void pmudev_report(struct pmudev_set_deadlines *deadlines, unsigned int slot, u64 value, u64 count,
		   u64 passed)
{
	if (deadlines->set->ctx->cpu >= 0 && count != value &&
	    this_cpu_read(pmudev_cpus.overflow.masked))
		deadlines->common->slot[slot]->late = true;
	report(deadlines, slot, value, count, passed);
}

void pmudev_report_total(struct pmudev_set_deadlines *deadlines, unsigned int slot)
{
	struct pmudev_budget *budget = &deadlines->common->slot[slot]->budget;

	if (pmudev_budget_reached(budget))
		report(deadlines, slot, budget->target, budget->known, 1);
}

void pmudev_clear_reports(struct pmudev_deadline_common *common, u64 slots)
{
	struct pmudev_slot_report *report;
	unsigned int slot;
	u64 rest;

	lockdep_assert_held(&common->lock);
	pmudev_for_each_slot(slot, rest, slots & (common->reported | common->sampled)) {
		report = common->slot[slot];
		report->reached = 0;
		report->overruns = 0;
		report->late = false;
	}
	/* poll() looks without the lock. */
	WRITE_ONCE(common->reported, common->reported & ~slots);
	common->sampled &= ~slots;
}

void pmudev_look_later(struct pmudev_set_deadlines *deadlines)
{
	deadlines->common->look_wanted = true;
	pmudev_tell(deadlines);
}

/* --------------------------------------------------------------- telling -- */

/*
 * May the thread be signalled and stopped? Of the set's own target that was asked when the deadline
 * was set. Its children may have other owners, and may be threads of the kernel's. Under RCU.
 */
static bool may_signal(struct task_struct *task, const struct pmudev_deadline_action *action,
		       bool child)
{
	const struct cred *cred = __task_cred(task);

	if (task->flags & PMUDEV_PF_KERNEL)
		return false;
	return !child || uid_eq(action->euid, GLOBAL_ROOT_UID) ||
	       uid_eq(action->euid, cred->suid) || uid_eq(action->euid, cred->uid) ||
	       uid_eq(action->uid, cred->suid) || uid_eq(action->uid, cred->uid);
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

	if (!--deadline->nr_told)
		deadlines->pending &= ~BIT_ULL(slot);
	memmove(&deadline->told[0], &deadline->told[1], deadline->nr_told * sizeof(told));
	return told;
}

/* Take the next report to be told. Return: false if there is none. */
static bool next_report(struct pmudev_set_deadlines *deadlines, struct telling *telling)
{
	struct pmudev_deadline_common *common = deadlines->common;
	struct pmudev_deadline_told told;
	unsigned long flags;
	unsigned int slot;

	raw_spin_lock_irqsave(&common->lock, flags);
	if (!deadlines->pending) {
		raw_spin_unlock_irqrestore(&common->lock, flags);
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
	/* The exit hook sets @ended under the lock, and the task is freed by RCU after that. */
	telling->task = deadlines->ended ? NULL : deadlines->task;
	if (telling->task && !may_signal(telling->task, &told.action, deadlines->child))
		telling->task = NULL;
	raw_spin_unlock_irqrestore(&common->lock, flags);
	return true;
}

/* Have totals brought up to date, if that was wanted. */
static void look(struct pmudev_deadline_common *common)
{
	unsigned long flags;
	bool wanted;

	raw_spin_lock_irqsave(&common->lock, flags);
	wanted = common->look_wanted && !common->closing;
	common->look_wanted = false;
	raw_spin_unlock_irqrestore(&common->lock, flags);
	/* Without the lock, which is taken in the scheduler: this wakes a worker. */
	if (wanted)
		queue_work(pmudev_plain, &common->look);
}

/* The last access to @common. */
static void end_run(struct pmudev_deadline_common *common)
{
	unsigned long flags;

	raw_spin_lock_irqsave(&common->lock, flags);
	common->runs--;
	raw_spin_unlock_irqrestore(&common->lock, flags);
}

/*
 * The irq_work calls this with no lock held, maybe with interrupts disabled, maybe on two CPUs at
 * once. A caller that takes an eventfd or the set away waits until common->runs is 0.
 */
void pmudev_notify(struct irq_work *work)
{
	struct pmudev_set_deadlines *deadlines =
		container_of(work, struct pmudev_set_deadlines, notify);
	struct pmudev_deadline_common *common = deadlines->common;
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
	if (READ_ONCE(deadlines->ended) && deadlines->stop)
		pmudev_stop_continue(deadlines->stop);
	wake_up_interruptible_poll(common->wait, EPOLLIN | EPOLLRDNORM | EPOLLHUP);
	look(common);
	pmudev_set_deadlines_put(deadlines);
	end_run(common);
	/* RCU keeps @deadlines for the caller, which still looks at its irq_work. */
	rcu_read_unlock();
}

struct pmudev_set_deadlines *pmudev_set_deadlines_alloc(unsigned int nr, bool stop, gfp_t gfp)
{
	struct pmudev_set_deadlines *deadlines;

	deadlines = kzalloc(sizeof(*deadlines) + nr * sizeof(struct pmudev_slot_deadline), gfp);
	if (!deadlines)
		return NULL;
	kref_init(&deadlines->ref);
	init_irq_work(&deadlines->notify, pmudev_notify);
	deadlines->nr_inside = nr;
	if (stop)
		deadlines->stop = pmudev_stop_alloc(gfp);
	if (!stop || deadlines->stop)
		return deadlines;
	kfree(deadlines);
	return NULL;
}

static void release(struct kref *ref)
{
	struct pmudev_set_deadlines *deadlines =
		container_of(ref, struct pmudev_set_deadlines, ref);
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(deadlines->slot); i++)
		if (!(deadlines->inside & BIT_ULL(i)))
			kfree(deadlines->slot[i]);
	if (deadlines->stop)
		pmudev_stop_end(deadlines->stop);
	/* The last run of the notifier may still look at its irq_work. */
	kfree_rcu(deadlines, rcu);
}

void pmudev_set_deadlines_put(struct pmudev_set_deadlines *deadlines)
{
	kref_put(&deadlines->ref, release);
}
