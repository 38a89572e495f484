// SPDX-License-Identifier: GPL-2.0
/* The options of `perf record` that `pmudev record` does not have, and what to do instead. */
#include <stddef.h>

#include "../common/perf_options.h"

#define GRAPHS	 "there are no call graphs: `perf record -g` has them"
#define ON_CPUS	 "a program is sampled, or a process with -p; `pmudev stat -a` counts CPUs"
#define IS_THERE "each sample has it: leave it out"
#define NO_MORE	 "it changes nothing here: leave it out"
#define SAMPLES	 "samples have an address of code and counts; perf record alone has more"
#define BRANCHES "branch records are perf record's alone"
#define ALL	 "all samples go into one file, until the end or Ctrl-C"

const struct perf_option record_perf_options[] = {
	{ 'F', "freq", "a sample is taken each N events: -c N" },
	{ 'g', NULL, GRAPHS },
	{ 0, "call-graph", GRAPHS },
	{ 0, "user-callchains", GRAPHS },
	{ 0, "kernel-callchains", GRAPHS },
	{ 'a', "all-cpus", ON_CPUS },
	{ 'C', "cpu", ON_CPUS },
	{ 't', "tid", "-p PID samples all threads of a process; `pmudev report --by thread`" },
	{ 0, "per-thread", "-p PID samples all threads of a process; `pmudev report --by thread`" },
	{ 'u', "uid", "name a process: -p PID" },
	{ 'G', "cgroup", "`pmudev stat -G` counts cgroups; perf record alone samples them" },
	{ 'b', "branch-any", BRANCHES },
	{ 0, "branch-filter", BRANCHES },
	{ 0, "all-user", "write :u behind the event: -e cycles:u" },
	{ 0, "all-kernel", "write :k behind the event: -e cycles:k" },
	{ 'D', "delay", "it records from the start; begin later with -p PID" },
	{ 0, "control", "it records from the start; begin later with -p PID" },
	{ 'T', "timestamp", IS_THERE },
	{ 'P', "period", IS_THERE },
	{ 0, "sample-cpu", IS_THERE },
	{ 'n', "no-samples", "`pmudev stat` counts without samples" },
	{ 's', "stat", "`pmudev report --by thread` counts samples by thread" },
	{ 'd', "data", SAMPLES },
	{ 0, "phys-data", SAMPLES },
	{ 'W', "weight", SAMPLES },
	{ 'I', "intr-regs", SAMPLES },
	{ 0, "user-regs", SAMPLES },
	{ 0, "transaction", SAMPLES },
	{ 'R', "raw-samples", "it is for tracepoints, which perf alone has" },
	{ 0, "filter", "it is for tracepoints, which perf alone has" },
	{ 0, "mmap-pages", "-m BYTES is the memory for samples" },
	{ 'r', "realtime", "`chrt -f N pmudev record ...` gives it a priority" },
	{ 'z', "compression-level", "compress the file afterwards" },
	{ 'S', "snapshot", ALL },
	{ 0, "switch-output", ALL },
	{ 0, "overwrite", ALL },
	{ 0, "max-size", ALL },
	{ 'B', "no-buildid", NO_MORE },
	{ 'N', "no-buildid-cache", NO_MORE },
	{ 'k', "clockid", NO_MORE },
	{ 'q', "quiet", NO_MORE },
	{ 'v', "verbose", NO_MORE },
	{ 0, "group", "put the events into braces: -e '{cycles,instructions}'" },
	{},
};
