// SPDX-License-Identifier: GPL-2.0
/*
 * Switches, by preempt notifiers, which load and unload contexts.
 *
 * A followed thread pays for its own switches, others pay a test of an empty list. The notifier
 * belongs into the thread's own list, which others use, too (KVM), and which has no lock. We
 * change it, under a lock of our own,
 *   - as the thread itself, outside of interrupts and at its switches;
 *   - in the sched_switch probe, of the two threads that the switch is between: neither can be in
 *     the midst of a change, which is made with preemption off;
 *   - as anybody, if the thread is switched out (linked, and loaded nowhere) and ours is the only
 *     notifier in its list. Before the thread changes the list again it comes by task_in(), that
 *     is, past ctx->lock; or it finds the list empty, and so do all who look after it.
 * A walker that stands on a notifier that is taken out goes on by its next pointer, which stays:
 * walks have preemption off and contexts are freed by RCU.
 */
#include <linux/sched.h>

#include "../context/load.h"
#include "../hooks.h"
#include "sched_switch.h"
#include "switch.h"
#include "task_table.h"

const bool pmudev_switch_lets_read = true;

/* Our changes of the lists of notifiers. */
static DEFINE_RAW_SPINLOCK(links_lock);

static struct preempt_ops task_ops;

static void do_deferred_put(struct irq_work *work)
{
	pmudev_ctx_put(container_of(work, struct pmudev_ctx, link.deferred_put));
}

/*
 * Into the list of the context's task: see the top of this file for who may. At its end: KVM puts
 * itself in front, and saves and puts back the right to read, so it is to come before us both when
 * the thread goes and when it comes.
 */
static void link_notifier(struct pmudev_ctx *ctx)
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

/* And out of it. The reference is the caller's to drop, after the lock. */
static void unlink_notifier(struct pmudev_ctx *ctx)
{
	lockdep_assert_held(&ctx->lock);
	ctx->link.linked = false;
	raw_spin_lock(&links_lock);
	__hlist_del(&ctx->notifier.link);
	raw_spin_unlock(&links_lock);
}

/* The same of a thread that is switched out; false if others are in its list. */
static bool unlink_alone(struct pmudev_ctx *ctx)
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
	 * Runs after switch_mm and after perf's and KVM's own switches; irqs are on, as
	 * <linux/preempt.h> promises. An interrupt may have loaded it already.
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

	/* Irqs are off, the run queue is locked. */
	raw_spin_lock(&ctx->lock);
	if (ctx->cpu >= 0)
		pmudev_ctx_unload_here(ctx);
	else if (unlikely(ctx->reads.revoke_pending))
		pmudev_pages_out(ctx); /* it died while KVM had the register */
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

/* --------------------------------------------------- what the others call -- */

/*
 * What has died meanwhile is taken out of the calling thread's list, not only at its next switch:
 * so there is never more than one such.
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

/* Who is not in the midst of a change of its list, or cannot be: see above. */
bool pmudev_switch_unlink(struct pmudev_ctx *ctx, bool out)
{
	if (ctx->link.task == current && in_task()) {
		unlink_notifier(ctx);
		return true;
	}
	/* Else it goes at the thread's next switch. */
	return out && unlink_alone(ctx);
}

static void link_waiting(struct pmudev_ctx *ctx)
{
	raw_spin_lock(&ctx->lock);
	if (!ctx->dead && !ctx->link.linked)
		link_notifier(ctx);
	raw_spin_unlock(&ctx->lock);
}

static struct pmudev_hook hook = { .name = "preempt_notifiers" };

int pmudev_switch_hook(struct tracepoint *tp)
{
	/* Of either thread of a switch: both can be linked there. */
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
