// SPDX-License-Identifier: GPL-2.0
/*
 * The options of `perf stat` that `pmudev stat` does not have, and what to do instead.
 */
#include "../common/perf_options.h"
#include "stat.h"

#define OWN_METRICS "-M counts metrics, also those of your own files: `pmudev list metrics`"

static const struct perf_option options[] = {
	{ 0, "metric-no-group", "-M counts all in one group; with --multiplex each by itself" },
	{ 0, "metric-no-merge", "--multiplex counts the events of each metric by themselves" },
	{ 0, "metric-no-threshold", "metrics have no thresholds" },
	{ 0, "topdown", OWN_METRICS },
	{ 0, "td-level", OWN_METRICS },
	{ 0, "record-tpebs", "it takes latencies from samples, which perf alone has" },
	{ 0, "smi-cost", "it needs the msr PMU, which perf alone has" },
	{ 0, "iostat", "it needs uncore PMUs, which perf alone has" },
	{ 'T', "transaction", "name the events with -e" },
	{ 'b', "bpf-prog",
	  "there are no sets on BPF programs; -C or -a counts them with the rest" },
	{ 0, "bpf-counters", "sets share nothing; --multiplex lets events share counters" },
	{ 0, "bpf-attr-map", "sets share nothing; --multiplex lets events share counters" },
	{ 0, "filter", "it is for tracepoints, which perf alone has" },
	{ 0, "cputype",
	  "name the PMU: -e PMU/EVENT/ (`pmudev list` shows both), or select CPUs by -C" },
	{ 0, "percore-show-thread", "-A shows each CPU, --per-core the sum of a core" },
	{ 0, "per-cache", "-A shows each CPU; --per-die and --per-cluster add up those of one" },
	{ 'g', "group", "put the events into braces: -e '{instructions,cycles}'" },
	{},
};

bool stat_refuse_option(const char *name)
{
	return perf_option_refuse("stat", options, name);
}
