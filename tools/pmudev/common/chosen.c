// SPDX-License-Identifier: GPL-2.0
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <pmudev_events.h>

#include "chosen.h"
#include "cmd.h"

/**
 * struct choosing - a list of names that is read
 * @metrics: what was chosen
 * @pmus: of this machine
 * @nr: how many events there are
 * @events: each of them, as -e takes it
 * @first: each metric's first event, if they are apart
 */
struct choosing {
	struct metrics *metrics;
	const struct pmudev_pmus *pmus;
	unsigned int nr;
	const char *events[PMUDEV_MAX_EVENTS];
	unsigned int first[MAX_METRICS + 1];
	bool apart;
};

/* The row of an event; a new one, if there is none from @from on. False: too many. */
static bool add_event(struct choosing *c, const char *event, unsigned int from, unsigned char *row)
{
	unsigned int i;

	for (i = from; i < c->nr; i++)
		if (!strcmp(c->events[i], event))
			break;
	if (i == PMUDEV_MAX_EVENTS) {
		complain("the metrics have more than %d events: name fewer", PMUDEV_MAX_EVENTS);
		return false;
	}
	if (i == c->nr)
		c->events[c->nr++] = event;
	*row = i;
	return true;
}

static bool add_metric(struct choosing *c, const struct metric *metric)
{
	struct metrics *metrics = c->metrics;
	const struct metric_group *group = group_of(&metrics->groups, metric);
	const unsigned int from = c->apart ? c->nr : 0;
	unsigned int i;

	for (i = 0; i < metrics->nr; i++)
		if (metrics->chosen[i] == metric)
			return true;
	if (metrics->nr == MAX_METRICS) {
		complain("at most %d metrics can be shown at once", MAX_METRICS);
		return false;
	}
	c->first[metrics->nr] = from;
	for (i = 0; i < group->nr; i++)
		if (metric->formula.names >> i & 1 &&
		    !add_event(c, group->events[i].event, from, &metrics->rows[metrics->nr][i]))
			return false;
	metrics->chosen[metrics->nr++] = metric;
	return true;
}

/* Of several with that name the first whose events this machine has. */
static bool add_by_name(struct choosing *c, const char *name, bool *known)
{
	const struct groups *groups = &c->metrics->groups;
	const char *why, *lacks = NULL;
	unsigned int i;

	*known = false;
	for (i = 0; i < groups->nr; i++) {
		const struct metric *metric = &groups->metrics[i];

		if (!groups_same_name(metric->name, name))
			continue;
		*known = true;
		if (metric_is_here(groups, metric, c->pmus, &why))
			return add_metric(c, metric);
		if (!lacks)
			lacks = why;
	}
	if (*known)
		complain("metric %s: this machine does not have its event %s", name, lacks);
	return !*known;
}

/* All metrics of a group that this machine has. */
static bool add_by_group(struct choosing *c, const char *name, bool *known)
{
	const struct groups *groups = &c->metrics->groups;
	const unsigned int before = c->metrics->nr;
	const char *why = NULL;
	unsigned int i;

	*known = false;
	for (i = 0; i < groups->nr; i++) {
		const struct metric *metric = &groups->metrics[i];

		if (!groups_same_name(group_of(groups, metric)->name, name))
			continue;
		*known = true;
		if (metric_is_here(groups, metric, c->pmus, &why) && !add_metric(c, metric))
			return false;
	}
	if (!*known || c->metrics->nr > before || !why)
		return true;
	complain("group %s: this machine does not have the events of its metrics, such as %s", name,
		 why);
	return false;
}

static bool add_name(struct choosing *c, const char *name)
{
	bool known;

	if (!add_by_name(c, name, &known))
		return false;
	if (known)
		return true;
	if (!add_by_group(c, name, &known))
		return false;
	if (!known)
		complain("there is no metric '%s'; `pmudev list metrics` shows all", name);
	return known;
}

static bool add_names(struct choosing *c, const char *names)
{
	char *list = strdup(names), *rest = list, *name;
	bool fine = list;

	while (fine && (name = strsep(&rest, ",")))
		fine = !*name || add_name(c, name);
	free(list);
	return fine;
}

/* Events in braces; of the metrics one after the other, or of all. */
static char *events_text(const struct choosing *c)
{
	unsigned int metric = 0, i;
	char *text = NULL, *more;
	bool begins = true, ends;

	for (i = 0; i < c->nr; i++) {
		metric += begins;
		ends = i + 1 == c->nr;
		if (c->apart && metric < c->metrics->nr)
			ends |= c->first[metric] == i + 1;
		if (asprintf(&more, "%s%s%s", begins ? "{" : "", c->events[i], ends ? "}" : "") < 0)
			more = NULL;
		text = join_events(text, more ? more : "");
		free(more);
		begins = ends;
	}
	return text;
}

bool metrics_choose(struct metrics *metrics, const char *names, const struct pmudev_pmus *pmus,
		    bool apart, char **events)
{
	struct choosing c = { .metrics = metrics, .pmus = pmus, .apart = apart };

	if (!pmudev_pmus_nr(pmus)) {
		complain("there is no " PMUDEV_SYSFS ": load the module, `modprobe pmudev`");
		return false;
	}
	if (!groups_load(&metrics->groups, pmus))
		complain("there are no files of metrics; they belong into share/pmudev/groups "
			 "beside the command, or ~/.config/pmudev/groups");
	if (!add_names(&c, names))
		return false;
	if (!metrics->nr) {
		complain("-M names no metric; `pmudev list metrics` shows those that there are");
		return false;
	}
	*events = events_text(&c);
	return true;
}

void metrics_free(struct metrics *metrics)
{
	groups_free(&metrics->groups);
	metrics->nr = 0;
}
