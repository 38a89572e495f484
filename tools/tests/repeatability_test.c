// SPDX-License-Identifier: MIT
/* What `pmudev stat --repeatability` tells of made-up runs, for people and as JSON. */
#include <stdlib.h>

#include "../pmudev/common/json.h"
#include "../pmudev/stat/stat.h"
#include "sysfs.h"

#define RUNS 8

static struct pmudev_pmus *pmus[NR_MACHINES];
static struct measurement m;
static struct repeatability repeatability;
static struct counted counted;
static struct counted_part part;
static struct spread spreads[PMUDEV_MAX_EVENTS];

static void begin(const char *first, const char *second)
{
	struct pmudev_events_error error;

	repeatability_free(&repeatability);
	memset(&m, 0, sizeof(m));
	m.repeatability = &repeatability;
	if (!parse_events("r1,r2", pmus[INTEL], &m.list, &error)) {
		ok(false, error.text);
		exit(tap_end());
	}
	snprintf(m.list.events[0].name, EVENT_NAME, "%s", first);
	snprintf(m.list.events[1].name, EVENT_NAME, "%s", second);
	part = (struct counted_part){ .total.present = 3, .spreads = spreads };
	counted = (struct counted){ .runs = 1, .nr = 1, .parts = &part };
}

/* A run with these counts of both events, and numbers of page faults, signals and the CPU. */
static void add_run(uint64_t first, uint64_t second, uint64_t faults, uint64_t signals,
		    uint64_t cpu)
{
	struct candidate_count *running = repeatability.running;

	part.total.sums[0] = (struct pmudev_sum){ first, first, 1000, 1000 };
	part.total.sums[1] = (struct pmudev_sum){ second, second, 1000, 1000 };
	running[0].value = faults;
	running[4].value = signals;
	running[6].value = cpu;
	snprintf(running[5].why, sizeof(running[5].why), "tracefs is root's");
	repeatability_end(&m, &counted);
}

static const char *printed(void)
{
	static char text[8192];

	memset(text, 0, sizeof(text));
	m.out = fmemopen(text, sizeof(text), "w");
	repeatability_print(&m);
	fclose(m.out);
	return text;
}

static const char *as_json(void)
{
	static char text[8192];
	struct json json = { 0 };

	memset(text, 0, sizeof(text));
	json.out = fmemopen(text, sizeof(text), "w");
	repeatability_json(&m, &json);
	fclose(json.out);
	return text;
}

static void has(const char *text, const char *part_of_it, const char *what)
{
	if (!ok(strstr(text, part_of_it), what))
		printf("# got:    %s\n# wanted: %s\n", text, part_of_it);
}

static void check_repeatable(void)
{
	int i;

	begin("cycles", "instructions:u");
	for (i = 0; i < RUNS; i++)
		add_run(i, 1234567, i, i % 3, 0);
	is(printed(), " instructions:u is repeatable: 1,234,567 in each of 8 runs.\n\n",
	   "one line if all counts are equal");
	has(as_json(),
	    "\"event\": \"instructions:u\", \"runs\": 8, \"repeatable\": true, "
	    "\"min\": 1234567, \"max\": 1234567, \"distinct\": 1, \"percent\": 0.000000",
	    "  as JSON");
	has(as_json(), "\"goes-with\": []", "  which has nothing that counts go with");
}

/* Page faults cost 140 instructions each; the rest does not fit. */
static void check_cost(void)
{
	int i;

	begin("r8:u", "cycles");
	for (i = 0; i < RUNS; i++)
		add_run(1000000 + 140 * (i % 4), 0, 1099 + i % 4, i / 4, i % 2);
	is(printed(),
	   " Repeatability of r8:u, 8 runs:\n"
	   " 1,000,000 to 1,000,420: 4 different counts, 0.0420% apart\n"
	   "\n"
	   " page-faults                1,099 to 1,102  140 for each, to the unit\n"
	   " context-switches                        0  the same in all runs\n"
	   " cpu-migrations                          0  the same in all runs\n"
	   " involuntary-switches                    0  the same in all runs\n"
	   " signals                            0 to 1  counts differ where it is equal\n"
	   " interrupts                                 not counted: tracefs is root's\n"
	   " last-cpu                           0 to 1  counts differ where it is equal\n"
	   " addresses                           fixed  the same in all runs\n"
	   " CPU errata                     none known\n"
	   "\n"
	   " Counts go with page-faults, to the unit (by chance: in 0.2% of all orders of\n"
	   " the runs).\n"
	   " page-faults: count a part that touches its memory before (MAP_POPULATE,\n"
	   " mlockall(2)); run once before, so that files are cached.\n"
	   " That is a correlation: the cause may be something else that goes with it.\n"
	   "\n",
	   "page faults cost so many each");
	has(as_json(),
	    "{\"name\": \"page-faults\", \"min\": 1099, \"max\": 1102, \"distinct\": 4, "
	    "\"relation\": \"each\", \"each\": 140, \"correlation\": 1.000000, "
	    "\"chance\": 0.002, ",
	    "  as JSON: the candidate");
	has(as_json(), "{\"name\": \"interrupts\", \"why\": \"tracefs is root's\"}",
	    "  one that was not counted");
	has(as_json(), "\"goes-with\": [\"page-faults\"]", "  what counts go with");
	has(as_json(), "\"counts\": [1000000, 1000140, 1000280, 1000420, 1000000, ",
	    "  the counts");
}

static void check_names(void)
{
	int i;

	begin("instructions:u", "cycles");
	for (i = 0; i < 2 * RUNS; i++)
		add_run(i % 2 ? 500 : 700, 0, 1, 0, i % 2 ? 3 : 11);
	has(printed(),
	    " last-cpu                          3 to 11  equal counts whenever it is equal\n",
	    "names that counts go with");
	has(as_json(), "\"goes-with\": [\"last-cpu\"]", "  as JSON");
}

static void check_none(void)
{
	static const uint64_t counts[RUNS] = { 7, 3, 9, 2, 8, 1, 5, 4 };
	int i;

	begin("instructions:u", "cycles");
	for (i = 0; i < RUNS; i++)
		add_run(counts[i], 0, 1, 0, i % 2);
	has(printed(), "\n None of these explains it.\n Look at time, random numbers",
	    "nothing explains it");
	has(as_json(), "\"goes-with\": []", "  as JSON");
	repeatability.random = true;
	has(printed(), "`setarch -R`", "random addresses are named");
	has(as_json(), "\"random-addresses\": true", "  as JSON");
}

/* Nearly a line. */
static void check_along(void)
{
	int i;

	begin("instructions:u", "cycles");
	for (i = 0; i < RUNS; i++)
		add_run(100 * (i / 2) + i % 2, 0, i / 2, 0, 0);
	has(printed(),
	    " page-faults                        0 to 3  not exactly: correlation 0.999\n",
	    "correlated, not exactly");
	has(printed(), " Counts go along with page-faults, but not to the unit.\n",
	    "  which is told");
	has(printed(), " None of these explains it to the unit.\n", "  and does not explain it");
	has(as_json(), "\"relation\": \"along\"", "  as JSON");
	has(as_json(), "\"goes-with\": []", "  which has nothing that counts go with");
}

/* A run that was cut short is none; one that was not counted leaves nothing to tell. */
static void check_lost(void)
{
	begin("instructions:u", "cycles");
	m.run.interrupted = true;
	add_run(1, 0, 0, 0, 0);
	is_number(repeatability.runs, 0, "an interrupted run is not noted");
	has(printed(), "is not known: no run was counted.", "  no run is left");
	m.run.interrupted = false;
	add_run(1, 0, 0, 0, 0);
	part.total.present = 0;
	repeatability_end(&m, &counted);
	has(printed(), "Repeatability of instructions:u is not known: removed from the set.",
	    "a run was not counted");
	has(as_json(), "\"repeatable\": null, \"why\": \"removed from the set\"", "  as JSON");
}

int main(void)
{
	fake_machines(pmus);
	check_repeatable();
	check_cost();
	check_names();
	check_none();
	check_along();
	check_lost();
	repeatability_free(&repeatability);
	return tap_end();
}
