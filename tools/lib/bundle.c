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
	if (why)
		*why = bundle->refusal;
	return bundle->error;
}

/* ------------------------------------------------------------------ open and close -- */

/* Memory for so many sets. */
static int make_room(struct pmudev_bundle *bundle, unsigned int nr)
{
	*bundle = (struct pmudev_bundle){ .cpu = -1 };
	if (!nr)
		return fail(bundle, -EINVAL);
	bundle->sets = calloc(nr, sizeof(*bundle->sets));
	bundle->cpus = calloc(nr, sizeof(*bundle->cpus));
	if (bundle->sets && bundle->cpus)
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
	unsigned int i;

	for (i = 0; i < nr && !error; i++) {
		struct pmudev *set = &bundle->sets[i];

		bundle->cpus[i] = cpus[i];
		error = pmudev_open(set);
		if (!error)
			error = pmudev_bind_cpu(set, cpus[i], flags);
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

	for (i = 0; i < query.nr_pmus && i < MOST_PMUS && !error; i++) {
		struct pmudev *set = &bundle->sets[i];

		bundle->cpus[i] = -1;
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

	for (i = 0; i < bundle->nr; i++)
		pmudev_close(&bundle->sets[i]);
	free(bundle->sets);
	free(bundle->cpus);
	bundle->sets = NULL;
	bundle->cpus = NULL;
	bundle->nr = 0;
	bundle->groups = 0;
	bundle->enabled = 0;
}

/* ------------------------------------------------------------- all of them or none -- */

typedef int (*set_call)(struct pmudev *set, const void *what);

/*
 * Makes a call on each set. Return: 0, or the error of the first one that refused, with how many
 * come before it in @done.
 */
static int each(struct pmudev_bundle *bundle, set_call call, const void *what, unsigned int *done)
{
	int error = bundle->nr ? 0 : fail(bundle, -EBADF);

	for (*done = 0; !error && *done < bundle->nr; ++*done) {
		error = call(&bundle->sets[*done], what);
		if (error)
			return fail_set(bundle, *done, error);
	}
	return error;
}

/* What was done to the first sets is undone. */
static void undo(struct pmudev_bundle *bundle, unsigned int done,
		 int (*call)(struct pmudev *set, uint32_t group), uint64_t groups)
{
	unsigned int i, group;

	for (i = 0; i < done; i++)
		for (group = 0; group < PMUDEV_MAX_GROUPS; group++)
			if (groups >> group & 1)
				call(&bundle->sets[i], group);
}

struct events {
	const struct pmudev_event_attr *attrs;
	unsigned int nr;
};

static int add_events(struct pmudev *set, const void *what)
{
	const struct events *events = what;

	return pmudev_add(set, events->attrs, events->nr, NULL);
}

static int enable_group(struct pmudev *set, const void *what)
{
	return pmudev_enable(set, *(const uint32_t *)what);
}

static int disable_group(struct pmudev *set, const void *what)
{
	return pmudev_disable(set, *(const uint32_t *)what);
}

int pmudev_bundle_add(struct pmudev_bundle *bundle, const struct pmudev_event_attr *attrs,
		      unsigned int nr)
{
	struct events events = { .attrs = attrs, .nr = nr };
	unsigned int i, done;
	uint64_t groups = 0;
	int error;

	for (i = 0; i < nr; i++)
		groups |= attrs[i].group < PMUDEV_MAX_GROUPS ? 1ULL << attrs[i].group : 0;
	if (groups & bundle->groups)
		return fail(bundle, -EEXIST);
	error = each(bundle, add_events, &events, &done);
	if (error)
		undo(bundle, done, pmudev_remove, groups);
	else
		bundle->groups |= groups;
	return error;
}

static uint64_t named(const struct pmudev_bundle *bundle, uint32_t group)
{
	if (group == PMUDEV_ALL)
		return bundle->groups;
	return group < PMUDEV_MAX_GROUPS ? bundle->groups & 1ULL << group : 0;
}

int pmudev_bundle_enable(struct pmudev_bundle *bundle, uint32_t group)
{
	uint64_t groups = named(bundle, group) & ~bundle->enabled;
	unsigned int done;
	int error = each(bundle, enable_group, &group, &done);

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
	int error = each(bundle, disable_group, &group, &done);

	if (!error)
		bundle->enabled &= ~named(bundle, group);
	return error;
}

/* --------------------------------------------------------------------- reading -- */

int pmudev_bundle_read(struct pmudev_bundle *bundle, struct pmudev_total *total)
{
	struct pmudev_adding adding = { .total = total, .parts = bundle->parts };
	union pmudev_record_buffer buffer;
	unsigned int i;
	int error;

	memset(total, 0, sizeof(*total));
	if (!bundle->nr)
		return fail(bundle, -EBADF);
	for (i = 0; i < bundle->nr; i++) {
		error = pmudev_read(&bundle->sets[i], &buffer.record, sizeof(buffer));
		if (error)
			return fail_set(bundle, i, error);
		pmudev_total_add(&adding, &buffer.record);
	}
	pmudev_total_end(&adding);
	return 0;
}
