// SPDX-License-Identifier: GPL-2.0
/*
 * pmudev stat: the options, and the order of things.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <getopt.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#include "cmd.h"
#include "stat.h"

static const char help[] =
	"usage: pmudev stat [-e LIST] [-o FILE] [-C CPU | -t TID | -p PID] [--] COMMAND [ARG...]\n"
	"\n"
	"Runs COMMAND and shows how many events it caused: those of its first thread in this\n"
	"version. The report goes to stderr; the exit status is the command's.\n"
	"\n"
	"  -e LIST   events, separated by commas (default: instructions,cycles)\n"
	"  -C CPU    count this CPU while COMMAND runs (needs CAP_PERFMON)\n"
	"  -t TID    count this thread while COMMAND runs\n"
	"  -p PID    the same for a process's first thread\n"
	"  -o FILE   write the report there\n"
	"\n" EVENTS_HELP "\n"
	"  pmudev stat -- ls\n"
	"  pmudev stat -e '{instructions:u,cycles:u},branches' -- sha256sum /bin/ls\n"
	"  pmudev stat -e cpu/event=0xc0,cmask=1,inv/u -- true  # Intel: cycles that retire nothing\n"
	"  pmudev stat -C 0 -- sleep 1\n";

static const struct option long_options[] = {
	{ "event", required_argument, NULL, 'e' },
	{ "cpu", required_argument, NULL, 'C' },
	{ "tid", required_argument, NULL, 't' },
	{ "pid", required_argument, NULL, 'p' },
	{ "output", required_argument, NULL, 'o' },
	{ "help", no_argument, NULL, 'h' },
	{ NULL, 0, NULL, 0 },
};

static bool set_target(struct stat_options *options, enum stat_target target, const char *what,
		       const char *number)
{
	long id, least = target == STAT_THREAD ? 1 : 0;
	char *end;

	if (options->target != STAT_COMMAND) {
		complain("only one of -C, -t and -p can be given");
		return false;
	}
	errno = 0;
	id = strtol(number, &end, 10);
	if (errno || end == number || *end || id < least || id > INT_MAX) {
		complain("'%s' is not the number of a %s", number, what);
		return false;
	}
	options->target = target;
	options->id = id;
	return true;
}

/* Return: -1 to go on, else the exit status. */
static int parse_options(int argc, char **argv, struct stat_options *options, char **events)
{
	bool fine = true;
	int c;

	opterr = 0;
	while (fine && (c = getopt_long(argc, argv, "+:e:C:t:p:o:h", long_options, NULL)) != -1) {
		switch (c) {
		case 'e':
			*events = join_events(*events, optarg);
			break;
		case 'C':
			fine = set_target(options, STAT_CPU, "CPU", optarg);
			break;
		case 't':
			fine = set_target(options, STAT_THREAD, "thread", optarg);
			break;
		case 'p':
			fine = set_target(options, STAT_THREAD, "process", optarg);
			break;
		case 'o':
			options->output = optarg;
			break;
		case 'h':
			fputs(help, stdout);
			return 0;
		case ':':
			complain("'%s' needs a value; `pmudev stat --help` tells more",
				 argv[optind - 1]);
			return EXIT_USAGE;
		default:
			complain("unknown option '%s'; `pmudev stat --help` lists them",
				 argv[optind - 1]);
			return EXIT_USAGE;
		}
	}
	if (!fine)
		return EXIT_USAGE;
	if (optind == argc) {
		complain("no command to run; for instance: pmudev stat -- sleep 1");
		return EXIT_USAGE;
	}
	options->command = argv + optind;
	return -1;
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
	struct stat_options options = { .target = STAT_COMMAND };
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
