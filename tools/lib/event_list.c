// SPDX-License-Identifier: MIT
/* A list of events that events.c has parsed: what is in it, and freeing it. */
#include <stdlib.h>

#include "parser.h"

void pmudev_events_free(struct pmudev_events *events)
{
	if (!events)
		return;
	pmudev_pmus_free(events->own);
	free(events);
}

unsigned int pmudev_events_nr(const struct pmudev_events *events)
{
	return events->nr;
}

unsigned int pmudev_events_groups(const struct pmudev_events *events)
{
	return events->groups;
}

struct pmudev_event_attr *pmudev_events_attrs(struct pmudev_events *events)
{
	return events->attrs;
}

const char *pmudev_events_name(const struct pmudev_events *events, unsigned int event)
{
	return event < events->nr ? events->events[event].name : NULL;
}

uint32_t pmudev_events_pmus(const struct pmudev_events *events, unsigned int event)
{
	return event < events->nr ? events->events[event].pmus : 0;
}

bool pmudev_events_levels(const struct pmudev_events *events, unsigned int event)
{
	return event < events->nr && events->events[event].levels;
}
