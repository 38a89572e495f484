// SPDX-License-Identifier: GPL-2.0
/*
 * Context switches by preempt notifiers, which load and unload contexts.
 *
 * A followed thread pays for its own switches; other threads pay for a test of an empty list.
 *
 * A notifier must be in the thread's own list, which has no lock and which KVM uses as well. pmudev
 * changes a list only as follows, under links_lock:
 *   - as the thread itself, in task context or at its switches;
 *   - in the sched_switch probe, for the two threads of the switch. Neither can be in the middle of
 *     a change, because changes are made with preemption off;
 *   - from any thread, if the list's owner is switched out (linked, and loaded nowhere) and the
 *     context's notifier is the only one in the list. Before the owner changes its list again, it
 *     either passes task_in() and so ctx->lock, or finds the list empty.
 *
 * A walk that has reached a removed notifier continues with its next pointer, which stays valid:
 * walks run with preemption off, and contexts are freed by RCU.
 */
#include <linux/sched.h>

#include "../context/load.h"
#include "../hooks.h"
#include "sched_switch.h"
#include "switch.h"
#include "task_table.h"

const bool pmudev_switch_lets_read = true;

static DEFINE_RAW_SPINLOCK(links_lock); /* changes of notifier lists by pmudev */

static struct preempt_ops task_ops;

static void do_deferred_put(struct irq_work *work)
{
	pmudev_ctx_put(container_of(work, struct pmudev_ctx, link.deferred_put));
}

/*
 * Link the notifier at the end of the task's list. The top of this file says which callers may. KVM
 * adds its notifier at the front; it saves and restores the user access register, so it must be
 * called before pmudev's both at switch-out and at switch-in.
 */
static void link_notifier(struct pmudev_ctx *ctx) __must_hold(&ctx->lock)
{
	struct hlist_head *list = &ctx->link.task->preempt_notifiers;
	struct hlist_node *last;

	lockdep_assert_held(&ctx->lock);
	preempt_notifier_init(&ctx->notifier, &task_ops);
	ctx->link.deferred_put = IRQ_WORK_INIT_HARD(do_deferred_put);
	kref_get(&ctx->ref);
	ctx->link.linked = true;
	raw_spin_lock(&links_lock);
	last = list->first;
	while (last && last->next)
		last = last->next;
	if (last)
		hlist_add_behind(&ctx->notifier.link, last);
	else
		hlist_add_head(&ctx->notifier.link, list);
	raw_spin_unlock(&links_lock);
	atomic_dec(&pmudev_nr_unlinked);
}

/* Unlink the notifier. The caller drops its reference after releasing the lock. */
static void unlink_notifier(struct pmudev_ctx *ctx) __must_hold(&ctx->lock)
{
	lockdep_assert_held(&ctx->lock);
	ctx->link.linked = false;
	raw_spin_lock(&links_lock);
	__hlist_del(&ctx->notifier.link);
	raw_spin_unlock(&links_lock);
}

/*
 * Unlink the notifier of a thread that is switched out. Return: false, with nothing changed, if the
 * list has other notifiers.
 */
static bool unlink_alone(struct pmudev_ctx *ctx) __must_hold(&ctx->lock)
{
	struct hlist_head *list = &ctx->link.task->preempt_notifiers;
	bool alone;

	lockdep_assert_held(&ctx->lock);
	raw_spin_lock(&links_lock);
	alone = list->first == &ctx->notifier.link && !ctx->notifier.link.next;
	if (alone)
		WRITE_ONCE(list->first, NULL);
	raw_spin_unlock(&links_lock);
	ctx->link.linked = !alone;
	return alone;
}

static void task_in(struct preempt_notifier *notifier, int cpu)
{
	struct pmudev_ctx *ctx = container_of(notifier, struct pmudev_ctx, notifier);

	/*
	 * Irqs are on, as <linux/preempt.h> says. finish_task_switch() calls perf before the
	 * notifiers, and KVM's is one of them. An interrupt may have loaded the context already.
	 */
	lockdep_assert_irqs_enabled();
	raw_spin_lock_irq(&ctx->lock);
	if (!ctx->dead && ctx->cpu < 0)
		pmudev_ctx_load_here(ctx, true);
	raw_spin_unlock_irq(&ctx->lock);
}

static void task_out(struct preempt_notifier *notifier, struct task_struct *next)
{
	struct pmudev_ctx *ctx = container_of(notifier, struct pmudev_ctx, notifier);
	bool last = false;

	/* Irqs are off, and rq->lock is held. */
	raw_spin_lock(&ctx->lock);
	if (ctx->cpu >= 0)
		pmudev_ctx_unload_here(ctx);
	else if (unlikely(ctx->reads.revoke_pending))
		pmudev_pages_out(ctx); /* it died while KVM used the register */
	if (unlikely(ctx->dead) && ctx->link.linked) {
		unlink_notifier(ctx);
		last = true;
	}
	raw_spin_unlock(&ctx->lock);
	if (last)
		irq_work_queue(&ctx->link.deferred_put);
}

static struct preempt_ops task_ops = {
	.sched_in = task_in,
	.sched_out = task_out,
};

/*
 * Unlink dead contexts of the calling thread now, rather than at its next switch. So a thread has
 * at most one per PMU.
 */
int pmudev_switch_prepare(void)
{
	struct preempt_notifier *notifier;
	struct pmudev_ctx *ctx, *dead;
	unsigned long flags;

	do {
		dead = NULL;
		local_irq_save(flags);
		hlist_for_each_entry(notifier, &current->preempt_notifiers, link) {
			ctx = container_of(notifier, struct pmudev_ctx, notifier);
			if (notifier->ops == &task_ops && READ_ONCE(ctx->dead))
				dead = ctx;
		}
		if (dead) {
			raw_spin_lock(&dead->lock);
			if (dead->reads.revoke_pending)
				pmudev_pages_out(dead);
			unlink_notifier(dead);
			raw_spin_unlock(&dead->lock);
		}
		local_irq_restore(flags);
		if (dead)
			pmudev_ctx_put(dead);
	} while (dead);
	return 0;
}

void pmudev_switch_link(struct pmudev_ctx *ctx)
{
	if (!ctx->link.linked)
		link_notifier(ctx);
}

bool pmudev_switch_unlink(struct pmudev_ctx *ctx, bool out)
{
	if (ctx->link.task == current && in_task()) {
		unlink_notifier(ctx);
		return true;
	}
	/* Otherwise task_out() unlinks it at the thread's next switch. */
	return out && unlink_alone(ctx);
}

/*
 * Will the attach of a context fail, for its thread exits? If it was not loaded before, it stays
 * out: nothing would unlink it after the thread's last switch.
 */
static bool comes_too_late(const struct pmudev_ctx *ctx)
{
	return ctx->cpu < 0 && READ_ONCE(ctx->link.task->flags) & PF_EXITING;
}

/* From the probe, for both threads of a switch: irqs are off, and rq->lock is held. */
static void link_waiting(struct pmudev_ctx *ctx)
{
	raw_spin_lock(&ctx->lock);
	if (!ctx->dead && !ctx->link.linked && !comes_too_late(ctx))
		link_notifier(ctx);
	raw_spin_unlock(&ctx->lock);
}

static struct pmudev_hook hook = { .name = "preempt_notifiers" };

int pmudev_switch_hook(struct tracepoint *tp)
{
	/* The probe can link both threads of a switch. */
	int ret = pmudev_sched_switch_init(tp, link_waiting, link_waiting);

	if (ret)
		return ret;
	preempt_notifier_inc();
	pmudev_hook_note(&hook, true);
	return 0;
}

void pmudev_switch_unhook(void)
{
	pmudev_sched_switch_exit();
	preempt_notifier_dec();
	pmudev_hook_note(&hook, false);
}
