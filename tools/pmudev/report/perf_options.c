// SPDX-License-Identifier: GPL-2.0
/* The options of `perf report` that `pmudev report` does not have, and what to do instead. */
#include <stddef.h>

#include "../common/perf_options.h"

#define GRAPHS	"there are no call graphs: `perf record -g` has them; samples are a row's own"
#define ROWS	"select rows afterwards: `pmudev report -n 0 | grep WORD`"
#define COLUMNS "the recording is a table that has it in a column, for programs of your own"
#define NAMES	"the kernel's names are those of the machine that recorded"
#define NO_MORE "it changes nothing here: leave it out"
#define SOURCE	"`pmudev report --by line` counts lines; perf annotate shows the code"

const struct perf_option report_perf_options[] = {
	{ 'i', "input", "name the file without an option: `pmudev report FILE`" },
	{ 's', "sort", "--by symbol, file, line or thread says what a row is" },
	{ 'F', "fields", "--by symbol, file, line or thread says what a row is" },
	{ 'g', "call-graph", GRAPHS },
	{ 'G', "inverted", GRAPHS },
	{ 0, "children", GRAPHS },
	{ 0, "no-children", GRAPHS },
	{ 'p', "parent", GRAPHS },
	{ 'x', "exclude-other", GRAPHS },
	{ 0, "max-stack", GRAPHS },
	{ 'T', "threads", "--by thread" },
	{ 0, "hierarchy", "--by symbol, file, line or thread, one at a time" },
	{ 'c', "comms", ROWS },
	{ 'd', "dsos", ROWS },
	{ 'S', "symbols", ROWS },
	{ 'U', "hide-unresolved", ROWS },
	{ 0, "symbol-filter", ROWS },
	{ 'C', "cpu", COLUMNS },
	{ 0, "pid", COLUMNS },
	{ 0, "tid", COLUMNS },
	{ 0, "time", COLUMNS },
	{ 'D', "dump-raw-trace", "the recording is text: read it" },
	{ 't', "field-separator", "-j is for programs" },
	{ 0, "percent-limit", "-n N shows the first N rows" },
	{ 0, "show-nr-samples", "the number of samples is always shown" },
	{ 0, "show-total-period", "samples times the period of the first line" },
	{ 0, "stdio", "it is always text: leave it out" },
	{ 0, "tui", "it is always text: `pmudev report | less`" },
	{ 0, "gtk", "it is always text: `pmudev report | less`" },
	{ 'k', "vmlinux", NAMES },
	{ 0, "kallsyms", NAMES },
	{ 'm', "modules", NAMES },
	{ 0, "demangle", "`pmudev report | c++filt`" },
	{ 0, "no-demangle", "names are never demangled: leave it out" },
	{ 'M', "disassembler-style", SOURCE },
	{ 0, "source", SOURCE },
	{ 0, "objdump", SOURCE },
	{ 'b', "branch-stack", "branch records are perf record's alone" },
	{ 0, "mem-mode", "addresses of data are perf record's alone" },
	{ 'I', "show-info", "`pmudev info` describes the machine" },
	{ 0, "header", "`pmudev info` describes the machine" },
	{ 0, "header-only", "`pmudev info` describes the machine" },
	{ 'w', "column-widths", NO_MORE },
	{ 'f', "force", NO_MORE },
	{ 'q', "quiet", NO_MORE },
	{ 'v', "verbose", NO_MORE },
	{},
};
