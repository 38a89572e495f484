// SPDX-License-Identifier: MIT
/* The events of `pmudev stat -d`, on CPUs that this machine need not have. */
#include "../pmudev/stat/detailed.h"
#include "../pmudev/common/events.h"
#include "cpus.h"

static struct pmudev_pmus *pmus[NR_KINDS];

#define BRANCHES "{branches,branch-misses}"
#define L1	 "{L1-dcache-loads,L1-dcache-load-misses}"
#define LAST	 "{cache-references,cache-misses}"
#define BOTH	 "{instructions,cycles}"

static const struct {
	enum cpu cpu;
	const char *before;
	const char *events;
	const char *missing;
} cases[] = {
	{ SKYLAKE, NULL, BOTH "," BRANCHES "," L1 "," LAST, "" },
	{ SKYLAKE, "r1", "r1," BRANCHES "," L1 "," LAST, "" },
	{ SAPPHIRE_RAPIDS, NULL, BOTH "," BRANCHES "," L1 "," LAST, "" },
	/* Its small cores count no misses. */
	{ ALDER_LAKE, NULL, BOTH "," BRANCHES "," L1 "," LAST, "" },
	{ LATER_INTEL, NULL, BOTH "," BRANCHES "," LAST, "L1-dcache-loads, L1-dcache-load-misses" },
	{ GOLDMONT, NULL, BOTH "," BRANCHES ",L1-dcache-loads," LAST, "L1-dcache-load-misses" },
	{ NEOVERSE, NULL, BOTH "," L1, "branches, branch-misses, cache-references, cache-misses" },
	{ POOR_ARM, NULL, BOTH,
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
		detailed_events(&events, pmus[cases[i].cpu], missing, sizeof(missing));
		is(events, cases[i].events, "events of -d");
		is(missing, cases[i].missing, "  and what is missing");
		ok(parse_events(events, pmus[cases[i].cpu], &list, &error), "  that can be parsed");
		free(events);
	}
	for (i = 0; i < NR_KINDS; i++)
		pmudev_pmus_free(pmus[i]);
	return tap_end();
}
