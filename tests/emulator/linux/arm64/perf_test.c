// SPDX-License-Identifier: GPL-2.0
/*
 * The stock kernel's perf driver on the emulated arm64 CPUs: which PMUs it makes of them, with how
 * many counters, and loops of known length in user mode. The kernel's command line says what QEMU
 * and the kernel are (pmu_counters=6 ...). Prints TAP.
 */
#define _GNU_SOURCE
#include <linux/perf_event.h>
#include <sched.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#define EV_INSN	  0x08
#define EV_CYCLES 0x11
#define LONG_BIT  1 /* config1: a counter of 64 bits */
#define MAX	  40

struct group {
	uint64_t n, enabled, running, val[MAX];
};

/* The PMUs, in the order of their first CPU. */
static struct pmu {
	int type, first, last;
} pmus[8];
static int count, tests;

static void check(const char *what, int ok)
{
	printf("%sok %d - %s\n", ok ? "" : "not ", ++tests, what);
}

static void equal(const char *what, uint64_t got, uint64_t want)
{
	check(what, got == want);
	if (got != want)
		printf("# is %llu, should be %llu\n", (unsigned long long)got,
		       (unsigned long long)want);
}

/* pmu_NAME=N of the kernel's command line. */
static long option(const char *name)
{
	static char line[4096];
	char key[32], *at;
	FILE *f;

	if (!*line) {
		f = fopen("/proc/cmdline", "r");
		if (!f || !fgets(line, sizeof(line), f))
			exit(1);
		fclose(f);
	}
	snprintf(key, sizeof(key), "pmu_%s=", name);
	at = strstr(line, key);
	if (!at) {
		printf("# no %s on the command line\n", key);
		exit(1);
	}
	return strtol(at + strlen(key), NULL, 0);
}

static int read_file(const char *pmu, const char *name, const char *format, int *a, int *b)
{
	char path[128];
	int n = 0;
	FILE *f;

	snprintf(path, sizeof(path), "/sys/bus/event_source/devices/%s/%s", pmu, name);
	f = fopen(path, "r");
	if (f) {
		n = fscanf(f, format, a, b);
		fclose(f);
	}
	return n;
}

static void find(const char *name)
{
	struct pmu *pmu = &pmus[count];
	int n = read_file(name, "cpus", "%d-%d", &pmu->first, &pmu->last), none;

	if (n < 1 || read_file(name, "type", "%d", &pmu->type, &none) < 1)
		return;
	if (n == 1)
		pmu->last = pmu->first;
	printf("# %s: CPUs %d to %d\n", name, pmu->first, pmu->last);
	count++;
}

static int perf_open(const struct pmu *pmu, uint64_t event, int leader, uint64_t period, int wide)
{
	struct perf_event_attr attr = {
		.type = pmu->type,
		.size = sizeof(attr),
		.config = event,
		.config1 = wide ? LONG_BIT : 0,
		.sample_period = period,
		.disabled = leader < 0,
		.pinned = leader < 0,
		.exclude_kernel = 1,
		.exclude_hv = 1,
		.read_format = PERF_FORMAT_GROUP | PERF_FORMAT_TOTAL_TIME_ENABLED |
			       PERF_FORMAT_TOTAL_TIME_RUNNING,
	};

	return syscall(SYS_perf_event_open, &attr, 0, -1, leader, 0);
}

/* 2n instructions. */
static void loop(uint64_t n)
{
	__asm__ volatile("1: subs %0, %0, #1; b.ne 1b" : "+r"(n) : : "cc");
}

static void go_to(int cpu)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	if (sched_setaffinity(0, sizeof(set), &set))
		exit(1);
}

/* A group of so many events round the loop; how many of them could be opened. */
static int run(const struct pmu *pmu, int n, const uint64_t *events, int wide, uint64_t turns,
	       struct group *g)
{
	int fd[MAX], opened;

	memset(g, 0, sizeof(*g));
	for (opened = 0; opened < n; opened++) {
		fd[opened] = perf_open(pmu, events[opened], opened ? fd[0] : -1, 0, wide);
		if (fd[opened] < 0)
			break;
	}
	if (opened) {
		ioctl(fd[0], PERF_EVENT_IOC_ENABLE, 0);
		loop(turns);
		ioctl(fd[0], PERF_EVENT_IOC_DISABLE, 0);
		if (read(fd[0], g, sizeof(*g)) < 0)
			g->n = 0;
	}
	for (n = 0; n < opened; n++)
		close(fd[n]);
	return opened;
}

static void test_pmus(void)
{
	int cpus = option("cpus"), kind2 = option("kind2");

	find("armv8_pmuv3");
	find("armv8_pmuv3_0");
	find("armv8_cortex_a35");
	equal("all CPUs are there", sysconf(_SC_NPROCESSORS_ONLN), cpus);
	equal("PMUs", count, kind2 < cpus ? 2 : 1);
	if (count < 1)
		exit(1);
	equal("the first one's first CPU", pmus[0].first, 0);
	equal("    and last", pmus[0].last, (kind2 < cpus ? kind2 : cpus) - 1);
	if (count == 2) {
		equal("the second one's first CPU", pmus[1].first, kind2);
		equal("    and last", pmus[1].last, cpus - 1);
	}
}

/* On each CPU by its own PMU: exact, and nothing at all by the other. */
static void test_loops(const struct pmu *pmu, const struct pmu *other, uint64_t clock)
{
	static const uint64_t both[] = { EV_INSN, EV_CYCLES };
	struct group one, g;
	int cpu, wide;

	for (cpu = pmu->first; cpu <= pmu->last; cpu++) {
		go_to(cpu);
		for (wide = 0; wide < 2; wide++) {
			run(pmu, 2, both, wide, 1, &one);
			equal("two events count", run(pmu, 2, both, wide, 12345, &g), 2);
			check("    all the time", g.running && g.enabled == g.running);
			equal("    instructions", g.val[0] - one.val[0], 2 * 12344);
			equal("    cycles", g.val[1], clock * g.val[0]);
		}
		if (other) {
			run(other, 1, both, 0, 1000, &g);
			equal("the other kind's PMU counts nothing here", g.val[0] | g.running, 0);
		}
	}
}

/* As many events at once as there are counters all count the same; one more finds no counter. */
static void test_number(const struct pmu *pmu, int counters)
{
	uint64_t events[MAX];
	struct group g;
	int i, bad = 0;

	for (i = 0; i < MAX; i++)
		events[i] = EV_INSN;
	go_to(pmu->first);
	equal("as many events as counters", run(pmu, counters, events, 0, 5000, &g), counters);
	check("    all the time", g.running && g.enabled == g.running);
	for (i = 0; i < counters; i++)
		bad += g.val[i] < 10000 || g.val[i] > 10100 || g.val[i] != g.val[0];
	equal("    all count the same", bad, 0);
	run(pmu, counters + 1, events, 0, 5000, &g);
	equal("    one more does not fit", g.running | g.val[0], 0);
}

static uint64_t count_samples(struct perf_event_mmap_page *page)
{
	char *data = (char *)page + page->data_offset;
	uint64_t at, samples = 0;

	for (at = page->data_tail; at < page->data_head;) {
		struct perf_event_header *h = (void *)(data + at % page->data_size);

		samples += h->type == PERF_RECORD_SAMPLE;
		at += h->size;
	}
	return samples;
}

/*
 * A 64-bit event that begins a period before its end: where counters have 32 bits, the low half
 * must carry and the high half overflow, each time.
 */
static void test_samples(const struct pmu *pmu, int wide)
{
	const uint64_t period = 10007, turns = 1000000;
	struct perf_event_mmap_page *page;
	struct {
		uint64_t n, enabled, running, val;
	} g;
	struct rusage before, after;
	int fd, tries = 20;

	go_to(pmu->first);
again:
	fd = perf_open(pmu, EV_INSN, -1, period, wide);
	page = mmap(NULL, 65 * 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (fd < 0 || page == MAP_FAILED) {
		check("sampling", 0);
		return;
	}
	getrusage(RUSAGE_SELF, &before);
	ioctl(fd, PERF_EVENT_IOC_ENABLE, 0);
	loop(turns);
	ioctl(fd, PERF_EVENT_IOC_DISABLE, 0);
	getrusage(RUSAGE_SELF, &after);
	if (read(fd, &g, sizeof(g)) != sizeof(g))
		g.val = 0;
	/* The driver drops an overflow that a switch to another task has overtaken. */
	if (after.ru_nivcsw != before.ru_nivcsw && --tries) {
		munmap(page, 65 * 4096);
		close(fd);
		goto again;
	}
	check("the loop was counted", g.val >= 2 * turns && g.val < 2 * turns + 1000);
	equal(wide ? "one sample in each period, 64 bits" : "one sample in each period",
	      count_samples(page), g.val / period);
	munmap(page, 65 * 4096);
	close(fd);
}

int main(void)
{
	int icntr = option("icntr");

	setvbuf(stdout, NULL, _IOLBF, 0);
	test_pmus();
	test_loops(&pmus[0], count > 1 ? &pmus[1] : NULL, 1);
	test_number(&pmus[0], option("counters") + icntr);
	test_samples(&pmus[0], 0);
	test_samples(&pmus[0], 1);
	if (count > 1) {
		test_loops(&pmus[1], &pmus[0], 2);
		test_number(&pmus[1], option("kind2_counters") + icntr);
		test_samples(&pmus[1], 0);
	}
	printf("1..%d\n", tests);
	return 0;
}
