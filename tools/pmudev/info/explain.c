// SPDX-License-Identifier: GPL-2.0
/*
 * pmudev explain: the dry run. Shows which counter each event would get; or which events do not
 * fit, and who holds the counters that they may be on.
 */
#include <stdlib.h>
#include <string.h>

#include "../common/cmd.h"
#include "../common/detailed.h"
#include "../common/parts.h"
#include "explain.h"

/* The answer is unknown. */
#define EXIT_UNKNOWN EXIT_USAGE

/* ------------------------------------------------------------------------ counters -- */

/* Do the events share a counter over time? */
static bool rotate_together(const struct event_list *list, unsigned int i, unsigned int j)
{
	return list->attrs[i].flags & PMUDEV_MULTIPLEX &&
	       list->attrs[i].group != list->attrs[j].group;
}

/* The event of the list that occupies the counter; -1 if none does. */
static int rival(const struct event_list *list, const struct fit *result, unsigned int counter)
{
	unsigned int i, j;

	for (i = 0; i < list->nr; i++) {
		if (result->counter[i] != (int)counter)
			continue;
		for (j = 0; j < list->nr; j++)
			if (result->counter[j] < 0 && result->may[j] & bit(counter) &&
			    !rotate_together(list, i, j))
				return i;
	}
	return -1;
}

/* An event that a struct taken with this counter is about; part.nr if there is none. */
static unsigned int find_event(const struct progress *p, unsigned int counter, bool misfits)
{
	const uint64_t available = p->query.available;
	unsigned int i;

	for (i = 0; i < p->part.nr; i++) {
		const uint64_t may = p->result.may[i];

		if (misfits ? !(p->result.fits & bit(i)) && may & bit(counter) :
			      may & available && may & ~available & bit(counter))
			break;
	}
	return i;
}

bool next_taken(const struct progress *p, unsigned int counter, struct taken *taken)
{
	const bool misfits = fit_misfits(&p->part, &p->result);
	unsigned int i = p->part.nr;

	for (; counter < 64; counter++) {
		i = find_event(p, counter, misfits);
		if (i < p->part.nr)
			break;
	}
	if (counter == 64)
		return false;
	taken->counter = counter;
	taken->rival = misfits ? rival(&p->part, &p->result, counter) : -1;
	taken->held = false;
	if (taken->rival < 0)
		taken->held = counter_state(p->set, &p->part.attrs[i], counter, &taken->holder) ==
				      COUNTER_HELD ||
			      !misfits;
	return true;
}

/* ------------------------------------------------------------------------ together -- */

/* Shows what was found on the CPUs up to now, which all have the same answer. */
static void show(struct progress *p)
{
	if (!p->same)
		return;
	if (fit_misfits(&p->part, &p->result)) {
		p->refused = true;
		if (!parts_can_rotate(p->array, p->list) || !fit_multiplexed(p->set, &p->part))
			p->hopeless = true;
	}
	(p->json ? explain_json : explain_text)(p);
}

/* What set @i can get. False if unknown. */
static bool proceed(struct progress *p, unsigned int i)
{
	struct pmudev *set = &p->array->sets[i];
	unsigned int index[PMUDEV_MAX_EVENTS], e;
	struct event_list part;
	struct pmudev_query query;
	struct fit result = { .fits = 0 };

	if (!parts_query(p->array, i, &query)) {
		complain_refusal(set, "explain");
		return false;
	}
	parts_list(p->list, p->pmus, query.pmu, &part, index);
	if (part.nr && !fit_find(set, &part, query.counters, &result)) {
		complain_events(set, &part);
		return false;
	}
	for (e = 0; e < part.nr; e++)
		p->seen |= bit(index[e]);
	if (!p->same || query.pmu != p->query.pmu || !fit_same(&part, &p->result, &result)) {
		show(p);
		p->set = set;
		p->cpu = p->array->cpus[i];
		p->same = 0;
		p->query = query;
		p->part = part;
		p->result = result;
	}
	p->same++;
	return true;
}

static int unknown(bool json)
{
	if (json)
		explain_json_unknown();
	return EXIT_UNKNOWN;
}

/* Return: the exit status */
static int show_verdict(const struct progress *p)
{
	char names[128];
	unsigned int i;

	for (i = 0; i < p->list->nr; i++) {
		if (p->seen & bit(i))
			continue;
		complain("%s: none of these CPUs belongs to %s", p->list->events[i].name,
			 parts_names(p->list, i, names, sizeof(names)));
		return unknown(p->json);
	}
	(p->json ? explain_json_verdict : explain_text_verdict)(p);
	return p->refused ? 1 : 0;
}

/* Changes the events as `pmudev stat` does before it adds them. */
static bool give_way_all(struct progress *p, struct event_list *list)
{
	struct pmudev_set_array *array = p->array;
	unsigned int index[PMUDEV_MAX_EVENTS], i;
	int32_t counter[PMUDEV_MAX_EVENTS];
	struct pmudev_refusal why;
	struct pmudev_query query;
	struct event_list part;

	for (i = 0; i < array->nr; i++) {
		do {
			if (!parts_query(array, i, &query)) {
				complain_refusal(&array->sets[i], "explain");
				return false;
			}
			parts_list(list, p->pmus, query.pmu, &part, index);
			if (!part.nr ||
			    !pmudev_place(&array->sets[i], part.attrs, part.nr, counter))
				break;
			pmudev_why(&array->sets[i], &why);
			if (why.event >= 0 && (unsigned int)why.event < part.nr)
				why.event = index[why.event];
		} while (give_way(list, &why, &p->user_only, &p->cycles));
	}
	return true;
}

/* Would `pmudev stat` find too few counters now? */
static bool lacks_counters(struct progress *p, const struct event_list *list)
{
	struct pmudev_refusal why = { .code = PMUDEV_OK };
	unsigned int index[PMUDEV_MAX_EVENTS], i;
	int32_t counter[PMUDEV_MAX_EVENTS];
	struct pmudev_query query;
	struct event_list part;

	for (i = 0; i < p->array->nr; i++) {
		if (!parts_query(p->array, i, &query))
			continue;
		parts_list(list, p->pmus, query.pmu, &part, index);
		if (!part.nr || !pmudev_place(&p->array->sets[i], part.attrs, part.nr, counter))
			continue;
		pmudev_why(&p->array->sets[i], &why);
		return why.code == PMUDEV_WHY_NO_COUNTER || why.code == PMUDEV_WHY_HELD;
	}
	return false;
}

static void multiplex(struct progress *p, struct event_list *list)
{
	unsigned int i;

	p->multiplex = true;
	for (i = 0; i < list->nr; i++)
		list->attrs[i].flags |= PMUDEV_MULTIPLEX;
}

/* What `pmudev stat` does about events that nobody named one by one. */
static void count_less(struct progress *p, struct event_list *list, const struct choice *choice)
{
	const unsigned int optional = *p->left_out ? 0 : choice->optional;
	unsigned int i;

	if (p->multiplex || !(optional || choice->detailed) || !lacks_counters(p, list))
		return;
	for (i = list->nr - optional; i < list->nr; i++)
		detailed_miss(p->left_out, sizeof(p->left_out), list->events[i].name);
	list->nr -= optional;
	if (choice->detailed && parts_can_rotate(p->array, list))
		multiplex(p, list);
}

/* One of the targets. Return: as show_verdict(), or -1 to go on */
static int explain(struct progress *p, const struct explain_options *options)
{
	struct pmudev_set_array *array = p->array;
	struct event_list *list = options->choice.list;
	unsigned int i;

	if (!parts_find(&array->sets[0], list, p->pmus)) {
		complain_refusal(&array->sets[0], "explain");
		return unknown(options->json);
	}
	if (options->multiplex)
		multiplex(p, list);
	if (options->multiplex && !parts_check_rotate(array, list))
		return EXIT_USAGE;
	if (!give_way_all(p, list))
		return unknown(options->json);
	count_less(p, list, &options->choice);
	if (!p->json)
		explain_text_changes(p);
	p->same = 0;
	for (i = 0; i < array->nr; i++)
		if (!proceed(p, i))
			return unknown(options->json);
	show(p);
	return -1;
}

static int open_target(const struct target *target, unsigned int n, struct pmudev_set_array *array)
{
	if (target->kind == TARGET_NONE)
		return pmudev_set_array_task(array, PMUDEV_TARGET_TASK, 0, 0);
	return target_open_nth(target, n, array, 0);
}

/* "" if it is the only one. */
static void name_target(const struct target *target, unsigned int n, char *name, size_t size)
{
	if (target_arrays(target) == 1)
		*name = '\0';
	else if (target->nr_cgroups)
		snprintf(name, size, "%s", target->cgroups[n]);
	else
		snprintf(name, size, "%d", target->ids[n]);
}

/* Return: the exit status */
static int explain_all(const struct explain_options *options)
{
	const struct choice *choice = &options->choice;
	const unsigned int nr = target_arrays(&options->target);
	static uint32_t pmus[PMUDEV_MAX_EVENTS];
	static struct progress progress;
	struct progress *p = &progress;
	struct pmudev_set_array array;
	int status = -1;
	unsigned int n;

	p->array = &array;
	p->list = choice->list;
	p->software = choice->software;
	p->pmus = pmus;
	p->json = options->json;
	for (n = 0; n < nr && status < 0; n++) {
		name_target(&options->target, n, p->name, sizeof(p->name));
		if (open_target(&options->target, n, &array)) {
			complain_array(&array, choice->list);
			return unknown(options->json);
		}
		status = explain(p, options);
		if (status < 0 && n + 1 == nr)
			status = show_verdict(p);
		pmudev_set_array_close(&array);
	}
	return status;
}

/* The kernel's alone. */
static void show_software(const struct explain_options *options)
{
	const struct software *software = options->choice.software;
	struct progress progress = { .list = options->choice.list, .software = software };

	if (options->json)
		explain_json_verdict(&progress);
	else
		explain_text_software(software);
}

int cmd_explain(int argc, char **argv)
{
	static struct software software;
	static struct event_list list;
	static struct metrics metrics;
	static struct explain_options options;
	char missing[512] = "";
	int status;

	options.choice = (struct choice){
		.events = &options.events,
		.list = &list,
		.software = &software,
		.metrics = &metrics,
		.missing = missing,
		.missing_size = sizeof(missing),
	};
	status = explain_parse_options(argc, argv, &options);
	if (status >= 0)
		goto out;
	status = EXIT_USAGE;
	options.choice.names = options.metrics;
	options.choice.multiplex = options.multiplex;
	if (!choose_events(&options.choice))
		goto out;
	status = 0;
	if (list.nr)
		status = explain_all(&options);
	else
		show_software(&options);
out:
	metrics_free(&metrics);
	free(options.target.ids);
	free(options.events);
	free(options.metrics);
	return status;
}
