// SPDX-License-Identifier: MIT
/*
 * The page of `pmudev exporter`, of made-up CPUs: what is written is compared with the files in
 * exporter/. With a folder as argument it is written there instead, to renew the files.
 */
#define _GNU_SOURCE
#include <limits.h>
#include <stdlib.h>

#include <pmudev.h>

#include "../pmudev/exporter/exporter.h"
#include "tap.h"

static struct exporter made;
static struct exporter_cpu cpus[5];
static struct exporter_cpu *order[5];

static void name_events(unsigned int nr, const char *const *names)
{
	unsigned int i;

	for (i = 0; i < made.list.nr; i++) {
		free((void *)made.families[i].name);
		free((void *)made.families[i].help);
	}
	memset(&made, 0, sizeof(made));
	made.list.nr = nr;
	for (i = 0; i < nr; i++)
		snprintf(made.list.events[i].name, EVENT_NAME, "%s", names[i]);
}

static void make_cpu(unsigned int i, uint64_t events, const char *reason)
{
	struct exporter_cpu *c = &cpus[i];
	unsigned int e;

	*c = (struct exporter_cpu){
		.cpu = i,
		.enabled = !reason,
		.counted = events,
		.events = events,
		.time_enabled = 1000000001 + i,
		.time_running = 1000000000 - i,
		.reason = reason,
	};
	for (e = 0; e < PMUDEV_MAX_EVENTS; e++)
		c->values[e] = events >> e & 1 ? 1000 * i + e : 0;
	order[i] = c;
}

/* The default events, and names that need care. */
static void make(void)
{
	static const char *const names[] = {
		"cycles",	  "instructions",      "branch-misses",
		"cache-misses",	  "L1-dcache-loads:u", "cpu/event=0xc5/",
		"odd\\ \"name\"",
	};

	name_events(7, names);
	made.excludes_perf = true;
	made.nr = 5;
	made.cpus = order;
	make_cpu(0, 0x7f, NULL);
	make_cpu(1, 0x0f, NULL);
	make_cpu(2, 0x7f, "offline");
	make_cpu(3, 0, "held by\n\"others\"");
	make_cpu(4, 0, NULL);
	cpus[4].apart = true;
	cpus[0].values[0] = UINT64_MAX;
	ok(page_names(&made), "names");
}

static void write_page(const char *path, bool text)
{
	FILE *out = fopen(path, "w");

	if (!ok(out, path))
		return;
	page_write(out, &made, text);
	fclose(out);
}

static void check_page(const char *path, bool text)
{
	static char got[16384], wanted[16384];
	FILE *file = fmemopen(got, sizeof(got), "w");

	page_write(file, &made, text);
	fclose(file);
	file = fopen(path, "r");
	if (!ok(file, path))
		return;
	wanted[fread(wanted, 1, sizeof(wanted) - 1, file)] = '\0';
	fclose(file);
	is(got, wanted, text ? "the page as text" : "the page as OpenMetrics");
}

/* perf is blocked by a set that is enabled, not by one that waits for its counters. */
static void perf_is_blocked_by_sets(void)
{
	static char got[16384];
	unsigned int enabled;
	FILE *file;

	for (enabled = 0; enabled < 2; enabled++) {
		file = fmemopen(got, sizeof(got), "w");
		make_cpu(0, 0x7f, enabled ? NULL : "held");
		cpus[1].enabled = false;
		cpus[4].enabled = false;
		page_write(file, &made, true);
		fclose(file);
		ok(strstr(got, enabled ? "\npmudev_perf_blocked 1\n" : "\npmudev_perf_blocked 0\n"),
		   enabled ? "perf is blocked by one set" : "and by none while none is enabled");
	}
}

static void names_are_unique(void)
{
	static const char *const twice[] = { "cycles:u", "cycles/u" };
	static const char *const own[] = { "up" };

	name_events(2, twice);
	ok(!page_names(&made), "two events do not have one name");
	name_events(1, own);
	ok(!page_names(&made), "nor an event one of the exporter's own");
}

int main(int argc, char **argv)
{
	const char *folder = argc > 1 ? argv[1] : TESTS_FOLDER "/exporter";
	char path[PATH_MAX];

	make();
	snprintf(path, sizeof(path), "%s/metrics.txt", folder);
	(argc > 1 ? write_page : check_page)(path, true);
	snprintf(path, sizeof(path), "%s/metrics.openmetrics", folder);
	(argc > 1 ? write_page : check_page)(path, false);
	perf_is_blocked_by_sets();
	names_are_unique();
	name_events(0, NULL);
	return tap_end();
}
