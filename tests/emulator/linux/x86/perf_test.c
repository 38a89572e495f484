// SPDX-License-Identifier: GPL-2.0
/*
 * The stock kernel's perf driver counts loops of known length in user mode. The kernel's command
 * line says what the emulated CPU was made to be (pmu_core=2 ...). Prints TAP.
 *
 * What surrounds the loop (the ends of two system calls) is the same in each run, so it is measured
 * once, with a loop of another length.
 */
#define _GNU_SOURCE
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "perf_test.h"

static const uint64_t generic[EVENTS] = {
	PERF_COUNT_HW_INSTRUCTIONS,	   PERF_COUNT_HW_CPU_CYCLES,
	PERF_COUNT_HW_BRANCH_INSTRUCTIONS, PERF_COUNT_HW_CACHE_REFERENCES,
	PERF_COUNT_HW_CACHE_MISSES,	   PERF_COUNT_HW_BRANCH_MISSES,
};

static int tests;

void check(const char *what, int ok)
{
	printf("%sok %d - %s\n", ok ? "" : "not ", ++tests, what);
}

void equal(const char *what, uint64_t got, uint64_t want)
{
	check(what, got == want);
	if (got != want)
		printf("# is %llu, should be %llu\n", (unsigned long long)got,
		       (unsigned long long)want);
}

/* Where its value is on the command line; NULL if it is not there. */
static const char *find_option(const char *name)
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
	return at ? at + strlen(key) : NULL;
}

int has_option(const char *name)
{
	return !!find_option(name);
}

long option(const char *name)
{
	const char *val = find_option(name);

	if (!val) {
		printf("# no pmu_%s= on the command line\n", name);
		exit(1);
	}
	return strtol(val, NULL, 0);
}

static uint64_t pmu;

void use_pmu(uint64_t type)
{
	pmu = type;
}

int perf_open_on(uint64_t config, int leader, uint64_t period, int pid, int cpu)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_HARDWARE,
		.size = sizeof(attr),
		.config = config | pmu << PERF_PMU_TYPE_SHIFT,
		.sample_period = period,
		.disabled = leader < 0,
		.pinned = leader < 0,
		.exclude_kernel = 1,
		.exclude_hv = 1,
		.read_format = PERF_FORMAT_GROUP | PERF_FORMAT_TOTAL_TIME_ENABLED |
			       PERF_FORMAT_TOTAL_TIME_RUNNING,
	};

	return syscall(SYS_perf_event_open, &attr, pid, cpu, leader, 0);
}

static int perf_open(uint64_t config, int leader, uint64_t period)
{
	return perf_open_on(config, leader, period, 0, -1);
}

/* 2n instructions, n of them branches, and always the same before them but for one NOP. */
void loop(uint64_t n, int odd)
{
	__asm__ volatile("	test %1, %1\n"
			 "	jz 1f\n"
			 "	nop\n"
			 "1:	dec %0\n"
			 "	jnz 1b\n"
			 : "+r"(n)
			 : "r"(odd)
			 : "cc");
}

/*
 * Everything about one run: opened anew, so that nothing is left of the last one. An AMD CPU with
 * four counters has room for three events and this one.
 */
static int run_with(int event, struct group *g, uint64_t n, int odd)
{
	int few = option("amd") && option("gp") < EVENTS, members = few ? 4 : EVENTS;
	int fd[EVENTS], i, err = 0;

	for (i = 0; i < members; i++) {
		fd[i] = perf_open(generic[few && i == 3 ? event : i], i ? fd[0] : -1, 0);
		if (fd[i] < 0)
			err = 1;
	}
	ioctl(fd[0], PERF_EVENT_IOC_ENABLE, 0);
	loop(n, odd);
	ioctl(fd[0], PERF_EVENT_IOC_DISABLE, 0);
	if (read(fd[0], g, sizeof(*g)) != (ssize_t)(sizeof(uint64_t) * (3 + members)) ||
	    g->n != (uint64_t)members || g->enabled != g->running)
		err = 1;
	for (i = 0; i < members; i++)
		close(fd[i]);
	if (few)
		g->val[event] = g->val[3];
	return err;
}

static int run(struct group *g, uint64_t n, int odd)
{
	return run_with(LLC_REFS, g, n, odd);
}

static void test_loops(void)
{
	static const uint64_t lengths[] = { 1001, 12345, 1000000 };
	struct group one, g;
	unsigned int i;

	check("a group of the events runs", !run(&one, 1, 0));
	for (i = 0; i < ARRAY_SIZE(lengths); i++) {
		run(&g, lengths[i], 0);
		equal("instructions", g.val[INSNS] - one.val[INSNS], 2 * (lengths[i] - 1));
		equal("branches", g.val[BRANCHES] - one.val[BRANCHES], lengths[i] - 1);
		equal("cycles", g.val[CYCLES], option("core") * g.val[INSNS]);
	}
}

/* How many times round the loop, so that an event's count in all is a multiple of every. */
static void test_rate(const char *what, int event, int of, uint64_t every)
{
	struct group one, g;
	uint64_t step = of == INSNS ? 2 : 1, n = 10000;
	int odd = 0, err;

	if (!every) {
		run_with(event, &g, n, 0);
		equal(what, g.val[event], 0);
		return;
	}
	run_with(event, &one, 1, 0);
	while ((one.val[of] + odd + step * (n - 1)) % every) {
		n++;
		if (n == 10000 + every && !odd) {
			odd = of == INSNS;
			n = 10000;
		}
	}
	err = run_with(event, &g, n, odd);
	equal("    a multiple of its rate", err || g.val[of] % every, 0);
	equal(what, g.val[event], g.val[of] / every);
}

/* Processes on all CPUs, of different lengths, with others that come and go beside them. */
static int run_on(int cpu)
{
	struct group one, g;
	int round, bad = 0;

	use_cpu(cpu);
	bad |= run(&one, 1, 0);
	for (round = 0; round < 5; round++) {
		uint64_t n = 200000 * (cpu + 1) + round;

		bad |= run(&g, n, 0);
		bad |= g.val[INSNS] - one.val[INSNS] != 2 * (n - 1);
		bad |= g.val[BRANCHES] - one.val[BRANCHES] != n - 1;
		bad |= g.val[CYCLES] != option("core") * g.val[INSNS];
	}
	return bad;
}

static void test_cpus(void)
{
	int cpus = sysconf(_SC_NPROCESSORS_ONLN), cpu, bad, status, i;
	pid_t pids[64], load;

	equal("all CPUs are there", cpus, option("cpus"));
	for (cpu = 0; cpu < cpus; cpu++) {
		pids[cpu] = fork();
		if (!pids[cpu])
			_exit(run_on(cpu));
	}
	for (i = 0; i < 50; i++) {
		load = fork();
		if (!load)
			_exit(0);
		waitpid(load, NULL, 0);
	}
	for (cpu = 0, bad = 0; cpu < cpus; cpu++) {
		waitpid(pids[cpu], &status, 0);
		bad |= status;
	}
	equal("each CPU counts its own instructions, branches and cycles", bad, 0);
}

uint64_t count_samples(struct perf_event_mmap_page *page)
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

/* With each period of instructions comes one sample, neither more nor less. */
static void test_samples(void)
{
	const uint64_t period = 10000, n = 1000000;
	struct perf_event_mmap_page *page;
	struct {
		uint64_t n, enabled, running, val;
	} g;
	int fd = perf_open(PERF_COUNT_HW_INSTRUCTIONS, -1, period);

	page = mmap(NULL, 65 * 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (fd < 0 || page == MAP_FAILED) {
		check("sampling", 0);
		return;
	}
	ioctl(fd, PERF_EVENT_IOC_ENABLE, 0);
	loop(n, 0);
	ioctl(fd, PERF_EVENT_IOC_DISABLE, 0);
	if (read(fd, &g, sizeof(g)) != sizeof(g))
		g.val = 0;
	check("the loop was counted", g.val >= 2 * n && g.val < 2 * n + 1000);
	equal("one sample in each period", count_samples(page), g.val / period);
	munmap(page, 65 * 4096);
	close(fd);
}

/* From one RDPMC to the next, in user mode: MOV, the loop, MOV and the second RDPMC. */
static void test_rdpmc(void)
{
	struct perf_event_mmap_page *page;
	uint32_t a, b, index, n = 5000;
	int fd = perf_open(PERF_COUNT_HW_INSTRUCTIONS, -1, 0);

	page = mmap(NULL, 4096, PROT_READ, MAP_SHARED, fd, 0);
	if (fd < 0 || page == MAP_FAILED) {
		check("a user page", 0);
		return;
	}
	ioctl(fd, PERF_EVENT_IOC_ENABLE, 0);
	index = page->index;
	check("RDPMC is allowed", page->cap_user_rdpmc && index);
	if (index) {
		__asm__ volatile("rdpmc; movl %%eax, %0; 1: dec %2; jnz 1b; rdpmc"
				 : "=&r"(a), "=&a"(b), "+r"(n)
				 : "c"(index - 1)
				 : "edx", "cc");
		equal("RDPMC counts", b - a, 2 * 5000 + 2);
	}
	munmap(page, 4096);
	close(fd);
}

static void test_pmu(void)
{
	test_loops();
	test_rate("LLC references", LLC_REFS, INSNS, option("llc_ref"));
	test_rate("LLC misses", LLC_MISSES, INSNS, option("llc_miss"));
	test_rate("branch misses", BRANCH_MISSES, BRANCHES, option("branch_miss"));
	test_samples();
	test_rdpmc();
}

int main(void)
{
	setvbuf(stdout, NULL, _IOLBF, 0);
	if (is_hybrid()) {
		test_kinds();
		use_cpu(option("atom_from") - 1);
		test_pmu();
		use_cpu(option("atom_from"));
	}
	test_pmu();
	test_cpus();
	test_hidden();
	if (has_option("guest"))
		test_guests();
	printf("1..%d\n", tests);
	return 0;
}
