// SPDX-License-Identifier: GPL-2.0
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../common/cmd.h"
#include "../common/defaults.h"
#include "../common/parts.h"
#include "../common/software_events.h"
#include "counting.h"

/* What is counted if nobody names events; the last ones are the first to be left out. */
static const enum pmudev_generic defaults[] = {
	PMUDEV_INSTRUCTIONS,
	PMUDEV_CYCLES,
	PMUDEV_BRANCH_MISSES,
	PMUDEV_CACHE_MISSES,
};

/* ------------------------------------------------------------------------ choosing -- */

static void note(struct counting *c, const char *name, const char *why)
{
	const size_t len = strlen(c->note);

	snprintf(c->note + len, sizeof(c->note) - len, "%s%s: %s", len ? "; " : "left out: ", name,
		 why);
}

static char *default_list(struct counting *c)
{
	char *text = NULL;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(defaults); i++) {
		const char *name = pmudev_generic_name(defaults[i]);

		if (default_all_have(known_pmus(), defaults[i]))
			text = join_events(text, name);
		else
			note(c, name, "this CPU does not implement the event");
	}
	/* The module says what is wrong with a CPU that has none. */
	return text ? text : join_events(text, pmudev_generic_name(PMUDEV_INSTRUCTIONS));
}

/* The kernel's own events are in no record. */
static bool can_count(const struct metrics *metrics)
{
	unsigned int n, i;

	for (n = 0; n < metrics->nr; n++) {
		const struct metric *metric = metrics->chosen[n];
		const struct metric_group *group = group_of(&metrics->groups, metric);

		for (i = 0; i < group->nr; i++) {
			const char *event = group->events[i].event;

			if (!(metric->formula.names >> i & 1) ||
			    !software_event_find(event, strcspn(event, ":")))
				continue;
			complain("metric %s: top does not count %s, which is the kernel's",
				 metric->name, event);
			return false;
		}
	}
	return true;
}

bool counting_choose(struct counting *c, const char *events, const char *metrics)
{
	char *text = NULL;
	unsigned int i;
	bool fine;

	memset(c, 0, sizeof(*c));
	if (metrics && (!metrics_choose(&c->metrics, metrics, known_pmus(), false, &text) ||
			!can_count(&c->metrics)))
		return false;
	c->by_default = !metrics && !events;
	if (events)
		text = join_events(text, events);
	if (c->by_default)
		text = default_list(c);
	fine = read_events(text, &c->list);
	free(text);
	/* One group: a row is one moment of all events. */
	for (i = 0; i < c->list.nr; i++)
		c->list.attrs[i].group = 0;
	c->list.groups = 1;
	return fine;
}

void counting_free(struct counting *c)
{
	metrics_free(&c->metrics);
}

/* ------------------------------------------------------------------------ counting -- */

int counting_start(struct counting *c, struct pmudev_set_array *array)
{
	struct pmudev_refusal why;
	bool cycles = false;
	int error;

	if (!parts_find(&array->sets[0], &c->list, c->pmus))
		return pmudev_why(&array->sets[0], NULL);
	do {
		error = pmudev_set_array_add_on(array, c->list.attrs, c->list.nr, c->pmus);
		pmudev_set_array_why(array, &why);
	} while (error && give_way(&c->list, &why, &c->user_only, &cycles));
	return error ? error : pmudev_set_array_enable(array, PMUDEV_ALL);
}

bool counting_give_up_event(struct counting *c, struct pmudev_set_array *array)
{
	struct pmudev_refusal why;

	pmudev_set_array_why(array, &why);
	if (!c->by_default || c->list.nr < 2 ||
	    (why.code != PMUDEV_WHY_NO_COUNTER && why.code != PMUDEV_WHY_HELD))
		return false;
	c->list.nr--;
	note(c, c->list.events[c->list.nr].name, pmudev_strreason(why.code));
	return true;
}

void counting_explain(const struct counting *c, struct pmudev_set_array *array, char *text,
		      size_t len)
{
	struct pmudev_refusal why = { .event = -1 };
	int error = pmudev_set_array_why(array, &why);
	char sentence[512];

	*text = '\0';
	if (array->cpu >= 0)
		snprintf(text, len, "CPU %d: ", array->cpu);
	if (why.event >= 0 && (unsigned int)why.event < c->list.nr)
		snprintf(text + strlen(text), len - strlen(text),
			 "%s: ", c->list.events[why.event].name);
	pmudev_explain_refusal(error, &why, sentence, sizeof(sentence));
	snprintf(text + strlen(text), len - strlen(text), "%s", sentence);
}

int counting_find(const struct counting *c, enum pmudev_generic event)
{
	unsigned int i;

	for (i = 0; i < c->list.nr; i++) {
		const struct pmudev_event_attr *attr = &c->list.attrs[i];

		if (attr->type == PMUDEV_TYPE_GENERIC && attr->config == event &&
		    attr->flags == c->list.attrs[0].flags && !attr->threshold)
			return i;
	}
	return -1;
}
