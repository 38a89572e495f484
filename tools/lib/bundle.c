// SPDX-License-Identifier: MIT
/*
 * Sets on several CPUs, of which each call holds for all or for none.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "lib.h"

/* ------------------------------------------------------------ the last refusal -- */

static int fail(struct pmudev_bundle *bundle, int error)
{
	bundle->cpu = -1;
	bundle->error = error;
	bundle->refusal = (struct pmudev_refusal){ .event = -1 };
	return error;
}

static int fail_why(struct pmudev_bundle *bundle, int error, uint32_t code, uint64_t limit)
{
	fail(bundle, error);
	bundle->refusal.code = code;
	bundle->refusal.limit = limit;
	return error;
}

/* The bundle's slot of a set's; -1 stays. */
static int event_of(const struct pmudev_bundle *bundle, unsigned int i, int slot)
{
	if (slot < 0 || slot >= PMUDEV_MAX_EVENTS || !bundle->members)
		return slot;
	return bundle->members[i].slots[slot];
}

/*
 * With what the set remembers, which may be closed afterwards. That it could not be opened is not
 * about its CPU.
 */
static int fail_set(struct pmudev_bundle *bundle, unsigned int i, int error)
{
	const struct pmudev *set = &bundle->sets[i];

	bundle->cpu = set->fd >= 0 ? bundle->cpus[i] : -1;
	bundle->error = error;
	bundle->refusal = set->refusal;
	memcpy(bundle->holders, set->holders, sizeof(bundle->holders));
	bundle->refusal.holders = (uintptr_t)bundle->holders;
	return error;
}

int pmudev_bundle_why(struct pmudev_bundle *bundle, struct pmudev_refusal *why)
{
	if (!bundle)
		return -EFAULT;
	if (why)
		*why = bundle->refusal;
	return bundle->error;
}

/* ------------------------------------------------------------------ open and close -- */

/* Memory for so many sets. */
static int make_room(struct pmudev_bundle *bundle, unsigned int nr)
{
	if (!bundle)
		return -EFAULT;
	*bundle = (struct pmudev_bundle){ .cpu = -1 };
	if (!nr)
		return fail(bundle, -EINVAL);
	bundle->sets = calloc(nr, sizeof(*bundle->sets));
	bundle->cpus = calloc(nr, sizeof(*bundle->cpus));
	bundle->members = calloc(nr, sizeof(*bundle->members));
	if (bundle->sets && bundle->cpus && bundle->members)
		return 0;
	pmudev_bundle_close(bundle);
	return fail(bundle, -ENOMEM);
}

/* The next set has been opened and bound, or not. */
static int opened(struct pmudev_bundle *bundle, int error)
{
	if (error)
		fail_set(bundle, bundle->nr, error);
	bundle->nr++;
	if (error)
		pmudev_bundle_close(bundle);
	return error;
}

int pmudev_bundle_cpus(struct pmudev_bundle *bundle, const unsigned int *cpus, unsigned int nr,
		       unsigned int flags)
{
	int error = make_room(bundle, nr);
	struct pmudev_query query;
	unsigned int i;

	if (!error && !cpus) {
		pmudev_bundle_close(bundle);
		return fail_why(bundle, -EFAULT, PMUDEV_WHY_POINTER, 0);
	}
	for (i = 0; i < nr && !error; i++) {
		struct pmudev *set = &bundle->sets[i];

		bundle->cpus[i] = cpus[i];
		error = pmudev_open(set);
		if (!error)
			error = pmudev_bind_cpu(set, cpus[i], flags);
		if (!error)
			error = pmudev_query_cpu(set, cpus[i], &query);
		if (!error)
			bundle->members[i].pmu = query.pmu;
		error = opened(bundle, error);
	}
	return error;
}

/* Kinds of CPUs that one machine has, at most. */
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

int pmudev_bundle_task(struct pmudev_bundle *bundle, enum pmudev_target target, pid_t id,
		       unsigned int flags)
{
	struct pmudev_query query = { .nr_pmus = 1 };
	int error = make_room(bundle, MOST_PMUS);
	unsigned int i;

	if (!error && target != PMUDEV_TARGET_TASK && target != PMUDEV_TARGET_PROCESS) {
		pmudev_bundle_close(bundle);
		return fail_why(bundle, -EINVAL, PMUDEV_WHY_TYPE, PMUDEV_TARGET_PROCESS);
	}
	for (i = 0; i < query.nr_pmus && i < MOST_PMUS && !error; i++) {
		struct pmudev *set = &bundle->sets[i];

		bundle->cpus[i] = -1;
		bundle->members[i].pmu = i;
		error = pmudev_open(set);
		if (!error && !i)
			error = pmudev_query(set, 0, &query);
		bundle->parts = query.nr_pmus > 1;
		if (!error)
			error = bind_part(set, target, id, i, flags, bundle->parts);
		error = opened(bundle, error);
	}
	return error;
}

void pmudev_bundle_close(struct pmudev_bundle *bundle)
{
	unsigned int i;

	if (!bundle)
		return;
	for (i = 0; i < bundle->nr; i++)
		pmudev_close(&bundle->sets[i]);
	free(bundle->sets);
	free(bundle->cpus);
	free(bundle->members);
	bundle->sets = NULL;
	bundle->cpus = NULL;
	bundle->members = NULL;
	bundle->nr = 0;
	bundle->groups = 0;
	bundle->enabled = 0;
	bundle->nr_events = 0;
}

/* ------------------------------------------------------------- all of them or none -- */

typedef int (*group_call)(struct pmudev *set, uint32_t group);

/* Of these groups those that are named by @group. */
static uint64_t named(uint64_t groups, uint32_t group)
{
	if (group == PMUDEV_ALL)
		return groups;
	return group < PMUDEV_MAX_GROUPS ? groups & 1ULL << group : 0;
}

/*
 * Makes a call on each set that has the group; where none has, the first one tells what is wrong.
 * Return: 0, or the error of the first one that refused, with how many come before it in @done.
 */
static int each(struct pmudev_bundle *bundle, group_call call, uint32_t group, unsigned int *done)
{
	const bool anywhere = named(bundle->groups, group);
	unsigned int i;
	int error;

	*done = 0;
	if (!bundle->nr)
		return fail(bundle, -EBADF);
	for (i = 0; i < bundle->nr; *done = ++i) {
		if (anywhere && !named(bundle->members[i].groups, group))
			continue;
		error = call(&bundle->sets[i], group);
		if (!error)
			continue;
		fail_set(bundle, i, error);
		bundle->refusal.event = event_of(bundle, i, bundle->refusal.event);
		return error;
	}
	return 0;
}

/* What was done to the first sets is undone. */
static void undo(struct pmudev_bundle *bundle, unsigned int done, group_call call, uint64_t groups)
{
	unsigned int i, group;

	for (i = 0; i < done; i++)
		for (group = 0; group < PMUDEV_MAX_GROUPS; group++)
			if (groups & bundle->members[i].groups & 1ULL << group)
				call(&bundle->sets[i], group);
}

/* What is added: @pmus by event, NULL: to all. */
struct events {
	const struct pmudev_event_attr *attrs;
	unsigned int nr;
	const uint32_t *pmus;
};

static bool is_on(const struct events *events, unsigned int event, uint32_t pmu)
{
	return !events->pmus || events->pmus[event] >> pmu & 1;
}

/* Those events that are for its PMU. */
static int add_to(struct pmudev_bundle *bundle, unsigned int i, const struct events *events)
{
	struct pmudev_event_attr attrs[PMUDEV_MAX_EVENTS];
	uint32_t index[PMUDEV_MAX_EVENTS], slots[PMUDEV_MAX_EVENTS];
	struct pmudev_member *member = &bundle->members[i];
	unsigned int nr = 0, e;
	int error;

	for (e = 0; e < events->nr; e++) {
		if (!is_on(events, e, member->pmu))
			continue;
		attrs[nr] = events->attrs[e];
		index[nr++] = e;
	}
	error = nr ? pmudev_add(&bundle->sets[i], attrs, nr, slots) : 0;
	if (error) {
		fail_set(bundle, i, error);
		if (bundle->refusal.event >= 0 && bundle->refusal.event < (int)nr)
			bundle->refusal.event = index[bundle->refusal.event];
		return error;
	}
	for (e = 0; e < nr; e++) {
		member->slots[slots[e]] = bundle->nr_events + index[e];
		member->groups |= 1ULL << attrs[e].group;
	}
	return 0;
}

/* So many that slots can be given, and for each some set. */
static int check_events(struct pmudev_bundle *bundle, const struct events *events)
{
	unsigned int e, i;

	if (!bundle->nr)
		return fail(bundle, -EBADF);
	if (!events->attrs)
		return fail_why(bundle, -EFAULT, PMUDEV_WHY_POINTER, 0);
	if (!events->nr || events->nr > PMUDEV_MAX_EVENTS - bundle->nr_events)
		return fail_why(bundle, -EINVAL, PMUDEV_WHY_NUMBER,
				PMUDEV_MAX_EVENTS - bundle->nr_events);
	for (e = 0; e < events->nr; e++) {
		for (i = 0; i < bundle->nr; i++)
			if (is_on(events, e, bundle->members[i].pmu))
				break;
		if (i < bundle->nr)
			continue;
		fail_why(bundle, -ENODEV, PMUDEV_WHY_NO_PMU, 0);
		bundle->refusal.event = e;
		return -ENODEV;
	}
	return 0;
}

int pmudev_bundle_add_on(struct pmudev_bundle *bundle, const struct pmudev_event_attr *attrs,
			 unsigned int nr, const uint32_t *pmus)
{
	struct events events = { .attrs = attrs, .nr = nr, .pmus = pmus };
	uint64_t groups = 0;
	unsigned int i;
	int error;

	if (!bundle)
		return -EFAULT;
	error = check_events(bundle, &events);
	if (error)
		return error;
	for (i = 0; i < nr; i++)
		groups |= attrs[i].group < PMUDEV_MAX_GROUPS ? 1ULL << attrs[i].group : 0;
	if (groups & bundle->groups)
		return fail(bundle, -EEXIST);
	for (i = 0; i < bundle->nr && !error; i++)
		error = add_to(bundle, i, &events);
	if (error) {
		undo(bundle, i, pmudev_remove, groups);
		for (i = 0; i < bundle->nr; i++)
			bundle->members[i].groups &= ~groups;
		return error;
	}
	bundle->groups |= groups;
	bundle->nr_events += nr;
	return 0;
}

int pmudev_bundle_add(struct pmudev_bundle *bundle, const struct pmudev_event_attr *attrs,
		      unsigned int nr)
{
	return pmudev_bundle_add_on(bundle, attrs, nr, NULL);
}

int pmudev_bundle_enable(struct pmudev_bundle *bundle, uint32_t group)
{
	unsigned int done;
	uint64_t groups;
	int error;

	if (!bundle)
		return -EFAULT;
	groups = named(bundle->groups, group) & ~bundle->enabled;
	error = each(bundle, pmudev_enable, group, &done);
	if (error)
		undo(bundle, done, pmudev_disable, groups);
	else
		bundle->enabled |= groups;
	return error;
}

/* Nothing to undo: what could be refused to one set is refused to the first. */
int pmudev_bundle_disable(struct pmudev_bundle *bundle, uint32_t group)
{
	unsigned int done;
	int error;

	if (!bundle)
		return -EFAULT;
	error = each(bundle, pmudev_disable, group, &done);
	if (!error)
		bundle->enabled &= ~named(bundle->groups, group);
	return error;
}

/* --------------------------------------------------------------------- reading -- */

int pmudev_bundle_read(struct pmudev_bundle *bundle, struct pmudev_total *total)
{
	struct pmudev_adding adding = { .total = total };
	union pmudev_record_buffer buffer;
	unsigned int i;
	int error;

	if (!bundle)
		return -EFAULT;
	if (!total)
		return fail_why(bundle, -EFAULT, PMUDEV_WHY_POINTER, 0);
	memset(total, 0, sizeof(*total));
	if (!bundle->nr)
		return fail(bundle, -EBADF);
	adding.parts = bundle->parts;
	adding.sets = bundle->nr;
	for (i = 0; i < bundle->nr; i++) {
		error = pmudev_read(&bundle->sets[i], &buffer.record, sizeof(buffer));
		if (error)
			return fail_set(bundle, i, error);
		pmudev_total_add(&adding, &buffer.record, bundle->members[i].slots);
	}
	pmudev_total_end(&adding);
	return 0;
}

int pmudev_bundle_records(struct pmudev_bundle *bundle, union pmudev_record_buffer *records)
{
	unsigned int i;
	int error;

	if (!bundle)
		return -EFAULT;
	if (!records)
		return fail_why(bundle, -EFAULT, PMUDEV_WHY_POINTER, 0);
	if (!bundle->nr)
		return fail(bundle, -EBADF);
	for (i = 0; i < bundle->nr; i++) {
		error = pmudev_read(&bundle->sets[i], &records[i].record, sizeof(records[i]));
		if (error)
			return fail_set(bundle, i, error);
	}
	return 0;
}

void pmudev_bundle_sum(const struct pmudev_bundle *bundle, uint32_t set,
		       const union pmudev_record_buffer *before,
		       const union pmudev_record_buffer *after, struct pmudev_total *total)
{
	struct pmudev_adding adding = { .total = total,
					.parts = bundle->parts,
					.sets = bundle->nr };
	union pmudev_record_buffer between;
	unsigned int i;

	memset(total, 0, sizeof(*total));
	for (i = 0; i < bundle->nr; i++) {
		if (set != PMUDEV_ALL && set != i)
			continue;
		between = after[i];
		if (before)
			pmudev_record_since(&between.record, &before[i].record);
		pmudev_total_add(&adding, &between.record, bundle->members[i].slots);
	}
	pmudev_total_end(&adding);
}
