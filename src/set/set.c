// SPDX-License-Identifier: GPL-2.0
/* Event sets: creation and destruction. */
#include <linux/cpu.h>
#include <linux/slab.h>

#include "../context/perf_page.h"
#include "../context/user_page.h"
#include "../memory.h"
#include "../task/attach.h"
#include "../task/cgroup.h"
#include "../worker.h"
#include "deadline.h"
#include "inherit.h"
#include "ring.h"
#include "set.h"

struct pmudev_set_hooks pmudev_set_hooks;

struct pmudev_set *pmudev_set_create(void)
{
	struct pmudev_open_set *open = kzalloc(sizeof(*open), PMUDEV_GFP);
	struct pmudev_set *set;

	if (!open)
		return NULL;
	mutex_init(&open->mutex);
	spin_lock_init(&open->last.lock);
	init_waitqueue_head(&open->wait);
	set = &open->set;
	set->pmu = pmudev_pmus;
	set->cpu = -1;
	set->parent = set;
	set->chunk[0] = set->first;
	set->alloc = &open->alloc;
	pmudev_alloc_init(set->alloc, set);
	return set;
}

/* By a worker. */
static void release(void *arg)
{
	struct pmudev_open_set *open = arg;
	struct pmudev_pmu *pmu = open->set.pmu;

	cpus_read_lock();
	mutex_lock(&pmu->lock);
	pmudev_release_pmu(pmu);
	mutex_unlock(&pmu->lock);
	pmudev_release_others(pmu, &open->hold);
	cpus_read_unlock();
}

void pmudev_set_destroy(struct pmudev_set *set)
{
	struct pmudev_open_set *open = pmudev_open_set(set);
	unsigned int i;

	if (set->ctx) {
		/* No other call has the mutex; the order of locks is the same as in one. */
		mutex_lock(&open->mutex);
		pmudev_set_disable_all(set);
		mutex_unlock(&open->mutex);
		pmudev_ctx_call(set->ctx, pmudev_ctx_remove_set, set);
		pmudev_set_deadlines_close(set);
		pmudev_inherit_destroy(set);
		pmudev_set_deadlines_destroy(set);
	}
	/* A call that reclaims dead sets has pmu->lock: it has finished with this one. */
	if (open->hold.held)
		pmudev_by_worker(pmudev_urgent, release, open);
	if (open->cgroup)
		pmudev_cgroup_detach(open->cgroup);
	else if (set->ctx && set->cpu < 0)
		pmudev_detach(set->ctx);
	if (open->kvm_hooked)
		pmudev_set_hooks.kvm_put();
	free_page((unsigned long)set->mapping.page);
	pmudev_perf_pages_free(set->mapping.perf);
	if (open->ring)
		pmudev_ring_free(open->ring);
	/* Chunks were added one after the other. */
	for (i = 1; i < ARRAY_SIZE(set->chunk) && set->chunk[i]; i++)
		kfree(set->chunk[i]);
	pmudev_alloc_exit(set->alloc);
	pmudev_quota_put(open->owner);
	mutex_destroy(&open->mutex);
	kfree(open);
}

void pmudev_save_refusal(struct pmudev_set *set, const struct pmudev_refusal *why, int error)
{
	struct pmudev_last_refusal *last = &pmudev_open_set(set)->last;

	spin_lock(&last->lock);
	last->why = *why;
	/* It was filled in with the rights of the failed caller; any user of the file may ask. */
	last->why.holder.pid = 0;
	last->error = -error;
	spin_unlock(&last->lock);
}
