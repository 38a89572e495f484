/* SPDX-License-Identifier: GPL-2.0 */
/* The list of events that -e gave, as the library parsed it; here it may be changed. */
#ifndef EVENTS_H
#define EVENTS_H

#include <stdbool.h>
#include <stddef.h>

#include <pmudev_events.h>

#define EVENT_NAME 128

struct event {
	char name[EVENT_NAME]; /* as it was written or named, a group's modifiers included */
	bool levels;	       /* u, k or h was said */
	__u32 pmus;	       /* mask of the PMUs that it is for, 0: all */
};

/*
 * @attrs is what the module takes; @events goes with it. @pmus: of which the masks are. Behind the
 * @nr events stand @software others that the kernel counts and not a PMU; only `pmudev stat` has
 * such.
 */
struct event_list {
	const struct pmudev_pmus *pmus;
	unsigned int nr;
	unsigned int software;
	unsigned int groups;
	struct event events[PMUDEV_MAX_EVENTS];
	struct pmudev_event_attr attrs[PMUDEV_MAX_EVENTS];
};

/* @pmus: as loaded, to stay as long as the list is used */
bool parse_events(const char *text, const struct pmudev_pmus *pmus, struct event_list *list,
		  struct pmudev_events_error *error);

/* Restricts an event without u, k or h to user mode, and says so in its name. */
void event_user_only(struct event_list *list, unsigned int i);

/* The same to the kernel. */
void event_kernel_only(struct event_list *list, unsigned int i);

/*
 * Counts the cycles that pass the threshold instead of the events in them, and says so in its name.
 * False if it has no threshold, or does so already.
 */
bool event_count_cycles(struct event_list *list, unsigned int i);

#endif /* EVENTS_H */
