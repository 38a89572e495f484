// SPDX-License-Identifier: GPL-2.0
/*
 * pmudev monitor: shows what CPUs count, every few seconds, and whether two counters of the same
 * event agree.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <getopt.h>
#include <limits.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../common/cmd.h"
#include "../common/colour.h"
#include "../common/defaults.h"
#include "../common/parts.h"
#include "../common/target.h"
#include "../common/ticks.h"
#include "monitor.h"

static const char help[] =
	"usage: pmudev monitor [-C CPUS] [-i SECONDS] [-n INTERVALS] [-e LIST]\n"
	"                      [--plain | --json | --csv] [--color=WHEN]\n"
	"\n"
	"Counts everything that runs on one or several CPUs, and shows the counts every few seconds:\n"
	"on a terminal as a live table, otherwise line by line. By default it counts instructions\n"
	"and cycles twice each, on two counters at the same time. Both readings must agree except\n"
	"for the instructions that the kernel executes between reading them. Ctrl-C ends it and\n"
	"shows the sums.\n"
	"\n"
	"  -C CPUS       the CPUs, such as 0-3,5 (default: 3, or the last if there are fewer)\n"
	"  -a            all online CPUs\n"
	"  -i SECONDS    the interval, such as 5 or 0.2 (default: 5)\n"
	"  -n INTERVALS  end after this many intervals (default: never)\n"
	"  -e LIST       events, separated by commas; they are all on counters, or none is\n"
	"  --plain       lines on a terminal too\n"
	"  --json        one object per event, CPU and interval, one per line\n"
	"  --csv         one line per CPU and interval, after a header line\n" COLOUR_HELP "\n"
	"A line has the seconds since the start, the CPU if there are several, and one number per\n"
	"event. If an event is in the list again, its difference to the first reading follows. The\n"
	"last line has the sums. Text after a '#' is a remark. Counting a CPU needs CAP_PERFMON.\n"
	"\n" EVENTS_HELP "\n"
	"  pmudev monitor -a -i 1 -e instructions,cycles\n"
	"  pmudev monitor -C 0 -e instructions@2,instructions@3,branches\n"
	"\n"
	"The default list on Intel is (CPU event codes C0H and 3CH)\n"
	"  cpu/event=0xc0,umask=0,name=instructions/@2, the same @fixed0,\n"
	"  cpu/event=0x3c,umask=0,name=cycles/@3, the same @fixed1\n"
	"and on arm64\n"
	"  instructions@2,instructions@4,cycles@3,cycles@fixed0\n"
	"without the events that the CPU lacks.\n";

struct options {
	struct target target;
	uint64_t interval;  /* ns */
	uint64_t intervals; /* 0: no end */
	char *events;	    /* NULL: the CPU's default list */
	const struct view *view;
};

/* -c and --cpu are what -C was called first. */
static const struct option long_options[] = {
	{ "cpu", required_argument, NULL, 'C' },
	{ "all-cpus", no_argument, NULL, 'a' },
	{ "interval", required_argument, NULL, 'i' },
	{ "intervals", required_argument, NULL, 'n' },
	{ "lines", required_argument, NULL, 'n' },
	{ "event", required_argument, NULL, 'e' },
	{ "plain", no_argument, NULL, 'P' },
	{ "json", no_argument, NULL, 'j' },
	{ "csv", no_argument, NULL, 'v' },
	{ "color", optional_argument, NULL, 'k' },
	{ "help", no_argument, NULL, 'h' },
	{ NULL, 0, NULL, 0 },
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

static bool get_interval(const char *text, uint64_t *ns)
{
	char *end;
	double seconds = strtod(text, &end);

	if (end == text || *end || !(seconds >= 0.001 && seconds <= INT_MAX)) {
		complain("'%s' is not a number of seconds, 0.001 at least", text);
		return false;
	}
	*ns = seconds * NS_PER_SECOND + 0.5;
	return true;
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

/* CPU 3, or the last one. */
static bool default_cpu(struct options *options)
{
	static char cpu[16];
	long nr = sysconf(_SC_NPROCESSORS_ONLN);

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
		return get_interval(optarg, &options->interval);
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
	case 'v':
		options->view = &view_csv;
		return true;
	default:
		return colour_option(optarg);
	}
}

/* Return: -1 to go on, else the exit status. */
static int parse_options(int argc, char **argv, struct options *options)
{
	int c;

	opterr = 0;
	while ((c = getopt_long(argc, argv, ":C:c:ai:n:e:h", long_options, NULL)) != -1) {
		switch (c) {
		case 'h':
			fputs(help, stdout);
			return 0;
		case ':':
			complain("'%s' needs a value; `pmudev monitor --help` tells more",
				 argv[optind - 1]);
			return EXIT_USAGE;
		case '?':
			complain("unknown option '%s'; `pmudev monitor --help` lists them",
				 argv[optind - 1]);
			return EXIT_USAGE;
		default:
			if (!get_option(options, c))
				return EXIT_USAGE;
		}
	}
	if (options->target.kind == TARGET_NONE && !default_cpu(options))
		return EXIT_USAGE;
	if (!options->view)
		options->view = live_possible() ? &view_live : &view_lines;
	if (optind == argc)
		return -1;
	complain("monitor takes no '%s': it counts whatever runs on the CPU", argv[optind]);
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
		complain("other events and counters: `pmudev monitor -e LIST`, see its --help");
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
		options->events = default_double(&query);
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

int cmd_monitor(int argc, char **argv)
{
	static struct options options = { .interval = 5 * NS_PER_SECOND };
	struct pmudev_set_array array = { .nr = 0 };
	int status;

	status = parse_options(argc, argv, &options);
	if (status < 0) {
		status = monitor(&array, &options);
		pmudev_set_array_close(&array);
	}
	free(options.events);
	return status;
}
