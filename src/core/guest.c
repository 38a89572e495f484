// SPDX-License-Identifier: GPL-2.0
/*
 * KVM's guests: where they are entered and left. The probes of KVM's tracepoints are installed
 * while some set has events that tell host and guests apart, and up to a second longer. KVM may be
 * part of the kernel, or a module that comes and goes.
 */
#include <linux/mutex.h>
#include <linux/sched.h>
#include <linux/smp.h>
#include <linux/tracepoint.h>
#include <linux/workqueue.h>

#include "core.h"

/* ------------------------------------------------------------ the doors -- */

/* What is loaded here changes on this CPU only, with irqs off: no lock is needed to look. */
static unsigned int collect(const struct pmudev_ctx *ctx, struct pmudev_hw **hw)
{
	unsigned int i, nr = 0;

	if (!ctx->ready || ctx->cpu != smp_processor_id())
		return 0;
	for (i = 0; i < ctx->nr; i++)
		if (ctx->active[i]->filter)
			hw[nr++] = ctx->active[i];
	return nr;
}

void pmudev_guest_entered(void)
{
	struct pmudev_cpu *cpuc = this_cpu_ptr(&pmudev_cpus);
	struct pmudev_hw *hw[PMUDEV_COUNTERS];
	unsigned int nr;

	lockdep_assert_irqs_disabled();
	if (!cpuc->ready)
		return;
	nr = collect(&cpuc->ctx, hw);
	if (cpuc->task)
		nr += collect(cpuc->task, hw + nr);
	if (nr)
		pmudev_backend.guest_enter(hw, nr);
}

void pmudev_guest_left(void)
{
	unsigned long flags;

	local_irq_save(flags);
	pmudev_backend.guest_leave();
	local_irq_restore(flags);
}

/* ----------------------------------------------------------- the probes -- */

/**
 * struct kvm_hook_point - one of KVM's tracepoints
 * @name: of the tracepoint
 * @probe: the backend's
 * @tp: NULL: there is none now
 */
struct kvm_hook_point {
	const char *name;
	void *probe;
	struct tracepoint *tp;
};

static struct kvm_hook_point entry_hook = { .name = "kvm_entry" };
static struct kvm_hook_point exit_hook = { .name = "kvm_exit" };

static DEFINE_MUTEX(kvm_mutex); /* all below, and the tracepoints above */
static unsigned int nr_wanted;
static bool watching;

static void rest(struct work_struct *work);
static DECLARE_DELAYED_WORK(rest_work, rest);

static int watch(struct kvm_hook_point *kvm_hook_point)
{
	return tracepoint_probe_register(kvm_hook_point->tp, kvm_hook_point->probe, NULL);
}

static void unwatch(struct kvm_hook_point *kvm_hook_point)
{
	tracepoint_probe_unregister(kvm_hook_point->tp, kvm_hook_point->probe, NULL);
	/* No probe runs, and none is about to, after this. */
	tracepoint_synchronize_unregister();
}

static int kvm_hook(void)
{
	int ret;

	lockdep_assert_held(&kvm_mutex);
	if (watching || !entry_hook.tp || !exit_hook.tp)
		return 0;
	ret = watch(&exit_hook);
	if (ret)
		return ret;
	ret = watch(&entry_hook);
	if (ret) {
		unwatch(&exit_hook);
		return ret;
	}
	WRITE_ONCE(watching, true);
	/* A CPU may still execute what was there before it was patched, or a guest. */
	kick_all_cpus_sync();
	return 0;
}

static void leave_here(void *unused)
{
	pmudev_guest_left();
}

static void kvm_unhook(void)
{
	lockdep_assert_held(&kvm_mutex);
	if (!watching)
		return;
	unwatch(&entry_hook);
	/* Who is in a guest now comes out for the call. */
	on_each_cpu(leave_here, NULL, true);
	unwatch(&exit_hook);
	WRITE_ONCE(watching, false);
}

/* Patching kernel text is nothing that a user should be able to repeat fast: once a second. */
static void rest(struct work_struct *work)
{
	mutex_lock(&kvm_mutex);
	if (!nr_wanted)
		kvm_unhook();
	mutex_unlock(&kvm_mutex);
}

static bool kvm_want(void *arg)
{
	int *ret = arg;

	if (!pmudev_in_worker())
		return false;
	*ret = kvm_hook();
	if (!*ret)
		nr_wanted++;
	return true;
}

int pmudev_kvm_hooks_get(void)
{
	int ret;

	pmudev_locked(pmudev_plain, &kvm_mutex, kvm_want, &ret);
	return ret;
}

static bool kvm_unwant(void *unused)
{
	if (!--nr_wanted)
		schedule_delayed_work(&rest_work, HZ);
	return true;
}

void pmudev_kvm_hooks_put(void)
{
	pmudev_locked(pmudev_plain, &kvm_mutex, kvm_unwant, NULL);
}

bool pmudev_kvm_hooked(void)
{
	return READ_ONCE(watching);
}

/* ------------------------------------------------------ KVM comes and goes -- */

/* The first of a name is KVM's: what is watched stays as long as it is there. */
static void note_hook(struct kvm_hook_point *kvm_hook_point, struct tracepoint *tp)
{
	if (!kvm_hook_point->tp && !strcmp(tp->name, kvm_hook_point->name))
		kvm_hook_point->tp = tp;
}

static void find_kvm_hooks(struct tracepoint *tp, void *priv)
{
	note_hook(&entry_hook, tp);
	note_hook(&exit_hook, tp);
}

static void tracepoint_comes(struct tracepoint *tp)
{
	find_kvm_hooks(tp, NULL);
	if (nr_wanted && kvm_hook())
		pr_err("pmudev: KVM cannot be watched: what excludes guests counts them\n");
}

static void tracepoint_goes(struct tracepoint *tp)
{
	struct kvm_hook_point *kvm_hook_point = tp == entry_hook.tp ? &entry_hook : &exit_hook;

	if (tp != kvm_hook_point->tp)
		return;
	kvm_unhook();
	kvm_hook_point->tp = NULL;
}

static int on_module(struct notifier_block *nb, unsigned long state, void *data)
{
	const struct module *mod = ((struct tp_module *)data)->mod;
	struct tracepoint *tp;
	unsigned int i;

	mutex_lock(&kvm_mutex);
	for (i = 0; i < mod->num_tracepoints; i++) {
		tp = tracepoint_ptr_deref(&mod->tracepoints_ptrs[i]);
		if (state == MODULE_STATE_COMING)
			tracepoint_comes(tp);
		else
			tracepoint_goes(tp);
	}
	mutex_unlock(&kvm_mutex);
	return NOTIFY_OK;
}

static struct notifier_block module_nb = {
	.notifier_call = on_module,
};

int pmudev_kvm_init(void)
{
	entry_hook.probe = pmudev_backend.guest_entry;
	exit_hook.probe = pmudev_backend.guest_exit;
	if (!pmudev_backend.guest_entry)
		return 0;
	mutex_lock(&kvm_mutex);
	for_each_kernel_tracepoint(find_kvm_hooks, NULL);
	mutex_unlock(&kvm_mutex);
	/* Tells of the modules that are there, too. */
	return register_tracepoint_module_notifier(&module_nb);
}

void pmudev_kvm_exit(void)
{
	if (pmudev_backend.guest_entry)
		unregister_tracepoint_module_notifier(&module_nb);
	cancel_delayed_work_sync(&rest_work);
	mutex_lock(&kvm_mutex);
	kvm_unhook();
	mutex_unlock(&kvm_mutex);
}

/* ------------------------------------------------- back in user mode -- */

/*
 * A thread that runs a guest is back from there, about to return to its program. The hypervisor may
 * have had the register with the right to read while the thread was switched in, and have put back
 * what was in it before: the thread's, if the CPU is still ours and its pages are mapped still.
 */
void pmudev_kvm_userspace_exit(void *data, u32 reason, int error)
{
	struct pmudev_ctx *ctx;
	struct pmudev_pmu *pmu;
	unsigned long flags;

	pmudev_for_each_pmu(pmu) {
		ctx = pmudev_ctx_find(current, pmu);
		if (!ctx)
			continue;
		raw_spin_lock_irqsave(&ctx->lock, flags);
		if (ctx->cpu >= 0 && ctx->revoke_pending) {
			if (ctx->maps && this_cpu_read(pmudev_cpus.ready))
				pmudev_pages_in(ctx);
			else
				pmudev_pages_out(ctx);
		}
		raw_spin_unlock_irqrestore(&ctx->lock, flags);
		pmudev_ctx_put(ctx);
	}
	/* What has died meanwhile is not found any more, and goes here. */
	if (pmudev_switch_lets_read)
		pmudev_switch_prepare();
}
