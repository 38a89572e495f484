// SPDX-License-Identifier: GPL-2.0
/* The probe of tracepoint sched_switch. */
#include <linux/mutex.h>
#include <linux/sched.h>
#include <linux/smp.h>
#include <linux/tracepoint.h>
#include <linux/workqueue.h>
#include <trace/events/sched.h>

#include "../context/cgroup.h"
#include "../hooks.h"
#include "../worker.h"
#include "sched_switch.h"

atomic_t pmudev_nr_unlinked = ATOMIC_INIT(0);
/* Each switch reads it: not beside what each BIND writes. */
atomic_t pmudev_nr_cgroups __read_mostly = ATOMIC_INIT(0);

static void (*switch_out)(struct pmudev_ctx *ctx);
static void (*switch_in)(struct pmudev_ctx *ctx);

static noinline void look_closer(struct task_struct *prev, struct task_struct *next)
{
	struct pmudev_cpu *cpuc = this_cpu_ptr(&pmudev_cpus);

	if (atomic_read(&pmudev_nr_unlinked)) {
		pmudev_walk_ctxs(prev, switch_out);
		pmudev_walk_ctxs(next, switch_in);
	}
	if (!hlist_empty(&cpuc->cgroups))
		pmudev_cgroups_follow(cpuc, next);
}

/*
 * Irqs off, the run queue locked; preempt notifiers of both threads are called after this. Called
 * at every switch on the machine: a thread that is not in the table passes fast.
 */
static void notrace on_switch(void *data, bool preempt, struct task_struct *prev,
			      struct task_struct *next, unsigned int prev_state)
{
	lockdep_assert_irqs_disabled();
	if (unlikely(!hlist_empty(pmudev_task_hash_of(prev)) ||
		     !hlist_empty(pmudev_task_hash_of(next)) || atomic_read(&pmudev_nr_cgroups)))
		look_closer(prev, next);
}

static DEFINE_MUTEX(probe_mutex); /* probe.installed */
static struct pmudev_hook probe = { .name = "sched_switch", .probe = on_switch };

static void stop(struct work_struct *work);
static DECLARE_DELAYED_WORK(stop_work, stop);

/* Patching kernel text must not be something that a user can repeat fast: once a second. */
static void stop(struct work_struct *work)
{
	mutex_lock(&probe_mutex);
	if (atomic_read(&pmudev_nr_unlinked))
		schedule_delayed_work(&stop_work, HZ);
	else if (!atomic_read(&pmudev_nr_cgroups))
		pmudev_hook_remove(&probe);
	mutex_unlock(&probe_mutex);
}

static bool start(void *arg)
{
	int *ret = arg;

	check_trace_callback_type_sched_switch(on_switch);
	*ret = 0;
	if (!probe.installed) {
		if (!pmudev_in_worker())
			return false;
		*ret = pmudev_hook_install(&probe);
		/* A CPU may still execute what was there before it was patched. */
		if (!*ret)
			kick_all_cpus_sync();
	}
	if (!*ret)
		schedule_delayed_work(&stop_work, HZ);
	return true;
}

int pmudev_sched_switch_start(void)
{
	int ret;

	pmudev_locked(pmudev_plain, &probe_mutex, start, &ret);
	return ret;
}

void pmudev_sched_switch_put_cgroup(void)
{
	if (atomic_dec_and_test(&pmudev_nr_cgroups))
		schedule_delayed_work(&stop_work, HZ);
}

int pmudev_sched_switch_init(struct tracepoint *tp, void (*out)(struct pmudev_ctx *ctx),
			     void (*in)(struct pmudev_ctx *ctx))
{
	switch_out = out;
	switch_in = in;
	probe.tp = tp;
	return tp ? 0 : -ENOENT;
}

void pmudev_sched_switch_exit(void)
{
	cancel_delayed_work_sync(&stop_work);
	pmudev_hook_remove(&probe);
}
