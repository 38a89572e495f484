// SPDX-License-Identifier: MIT
/* Which of pmudev's events perf's are, on CPUs that this machine need not have. */
#define _GNU_SOURCE
#include <linux/perf_event.h>
#include <stdint.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../perf/event.h"
#include "../perf/set.h"
#include "tap.h"

#define ARRAY_SIZE(array) (sizeof(array) / sizeof((array)[0]))

static struct pmudev_query machine = { .nr_pmus = 1 };

bool set_query(struct pmudev_query *query)
{
	*query = machine;
	return true;
}

enum cpu {
	SKYLAKE,
	NEHALEM,
	UNKNOWN,
	ZEN,
	CORTEX_A72,
	NEOVERSE,
};

static const struct {
	uint32_t arch;
	uint32_t id;
} cpus[] = {
	[SKYLAKE] = { PMUDEV_ARCH_INTEL, 0x506e3 },
	[NEHALEM] = { PMUDEV_ARCH_INTEL, 0x106a5 },
	[UNKNOWN] = { PMUDEV_ARCH_INTEL, 0x00f00 },
	[ZEN] = { PMUDEV_ARCH_AMD, 0x800f11 },
	[CORTEX_A72] = { PMUDEV_ARCH_ARM64, 0x410fd083 },
	[NEOVERSE] = { PMUDEV_ARCH_ARM64, 0x413fd0c1 },
};

/* The type and the config */
#define EVENT(type, config)	    ((uint64_t)(type) << 56 | (config))
#define HARDWARE(event)		    EVENT(PERF_TYPE_HARDWARE, PERF_COUNT_HW_##event)
#define RAW(code)		    EVENT(PERF_TYPE_RAW, code)
#define CACHE_CODE(cache, op, miss) EVENT(PERF_TYPE_HW_CACHE, (cache) | (op) << 8 | (miss) << 16)
#define CACHE(cache, op, result)                                                                   \
	CACHE_CODE(PERF_COUNT_HW_CACHE_##cache, PERF_COUNT_HW_CACHE_OP_##op,                       \
		   PERF_COUNT_HW_CACHE_RESULT_##result)

/* @code: 0: it is perf's; GENERIC | enum pmudev_generic */
#define GENERIC 0x80000000

static const struct {
	enum cpu cpu;
	uint64_t event;
	uint64_t code;
} events[] = {
	{ SKYLAKE, HARDWARE(CACHE_MISSES), GENERIC | PMUDEV_CACHE_MISSES },
	{ SKYLAKE, HARDWARE(BUS_CYCLES), 0x013c },
	{ SKYLAKE, HARDWARE(STALLED_CYCLES_FRONTEND), 0 },
	{ SKYLAKE, CACHE(L1D, READ, MISS), 0x0151 },
	{ SKYLAKE, CACHE(L1D, WRITE, ACCESS), 0x82d0 },
	{ SKYLAKE, CACHE(DTLB, WRITE, MISS), 0x0e49 },
	{ SKYLAKE, CACHE(L1I, READ, ACCESS), 0 },
	{ SKYLAKE, CACHE(L1I, WRITE, ACCESS), 0 },
	{ SKYLAKE, CACHE(LL, READ, MISS), 0 },
	{ SKYLAKE, CACHE(BPU, READ, MISS), 0x00c5 },
	{ SKYLAKE, CACHE_CODE(PERF_COUNT_HW_CACHE_MAX, 0, 0), 0 },
	{ SKYLAKE, CACHE_CODE(0, PERF_COUNT_HW_CACHE_OP_MAX, 0), 0 },
	{ SKYLAKE, CACHE_CODE(0, 0, PERF_COUNT_HW_CACHE_RESULT_MAX), 0 },
	{ SKYLAKE, HARDWARE(MAX), 0 },
	{ SKYLAKE, RAW(0x0184010d), 0x0184010d },
	/* perf ignores its levels, and whether it interrupts. */
	{ SKYLAKE, RAW(0x0053010d), 0x010d },
	/* Any thread */
	{ SKYLAKE, RAW(0x0020010d), 0 },
	/* In a transaction, equal, second unit mask */
	{ SKYLAKE, RAW(0x10000003c), 0 },
	{ SKYLAKE, RAW(0x20000003c), 0 },
	{ SKYLAKE, RAW(0x100000003c), 0 },
	{ SKYLAKE, RAW(0x1000000003c), 0 },
	{ ZEN, RAW(0x10000003c), 0x10000003c },
	/* perf's driver counts BPU_CLEARS.ANY here. */
	{ NEHALEM, CACHE(BPU, READ, MISS), 0x03e8 },
	{ UNKNOWN, HARDWARE(BRANCH_MISSES), GENERIC | PMUDEV_BRANCH_MISSES },
	{ UNKNOWN, CACHE(BPU, READ, MISS), 0 },
	{ ZEN, HARDWARE(BUS_CYCLES), 0 },
	{ ZEN, HARDWARE(CPU_CYCLES), GENERIC | PMUDEV_CYCLES },
	{ ZEN, CACHE(L1D, READ, MISS), 0xc860 },
	{ ZEN, CACHE(L1D, WRITE, ACCESS), 0 },
	{ CORTEX_A72, HARDWARE(INSTRUCTIONS), GENERIC | PMUDEV_INSTRUCTIONS },
	{ CORTEX_A72, HARDWARE(CACHE_REFERENCES), 0x04 },
	{ CORTEX_A72, HARDWARE(BRANCH_MISSES), 0x10 },
	{ CORTEX_A72, HARDWARE(STALLED_CYCLES_BACKEND), 0x24 },
	{ CORTEX_A72, HARDWARE(REF_CPU_CYCLES), 0 },
	{ CORTEX_A72, CACHE(L1D, WRITE, MISS), 0x43 },
	{ CORTEX_A72, CACHE(ITLB, READ, MISS), 0x02 },
	{ NEOVERSE, CACHE(L1D, WRITE, MISS), 0 },
	{ NEOVERSE, CACHE(LL, READ, ACCESS), 0x36 },
};

static uint64_t code_of(unsigned int i)
{
	struct perf_event_attr attr = {
		.type = events[i].event >> 56,
		.config = events[i].event & ((1ULL << 56) - 1),
	};
	struct pmudev_event_attr to;
	bool dummy;

	machine.arch = cpus[events[i].cpu].arch;
	machine.cpu_id = cpus[events[i].cpu].id;
	if (!perf_encode(&attr, &to, &dummy) || dummy)
		return 0;
	return to.type == PMUDEV_TYPE_GENERIC ? GENERIC | (uint32_t)to.config : to.config;
}

int main(void)
{
	const unsigned int nr = ARRAY_SIZE(events);
	uint64_t *codes = mmap(NULL, sizeof(events), PROT_READ | PROT_WRITE,
			       MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	char what[60];
	unsigned int i;

	/* The library asks once what the machine is: a process for each. */
	for (i = 0; i < nr; i++) {
		if (!fork()) {
			codes[i] = code_of(i);
			_exit(0);
		}
		wait(NULL);
		snprintf(what, sizeof(what), "event %#llx of CPU %#x",
			 (unsigned long long)events[i].event, cpus[events[i].cpu].id);
		is_number(codes[i], events[i].code, what);
	}
	return tap_end();
}
