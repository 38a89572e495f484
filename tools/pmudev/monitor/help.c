// SPDX-License-Identifier: GPL-2.0
#include "../common/cmd.h"
#include "../common/colour.h"
#include "monitor.h"

#define OPTIONS_HELP                                                                          \
	"  -n INTERVALS  end after this many intervals (default: never)\n"                    \
	"  -e LIST       events, separated by commas; they are all on counters, or none is\n" \
	"  --plain       lines on a terminal too\n"                                           \
	"  -j, --json    one object per event, CPU and interval, one per line\n"              \
	"  --csv         one line per CPU and interval, after a header line\n" COLOUR_HELP

const char monitor_help[] =
	"usage: pmudev monitor [-C CPUS | -a] [-i SECONDS] [-n INTERVALS] [-e LIST]\n"
	"                      [--plain | -j | --csv] [--color=WHEN]\n"
	"\n"
	"Counts everything that runs on CPUs, and shows the counts every second: on a terminal as a\n"
	"live table, otherwise line by line. Ctrl-C ends it and shows the sums.\n"
	"\n"
	"  -C CPUS       the CPUs, such as 0-3,5 (default: all online CPUs)\n"
	"  -a            all online CPUs\n"
	"  -i SECONDS    the interval, such as 5 or 0.2 (default: 1)\n" OPTIONS_HELP "\n"
	"The default events are instructions and cycles; of these two, the table has instructions\n"
	"per cycle. A line has the seconds since the start, the CPU if there are several, and a\n"
	"number per event. The last line has the sums. Text after a '#' is a remark. Counting a CPU\n"
	"needs CAP_PERFMON.\n"
	"\n" EVENTS_HELP "\n"
	"  pmudev monitor\n"
	"  pmudev monitor -C 0-3 -i 5 -e instructions,cycles,branch-misses\n";

const char verify_help[] =
	"usage: pmudev verify-counters [-C CPUS | -a] [-i SECONDS] [-n INTERVALS] [-e LIST]\n"
	"                              [--plain | -j | --csv] [--color=WHEN]\n"
	"\n"
	"Counts instructions and cycles twice each, on two counters at the same time, and shows how\n"
	"far they are apart. Both readings must agree except for the instructions that the kernel\n"
	"executes between reading them. Ctrl-C ends it and shows the sums.\n"
	"\n"
	"  -C CPUS       the CPUs, such as 0-3,5 (default: 3, or the last if there are fewer)\n"
	"  -a            all online CPUs\n"
	"  -i SECONDS    the interval, such as 5 or 0.2 (default: 5)\n" OPTIONS_HELP "\n"
	"If an event is in the list again, its difference to the first reading follows its count.\n"
	"The last line has the sums. Counting a CPU needs CAP_PERFMON.\n"
	"\n"
	"The default list on Intel is (CPU event codes C0H and 3CH)\n"
	"  cpu/event=0xc0,umask=0,name=instructions/@2, the same @fixed0,\n"
	"  cpu/event=0x3c,umask=0,name=cycles/@3, the same @fixed1\n"
	"on AMD\n"
	"  instructions@2,instructions@3,cycles@0,cycles@1\n"
	"and on arm64\n"
	"  instructions@2,instructions@4,cycles@3,cycles@fixed0\n"
	"without the events that the CPU lacks.\n"
	"\n"
	"  pmudev verify-counters -C 0 -e instructions@2,instructions@3,branches\n";
