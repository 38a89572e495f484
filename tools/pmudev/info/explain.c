// SPDX-License-Identifier: GPL-2.0
/*
 * pmudev explain: the dry run. Shows which counter each event would get; or which events do not
 * fit, and who holds the counters that they may be on.
 */
#include <stdlib.h>
#include <string.h>

#include "../common/cmd.h"
#include "../common/defaults.h"
#include "../common/errata.h"
#include "../common/events.h"
#include "../common/fit.h"
#include "../common/holders.h"
#include "../common/options.h"
#include "../common/parts.h"
#include "../common/target.h"
#include "identity.h"

/* The answer is unknown. */
#define EXIT_UNKNOWN EXIT_USAGE

static const char help[] =
	"usage: pmudev explain [-e LIST] [-C CPUS | -t TID | -p PID] [--multiplex]\n"
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
	LONG_HELP,
	{},
};
static const struct usage usage = { "explain", help, ":e:C:t:p:h", long_options };

struct options {
	struct target target;
	char *events;
	bool multiplex;
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
		else if (!target_parse(&options->target, c, optarg))
			return EXIT_USAGE;
	}
	if (status >= 0 || optind == argc)
		return status;
	complain("explain takes no '%s': events are given with -e", argv[optind]);
	return EXIT_USAGE;
}

/* ------------------------------------------------------------------------ showing -- */

static const char *counter_name(int counter, char buf[20])
{
	return counter < 0 ? "none" : counter_text(counter, buf, 20);
}

/* The counters that the event may be on, and the one that it gets. */
static void show_mask(uint64_t may, uint64_t available)
{
	char text[256];

	printf("%s\n", counters_text(may & available ? may & available : may, text, sizeof(text)));
}

/* Counters that events could be on, but that never become free. */
static void show_kept(struct pmudev *set, const struct event_list *list, const struct fit *result,
		      uint64_t available)
{
	struct pmudev_holder holder;
	char text[64], name[20];
	unsigned int i, c;

	for (c = 0; c < 64; c++) {
		for (i = 0; i < list->nr; i++)
			if (result->may[i] & available && result->may[i] & ~available & bit(c))
				break;
		if (i == list->nr)
			continue;
		counter_state(set, &list->attrs[i], c, &holder);
		holder_text(&holder, text, sizeof(text));
		printf("Not available: %s, held by %s.\n", counter_name(c, name), text);
	}
}

static void show_table(const struct event_list *list, const struct fit *result, uint64_t available)
{
	int width = strlen("event");
	unsigned int i;
	char name[20];

	for (i = 0; i < list->nr; i++)
		if ((int)strlen(list->events[i].name) > width)
			width = strlen(list->events[i].name);
	printf("%-*s  %-10s  may be on\n", width, "event", "would get");
	for (i = 0; i < list->nr; i++) {
		printf("%-*s  %-10s  ", width, list->events[i].name,
		       counter_name(result->counter[i], name));
		show_mask(result->may[i], available);
	}
}

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

/* The holder of a counter that event @i may be on. */
static void show_taker(struct pmudev *set, const struct event_list *list, const struct fit *result,
		       unsigned int i, unsigned int counter)
{
	int other = rival(list, result, counter);
	struct pmudev_holder holder;
	char text[64], name[20];

	if (other >= 0)
		snprintf(text, sizeof(text), "%.40s, in this list", list->events[other].name);
	else if (counter_state(set, &list->attrs[i], counter, &holder) == COUNTER_HELD)
		holder_text(&holder, text, sizeof(text));
	else
		snprintf(text, sizeof(text), "nobody now");
	printf("  %-10s  %s\n", counter_name(counter, name), text);
}

/* Each counter that the unplaced events may be on. */
static void show_takers(struct pmudev *set, const struct event_list *list, const struct fit *result)
{
	unsigned int i, c, nr = fit_misfits(list, result);

	printf("\n%u of %u %s not fit. The counters %s may be on have:\n", nr, list->nr,
	       nr == 1 ? "does" : "do", nr == 1 ? "it" : "they");
	for (c = 0; c < 64; c++) {
		for (i = 0; i < list->nr; i++) {
			if (result->fits & bit(i) || !(result->may[i] & bit(c)))
				continue;
			show_taker(set, list, result, i, c);
			break;
		}
	}
}

/* ------------------------------------------------------------------------ together -- */

/*
 * State of the explanation from CPU to CPU. @part: the events of the PMU; @set: on the first of
 * several CPUs with the same result, of which @same have been seen
 */
struct progress {
	struct pmudev_set_array *array;
	const struct event_list *list;
	const uint32_t *pmus;
	struct pmudev *set;
	int cpu;
	struct pmudev_query query;
	unsigned int same;
	struct event_list part;
	struct fit result;
	uint64_t seen; /* events that some part has */
	unsigned int refused;
	bool multiplex_helps;
};

/* The result for CPUs with the same answer, or for a thread or process. */
static void show(struct progress *p)
{
	if (!p->same)
		return;
	if (p->array->parts)
		printf("On the CPUs of %.*s:\n", (int)sizeof(p->query.name), p->query.name);
	else if (p->same > 1)
		printf("CPU %d and %u more:\n", p->cpu, p->same - 1);
	else if (p->array->nr > 1)
		printf("CPU %d:\n", p->cpu);
	if (p->part.nr)
		show_table(&p->part, &p->result, p->query.available);
	else
		printf("none of these events is counted there\n");
	if (fit_misfits(&p->part, &p->result)) {
		show_takers(p->set, &p->part, &p->result);
		p->multiplex_helps =
			parts_can_rotate(p->array, p->list) && fit_multiplexed(p->set, &p->part);
		p->refused++;
	} else {
		show_kept(p->set, &p->part, &p->result, p->query.available);
	}
	printf("\n");
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

/* What the manual of the last CPU looked at says of the events. */
static void show_errata(const struct progress *p)
{
	const struct erratum *e = NULL;
	unsigned int i;

	while ((e = errata_next(p->query.arch, p->query.cpu_id, e)))
		for (i = 0; i < p->list->nr; i++)
			if (erratum_is_of(e, &p->list->attrs[i]))
				printf("%s: %s [%s].\n", p->list->events[i].name, e->text,
				       e->source);
}

/* Return: the exit status */
static int show_verdict(const struct progress *p, bool multiplex)
{
	char names[128];
	unsigned int i;

	for (i = 0; i < p->list->nr; i++) {
		if (p->seen & bit(i))
			continue;
		complain("%s: none of these CPUs belongs to %s", p->list->events[i].name,
			 parts_names(p->list, i, names, sizeof(names)));
		return 1;
	}
	if (p->refused && multiplex)
		printf("Some group does not fit even alone: this list is refused.\n");
	else if (p->refused)
		printf("Events are counted all or none: this list is refused.\n");
	else if (p->list->nr == 1)
		printf("It fits.\n");
	else
		printf("All %u fit%s.\n", p->list->nr, multiplex ? ", multiplexed" : "");
	if (p->multiplex_helps && !multiplex)
		printf("With `pmudev stat --multiplex` they would share the counters over time.\n");
	return p->refused ? 1 : 0;
}

/* Changes the events as `pmudev stat` does before it adds them. */
static bool give_way_all(struct pmudev_set_array *array, struct event_list *list,
			 const uint32_t *pmus)
{
	unsigned int index[PMUDEV_MAX_EVENTS], i;
	bool user_only = false, cycles = false;
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
			parts_list(list, pmus, query.pmu, &part, index);
			if (!part.nr ||
			    !pmudev_place(&array->sets[i], part.attrs, part.nr, counter))
				break;
			pmudev_why(&array->sets[i], &why);
			if (why.event >= 0 && (unsigned int)why.event < part.nr)
				why.event = index[why.event];
		} while (give_way(list, &why, &user_only, &cycles));
	}
	if (user_only)
		printf("Only user mode (:u): counting the kernel needs CAP_PERFMON.\n\n");
	if (cycles)
		printf("Cycles that pass the threshold (threshold_count): this CPU cannot count\n"
		       "the events in them.\n\n");
	return true;
}

static int explain(struct pmudev_set_array *array, const struct options *options,
		   struct event_list *list)
{
	struct progress progress = { .array = array, .list = list };
	uint32_t pmus[PMUDEV_MAX_EVENTS];
	unsigned int i;

	if (!parts_find(&array->sets[0], list, pmus)) {
		complain_refusal(&array->sets[0], "explain");
		return EXIT_UNKNOWN;
	}
	for (i = 0; i < list->nr && options->multiplex; i++)
		list->attrs[i].flags |= PMUDEV_MULTIPLEX;
	if (options->multiplex && !parts_check_rotate(array, list))
		return EXIT_USAGE;
	if (!give_way_all(array, list, pmus))
		return EXIT_UNKNOWN;
	progress.pmus = pmus;
	for (i = 0; i < array->nr; i++)
		if (!proceed(&progress, i))
			return 1;
	show(&progress);
	show_errata(&progress);
	return show_verdict(&progress, options->multiplex);
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
	status = EXIT_UNKNOWN;
	if (options.target.kind == TARGET_NONE)
		error = pmudev_set_array_task(&array, PMUDEV_TARGET_TASK, 0, 0);
	else
		error = target_open(&options.target, &array, 0);
	if (error) {
		complain_array(&array, &list);
	} else {
		status = explain(&array, &options, &list);
		pmudev_set_array_close(&array);
	}
out:
	free(options.events);
	return status;
}
