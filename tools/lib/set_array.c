// SPDX-License-Identifier: MIT
/*
 * Sets on several CPUs; each call applies to all of them or to none.
 */
#include <errno.h>
#include <stdlib.h>

#include "set_array.h"

/* ------------------------------------------------------------ the last refusal -- */

/* Converts a set's slot to the array's; -1 stays -1. */
static int event_of(const struct pmudev_set_array *array, unsigned int i, int slot)
{
	if (slot < 0 || slot >= PMUDEV_MAX_EVENTS || !array->members)
		return slot;
	return array->members[i].slots[slot];
}

int pmudev_set_array_why(struct pmudev_set_array *array, struct pmudev_refusal *why)
{
	if (!array)
		return -EFAULT;
	if (why)
		*why = array->refusal;
	return array->error;
}

/* ------------------------------------------------------------------ open and close -- */

/* Allocates memory for @nr sets. */
static int make_room(struct pmudev_set_array *array, unsigned int nr)
{
	if (!array)
		return -EFAULT;
	*array = (struct pmudev_set_array){ .cpu = -1 };
	if (!nr)
		return fail(array, -EINVAL);
	array->sets = calloc(nr, sizeof(*array->sets));
	array->cpus = calloc(nr, sizeof(*array->cpus));
	array->members = calloc(nr, sizeof(*array->members));
	if (array->sets && array->cpus && array->members)
		return 0;
	pmudev_set_array_close(array);
	return fail(array, -ENOMEM);
}

/* Records whether the next set was opened and bound. */
static int opened(struct pmudev_set_array *array, int error)
{
	if (error)
		fail_set(array, array->nr, error);
	array->nr++;
	if (error)
		pmudev_set_array_close(array);
	return error;
}

/* @cgroup: NULL: whatever runs there */
static int open_cpus(struct pmudev_set_array *array, const int *cgroup, const unsigned int *cpus,
		     unsigned int nr, unsigned int flags)
{
	int error = make_room(array, nr);
	struct pmudev_query query;
	unsigned int i;

	if (!error && !cpus) {
		pmudev_set_array_close(array);
		return fail_why(array, -EFAULT, PMUDEV_WHY_POINTER, 0);
	}
	for (i = 0; i < nr && !error; i++) {
		struct pmudev *set = &array->sets[i];

		array->cpus[i] = cpus[i];
		error = pmudev_open(set);
		if (!error && cgroup)
			error = pmudev_bind_cgroup(set, *cgroup, cpus[i], flags);
		else if (!error)
			error = pmudev_bind_cpu(set, cpus[i], flags);
		if (!error)
			error = pmudev_query_cpu(set, cpus[i], &query);
		if (!error)
			array->members[i].pmu = query.pmu;
		error = opened(array, error);
	}
	return error;
}

int pmudev_set_array_cpus(struct pmudev_set_array *array, const unsigned int *cpus, unsigned int nr,
			  unsigned int flags)
{
	return open_cpus(array, NULL, cpus, nr, flags);
}

int pmudev_set_array_cgroup(struct pmudev_set_array *array, int cgroup, const unsigned int *cpus,
			    unsigned int nr, unsigned int flags)
{
	return open_cpus(array, &cgroup, cpus, nr, flags);
}

/* The most kinds of CPUs on one machine. */
#define MOST_PMUS 8

static int bind_part(struct pmudev *set, enum pmudev_target target, pid_t id, unsigned int pmu,
		     unsigned int flags, bool parts)
{
	if (parts)
		return pmudev_bind_pmu(set, target, id, pmu, flags);
	if (target == PMUDEV_TARGET_PROCESS)
		return pmudev_bind_process(set, id, flags);
	return pmudev_bind_task(set, id, flags);
}

int pmudev_set_array_task(struct pmudev_set_array *array, enum pmudev_target target, pid_t id,
			  unsigned int flags)
{
	struct pmudev_query query = { .nr_pmus = 1 };
	int error = make_room(array, MOST_PMUS);
	unsigned int i;

	if (!error && target != PMUDEV_TARGET_TASK && target != PMUDEV_TARGET_PROCESS) {
		pmudev_set_array_close(array);
		return fail_why(array, -EINVAL, PMUDEV_WHY_TYPE, PMUDEV_TARGET_PROCESS);
	}
	for (i = 0; i < query.nr_pmus && i < MOST_PMUS && !error; i++) {
		struct pmudev *set = &array->sets[i];

		array->cpus[i] = -1;
		array->members[i].pmu = i;
		error = pmudev_open(set);
		if (!error && !i)
			error = pmudev_query(set, 0, &query);
		array->parts = query.nr_pmus > 1;
		if (!error)
			error = bind_part(set, target, id, i, flags, array->parts);
		error = opened(array, error);
	}
	return error;
}

void pmudev_set_array_close(struct pmudev_set_array *array)
{
	unsigned int i;

	if (!array)
		return;
	for (i = 0; i < array->nr; i++)
		pmudev_close(&array->sets[i]);
	free(array->sets);
	free(array->cpus);
	free(array->members);
	array->sets = NULL;
	array->cpus = NULL;
	array->members = NULL;
	array->nr = 0;
	array->groups = 0;
	array->enabled = 0;
	array->nr_events = 0;
}

/* ------------------------------------------------------------- all of them or none -- */

typedef int (*group_call)(struct pmudev *set, uint32_t group);

/* The groups of @groups that @group names. */
static uint64_t named(uint64_t groups, uint32_t group)
{
	if (group == PMUDEV_ALL)
		return groups;
	return group < PMUDEV_MAX_GROUPS ? groups & 1ULL << group : 0;
}

/*
 * Makes a call on each set that has the group; if none has it, on the first set, which then
 * refuses. Return: 0, or the error of the first set that refused, with the number of sets before it
 * in @done.
 */
static int each(struct pmudev_set_array *array, group_call call, uint32_t group, unsigned int *done)
{
	const bool anywhere = named(array->groups, group);
	unsigned int i;
	int error;

	*done = 0;
	if (!array->nr)
		return fail(array, -EBADF);
	for (i = 0; i < array->nr; *done = ++i) {
		if (anywhere && !named(array->members[i].groups, group))
			continue;
		error = call(&array->sets[i], group);
		if (!error)
			continue;
		fail_set(array, i, error);
		array->refusal.event = event_of(array, i, array->refusal.event);
		return error;
	}
	return 0;
}

/* Undoes the call on the first sets. */
static void undo(struct pmudev_set_array *array, unsigned int done, group_call call,
		 uint64_t groups)
{
	unsigned int i, group;

	for (i = 0; i < done; i++)
		for (group = 0; group < PMUDEV_MAX_GROUPS; group++)
			if (groups & array->members[i].groups & 1ULL << group)
				call(&array->sets[i], group);
}

/* The events to add; @pmus by event, NULL: to all. */
struct events {
	const struct pmudev_event_attr *attrs;
	unsigned int nr;
	const uint32_t *pmus;
};

static bool is_on(const struct events *events, unsigned int event, uint32_t pmu)
{
	return !events->pmus || events->pmus[event] >> pmu & 1;
}

/* Selects the events for its PMU. */
static int add_to(struct pmudev_set_array *array, unsigned int i, const struct events *events)
{
	struct pmudev_event_attr attrs[PMUDEV_MAX_EVENTS];
	uint32_t index[PMUDEV_MAX_EVENTS], slots[PMUDEV_MAX_EVENTS];
	struct pmudev_member *member = &array->members[i];
	unsigned int nr = 0, e;
	int error;

	for (e = 0; e < events->nr; e++) {
		if (!is_on(events, e, member->pmu))
			continue;
		attrs[nr] = events->attrs[e];
		index[nr++] = e;
	}
	error = nr ? pmudev_add(&array->sets[i], attrs, nr, slots) : 0;
	if (error) {
		fail_set(array, i, error);
		if (array->refusal.event >= 0 && array->refusal.event < (int)nr)
			array->refusal.event = index[array->refusal.event];
		return error;
	}
	for (e = 0; e < nr; e++) {
		member->slots[slots[e]] = array->nr_events + index[e];
		member->groups |= 1ULL << attrs[e].group;
	}
	return 0;
}

/* The number is valid, and each event has a set. */
static int check_events(struct pmudev_set_array *array, const struct events *events)
{
	unsigned int e, i;

	if (!array->nr)
		return fail(array, -EBADF);
	if (!events->attrs)
		return fail_why(array, -EFAULT, PMUDEV_WHY_POINTER, 0);
	if (!events->nr || events->nr > PMUDEV_MAX_EVENTS - array->nr_events)
		return fail_why(array, -EINVAL, PMUDEV_WHY_NUMBER,
				PMUDEV_MAX_EVENTS - array->nr_events);
	for (e = 0; e < events->nr; e++) {
		for (i = 0; i < array->nr; i++)
			if (is_on(events, e, array->members[i].pmu))
				break;
		if (i < array->nr)
			continue;
		fail_why(array, -ENODEV, PMUDEV_WHY_NO_PMU, 0);
		array->refusal.event = e;
		return -ENODEV;
	}
	return 0;
}

int pmudev_set_array_add_on(struct pmudev_set_array *array, const struct pmudev_event_attr *attrs,
			    unsigned int nr, const uint32_t *pmus)
{
	struct events events = { .attrs = attrs, .nr = nr, .pmus = pmus };
	uint64_t groups = 0;
	unsigned int i;
	int error;

	if (!array)
		return -EFAULT;
	error = check_events(array, &events);
	if (error)
		return error;
	for (i = 0; i < nr; i++)
		groups |= attrs[i].group < PMUDEV_MAX_GROUPS ? 1ULL << attrs[i].group : 0;
	if (groups & array->groups)
		return fail(array, -EEXIST);
	for (i = 0; i < array->nr && !error; i++)
		error = add_to(array, i, &events);
	if (error) {
		undo(array, i, pmudev_remove, groups);
		for (i = 0; i < array->nr; i++)
			array->members[i].groups &= ~groups;
		return error;
	}
	array->groups |= groups;
	array->nr_events += nr;
	return 0;
}

int pmudev_set_array_add(struct pmudev_set_array *array, const struct pmudev_event_attr *attrs,
			 unsigned int nr)
{
	return pmudev_set_array_add_on(array, attrs, nr, NULL);
}

int pmudev_set_array_enable(struct pmudev_set_array *array, uint32_t group)
{
	unsigned int done;
	uint64_t groups;
	int error;

	if (!array)
		return -EFAULT;
	groups = named(array->groups, group) & ~array->enabled;
	error = each(array, pmudev_enable, group, &done);
	if (error)
		undo(array, done, pmudev_disable, groups);
	else
		array->enabled |= groups;
	return error;
}

/* Nothing to undo: if any set refuses, the first one does. */
int pmudev_set_array_disable(struct pmudev_set_array *array, uint32_t group)
{
	unsigned int done;
	int error;

	if (!array)
		return -EFAULT;
	error = each(array, pmudev_disable, group, &done);
	if (!error)
		array->enabled &= ~named(array->groups, group);
	return error;
}
