// SPDX-License-Identifier: GPL-2.0
/* Binding a set to its target, and the permission to do so. */
#include <linux/capability.h>
#include <linux/cpu.h>
#include <linux/cred.h>
#include <linux/mm.h>
#include <linux/pid.h>
#include <linux/sched.h>
#include <linux/sched/signal.h>

#include "../compat.h"
#include "../memory.h"
#include "../task/attach.h"
#include "../task/cgroup.h"
#include "inherit.h"
#include "set.h"

static void set_ctx(struct pmudev_set *set, struct pmudev_ctx *ctx)
{
	/* mmap() and read(2), which take no mutex, see the set whole. */
	smp_store_release(&set->ctx, ctx);
}

/* The target is a CPU, or a cgroup on one: @out: that CPU. */
static int find_cpu(struct pmudev_set *set, const struct pmudev_bind *bind, struct pmudev_cpu **out,
		    struct pmudev_refusal *why)
{
	struct pmudev_cpu *cpuc;

	if (bind->flags & (PMUDEV_BIND_INHERIT | PMUDEV_BIND_ON_EXEC))
		return pmudev_refuse(why, -EINVAL, PMUDEV_WHY_COMBINATION, bind->flags);
	if (bind->id < 0 || bind->id >= nr_cpu_ids || !cpu_possible(bind->id))
		return pmudev_refuse(why, -ENODEV, PMUDEV_WHY_NO_CPU, nr_cpu_ids - 1);
	if (!perfmon_capable())
		return pmudev_refuse(why, -EPERM, PMUDEV_WHY_CAP_CPU, 0);
	if (!cpu_online(bind->id))
		return pmudev_refuse(why, -ENODEV, PMUDEV_WHY_CPU_OFFLINE, 0);
	cpuc = per_cpu_ptr(&pmudev_cpus, array_index_nospec((u32)bind->id, nr_cpu_ids));
	if (!cpuc->pmu || ((bind->flags & PMUDEV_BIND_PMU) && cpuc->pmu != set->pmu))
		return pmudev_refuse(why, -ENODEV, PMUDEV_WHY_NO_PMU, pmudev_nr_pmus - 1);
	*out = cpuc;
	return 0;
}

/* Nothing fails any more. */
static void bound_to_cpu(struct pmudev_set *set, const struct pmudev_bind *bind,
			 const struct pmudev_cpu *cpuc, struct pmudev_ctx *ctx)
{
	set->pmu = cpuc->pmu;
	set->cpu = cpuc->cpu;
	pmudev_open_set(set)->shared = bind->flags & PMUDEV_BIND_SHARED;
	set_ctx(set, ctx);
}

static int bind_cpu(struct pmudev_set *set, const struct pmudev_bind *bind,
		    struct pmudev_refusal *why)
{
	struct pmudev_cpu *cpuc;
	int ret = find_cpu(set, bind, &cpuc, why);

	if (ret)
		return ret;
	/* A fork must not copy what it finds before the CPU is reserved. */
	if (pmudev_set_hooks.fork())
		return pmudev_refuse(why, -EOPNOTSUPP, PMUDEV_WHY_MODULE, 0);
	bound_to_cpu(set, bind, cpuc, &cpuc->ctx);
	return 0;
}

static int bind_cgroup(struct pmudev_set *set, const struct pmudev_bind *bind,
		       struct pmudev_refusal *why)
{
	struct pmudev_open_set *open = pmudev_open_set(set);
	struct pmudev_cpu *cpuc;
	int ret = find_cpu(set, bind, &cpuc, why);

	if (ret)
		return ret;
	/* They find the tracepoint of switches. */
	ret = pmudev_set_hooks.task();
	if (!ret)
		ret = pmudev_cgroup_attach(cpuc, bind->cgroup, &open->cgroup);
	switch (ret) {
	case 0:
		bound_to_cpu(set, bind, cpuc, &open->cgroup->ctx);
		return 0;
	case -ENOMEM:
		return pmudev_refuse(why, ret, PMUDEV_WHY_MEMORY, 0);
	case -EBADF:
		return pmudev_refuse(why, ret, PMUDEV_WHY_CGROUP, 0);
	case -ENODEV:
		return pmudev_refuse(why, ret, PMUDEV_WHY_CPU_OFFLINE, 0);
	case -EBUSY:
		return pmudev_refuse(why, ret, PMUDEV_WHY_NUMBER, PMUDEV_COUNTERS);
	default:
		return pmudev_refuse(why, -EOPNOTSUPP, PMUDEV_WHY_MODULE, 0);
	}
}

int pmudev_attach_allowed = 1;

/*
 * As ptrace decides it for reading (PTRACE_MODE_READ_REALCREDS, as perf asks it), without security
 * modules: the same user, who could do no more if he were the target, or CAP_SYS_PTRACE where the
 * target lives. Under the target's exec_update_lock.
 */
static bool may_count(struct task_struct *task)
{
	const struct cred *cred = current_cred(), *tcred;
	bool may;

	if (same_thread_group(task, current))
		return true;
	if (!READ_ONCE(pmudev_attach_allowed))
		return perfmon_capable();
	rcu_read_lock();
	tcred = __task_cred(task);
	may = uid_eq(cred->uid, tcred->euid) && uid_eq(cred->uid, tcred->suid) &&
	      uid_eq(cred->uid, tcred->uid) && gid_eq(cred->gid, tcred->egid) &&
	      gid_eq(cred->gid, tcred->sgid) && gid_eq(cred->gid, tcred->gid) &&
	      cred->user_ns == tcred->user_ns &&
	      cap_issubset(tcred->cap_permitted, cred->cap_permitted);
	may = may || ns_capable(tcred->user_ns, CAP_SYS_PTRACE);
	rcu_read_unlock();
	return (may && pmudev_task_dumpable(task)) || perfmon_capable();
}

static struct task_struct *get_task(pid_t id, bool process)
{
	struct task_struct *task;

	rcu_read_lock();
	task = id ? pid_task(find_vpid(id), process ? PIDTYPE_TGID : PIDTYPE_PID) : current;
	if (task)
		get_task_struct(task);
	rcu_read_unlock();
	return task;
}

/* A set that joins a context. */
struct joining {
	struct pmudev_set *set;
	unsigned int limit; /* how many inherited sets the context may have */
	int error;	    /* out: 0, -ESRCH, -EBUSY */
};

static void join_ctx(struct pmudev_ctx *ctx, void *arg)
{
	struct joining *joining = arg;
	struct pmudev_set *set = joining->set;

	/* It was alive when it was found. */
	if (ctx->dead) {
		joining->error = -ESRCH;
		return;
	}
	/* Fork and exec must know of some sets. */
	if (set->inherit || set->on_exec) {
		if (ctx->nr_inherited >= joining->limit) {
			joining->error = -EBUSY;
			return;
		}
		pmudev_ctx_add_inherited(ctx, set);
	}
	ctx->link.nr_parents++;
}

static struct pmudev_ctx *attach_thread(struct pmudev_set *set, struct task_struct *task)
{
	struct joining joining = { .set = set };
	struct pmudev_ctx *ctx;

	if (!may_count(task))
		return ERR_PTR(-EPERM);
	if (set->inherit || set->on_exec)
		joining.limit = pmudev_inherit_limit();
	ctx = pmudev_attach(task, set->pmu);
	if (IS_ERR(ctx))
		return ctx;
	pmudev_ctx_call(ctx, join_ctx, &joining);
	if (!joining.error)
		return ctx;
	pmudev_detach(ctx);
	return ERR_PTR(joining.error);
}

#define SOME_THREADS 32

/* Threads of a process that are alive and have no part in the set yet, referenced. */
static unsigned int find_threads(struct pmudev_set *set, struct task_struct *process,
				 struct task_struct **found)
{
	struct task_struct *task;
	unsigned int nr = 0;

	rcu_read_lock();
	/* for_each_thread(), which may ask lockdep for a lock that modules do not know. */
	list_for_each_entry_rcu(task, &process->signal->thread_head, thread_node) {
		if ((READ_ONCE(task->flags) & PF_EXITING) || pmudev_inherit_has(set, task))
			continue;
		found[nr++] = get_task_struct(task);
		if (nr == SOME_THREADS)
			break;
	}
	rcu_read_unlock();
	return nr;
}

/*
 * A thread that is made meanwhile is made by one that has a part, and then has one; or by one that
 * has none, and is found. So it goes on until no thread is found, at least once.
 */
static struct pmudev_ctx *attach_process(struct pmudev_set *set, struct task_struct *process)
{
	struct pmudev_ctx *ctx = ERR_PTR(-ESRCH);
	struct task_struct *found[SOME_THREADS];
	unsigned int i, nr;
	int ret = 0;

	while (!ret && (nr = find_threads(set, process, found))) {
		for (i = 0; i < nr; i++) {
			if (!ret && IS_ERR(ctx))
				ret = PTR_ERR_OR_ZERO(ctx = attach_thread(set, found[i]));
			else if (!ret)
				ret = may_count(found[i]) ? pmudev_inherit_attach(set, found[i]) :
							    -EPERM;
			put_task_struct(found[i]);
			/* It exited before it could be attached. */
			if (ret == -ESRCH)
				ret = 0;
		}
		if (!ret && fatal_signal_pending(current))
			ret = -EINTR;
		cond_resched();
	}
	if (!ret || IS_ERR(ctx))
		return ctx;
	pmudev_ctx_call(ctx, pmudev_ctx_remove_set, set);
	pmudev_detach(ctx);
	return ERR_PTR(ret);
}

/* With the exec_update_lock of another process no program with other rights comes in between. */
static struct pmudev_ctx *attach(struct pmudev_set *set, struct task_struct *task, bool process)
{
	bool other = !same_thread_group(task, current);
	struct pmudev_ctx *ctx;
	int ret;

	ret = other ? down_read_killable(&task->signal->exec_update_lock) : 0;
	if (ret)
		return ERR_PTR(ret);
	ctx = process ? attach_process(set, task) : attach_thread(set, task);
	if (other)
		up_read(&task->signal->exec_update_lock);
	return ctx;
}

static int refuse_task(int error, struct pmudev_refusal *why)
{
	switch (error) {
	case -EPERM:
		if (!READ_ONCE(pmudev_attach_allowed))
			return pmudev_refuse(why, error, PMUDEV_WHY_ATTACH, 0);
		return pmudev_refuse(why, error, PMUDEV_WHY_CAP_TASK, 0);
	case -ENOMEM:
		return pmudev_refuse(why, error, PMUDEV_WHY_MEMORY, 0);
	case -EBUSY:
		return pmudev_refuse(why, error, PMUDEV_WHY_NUMBER, pmudev_inherit_limit());
	case -EDQUOT:
		return pmudev_refuse(why, error, PMUDEV_WHY_LIMIT, READ_ONCE(pmudev_quota_limit));
	case -ESRCH:
	case -EINTR:
		return pmudev_refuse(why, -ESRCH, PMUDEV_WHY_NO_TASK, 0);
	default:
		/* This kernel lacks the hooks. */
		return pmudev_refuse(why, -EOPNOTSUPP, PMUDEV_WHY_MODULE, 0);
	}
}

/* What a child, and what is known of a thread that is counted, take at most; in bytes. */
#define CHILD_SIZE    4096
#define RECLAIM_TIMES 3

/*
 * With the exec_update_lock of another process only memory is taken that is there at once. Have the
 * control group's memory reclaimed without the lock, because that may take a while, by allocating
 * as much as the call needs. Return: false if there is none.
 */
static bool reclaim_memory(struct task_struct *task, unsigned int times)
{
	size_t nr = clamp_t(size_t, get_nr_threads(task), 1, max(READ_ONCE(pmudev_quota_limit), 1));
	void *room = kvmalloc((nr * CHILD_SIZE) << times, PMUDEV_GFP);

	kvfree(room);
	return room;
}

static struct pmudev_ctx *try_attach(struct pmudev_set *set, const struct pmudev_bind *bind,
				     struct task_struct *task)
{
	bool process = bind->target == PMUDEV_TARGET_PROCESS;
	struct pmudev_ctx *ctx;
	int ret = 0;

	if (process || (bind->flags & PMUDEV_BIND_INHERIT))
		ret = pmudev_inherit_create(set, !(bind->flags & PMUDEV_BIND_INHERIT));
	set->on_exec = bind->flags & PMUDEV_BIND_ON_EXEC;
	ctx = ret ? ERR_PTR(ret) : attach(set, task, process);
	if (!IS_ERR(ctx))
		return ctx;
	/* There may be children already. Nothing stays for the next try. */
	pmudev_inherit_destroy(set);
	set->on_exec = false;
	return ctx;
}

static int bind_task(struct pmudev_set *set, const struct pmudev_bind *bind,
		     struct pmudev_refusal *why)
{
	bool process = bind->target == PMUDEV_TARGET_PROCESS;
	bool inherit = process || (bind->flags & PMUDEV_BIND_INHERIT);
	unsigned int times = 0;
	struct task_struct *task;
	struct pmudev_ctx *ctx;
	int ret;

	if (bind->flags & PMUDEV_BIND_SHARED)
		return pmudev_refuse(why, -EINVAL, PMUDEV_WHY_COMBINATION, PMUDEV_BIND_SHARED);
	/* The task may run on any of the PMUs, and their counters differ. */
	if (pmudev_nr_pmus > 1 && !(bind->flags & PMUDEV_BIND_PMU))
		return pmudev_refuse(why, -EOPNOTSUPP, PMUDEV_WHY_SEVERAL_PMUS, 0);
	if (inherit && !PMUDEV_FORK_ALLOCATES)
		return pmudev_refuse(why, -EOPNOTSUPP, PMUDEV_WHY_MODULE, PMUDEV_BIND_INHERIT);
	task = bind->id < 0 ? NULL : get_task(bind->id, process);
	if (!task)
		return refuse_task(-ESRCH, why);
	ret = pmudev_set_hooks.task();
	do {
		ctx = ret ? ERR_PTR(ret) : try_attach(set, bind, task);
	} while (ctx == ERR_PTR(-ENOMEM) && !same_thread_group(task, current) &&
		 times < RECLAIM_TIMES && reclaim_memory(task, times++));
	put_task_struct(task);
	if (IS_ERR(ctx))
		return refuse_task(PTR_ERR(ctx), why);
	set_ctx(set, ctx);
	return 0;
}

int pmudev_set_bind(struct pmudev_set *set, const struct pmudev_bind *bind,
		    struct pmudev_refusal *why)
{
	struct pmudev_open_set *open = pmudev_open_set(set);
	struct pmudev_pmu *pmu = pmudev_pmu_numbered(bind->pmu);
	int ret;

	lockdep_assert_held(&open->mutex);
	if (set->ctx)
		return pmudev_refuse(why, -EBUSY, PMUDEV_WHY_BOUND, 0);
	if (bind->flags & ~PMUDEV_BIND_FLAGS)
		return pmudev_refuse(why, -EINVAL, PMUDEV_WHY_FLAGS, PMUDEV_BIND_FLAGS);
	if ((bind->cgroup && bind->target != PMUDEV_TARGET_CGROUP) ||
	    (bind->pmu && !(bind->flags & PMUDEV_BIND_PMU)))
		return pmudev_refuse(why, -EINVAL, PMUDEV_WHY_RESERVED, 0);
	if (!pmu)
		return pmudev_refuse(why, -ENODEV, PMUDEV_WHY_NO_PMU, pmudev_nr_pmus - 1);
	if ((bind->flags & PMUDEV_BIND_EXCLUSIVE) && !perfmon_capable())
		return pmudev_refuse(why, -EPERM, PMUDEV_WHY_CAP_EXCLUSIVE, 0);
	set->pmu = pmu;
	set->alloc->exclusive = bind->flags & PMUDEV_BIND_EXCLUSIVE;
	ret = pmudev_quota_get(&open->owner);
	if (ret == -EDQUOT)
		return pmudev_refuse(why, ret, PMUDEV_WHY_LIMIT, READ_ONCE(pmudev_quota_limit));
	if (ret)
		return pmudev_refuse(why, ret, PMUDEV_WHY_MEMORY, 0);
	if (bind->target == PMUDEV_TARGET_CPU)
		ret = bind_cpu(set, bind, why);
	else if (bind->target == PMUDEV_TARGET_TASK || bind->target == PMUDEV_TARGET_PROCESS)
		ret = bind_task(set, bind, why);
	else if (bind->target == PMUDEV_TARGET_CGROUP)
		ret = bind_cgroup(set, bind, why);
	else
		ret = pmudev_refuse(why, -EINVAL, PMUDEV_WHY_TYPE, PMUDEV_TARGET_CGROUP);
	if (ret) {
		pmudev_quota_put(open->owner);
		open->owner = NULL;
	}
	return ret;
}
