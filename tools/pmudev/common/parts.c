// SPDX-License-Identifier: GPL-2.0
#include <stdio.h>
#include <string.h>

#include "cmd.h"
#include "parts.h"

bool parts_find(struct pmudev *set, const struct event_list *list, uint32_t *pmus)
{
	struct pmudev_query query = { .nr_pmus = 1 };
	unsigned int n, i;
	int place;

	for (i = 0; i < list->nr; i++)
		pmus[i] = list->events[i].pmus ? 0 : ~0U;
	for (n = 0; n < query.nr_pmus && n < PMUDEV_MAX_PMUS; n++) {
		if (pmudev_query(set, n, &query))
			return false;
		place = pmudev_pmus_find(list->pmus, query.name);
		for (i = 0; place >= 0 && i < list->nr; i++)
			if (list->events[i].pmus >> place & 1)
				pmus[i] |= 1U << n;
	}
	return true;
}

void parts_list(const struct event_list *list, const uint32_t *pmus, unsigned int pmu,
		struct event_list *part, unsigned int *index)
{
	unsigned int i;

	part->pmus = list->pmus;
	part->groups = list->groups;
	part->nr = 0;
	for (i = 0; i < list->nr; i++) {
		if (!(pmus[i] >> pmu & 1))
			continue;
		part->events[part->nr] = list->events[i];
		part->attrs[part->nr] = list->attrs[i];
		index[part->nr++] = i;
	}
}

/* The first event that is for some parts only, or -1. */
static int partial(const struct pmudev_set_array *array, const struct event_list *list)
{
	unsigned int i;

	for (i = 0; array->parts && i < list->nr; i++)
		if (list->events[i].pmus)
			return i;
	return -1;
}

bool parts_can_rotate(const struct pmudev_set_array *array, const struct event_list *list)
{
	return partial(array, list) < 0;
}

bool parts_check_rotate(const struct pmudev_set_array *array, const struct event_list *list)
{
	int i = partial(array, list);

	if (i < 0)
		return true;
	complain("%s: events of some CPUs cannot be multiplexed: leave out --multiplex, or use -C",
		 list->events[i].name);
	return false;
}

bool parts_query(struct pmudev_set_array *array, unsigned int i, struct pmudev_query *query)
{
	struct pmudev *set = &array->sets[i];

	if (array->cpus[i] >= 0)
		return !pmudev_query_cpu(set, array->cpus[i], query);
	return !pmudev_query(set, array->parts ? i : 0, query);
}

const char *parts_names(const struct event_list *list, unsigned int i, char *buf, size_t len)
{
	size_t used = 0;
	unsigned int n;

	buf[0] = '\0';
	for (n = 0; n < pmudev_pmus_nr(list->pmus) && used < len; n++)
		if (!list->events[i].pmus || list->events[i].pmus >> n & 1)
			used += snprintf(buf + used, len - used, "%s%s", used ? ", " : "",
					 pmudev_pmus_info(list->pmus, n)->name);
	return buf;
}
