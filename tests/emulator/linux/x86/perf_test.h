/* SPDX-License-Identifier: GPL-2.0 */
/* What the parts of the perf test share. */
#ifndef PERF_TEST_H
#define PERF_TEST_H

#include <linux/perf_event.h>
#include <stdint.h>

#define ARRAY_SIZE(a) (sizeof(a) / sizeof((a)[0]))

enum {
	INSNS,
	CYCLES,
	BRANCHES,
	LLC_REFS,
	LLC_MISSES,
	BRANCH_MISSES,
	EVENTS
};

struct group {
	uint64_t n, enabled, running, val[EVENTS];
};

/* perf_test.c */
void check(const char *what, int ok);
void equal(const char *what, uint64_t got, uint64_t want);
/* pmu_NAME=N of the kernel's command line. */
long option(const char *name);
int has_option(const char *name);
/* Of a ring of 64 pages. */
uint64_t count_samples(struct perf_event_mmap_page *page);
/* From now on events are of this PMU; 0 where there is only one. */
void use_pmu(uint64_t type);
int perf_open_on(uint64_t config, int leader, uint64_t period, int pid, int cpu);
void loop(uint64_t n, int odd);

/* cpus.c */
int is_hybrid(void);
/* The process runs there, and its events are of that CPU's PMU. */
void use_cpu(int cpu);
void test_kinds(void);
void test_hidden(void);

/* guest.c */
void test_guests(void);

#endif
