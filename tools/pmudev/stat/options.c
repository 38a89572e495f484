// SPDX-License-Identifier: GPL-2.0
/*
 * The options of `pmudev stat`: perf's, as far as they make sense here.
 */
#define _GNU_SOURCE
#include <getopt.h>
#include <stdlib.h>
#include <string.h>

#include "../common/cmd.h"
#include "../common/colour.h"
#include "../common/number.h"
#include "../common/ticks.h"
#include "stat.h"

enum {
	OPTION_MULTIPLEX = 256,
	OPTION_CSV,
	OPTION_METRICS,
	OPTION_APPEND,
	OPTION_SUMMARY,
	OPTION_INTERVALS,
	OPTION_TIMEOUT,
	OPTION_NO_BIG,
	OPTION_COLOUR,
	OPTION_ALL_USER,
	OPTION_ALL_KERNEL,
	OPTION_SCALE,
	OPTION_NO_SCALE,
	OPTION_METRIC_ONLY,
	OPTION_NO_METRIC_ONLY,
	OPTION_QUIET,
	OPTION_CLEAR,
	OPTION_TABLE,
	OPTION_REPEATABILITY,
	OPTION_NO_CSV_SUMMARY,
	OPTION_LOG_FD,
	OPTION_PRE,
	OPTION_POST,
	OPTION_CONTROL,
	OPTION_HYBRID_MERGE,
	OPTION_GROUPING, /* and from here on, by kind */
};

static const struct option long_options[] = {
	{ "event", required_argument, NULL, 'e' },
	{ "metrics", required_argument, NULL, 'M' },
	{ "cpu", required_argument, NULL, 'C' },
	{ "all-cpus", no_argument, NULL, 'a' },
	{ "tid", required_argument, NULL, 't' },
	{ "pid", required_argument, NULL, 'p' },
	{ "cgroup", required_argument, NULL, 'G' },
	{ "for-each-cgroup", required_argument, NULL, TARGET_EACH_CGROUP },
	{ "detailed", no_argument, NULL, 'd' },
	{ "no-inherit", no_argument, NULL, 'i' },
	{ "all-user", no_argument, NULL, OPTION_ALL_USER },
	{ "all-kernel", no_argument, NULL, OPTION_ALL_KERNEL },
	{ "multiplex", no_argument, NULL, OPTION_MULTIPLEX },
	{ "scale", no_argument, NULL, OPTION_SCALE },
	{ "no-scale", no_argument, NULL, OPTION_NO_SCALE },
	{ "null", no_argument, NULL, 'n' },
	{ "interval-print", required_argument, NULL, 'I' },
	{ "interval-count", required_argument, NULL, OPTION_INTERVALS },
	{ "interval-clear", no_argument, NULL, OPTION_CLEAR },
	{ "summary", no_argument, NULL, OPTION_SUMMARY },
	{ "no-csv-summary", no_argument, NULL, OPTION_NO_CSV_SUMMARY },
	{ "repeat", required_argument, NULL, 'r' },
	{ "table", no_argument, NULL, OPTION_TABLE },
	{ "repeatability", no_argument, NULL, OPTION_REPEATABILITY },
	{ "delay", required_argument, NULL, 'D' },
	{ "control", required_argument, NULL, OPTION_CONTROL },
	{ "timeout", required_argument, NULL, OPTION_TIMEOUT },
	{ "pre", required_argument, NULL, OPTION_PRE },
	{ "post", required_argument, NULL, OPTION_POST },
	{ "sync", no_argument, NULL, 'S' },
	{ "no-aggr", no_argument, NULL, 'A' },
	{ "no-merge", no_argument, NULL, 'A' },
	{ "hybrid-merge", no_argument, NULL, OPTION_HYBRID_MERGE },
	{ "per-core", no_argument, NULL, OPTION_GROUPING + GROUP_CORE },
	{ "per-cluster", no_argument, NULL, OPTION_GROUPING + GROUP_CLUSTER },
	{ "per-die", no_argument, NULL, OPTION_GROUPING + GROUP_DIE },
	{ "per-socket", no_argument, NULL, OPTION_GROUPING + GROUP_SOCKET },
	{ "per-node", no_argument, NULL, OPTION_GROUPING + GROUP_NODE },
	{ "per-thread", no_argument, NULL, OPTION_GROUPING + GROUP_THREAD },
	{ "json", no_argument, NULL, 'j' },
	{ "json-output", no_argument, NULL, 'j' },
	{ "csv", no_argument, NULL, OPTION_CSV },
	{ "openmetrics", no_argument, NULL, OPTION_METRICS },
	{ "field-separator", required_argument, NULL, 'x' },
	{ "metric-only", no_argument, NULL, OPTION_METRIC_ONLY },
	{ "no-metric-only", no_argument, NULL, OPTION_NO_METRIC_ONLY },
	{ "output", required_argument, NULL, 'o' },
	{ "append", no_argument, NULL, OPTION_APPEND },
	{ "log-fd", required_argument, NULL, OPTION_LOG_FD },
	{ "quiet", no_argument, NULL, OPTION_QUIET },
	{ "big-num", no_argument, NULL, 'B' },
	{ "no-big-num", no_argument, NULL, OPTION_NO_BIG },
	{ "verbose", no_argument, NULL, 'v' },
	{ "color", optional_argument, NULL, OPTION_COLOUR },
	{ "help", no_argument, NULL, 'h' },
	{ NULL, 0, NULL, 0 },
};

/* ---------------------------------------------------------------------- values -- */

#define DAYS 100

static bool get_milliseconds(const char *text, uint64_t *ns)
{
	if (!parse_count(text, "a number of milliseconds", 1, DAYS * 86400000ULL, ns))
		return false;
	*ns *= 1000000;
	return true;
}

/* -1: not by itself */
static bool get_delay(const char *text, uint64_t *ns)
{
	if (strcmp(text, "-1"))
		return get_milliseconds(text, ns);
	*ns = DELAY_FOREVER;
	return true;
}

static bool get_log_fd(const char *text, int *fd)
{
	uint64_t number;

	if (!parse_count(text, "a descriptor", 0, INT32_MAX, &number))
		return false;
	*fd = number;
	return true;
}

static bool get_repeat(const char *text, unsigned int *repeat)
{
	uint64_t number;

	if (!parse_count(text, "a number of runs", 0, 1000000, &number))
		return false;
	*repeat = number;
	return true;
}

/* "\t" is a tab, as for perf. */
static bool get_separator(struct stat_options *options, const char *text)
{
	options->separator = strcmp(text, "\\t") ? text : "\t";
	if (*text && !strpbrk(text, "\"\r\n"))
		return true;
	complain("-x takes the text between columns, such as , or ;");
	return false;
}

static bool get_format(struct stat_options *options, const struct stat_format *format)
{
	if (options->format == &human_format || options->format == format) {
		options->format = format;
		return true;
	}
	complain("only one of --json, --csv, -x and --openmetrics can be given");
	return false;
}

static bool get_grouping(struct stat_options *options, enum grouping_kind kind)
{
	if (options->grouping == GROUP_ALL || options->grouping == kind) {
		options->grouping = kind;
		return true;
	}
	complain("only one of -A, --per-thread, --per-core and the like can be given");
	return false;
}

/* ---------------------------------------------------------------------- together -- */

/* Options that take a value. False after a reported error. */
static bool take_value(int c, struct stat_options *options)
{
	switch (c) {
	case 'C':
	case 't':
	case 'p':
	case 'G':
		return target_option(&options->target, c, optarg);
	case TARGET_EACH_CGROUP:
		return target_option(&options->target, c, optarg) &&
		       get_grouping(options, GROUP_CGROUP);
	case 'I':
		return get_milliseconds(optarg, &options->interval);
	case OPTION_INTERVALS:
		return parse_count(optarg, "a number of intervals", 1, UINT32_MAX,
				   &options->intervals);
	case 'D':
		return get_delay(optarg, &options->delay);
	case OPTION_LOG_FD:
		return get_log_fd(optarg, &options->log_fd);
	case OPTION_CONTROL:
		return control_open(&options->control, optarg);
	case OPTION_PRE:
		options->pre = optarg;
		return true;
	case OPTION_POST:
		options->post = optarg;
		return true;
	case OPTION_TIMEOUT:
		return get_milliseconds(optarg, &options->timeout);
	case 'r':
		return get_repeat(optarg, &options->repeat);
	case 'x':
		return get_separator(options, optarg) && get_format(options, &bare_csv_format);
	case OPTION_COLOUR:
		return colour_option(optarg);
	case 'e':
		options->events = join_events(options->events, optarg);
		return true;
	case 'M':
		options->metrics = join_events(options->metrics, optarg);
		return true;
	default:
		options->output = optarg;
		return true;
	}
}

/* Options without a value that is not just remembered. False as above. */
static bool take_choice(int c, struct stat_options *options)
{
	switch (c) {
	case 'j':
		return get_format(options, &json_format);
	case OPTION_CSV:
		return get_format(options, &csv_format);
	case OPTION_METRICS:
		return get_format(options, &metrics_format);
	case 'A':
		return get_grouping(options, GROUP_CPU);
	case 'd':
		options->detailed++;
		return true;
	default:
		return c < OPTION_GROUPING || get_grouping(options, c - OPTION_GROUPING);
	}
}

/* Options without a value. False as above. */
static bool take_flag(int c, struct stat_options *options)
{
	const struct {
		int c;
		bool *flag;
		bool value;
	} flags[] = {
		{ 'a', &options->target.all, true },
		{ 'i', &options->inherit, false },
		{ 'n', &options->null, true },
		{ 'S', &options->sync, true },
		{ 'v', &options->verbose, true },
		{ 'B', &options->big_numbers, true },
		{ OPTION_NO_BIG, &options->big_numbers, false },
		{ OPTION_MULTIPLEX, &options->multiplex, true },
		{ OPTION_APPEND, &options->append, true },
		{ OPTION_SUMMARY, &options->summary, true },
		{ OPTION_NO_CSV_SUMMARY, &options->plain_summary, true },
		{ OPTION_ALL_USER, &options->all_user, true },
		{ OPTION_ALL_KERNEL, &options->all_kernel, true },
		{ OPTION_SCALE, &options->unscaled, false },
		{ OPTION_NO_SCALE, &options->unscaled, true },
		{ OPTION_METRIC_ONLY, &options->metric_only, true },
		{ OPTION_NO_METRIC_ONLY, &options->metric_only, false },
		{ OPTION_QUIET, &options->quiet, true },
		{ OPTION_CLEAR, &options->interval_clear, true },
		{ OPTION_TABLE, &options->table, true },
		{ OPTION_REPEATABILITY, &options->repeatability, true },
	};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(flags); i++) {
		if (flags[i].c != c)
			continue;
		*flags[i].flag = flags[i].value;
		return true;
	}
	return take_choice(c, options);
}

/* Return: the exit status. */
static int unknown_option(const char *word)
{
	if (!strncmp(word, "--no-", 5))
		complain("there is no '%s' to switch off; `pmudev stat --help` lists the options",
			 word + 5);
	else
		complain("unknown option '%s'; `pmudev stat --help` lists them", word);
	return EXIT_USAGE;
}

/* Return: -1 to go on, else the exit status. */
static int parse_option(int c, struct stat_options *options, const char *word)
{
	const bool letter = optopt > 0 && optopt < 256 && !strchr(word, '=');
	char name[2] = { optopt, '\0' };
	bool fine;

	switch (c) {
	case 'h':
		fputs(stat_help, stdout);
		return 0;
	case ':':
		complain("'%s' needs a value; `pmudev stat --help` tells more", word);
		return EXIT_USAGE;
	case '?':
		if (stat_refuse_option(letter ? name : word))
			return EXIT_USAGE;
		return unknown_option(word);
	case OPTION_COLOUR:
		fine = take_value(c, options);
		break;
	default:
		fine = optarg ? take_value(c, options) : take_flag(c, options);
		break;
	}
	return fine ? -1 : EXIT_USAGE;
}

/* False if there are other targets, which was told. */
static bool get_target(struct stat_options *options)
{
	return target_complete(&options->target) &&
	       (options->grouping != GROUP_THREAD || target_split(&options->target));
}

int stat_parse_options(int argc, char **argv, struct stat_options *options)
{
	static const char letters[] = "+:e:M:C:at:p:G:diI:r:D:Ajx:o:vhBnS";
	int c, status;

	*options = (struct stat_options){
		.inherit = true,
		.big_numbers = true,
		.repeat = 1,
		.format = &human_format,
		.log_fd = -1,
		.control = CONTROL_CLOSED,
	};
	opterr = 0;
	while ((c = getopt_long(argc, argv, letters, long_options, NULL)) != -1) {
		status = parse_option(c, options, argv[optind - 1]);
		if (status >= 0)
			return status;
	}
	if (optind < argc)
		options->command = argv + optind;
	if (!get_target(options) || !stat_options_fit(options))
		return EXIT_USAGE;
	if (options->metric_only)
		options->format = metric_only_format(options->format);
	return -1;
}
