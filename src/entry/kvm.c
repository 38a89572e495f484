// SPDX-License-Identifier: GPL-2.0
/*
 * KVM entry and exit hooks. The probes of KVM's tracepoints are installed while a set has events
 * with a host/guest filter, and for up to a second longer. KVM is built in, or a module that can be
 * loaded and unloaded at any time.
 */
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/sched.h>
#include <linux/smp.h>
#include <linux/tracepoint.h>
#include <linux/workqueue.h>

#include "../context/guest.h"
#include "../context/user_page.h"
#include "../hooks.h"
#include "../set/set.h"
#include "../task/switch.h"
#include "../task/task_table.h"
#include "../worker.h"
#include "entry.h"

static struct pmudev_hook entry = { .name = "kvm_entry" };
static struct pmudev_hook exit = { .name = "kvm_exit" };

static DEFINE_MUTEX(kvm_mutex); /* all below, and the hooks above */
static unsigned int nr_users;	/* sets that need the hooks */

static void unhook_later(struct work_struct *work);
static DECLARE_DELAYED_WORK(unhook_work, unhook_later);

static int hook(void)
{
	int ret;

	lockdep_assert_held(&kvm_mutex);
	if (entry.installed || !entry.tp || !exit.tp)
		return 0;
	ret = pmudev_hook_install(&exit);
	if (!ret)
		ret = pmudev_hook_install(&entry);
	if (ret)
		pmudev_hook_remove(&exit);
	else
		/* A CPU may still execute the code from before the patch, or a guest. */
		kick_all_cpus_sync();
	return ret;
}

static void leave_here(void *unused)
{
	pmudev_guest_left();
}

static void unhook(void)
{
	lockdep_assert_held(&kvm_mutex);
	if (!entry.installed)
		return;
	pmudev_hook_remove(&entry);
	/* The interrupt makes a CPU leave its guest. */
	on_each_cpu(leave_here, NULL, true);
	pmudev_hook_remove(&exit);
}

/* Patches kernel text, which users must not be able to repeat fast: at most once a second. */
static void unhook_later(struct work_struct *work)
{
	mutex_lock(&kvm_mutex);
	if (!nr_users)
		unhook();
	mutex_unlock(&kvm_mutex);
}

static bool get_locked(void *arg)
{
	int *ret = arg;

	if (!pmudev_in_worker())
		return false;
	*ret = hook();
	if (!*ret)
		nr_users++;
	return true;
}

static int kvm_get(void)
{
	int ret;

	pmudev_locked(pmudev_plain, &kvm_mutex, get_locked, &ret);
	return ret;
}

static bool put_locked(void *unused)
{
	if (!--nr_users)
		schedule_delayed_work(&unhook_work, HZ);
	return true;
}

static void kvm_put(void)
{
	pmudev_locked(pmudev_plain, &kvm_mutex, put_locked, NULL);
}

bool pmudev_kvm_hooked(void)
{
	return READ_ONCE(entry.installed);
}

static void add_tracepoint(struct tracepoint *tp, void *unused)
{
	pmudev_hook_match(&entry, tp);
	pmudev_hook_match(&exit, tp);
}

static void remove_tracepoint(struct tracepoint *tp)
{
	if (tp != entry.tp && tp != exit.tp)
		return;
	unhook();
	if (tp == entry.tp)
		entry.tp = NULL;
	else
		exit.tp = NULL;
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
			add_tracepoint(tp, NULL);
		else
			remove_tracepoint(tp);
	}
	if (nr_users && hook())
		pr_err("pmudev: cannot hook KVM: events that exclude guests count them\n");
	mutex_unlock(&kvm_mutex);
	return NOTIFY_OK;
}

static struct notifier_block module_nb = { .notifier_call = on_module };

int pmudev_kvm_init(void)
{
	entry.probe = pmudev_backend.guest_entry;
	exit.probe = pmudev_backend.guest_exit;
	pmudev_set_hooks.kvm_get = kvm_get;
	pmudev_set_hooks.kvm_put = kvm_put;
	if (!pmudev_backend.guest_entry)
		return 0;
	mutex_lock(&kvm_mutex);
	for_each_kernel_tracepoint(add_tracepoint, NULL);
	mutex_unlock(&kvm_mutex);
	/* This also calls the notifier for modules that are loaded already. */
	return register_tracepoint_module_notifier(&module_nb);
}

void pmudev_kvm_exit(void)
{
	if (pmudev_backend.guest_entry)
		unregister_tracepoint_module_notifier(&module_nb);
	cancel_delayed_work_sync(&unhook_work);
	mutex_lock(&kvm_mutex);
	unhook();
	mutex_unlock(&kvm_mutex);
}

/*
 * A thread that runs guests is about to return to user mode. KVM may have used the register of user
 * access while the thread was switched in, and restored an old value: set the current one.
 */
void pmudev_kvm_userspace_exit(void *data, u32 reason, int error)
{
	struct pmudev_ctx *ctx = NULL;
	unsigned long flags;
	bool lost;

	while ((ctx = pmudev_next_ctx(current, ctx))) {
		raw_spin_lock_irqsave(&ctx->lock, flags);
		/* It may take the right without a word: by an NMI of perf's, or if it is old. */
		lost = ctx->reads.enabled && !pmudev_backend_user_readable();
		if (ctx->cpu >= 0 && (ctx->reads.revoke_pending || lost)) {
			/* The backend counts the loss. */
			if (lost)
				pmudev_pages_disown(ctx);
			if (ctx->reads.maps && this_cpu_read(pmudev_cpus.ready))
				pmudev_pages_in(ctx);
			else
				pmudev_pages_out(ctx);
		}
		raw_spin_unlock_irqrestore(&ctx->lock, flags);
	}
	/* Contexts that died in between are not found above: unlink them. */
	if (pmudev_switch_lets_read)
		pmudev_switch_prepare();
}
