// SPDX-License-Identifier: MIT
/* perf's event numbers as pmudev's. */
#define _GNU_SOURCE
#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "real.h"
#include "set.h"

#define DEVICES "/sys/bus/event_source/devices"

#define GENERIC(event) (1ULL << 32 | (event))
#define NONE	       0

/* The vendor that has these event numbers: the tables' rows */
enum {
	ARM64,
	INTEL,
	AMD,
	NR_MACHINES
};

/* PERF_COUNT_HW_*: a raw number, or GENERIC(); NONE: only perf knows */
static const uint64_t hardware[NR_MACHINES][PERF_COUNT_HW_MAX] = {
	[ARM64] = {
		/* What perf's driver counts by these names */
		[PERF_COUNT_HW_CPU_CYCLES] = GENERIC(PMUDEV_CYCLES),
		[PERF_COUNT_HW_INSTRUCTIONS] = GENERIC(PMUDEV_INSTRUCTIONS),
		[PERF_COUNT_HW_CACHE_REFERENCES] = 0x04,
		[PERF_COUNT_HW_CACHE_MISSES] = 0x03,
		[PERF_COUNT_HW_BRANCH_INSTRUCTIONS] = GENERIC(PMUDEV_BRANCHES),
		[PERF_COUNT_HW_BRANCH_MISSES] = 0x10,
		[PERF_COUNT_HW_BUS_CYCLES] = 0x1d,
		[PERF_COUNT_HW_STALLED_CYCLES_FRONTEND] = 0x23,
		[PERF_COUNT_HW_STALLED_CYCLES_BACKEND] = 0x24,
	},
	[INTEL] = {
		[PERF_COUNT_HW_CPU_CYCLES] = GENERIC(PMUDEV_CYCLES),
		[PERF_COUNT_HW_INSTRUCTIONS] = GENERIC(PMUDEV_INSTRUCTIONS),
		[PERF_COUNT_HW_CACHE_REFERENCES] = GENERIC(PMUDEV_CACHE_REFERENCES),
		[PERF_COUNT_HW_CACHE_MISSES] = GENERIC(PMUDEV_CACHE_MISSES),
		[PERF_COUNT_HW_BRANCH_INSTRUCTIONS] = GENERIC(PMUDEV_BRANCHES),
		[PERF_COUNT_HW_BRANCH_MISSES] = GENERIC(PMUDEV_BRANCH_MISSES),
		[PERF_COUNT_HW_BUS_CYCLES] = 0x013c,
		[PERF_COUNT_HW_REF_CPU_CYCLES] = GENERIC(PMUDEV_REF_CYCLES),
	},
	[AMD] = {
		/* Stalls differ from family to family. */
		[PERF_COUNT_HW_CPU_CYCLES] = GENERIC(PMUDEV_CYCLES),
		[PERF_COUNT_HW_INSTRUCTIONS] = GENERIC(PMUDEV_INSTRUCTIONS),
		[PERF_COUNT_HW_CACHE_REFERENCES] = GENERIC(PMUDEV_CACHE_REFERENCES),
		[PERF_COUNT_HW_CACHE_MISSES] = GENERIC(PMUDEV_CACHE_MISSES),
		[PERF_COUNT_HW_BRANCH_INSTRUCTIONS] = GENERIC(PMUDEV_BRANCHES),
		[PERF_COUNT_HW_BRANCH_MISSES] = GENERIC(PMUDEV_BRANCH_MISSES),
		[PERF_COUNT_HW_REF_CPU_CYCLES] = GENERIC(PMUDEV_REF_CYCLES),
	},
};

/* PERF_COUNT_HW_CACHE_*, of reads: references, misses. Others of x86 differ from CPU to CPU. */
static const uint64_t caches[NR_MACHINES][PERF_COUNT_HW_CACHE_MAX][2] = {
	[ARM64] = {
		[PERF_COUNT_HW_CACHE_L1D] = { 0x04, 0x03 },
		[PERF_COUNT_HW_CACHE_L1I] = { 0x14, 0x01 },
		[PERF_COUNT_HW_CACHE_LL] = { 0x36, 0x37 },
		[PERF_COUNT_HW_CACHE_DTLB] = { 0x25, 0x05 },
		[PERF_COUNT_HW_CACHE_ITLB] = { 0x26, 0x02 },
		[PERF_COUNT_HW_CACHE_BPU] = { 0x12, 0x10 },
	},
	[INTEL] = {
		[PERF_COUNT_HW_CACHE_BPU] = { 0x00c4, 0x00c5 },
	},
	[AMD] = {
		[PERF_COUNT_HW_CACHE_BPU] = { 0x00c2, 0x00c3 },
	},
};

/* Which of them this is; -1: none. */
static int machine(void)
{
	static atomic_int known; /* 0: not yet; else one more than what is returned */
	struct pmudev_query query;
	int now = atomic_load(&known);

	if (!now) {
		if (!set_query(&query) || query.nr_pmus > 1)
			return -1;
		now = 1 + (query.arch == PMUDEV_ARCH_ARM64 ? ARM64 :
			   query.arch == PMUDEV_ARCH_AMD   ? AMD :
							     INTEL);
		atomic_store(&known, now);
	}
	return now - 1;
}

static bool has_type(const char *name, uint32_t type)
{
	char path[512], text[16];
	ssize_t got;
	int fd;

	snprintf(path, sizeof(path), DEVICES "/%s/type", name);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return false;
	got = real()->read(fd, text, sizeof(text) - 1);
	real()->close(fd);
	text[got > 0 ? got : 0] = '\0';
	return got > 0 && strtoul(text, NULL, 10) == type;
}

/* Is it the type of the CPU's own PMU? Others are of caches, memory, software. */
static bool is_cpu(uint32_t type)
{
	DIR *dir = opendir(DEVICES);
	struct dirent *entry;
	bool found = false;

	while (dir && !found && (entry = readdir(dir)))
		found = (!strcmp(entry->d_name, "cpu") || !strncmp(entry->d_name, "armv", 4)) &&
			has_type(entry->d_name, type);
	if (dir)
		closedir(dir);
	return found;
}

static bool is_of_cpus(uint32_t type)
{
	return type == PERF_TYPE_HARDWARE || type == PERF_TYPE_HW_CACHE || type == PERF_TYPE_RAW ||
	       (type > PERF_TYPE_BREAKPOINT && is_cpu(type));
}

static bool put(struct pmudev_event_attr *to, uint64_t event)
{
	to->type = event >> 32 ? PMUDEV_TYPE_GENERIC : PMUDEV_TYPE_RAW;
	to->config = (uint32_t)event;
	return event != NONE;
}

static bool encode_cache(int arch, uint64_t config, struct pmudev_event_attr *to)
{
	unsigned int cache = config & 0xff, op = config >> 8 & 0xff, result = config >> 16;

	return cache < PERF_COUNT_HW_CACHE_MAX && op == PERF_COUNT_HW_CACHE_OP_READ && result < 2 &&
	       put(to, caches[arch][cache][result]);
}

/* What perf lets a raw event say: event, unit mask, edge, invert, counter mask. */
#define INTEL_BITS 0xff84ffffULL
#define AMD_BITS   0xfff84ffffULL

/*
 * arm64: config1 has bits for a long counter and for user reads, which change no count. Intel: what
 * has no event number has a counter of its own; config1 has what else the CPU must be told. AMD: 0
 * is an event, too.
 */
static bool encode_raw(int arch, const struct perf_event_attr *attr, struct pmudev_event_attr *to)
{
	to->type = PMUDEV_TYPE_RAW;
	to->config = attr->config;
	if (arch == ARM64)
		return !(attr->config1 & ~3ULL) && !attr->config2;
	to->config &= arch == INTEL ? INTEL_BITS : AMD_BITS;
	return (arch == AMD || to->config & 0xff) && !attr->config1 && !attr->config2;
}

static uint32_t flags_of(const struct perf_event_attr *attr)
{
	return (attr->exclude_user ? PMUDEV_EXCLUDE_USER : 0) |
	       (attr->exclude_kernel ? PMUDEV_EXCLUDE_KERNEL : 0) |
	       (attr->exclude_hv ? PMUDEV_EXCLUDE_HV : 0) |
	       (attr->exclude_host ? PMUDEV_EXCLUDE_HOST : 0) |
	       (attr->exclude_guest ? PMUDEV_EXCLUDE_GUEST : 0);
}

static bool is_dummy(const struct perf_event_attr *attr)
{
	return attr->type == PERF_TYPE_SOFTWARE && attr->config == PERF_COUNT_SW_DUMMY;
}

bool perf_encode(const struct perf_event_attr *attr, struct pmudev_event_attr *to, bool *dummy)
{
	int arch;

	/* Frequencies, exact addresses, other records, and signals of its own kind are perf's. */
	if (attr->freq || attr->precise_ip || attr->mmap || attr->comm || attr->task ||
	    attr->aux_output || attr->sigtrap || attr->inherit_thread || attr->remove_on_exec)
		return false;
	*dummy = is_dummy(attr) && !attr->sample_period;
	if (!*dummy && !is_of_cpus(attr->type))
		return false;
	arch = machine();
	if (arch < 0)
		return false;
	memset(to, 0, sizeof(*to));
	to->flags = flags_of(attr);
	if (*dummy)
		return true;
	switch (attr->type) {
	case PERF_TYPE_HARDWARE:
		return attr->config < PERF_COUNT_HW_MAX && put(to, hardware[arch][attr->config]);
	case PERF_TYPE_HW_CACHE:
		return encode_cache(arch, attr->config, to);
	default:
		return encode_raw(arch, attr, to);
	}
}
