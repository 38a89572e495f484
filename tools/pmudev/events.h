/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Event lists as perf spells them, with the counter behind '@':
 *
 *	list     = item { "," item }
 *	item     = event | "{" event { "," event } "}" [ ":" modifiers ]
 *	event    = what [ "@" counter ] [ ":" modifiers ]
 *	what     = name [ "/" fields "/" ] | "r" hex | "cpu/" fields "/"
 *	fields   = key [ "=" value ] { "," key [ "=" value ] }
 *	counter  = number | "fixed" number | first "-" last
 *
 * Keys are event, umask, cmask, edge, inv (the CPU's own code, so for cpu/.../ only), threshold,
 * threshold_compare (ge, lt, eq, ne; ge if nothing is said), threshold_count and name. Modifiers
 * are any of u k h (count user mode, the kernel, the hypervisor; all without one) and G H (count
 * guests only, the host only); behind a slash the ':' may be left out.
 *
 * An event outside of braces is a group of its own.
 */
#ifndef EVENTS_H
#define EVENTS_H

#include <stdbool.h>
#include <stddef.h>

#include <linux/pmudev.h>

#define EVENT_NAME 128

struct event {
	char name[EVENT_NAME]; /* as it was written or named, a group's modifiers included */
	bool levels; /* u, k or h was said */
	__u32 arch; /* enum pmudev_arch that has codes like this one, 0: any */
};

/* @attrs is what the module takes; @events goes with it. */
struct event_list {
	unsigned int nr;
	unsigned int groups;
	struct event events[PMUDEV_MAX_EVENTS];
	struct pmudev_event_attr attrs[PMUDEV_MAX_EVENTS];
};

/* What is wrong with a list, and where. */
struct event_error {
	size_t position;
	char text[200];
};

bool parse_events(const char *text, struct event_list *list, struct event_error *error);

/* Restricts an event without u, k or h to user mode, and says so in its name. */
void event_user_only(struct event_list *list, unsigned int i);

/* perf's name of a generic event; NULL if there is no such event. */
const char *generic_name(unsigned int generic);

#endif /* EVENTS_H */
