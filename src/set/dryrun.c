// SPDX-License-Identifier: GPL-2.0
/* Dry runs: find the counters that ENABLE would allocate, without allocating them. */
#include <linux/cpu.h>
#include <linux/slab.h>

#include "../alloc/place.h"
#include "../alloc/rotation.h"
#include "../worker.h"
#include "set.h"

/**
 * struct trial - events that a dry run places
 * @nr: number of events
 * @constraint: by event
 * @group: by event: the number of its group
 * @mux: by event: its group is multiplexed
 * @counter: by event: the result; of a chained event the even counter
 * @part: the events that are placed together, as indices into the arrays above
 * @part_constraint: their constraints
 * @part_counter: their counters
 */
struct trial {
	unsigned int nr;
	struct pmudev_constraint constraint[PMUDEV_MAX_EVENTS];
	u8 group[PMUDEV_MAX_EVENTS];
	bool mux[PMUDEV_MAX_EVENTS];
	u8 counter[PMUDEV_MAX_EVENTS];
	u8 part[PMUDEV_MAX_EVENTS];
	struct pmudev_constraint part_constraint[PMUDEV_MAX_EVENTS];
	u8 part_counter[PMUDEV_MAX_EVENTS];
};

static void add_event(struct trial *trial, struct pmudev_constraint constraint, u32 group,
		      u32 flags)
{
	trial->constraint[trial->nr] = constraint;
	trial->group[trial->nr] = group;
	trial->mux[trial->nr++] = flags & PMUDEV_MULTIPLEX;
}

/* Take the non-multiplexed events as the part, or those of one multiplexed group. */
static unsigned int take_part(struct trial *trial, bool mux, unsigned int group)
{
	unsigned int i, nr = 0;

	for (i = 0; i < trial->nr; i++) {
		if (trial->mux[i] != mux || (mux && trial->group[i] != group))
			continue;
		trial->part_constraint[nr] = trial->constraint[i];
		trial->part[nr++] = i;
	}
	return nr;
}

/* Copy the part's counters to the result, or translate its event in a refusal. */
static int part_result(struct trial *trial, unsigned int nr, int ret, struct pmudev_refusal *why)
{
	unsigned int i;

	if (ret && why->event >= 0)
		why->event = trial->part[why->event];
	for (i = 0; i < nr && !ret; i++)
		trial->counter[trial->part[i]] = trial->part_counter[i];
	return ret;
}

/*
 * Place the non-multiplexed events together, and then each multiplexed group on its own beside
 * them, as in a rotation slot that begins with this group.
 */
static int try_all(struct pmudev_set *set, struct trial *trial, struct pmudev_refusal *why)
{
	unsigned int i, nr = take_part(trial, false, 0);
	bool moves;
	int ret = 0;
	u64 free;

	if (nr)
		ret = pmudev_place(set, trial->part_constraint, nr, trial->part_counter, &moves,
				   why);
	ret = part_result(trial, nr, ret, why);
	if (ret)
		return ret;
	free = pmudev_mux_free(set);
	for (i = 0; i < nr; i++)
		free &= ~pmudev_place_counters(trial->part_counter[i],
					       trial->part_constraint[i].chained);
	for (i = 0; i < trial->nr && !ret; i++) {
		if (!trial->mux[i])
			continue;
		nr = take_part(trial, true, trial->group[i]);
		if (trial->part[0] != i)
			continue;
		ret = pmudev_place_alone(set, free, trial->part_constraint, nr, trial->part_counter,
					 why);
		ret = part_result(trial, nr, ret, why);
	}
	return ret;
}

/* Place the set's events that are not enabled, and report where all of its events are. */
static int place_in_set(struct pmudev_set *set, struct trial *trial, s32 *counter,
			struct pmudev_refusal *why)
{
	u64 rest, slots = set->used & ~set->alloc->placed;
	unsigned int slot, i = 0;
	int ret;

	pmudev_for_each_slot(slot, rest, slots) {
		struct pmudev_event *event = pmudev_slot_event(set, slot);

		add_event(trial, pmudev_event_constraint(event), event->group, event->flags);
	}
	ret = try_all(set, trial, why);
	if (ret) {
		if (why->event >= 0)
			why->event = pmudev_nth_slot(slots, why->event);
		return ret;
	}
	/* Another call may have suspended the rotation, and not resumed it yet. */
	pmudev_rotation_resume(set);
	for (slot = 0; slot < set->nr_slots; slot++)
		counter[slot] = -1;
	pmudev_for_each_slot(slot, rest, set->used) {
		if (slots & BIT_ULL(slot))
			counter[slot] = trial->counter[i++];
		else if (set->mux & BIT_ULL(slot))
			counter[slot] = pmudev_rotation_counter(set, slot);
		else
			counter[slot] = set->alloc->place[slot];
	}
	return 0;
}

/**
 * struct placing - a call of pmudev_set_place()
 * @set: the set
 * @trial: memory for the dry run
 * @code: encodings of @attr
 * @attr: new events
 * @nr: number of new events; 0: place the set's events that are not enabled
 * @counter: out: the counters
 * @why: filled in on error
 * @ret: out: 0 or an error
 */
struct placing {
	struct pmudev_set *set;
	struct trial *trial;
	struct pmudev_code *code;
	const struct pmudev_event_attr *attr;
	unsigned int nr;
	s32 *counter;
	struct pmudev_refusal *why;
	int ret;
};

/* Place new events, as if they had been added. */
static int place_new(struct placing *p)
{
	unsigned int i;
	int ret;

	for (i = 0; i < p->nr; i++) {
		const struct pmudev_code *code = &p->code[i];
		struct pmudev_constraint constraint = { .allowed = code->allowed,
							.chained = code->chained };

		add_event(p->trial, constraint, p->attr[i].group, p->attr[i].flags);
	}
	ret = try_all(p->set, p->trial, p->why);
	for (i = 0; i < p->nr && !ret; i++)
		p->counter[i] = p->trial->counter[i];
	return ret;
}

/* Runs in a worker. */
static void place(void *arg)
{
	struct placing *p = arg;
	struct pmudev_pmu *pmu = p->set->pmu;

	cpus_read_lock();
	mutex_lock(&pmu->lock);
	if (p->nr)
		p->ret = place_new(p);
	else
		p->ret = place_in_set(p->set, p->trial, p->counter, p->why);
	if (!p->ret && !pmudev_reservation(pmu)->users)
		p->ret = pmudev_backend.held(&pmu->info, p->why);
	mutex_unlock(&pmu->lock);
	cpus_read_unlock();
}

static int encode(struct placing *p)
{
	p->code = kcalloc(p->nr, sizeof(*p->code), GFP_KERNEL);
	if (!p->code)
		return pmudev_refuse(p->why, -ENOMEM, PMUDEV_WHY_MEMORY, 0);
	return pmudev_check_events(p->set, p->attr, p->nr, p->code, p->why);
}

int pmudev_set_place(struct pmudev_set *set, const struct pmudev_event_attr *attr, unsigned int nr,
		     s32 *counter, unsigned int *nr_out, struct pmudev_refusal *why)
{
	struct placing placing = {
		.set = set,
		.attr = attr,
		.nr = nr,
		.counter = counter,
		.why = why,
	};

	lockdep_assert_held(&pmudev_open_set(set)->mutex);
	if (!set->ctx)
		return pmudev_refuse(why, -EINVAL, PMUDEV_WHY_UNBOUND, 0);
	if (pmudev_set_ended(set))
		return pmudev_refuse(why, -ESRCH, PMUDEV_WHY_ENDED, 0);
	placing.trial = kzalloc(sizeof(*placing.trial), GFP_KERNEL);
	if (!placing.trial)
		return pmudev_refuse(why, -ENOMEM, PMUDEV_WHY_MEMORY, 0);
	/* Check permissions here: a worker has other credentials. */
	if (nr)
		placing.ret = encode(&placing);
	if (!placing.ret)
		pmudev_by_worker(pmudev_urgent, place, &placing);
	/* Report this last: the other reasons are permanent, this one is not. */
	if (!placing.ret)
		placing.ret =
			pmudev_reserve_check(set->pmu, set->user, &pmudev_open_set(set)->hold, why);
	kfree(placing.code);
	kfree(placing.trial);
	pmudev_explain_holder(placing.ret, why);
	*nr_out = nr ? nr : set->nr_slots;
	return placing.ret;
}
