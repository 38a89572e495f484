// SPDX-License-Identifier: GPL-2.0
/*
 * The options of `pmudev stat`: perf's, as far as they make sense here.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <getopt.h>
#include <stdlib.h>
#include <string.h>

#include "../common/cmd.h"
#include "../common/colour.h"
#include "../common/ticks.h"
#include "stat.h"

static const char help[] =
	"usage: pmudev stat [options] [--] COMMAND [ARG...]\n"
	"       pmudev stat [options] -p PID | -t TID | -C CPUS | -a [[--] COMMAND [ARG...]]\n"
	"\n"
	"Runs COMMAND and counts its events, with its threads and children. The report goes to\n"
	"stderr; the exit status is the command's. With -p, -t, -C or -a it counts that target\n"
	"instead while COMMAND runs; without COMMAND until the target ends, or Ctrl-C.\n"
	"\n"
	"what is counted\n"
	"  -e LIST       events, separated by commas (default: instructions,cycles)\n"
	"  -d            more events: branches and caches, if this CPU has them\n"
	"  -p PID        this process: all threads that it has and will have\n"
	"  -t TID        this thread\n"
	"  -C CPUS       these CPUs, such as 0-3,5 (needs CAP_PERFMON); -a: all CPUs\n"
	"  -i            without children; for COMMAND or a TID also without new threads\n"
	"                (--no-inherit)\n"
	"  --multiplex   if there are not enough counters, events and groups share them over time:\n"
	"                a number with a percentage was counted for that part of the time, and is\n"
	"                an estimate. Without it, all are counted or none.\n"
	"\n"
	"how often and how long\n"
	"  -I MS         show the counts every MS milliseconds\n"
	"  --interval-count N   stop after N intervals; --summary: show the sums at the end\n"
	"  -r N          run COMMAND N times; show the mean and its standard deviation (+- 0.12%)\n"
	"  -D MS         start counting MS milliseconds after launch (--delay)\n"
	"  --timeout MS  stop counting after MS milliseconds, and end COMMAND (SIGTERM)\n"
	"\n"
	"how it is shown\n"
	"  -A            show each CPU separately (--no-aggr)\n"
	"  -j, --json    one object per line; --csv: a table with a header line; -x SEP: as perf's -x\n"
	"  --openmetrics for node_exporter; replaces -o FILE atomically\n"
	"  -o FILE       write the report to FILE (- is stdout); --append: append to it\n"
	"  --no-big-num  numbers without commas\n"
	"  -v            also show the raw counts and times of each event\n" COLOUR_HELP
	"\n" EVENTS_HELP "\n"
	"  pmudev stat -- make -j4\n"
	"  pmudev stat -r 5 -e '{instructions:u,cycles:u},branches' -- sha256sum /bin/ls\n"
	"  pmudev stat -e cpu/event=0xc0,cmask=1,inv/u -- true  # Intel: cycles that retire nothing\n"
	"  pmudev stat -p 1234 -I 1000\n"
	"  pmudev stat -C 0-3 -A --json -o counts.json -- sleep 1\n"
	"  pmudev stat -a -I 15000 --openmetrics -o /var/lib/node_exporter/pmudev.prom\n";

enum {
	OPTION_MULTIPLEX = 256,
	OPTION_CSV,
	OPTION_METRICS,
	OPTION_APPEND,
	OPTION_SUMMARY,
	OPTION_INTERVALS,
	OPTION_TIMEOUT,
	OPTION_BIG,
	OPTION_NO_BIG,
	OPTION_COLOUR,
	OPTION_OF_PERF,
};

static const struct option long_options[] = {
	{ "event", required_argument, NULL, 'e' },
	{ "cpu", required_argument, NULL, 'C' },
	{ "all-cpus", no_argument, NULL, 'a' },
	{ "tid", required_argument, NULL, 't' },
	{ "pid", required_argument, NULL, 'p' },
	{ "detailed", no_argument, NULL, 'd' },
	{ "no-inherit", no_argument, NULL, 'i' },
	{ "multiplex", no_argument, NULL, OPTION_MULTIPLEX },
	{ "interval-print", required_argument, NULL, 'I' },
	{ "interval-count", required_argument, NULL, OPTION_INTERVALS },
	{ "summary", no_argument, NULL, OPTION_SUMMARY },
	{ "repeat", required_argument, NULL, 'r' },
	{ "delay", required_argument, NULL, 'D' },
	{ "timeout", required_argument, NULL, OPTION_TIMEOUT },
	{ "no-aggr", no_argument, NULL, 'A' },
	{ "json", no_argument, NULL, 'j' },
	{ "json-output", no_argument, NULL, 'j' },
	{ "csv", no_argument, NULL, OPTION_CSV },
	{ "openmetrics", no_argument, NULL, OPTION_METRICS },
	{ "field-separator", required_argument, NULL, 'x' },
	{ "output", required_argument, NULL, 'o' },
	{ "append", no_argument, NULL, OPTION_APPEND },
	{ "big-num", no_argument, NULL, OPTION_BIG },
	{ "no-big-num", no_argument, NULL, OPTION_NO_BIG },
	{ "verbose", no_argument, NULL, 'v' },
	{ "color", optional_argument, NULL, OPTION_COLOUR },
	{ "help", no_argument, NULL, 'h' },
	/* of perf: below */
	{ "cgroup", required_argument, NULL, OPTION_OF_PERF },
	{ "for-each-cgroup", required_argument, NULL, OPTION_OF_PERF },
	{ "group", no_argument, NULL, OPTION_OF_PERF },
	{ "metrics", required_argument, NULL, OPTION_OF_PERF },
	{ "topdown", no_argument, NULL, OPTION_OF_PERF },
	{ "transaction", no_argument, NULL, OPTION_OF_PERF },
	{ "null", no_argument, NULL, OPTION_OF_PERF },
	{ "sync", no_argument, NULL, OPTION_OF_PERF },
	{ "per-core", no_argument, NULL, OPTION_OF_PERF },
	{ "per-socket", no_argument, NULL, OPTION_OF_PERF },
	{ "per-die", no_argument, NULL, OPTION_OF_PERF },
	{ "per-node", no_argument, NULL, OPTION_OF_PERF },
	{ "per-thread", no_argument, NULL, OPTION_OF_PERF },
	{ "all-user", no_argument, NULL, OPTION_OF_PERF },
	{ "all-kernel", no_argument, NULL, OPTION_OF_PERF },
	{ "no-scale", no_argument, NULL, OPTION_OF_PERF },
	{ "control", required_argument, NULL, OPTION_OF_PERF },
	{ "log-fd", required_argument, NULL, OPTION_OF_PERF },
	{ "pre", required_argument, NULL, OPTION_OF_PERF },
	{ "post", required_argument, NULL, OPTION_OF_PERF },
	{ "interval-clear", no_argument, NULL, OPTION_OF_PERF },
	{ NULL, 0, NULL, 0 },
};

/* ------------------------------------------------------------- options of perf's -- */

/* What to do instead. */
static const struct {
	char letter;
	const char *name;
	const char *instead;
} of_perf[] = {
	{ 'G', "cgroup", "there are no sets on cgroups; -p counts a process with all it starts" },
	{ 0, "for-each-cgroup", "there are no sets on cgroups; -p counts a process" },
	{ 'g', "group", "put the events into braces: -e '{instructions,cycles}'" },
	{ 'M', "metrics", "there are no tables of metrics; name the events with -e" },
	{ 0, "topdown", "there are no tables of metrics; name the events with -e" },
	{ 'T', "transaction", "name the events with -e" },
	{ 'n', "null", "at least one event is counted; use the shell's `time` for times alone" },
	{ 'S', "sync", "run `sync` before it" },
	{ 0, "per-core", "-A shows each CPU; there is no sum per core" },
	{ 0, "per-socket", "-A shows each CPU; -C selects those of one socket" },
	{ 0, "per-die", "-A shows each CPU; -C selects those of one die" },
	{ 0, "per-node", "-A shows each CPU; -C selects those of one node" },
	{ 0, "per-thread", "-t counts one thread; a process is counted as a sum" },
	{ 0, "all-user", "add :u to events, or to a group: '{instructions,cycles}:u'" },
	{ 0, "all-kernel", "add :k to events, or to a group: '{instructions,cycles}:k'" },
	{ 0, "no-scale", "nothing is scaled without --multiplex" },
	{ 0, "control", "a program enables its own sets with libpmudev" },
	{ 0, "log-fd", "-o /dev/fd/N writes there" },
	{ 0, "pre", "run it before, or in COMMAND: sh -c '...'" },
	{ 0, "post", "run it afterwards" },
	{ 0, "interval-clear", "`pmudev monitor` shows a live table" },
};

static int refuse_of_perf(int letter, const char *name)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(of_perf); i++) {
		if (name ? strcmp(of_perf[i].name, name) : of_perf[i].letter != letter)
			continue;
		complain("stat does not have perf's --%s: %s", of_perf[i].name, of_perf[i].instead);
		break;
	}
	return EXIT_USAGE;
}

/* ---------------------------------------------------------------------- values -- */

/* A whole number from @least to @most. */
static bool get_number(const char *text, const char *what, uint64_t least, uint64_t most,
		       uint64_t *number)
{
	char *end;

	errno = 0;
	*number = strtoull(text, &end, 10);
	if (!errno && end != text && !*end && *text >= '0' && *text <= '9' && *number >= least &&
	    *number <= most)
		return true;
	complain("'%s' is not %s (%llu to %llu)", text, what, (unsigned long long)least,
		 (unsigned long long)most);
	return false;
}

#define DAYS 100

static bool get_milliseconds(const char *text, uint64_t *ns)
{
	if (!get_number(text, "a number of milliseconds", 1, DAYS * 86400000ULL, ns))
		return false;
	*ns *= 1000000;
	return true;
}

static bool get_repeat(const char *text, unsigned int *repeat)
{
	uint64_t number;

	if (!get_number(text, "a number of runs", 1, 1000000, &number))
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

/* ---------------------------------------------------------------------- together -- */

/* Options that take a value. False after a reported error. */
static bool take_value(int c, struct stat_options *options)
{
	switch (c) {
	case 'C':
	case 't':
	case 'p':
		return target_parse(&options->target, c, optarg);
	case 'I':
		return get_milliseconds(optarg, &options->interval);
	case OPTION_INTERVALS:
		return get_number(optarg, "a number of intervals", 1, UINT32_MAX,
				  &options->intervals);
	case 'D':
		return get_milliseconds(optarg, &options->delay);
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
	default:
		options->output = optarg;
		return true;
	}
}

/* Options without a value. False as above. */
static bool take_flag(int c, struct stat_options *options)
{
	switch (c) {
	case 'a':
		return target_all(&options->target);
	case 'j':
		return get_format(options, &json_format);
	case OPTION_CSV:
		return get_format(options, &csv_format);
	case OPTION_METRICS:
		return get_format(options, &metrics_format);
	case 'd':
		options->detailed = true;
		return true;
	case 'i':
		options->inherit = false;
		return true;
	case 'A':
		options->each_cpu = true;
		return true;
	case OPTION_MULTIPLEX:
		options->multiplex = true;
		return true;
	case OPTION_APPEND:
		options->append = true;
		return true;
	case OPTION_SUMMARY:
		options->summary = true;
		return true;
	case 'v':
		options->verbose = true;
		return true;
	default:
		options->big_numbers = c == OPTION_BIG;
		return true;
	}
}

/* Return: -1 to go on, else the exit status. */
static int parse_option(int c, struct stat_options *options, const char *word, int which)
{
	bool fine;

	switch (c) {
	case 'h':
		fputs(help, stdout);
		return 0;
	case ':':
		complain("'%s' needs a value; `pmudev stat --help` tells more", word);
		return EXIT_USAGE;
	case '?':
		complain("unknown option '%s'; `pmudev stat --help` lists them", word);
		return EXIT_USAGE;
	case OPTION_OF_PERF:
		return refuse_of_perf(0, long_options[which].name);
	case 'G':
	case 'g':
	case 'M':
	case 'T':
	case 'n':
	case 'S':
		return refuse_of_perf(c, NULL);
	case OPTION_COLOUR:
		fine = take_value(c, options);
		break;
	default:
		fine = optarg ? take_value(c, options) : take_flag(c, options);
		break;
	}
	return fine ? -1 : EXIT_USAGE;
}

/* Conflicting options. */
static bool make_sense(const struct stat_options *options)
{
	const struct {
		bool wrong;
		const char *text;
	} rules[] = {
		{ !options->command && options->target.kind == TARGET_NONE,
		  "no command to run; for instance: pmudev stat -- sleep 1" },
		{ options->repeat > 1 && !options->command,
		  "-r repeats a command: there is none; for instance: pmudev stat -r 5 -- true" },
		{ options->repeat > 1 && options->interval,
		  "-r excludes -I: intervals of several runs have no mean" },
		{ options->each_cpu && options->target.kind != TARGET_CPUS,
		  "-A shows each CPU: it needs -C CPUS or -a" },
		{ (options->intervals || options->summary) && !options->interval,
		  "--interval-count and --summary need -I MS" },
		{ options->append && !options->output, "--append needs -o FILE" },
		{ options->append && options->format->whole,
		  "--openmetrics replaces its file: leave out --append" },
		{ options->format->whole && options->interval &&
			  (!options->output || !strcmp(options->output, "-")),
		  "--openmetrics with -I replaces a file at each interval: name it with -o FILE" },
	};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(rules); i++) {
		if (!rules[i].wrong)
			continue;
		complain("%s", rules[i].text);
		return false;
	}
	return true;
}

int stat_parse_options(int argc, char **argv, struct stat_options *options)
{
	static const char letters[] = "+:e:C:at:p:diI:r:D:Ajx:o:vhG:gM:TnS";
	int c, status, which = 0;

	*options = (struct stat_options){
		.inherit = true,
		.big_numbers = true,
		.repeat = 1,
		.format = &human_format,
	};
	opterr = 0;
	while ((c = getopt_long(argc, argv, letters, long_options, &which)) != -1) {
		status = parse_option(c, options, argv[optind - 1], which);
		if (status >= 0)
			return status;
	}
	if (optind < argc)
		options->command = argv + optind;
	return make_sense(options) ? -1 : EXIT_USAGE;
}
