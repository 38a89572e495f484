// SPDX-License-Identifier: GPL-2.0
/* Memory for deadlines. */
#include <linux/pid_namespace.h>
#include <linux/slab.h>

#include "../context/context.h"
#include "../context/stop.h"
#include "../context/totals.h"
#include "../memory.h"
#include "deadline.h"
#include "inherit.h"

/* By a worker, when it is possible that a total was reached unseen. */
static void look(struct work_struct *work)
{
	struct pmudev_deadline_common *common =
		container_of(work, struct pmudev_deadline_common, look);

	pmudev_set_look(&container_of(common->wait, struct pmudev_open_set, wait)->set,
			pmudev_totals_look, NULL);
}

static struct pmudev_deadline_common *alloc_common(struct pmudev_set *set)
{
	struct pmudev_deadline_common *common = kzalloc(sizeof(*common), PMUDEV_GFP);

	if (!common)
		return NULL;
	raw_spin_lock_init(&common->lock);
	common->wait = &pmudev_open_set(set)->wait;
	common->ns = get_pid_ns(task_active_pid_ns(current));
	INIT_WORK(&common->look, look);
	return common;
}

void pmudev_deadlines_free(struct pmudev_deadline_common *common)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(common->slot); i++)
		kfree(common->slot[i]);
	put_pid_ns(common->ns);
	/* The last run of a notifier may just leave its lock. */
	kfree_rcu(common, rcu);
}

/* Deadlines that a set or child needs memory for */
struct room {
	const struct pmudev_deadline *entry;
	unsigned int nr;
	struct pmudev_deadline_common *common;
};

/* Make a set or child have deadlines. */
static int make_deadlines(struct pmudev_set *set, struct pmudev_deadline_common *common)
{
	struct pmudev_set_deadlines *deadlines = pmudev_set_deadlines_alloc(0, false, PMUDEV_GFP);

	if (!deadlines)
		return -ENOMEM;
	deadlines->common = common;
	pmudev_set_call_alone(set, pmudev_take_deadlines, &deadlines);
	/* A child that has ended took none. */
	if (deadlines)
		pmudev_set_deadlines_put(deadlines);
	return 0;
}

static int make_room(struct pmudev_set *set, void *arg)
{
	const struct room *room = arg;
	struct pmudev_set_deadlines *deadlines;
	struct pmudev_slot_deadline **slot;
	unsigned int i;

	if (!set->deadlines && make_deadlines(set, room->common))
		return -ENOMEM;
	deadlines = set->deadlines;
	for (i = 0; deadlines && i < room->nr; i++) {
		if (room->entry[i].flags & PMUDEV_DEADLINE_STOP && !deadlines->stop)
			/* CONTINUE looks without the mutex. */
			smp_store_release(&deadlines->stop, pmudev_stop_alloc(PMUDEV_GFP));
		if (room->entry[i].flags & PMUDEV_DEADLINE_STOP && !deadlines->stop)
			return -ENOMEM;
		slot = &deadlines->slot[room->entry[i].slot];
		/* Looked at for slots with a deadline only, so it may come early. */
		if (!*slot)
			*slot = kzalloc(sizeof(**slot), PMUDEV_GFP);
		if (!*slot)
			return -ENOMEM;
	}
	return 0;
}

static int make_common_room(struct pmudev_deadline_common *common, const struct room *room)
{
	struct pmudev_slot_report **slot;
	u64 slots = common->room;
	unsigned int i;

	for (i = 0; i < room->nr; i++) {
		slot = &common->slot[room->entry[i].slot];
		if (!*slot)
			*slot = kzalloc(sizeof(**slot), PMUDEV_GFP);
		if (!*slot)
			return -ENOMEM;
		slots |= BIT_ULL(room->entry[i].slot);
		/* It is never unset: @look may still be queued when the last total has gone. */
		if (room->entry[i].flags & PMUDEV_DEADLINE_TOTAL)
			WRITE_ONCE(common->totals, true);
	}
	/* New children have memory from now on; others get it. */
	WRITE_ONCE(common->room, slots);
	return 0;
}

int pmudev_deadlines_make_room(struct pmudev_set *set, const struct pmudev_deadline *entry,
			       unsigned int nr)
{
	struct room room = { .entry = entry, .nr = nr };
	int ret;

	room.common = set->deadlines ? set->deadlines->common : alloc_common(set);
	if (!room.common)
		return -ENOMEM;
	ret = make_room(set, &room);
	if (!set->deadlines) {
		pmudev_deadlines_free(room.common);
		return -ENOMEM;
	}
	if (!ret)
		ret = make_common_room(room.common, &room);
	if (ret)
		return ret;
	/* Children also learn of events that they do not know yet. */
	pmudev_children_make_room(set);
	return pmudev_children_each(set, make_room, &room);
}
