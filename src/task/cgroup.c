// SPDX-License-Identifier: GPL-2.0
/*
 * Following cgroups: the sched_switch probe sees which thread comes; another probe sees which are
 * moved to a cgroup while they run.
 */
#include "../hooks.h"
#include "../memory.h"
#include "../worker.h"
#include "cgroup.h"
#include "sched_switch.h"

#ifdef CONFIG_CGROUPS

#include <linux/cgroup.h>
#include <linux/cpu.h>
#include <linux/sched/signal.h>
#include <linux/slab.h>
#include <linux/smp.h>
#include <linux/tracepoint.h>
#include <trace/events/cgroup.h>

/* Sets of cgroups on one CPU: each switch walks them. More than counters would be of no use. */
#define MOST PMUDEV_COUNTERS

static void look_again(void *unused)
{
	/* Pairs with on_attach(): this finds the thread's new cgroup, or the call is made again. */
	smp_mb();
	pmudev_cgroups_follow(this_cpu_ptr(&pmudev_cpus), current);
}

static DEFINE_PER_CPU(call_single_data_t, look_again_csd); /* prepared by install() */

/* A call that is still pending will see what changed, too, so -EBUSY is no error. */
static void have_look_again(int cpu)
{
	if (!hlist_empty(&per_cpu(pmudev_cpus, cpu).cgroups))
		smp_call_function_single_async(cpu, &per_cpu(look_again_csd, cpu));
}

/* The kernel calls with irqs off: of a process with more threads it is not asked where they are. */
#define MOST_THREADS 64

static void process_looks_again(struct task_struct *task)
{
	struct task_struct *thread;
	int cpu;

	if (get_nr_threads(task) > MOST_THREADS) {
		for_each_online_cpu(cpu)
			have_look_again(cpu);
		return;
	}
	rcu_read_lock();
	list_for_each_entry_rcu(thread, &task->signal->thread_head, thread_node)
		have_look_again(task_cpu(thread));
	rcu_read_unlock();
}

/*
 * A thread, or all of its process, belongs to another cgroup from now on. The kernel's cgroup_mutex
 * is held: no two calls at a time, as the calls of other CPUs demand. A thread that changes its CPU
 * now passes the probe of switches there.
 */
static void on_attach(void *data, struct cgroup *cgroup, const char *path, struct task_struct *task,
		      bool threadgroup)
{
	/*
	 * The thread's cgroup was written before its CPU, the lists and the calls are looked at.
	 * Pairs with the barriers in look_again() and add_here(), and with the scheduler's.
	 */
	smp_mb();
	if (threadgroup)
		process_looks_again(task);
	else
		have_look_again(task_cpu(task));
}

static DEFINE_MUTEX(probe_mutex); /* probe.installed */
static struct pmudev_hook probe = { .name = "cgroup_attach_task", .probe = on_attach };

static void find_probe(struct tracepoint *tp, void *unused)
{
	pmudev_hook_match(&probe, tp);
}

/* It stays until the module is unloaded: users must not be able to patch kernel text repeatedly. */
static bool install(void *arg)
{
	int cpu, *ret = arg;

	check_trace_callback_type_cgroup_attach_task(on_attach);
	if (!pmudev_in_worker())
		return false;
	if (!probe.tp)
		for_each_kernel_tracepoint(find_probe, NULL);
	*ret = 0;
	if (probe.installed)
		return true;
	/* A module's per-CPU data cannot be initialized with pointers. */
	for_each_possible_cpu(cpu)
		INIT_CSD(&per_cpu(look_again_csd, cpu), look_again, NULL);
	*ret = probe.tp ? pmudev_hook_install(&probe) : -ENOENT;
	/* A CPU may still execute what was there before it was patched. */
	if (!*ret)
		kick_all_cpus_sync();
	return true;
}

static int install_once(void)
{
	int ret = 0;

	if (!READ_ONCE(probe.installed))
		pmudev_locked(pmudev_plain, &probe_mutex, install, &ret);
	return ret;
}

/* A call of add_here() */
struct adding {
	struct pmudev_cgroup *cgroup;
	int error; /* out: 0, -EBUSY: the CPU has as many as it may */
};

static void add_here(void *arg)
{
	struct pmudev_cpu *cpuc = this_cpu_ptr(&pmudev_cpus);
	struct adding *adding = arg;
	struct hlist_node *node;
	unsigned int nr = 0;

	hlist_for_each(node, &cpuc->cgroups) nr++;
	if (nr >= MOST) {
		adding->error = -EBUSY;
		return;
	}
	hlist_add_head(&adding->cgroup->node, &cpuc->cgroups);
	/* Pairs with on_attach(): that finds the list, or this the thread's new cgroup. */
	smp_mb();
	pmudev_cgroups_follow(cpuc, current);
}

static struct pmudev_cgroup *create(struct pmudev_cpu *cpuc, int fd)
{
	struct cgroup *found = cgroup_get_from_fd(fd);
	struct pmudev_cgroup *cgroup;

	if (IS_ERR(found))
		return ERR_PTR(-EBADF);
	cgroup = kzalloc(struct_size(cgroup, ctx.active, hweight64(cpuc->pmu->info.counters)),
			 PMUDEV_GFP);
	if (!cgroup) {
		cgroup_put(found);
		return ERR_PTR(-ENOMEM);
	}
	pmudev_ctx_init(&cgroup->ctx);
	cgroup->ctx.pmu = cpuc->pmu;
	cgroup->cgroup = found;
	cgroup->cpu = cpuc->cpu;
	return cgroup;
}

static void destroy(struct pmudev_cgroup *cgroup)
{
	cgroup_put(cgroup->cgroup);
	kfree(cgroup);
}

int pmudev_cgroup_attach(struct pmudev_cpu *cpuc, int fd, struct pmudev_cgroup **out)
{
	struct pmudev_cgroup *cgroup = create(cpuc, fd);
	struct adding adding = { .cgroup = cgroup };
	int ret;

	if (IS_ERR(cgroup))
		return PTR_ERR(cgroup);
	atomic_inc(&pmudev_nr_cgroups);
	ret = install_once();
	if (!ret)
		ret = pmudev_sched_switch_start();
	if (!ret && smp_call_function_single(cpuc->cpu, add_here, &adding, true))
		ret = -ENODEV;
	if (!ret)
		ret = adding.error;
	if (ret) {
		pmudev_sched_switch_put_cgroup();
		destroy(cgroup);
		return ret;
	}
	*out = cgroup;
	return 0;
}

static void remove_here(void *arg)
{
	struct pmudev_cgroup *cgroup = arg;
	struct pmudev_ctx *ctx = &cgroup->ctx;

	raw_spin_lock(&ctx->lock);
	if (ctx->cpu >= 0)
		pmudev_ctx_unload(ctx);
	raw_spin_unlock(&ctx->lock);
	hlist_del(&cgroup->node);
}

static DEFINE_RAW_SPINLOCK(offline_lock); /* lists of CPUs that are offline */

/*
 * By a worker, one of several. While the CPU is offline nothing is loaded there, and only others
 * that remove use its list.
 */
static void remove(void *arg)
{
	struct pmudev_cgroup *cgroup = arg;

	cpus_read_lock();
	if (smp_call_function_single(cgroup->cpu, remove_here, cgroup, true)) {
		raw_spin_lock(&offline_lock);
		hlist_del(&cgroup->node);
		raw_spin_unlock(&offline_lock);
	}
	cpus_read_unlock();
}

void pmudev_cgroup_detach(struct pmudev_cgroup *cgroup)
{
	pmudev_by_worker(pmudev_urgent, remove, cgroup);
	pmudev_sched_switch_put_cgroup();
	destroy(cgroup);
}

void pmudev_cgroup_exit(void)
{
	pmudev_hook_remove(&probe);
	/* A call that it made may be pending, or run, with irqs off. */
	synchronize_rcu();
}

#else /* CONFIG_CGROUPS */

int pmudev_cgroup_attach(struct pmudev_cpu *cpuc, int fd, struct pmudev_cgroup **out)
{
	return -EOPNOTSUPP;
}

void pmudev_cgroup_detach(struct pmudev_cgroup *cgroup)
{
}

void pmudev_cgroup_exit(void)
{
}

#endif /* CONFIG_CGROUPS */
