// SPDX-License-Identifier: GPL-2.0
/*
 * pmudev stat: the options, and the order of things.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <getopt.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#include "cmd.h"
#include "stat.h"

static const char help[] =
	"usage: pmudev stat [options] [--] COMMAND [ARG...]\n"
	"       pmudev stat [options] -p PID | -t TID | -C CPUS [[--] COMMAND [ARG...]]\n"
	"\n"
	"Runs COMMAND and shows how many events it caused, with its threads and children. The\n"
	"report goes to stderr; the exit status is the command's. With -p, -t or -C something else\n"
	"is counted as long as COMMAND runs; without one, until it ends, or Ctrl-C.\n"
	"\n"
	"  -e LIST      events, separated by commas (default: instructions,cycles)\n"
	"  -p PID       count this process: all threads that it has or gets\n"
	"  -t TID       count this thread\n"
	"  -C CPUS      count these CPUs, such as 0-3,5 (needs CAP_PERFMON)\n"
	"  -i           without children; and of COMMAND or a TID, without further threads\n"
	"               (--no-inherit)\n"
	"  --multiplex  if there are not enough counters, let each event or group take turns on\n"
	"               them: what is shown with a percentage was counted for that part of the\n"
	"               time, and is an estimate. Without it, all are counted or none.\n"
	"  -o FILE      write the report there\n"
	"\n" EVENTS_HELP "\n"
	"  pmudev stat -- make -j4\n"
	"  pmudev stat -e '{instructions:u,cycles:u},branches' -- sha256sum /bin/ls\n"
	"  pmudev stat -e cpu/event=0xc0,cmask=1,inv/u -- true  # Intel: cycles that retire nothing\n"
	"  pmudev stat -p 1234 -- sleep 10\n"
	"  pmudev stat -C 0-3 -- sleep 1\n";

static const struct option long_options[] = {
	{ "event", required_argument, NULL, 'e' },
	{ "cpu", required_argument, NULL, 'C' },
	{ "tid", required_argument, NULL, 't' },
	{ "pid", required_argument, NULL, 'p' },
	{ "output", required_argument, NULL, 'o' },
	{ "no-inherit", no_argument, NULL, 'i' },
	{ "multiplex", no_argument, NULL, 'm' },
	{ "help", no_argument, NULL, 'h' },
	{ NULL, 0, NULL, 0 },
};

/* Return: -1 to go on, else the exit status. */
static int parse_option(int c, struct stat_options *options, char **events, const char *word)
{
	switch (c) {
	case 'e':
		*events = join_events(*events, optarg);
		return -1;
	case 'C':
	case 't':
	case 'p':
		return target_parse(&options->target, c, optarg) ? -1 : EXIT_USAGE;
	case 'i':
		options->inherit = false;
		return -1;
	case 'm':
		options->multiplex = true;
		return -1;
	case 'o':
		options->output = optarg;
		return -1;
	case 'h':
		fputs(help, stdout);
		return 0;
	case ':':
		complain("'%s' needs a value; `pmudev stat --help` tells more", word);
		return EXIT_USAGE;
	default:
		complain("unknown option '%s'; `pmudev stat --help` lists them", word);
		return EXIT_USAGE;
	}
}

/* Return: -1 to go on, else the exit status. */
static int parse_options(int argc, char **argv, struct stat_options *options, char **events)
{
	int c, status;

	opterr = 0;
	while ((c = getopt_long(argc, argv, "+:e:C:t:p:o:ih", long_options, NULL)) != -1) {
		status = parse_option(c, options, events, argv[optind - 1]);
		if (status >= 0)
			return status;
	}
	if (optind < argc)
		options->command = argv + optind;
	if (options->command || options->target.kind != TARGET_NONE)
		return -1;
	complain("no command to run; for instance: pmudev stat -- sleep 1");
	return EXIT_USAGE;
}

static int write_report(const struct stat_options *options, const struct event_list *list,
			const struct stat_run *run)
{
	FILE *out = stderr;

	fflush(stdout);
	if (options->output) {
		out = fopen(options->output, "we");
		if (!out) {
			complain("cannot write '%s': %s", options->output, strerror(errno));
			return 1;
		}
	}
	stat_report(out, options, list, run);
	if (options->output && fclose(out)) {
		complain("cannot write '%s': %s", options->output, strerror(errno));
		return 1;
	}
	return 0;
}

/* The shell's convention. */
static int exit_status(int status)
{
	return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

int cmd_stat(int argc, char **argv)
{
	struct stat_options options = { .inherit = true };
	struct event_list list;
	struct stat_run run = { 0 };
	char *events = NULL;
	int status;

	status = parse_options(argc, argv, &options, &events);
	if (status >= 0)
		goto out;
	status = EXIT_USAGE;
	if (!read_events(events ? events : "instructions,cycles", &list))
		goto out;
	status = stat_run(&options, &list, &run);
	if (status)
		goto out;
	status = write_report(&options, &list, &run);
	if (WIFSIGNALED(run.status))
		complain("'%s' was ended by signal %d (%s)", options.command[0],
			 WTERMSIG(run.status), strsignal(WTERMSIG(run.status)));
	if (!status)
		status = exit_status(run.status);
out:
	free(events);
	return status;
}
