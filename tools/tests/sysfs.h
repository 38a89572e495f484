/* SPDX-License-Identifier: MIT */
/* A made-up /sys/class/pmudev in a temporary folder, and what the command reads of it. */
#ifndef SYSFS_H
#define SYSFS_H

#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include <pmudev_events.h>
#include "tap.h"

/* A file of a PMU: its path and its line. */
struct fake_file {
	const char *path;
	const char *text;
};

static const struct fake_file fake_intel[] = {
	{ "cpumask", "0-3" },
	{ "caps/arch", "intel" },
	{ "caps/counters", "0-3,32-34" },
	{ "caps/generic", "0x000000000000007f" },
	{ "caps/width", "48" },
	{ "caps/threshold_max", "0x000000ff" },
	{ "format/event", "config:0-7" },
	{ "format/umask", "config:8-15,40-47" },
	{ "format/edge", "config:18" },
	{ "format/inv", "config:23" },
	{ "format/cmask", "config:24-31" },
	{ "format/threshold", "threshold:0-7" },
	{ "format/threshold_compare", "threshold_compare:0-1" },
	{ "format/threshold_count", "flags:11" },
	{ "format/user_read", "flags:6" },
	{ "format/counters", "allowed:0-63" },
	{ "format/frobs", "config:50-51" },
	{ "format/later", "colour:0-3" },
	{ "events/instructions", "event=0xc0,umask=0x00" },
	{ "events/slots", "event=0xa4,umask=0x01" },
	{ "events/branch-misses", "event=0xc5,umask=0x00" },
	{ "events/stalls", "event=0xa2,cmask=4,inv" },
	{ "events/broken", "event=0xa2,frobs=4" },
	{ NULL, NULL },
};

/* Without thresholds. */
static const struct fake_file fake_big[] = {
	{ "cpumask", "0,2" },
	{ "caps/arch", "arm64" },
	{ "caps/counters", "0-5,32" },
	{ "caps/available", "1-5,32" },
	{ "caps/generic", "0x0000000000000003" },
	{ "caps/width", "64" },
	{ "caps/threshold_max", "0x00000000" },
	{ "format/event", "config:0-15" },
	{ "format/long", "flags:5" },
	{ "format/counters", "allowed:0-63" },
	{ "events/cpu_cycles", "event=0x0011" },
	{ "events/inst_retired", "event=0x0008" },
	{ "events/stall_slot", "event=0x003f" },
	{ "events/stall_frontend", "event=0x0023" },
	{ "events/odd_one", "event=0x0070" },
	{ NULL, NULL },
};

/* With. It lacks stall_frontend. */
static const struct fake_file fake_small[] = {
	{ "cpumask", "1,3" },
	{ "caps/arch", "arm64" },
	{ "caps/counters", "0-3,32" },
	{ "caps/generic", "0x0000000000000003" },
	{ "caps/width", "64" },
	{ "caps/threshold_max", "0x000000ff" },
	{ "format/event", "config:0-15" },
	{ "format/long", "flags:9" },
	{ "format/counters", "allowed:0-63" },
	{ "format/threshold", "threshold:0-7" },
	{ "format/threshold_compare", "threshold_compare:0-1" },
	{ "format/threshold_count", "flags:11" },
	{ "events/cpu_cycles", "event=0x0011" },
	{ "events/inst_retired", "event=0x0008" },
	{ "events/stall_slot", "event=0x003f" },
	{ "events/odd_one", "event=0x0071" },
	{ NULL, NULL },
};

static inline void fake_pmu(const char *root, const char *name, const struct fake_file *files)
{
	static const char *const folders[] = { "", "/caps", "/format", "/events" };
	char path[256];
	FILE *file;
	size_t i;

	for (i = 0; i < sizeof(folders) / sizeof(*folders); i++) {
		snprintf(path, sizeof(path), "%s/%s%s", root, name, folders[i]);
		mkdir(path, 0755);
	}
	for (; files->path; files++) {
		snprintf(path, sizeof(path), "%s/%s/%s", root, name, files->path);
		file = fopen(path, "w");
		if (!file)
			continue;
		fprintf(file, "%s\n", files->text);
		fclose(file);
	}
}

enum machine {
	NO_SYSFS,
	INTEL,	    /* intel_core */
	BIG_LITTLE, /* armv8_pmuv3 without thresholds, armv8_pmuv3_1 with */
	LITTLE,	    /* armv8_pmuv3 with thresholds */
	NR_MACHINES,
};

/* Loads what the command finds on each of them. The folder is gone afterwards. */
static inline void fake_machines(struct pmudev_pmus *pmus[NR_MACHINES])
{
	char root[] = "/tmp/pmudev-test-XXXXXX", path[64], remove[96];
	int i;

	ok(mkdtemp(root), "a temporary folder");
	for (i = 0; i < NR_MACHINES; i++) {
		snprintf(path, sizeof(path), "%s/%d", root, i);
		if (i != NO_SYSFS)
			mkdir(path, 0755);
		if (i == INTEL)
			fake_pmu(path, "intel_core", fake_intel);
		if (i == BIG_LITTLE)
			fake_pmu(path, "armv8_pmuv3", fake_big);
		if (i == BIG_LITTLE)
			fake_pmu(path, "armv8_pmuv3_1", fake_small);
		if (i == LITTLE)
			fake_pmu(path, "armv8_pmuv3", fake_small);
		ok(!pmudev_pmus_load(&pmus[i], path), "  a machine's PMUs are read from it");
	}
	snprintf(remove, sizeof(remove), "rm -r %s", root);
	ok(!system(remove), "  and it is removed");
}

#endif /* SYSFS_H */
