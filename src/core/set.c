// SPDX-License-Identifier: GPL-2.0
/* Event sets: creation, binding, permissions, destruction. */
#include <linux/capability.h>
#include <linux/cpu.h>
#include <linux/cred.h>
#include <linux/pid.h>
#include <linux/sched.h>
#include <linux/sched/signal.h>
#include <linux/slab.h>

#include "core.h"

struct pmudev_set *pmudev_set_create(void)
{
	struct pmudev_set *set = kzalloc(sizeof(*set), GFP_KERNEL_ACCOUNT);

	if (!set)
		return NULL;
	mutex_init(&set->mutex);
	spin_lock_init(&set->why_lock);
	INIT_LIST_HEAD(&set->node);
	set->pmu = &pmudev_pmu;
	set->cpu = -1;
	set->chunk[0] = set->first;
	set->opener = get_pid(task_tgid(current));
	return set;
}

void pmudev_set_destroy(struct pmudev_set *set)
{
	struct pmudev_refusal why = {};
	unsigned int i;

	/* The last reference is gone: no call, no mapping. */
	if (set->ctx) {
		mutex_lock(&set->mutex);
		pmudev_set_disable(set, PMUDEV_ALL, &why);
		mutex_unlock(&set->mutex);
		pmudev_page_detach(set);
	}
	if (set->claimed) {
		cpus_read_lock();
		mutex_lock(&set->pmu->lock);
		pmudev_claim_put(set->pmu);
		mutex_unlock(&set->pmu->lock);
		cpus_read_unlock();
	}
	if (set->ctx && set->cpu < 0)
		pmudev_task_put(set->ctx);
	for (i = 1; i < ARRAY_SIZE(set->chunk); i++)
		kfree(set->chunk[i]);
	put_pid(set->opener);
	mutex_destroy(&set->mutex);
	kfree(set);
}

/* -------------------------------------------------------------- binding -- */

static int bind_cpu(struct pmudev_set *set, const struct pmudev_bind *bind,
		    struct pmudev_refusal *why)
{
	if (bind->flags & (PMUDEV_BIND_INHERIT | PMUDEV_BIND_ON_EXEC))
		return pmudev_refuse(why, -EINVAL, PMUDEV_WHY_COMBINATION, bind->flags);
	if (bind->id < 0 || bind->id >= nr_cpu_ids || !cpu_possible(bind->id))
		return pmudev_refuse(why, -ENODEV, PMUDEV_WHY_NO_CPU, nr_cpu_ids - 1);
	if (!perfmon_capable())
		return pmudev_refuse(why, -EPERM, PMUDEV_WHY_CAP_CPU, 0);
	if (!cpu_online(bind->id))
		return pmudev_refuse(why, -ENODEV, PMUDEV_WHY_CPU_OFFLINE, 0);
	set->cpu = bind->id;
	set->shared = bind->flags & PMUDEV_BIND_SHARED;
	/* Seen whole by mmap, which takes no mutex. */
	smp_store_release(&set->ctx, &per_cpu_ptr(&pmudev_cpus, bind->id)->ctx);
	return 0;
}

/* May the caller count @task? As ptrace would ask, without its security modules. */
static bool may_count(struct task_struct *task)
{
	const struct cred *cred = current_cred(), *tcred;
	bool may;

	rcu_read_lock();
	tcred = __task_cred(task);
	may = uid_eq(cred->uid, tcred->euid) && uid_eq(cred->uid, tcred->suid) &&
	      uid_eq(cred->uid, tcred->uid) && gid_eq(cred->gid, tcred->egid) &&
	      gid_eq(cred->gid, tcred->sgid) && gid_eq(cred->gid, tcred->gid);
	rcu_read_unlock();
	return may || perfmon_capable();
}

/* Is @tid the calling thread? If not, 0 never comes back. */
static int check_task(pid_t tid, struct pmudev_refusal *why)
{
	struct task_struct *task;
	int ret = 0;

	rcu_read_lock();
	task = tid ? pid_task(find_vpid(tid), PIDTYPE_PID) : current;
	if (!task || (task->flags & PF_EXITING))
		ret = pmudev_refuse(why, -ESRCH, PMUDEV_WHY_NO_TASK, 0);
	else if (task != current && !may_count(task))
		ret = pmudev_refuse(why, -EPERM, PMUDEV_WHY_CAP_TASK, 0);
	else if (task != current)
		ret = pmudev_refuse(why, -EOPNOTSUPP, PMUDEV_WHY_MODULE, 0);
	rcu_read_unlock();
	return ret;
}

static int bind_task(struct pmudev_set *set, const struct pmudev_bind *bind,
		     struct pmudev_refusal *why)
{
	u32 later = bind->flags & (PMUDEV_BIND_INHERIT | PMUDEV_BIND_ON_EXEC);
	struct pmudev_ctx *ctx;
	int ret;

	if (bind->flags & PMUDEV_BIND_SHARED)
		return pmudev_refuse(why, -EINVAL, PMUDEV_WHY_COMBINATION, PMUDEV_BIND_SHARED);
	if (bind->id < 0)
		return pmudev_refuse(why, -ESRCH, PMUDEV_WHY_NO_TASK, 0);
	ret = check_task(bind->id, why);
	if (ret)
		return ret;
	if (later)
		return pmudev_refuse(why, -EOPNOTSUPP, PMUDEV_WHY_MODULE, later);
	ctx = pmudev_task_self();
	if (IS_ERR(ctx) && PTR_ERR(ctx) != -ENOMEM)
		return pmudev_refuse(why, -EOPNOTSUPP, PMUDEV_WHY_MODULE, 0);
	if (IS_ERR(ctx))
		return pmudev_refuse(why, -ENOMEM, PMUDEV_WHY_MEMORY, 0);
	/* As above. */
	smp_store_release(&set->ctx, ctx);
	return 0;
}

int pmudev_set_bind(struct pmudev_set *set, const struct pmudev_bind *bind,
		    struct pmudev_refusal *why)
{
	lockdep_assert_held(&set->mutex);
	if (set->ctx)
		return pmudev_refuse(why, -EBUSY, PMUDEV_WHY_BOUND, 0);
	if (bind->flags & ~PMUDEV_BIND_FLAGS)
		return pmudev_refuse(why, -EINVAL, PMUDEV_WHY_FLAGS, PMUDEV_BIND_FLAGS);
	if (bind->reserved || (bind->pmu && !(bind->flags & PMUDEV_BIND_PMU)))
		return pmudev_refuse(why, -EINVAL, PMUDEV_WHY_RESERVED, 0);
	if (bind->pmu)
		return pmudev_refuse(why, -ENODEV, PMUDEV_WHY_NO_PMU, 0);
	switch (bind->target) {
	case PMUDEV_TARGET_TASK:
		return bind_task(set, bind, why);
	case PMUDEV_TARGET_CPU:
		return bind_cpu(set, bind, why);
	default:
		return pmudev_refuse(why, -EINVAL, PMUDEV_WHY_TYPE, PMUDEV_TARGET_CPU);
	}
}
