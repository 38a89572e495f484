// SPDX-License-Identifier: GPL-2.0
#include "storm.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include "perf.h"

unsigned int storm_factor(void)
{
	const char *factor = getenv("PMUDEV_STORM");

	return factor ? strtoul(factor, NULL, 0) : 1;
}

unsigned int storm_times(unsigned int times)
{
	return storm_factor() * (debug_kernel() ? (times + 3) / 4 : times);
}

void *storm_memory(size_t size)
{
	void *p = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);

	return p == MAP_FAILED ? NULL : p;
}

long module_references(void)
{
	long references = -1;
	char line[256];
	FILE *f = fopen("/proc/modules", "r");

	while (f && fgets(line, sizeof(line), f))
		if (!strncmp(line, "pmudev ", 7))
			sscanf(line, "%*s %*d %ld", &references);
	if (f)
		fclose(f);
	return references;
}

__attribute__((noinline)) __u64 set_loop(int fd, __u64 n)
{
	union record before, after;

	memset(&after, 0, sizeof(after));
	if (raw_read(fd, &before) < 0)
		return 0;
	loop(n);
	if (raw_read(fd, &after) < 0)
		return 0;
	if (after.r.counts[0].time_enabled != after.r.counts[0].time_running)
		return 0;
	return after.r.counts[0].value - before.r.counts[0].value;
}

__attribute__((noinline)) __s64 perf_loop(int fd, __u64 n)
{
	struct perf_count before = { 0 }, after = { 0 };
	long got = raw_call(SYS_read, fd, (long)&before, sizeof(before));

	loop(n);
	if (got < 0 || raw_call(SYS_read, fd, (long)&after, sizeof(after)) < 0)
		return -EIO;
	if (after.enabled - before.enabled != after.running - before.running)
		return -EBUSY;
	return after.value - before.value;
}

/* On each CPU, to the instruction. */
static int perf_counts(void)
{
	int fd = perf_open(EVENT_INSTRUCTIONS, 0, 0, -1), cpu, line = 0;
	__s64 some, more;

	if (fd < 0)
		return __LINE__;
	for (cpu = 0; cpu < cpus_online() && !line; cpu++) {
		if (pin_to(cpu))
			line = __LINE__;
		perf_loop(fd, 1);
		some = perf_loop(fd, 1000);
		more = perf_loop(fd, 3000);
		if (some < 1000 || more < 3000)
			line = __LINE__;
		else if (exact_instructions() && more - some != 2000 * LOOP_INSTRUCTIONS)
			line = __LINE__;
	}
	close(fd);
	return line;
}

/* All programmable counters at once: none is withheld. */
static int perf_has_all(unsigned int counters)
{
	unsigned int nr = 0, i;
	struct perf_count count;
	int fd[32], line = 0;

	while (nr < counters && !line) {
		fd[nr] = perf_open_excluding(EVENT_INSTRUCTIONS, USER_ONLY, -1, nr ? fd[0] : -1);
		if (fd[nr] < 0)
			line = __LINE__;
		else
			nr++;
	}
	if (!line && ioctl(fd[0], PERF_EVENT_IOC_ENABLE, 0))
		line = __LINE__;
	loop(1000);
	for (i = 0; i < nr && !line; i++) {
		count = perf_count(fd[i]);
		if (count.value < 1000 || count.running != count.enabled)
			line = __LINE__;
	}
	while (nr)
		close(fd[--nr]);
	return line;
}

int nothing_left(void)
{
	struct pmudev_query query;
	int fd, line;

	if (!WAIT_FOR(!pm_query(&query) && !(query.state & PMUDEV_STATE_RESERVED)))
		return __LINE__;
	if (query.busy)
		return __LINE__;
	if (!WAIT_FOR(!module_references()))
		return __LINE__;
	/* A raw event of perf's counts on one kind of CPU only. */
	if (query.nr_pmus > 1)
		return 0;
	fd = perf_open(EVENT_INSTRUCTIONS, 0, 0, -1);
	/* Some kernels have no driver. */
	if (fd == -ENOENT)
		return 0;
	close(fd);
	line = perf_counts();
	return line ? line : perf_has_all(__builtin_popcountll(query.counters & 0xffffffff));
}
