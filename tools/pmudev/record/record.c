// SPDX-License-Identifier: GPL-2.0
/*
 * pmudev record: where a program is, each so many events.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "../common/child.h"
#include "../common/cmd.h"
#include "../common/number.h"
#include "../common/options.h"
#include "../common/output.h"
#include "../common/target.h"
#include "record.h"

#define DEFAULT_EVENTS "cycles"
#define DEFAULT_PERIOD 1000003
#define DEFAULT_BYTES  (1 << 20)
#define DEFAULT_OUTPUT "pmudev.csv"

static const char help[] =
	"usage: pmudev record [options] [--] COMMAND [ARG...]\n"
	"       pmudev record [options] -p PID\n"
	"\n"
	"Runs COMMAND and writes down where it was each time an event had happened N times, with its\n"
	"threads and children; with -p, where that process is until it ends, or Ctrl-C.\n"
	"`pmudev report` counts the samples by function. The exit status is the command's.\n"
	"\n"
	"  -e EVENT[,MORE...]  the event (default: cycles); the counts of MORE events stand beside\n"
	"  -c N           a sample each N of it (default: 1000003)\n"
	"  -p PID         this process: all threads that it has and will have, and its children\n"
	"  -i             without threads and children that are made (--no-inherit)\n"
	"  -o FILE        write to FILE; - is stdout (default: pmudev.csv, with -j pmudev.json)\n"
	"  -j, --json     one object per line instead of a table (for other programs)\n"
	"  -m BYTES       memory for samples that were not written yet (default: 1048576)\n"
	"  --lossless     threads wait while it is full; else samples are dropped, and counted\n"
	"  --no-ptrace    do not trace COMMAND: where a process was that ends within a tenth of a\n"
	"                 second is unknown, but COMMAND can trace others, and be traced\n"
	"\n"
	"A sample is a line: time in ns, event, N, the event's count, process, thread, CPU, mode, the\n"
	"instruction's address, the file it lies in and where, what was dropped before, and the\n"
	"counts of all events at that moment. The last line is the end, with the counts in all.\n"
	"There are no call graphs: `perf record -g` has them.\n"
	"\n" EVENTS_HELP "\n"
	"  pmudev record -e instructions:u -c 100000 -- sha256sum /bin/ls\n"
	"  pmudev report\n"
	"  pmudev record -e branch-misses,branches,instructions -c 1009 -o misses.csv -- ./prog\n";

enum {
	OPTION_LOSSLESS = 256,
	OPTION_NO_PTRACE,
};

static const struct option long_options[] = {
	{ "event", required_argument, NULL, 'e' },
	{ "count", required_argument, NULL, 'c' },
	{ "pid", required_argument, NULL, 'p' },
	{ "no-inherit", no_argument, NULL, 'i' },
	{ "output", required_argument, NULL, 'o' },
	LONG_JSON,
	{ "mmap-bytes", required_argument, NULL, 'm' },
	{ "lossless", no_argument, NULL, OPTION_LOSSLESS },
	{ "no-ptrace", no_argument, NULL, OPTION_NO_PTRACE },
	LONG_HELP,
	{},
};

static const struct usage usage = { "record", help, "+:e:c:p:io:jm:h", long_options,
				     record_perf_options };

/* ---------------------------------------------------------------------- options -- */

static bool take_pid(const char *text, int *pid)
{
	static struct target target;

	if (!target_parse(&target, 'p', text))
		return false;
	*pid = target.id;
	return true;
}

/* False after a reported error. */
static bool take_option(int c, struct record *record)
{
	switch (c) {
	case 'e':
		record->events = optarg;
		return true;
	case 'c':
		return parse_count(optarg, "a number of events", 1, PMUDEV_DEADLINE_MAX,
				   &record->period);
	case 'p':
		return take_pid(optarg, &record->pid);
	case 'i':
		record->inherit = false;
		return true;
	case 'o':
		record->output = optarg;
		return true;
	case 'j':
		record->json = true;
		return true;
	case 'm':
		return parse_count(optarg, "a number of bytes", 1, PMUDEV_SAMPLES_MAX,
				   &record->bytes);
	case OPTION_LOSSLESS:
		record->lossless = true;
		return true;
	default:
		record->trace = false;
		return true;
	}
}

/* Return: -1 to go on, else the exit status. */
static int parse_options(int argc, char **argv, struct record *record)
{
	int c, status;

	while ((c = next_option(&usage, argc, argv, &status)))
		if (!take_option(c, record))
			return EXIT_USAGE;
	if (status >= 0)
		return status;
	if (optind < argc)
		record->command = argv + optind;
	if (!record->output)
		record->output = record->json ? "pmudev.json" : DEFAULT_OUTPUT;
	if (!record->command == !record->pid)
		complain("a command or -p PID is missing, or there are both; `pmudev record "
			 "--help` tells more");
	else
		return -1;
	return EXIT_USAGE;
}

/* ----------------------------------------------------------------------- in words -- */

static void tell(const struct record *record)
{
	char buf[2][32];

	if (strcmp(record->output, "-"))
		complain("%s samples in %s", thousands(record->samples, buf[0]), record->output);
	if (record->lost)
		complain("%s more were dropped: give more memory (-m), a larger -c, or --lossless",
			 thousands(record->lost, buf[0]));
	if (record->unknown)
		complain("of %s it is unknown in which file they lie",
			 thousands(record->unknown, buf[0]));
	if (record->incomplete)
		complain("not all of its processes could be counted: there was more");
	if (!record->samples)
		complain("it counted %s of %s, and a sample is taken each %s (-c)",
			 thousands(record->count, buf[0]), record->list.events[0].name,
			 thousands(record->period, buf[1]));
}

/* Return: the exit status. */
static int run(struct record *record, const char *program)
{
	struct output output;
	int status;

	/* An older recording is replaced by one that came to its end. */
	if (!output_open(&output, record->output, false, true))
		return EXIT_NOT_RUN;
	record->out = output.out;
	status = record_run(record, program);
	if (record->finished && !output_end(&output))
		return EXIT_NOT_RUN;
	if (!output_close(&output))
		return EXIT_NOT_RUN;
	if (record->finished)
		tell(record);
	return status;
}

int cmd_record(int argc, char **argv)
{
	struct record record = {
		.events = DEFAULT_EVENTS,
		.period = DEFAULT_PERIOD,
		.inherit = true,
		.trace = true,
		.bytes = DEFAULT_BYTES,
	};
	int status = parse_options(argc, argv, &record);
	char *program = NULL;

	if (status >= 0)
		return status;
	if (!read_events(record.events, &record.list) || !one_kind_of_cpu())
		return EXIT_NOT_RUN;
	if (record.command) {
		program = find_command(record.command[0]);
		if (!program)
			return EXIT_NOT_FOUND;
	}
	status = run(&record, program);
	free(program);
	return status;
}
