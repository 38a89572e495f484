// SPDX-License-Identifier: GPL-2.0
/*
 * Following threads. A thread that counts itself carries a preempt notifier: it pays for its
 * own switches, others pay a test of an empty list. The notifier can only be
 * taken off by the thread itself, so it stays until the thread closes its last set, exits, or
 * gains privileges by exec; it keeps the module loaded.
 */
#include <linux/binfmts.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include <linux/tracepoint.h>

#include "compat.h"
#include "core.h"

static void task_in(struct preempt_notifier *notifier, int cpu)
{
	struct pmudev_ctx *ctx = container_of(notifier, struct pmudev_ctx, notifier);
	unsigned long flags;

	/* Runs after switch_mm and after perf's and KVM's own switches; irqs are on. */
	raw_spin_lock_irqsave(&ctx->lock, flags);
	if (!ctx->dead)
		pmudev_ctx_load(ctx, cpu);
	raw_spin_unlock_irqrestore(&ctx->lock, flags);
}

static void task_out(struct preempt_notifier *notifier, struct task_struct *next)
{
	struct pmudev_ctx *ctx = container_of(notifier, struct pmudev_ctx, notifier);

	/* Irqs are off, the run queue is locked. */
	raw_spin_lock(&ctx->lock);
	if (ctx->cpu >= 0)
		pmudev_ctx_unload(ctx);
	raw_spin_unlock(&ctx->lock);
}

static struct preempt_ops task_ops = {
	.sched_in = task_in,
	.sched_out = task_out,
};

/* The calling thread's notifier. Only the thread itself changes the list. */
static struct pmudev_ctx *find_self(void)
{
	struct preempt_notifier *notifier;

	hlist_for_each_entry(notifier, &current->preempt_notifiers, link)
		if (notifier->ops == &task_ops)
			return container_of(notifier, struct pmudev_ctx, notifier);
	return NULL;
}

static void ctx_free(struct kref *ref)
{
	/* Not kfree(): some kernels run probes with preemption off, where PREEMPT_RT cannot. */
	kfree_rcu(container_of(ref, struct pmudev_ctx, ref), rcu);
	module_put(THIS_MODULE);
}

/* The calling thread is followed no longer. Its notifier's reference goes with it. */
static void unfollow_self(struct pmudev_ctx *ctx)
{
	unsigned long flags;

	/* Not preempted between the two: no switch may see half a list. */
	preempt_disable();
	raw_spin_lock_irqsave(&ctx->lock, flags);
	if (ctx->cpu >= 0)
		pmudev_ctx_unload(ctx);
	ctx->dead = true;
	pmudev_pages_revoke(ctx);
	raw_spin_unlock_irqrestore(&ctx->lock, flags);
	preempt_notifier_unregister(&ctx->notifier);
	preempt_enable();
	kref_put(&ctx->ref, ctx_free);
}

/* ------------------------------------------------- fork, exec and exit -- */

static void on_fork(void *data, struct task_struct *parent, struct task_struct *child)
{
	/* Before the child runs. A thread has its process's right, a new process none. */
	if (pmudev_backend.forked && child->mm && child->mm != parent->mm)
		pmudev_backend.forked(child->mm);
}

static void on_exit(PMUDEV_PROBE_EXIT_ARGS)
{
	struct pmudev_ctx *ctx;

	if (p != current)
		return;
	ctx = find_self();
	if (ctx)
		unfollow_self(ctx);
}

static void on_exec(void *data, struct task_struct *p, pid_t old_pid, struct linux_binprm *bprm)
{
	struct pmudev_ctx *ctx = find_self();
	unsigned long flags;

	if (!ctx)
		return;
	/* Whoever gains privileges, or may not be read, is not to be watched. */
	if (bprm->secureexec || (bprm->interp_flags & BINPRM_FLAGS_ENFORCE_NONDUMP)) {
		unfollow_self(ctx);
		return;
	}
	/* The old address space had the right to read; the new one starts without. */
	raw_spin_lock_irqsave(&ctx->lock, flags);
	pmudev_pages_revoke(ctx);
	raw_spin_unlock_irqrestore(&ctx->lock, flags);
}

static struct {
	const char *name;
	void *probe;
	struct tracepoint *tp;
} hooks[] = {
	{ .name = "sched_process_fork", .probe = on_fork },
	{ .name = "sched_process_exit", .probe = on_exit },
	{ .name = "sched_process_exec", .probe = on_exec },
};

static DEFINE_MUTEX(hooks_mutex);
static bool hooked;

static void find_hook(struct tracepoint *tp, void *priv)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(hooks); i++)
		if (!strcmp(tp->name, hooks[i].name))
			hooks[i].tp = tp;
}

static void unhook(unsigned int nr)
{
	while (nr--)
		tracepoint_probe_unregister(hooks[nr].tp, hooks[nr].probe, NULL);
	/* No probe runs, and none is about to, after this. */
	tracepoint_synchronize_unregister();
}

static int hook(void)
{
	unsigned int i;
	int ret;

	for_each_kernel_tracepoint(find_hook, NULL);
	for (i = 0; i < ARRAY_SIZE(hooks); i++) {
		ret = hooks[i].tp ? tracepoint_probe_register(hooks[i].tp, hooks[i].probe, NULL) :
				    -ENOENT;
		if (ret) {
			pr_err("pmudev: tracepoint %s: error %d\n", hooks[i].name, ret);
			unhook(i);
			return ret;
		}
	}
	preempt_notifier_inc();
	return 0;
}

/*
 * Hooks go in with the first thread followed and stay until the module goes: they
 * patch kernel text, which is nothing that any user should be able to repeat.
 */
static int hook_once(void)
{
	int ret = 0;

	if (READ_ONCE(hooked))
		return 0;
	mutex_lock(&hooks_mutex);
	if (!hooked) {
		ret = hook();
		WRITE_ONCE(hooked, !ret);
	}
	mutex_unlock(&hooks_mutex);
	return ret;
}

bool pmudev_task_hooked(void)
{
	return READ_ONCE(hooked);
}

void pmudev_task_exit(void)
{
	if (!hooked)
		return;
	unhook(ARRAY_SIZE(hooks));
	preempt_notifier_dec();
}

/* ------------------------------------------------------------ contexts -- */

struct pmudev_ctx *pmudev_task_self(void)
{
	struct pmudev_ctx *ctx;
	unsigned long flags;
	int ret;

	ctx = find_self();
	if (ctx) {
		kref_get(&ctx->ref);
		goto out;
	}
	ret = hook_once();
	if (ret)
		return ERR_PTR(ret);
	ctx = kzalloc(sizeof(*ctx), GFP_KERNEL_ACCOUNT);
	if (!ctx)
		return ERR_PTR(-ENOMEM);
	pmudev_ctx_init(ctx);
	ctx->task = current;
	__module_get(THIS_MODULE);
	preempt_notifier_init(&ctx->notifier, &task_ops);
	kref_get(&ctx->ref);

	/* From here on the notifier says when the thread comes and goes. */
	preempt_disable();
	preempt_notifier_register(&ctx->notifier);
	raw_spin_lock_irqsave(&ctx->lock, flags);
	pmudev_ctx_load(ctx, smp_processor_id());
	raw_spin_unlock_irqrestore(&ctx->lock, flags);
	preempt_enable();
out:
	raw_spin_lock_irqsave(&ctx->lock, flags);
	ctx->nr_sets++;
	raw_spin_unlock_irqrestore(&ctx->lock, flags);
	return ctx;
}

void pmudev_task_put(struct pmudev_ctx *ctx)
{
	unsigned long flags;
	bool last;

	raw_spin_lock_irqsave(&ctx->lock, flags);
	/* current is compared with a thread that lives: a dead context follows none. */
	last = !--ctx->nr_sets && !ctx->dead && ctx->task == current;
	raw_spin_unlock_irqrestore(&ctx->lock, flags);
	if (last)
		unfollow_self(ctx);
	kref_put(&ctx->ref, ctx_free);
}
