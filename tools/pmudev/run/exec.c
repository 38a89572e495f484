// SPDX-License-Identifier: GPL-2.0
/*
 * pmudev exec: a program whose perf_event_open() is served by pmudev.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../common/beside.h"
#include "../common/child.h"
#include "../common/cmd.h"
#include "../common/options.h"
#include "kind.h"

/* Where the library is, from the folder of this command: as built, and as installed. */
static const char *const places[] = {
	"perf/libpmudev-perf.so",
	"../lib/pmudev/libpmudev-perf.so",
};

static const char help[] =
	"usage: pmudev exec [options] [--] COMMAND [ARG...]\n"
	"\n"
	"Runs COMMAND with pmudev in place of perf: what it opens with perf_event_open(2) for the\n"
	"CPU's counters (hardware, cache and raw events of threads, their children and CPUs) is\n"
	"counted by pmudev. Software events, tracepoints and samples stay perf's.\n"
	"\n"
	"  --strict   refuse events that do not fit; perf, and exec without this, would let them\n"
	"             take turns, and their counts be parts\n"
	"  --explain  say on stderr why events are refused, or take turns, and at the end of each\n"
	"             process how many events pmudev has counted, and perf\n"
	"\n"
	"COMMAND and what it starts must be linked with the C library dynamically, and use its\n"
	"syscall(), read(), ioctl(). Set-uid programs, static ones and those of Go are perf's.\n"
	"\n"
	"  pmudev exec -- perf stat -e instructions:u,cycles:u ls\n"
	"  pmudev exec --explain -- ./benchmark --benchmark_perf_counters=CYCLES\n";

enum {
	OPTION_STRICT = 256,
	OPTION_EXPLAIN,
};

static const struct option long_options[] = {
	{ "strict", no_argument, NULL, OPTION_STRICT },
	{ "explain", no_argument, NULL, OPTION_EXPLAIN },
	LONG_HELP,
	{},
};

static const struct usage usage = { "exec", help, "+:h", long_options, NULL };

/* What is asked for */
struct options {
	bool strict;
	bool explain;
	char **command;
};

/* Return: -1 to go on, else the exit status. */
static int parse_options(int argc, char **argv, struct options *options)
{
	int c, status;

	while ((c = next_option(&usage, argc, argv, &status))) {
		options->strict |= c == OPTION_STRICT;
		options->explain |= c == OPTION_EXPLAIN;
	}
	if (status >= 0)
		return status;
	options->command = argv + optind;
	if (*options->command)
		return -1;
	complain("what shall be run? `pmudev exec --help` tells more");
	return EXIT_USAGE;
}

/* False: it is not there. */
static bool find_library(char path[PATH_MAX])
{
	const char *given = getenv("PMUDEV_PERF_LIBRARY");
	unsigned int i;

	if (given) {
		snprintf(path, PATH_MAX, "%s", given);
		return !access(path, R_OK);
	}
	for (i = 0; i < ARRAY_SIZE(places); i++)
		if (beside_find(places[i], path) && !access(path, R_OK))
			return true;
	return false;
}

/* False: no memory. */
static bool set_environment(const struct options *options, const char *library)
{
	const char *before = getenv("LD_PRELOAD");
	char settings[32], *preload;
	bool done;

	snprintf(settings, sizeof(settings), "%s%s", options->strict ? "strict," : "",
		 options->explain ? "explain" : "");
	if (asprintf(&preload, "%s%s%s", library, before ? ":" : "", before ? before : "") < 0)
		return false;
	done = !setenv("LD_PRELOAD", preload, 1) && !setenv("PMUDEV_PERF", settings, 1);
	free(preload);
	return done;
}

/* Would it load the library? Else complain, or say so. */
static bool check_kind(const char *program, bool explain)
{
	const int bits = 8 * (int)sizeof(void *);

	switch (program_kind(program)) {
	case PROGRAM_NARROW:
		complain("'%s' is no %d-bit program, as `pmudev exec` is: without it perf counts",
			 program, bits);
		return false;
	case PROGRAM_STATIC:
		if (explain)
			complain("'%s' is linked statically: what it opens itself is perf's",
				 program);
		return true;
	default:
		return true;
	}
}

/* Return: 0, or the exit status. */
static int check(const char *program, bool explain)
{
	struct pmudev set;

	if (gains_privileges(program)) {
		complain("'%s' gains privileges: it would not load a library of yours", program);
		return EXIT_NOT_RUN;
	}
	if (!check_kind(program, explain))
		return EXIT_NOT_RUN;
	if (pmudev_open(&set)) {
		complain_refusal(&set, "exec");
		return EXIT_NOT_RUN;
	}
	pmudev_close(&set);
	return 0;
}

int cmd_exec(int argc, char **argv)
{
	struct options options = { 0 };
	int status = parse_options(argc, argv, &options);
	char library[PATH_MAX], *program;

	if (status >= 0)
		return status;
	program = find_command(options.command[0]);
	if (!program)
		return EXIT_NOT_FOUND;
	status = check(program, options.explain);
	if (!status && !find_library(library)) {
		complain("libpmudev-perf.so is not there: PMUDEV_PERF_LIBRARY= says where it is");
		status = EXIT_NOT_RUN;
	} else if (!status && strpbrk(library, " :")) {
		/* They separate names in LD_PRELOAD. */
		complain("'%s' cannot be loaded: there is a blank or a colon in its name", library);
		status = EXIT_NOT_RUN;
	} else if (!status && !set_environment(&options, library)) {
		complain("no memory left");
		status = EXIT_NOT_RUN;
	}
	if (!status) {
		execv(program, options.command);
		complain("cannot run '%s': %s", options.command[0], strerror(errno));
		status = errno == ENOENT ? EXIT_NOT_FOUND : EXIT_NOT_RUN;
	}
	free(program);
	return status;
}
