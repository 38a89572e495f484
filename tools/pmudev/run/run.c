// SPDX-License-Identifier: GPL-2.0
/*
 * pmudev run: a command that executes so many instructions and no more.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#include "../common/child.h"
#include "../common/cmd.h"
#include "../common/events.h"
#include "../common/json.h"
#include "../common/number.h"
#include "../common/options.h"
#include "../common/output.h"
#include "exact.h"
#include "limit.h"

/* Exit statuses, as timeout(1) has them. */
#define EXIT_REACHED 124
#define EXIT_MISSED  125

/* So many instructions before the last one the interrupt comes, unless told otherwise. */
#define SKID	 1000
#define MAX_SKID 1000000

static const char help[] =
	"usage: pmudev run --instructions N [options] [--] COMMAND [ARG...]\n"
	"       pmudev run --limit EVENT=N [options] [--] COMMAND [ARG...]\n"
	"\n"
	"Runs COMMAND until its first thread has executed exactly N instructions in user mode, or\n"
	"until all its threads and child processes have counted N of an event, and kills it there.\n"
	"The report goes to stderr. The exit status is 124 then; COMMAND's own if it ended before;\n"
	"125 if it stopped too late (see --skid).\n"
	"\n"
	"  --instructions N  how many: 1000000, or 1e6. The last ones are single steps, so that it\n"
	"                    stops at the same instruction each time.\n"
	"  --limit EVENT=N   how many of all together, in user mode unless EVENT says otherwise; can\n"
	"                    be given again for other events. Never early; with several threads\n"
	"                    late by less than 10,000 for each, and by the time it takes to kill\n"
	"                    them. No process that COMMAND starts outlives it, or gains privileges.\n"
	"  --then WHAT       what happens there: kill (the default); continue: it runs on to its end;\n"
	"                    stop: it stays stopped, for a debugger\n"
	"  --skid S          how many instructions before it the counter interrupts, and single steps\n"
	"                    begin (default 1000). CPUs interrupt late; if COMMAND stops after more\n"
	"                    than N instructions, S was too small.\n"
	"  -j, --json        the report as one object\n"
	"  -o FILE           write the report to FILE (- is stdout)\n"
	"\n"
	"With --instructions other threads and processes that COMMAND starts are neither counted nor\n"
	"stopped; kill ends those of its process. COMMAND is traced with ptrace, and cannot be under\n"
	"a debugger.\n"
	"\n"
	"  pmudev run --instructions 1e6 -- sha256sum /bin/ls\n"
	"  pmudev run --instructions 123456 --then stop -- ./prog    # then: gdb -p PID\n"
	"  pmudev run --limit instructions=1e9 -- make test\n";

enum then {
	THEN_KILL,
	THEN_CONTINUE,
	THEN_STOP,
};

static const char *const then_names[] = { "kill", "continue", "stop" };
static const char *const then_done[] = { "was killed", "went on", "is stopped" };

/**
 * struct options - what is to be done
 * @instructions: how many may be executed
 * @limits: or of which events, all threads together
 * @skid: how many of the instructions single steps are, at least
 * @then: what happens after them
 * @json: the report is for programs
 * @output: as struct output has it
 * @command: what is run
 */
struct options {
	uint64_t instructions;
	struct limits limits;
	uint64_t skid;
	enum then then;
	bool json;
	const char *output;
	char **command;
};

enum {
	OPTION_INSTRUCTIONS = 256,
	OPTION_LIMIT,
	OPTION_SKID,
	OPTION_THEN,
};

static const struct option long_options[] = {
	{ "instructions", required_argument, NULL, OPTION_INSTRUCTIONS },
	{ "limit", required_argument, NULL, OPTION_LIMIT },
	{ "skid", required_argument, NULL, OPTION_SKID },
	{ "then", required_argument, NULL, OPTION_THEN },
	LONG_JSON,
	{ "output", required_argument, NULL, 'o' },
	LONG_HELP,
	{},
};

static const struct usage usage = { "run", help, "+:jo:h", long_options, NULL };

/* ---------------------------------------------------------------------- options -- */

static bool get_then(const char *text, enum then *then)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(then_names); i++) {
		if (strcmp(text, then_names[i]))
			continue;
		*then = i;
		return true;
	}
	complain("--then takes kill, continue or stop");
	return false;
}

/* False after a reported error. */
static bool take_option(int c, struct options *options)
{
	switch (c) {
	case OPTION_INSTRUCTIONS:
		return parse_count(optarg, "a number of instructions", 1, PMUDEV_DEADLINE_MAX,
				   &options->instructions);
	case OPTION_LIMIT:
		return limit_add(&options->limits, optarg);
	case OPTION_SKID:
		return parse_count(optarg, "a number of instructions", 0, MAX_SKID, &options->skid);
	case OPTION_THEN:
		return get_then(optarg, &options->then);
	case 'j':
		options->json = true;
		return true;
	default:
		options->output = optarg;
		return true;
	}
}

/* Return: -1 to go on, else the exit status. */
static int parse_options(int argc, char **argv, struct options *options)
{
	int c, status;

	options->skid = SKID;
	while ((c = next_option(&usage, argc, argv, &status)))
		if (!take_option(c, options))
			return EXIT_USAGE;
	if (status >= 0)
		return status;
	options->command = argv + optind;
	if (!options->instructions == !options->limits.nr)
		complain("--instructions N or --limit EVENT=N tells how many; `pmudev run --help` "
			 "tells more");
	else if (options->limits.nr && options->then != THEN_KILL)
		complain("with --limit the command is killed");
	else if (optind >= argc)
		complain("a command is missing; `pmudev run --help` tells more");
	else
		return -1;
	return EXIT_USAGE;
}

/* ----------------------------------------------------------------------- report -- */

static void report_json(FILE *out, const struct options *options, const struct exact *exact,
			enum exact_end end)
{
	struct json json = { .out = out };
	char pc[32];

	json_open(&json, NULL, '{');
	json_unsigned(&json, "wanted", exact->wanted);
	json_unsigned(&json, "instructions", exact->count);
	json_bool(&json, "reached", end == EXACT_REACHED);
	json_unsigned(&json, "steps", exact->steps);
	if (end == EXACT_ENDED) {
		json_null(&json, "pc");
		json_null(&json, "then");
	} else {
		snprintf(pc, sizeof(pc), "0x%llx", (unsigned long long)exact->pc);
		json_string(&json, "pc", pc);
		json_string(&json, "then", then_names[options->then]);
	}
	json_signed(&json, "pid", exact->pid);
	json_close(&json, '}');
	json_line(&json);
}

static void report_text(FILE *out, const struct options *options, const struct exact *exact,
			enum exact_end end)
{
	const char *name = options->command[0];
	char buf[3][32];
	const char *count = thousands(exact->count, buf[0]);
	const char *wanted = thousands(exact->wanted, buf[1]);
	const char *steps = thousands(exact->steps, buf[2]);

	if (end == EXACT_ENDED) {
		fprintf(out, "'%s' ended after %s of %s instructions\n", name, count, wanted);
		return;
	}
	fprintf(out, "'%s' (pid %d) %s after %s%s instructions, at 0x%llx; %s single steps\n", name,
		exact->pid, then_done[options->then], end == EXACT_REACHED ? "exactly " : "", count,
		(unsigned long long)exact->pc, steps);
	if (end == EXACT_MISSED)
		fprintf(out, "%s were wanted: the interrupt came late, use a larger --skid\n",
			wanted);
}

/* @exact: NULL: of the limits */
static bool report(const struct options *options, const struct exact *exact, enum exact_end end)
{
	struct output output;

	if (!output_open(&output, options->output, false, false))
		return false;
	if (output_begin(&output)) {
		if (!exact && options->json)
			limit_report_json(output.out, &options->limits);
		else if (!exact)
			limit_report_text(output.out, &options->limits, options->command[0]);
		else if (options->json)
			report_json(output.out, options, exact, end);
		else
			report_text(output.out, options, exact, end);
		output_end(&output);
	}
	return output_close(&output);
}

/* -------------------------------------------------------------------------- run -- */

/* A set that counts the child from its exec on. Return: 0, or the exit status after an error. */
static int open_set(struct pmudev *set, pid_t child)
{
	static struct event_list list;
	uint64_t once;

	if (!read_events("instructions:u", &list))
		return EXIT_NOT_RUN;
	if (pmudev_open(set) || pmudev_bind_task(set, child, PMUDEV_BIND_ON_EXEC) ||
	    pmudev_start(set, list.attrs, list.nr, NULL)) {
		complain_events(set, &list);
		return EXIT_NOT_RUN;
	}
	/* That the set can be read is known now, and not when it is too late. */
	if (!pmudev_read_count_slow(set, 0, &once))
		return 0;
	complain_events(set, &list);
	return EXIT_NOT_RUN;
}

/* It is stopped. Return: the exit status. */
static int do_then(const struct options *options, struct exact *exact, enum exact_end end)
{
	switch (options->then) {
	case THEN_KILL:
		kill(exact->pid, SIGKILL);
		break;
	case THEN_CONTINUE:
		if (!exact_let_go(exact, false))
			return EXIT_NOT_RUN;
		break;
	case THEN_STOP:
		if (!exact_let_go(exact, true))
			return EXIT_NOT_RUN;
		break;
	}
	return end == EXACT_REACHED ? EXIT_REACHED : EXIT_MISSED;
}

/* Runs it to the end. Return: the exit status; it was reported. @ended: there is nobody left */
static int run_child(const struct options *options, struct child *child, struct exact *exact,
		     bool *ended)
{
	enum exact_end end;
	int status = open_set(exact->set, child->pid);

	if (!status && !exact_begin(exact))
		status = EXIT_NOT_RUN;
	if (!status)
		status =
			child_release_meanwhile(child, options->command[0], exact_meanwhile, exact);
	if (status)
		return status;
	end = exact_wait(exact);
	*ended = end == EXACT_ENDED;
	if (end == EXACT_FAILED)
		return EXIT_NOT_RUN;
	status = *ended ? child_exit_status(exact->status) : do_then(options, exact, end);
	return report(options, exact, end) ? status : EXIT_NOT_RUN;
}

/* To the last instruction. Return: the exit status. */
static int run_exactly(const struct options *options, struct child *child)
{
	struct pmudev set = { .fd = -1 };
	struct exact exact = {
		.set = &set,
		.pid = child->pid,
		.wanted = options->instructions,
		.skid = options->skid,
	};
	struct rusage usage;
	bool ended = false;
	int end, status = run_child(options, child, &exact, &ended);

	/* A command may end with that status, too: then it is gone. */
	if (status == EXIT_NOT_RUN && !ended)
		kill(child->pid, SIGKILL);
	if (!ended && (options->then != THEN_STOP || status == EXIT_NOT_RUN)) {
		child_end(child, &end, &usage);
		if (options->then == THEN_CONTINUE && status != EXIT_NOT_RUN)
			status = child_exit_status(end);
	}
	pmudev_close(&set);
	return status;
}

/* Within limits. Return: the exit status. */
static int run_limited(struct options *options, struct child *child)
{
	int end, status = limit_run(&options->limits, child, options->command[0], &end);

	if (status)
		return status;
	if (!report(options, NULL, EXACT_ENDED))
		return EXIT_NOT_RUN;
	return options->limits.reached ? EXIT_REACHED : child_exit_status(end);
}

int cmd_run(int argc, char **argv)
{
	struct options options = {};
	struct child child;
	char *program;
	int status = parse_options(argc, argv, &options);

	if (status >= 0)
		return status;
	program = find_command(options.command[0]);
	if (!program)
		return EXIT_NOT_FOUND;
	if (!one_kind_of_cpu() || (options.limits.nr && !limit_prepare(&options.limits)) ||
	    !child_start(&child, program, options.command)) {
		free(program);
		return EXIT_NOT_RUN;
	}
	/* The terminal's signals reach the command by themselves. */
	signal(SIGINT, SIG_IGN);
	signal(SIGQUIT, SIG_IGN);
	status = options.limits.nr ? run_limited(&options, &child) : run_exactly(&options, &child);
	free(program);
	return status;
}
