// SPDX-License-Identifier: MIT
/* perf's event numbers as pmudev's. */
#define _GNU_SOURCE
#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../lib/cache_codes.h"
#include "real.h"
#include "set.h"

#define DEVICES "/sys/bus/event_source/devices"

#define GENERIC(event) (1ULL << 32 | (event))
#define NONE	       0

/* PERF_COUNT_HW_*: GENERIC(), or Intel's raw number; NONE: only perf knows */
static const uint64_t x86[PERF_COUNT_HW_MAX] = {
	[PERF_COUNT_HW_CPU_CYCLES] = GENERIC(PMUDEV_CYCLES),
	[PERF_COUNT_HW_INSTRUCTIONS] = GENERIC(PMUDEV_INSTRUCTIONS),
	[PERF_COUNT_HW_CACHE_REFERENCES] = GENERIC(PMUDEV_CACHE_REFERENCES),
	[PERF_COUNT_HW_CACHE_MISSES] = GENERIC(PMUDEV_CACHE_MISSES),
	[PERF_COUNT_HW_BRANCH_INSTRUCTIONS] = GENERIC(PMUDEV_BRANCHES),
	[PERF_COUNT_HW_BRANCH_MISSES] = GENERIC(PMUDEV_BRANCH_MISSES),
	/* AMD has none. Its stalls differ from family to family. */
	[PERF_COUNT_HW_BUS_CYCLES] = 0x013c,
	[PERF_COUNT_HW_REF_CPU_CYCLES] = GENERIC(PMUDEV_REF_CYCLES),
};

static uint64_t arm64(uint64_t event)
{
	switch (event) {
	case PERF_COUNT_HW_CPU_CYCLES:
	case PERF_COUNT_HW_INSTRUCTIONS:
	case PERF_COUNT_HW_BRANCH_INSTRUCTIONS:
		return x86[event];
	/* pmudev's generic events are of the last level; perf's driver counts these. */
	case PERF_COUNT_HW_CACHE_REFERENCES:
		return pmudev_cache_common(L1D_LOADS);
	case PERF_COUNT_HW_CACHE_MISSES:
		return pmudev_cache_common(L1D_LOAD_MISSES);
	case PERF_COUNT_HW_BRANCH_MISSES:
		return pmudev_cache_common(BRANCH_LOAD_MISSES);
	/* BUS_CYCLES, STALL_FRONTEND, STALL_BACKEND */
	case PERF_COUNT_HW_BUS_CYCLES:
		return 0x1d;
	case PERF_COUNT_HW_STALLED_CYCLES_FRONTEND:
		return 0x23;
	case PERF_COUNT_HW_STALLED_CYCLES_BACKEND:
		return 0x24;
	default:
		return NONE;
	}
}

#define NO_EVENT NR_CACHE_EVENTS

/* PERF_COUNT_HW_CACHE_*: accesses to read, write, prefetch; misses are the next event. */
static const unsigned char caches[PERF_COUNT_HW_CACHE_MAX][PERF_COUNT_HW_CACHE_OP_MAX] = {
	[PERF_COUNT_HW_CACHE_L1D] = { L1D_LOADS, L1D_STORES, L1D_PREFETCHES },
	[PERF_COUNT_HW_CACHE_L1I] = { L1I_LOADS, NO_EVENT, L1I_PREFETCHES },
	[PERF_COUNT_HW_CACHE_LL] = { LLC_LOADS, LLC_STORES, LLC_PREFETCHES },
	[PERF_COUNT_HW_CACHE_DTLB] = { DTLB_LOADS, DTLB_STORES, DTLB_PREFETCHES },
	[PERF_COUNT_HW_CACHE_ITLB] = { ITLB_LOADS, NO_EVENT, NO_EVENT },
	[PERF_COUNT_HW_CACHE_BPU] = { BRANCH_LOADS, NO_EVENT, NO_EVENT },
	[PERF_COUNT_HW_CACHE_NODE] = { NODE_LOADS, NODE_STORES, NODE_PREFETCHES },
};

/* The CPUs, which are all alike */
struct machine {
	uint32_t arch;
	uint32_t cpu_id;
};

/* False: they are not alike, or there is no pmudev. */
static bool find_machine(struct machine *machine)
{
	static _Atomic uint64_t known; /* 0: not yet; else both */
	uint64_t now = atomic_load(&known);
	struct pmudev_query query;

	if (!now) {
		if (!set_query(&query) || query.nr_pmus > 1)
			return false;
		now = (uint64_t)query.arch << 32 | (uint32_t)query.cpu_id;
		atomic_store(&known, now);
	}
	*machine = (struct machine){ .arch = now >> 32, .cpu_id = now };
	return true;
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

static bool encode_hardware(uint32_t arch, uint64_t config, struct pmudev_event_attr *to)
{
	if (config >= PERF_COUNT_HW_MAX ||
	    (arch == PMUDEV_ARCH_AMD && config == PERF_COUNT_HW_BUS_CYCLES))
		return false;
	return put(to, arch == PMUDEV_ARCH_ARM64 ? arm64(config) : x86[config]);
}

static unsigned int cache_code(const struct machine *machine, enum cache_event event)
{
	unsigned int code;

	switch (machine->arch) {
	case PMUDEV_ARCH_ARM64:
		code = pmudev_cache_common(event);
		return code ? code : pmudev_cache_arm64(machine->cpu_id, event);
	case PMUDEV_ARCH_AMD:
		return pmudev_cache_amd(machine->cpu_id, event);
	default:
		code = pmudev_cache_intel(machine->cpu_id, false, event);
		return code == CACHE_SECOND_REGISTER || code == CACHE_UNKNOWN_CPU ? NONE : code;
	}
}

static bool encode_cache(const struct machine *machine, uint64_t config,
			 struct pmudev_event_attr *to)
{
	const uint64_t cache = config & 0xff, op = config >> 8 & 0xff, result = config >> 16;

	if (cache >= PERF_COUNT_HW_CACHE_MAX || op >= PERF_COUNT_HW_CACHE_OP_MAX ||
	    result >= PERF_COUNT_HW_CACHE_RESULT_MAX || caches[cache][op] == NO_EVENT)
		return false;
	return put(to, cache_code(machine, caches[cache][op] + result));
}

/*
 * What perf lets a raw event say: event, unit mask, edge, invert, counter mask. It ignores other
 * bits, but for Intel's any thread (21), transactions (32, 33), equal (36), and second unit mask
 * (40 to 47): what they mean depends on the CPU and the kernel.
 */
#define INTEL_BITS  0xff84ffffULL
#define INTEL_PERFS 0xff1300200000ULL
#define AMD_BITS    0xfff84ffffULL

/*
 * arm64: config1 has bits for a long counter and for user reads, which change no count. Intel: what
 * has no event number has a counter of its own; config1 has what else the CPU must be told. AMD: 0
 * is an event, too.
 */
static bool encode_raw(uint32_t arch, const struct perf_event_attr *attr,
		       struct pmudev_event_attr *to)
{
	to->type = PMUDEV_TYPE_RAW;
	to->config = attr->config;
	if (arch == PMUDEV_ARCH_ARM64)
		return !(attr->config1 & ~3ULL) && !attr->config2;
	if (arch == PMUDEV_ARCH_INTEL && attr->config & INTEL_PERFS)
		return false;
	to->config &= arch == PMUDEV_ARCH_INTEL ? INTEL_BITS : AMD_BITS;
	return (arch == PMUDEV_ARCH_AMD || to->config & 0xff) && !attr->config1 && !attr->config2;
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

/* What read.c can answer; of anything else perf says that it is wrong. */
#define READ_FORMATS                                                                               \
	((uint64_t)(PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING |              \
		    PERF_FORMAT_ID | PERF_FORMAT_GROUP | PERF_FORMAT_LOST))

bool perf_encode(const struct perf_event_attr *attr, struct pmudev_event_attr *to, bool *dummy)
{
	struct machine machine;

	/* Frequencies, exact addresses, other records, and signals of its own kind are perf's. */
	if (attr->freq || attr->precise_ip || attr->mmap || attr->comm || attr->task ||
	    attr->aux_output || attr->sigtrap || attr->inherit_thread || attr->remove_on_exec ||
	    attr->read_format & ~READ_FORMATS)
		return false;
	*dummy = is_dummy(attr) && !attr->sample_period;
	if (!*dummy && !is_of_cpus(attr->type))
		return false;
	if (!find_machine(&machine))
		return false;
	memset(to, 0, sizeof(*to));
	to->flags = flags_of(attr);
	if (*dummy)
		return true;
	switch (attr->type) {
	case PERF_TYPE_HARDWARE:
		return encode_hardware(machine.arch, attr->config, to);
	case PERF_TYPE_HW_CACHE:
		return encode_cache(&machine, attr->config, to);
	default:
		return encode_raw(machine.arch, attr, to);
	}
}
