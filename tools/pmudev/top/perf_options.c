// SPDX-License-Identifier: GPL-2.0
/* The options of `perf top` that `pmudev top` does not have, and what to do instead. */
#include <stddef.h>

#include "../common/perf_options.h"

#define COUNTS	 "processes are counted, not sampled: leave it out"
#define FUNCTION "functions are in `pmudev record` and `pmudev report`, not here"
#define GRAPHS	 "there are no call graphs: `perf record -g` has them"
#define ROWS	 "a row is a process, or a CPU: -p PIDS, -C CPUS"

const struct perf_option top_perf_options[] = {
	{ 'c', "count", COUNTS },
	{ 'F', "freq", COUNTS },
	{ 'm', "mmap-pages", COUNTS },
	{ 'f', "count-filter", COUNTS },
	{ 0, "show-nr-samples", COUNTS },
	{ 'd', "delay", "-i SECONDS is the interval" },
	{ 'E', "entries", "as many rows as fit are shown; the keys up and down show others" },
	{ 'g', NULL, GRAPHS },
	{ 0, "call-graph", GRAPHS },
	{ 0, "children", GRAPHS },
	{ 0, "no-children", GRAPHS },
	{ 't', "tid", "-p PIDS: a process is counted with all its threads" },
	{ 0, "no-inherit", "a process is counted with all its threads" },
	{ 'u', "uid", "name the processes: -p PIDS" },
	{ 'G', "cgroup", "`pmudev stat -G CGROUP -I 1000` counts a cgroup each second" },
	{ 'K', "hide_kernel_symbols", "count user mode: -e instructions:u,cycles:u" },
	{ 'U', "hide_user_symbols", "count the kernel: -e instructions:k,cycles:k" },
	{ 'z', "zero", "each interval is shown by itself: leave it out" },
	{ 'k', "vmlinux", FUNCTION },
	{ 0, "kallsyms", FUNCTION },
	{ 'D', "dump-symtab", FUNCTION },
	{ 0, "symbols", FUNCTION },
	{ 0, "sym-annotate", FUNCTION },
	{ 0, "source", FUNCTION },
	{ 0, "dsos", ROWS },
	{ 0, "comms", ROWS },
	{ 0, "fields", "-e and -M choose the columns" },
	{ 0, "stdio", "-b is text" },
	{ 0, "tui", "it is a screen on a terminal: leave it out" },
	{ 0, "group", "events are on counters all or none: leave it out" },
	{ 0, "branch-any", "branch records are perf's alone" },
	{ 0, "branch-filter", "branch records are perf's alone" },
	{ 'r', "realtime", "`chrt -f N pmudev top` gives it a priority" },
	{ 'w', "column-widths", "columns are as wide as they must be: leave it out" },
	{ 'v', "verbose", "it has nothing more to tell: leave it out" },
	{},
};
