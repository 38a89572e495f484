// SPDX-License-Identifier: GPL-2.0
/* Machines with CPUs of two kinds, which have a PMU each; and counters hidden from user mode. */
#define _GNU_SOURCE
#include <cpuid.h>
#include <errno.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>

#include "perf_test.h"

/* One event of its own, as perf_open_on makes it. */
struct single {
	uint64_t n, enabled, running, val;
};

int is_hybrid(void)
{
	return option("atom_from") < option("cpus");
}

static int is_atom(int cpu)
{
	return cpu >= option("atom_from");
}

/* A line of sysfs about the PMU of one kind. */
static const char *pmu_says(int atom, const char *file)
{
	static char line[256];
	char path[128];
	FILE *f;

	snprintf(path, sizeof(path), "/sys/bus/event_source/devices/%s/%s",
		 atom ? "cpu_atom" : "cpu_core", file);
	f = fopen(path, "r");
	if (!f || !fgets(line, sizeof(line), f)) {
		printf("# no %s\n", path);
		exit(1);
	}
	fclose(f);
	line[strcspn(line, "\n")] = 0;
	return line;
}

static uint64_t pmu_type(int atom)
{
	return strtoull(pmu_says(atom, "type"), NULL, 0);
}

void use_cpu(int cpu)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	if (sched_setaffinity(0, sizeof(set), &set)) {
		printf("# no CPU %d\n", cpu);
		exit(1);
	}
	if (is_hybrid())
		use_pmu(pmu_type(is_atom(cpu)));
}

/* CPUID as this very CPU answers. */
static void test_cpuid(int cpu)
{
	unsigned int a, b, c, d, atom = is_atom(cpu);

	use_cpu(cpu);
	__cpuid_count(0x1a, 0, a, b, c, d);
	equal("CPUID.1AH: the kind of this CPU", a, atom ? 0x20000001 : 0x40000001);
	if (!option("ext"))
		return;
	__cpuid_count(0x23, 1, a, b, c, d);
	equal("CPUID.23H.1: its programmable counters", a,
	      (1u << option(atom ? "atom_gp" : "gp")) - 1);
	equal("    and fixed ones", b, option(atom ? "atom_fixed" : "fixed"));
}

/* An event of one kind counts nothing on a CPU of the other, and cannot be opened for that. */
static void test_elsewhere(int here, int there)
{
	struct single s;
	int fd;

	use_cpu(there);
	use_pmu(pmu_type(is_atom(here)));
	fd = perf_open_on(PERF_COUNT_HW_INSTRUCTIONS, -1, 0, -1, there);
	check("an event on a CPU of the other kind is refused", fd < 0 && errno == ENOENT);
	fd = perf_open_on(PERF_COUNT_HW_INSTRUCTIONS, -1, 0, 0, -1);
	ioctl(fd, PERF_EVENT_IOC_ENABLE, 0);
	loop(10000, 0);
	ioctl(fd, PERF_EVENT_IOC_DISABLE, 0);
	/* It is pinned: in error (end of file), or it has not run. */
	memset(&s, 0, sizeof(s));
	check("a task's event of one kind is not in error on the other",
	      read(fd, &s, sizeof(s)) == sizeof(s));
	equal("    and counts nothing there", s.val, 0);
	equal("    nor does it run", s.running, 0);
	close(fd);
}

void test_kinds(void)
{
	int first = option("atom_from"), cpus = option("cpus"), cpu;
	char want[32];

	snprintf(want, sizeof(want), first > 1 ? "0-%d" : "%d", first - 1);
	check("the CPUs of cpu_core", !strcmp(pmu_says(0, "cpus"), want));
	snprintf(want, sizeof(want), cpus - first > 1 ? "%d-%d" : "%d", first, cpus - 1);
	check("the CPUs of cpu_atom", !strcmp(pmu_says(1, "cpus"), want));
	for (cpu = 0; cpu < cpus; cpu++)
		test_cpuid(cpu);
	test_elsewhere(first, first - 1);
	test_elsewhere(first - 1, first);
}

static uint64_t rdpmc(uint32_t index)
{
	uint32_t low, high;

	__asm__ volatile("rdpmc" : "=a"(low), "=d"(high) : "c"(index));
	return (uint64_t)high << 32 | low;
}

static struct perf_event_mmap_page *map(int fd)
{
	struct perf_event_mmap_page *page = mmap(NULL, 4096, PROT_READ, MAP_SHARED, fd, 0);

	if (fd < 0 || page == MAP_FAILED) {
		printf("# no user page\n");
		exit(1);
	}
	return page;
}

/* All 0 if the event is in error. */
static void read_single(int fd, struct single *s)
{
	if (read(fd, s, sizeof(*s)) != sizeof(*s))
		memset(s, 0, sizeof(*s));
}

/*
 * The counter of somebody else's event, one of the whole CPU: a kernel that knows RDPMC user
 * disable hides it, another does not. It is the counter that the same event of a task had before.
 */
void test_hidden(void)
{
	struct perf_event_mmap_page *page;
	struct single before, after;
	uint32_t index;
	uint64_t seen;
	int own, whole;

	use_cpu(0);
	own = perf_open_on(PERF_COUNT_HW_INSTRUCTIONS, -1, 0, 0, -1);
	page = map(own);
	ioctl(own, PERF_EVENT_IOC_ENABLE, 0);
	index = page->index;
	loop(1000, 0);
	check("a task's own counter is not hidden", index && rdpmc(index - 1) & 0xffffffff);
	munmap(page, 4096);
	close(own);

	whole = perf_open_on(PERF_COUNT_HW_INSTRUCTIONS, -1, 0, -1, 0);
	ioctl(whole, PERF_EVENT_IOC_ENABLE, 0);
	/* With a user page of its own the task may execute RDPMC. */
	own = perf_open_on(PERF_COUNT_HW_BRANCH_INSTRUCTIONS, -1, 0, 0, -1);
	page = map(own);
	ioctl(own, PERF_EVENT_IOC_ENABLE, 0);
	read_single(whole, &before);
	check("the whole CPU's event is counted", before.running);
	loop(1000, 0);
	seen = rdpmc(index - 1);
	read_single(whole, &after);
	check("    and read(2) tells it", after.val >= before.val + 2000);
	if (option("hidden"))
		equal("    its counter is hidden", seen, 0);
	else
		check("    its counter can be read", seen & 0xffffffff);
	munmap(page, 4096);
	close(own);
	close(whole);
}
