// SPDX-License-Identifier: GPL-2.0
/*
 * pmudev - shows the performance counters and counts programs with them.
 */
#include <signal.h>
#include <string.h>

#include "common/cmd.h"

static const struct {
	const char *name;
	int (*run)(int argc, char **argv);
	const char *about;
} commands[] = {
	{ "info", cmd_info, "the CPU's counters, who uses them, what is enabled" },
	{ "list", cmd_list, "what can be counted here: events by name, and their terms" },
	{ "explain", cmd_explain, "which counters events would get, or who holds them" },
	{ "stat", cmd_stat, "count the events of a program, a process, a thread or some CPUs" },
	{ "doctor", cmd_doctor, "can this machine count, and can its counts be trusted?" },
	{ "run", cmd_run, "run a program for exactly so many instructions" },
	{ "exec", cmd_exec, "run a program that uses perf_event_open(), with pmudev behind it" },
	{ "record", cmd_record, "write down where a program was, each so many events" },
	{ "report", cmd_report, "count what record wrote by function, line, file or thread" },
	{ "top", cmd_top, "show what processes or CPUs count, sorted, on a screen" },
	{ "monitor", cmd_monitor, "show what CPUs count, every second" },
	{ "verify-counters", cmd_verify_counters, "count events twice: do two counters agree?" },
	{ "exporter", cmd_exporter, "serve what CPUs count to Prometheus" },
	{ "bench", cmd_bench, "what counting costs on this machine, next to perf" },
	{ "convert-metrics", cmd_convert_metrics, "make metrics of what `perf list -j` prints" },
	{ "plot", cmd_plot, "draw what `stat --json` or `monitor --json` wrote" },
	{ "compare", cmd_compare, "compare two files of `stat --json`: totals, IPC, over time" },
};

static void show_help(FILE *out)
{
	size_t i;

	fprintf(out, "usage: pmudev COMMAND [options]\n\n");
	for (i = 0; i < ARRAY_SIZE(commands); i++)
		fprintf(out, "  %-15s %s\n", commands[i].name, commands[i].about);
	fprintf(out, "\n`pmudev help COMMAND` describes a command, --version shows the version.\n");
}

static int run_command(int argc, char **argv)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(commands); i++)
		if (!strcmp(argv[0], commands[i].name))
			return commands[i].run(argc, argv);
	complain("there is no command '%s'; `pmudev --help` lists them", argv[0]);
	return EXIT_USAGE;
}

static int run(int argc, char **argv)
{
	if (argc < 2) {
		show_help(stderr);
		return EXIT_USAGE;
	}
	if (!strcmp(argv[1], "help") && argc > 2)
		return run_command(2, (char *[]){ argv[2], "--help", NULL });
	if (!strcmp(argv[1], "--help") || !strcmp(argv[1], "-h") || !strcmp(argv[1], "help")) {
		show_help(stdout);
		return 0;
	}
	if (!strcmp(argv[1], "--version") || !strcmp(argv[1], "-V")) {
		printf("pmudev %s (ABI %d)\n", PMUDEV_LIB_VERSION, PMUDEV_ABI_VERSION);
		return 0;
	}
	return run_command(argc - 1, argv + 1);
}

int main(int argc, char **argv)
{
	int status;

	/* If the parent ignores SIGCHLD, a command's status would be lost. */
	signal(SIGCHLD, SIG_DFL);
	status = run(argc, argv);
	/* The error was reported. */
	return status || stdout_arrived() ? status : 1;
}
