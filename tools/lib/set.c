// SPDX-License-Identifier: MIT
/*
 * Creating a set: every ioctl, and the refusal of the last failed call.
 */
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "lib.h"

/* ------------------------------------------------------------ the last refusal -- */

bool pmudev_lock(struct pmudev *set)
{
	int tries;

	for (tries = 0; tries < 1000; tries++) {
		if (!__atomic_exchange_n(&set->lock, 1, __ATOMIC_ACQUIRE))
			return true;
		sched_yield();
	}
	return false;
}

void pmudev_unlock(struct pmudev *set)
{
	__atomic_store_n(&set->lock, 0, __ATOMIC_RELEASE);
}

/* Stores @why, whose holders are in the caller's array; returns @error. */
static int keep(struct pmudev *set, int error, const struct pmudev_refusal *why,
		const struct pmudev_holder *holders)
{
	uint32_t i;

	if (!pmudev_lock(set))
		return error;
	set->error = error;
	set->refusal = *why;
	memset(set->holders, 0, sizeof(set->holders));
	for (i = 0; i < why->nr_holders && i < PMUDEV_MAX_HOLDERS; i++)
		set->holders[i] = holders[i];
	set->refusal.holders = (uintptr_t)set->holders;
	pmudev_unlock(set);
	return error;
}

int pmudev_fail(struct pmudev *set, int error, uint32_t code)
{
	struct pmudev_refusal why = { .code = code, .event = -1 };

	return keep(set, error, &why, NULL);
}

int pmudev_fail_why(struct pmudev *set, int error)
{
	struct pmudev_holder holders[PMUDEV_MAX_HOLDERS] = { 0 };
	struct pmudev_why why = {
		.size = sizeof(why),
		.refusal.nr_holders = PMUDEV_MAX_HOLDERS,
		.refusal.holders = (uintptr_t)holders,
	};

	/* No answer, or one for another thread's call: keep only the errno. */
	if (ioctl(set->fd, PMUDEV_IOC_WHY, &why) || why.error != (uint32_t)-error)
		return pmudev_fail(set, error, PMUDEV_OK);
	return keep(set, error, &why.refusal, holders);
}

int pmudev_usable(struct pmudev *set)
{
	if (!set)
		return -EFAULT;
	return set->opened && set->fd >= 0 ? 0 : pmudev_fail(set, -EBADF, PMUDEV_OK);
}

int pmudev_why(struct pmudev *set, struct pmudev_refusal *why)
{
	int error;

	if (!set)
		return -EFAULT;
	if (!pmudev_lock(set))
		return -EAGAIN;
	error = set->error;
	if (why)
		*why = set->refusal;
	pmudev_unlock(set);
	return error;
}

int pmudev_call(struct pmudev *set, unsigned long request, void *arg, struct pmudev_refusal *why)
{
	struct pmudev_holder holders[PMUDEV_MAX_HOLDERS] = { 0 };
	int error = pmudev_usable(set);

	if (error)
		return error;
	why->event = -1;
	why->nr_holders = PMUDEV_MAX_HOLDERS;
	why->holders = (uintptr_t)holders;
	if (ioctl(set->fd, request, arg) >= 0)
		return 0;
	error = -errno;
	/*
	 * The refusal is unset: the call did not reach the module, or the module does not know it.
	 */
	if (why->code == PMUDEV_OK)
		why->nr_holders = 0;
	return keep(set, error, why, holders);
}

/* ---------------------------------------------------------------- open and bind -- */

int pmudev_open(struct pmudev *set)
{
	if (!set)
		return -EFAULT;
	memset(set, 0, sizeof(*set));
	pmudev_learn_tid();
	set->fd = open(PMUDEV_DEVICE, O_RDWR | O_CLOEXEC);
	if (set->fd < 0)
		return pmudev_fail(set, -errno, PMUDEV_OK);
	set->opened = 1;
	return 0;
}

void pmudev_close(struct pmudev *set)
{
	if (!set || !set->opened)
		return;
	pmudev_unmap(set);
	close(set->fd);
	set->fd = -1;
	set->opened = 0;
}

int pmudev_bind_cgroup(struct pmudev *set, int cgroup, unsigned int cpu, unsigned int flags)
{
	struct pmudev_bind bind = {
		.size = sizeof(bind),
		.flags = flags,
		.target = PMUDEV_TARGET_CGROUP,
		.id = cpu,
		.cgroup = cgroup,
	};

	return pmudev_call(set, PMUDEV_IOC_BIND, &bind, &bind.refusal);
}

static int bind_to(struct pmudev *set, uint32_t target, int32_t id, uint32_t flags, uint32_t pmu)
{
	struct pmudev_bind bind = {
		.size = sizeof(bind),
		.flags = flags,
		.target = target,
		.id = id,
		.pmu = pmu,
	};

	return pmudev_call(set, PMUDEV_IOC_BIND, &bind, &bind.refusal);
}

int pmudev_bind_self(struct pmudev *set)
{
	pmudev_learn_tid();
	return bind_to(set, PMUDEV_TARGET_TASK, 0, 0, 0);
}

int pmudev_bind_task(struct pmudev *set, pid_t tid, unsigned int flags)
{
	return bind_to(set, PMUDEV_TARGET_TASK, tid, flags, 0);
}

int pmudev_bind_process(struct pmudev *set, pid_t pid, unsigned int flags)
{
	return bind_to(set, PMUDEV_TARGET_PROCESS, pid, flags, 0);
}

int pmudev_bind_cpu(struct pmudev *set, unsigned int cpu, unsigned int flags)
{
	return bind_to(set, PMUDEV_TARGET_CPU, cpu, flags, 0);
}

int pmudev_bind_pmu(struct pmudev *set, enum pmudev_target target, pid_t id, unsigned int pmu,
		    unsigned int flags)
{
	pmudev_learn_tid();
	return bind_to(set, target, id, flags | PMUDEV_BIND_PMU, pmu);
}

/* ---------------------------------------------------------------------- events -- */

static int add_events(struct pmudev *set, const struct pmudev_event_attr *attrs, unsigned int nr,
		      uint32_t *slots, uint32_t flags)
{
	struct pmudev_add add = {
		.size = sizeof(add),
		.flags = flags,
		.nr = nr,
		.event_size = sizeof(*attrs),
		.events = (uintptr_t)attrs,
		.slots = (uintptr_t)slots,
	};

	return pmudev_call(set, PMUDEV_IOC_ADD, &add, &add.refusal);
}

int pmudev_add(struct pmudev *set, const struct pmudev_event_attr *attrs, unsigned int nr,
	       uint32_t *slots)
{
	return add_events(set, attrs, nr, slots, 0);
}

int pmudev_start(struct pmudev *set, const struct pmudev_event_attr *attrs, unsigned int nr,
		 uint32_t *slots)
{
	pmudev_learn_tid();
	return add_events(set, attrs, nr, slots, PMUDEV_ADD_ENABLE);
}

int pmudev_place(struct pmudev *set, const struct pmudev_event_attr *attrs, unsigned int nr,
		 int32_t *counters)
{
	struct pmudev_place place = {
		.size = sizeof(place),
		.nr = nr,
		.event_size = nr ? sizeof(*attrs) : 0,
		.events = nr ? (uintptr_t)attrs : 0,
		.counters = (uintptr_t)counters,
	};

	return pmudev_call(set, PMUDEV_IOC_PLACE, &place, &place.refusal);
}

static int control(struct pmudev *set, unsigned long request, uint32_t group, uint32_t slot,
		   uint64_t value)
{
	struct pmudev_ctl ctl = {
		.size = sizeof(ctl),
		.group = group,
		.slot = slot,
		.value = value,
	};

	return pmudev_call(set, request, &ctl, &ctl.refusal);
}

int pmudev_enable(struct pmudev *set, uint32_t group)
{
	return control(set, PMUDEV_IOC_ENABLE, group, PMUDEV_ALL, 0);
}

int pmudev_disable(struct pmudev *set, uint32_t group)
{
	return control(set, PMUDEV_IOC_DISABLE, group, PMUDEV_ALL, 0);
}

int pmudev_remove(struct pmudev *set, uint32_t group)
{
	return control(set, PMUDEV_IOC_REMOVE, group, PMUDEV_ALL, 0);
}

int pmudev_reset_slot(struct pmudev *set, uint32_t slot, uint64_t value)
{
	return control(set, PMUDEV_IOC_RESET, PMUDEV_ALL, slot, value);
}

int pmudev_reset_group(struct pmudev *set, uint32_t group, uint64_t value)
{
	return control(set, PMUDEV_IOC_RESET, group, PMUDEV_ALL, value);
}

static int query_number(struct pmudev *set, unsigned int number, uint32_t flags,
			struct pmudev_query *query)
{
	int error = pmudev_usable(set);

	if (error)
		return error;
	if (!query)
		return pmudev_fail(set, -EFAULT, PMUDEV_WHY_POINTER);
	memset(query, 0, sizeof(*query));
	query->size = sizeof(*query);
	query->flags = flags;
	query->pmu = number;
	return pmudev_call(set, PMUDEV_IOC_QUERY, query, &query->refusal);
}

int pmudev_query(struct pmudev *set, unsigned int pmu, struct pmudev_query *query)
{
	return query_number(set, pmu, 0, query);
}

int pmudev_query_cpu(struct pmudev *set, unsigned int cpu, struct pmudev_query *query)
{
	return query_number(set, cpu, PMUDEV_QUERY_CPU, query);
}
