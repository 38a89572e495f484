// SPDX-License-Identifier: GPL-2.0
/* Work on behalf of callers. worker.h has the reasons. */
#include <linux/capability.h>
#include <linux/cred.h>
#include <linux/workqueue.h>

#include "worker.h"

struct workqueue_struct *pmudev_urgent, *pmudev_plain;

/* A function that a worker runs. */
struct job {
	struct work_struct work; /* in the queue */
	void (*fn)(void *arg);
	void *arg;
	struct task_struct *caller; /* waits for it, and so keeps itself and @cred alive */
	const struct cred *cred;    /* the caller's */
};

static void run_job(struct work_struct *work)
{
	struct job *job = container_of(work, struct job, work);

	job->fn(job->arg);
}

void pmudev_by_worker(struct workqueue_struct *queue, void (*fn)(void *arg), void *arg)
{
	struct job job = { .fn = fn, .arg = arg, .caller = current, .cred = current_cred() };

	if (pmudev_in_worker()) {
		fn(arg);
		return;
	}
	INIT_WORK_ONSTACK(&job.work, run_job);
	queue_work(queue, &job.work);
	flush_work(&job.work);
	destroy_work_on_stack(&job.work);
}

/* The job that this worker runs; NULL in any other thread. */
static struct job *current_job(void)
{
	struct work_struct *work = current_work();

	return work && work->func == run_job ? container_of(work, struct job, work) : NULL;
}

struct task_struct *pmudev_caller(void)
{
	struct job *job = current_job();

	return job ? job->caller : current;
}

bool pmudev_caller_sees_all(void)
{
	struct job *job = current_job();
	const struct cred *own;
	bool sees;

	if (!job)
		return perfmon_capable();
	own = override_creds(job->cred);
	sees = perfmon_capable();
	revert_creds(own);
	return sees;
}

/* A call of pmudev_locked() that a worker runs. */
struct locked {
	struct mutex *mutex; /* see there, as for all below */
	bool (*fn)(void *arg);
	void *arg;
};

static void run_locked(void *arg)
{
	struct locked *locked = arg;

	mutex_lock(locked->mutex);
	locked->fn(locked->arg);
	mutex_unlock(locked->mutex);
}

void pmudev_locked(struct workqueue_struct *queue, struct mutex *mutex, bool (*fn)(void *arg),
		   void *arg)
{
	struct locked locked = { .mutex = mutex, .fn = fn, .arg = arg };
	bool done;

	if (!pmudev_in_worker() && pmudev_trylock(mutex)) {
		done = fn(arg);
		pmudev_unlock(mutex);
		if (done)
			return;
	}
	pmudev_by_worker(queue, run_locked, &locked);
}

int pmudev_worker_init(void)
{
	/* Allow as many jobs at a time as possible: most of them wait for a mutex. */
	pmudev_urgent = alloc_workqueue("pmudev_urgent", WQ_UNBOUND | WQ_HIGHPRI, WQ_MAX_ACTIVE);
	if (!pmudev_urgent)
		return -ENOMEM;
	pmudev_plain = alloc_workqueue("pmudev", WQ_UNBOUND, WQ_MAX_ACTIVE);
	if (pmudev_plain)
		return 0;
	destroy_workqueue(pmudev_urgent);
	return -ENOMEM;
}

void pmudev_worker_exit(void)
{
	destroy_workqueue(pmudev_plain);
	destroy_workqueue(pmudev_urgent);
}
