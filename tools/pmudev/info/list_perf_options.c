// SPDX-License-Identifier: GPL-2.0
/* The options of `perf list` that `pmudev list` does not have, and what to do instead. */
#include <stddef.h>

#include "../common/perf_options.h"

#define SHOWN "descriptions are always shown: leave it out"
#define ALL   "-v shows all names, with their codes"

const struct perf_option list_perf_options[] = {
	{ 'd', "desc", SHOWN },
	{ 0, "no-desc", SHOWN },
	{ 0, "long-desc", ALL },
	{ 0, "details", ALL },
	{ 0, "deprecated", ALL },
	{ 0, "debug", ALL },
	{ 0, "cputype", "each PMU has its part of the list; WORD limits it" },
	{ 0, "unit", "each PMU has its part of the list; WORD limits it" },
	{ 0, "raw-dump", "-j is for programs" },
	{ 'o', "output", "write it into a file: `pmudev list > FILE`" },
	{},
};
