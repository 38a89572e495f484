/* SPDX-License-Identifier: GPL-2.0 */
/* Deadlines as calls: checked, allocated, and polled. context/deadline.h has what they do. */
#ifndef _PMUDEV_SET_DEADLINE_H
#define _PMUDEV_SET_DEADLINE_H

#include <linux/poll.h>

#include "set.h"

struct eventfd_ctx;

/* Set, change and remove deadlines of @nr events, all or none. The set's mutex held. */
int pmudev_set_deadlines(struct pmudev_set *set, const struct pmudev_deadline *entry,
			 unsigned int nr, struct pmudev_refusal *why);

/*
 * Take up to @room reports. The mutex need not be held. May sleep. Return: how many, or an error.
 */
int pmudev_set_reports(struct pmudev_set *set, struct pmudev_report *report, unsigned int room,
		       struct pmudev_refusal *why);

/*
 * Continue the threads that deadlines stopped. The mutex need not be held. May sleep. Return: false
 * if some stay stopped, for the ring is full.
 */
bool pmudev_set_continue(struct pmudev_set *set);

/* poll(2), without the mutex: the state of the set now. */
__poll_t pmudev_set_poll(struct pmudev_set *set);

/* Events were removed: let go of what their deadlines refer to. The mutex held. */
void pmudev_set_deadlines_drop(struct pmudev_set *set);

/* Counts were reset, or deadlines changed: compare totals again. The mutex held. May sleep. */
void pmudev_set_totals_release(struct pmudev_set *set, u64 slots);

/*
 * The set has left its context, which it still refers to, and no call is left. First nothing looks
 * at its children any more; when they are gone, too, its deadlines are destroyed. May sleep.
 */
void pmudev_set_deadlines_close(struct pmudev_set *set);
void pmudev_set_deadlines_destroy(struct pmudev_set *set);

/* deadline_check.c: checks, with the mutex held. */

/* Can the set have deadlines? */
int pmudev_check_deadline_set(struct pmudev_set *set, struct pmudev_refusal *why);

/*
 * All checks of deadlines that do not depend on the moment. @eventfd: out, also on error:
 * references, of each deadline, or NULL
 */
int pmudev_check_deadline_list(struct pmudev_set *set, const struct pmudev_deadline *entry,
			       unsigned int nr, struct eventfd_ctx **eventfd,
			       struct pmudev_refusal *why);

/* deadline_room.c */

struct pmudev_deadline_common;

/*
 * Memory for deadlines of a set and its children. The mutex held. May sleep. Return: 0 or -ENOMEM;
 * a child that could not be reached has none.
 */
int pmudev_deadlines_make_room(struct pmudev_set *set, const struct pmudev_deadline *entry,
			       unsigned int nr);

/* No set, child or notifier uses it. */
void pmudev_deadlines_free(struct pmudev_deadline_common *common);

#endif /* _PMUDEV_SET_DEADLINE_H */
