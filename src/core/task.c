// SPDX-License-Identifier: GPL-2.0
/*
 * What happens to a followed thread: it makes children, executes programs, ends. The hooks are
 * tracepoints found by name.
 */
#include <linux/binfmts.h>
#include <linux/mutex.h>
#include <linux/sched.h>
#include <linux/tracepoint.h>
#include <trace/events/sched.h>
#include <trace/events/task.h>

#include "compat.h"
#include "core.h"

/* ------------------------------------------------- fork, exec and exit -- */

/* In copy_process(), before the child runs; also of threads that the kernel makes for a task. */
static void on_fork(PMUDEV_PROBE_FORK_ARGS)
{
	struct pmudev_ctx *ctx;
	struct pmudev_pmu *pmu;

	/* A thread has its process's right, a new process none. */
	if (pmudev_backend.forked && child->mm && child->mm != current->mm)
		pmudev_backend.forked(child->mm);
	pmudev_for_each_pmu(pmu) {
		ctx = pmudev_ctx_find(current, pmu);
		if (!ctx)
			continue;
		pmudev_inherit_fork(ctx, child);
		pmudev_ctx_put(ctx);
	}
}

/* The thread is watched no longer, by anybody. */
static void end_self(struct pmudev_ctx *ctx)
{
	struct pmudev_set *children;
	unsigned long flags;
	unsigned int refs;

	raw_spin_lock_irqsave(&ctx->lock, flags);
	refs = pmudev_ctx_end(ctx);
	children = pmudev_inherit_exit(ctx);
	raw_spin_unlock_irqrestore(&ctx->lock, flags);
	pmudev_inherit_free(children);
	while (refs--)
		pmudev_ctx_put(ctx);
}

static void on_exit(PMUDEV_PROBE_EXIT_ARGS)
{
	struct pmudev_ctx *ctx;
	struct pmudev_pmu *pmu;

	if (p != current)
		return;
	/* PF_EXITING is seen by whoever enters a context that is not found now: see follow.c. */
	smp_mb();
	pmudev_for_each_pmu(pmu) {
		ctx = pmudev_ctx_find(p, pmu);
		if (!ctx)
			continue;
		end_self(ctx);
		pmudev_ctx_put(ctx);
	}
}

static void exec_ctx(struct pmudev_ctx *ctx, const struct linux_binprm *bprm)
{
	unsigned long flags;

	/* Whoever gains privileges, or may not be read, is not to be watched. */
	if (bprm->secureexec || (bprm->interp_flags & BINPRM_FLAGS_ENFORCE_NONDUMP)) {
		end_self(ctx);
	} else {
		/* The old address space had the right to read; the new one starts without. */
		raw_spin_lock_irqsave(&ctx->lock, flags);
		pmudev_pages_revoke(ctx);
		pmudev_ctx_exec(ctx);
		raw_spin_unlock_irqrestore(&ctx->lock, flags);
	}
}

static void on_exec(void *data, struct task_struct *p, pid_t old_pid, struct linux_binprm *bprm)
{
	struct pmudev_ctx *ctx;
	struct pmudev_pmu *pmu;

	pmudev_for_each_pmu(pmu) {
		ctx = pmudev_ctx_find(p, pmu);
		if (!ctx)
			continue;
		exec_ctx(ctx, bprm);
		pmudev_ctx_put(ctx);
	}
}

/*
 * The last is for probe_installed.c, which installs it when it is needed; the last but one is not in every
 * kernel.
 */
static struct {
	const char *name;
	void *probe;
	struct tracepoint *tp;
} hooks[] = {
	{ .name = "task_newtask", .probe = on_fork },
	{ .name = "sched_process_exit", .probe = on_exit },
	{ .name = "sched_process_exec", .probe = on_exec },
	{ .name = "kvm_userspace_exit", .probe = pmudev_kvm_userspace_exit },
	{ .name = "sched_switch" },
};

#define NR_HOOKS (ARRAY_SIZE(hooks) - 1)
#define NR_NEEDED (NR_HOOKS - 1)

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
		if (hooks[nr].tp)
			tracepoint_probe_unregister(hooks[nr].tp, hooks[nr].probe, NULL);
	/* No probe runs, and none is about to, after this. */
	tracepoint_synchronize_unregister();
}

/* A probe whose type is not the tracepoint's does not compile; with kCFI it would panic. */
static void check_types(void)
{
	check_trace_callback_type_task_newtask(on_fork);
	check_trace_callback_type_sched_process_exit(on_exit);
	check_trace_callback_type_sched_process_exec(on_exec);
}

static int hook(void)
{
	unsigned int i;
	int ret;

	check_types();
	for_each_kernel_tracepoint(find_hook, NULL);
	ret = pmudev_switch_probe_init(hooks[NR_HOOKS].tp);
	if (ret)
		return ret;
	for (i = 0; i < NR_HOOKS; i++) {
		if (i >= NR_NEEDED && !hooks[i].tp)
			continue;
		ret = hooks[i].tp ? tracepoint_probe_register(hooks[i].tp, hooks[i].probe, NULL) :
				    -ENOENT;
		if (ret) {
			pr_err("pmudev: no thread can be counted: tracepoint %s: error %d\n",
			       hooks[i].name, ret);
			unhook(i);
			return ret;
		}
	}
	pmudev_switch_hook();
	return 0;
}

/*
 * Hooks go in with the first thread followed and stay until the module goes: they
 * patch kernel text, which is nothing that any user should be able to repeat.
 */
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

int pmudev_task_hook(void)
{
	int ret = 0;

	if (!READ_ONCE(hooked))
		pmudev_locked(pmudev_plain, &hooks_mutex, hook_once, &ret);
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
	pmudev_switch_probe_exit();
	unhook(NR_HOOKS);
	pmudev_switch_unhook();
}
