// SPDX-License-Identifier: MIT
/* The events of `pmudev stat -d`, on CPUs that this machine need not have. */
#include "../pmudev/common/detailed.h"
#include "../pmudev/common/events.h"
#include "cpus.h"

static struct pmudev_pmus *pmus[NR_KINDS];

#define BRANCHES "{branches,branch-misses}"
#define L1	 "{L1-dcache-loads,L1-dcache-load-misses}"
#define LAST	 "{cache-references,cache-misses}"
#define SECOND \
	"L1-icache-load-misses,{dTLB-loads,dTLB-load-misses},{iTLB-loads,iTLB-load-misses}"
#define BOTH	 "{instructions,cycles}"

static const struct {
	enum cpu cpu;
	unsigned int level;
	const char *before;
	const char *events;
	const char *missing;
} cases[] = {
	{ SKYLAKE, 1, NULL, BOTH "," BRANCHES "," L1 "," LAST, "" },
	{ SKYLAKE, 1, "r1", "r1," BRANCHES "," L1 "," LAST, "" },
	{ SKYLAKE, 2, NULL, BOTH "," BRANCHES "," L1 "," LAST "," SECOND, "L1-icache-loads" },
	{ SKYLAKE, 3, "r1", "r1," BRANCHES "," L1 "," LAST "," SECOND,
	  "L1-icache-loads, L1-dcache-prefetches, L1-dcache-prefetch-misses" },
	{ SAPPHIRE_RAPIDS, 1, NULL, BOTH "," BRANCHES "," L1 "," LAST, "" },
	/* Its small cores count no misses. */
	{ ALDER_LAKE, 1, NULL, BOTH "," BRANCHES "," L1 "," LAST, "" },
	{ LATER_INTEL, 1, NULL, BOTH "," BRANCHES "," LAST,
	  "L1-dcache-loads, L1-dcache-load-misses" },
	{ GOLDMONT, 1, NULL, BOTH "," BRANCHES ",L1-dcache-loads," LAST, "L1-dcache-load-misses" },
	{ NEOVERSE, 1, NULL, BOTH "," L1,
	  "branches, branch-misses, cache-references, cache-misses" },
	{ POOR_ARM, 1, NULL, BOTH,
	  "branches, branch-misses, L1-dcache-loads, L1-dcache-load-misses, cache-references, "
	  "cache-misses" },
};

int main(void)
{
	struct pmudev_events_error error;
	struct event_list list;
	char missing[256];
	char *events;
	size_t i;

	fake_cpus(pmus);
	for (i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		events = NULL;
		if (cases[i].before)
			events = strdup(cases[i].before);
		missing[0] = '\0';
		detailed_events(&events, pmus[cases[i].cpu], cases[i].level, missing,
				sizeof(missing));
		is(events, cases[i].events, "events of -d");
		is(missing, cases[i].missing, "  and what is missing");
		ok(parse_events(events, pmus[cases[i].cpu], &list, &error), "  that can be parsed");
		free(events);
	}
	for (i = 0; i < NR_KINDS; i++)
		pmudev_pmus_free(pmus[i]);
	return tap_end();
}
