// SPDX-License-Identifier: GPL-2.0
/*
 * pmudev top: shows what processes or CPUs count, sorted, every second.
 */
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../common/cmd.h"
#include "../common/number.h"
#include "../common/options.h"
#include "../common/ticks.h"
#include "top.h"

struct options {
	uint64_t intervals; /* 0: no end */
	char *events;
	char *metrics;
	bool reverse;
	bool cpus; /* -C or -a */
	bool all_cpus;
	const struct top_output *output; /* NULL: the screen, if there is one */
};

static const struct option long_options[] = {
	{ "pid", required_argument, NULL, 'p' },
	{ "cpu", required_argument, NULL, 'C' },
	{ "all-cpus", no_argument, NULL, 'a' },
	{ "interval", required_argument, NULL, 'i' },
	{ "intervals", required_argument, NULL, 'n' },
	{ "sort", required_argument, NULL, 's' },
	{ "reverse", no_argument, NULL, 'r' },
	{ "event", required_argument, NULL, 'e' },
	{ "metrics", required_argument, NULL, 'M' },
	{ "batch", no_argument, NULL, 'b' },
	LONG_JSON,
	LONG_HELP,
	{},
};

static const struct usage usage = { "top", top_help, ":p:C:ai:n:s:re:M:bjh", long_options,
				    top_perf_options };

/* ------------------------------------------------------------------ what is counted -- */

void top_end(struct top *top)
{
	if (top->source)
		top->source->close(top);
	free(top->rows);
	top->source = NULL;
	top->rows = NULL;
	top->sampled = false;
	top->nr = 0;
	top->nr_left_out = 0;
}

bool top_begin(struct top *top, const struct source *source)
{
	const bool reverse = top->columns.reverse;

	top_end(top);
	top->error[0] = '\0';
	top->counting = top->chosen;
	if (!source->open(top)) {
		top_end(top);
		return false;
	}
	top->source = source;
	columns_sort_by(&top->columns, top->sort);
	top->columns.reverse = reverse;
	top->now = watch_now();
	return true;
}

bool top_sample(struct top *top)
{
	if (!top->source->sample(top))
		return false;
	top->sampled = true;
	top->now = watch_now();
	rows_sort(top->rows, top->nr, &top->columns);
	return true;
}

void top_sort(struct top *top, unsigned int column, bool reverse)
{
	top->columns.sort = column;
	top->columns.reverse = reverse;
	snprintf(top->sort, sizeof(top->sort), "%s", top->columns.columns[column].name);
	rows_sort(top->rows, top->nr, &top->columns);
}

void top_left_out(const struct top *top, char *text, size_t len)
{
	unsigned int i;

	*text = '\0';
	for (i = 0; i < top->nr_left_out; i++) {
		const struct left_out *left = &top->left_out[i];

		snprintf(text + strlen(text), len - strlen(text), "%s%u%s (%s)",
			 i ? ", " : "left out: ", left->nr,
			 i	       ? "" :
			 left->nr == 1 ? " process" :
					 " processes",
			 left->why);
	}
}

/* --------------------------------------------------------------------------- options -- */

static bool get_option(struct top *top, struct options *options, int c)
{
	switch (c) {
	case 'p':
		return target_parse_list(&top->processes, 'p', optarg);
	case 'C':
		options->cpus = true;
		return target_parse(&top->cpus, 'C', optarg);
	case 'a':
		options->cpus = true;
		options->all_cpus = true;
		return true;
	case 'i':
		return parse_seconds(optarg, &top->interval);
	case 'n':
		return parse_count(optarg, "a number of intervals", 1, INT_MAX,
				   &options->intervals);
	case 's':
		snprintf(top->sort, sizeof(top->sort), "%s", optarg);
		return true;
	case 'r':
		options->reverse = true;
		return true;
	case 'e':
		options->events = join_events(options->events, optarg);
		return true;
	case 'M':
		options->metrics = join_events(options->metrics, optarg);
		return true;
	case 'b':
		options->output = &output_text;
		return true;
	default:
		options->output = &output_json;
		return true;
	}
}

/* Return: -1 to go on, else the exit status. */
static int parse_options(int argc, char **argv, struct top *top, struct options *options)
{
	int c, status;

	while ((c = next_option(&usage, argc, argv, &status)))
		if (!get_option(top, options, c))
			return EXIT_USAGE;
	if (status >= 0)
		return status;
	if (optind < argc) {
		complain("top takes no '%s': -p PIDS has processes, -C CPUS has CPUs",
			 argv[optind]);
		return EXIT_USAGE;
	}
	if ((top->processes.nr_ids && options->cpus) ||
	    (options->all_cpus && top->cpus.kind != TARGET_NONE)) {
		complain("only one of -p, -C and -a can be given: one of them is shown");
		return EXIT_USAGE;
	}
	return -1;
}

/* ------------------------------------------------------------------------ the loop -- */

static bool check_sort(struct top *top)
{
	char names[1024];

	if (!*top->sort || columns_sort_by(&top->columns, top->sort))
		return true;
	columns_names(&top->columns, names, sizeof(names));
	complain("there is no column '%s' to sort by; there are %s", top->sort, names);
	return false;
}

/* Without a screen: interval by interval, until a signal. */
static int show_intervals(struct top *top, const struct options *options, struct watch *watch)
{
	uint64_t shown = 0;
	unsigned int what;

	options->output->begin(top);
	while (!top->gone && (!options->intervals || shown < options->intervals)) {
		what = watch_wait(watch);
		if (what & WATCH_SIGNAL)
			break;
		if (!top_sample(top)) {
			complain("%s", top->error);
			return 1;
		}
		options->output->show(top);
		if (!stdout_arrived())
			return 1;
		shown++;
	}
	return 0;
}

static int show(struct top *top, const struct options *options)
{
	struct watch watch;
	int status;

	if (!options->output)
		return screen_run(top, options->intervals);
	if (!watch_open(&watch, -1))
		return 1;
	watch_every(&watch, top->start, top->interval);
	status = show_intervals(top, options, &watch);
	watch_close(&watch);
	return status;
}

static bool is_screen(void)
{
	const char *term = getenv("TERM");

	return isatty(STDOUT_FILENO) && term && *term && strcmp(term, "dumb");
}

static int run(struct top *top, struct options *options)
{
	int status;

	if (!options->output && !is_screen())
		options->output = &output_text;
	if (!options->output && !screen_there())
		return EXIT_USAGE;
	if (!counting_choose(&top->chosen, options->events, options->metrics))
		return EXIT_USAGE;
	top->columns.reverse = options->reverse;
	if (!top_begin(top, options->cpus ? &source_cpus : &source_processes)) {
		complain("%s", top->error);
		return 1;
	}
	top->start = top->now;
	status = check_sort(top) ? show(top, options) : EXIT_USAGE;
	top_end(top);
	return status;
}

int cmd_top(int argc, char **argv)
{
	static struct top top = { .interval = NS_PER_SECOND };
	struct options options = { .intervals = 0 };
	int status = parse_options(argc, argv, &top, &options);

	if (status < 0) {
		status = run(&top, &options);
		counting_free(&top.chosen);
	}
	free(options.events);
	free(options.metrics);
	return status;
}
