// SPDX-License-Identifier: GPL-2.0
/*
 * The sched_switch probe: finds the threads that wait for it, such as those that somebody else has
 * just bound a set to. It is there only while some do, and a second longer.
 */
#include <linux/mutex.h>
#include <linux/sched.h>
#include <linux/smp.h>
#include <linux/tracepoint.h>
#include <linux/workqueue.h>
#include <trace/events/sched.h>

#include "core.h"

static noinline void look_closer(const struct task_struct *prev, const struct task_struct *next)
{
	if (!atomic_read(&pmudev_nr_waiting))
		return;
	pmudev_ctxs_of(prev, pmudev_switch_out);
	pmudev_ctxs_of(next, pmudev_switch_in);
}

/*
 * Irqs off, the run queue locked; preempt notifiers of both threads are called after this. It is
 * called at everybody's switches: whoever is not followed passes fast.
 */
static void on_switch(void *data, bool preempt, struct task_struct *prev, struct task_struct *next,
		      unsigned int prev_state)
{
	lockdep_assert_irqs_disabled();
	if (unlikely(!hlist_empty(pmudev_task_hash_of(prev)) ||
		     !hlist_empty(pmudev_task_hash_of(next))))
		look_closer(prev, next);
}

static DEFINE_MUTEX(probe_mutex);
static struct tracepoint *switch_tp;
static bool probe_installed;

static void switch_probe_stop(struct work_struct *work);
static DECLARE_DELAYED_WORK(probe_work, switch_probe_stop);

/* Patching kernel text is nothing that a user should be able to repeat fast: once a second. */
static void switch_probe_stop(struct work_struct *work)
{
	mutex_lock(&probe_mutex);
	if (atomic_read(&pmudev_nr_waiting)) {
		schedule_delayed_work(&probe_work, HZ);
	} else if (probe_installed) {
		tracepoint_probe_unregister(switch_tp, on_switch, NULL);
		probe_installed = false;
	}
	mutex_unlock(&probe_mutex);
}

static bool switch_probe_start(void *arg)
{
	int *ret = arg;

	check_trace_callback_type_sched_switch(on_switch);
	*ret = 0;
	if (!probe_installed) {
		if (!pmudev_in_worker())
			return false;
		*ret = tracepoint_probe_register(switch_tp, on_switch, NULL);
		probe_installed = !*ret;
		/* A CPU may still execute what was there before it was patched. */
		if (!*ret)
			kick_all_cpus_sync();
	}
	if (!*ret)
		schedule_delayed_work(&probe_work, HZ);
	return true;
}

int pmudev_switch_probe_start(void)
{
	int ret;

	pmudev_locked(pmudev_plain, &probe_mutex, switch_probe_start, &ret);
	return ret;
}

int pmudev_switch_probe_init(struct tracepoint *tp)
{
	switch_tp = tp;
	return tp ? 0 : -ENOENT;
}

void pmudev_switch_probe_exit(void)
{
	cancel_delayed_work_sync(&probe_work);
	if (probe_installed)
		tracepoint_probe_unregister(switch_tp, on_switch, NULL);
	probe_installed = false;
}
