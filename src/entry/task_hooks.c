// SPDX-License-Identifier: GPL-2.0
/* Hooks on fork, exec and exit of followed threads: tracepoints that are found by name. */
#include <linux/binfmts.h>
#include <linux/mutex.h>
#include <linux/sched.h>
#include <linux/tracepoint.h>
#include <trace/events/sched.h>
#include <trace/events/task.h>

#include "../compat.h"
#include "../context/user_page.h"
#include "../hooks.h"
#include "../set/inherit.h"
#include "../set/set.h"
#include "../task/attach.h"
#include "../task/switch.h"
#include "../task/task_table.h"
#include "../worker.h"
#include "entry.h"

/* In copy_process(), before the child runs; also for the kernel's threads of a task. */
static void on_fork(PMUDEV_PROBE_FORK_ARGS)
{
	struct pmudev_ctx *ctx = NULL;

	/* A new process has no user access; a new thread shares its process's. */
	if (pmudev_backend.forked && child->mm && child->mm != current->mm)
		pmudev_backend.forked(child->mm);
	while ((ctx = pmudev_next_ctx(current, ctx)))
		pmudev_inherit_fork(ctx, child);
}

/* Nothing may count the calling thread any more. */
static void end_self(struct pmudev_ctx *ctx)
{
	struct pmudev_child *ended;
	unsigned long flags;
	unsigned int refs;

	raw_spin_lock_irqsave(&ctx->lock, flags);
	refs = pmudev_ctx_end(ctx);
	ended = pmudev_inherit_exit(ctx);
	raw_spin_unlock_irqrestore(&ctx->lock, flags);
	pmudev_inherit_free(ended);
	while (refs--)
		pmudev_ctx_put(ctx);
}

static void on_exit(PMUDEV_PROBE_EXIT_ARGS)
{
	struct pmudev_ctx *ctx = NULL;

	if (p != current)
		return;
	/*
	 * PF_EXITING is set before the table is searched. Pairs with the barrier in task/attach.c:
	 * an attach whose context is not found here reads PF_EXITING.
	 */
	smp_mb();
	while ((ctx = pmudev_next_ctx(p, ctx)))
		end_self(ctx);
}

static void exec_ctx(struct pmudev_ctx *ctx, const struct linux_binprm *bprm)
{
	unsigned long flags;

	/* A thread that gains privileges, or executes an unreadable file, must not be observed. */
	if (bprm->secureexec || (bprm->interp_flags & BINPRM_FLAGS_ENFORCE_NONDUMP)) {
		end_self(ctx);
	} else {
		/* User access belonged to the old address space. */
		raw_spin_lock_irqsave(&ctx->lock, flags);
		pmudev_pages_revoke(ctx);
		pmudev_ctx_exec(ctx);
		raw_spin_unlock_irqrestore(&ctx->lock, flags);
	}
}

static void on_exec(void *data, struct task_struct *p, pid_t old_pid, struct linux_binprm *bprm)
{
	struct pmudev_ctx *ctx = NULL;

	while ((ctx = pmudev_next_ctx(p, ctx)))
		exec_ctx(ctx, bprm);
}

static struct pmudev_hook hooks[] = {
	/* The first one: where the backend has something to do, sets of CPUs need it, too. */
	{ .name = "task_newtask", .probe = on_fork },
	{ .name = "sched_process_exit", .probe = on_exit },
	{ .name = "sched_process_exec", .probe = on_exec },
	/* The last one is optional: not every kernel has it. */
	{ .name = "kvm_userspace_exit", .probe = pmudev_kvm_userspace_exit },
};

/* task/sched_switch.c installs its own probe, while it needs it. */
static struct pmudev_hook sched_switch = { .name = "sched_switch" };

static DEFINE_MUTEX(hooks_mutex); /* installing all of them */
static bool hooked;		  /* all are installed; written under hooks_mutex */

static void find_hook(struct tracepoint *tp, void *priv)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(hooks); i++)
		pmudev_hook_match(&hooks[i], tp);
	pmudev_hook_match(&sched_switch, tp);
}

static int install(struct pmudev_hook *hook)
{
	int ret;

	if (hook->installed)
		return 0;
	ret = hook->tp ? pmudev_hook_install(hook) : -ENOENT;
	if (ret)
		pr_err("pmudev: BIND fails: tracepoint %s: error %d\n", hook->name, ret);
	return ret;
}

/* All from this one on. */
static void unhook(unsigned int from)
{
	unsigned int i;

	for (i = from; i < ARRAY_SIZE(hooks); i++)
		pmudev_hook_remove(&hooks[i]);
}

static int hook(void)
{
	unsigned int i;
	int ret;

	/* A probe of another type than its tracepoint must not compile: with kCFI a call panics. */
	check_trace_callback_type_task_newtask(on_fork);
	check_trace_callback_type_sched_process_exit(on_exit);
	check_trace_callback_type_sched_process_exec(on_exec);
	for_each_kernel_tracepoint(find_hook, NULL);
	for (i = 0; i < ARRAY_SIZE(hooks); i++) {
		if (i == ARRAY_SIZE(hooks) - 1 && !hooks[i].tp)
			break;
		ret = install(&hooks[i]);
		if (ret)
			goto undo;
	}
	ret = pmudev_switch_hook(sched_switch.tp);
undo:
	/* Sets of CPUs may need the first one. */
	if (ret)
		unhook(pmudev_backend.forked ? 1 : 0);
	return ret;
}

static bool hook_once(void *arg)
{
	int *ret = arg;

	if (!pmudev_in_worker())
		return false;
	if (!hooked) {
		*ret = hook();
		WRITE_ONCE(hooked, !*ret);
	}
	return true;
}

/*
 * Install the hooks when the first thread is attached. They stay until the module is unloaded:
 * installing them patches kernel text, which users must not be able to repeat.
 */
static int hook_tasks(void)
{
	int ret = 0;

	if (!READ_ONCE(hooked))
		pmudev_locked(pmudev_plain, &hooks_mutex, hook_once, &ret);
	return ret;
}

static bool hook_forks_once(void *arg)
{
	int *ret = arg;

	if (!pmudev_in_worker())
		return false;
	for_each_kernel_tracepoint(find_hook, NULL);
	*ret = install(&hooks[0]);
	return true;
}

/* That of forks alone: switches, and tasks that exec or exit, have nothing to do with CPUs. */
static int hook_forks(void)
{
	int ret = 0;

	if (pmudev_backend.forked && !READ_ONCE(hooks[0].installed))
		pmudev_locked(pmudev_plain, &hooks_mutex, hook_forks_once, &ret);
	return ret;
}

bool pmudev_task_hooked(void)
{
	return READ_ONCE(hooked);
}

int pmudev_task_hooks_init(void)
{
	pmudev_set_hooks.task = hook_tasks;
	pmudev_set_hooks.fork = hook_forks;
	return 0;
}

void pmudev_task_hooks_exit(void)
{
	unhook(0);
	if (hooked)
		pmudev_switch_unhook();
}
