// SPDX-License-Identifier: GPL-2.0
/*
 * pmudev monitor: what a CPU counts, every few seconds, and whether two counters that count the
 * same event agree.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <getopt.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "cmd.h"
#include "columns.h"
#include "ticks.h"

static const char help[] =
	"usage: pmudev monitor [-c CPU] [-i SECONDS] [-n LINES] [-e LIST]\n"
	"\n"
	"Counts everything that runs on one CPU and prints, every few seconds, how much that was\n"
	"since the line before. By default instructions and cycles are counted twice each, by two\n"
	"counters at the same time: both readings must agree but for the instructions that the\n"
	"kernel executes between reading the one and the other. Ctrl-C ends it with the sums.\n"
	"\n"
	"  -c CPU      the CPU (default: 3)\n"
	"  -i SECONDS  the interval, such as 5 or 0.2 (default: 5)\n"
	"  -n LINES    end after so many intervals (default: never)\n"
	"  -e LIST     events, separated by commas; they are on counters together or not at all\n"
	"\n"
	"A line has the seconds since the beginning and a number for each event; where the same\n"
	"event is in the list again, the difference to its first reading follows. The last line has\n"
	"the sums. Anything behind a '#' is a remark. Counting a CPU needs CAP_PERFMON.\n"
	"\n" EVENTS_HELP "\n"
	"  pmudev monitor -c 0 -i 1\n"
	"  pmudev monitor -c 0 -e instructions@2,instructions@3,branches\n"
	"\n"
	"By default the list is, on Intel (CPU event codes C0H and 3CH)\n"
	"  cpu/event=0xc0,umask=0,name=instructions/@2, the same @fixed0,\n"
	"  cpu/event=0x3c,umask=0,name=cycles/@3, the same @fixed1\n"
	"and on arm64\n"
	"  instructions@2,instructions@4,cycles@3,cycles@32\n";

#define INTEL_INSTRUCTIONS "cpu/event=0xc0,umask=0,name=instructions/"
#define INTEL_CYCLES	   "cpu/event=0x3c,umask=0,name=cycles/"

static const char intel_events[] = INTEL_INSTRUCTIONS
	"@2," INTEL_INSTRUCTIONS "@fixed0," INTEL_CYCLES "@3," INTEL_CYCLES "@fixed1";

/* Counters 0 and 1 are left out: one of them holds perf's place. */
static const char arm64_events[] = "instructions@2,instructions@4,cycles@3,cycles@32";

struct options {
	unsigned int cpu;
	uint64_t interval; /* ns */
	uint64_t lines;	   /* 0: no end */
	char *events;	   /* NULL: those that suit the CPU */
};

static const struct option long_options[] = {
	{ "cpu", required_argument, NULL, 'c' },   { "interval", required_argument, NULL, 'i' },
	{ "lines", required_argument, NULL, 'n' }, { "event", required_argument, NULL, 'e' },
	{ "help", no_argument, NULL, 'h' },	   { NULL, 0, NULL, 0 },
};

/* ----------------------------------------------------------------------- options -- */

static bool get_number(const char *text, const char *what, uint64_t least, uint64_t *number)
{
	char *end;

	errno = 0;
	*number = strtoull(text, &end, 10);
	if (!errno && end != text && !*end && *text != '-' && *number >= least &&
	    *number <= INT_MAX)
		return true;
	complain("'%s' is not %s", text, what);
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

/* Return: -1 to go on, else the exit status. */
static int parse_options(int argc, char **argv, struct options *options)
{
	uint64_t cpu = options->cpu;
	bool fine = true;
	int c;

	opterr = 0;
	while (fine && (c = getopt_long(argc, argv, ":c:i:n:e:h", long_options, NULL)) != -1) {
		switch (c) {
		case 'c':
			fine = get_number(optarg, "the number of a CPU", 0, &cpu);
			break;
		case 'i':
			fine = get_interval(optarg, &options->interval);
			break;
		case 'n':
			fine = get_number(optarg, "a number of lines", 1, &options->lines);
			break;
		case 'e':
			options->events = join_events(options->events, optarg);
			break;
		case 'h':
			fputs(help, stdout);
			return 0;
		case ':':
			complain("'%s' needs a value; `pmudev monitor --help` tells more",
				 argv[optind - 1]);
			return EXIT_USAGE;
		default:
			complain("unknown option '%s'; `pmudev monitor --help` lists them",
				 argv[optind - 1]);
			return EXIT_USAGE;
		}
	}
	options->cpu = cpu;
	if (!fine)
		return EXIT_USAGE;
	if (optind == argc)
		return -1;
	complain("monitor takes no '%s': it counts whatever runs on the CPU", argv[optind]);
	return EXIT_USAGE;
}

/* ----------------------------------------------------------------------- the set -- */

static const char *default_events(struct pmudev *set)
{
	struct pmudev_query query;

	if (pmudev_query(set, 0, &query))
		return NULL;
	return query.arch == PMUDEV_ARCH_INTEL ? intel_events : arm64_events;
}

/* Whatever the braces are: one line is one moment of all events, and all of them count or none. */
static void one_group(struct event_list *list)
{
	unsigned int i;

	for (i = 0; i < list->nr; i++)
		list->attrs[i].group = 0;
	list->groups = 1;
}

static void complain_choice(struct pmudev *set, const struct event_list *list, bool by_default)
{
	struct pmudev_refusal why = { .event = -1 };

	complain_events(set, list);
	pmudev_why(set, &why);
	if (by_default && why.event >= 0)
		complain("other events and counters: `pmudev monitor -e LIST`, see its --help");
}

/* Return: 0, or the exit status after something went wrong, which has been told on stderr. */
static int set_up(struct pmudev *set, const struct options *options, struct event_list *list)
{
	const char *events = options->events;
	char what[32];

	snprintf(what, sizeof(what), "CPU %u", options->cpu);
	if (pmudev_open(set)) {
		complain_refusal(set, "monitor");
		return 1;
	}
	if (!events)
		events = default_events(set);
	if (!events) {
		complain_refusal(set, "monitor");
		return 1;
	}
	if (!read_events(events, list) || !codes_fit(set, list))
		return EXIT_USAGE;
	one_group(list);
	if (pmudev_bind_cpu(set, options->cpu, 0)) {
		complain_refusal(set, what);
		return 1;
	}
	if (pmudev_add(set, list->attrs, list->nr, NULL) || pmudev_enable(set, PMUDEV_ALL)) {
		complain_choice(set, list, !options->events);
		return 1;
	}
	return 0;
}

/* ------------------------------------------------------------------------- lines -- */

/* The records between which a line tells what was counted. */
struct state {
	union pmudev_record_buffer start;
	union pmudev_record_buffer before;
	union pmudev_record_buffer now;
};

static bool read_now(struct pmudev *set, struct state *state)
{
	if (!pmudev_read(set, &state->now.record, sizeof(state->now)))
		return true;
	complain_refusal(set, "monitor");
	return false;
}

static double seconds_since(const struct pmudev_record *start, const struct pmudev_record *now)
{
	return (double)(now->time - start->time) / NS_PER_SECOND;
}

static bool print_line(struct pmudev *set, const struct event_list *list, struct state *state,
		       uint64_t missed)
{
	if (!read_now(set, state))
		return false;
	columns_line(stdout, list, seconds_since(&state->start.record, &state->now.record),
		     &state->before.record, &state->now.record);
	columns_remark(stdout, &state->before.record, &state->now.record, missed);
	printf("\n");
	state->before = state->now;
	return true;
}

/* What lies between the last line and the end is in the sums as well. */
static bool print_sums(struct pmudev *set, const struct event_list *list, struct state *state)
{
	if (!read_now(set, state))
		return false;
	columns_line(stdout, list, seconds_since(&state->start.record, &state->now.record),
		     &state->start.record, &state->now.record);
	printf("  # sum");
	columns_remark(stdout, &state->start.record, &state->now.record, 0);
	printf("\n");
	return true;
}

/* ---------------------------------------------------------------------- the loop -- */

static bool watch(struct pmudev *set, const struct options *options, const struct event_list *list,
		  struct ticks *timer)
{
	struct state state;
	uint64_t line = 0, ended;

	if (!read_now(set, &state))
		return false;
	state.start = state.now;
	state.before = state.now;
	/* Line by line, also into a pipe. */
	setvbuf(stdout, NULL, _IOLBF, 0);
	printf("# CPU %u: events since the line before, every %g s\n", options->cpu,
	       (double)options->interval / NS_PER_SECOND);
	columns_header(stdout, list);
	while (!options->lines || line < options->lines) {
		ended = ticks_wait(timer);
		if (!ended)
			break;
		if (!print_line(set, list, &state, ended - 1))
			return false;
		line++;
	}
	return print_sums(set, list, &state);
}

static int monitor(struct pmudev *set, const struct options *options)
{
	struct event_list list;
	struct ticks timer;
	int status;

	status = set_up(set, options, &list);
	if (status)
		return status;
	if (!ticks_open(&timer, options->interval))
		return 1;
	if (!watch(set, options, &list, &timer))
		status = 1;
	ticks_close(&timer);
	return status;
}

int cmd_monitor(int argc, char **argv)
{
	struct options options = { .cpu = 3, .interval = 5 * NS_PER_SECOND };
	struct pmudev set = { .fd = -1 };
	int status;

	status = parse_options(argc, argv, &options);
	if (status < 0) {
		status = monitor(&set, &options);
		pmudev_close(&set);
	}
	free(options.events);
	return status;
}
