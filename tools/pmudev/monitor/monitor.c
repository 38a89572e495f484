// SPDX-License-Identifier: GPL-2.0
/*
 * pmudev monitor: shows what CPUs count, every second. pmudev verify-counters: the same of events
 * that are counted twice, to see whether two counters agree.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../common/cmd.h"
#include "../common/defaults.h"
#include "../common/number.h"
#include "../common/options.h"
#include "../common/parts.h"
#include "../common/target.h"
#include "../common/ticks.h"
#include "monitor.h"

struct options {
	struct target target;
	uint64_t interval;  /* ns */
	uint64_t intervals; /* 0: no end */
	char *events;	    /* NULL: the CPU's default list */
	const struct view *view;
	bool verify; /* it is verify-counters */
};

/* As it was called. */
static const char *command(const struct options *options)
{
	return options->verify ? "verify-counters" : "monitor";
}

/* -c and --cpu are what -C was called first. */
static const struct option long_options[] = {
	{ "cpu", required_argument, NULL, 'C' },
	{ "all-cpus", no_argument, NULL, 'a' },
	{ "interval", required_argument, NULL, 'i' },
	{ "intervals", required_argument, NULL, 'n' },
	{ "lines", required_argument, NULL, 'n' },
	{ "event", required_argument, NULL, 'e' },
	{ "plain", no_argument, NULL, 'P' },
	LONG_JSON,
	{ "csv", no_argument, NULL, 'v' },
	LONG_COLOUR,
	LONG_HELP,
	{},
};

/* ----------------------------------------------------------------------- options -- */

static bool get_intervals(const char *text, uint64_t *number)
{
	char *end;

	errno = 0;
	*number = strtoull(text, &end, 10);
	if (!errno && end != text && !*end && *text != '-' && *number && *number <= INT_MAX)
		return true;
	complain("'%s' is not a number of intervals", text);
	return false;
}

/* The last one given counts. */
static bool get_cpus(struct options *options, const char *text)
{
	memset(&options->target, 0, sizeof(options->target));
	return target_parse(&options->target, 'C', text);
}

static bool all_cpus(struct options *options)
{
	memset(&options->target, 0, sizeof(options->target));
	return target_all(&options->target);
}

/* All of them; to verify counters CPU 3, or the last one. */
static bool default_cpus(struct options *options)
{
	static char cpu[16];
	long nr = sysconf(_SC_NPROCESSORS_ONLN);

	if (!options->verify)
		return all_cpus(options);
	snprintf(cpu, sizeof(cpu), "%ld", nr > 3 || nr < 1 ? 3 : nr - 1);
	return get_cpus(options, cpu);
}

static bool get_option(struct options *options, int c)
{
	switch (c) {
	case 'C':
	case 'c':
		return get_cpus(options, optarg);
	case 'a':
		return all_cpus(options);
	case 'i':
		return parse_seconds(optarg, &options->interval);
	case 'n':
		return get_intervals(optarg, &options->intervals);
	case 'e':
		options->events = join_events(options->events, optarg);
		return true;
	case 'P':
		options->view = &view_lines;
		return true;
	case 'j':
		options->view = &view_json;
		return true;
	default:
		options->view = &view_csv;
		return true;
	}
}

/* Return: -1 to go on, else the exit status. */
static int parse_options(int argc, char **argv, struct options *options)
{
	const struct usage usage = { command(options), options->verify ? verify_help : monitor_help,
				     ":C:c:ai:n:e:jh", long_options, NULL };
	int c, status;

	while ((c = next_option(&usage, argc, argv, &status)))
		if (!get_option(options, c))
			return EXIT_USAGE;
	if (status >= 0)
		return status;
	if (options->target.kind == TARGET_NONE && !default_cpus(options))
		return EXIT_USAGE;
	if (!options->view)
		options->view = live_possible() ? &view_live : &view_lines;
	if (optind == argc)
		return -1;
	complain("%s takes no '%s': it counts whatever runs on the CPUs", command(options),
		 argv[optind]);
	return EXIT_USAGE;
}

/* ----------------------------------------------------------------------- the set -- */

/* Ignores braces: one line is one moment of all events, and all of them count or none. */
static void one_group(struct event_list *list)
{
	unsigned int i;

	for (i = 0; i < list->nr; i++)
		list->attrs[i].group = 0;
	list->groups = 1;
}

static void complain_choice(struct pmudev_set_array *array, const struct event_list *list,
			    bool by_default)
{
	struct pmudev_refusal why = { .event = -1 };

	complain_array(array, list);
	pmudev_set_array_why(array, &why);
	if (by_default && why.event >= 0)
		complain("-e LIST has other events and counters, see --help");
}

/* Are all events for all of the CPUs? Reports the error and returns false if not. */
static bool check_pmus(struct pmudev_set_array *array, const struct event_list *list)
{
	uint32_t pmus[PMUDEV_MAX_EVENTS];
	struct pmudev_query query;
	unsigned int i, e;
	char names[128];

	if (!parts_find(&array->sets[0], list, pmus)) {
		complain_refusal(&array->sets[0], "monitor");
		return false;
	}
	for (i = 0; i < array->nr; i++) {
		if (!parts_query(array, i, &query)) {
			complain_refusal(&array->sets[i], "monitor");
			return false;
		}
		for (e = 0; e < list->nr; e++) {
			if (pmus[e] >> query.pmu & 1)
				continue;
			complain("%s: CPU %d is none of %s", list->events[e].name, array->cpus[i],
				 parts_names(list, e, names, sizeof(names)));
			return false;
		}
	}
	return true;
}

/* Return: 0, or the exit status after something went wrong, which was reported on stderr. */
static int set_up(struct pmudev_set_array *array, struct options *options, struct event_list *list)
{
	struct pmudev_query query;
	bool by_default = false;

	list->nr = 0;
	if (target_open(&options->target, array, 0)) {
		complain_array(array, list);
		return 1;
	}
	if (!options->events) {
		by_default = true;
		if (!parts_query(array, 0, &query)) {
			complain_refusal(&array->sets[0], "monitor");
			return 1;
		}
		options->events =
			options->verify ? default_double(&query) : default_events(known_pmus());
	}
	if (!read_events(options->events, list))
		return EXIT_USAGE;
	one_group(list);
	if (!check_pmus(array, list))
		return EXIT_USAGE;
	if (pmudev_set_array_add(array, list->attrs, list->nr) ||
	    pmudev_set_array_enable(array, PMUDEV_ALL)) {
		complain_choice(array, list, by_default);
		return 1;
	}
	return 0;
}

/* ---------------------------------------------------------------------- the loop -- */

static bool read_all(struct pmudev_set_array *array, struct monitor *m)
{
	unsigned int i;

	for (i = 0; i < m->nr; i++) {
		struct watched *w = &m->cpus[i];

		if (!pmudev_read(&array->sets[i], &w->now.record, sizeof(w->now)))
			continue;
		live_leave();
		complain_refusal(&array->sets[i], "monitor");
		return false;
	}
	return true;
}

/* The next interval starts here. @start: the sums too */
static void begin_interval(struct monitor *m, bool start)
{
	struct watched *w;

	for (w = m->cpus; w < m->cpus + m->nr; w++) {
		w->before = w->now;
		if (start)
			w->start = w->now;
	}
}

/* A signal came. False if it is one that ends it. */
static bool go_on(int signal, const struct monitor *m, const struct view *view)
{
	if (signal == SIGTSTP) {
		live_leave();
		raise(SIGSTOP);
	}
	if (signal != SIGTSTP && signal != SIGWINCH)
		return false;
	view->resized(m);
	return true;
}

static bool watch(struct pmudev_set_array *array, const struct options *options, struct monitor *m,
		  struct ticks *timer)
{
	const struct view *view = options->view;
	uint64_t shown = 0, ended;

	if (!read_all(array, m))
		return false;
	begin_interval(m, true);
	/* Enabling may have taken long. */
	if (!ticks_begin(timer))
		return false;
	view->begin(m);
	while (!options->intervals || shown < options->intervals) {
		ended = ticks_wait(timer);
		if (!ended && go_on(timer->signal, m, view))
			continue;
		if (!ended)
			break;
		begin_interval(m, false);
		if (!read_all(array, m))
			return false;
		m->missed = ended - 1;
		view->show(m);
		if (!stdout_arrived())
			return false;
		shown++;
	}
	if (!read_all(array, m))
		return false;
	view->end(m);
	return true;
}

static int monitor(struct pmudev_set_array *array, struct options *options)
{
	struct event_list list;
	struct monitor m = {
		.command = command(options),
		.list = &list,
		.cpus_text = options->target.text,
		.interval = options->interval,
	};
	struct ticks timer;
	int status;

	status = set_up(array, options, &list);
	if (status)
		return status;
	m.nr = array->nr;
	m.cpus = calloc(m.nr, sizeof(*m.cpus));
	if (!m.cpus) {
		complain("no memory left");
		return 1;
	}
	for (unsigned int i = 0; i < m.nr; i++)
		m.cpus[i].cpu = array->cpus[i];
	status = 1;
	if (ticks_open(&timer, options->interval)) {
		if (!options->view->resized ||
		    (ticks_also(&timer, SIGWINCH) && ticks_also(&timer, SIGTSTP)))
			status = watch(array, options, &m, &timer) ? 0 : 1;
		ticks_close(&timer);
	}
	free(m.cpus);
	return status;
}

static int run(int argc, char **argv, struct options *options)
{
	struct pmudev_set_array array = { .nr = 0 };
	int status = parse_options(argc, argv, options);

	if (status < 0) {
		status = monitor(&array, options);
		pmudev_set_array_close(&array);
	}
	free(options->events);
	return status;
}

int cmd_monitor(int argc, char **argv)
{
	static struct options options = { .interval = NS_PER_SECOND };

	return run(argc, argv, &options);
}

int cmd_verify_counters(int argc, char **argv)
{
	static struct options options = { .interval = 5 * NS_PER_SECOND, .verify = true };

	return run(argc, argv, &options);
}
