// SPDX-License-Identifier: GPL-2.0
/* Which options of `pmudev stat` go together. */
#include <string.h>

#include "../common/cmd.h"
#include "stat.h"

bool stat_options_fit(const struct stat_options *options)
{
	const bool on_cpus = options->target.kind == TARGET_CPUS;
	const bool none = options->target.kind == TARGET_NONE;
	const struct {
		bool wrong;
		const char *text;
	} rules[] = {
		{ !options->command && options->target.kind == TARGET_NONE,
		  "no command to run; for instance: pmudev stat -- sleep 1; or -a, all CPUs" },
		{ options->repeat != 1 && !options->command,
		  "-r repeats a command: there is none; for instance: pmudev stat -r 5 -- true" },
		{ options->repeat != 1 && options->interval,
		  "-r excludes -I: intervals of several runs have no mean" },
		{ options->table && options->repeat < 2,
		  "--table shows the time of each run: it needs -r and a number above 1" },
		{ options->repeatability && options->repeat < 3,
		  "--repeatability compares runs: it needs -r and a number above 2, such as 20" },
		{ options->repeatability && !none,
		  "--repeatability is of a command: leave out -p, -t, -C, -a and -G" },
		{ options->repeatability &&
			  (options->null || options->multiplex || options->delay ||
			   options->timeout || options->control.commands >= 0),
		  "--repeatability needs counts of whole runs: leave out -n, --multiplex, -D, "
		  "--timeout and --control" },
		{ options->repeatability && options->format != &human_format &&
			  options->format != &json_format,
		  "--repeatability is shown without a format, or with --json" },
		{ options->repeatability && options->metric_only,
		  "--repeatability is of counts: leave out --metric-only" },
		{ (options->pre || options->post) && !options->command,
		  "--pre and --post run before and after a command: there is none" },
		{ options->target.nr_cgroups && !on_cpus,
		  "-G and --for-each-cgroup count on CPUs: leave out -p and -t" },
		{ options->grouping == GROUP_CPU && !on_cpus,
		  "-A shows each CPU: it needs -C CPUS or -a" },
		{ options->grouping == GROUP_THREAD && (on_cpus || none),
		  "--per-thread shows each thread of a target: it needs -p PIDS or -t TIDS" },
		{ grouping_has_cpus(options->grouping) && !on_cpus,
		  "--per-core and the like add up CPUs: they need -C CPUS or -a" },
		{ options->all_user && options->all_kernel,
		  "only one of --all-user and --all-kernel can be given" },
		{ options->null && (options->events || options->metrics),
		  "-n counts nothing: leave out -e and -M" },
		{ options->delay == DELAY_FOREVER && options->control.commands < 0,
		  "-D -1 waits for \"enable\": from where? --control fd:N or --control fifo:PATH" },
		{ options->output && options->log_fd >= 0,
		  "only one of -o and --log-fd can be given" },
		{ options->metric_only && !metric_only_format(options->format),
		  "--metric-only goes with -x and --json, not with --csv and --openmetrics" },
		{ options->interval_clear && !options->interval, "--interval-clear needs -I MS" },
		{ (options->intervals || options->summary) && !options->interval,
		  "--interval-count and --summary need -I MS" },
		{ options->append && !options->output && options->log_fd < 0,
		  "--append needs -o FILE" },
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
