// SPDX-License-Identifier: GPL-2.0
/*
 * pmudev explain: the dry run. Shows which counter each event would get; or which events do not
 * fit, and who holds the counters that they may be on.
 */
#include <stdlib.h>
#include <string.h>

#include "../common/cmd.h"
#include "../common/defaults.h"
#include "../common/options.h"
#include "../common/parts.h"
#include "../common/target.h"
#include "explain.h"

/* The answer is unknown. */
#define EXIT_UNKNOWN EXIT_USAGE

static const char help[] =
	"usage: pmudev explain [-e LIST] [-C CPUS | -t TID | -p PID] [--multiplex] [-j]\n"
	"\n"
	"A dry run: shows which counter each event would get now. If they do not all fit, it shows\n"
	"which do not, and who holds the counters that these could use. Nothing is counted, and no\n"
	"other set is disturbed. The exit status is 0 if all fit, 1 if not, 2 if it is unknown.\n"
	"\n"
	"  -e LIST      events, separated by commas (default: instructions,cycles)\n"
	"  -C CPUS      on these CPUs, such as 0-3,5\n"
	"  -t TID       on this thread, together with the sets that count it already\n"
	"  -p PID       on all threads of this process\n"
	"  --multiplex  as if all events or groups were multiplexed\n"
	"  -j, --json   one object for CPUs with the same answer, and one for the whole\n"
	"\n"
	"Without -C, -t or -p: on a program that starts now.\n"
	"\n" EVENTS_HELP "\n"
	"  pmudev explain -e instructions,cycles,branches\n"
	"  pmudev explain -C 0 -e '{cycles@fixed0,r8},r11'\n";

static const struct option long_options[] = {
	{ "event", required_argument, NULL, 'e' },
	{ "cpu", required_argument, NULL, 'C' },
	{ "tid", required_argument, NULL, 't' },
	{ "pid", required_argument, NULL, 'p' },
	{ "multiplex", no_argument, NULL, 'm' },
	LONG_JSON,
	LONG_HELP,
	{},
};

static const struct usage usage = { "explain", help, ":e:C:t:p:jh", long_options };

struct options {
	struct target target;
	char *events;
	bool multiplex;
	bool json;
};

/* Return: -1 to go on, else the exit status. */
static int parse_options(int argc, char **argv, struct options *options)
{
	int c, status;

	while ((c = next_option(&usage, argc, argv, &status))) {
		if (c == 'e')
			options->events = join_events(options->events, optarg);
		else if (c == 'm')
			options->multiplex = true;
		else if (c == 'j')
			options->json = true;
		else if (!target_parse(&options->target, c, optarg))
			return EXIT_USAGE;
	}
	if (status >= 0 || optind == argc)
		return status;
	complain("explain takes no '%s': events are given with -e", argv[optind]);
	return EXIT_USAGE;
}

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
	if (!p->json)
		explain_text_changes(p);
	return true;
}

static int explain(struct pmudev_set_array *array, const struct options *options,
		   struct event_list *list)
{
	uint32_t pmus[PMUDEV_MAX_EVENTS];
	struct progress progress = {
		.array = array,
		.list = list,
		.pmus = pmus,
		.multiplex = options->multiplex,
		.json = options->json,
	};
	unsigned int i;

	if (!parts_find(&array->sets[0], list, pmus)) {
		complain_refusal(&array->sets[0], "explain");
		return unknown(options->json);
	}
	for (i = 0; i < list->nr && options->multiplex; i++)
		list->attrs[i].flags |= PMUDEV_MULTIPLEX;
	if (options->multiplex && !parts_check_rotate(array, list))
		return EXIT_USAGE;
	if (!give_way_all(&progress, list))
		return unknown(options->json);
	for (i = 0; i < array->nr; i++)
		if (!proceed(&progress, i))
			return unknown(options->json);
	show(&progress);
	return show_verdict(&progress);
}

int cmd_explain(int argc, char **argv)
{
	struct options options = { .events = NULL };
	struct pmudev_set_array array;
	struct event_list list;
	int status, error;

	status = parse_options(argc, argv, &options);
	if (status >= 0)
		goto out;
	status = EXIT_USAGE;
	if (!options.events)
		options.events = default_events(known_pmus());
	if (!read_events(options.events, &list))
		goto out;
	if (options.target.kind == TARGET_NONE)
		error = pmudev_set_array_task(&array, PMUDEV_TARGET_TASK, 0, 0);
	else
		error = target_open(&options.target, &array, 0);
	if (error) {
		complain_array(&array, &list);
		status = unknown(options.json);
	} else {
		status = explain(&array, &options, &list);
		pmudev_set_array_close(&array);
	}
out:
	free(options.events);
	return status;
}
