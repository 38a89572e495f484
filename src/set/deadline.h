/* SPDX-License-Identifier: GPL-2.0 */
/* Deadlines as calls: checked, allocated, and polled. context/deadline.h has what they do. */
#ifndef _PMUDEV_SET_DEADLINE_H
#define _PMUDEV_SET_DEADLINE_H

#include <linux/poll.h>

#include "set.h"

/* Set, change and remove deadlines of @nr events, all or none. The set's mutex held. */
int pmudev_set_deadlines(struct pmudev_set *set, const struct pmudev_deadline *entry,
			 unsigned int nr, struct pmudev_refusal *why);

/* Take up to @room reports. The mutex need not be held. Return: how many, or an error. */
int pmudev_set_reports(struct pmudev_set *set, struct pmudev_report *report, unsigned int room,
		       struct pmudev_refusal *why);

/* Continue the thread that a deadline stopped. The mutex need not be held. */
void pmudev_set_continue(struct pmudev_set *set);

/* poll(2), without the mutex: the state of the set now. */
__poll_t pmudev_set_poll(struct pmudev_set *set);

/* Events were removed: let go of what their deadlines refer to. The mutex held. */
void pmudev_set_deadlines_drop(struct pmudev_set *set);

/* The set has left its context, which it still refers to, and no call is left. May sleep. */
void pmudev_set_deadlines_destroy(struct pmudev_set *set);

#endif /* _PMUDEV_SET_DEADLINE_H */
