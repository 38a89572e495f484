// SPDX-License-Identifier: MIT
/*
 * Sets on several targets, of which each call holds for all or for none.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "lib.h"

/* ------------------------------------------------------------ the last refusal -- */

int pmudev_bundle_fail(struct pmudev_bundle *bundle, int error, uint32_t code)
{
	bundle->target = -1;
	bundle->error = error;
	bundle->refusal = (struct pmudev_refusal){ .code = code, .event = -1 };
	return error;
}

/*
 * With what the set remembers, which may be closed afterwards. That it could not be opened is not
 * about its target.
 */
static int fail_member(struct pmudev_bundle *bundle, struct pmudev_member *member, int error)
{
	bundle->target = member->set.fd >= 0 ? member->target : -1;
	bundle->error = error;
	bundle->refusal = member->set.refusal;
	memcpy(bundle->holders, member->set.holders, sizeof(bundle->holders));
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

static int bind_member(struct pmudev_bundle *bundle, struct pmudev_member *member,
		       unsigned int flags)
{
	int error = pmudev_open(&member->set);

	if (error)
		return error;
	if (bundle->cpus)
		return pmudev_bind_cpu(&member->set, member->target, flags);
	return pmudev_bind_task(&member->set, member->target, flags);
}

int pmudev_bundle_open(struct pmudev_bundle *bundle, const int *targets, unsigned int nr,
		       unsigned int flags)
{
	unsigned int i;
	int error = 0;

	bundle->members = calloc(nr ? nr : 1, sizeof(*bundle->members));
	if (!bundle->members)
		return pmudev_bundle_fail(bundle, -ENOMEM, PMUDEV_OK);
	for (i = 0; i < nr; i++) {
		struct pmudev_member *member = &bundle->members[bundle->nr];

		member->target = targets[i];
		error = bind_member(bundle, member, flags);
		if (error) {
			fail_member(bundle, member, error);
			pmudev_close(&member->set);
		} else {
			bundle->nr++;
		}
		/* A thread that is no more has nothing to count. */
		if (error && error != -ESRCH)
			break;
		error = 0;
	}
	if (!error && !bundle->nr)
		error = nr ? bundle->error : pmudev_bundle_fail(bundle, -EINVAL, PMUDEV_OK);
	if (error)
		pmudev_bundle_close(bundle);
	return error;
}

int pmudev_bundle_cpus(struct pmudev_bundle *bundle, const unsigned int *cpus, unsigned int nr,
		       unsigned int flags)
{
	*bundle = (struct pmudev_bundle){ .target = -1, .cpus = true };
	return pmudev_bundle_open(bundle, (const int *)cpus, nr, flags);
}

int pmudev_bundle_thread(struct pmudev_bundle *bundle, pid_t tid, unsigned int flags)
{
	*bundle = (struct pmudev_bundle){ .target = -1 };
	return pmudev_bundle_open(bundle, &tid, 1, flags);
}

void pmudev_bundle_close(struct pmudev_bundle *bundle)
{
	unsigned int i;

	for (i = 0; i < bundle->nr; i++)
		pmudev_close(&bundle->members[i].set);
	free(bundle->members);
	bundle->members = NULL;
	bundle->nr = 0;
	bundle->groups = 0;
	bundle->enabled = 0;
}

/* ------------------------------------------------------------- all of them or none -- */

typedef int (*member_call)(struct pmudev *set, const void *what);

/*
 * Makes a call on each set whose target has not ended. Return: 0, or its error with how many sets
 * come before the one that refused in @done.
 */
static int each(struct pmudev_bundle *bundle, member_call call, const void *what,
		unsigned int *done)
{
	unsigned int i, alive = 0;
	int error;

	for (i = 0; i < bundle->nr; i++) {
		struct pmudev_member *member = &bundle->members[i];

		if (member->ended)
			continue;
		*done = i;
		error = call(&member->set, what);
		if (!error)
			alive++;
		else
			fail_member(bundle, member, error);
		if (error == -ESRCH)
			member->ended = true;
		else if (error)
			return error;
	}
	if (alive)
		return 0;
	*done = 0;
	if (!bundle->nr)
		return pmudev_bundle_fail(bundle, -EBADF, PMUDEV_OK);
	return pmudev_bundle_fail(bundle, -ESRCH, PMUDEV_WHY_ENDED);
}

/* What was done to the first sets is undone, as far as their targets live. */
static void undo(struct pmudev_bundle *bundle, unsigned int done,
		 int (*call)(struct pmudev *set, uint32_t group), uint64_t groups)
{
	unsigned int i, group;

	for (i = 0; i < done; i++)
		for (group = 0; group < PMUDEV_MAX_GROUPS; group++)
			if (groups >> group & 1 && !bundle->members[i].ended)
				call(&bundle->members[i].set, group);
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
	unsigned int i, done = 0;
	uint64_t groups = 0;
	int error;

	for (i = 0; i < nr; i++)
		groups |= attrs[i].group < PMUDEV_MAX_GROUPS ? 1ULL << attrs[i].group : 0;
	if (groups & bundle->groups)
		return pmudev_bundle_fail(bundle, -EEXIST, PMUDEV_OK);
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
	unsigned int done = 0;
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
	unsigned int done = 0;
	int error = each(bundle, disable_group, &group, &done);

	/* Targets that have ended count no more. */
	if (error && error != -ESRCH)
		return error;
	bundle->enabled &= ~named(bundle, group);
	return 0;
}

/* --------------------------------------------------------------------- reading -- */

int pmudev_bundle_read(struct pmudev_bundle *bundle, struct pmudev_total *total)
{
	struct pmudev_adding adding = { .total = total };
	union pmudev_record_buffer buffer;
	unsigned int i;
	int error;

	memset(total, 0, sizeof(*total));
	if (!bundle->nr)
		return pmudev_bundle_fail(bundle, -EBADF, PMUDEV_OK);
	for (i = 0; i < bundle->nr; i++) {
		error = pmudev_read(&bundle->members[i].set, &buffer.record, sizeof(buffer));
		if (error)
			return fail_member(bundle, &bundle->members[i], error);
		pmudev_total_add(&adding, &buffer.record);
	}
	pmudev_total_end(&adding);
	return 0;
}
