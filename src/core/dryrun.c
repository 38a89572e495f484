// SPDX-License-Identifier: GPL-2.0
/* Dry runs: what ENABLE would do, without doing it. */
#include <linux/cpu.h>
#include <linux/slab.h>

#include "ledger.h"

/**
 * struct trial - events that are tried
 * @nr: how many
 * @want: what each wants
 * @group: the number of its group
 * @mux: the group is multiplexed
 * @counter: the result
 * @part: the events that are tried together
 * @part_want: likewise
 * @part_counter: likewise
 */
struct trial {
	unsigned int nr;
	struct pmudev_want want[PMUDEV_MAX_EVENTS];
	u8 group[PMUDEV_MAX_EVENTS];
	bool mux[PMUDEV_MAX_EVENTS];
	u8 counter[PMUDEV_MAX_EVENTS];
	u8 part[PMUDEV_MAX_EVENTS];
	struct pmudev_want part_want[PMUDEV_MAX_EVENTS];
	u8 part_counter[PMUDEV_MAX_EVENTS];
};

static void add_event(struct trial *trial, struct pmudev_want want, u32 group, u32 flags)
{
	trial->want[trial->nr] = want;
	trial->group[trial->nr] = group;
	trial->mux[trial->nr++] = flags & PMUDEV_MULTIPLEX;
}

/* The strict events, or those of one multiplexed group. */
static unsigned int take_part(struct trial *trial, bool mux, unsigned int group)
{
	unsigned int i, nr = 0;

	for (i = 0; i < trial->nr; i++) {
		if (trial->mux[i] != mux || (mux && trial->group[i] != group))
			continue;
		trial->part_want[nr] = trial->want[i];
		trial->part[nr++] = i;
	}
	return nr;
}

static int part_result(struct trial *trial, unsigned int nr, int ret, struct pmudev_refusal *why)
{
	unsigned int i;

	if (ret && why->event >= 0)
		why->event = trial->part[why->event];
	for (i = 0; i < nr && !ret; i++)
		trial->counter[trial->part[i]] = trial->part_counter[i];
	return ret;
}

/* Strict events together, each multiplexed group beside them, as if it were its turn first. */
static int try_all(struct pmudev_set *set, struct trial *trial, struct pmudev_refusal *why)
{
	unsigned int i, nr = take_part(trial, false, 0);
	bool moves;
	int ret = 0;
	u64 free;

	if (nr)
		ret = pmudev_place(set, pmudev_place_free(set), trial->part_want, nr,
				   trial->part_counter, &moves, why);
	ret = part_result(trial, nr, ret, why);
	if (ret)
		return ret;
	free = pmudev_mux_free(set);
	for (i = 0; i < nr; i++)
		free &= ~pmudev_place_counters(trial->part_counter[i], trial->part_want[i].pair);
	for (i = 0; i < trial->nr && !ret; i++) {
		if (!trial->mux[i])
			continue;
		nr = take_part(trial, true, trial->group[i]);
		if (trial->part[0] != i)
			continue;
		ret = pmudev_place_alone(set, free, trial->part_want, nr, trial->part_counter, why);
		ret = part_result(trial, nr, ret, why);
	}
	return ret;
}

static int place_in_set(struct pmudev_set *set, struct trial *trial, s32 *counter,
			struct pmudev_refusal *why)
{
	u64 rest, want = set->used & ~set->placed;
	unsigned int slot, i = 0;
	int ret;

	pmudev_for_each_slot(slot, rest, want) {
		struct pmudev_event *event = pmudev_slot_event(set, slot);

		add_event(trial, pmudev_event_want(event), event->group, event->flags);
	}
	ret = try_all(set, trial, why);
	if (ret) {
		if (why->event >= 0)
			why->event = pmudev_nth_slot(want, why->event);
		return ret;
	}
	/* Somebody else's call may have paused it, and not come back to it yet. */
	pmudev_turns_go_on(set);
	for (slot = 0; slot < set->nr_slots; slot++)
		counter[slot] = -1;
	pmudev_for_each_slot(slot, rest, set->used) {
		if (want & BIT_ULL(slot))
			counter[slot] = trial->counter[i++];
		else if (set->mux & BIT_ULL(slot))
			counter[slot] = pmudev_turns_counter(set, slot);
		else
			counter[slot] = set->place[slot];
	}
	return 0;
}

static int place_new(struct pmudev_set *set, struct trial *trial,
		     const struct pmudev_event_attr *attr, unsigned int nr, s32 *counter,
		     struct pmudev_refusal *why)
{
	struct pmudev_code *code;
	unsigned int i;
	int ret;

	code = kcalloc(nr, sizeof(*code), GFP_NOWAIT | __GFP_NOWARN);
	if (!code)
		return pmudev_refuse(why, -ENOMEM, PMUDEV_WHY_MEMORY, 0);
	ret = pmudev_check_events(set, attr, nr, code, why);
	if (ret)
		pmudev_refusal_complete(set, why);
	for (i = 0; i < nr && !ret; i++) {
		struct pmudev_want want = { .allowed = code[i].allowed, .pair = code[i].pair };

		add_event(trial, want, attr[i].group, attr[i].flags);
	}
	kfree(code);
	if (!ret)
		ret = try_all(set, trial, why);
	for (i = 0; i < nr && !ret; i++)
		counter[i] = trial->counter[i];
	return ret;
}

int pmudev_set_place(struct pmudev_set *set, const struct pmudev_event_attr *attr, unsigned int nr,
		     s32 *counter, unsigned int *nr_out, struct pmudev_refusal *why)
{
	struct trial *trial;
	int ret;

	lockdep_assert_held(&set->mutex);
	if (!set->ctx)
		return pmudev_refuse(why, -EINVAL, PMUDEV_WHY_UNBOUND, 0);
	if (pmudev_set_ended(set))
		return pmudev_refuse(why, -ESRCH, PMUDEV_WHY_ENDED, 0);
	trial = kzalloc(sizeof(*trial), GFP_KERNEL);
	if (!trial)
		return pmudev_refuse(why, -ENOMEM, PMUDEV_WHY_MEMORY, 0);
	cpus_read_lock();
	pmudev_lock_ledger(set->pmu);
	if (nr)
		ret = place_new(set, trial, attr, nr, counter, why);
	else
		ret = place_in_set(set, trial, counter, why);
	if (!ret && !set->pmu->claim)
		ret = pmudev_backend.held(&set->pmu->info, why);
	mutex_unlock(&set->pmu->lock);
	cpus_read_unlock();
	kfree(trial);
	pmudev_explain_held(ret, why);
	*nr_out = nr ? nr : set->nr_slots;
	return ret;
}
