// SPDX-License-Identifier: GPL-2.0
#include <stdio.h>
#include <string.h>

#include "events.h"

bool parse_events(const char *text, const struct pmudev_pmus *pmus, struct event_list *list,
		  struct pmudev_events_error *error)
{
	struct pmudev_events *events;
	unsigned int i;

	memset(list, 0, sizeof(*list));
	list->pmus = pmus;
	if (pmudev_events_parse(text, pmus, &events, error))
		return false;
	list->nr = pmudev_events_nr(events);
	list->groups = pmudev_events_groups(events);
	for (i = 0; i < list->nr; i++) {
		struct event *event = &list->events[i];

		snprintf(event->name, sizeof(event->name), "%s", pmudev_events_name(events, i));
		event->levels = pmudev_events_levels(events, i);
		event->pmus = pmudev_events_pmus(events, i);
		list->attrs[i] = pmudev_events_attrs(events)[i];
	}
	pmudev_events_free(events);
	return true;
}

static void restrict_to(struct event_list *list, unsigned int i, __u64 flags, const char *level)
{
	struct event *event = &list->events[i];
	const char *colon = strrchr(event->name, ':');
	size_t used = strlen(event->name);

	list->attrs[i].flags |= flags;
	event->levels = true;
	/* "cycles:G" becomes "cycles:Gu"; other suffixes are unit masks. */
	snprintf(event->name + used, sizeof(event->name) - used, "%s%s",
		 colon && !colon[1 + strspn(colon + 1, "uGH")] ? "" : ":", level);
}

void event_user_only(struct event_list *list, unsigned int i)
{
	restrict_to(list, i, PMUDEV_EXCLUDE_KERNEL | PMUDEV_EXCLUDE_HV, "u");
}

void event_kernel_only(struct event_list *list, unsigned int i)
{
	restrict_to(list, i, PMUDEV_EXCLUDE_USER | PMUDEV_EXCLUDE_HV, "k");
}

bool event_count_cycles(struct event_list *list, unsigned int i)
{
	static const char term[] = ",threshold_count";
	char *name = list->events[i].name, *slash = strrchr(name, '/');
	size_t len = strlen(term);

	if (!list->attrs[i].threshold || list->attrs[i].flags & PMUDEV_THRESHOLD_COUNT)
		return false;
	list->attrs[i].flags |= PMUDEV_THRESHOLD_COUNT;
	/* A named event has no slash. */
	if (slash && strlen(name) + len < EVENT_NAME) {
		memmove(slash + len, slash, strlen(slash) + 1);
		memcpy(slash, term, len);
	}
	return true;
}
