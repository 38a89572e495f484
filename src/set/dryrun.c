// SPDX-License-Identifier: GPL-2.0
/* Dry runs: find the counters that ENABLE would allocate, without allocating them. */
#include <linux/cpu.h>
#include <linux/slab.h>

#include "../alloc/place.h"
#include "../alloc/rotation.h"
#include "../worker.h"
#include "set.h"

/* A dry run: events that are placed, and nothing of the allocation changes. */
struct dry_run {
	struct pmudev_set *set;
	struct pmudev_refusal *why;
	const struct pmudev_event_attr *attr; /* new events */
	struct pmudev_code *code;	      /* their encodings */
	unsigned int nr_new; /* how many; 0: place the set's events that are not enabled */
	s32 *counter;	     /* out: for the caller */
	int ret;	     /* out: 0 or an error */
	unsigned int nr;     /* events that are placed; the next arrays are by event */
	struct pmudev_constraint constraint[PMUDEV_MAX_EVENTS];
	u8 group[PMUDEV_MAX_EVENTS];
	bool mux[PMUDEV_MAX_EVENTS]; /* its group is multiplexed */
	u8 place[PMUDEV_MAX_EVENTS]; /* the result; of a chained event the even counter */
	u8 part[PMUDEV_MAX_EVENTS];  /* events that are placed together: indices into the above */
	struct pmudev_constraint part_constraint[PMUDEV_MAX_EVENTS];
	u8 part_place[PMUDEV_MAX_EVENTS];
};

static void add_event(struct dry_run *run, struct pmudev_constraint constraint, u32 group,
		      u32 flags)
{
	run->constraint[run->nr] = constraint;
	run->group[run->nr] = group;
	run->mux[run->nr++] = flags & PMUDEV_MULTIPLEX;
}

/* Take the non-multiplexed events as the part, or those of one multiplexed group. */
static unsigned int take_part(struct dry_run *run, bool mux, unsigned int group)
{
	unsigned int i, nr = 0;

	for (i = 0; i < run->nr; i++) {
		if (run->mux[i] != mux || (mux && run->group[i] != group))
			continue;
		run->part_constraint[nr] = run->constraint[i];
		run->part[nr++] = i;
	}
	return nr;
}

/* Copy the part's counters to the result, or translate its event in a refusal. */
static int part_result(struct dry_run *run, unsigned int nr, int ret)
{
	unsigned int i;

	if (ret && run->why->event >= 0)
		run->why->event = run->part[run->why->event];
	for (i = 0; i < nr && !ret; i++)
		run->place[run->part[i]] = run->part_place[i];
	return ret;
}

/*
 * Place the non-multiplexed events together, and then each multiplexed group on its own beside
 * them, as in a rotation slot that begins with this group.
 */
static int try_all(struct dry_run *run)
{
	unsigned int i, nr = take_part(run, false, 0);
	bool moves;
	int ret = 0;
	u64 free;

	if (nr)
		ret = pmudev_place(run->set, run->part_constraint, nr, run->part_place, &moves,
				   run->why);
	ret = part_result(run, nr, ret);
	/* As the enabling of multiplexed groups does it */
	if (nr < run->nr)
		pmudev_reclaim_dead(run->set->pmu);
	free = pmudev_mux_free(run->set);
	for (i = 0; i < nr && !ret; i++)
		free &= ~pmudev_place_counters(run->part_place[i], run->part_constraint[i].chained);
	for (i = 0; i < run->nr && !ret; i++) {
		if (!run->mux[i])
			continue;
		nr = take_part(run, true, run->group[i]);
		if (run->part[0] != i)
			continue;
		ret = pmudev_place_alone(run->set, free, run->part_constraint, nr, run->part_place,
					 run->why);
		ret = part_result(run, nr, ret);
	}
	return ret;
}

/* Place the set's events that are not enabled, and report where all of its events are. */
static int place_in_set(struct dry_run *run)
{
	struct pmudev_set *set = run->set;
	u64 rest, slots = set->used & ~set->alloc->placed;
	unsigned int slot, i = 0;
	int ret;

	pmudev_for_each_slot(slot, rest, slots) {
		struct pmudev_event *event = pmudev_slot_event(set, slot);

		add_event(run, pmudev_event_constraint(event), event->group, event->flags);
	}
	ret = try_all(run);
	if (ret) {
		if (run->why->event >= 0)
			run->why->event = pmudev_nth_slot(slots, run->why->event);
		return ret;
	}
	/* Another call may have suspended the rotation, and not resumed it yet. */
	pmudev_rotation_resume(set);
	for (slot = 0; slot < set->nr_slots; slot++)
		run->counter[slot] = -1;
	pmudev_for_each_slot(slot, rest, set->used) {
		if (slots & BIT_ULL(slot))
			run->counter[slot] = run->place[i++];
		else if (set->mux & BIT_ULL(slot))
			run->counter[slot] = pmudev_rotation_counter(set, slot);
		else
			run->counter[slot] = set->alloc->place[slot];
	}
	return 0;
}

/* Place new events, as if they had been added. */
static int place_new(struct dry_run *run)
{
	unsigned int i;
	int ret;

	for (i = 0; i < run->nr_new; i++) {
		struct pmudev_constraint constraint = { .allowed = run->code[i].allowed,
							.chained = run->code[i].chained };

		add_event(run, constraint, run->attr[i].group, run->attr[i].flags);
	}
	ret = try_all(run);
	for (i = 0; i < run->nr_new && !ret; i++)
		run->counter[i] = run->place[i];
	return ret;
}

/* The slots of what is placed; new events would have some that are in no mask yet. */
static u64 slots_of(const struct dry_run *run)
{
	return run->nr_new ? ~run->set->used : run->set->used;
}

static int check_perf_readers(struct dry_run *run)
{
	return pmudev_check_perf_readers(run->set, slots_of(run), run->why);
}

/* Runs in a worker. */
static void place(void *arg)
{
	struct dry_run *run = arg;
	struct pmudev_pmu *pmu = run->set->pmu;

	run->ret = check_perf_readers(run);
	if (run->ret)
		return;
	cpus_read_lock();
	mutex_lock(&pmu->lock);
	run->ret = pmudev_check_enable(run->set, slots_of(run), run->why);
	if (!run->ret) {
		pmudev_alloc_look_at_perf(pmu, pmudev_open_set(run->set)->hold.pinned);
		run->ret = run->nr_new ? place_new(run) : place_in_set(run);
	}
	if (!run->ret && pmudev_backend.held && !pmudev_reservation(pmu)->users)
		run->ret = pmudev_backend.held(&pmu->info, run->why);
	mutex_unlock(&pmu->lock);
	cpus_read_unlock();
}

static int encode(struct dry_run *run)
{
	run->code = kcalloc(run->nr_new, sizeof(*run->code), GFP_KERNEL);
	if (!run->code)
		return pmudev_refuse(run->why, -ENOMEM, PMUDEV_WHY_MEMORY, 0);
	return pmudev_check_events(run->set, run->attr, run->nr_new, run->code, run->why);
}

int pmudev_set_place(struct pmudev_set *set, const struct pmudev_event_attr *attr, unsigned int nr,
		     s32 *counter, unsigned int *nr_out, struct pmudev_refusal *why)
{
	struct dry_run *run;
	int ret = 0;

	lockdep_assert_held(&pmudev_open_set(set)->mutex);
	if (!set->ctx)
		return pmudev_refuse(why, -EINVAL, PMUDEV_WHY_UNBOUND, 0);
	if (pmudev_set_ended(set))
		return pmudev_refuse(why, -ESRCH, PMUDEV_WHY_ENDED, 0);
	run = kzalloc(sizeof(*run), GFP_KERNEL);
	if (!run)
		return pmudev_refuse(why, -ENOMEM, PMUDEV_WHY_MEMORY, 0);
	run->set = set;
	run->why = why;
	run->attr = attr;
	run->nr_new = nr;
	run->counter = counter;
	/* Check permissions here: a worker has other credentials. */
	if (nr)
		ret = encode(run);
	if (!ret)
		ret = check_perf_readers(run);
	if (!ret) {
		pmudev_hold_look(set->pmu, &pmudev_open_set(set)->hold);
		pmudev_by_worker(pmudev_urgent, place, run);
		ret = run->ret;
	}
	kfree(run->code);
	kfree(run);
	pmudev_explain_holder(ret, why);
	*nr_out = nr ? nr : set->nr_slots;
	return ret;
}
