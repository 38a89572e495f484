// SPDX-License-Identifier: GPL-2.0
#include "bench.h"
#include "costs.h"
#include "profile/mark.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define SAMPLES 21
#define LOADS 5
#define WARM_UP 3
/* perf's hooks leave a second after its last event. */
#define HOOKS_LEAVE 2000000000ULL
#define LARGE_FILE "/tests/large"
#define PERF_ACCESS "/proc/sys/kernel/perf_user_access"

void fail(const char *what, int error)
{
	fprintf(stderr, "bench: %s: %s\n", what, strerror(-error));
	exit(1);
}

void settle(void)
{
	int ret = pin_to(0);

	if (ret)
		fail("pinning", ret);
	if (!emulated())
		fail("for emulated machines; `pmudev bench` measures real ones", -ENODEV);
	/* Threads of the kernel's that check and set up what was found in the boot. */
	pause_ns(20000000000ULL);
}

/* arm64 asks for permission; x86 gives it. */
static void perf_user_reads(const char *value)
{
	int ret = PMU_ARCH == PMUDEV_ARCH_ARM64 ? write_file(PERF_ACCESS, value) : 0;

	if (ret)
		fail(PERF_ACCESS, ret);
}

/* Who was killed may still be closing. */
static bool module_gone(int *ret)
{
	*ret = unload_module();
	return *ret != -EAGAIN && *ret != -EBUSY;
}

static void without_module(void)
{
	int ret;

	if (!WAIT_FOR(module_gone(&ret)) || (ret && ret != -ENOENT))
		fail("unloading the module", ret);
}

void begin_perf(void)
{
	without_module();
	perf_user_reads("1");
	pause_ns(HOOKS_LEAVE);
}

void begin_pmudev(void)
{
	int ret;

	without_module();
	perf_user_reads("0");
	pause_ns(HOOKS_LEAVE);
	ret = load_module();
	if (!ret)
		ret = set_user_access(true);
	if (ret)
		fail("loading the module", ret);
}

static void number(double value, char end)
{
	if (value <= REFUSED)
		printf("-%c", end);
	else
		printf("%.1f%c", value, end);
}

static void line(const char *kind, const char *key, unsigned int n, double pmudev, double perf)
{
	printf("%s%s %s %u ", costs_on() ? "# " : "", kind, key, n);
	number(pmudev, ' ');
	number(perf, '\n');
	fflush(stdout);
}

void row(const char *key, unsigned int n, double pmudev, double perf)
{
	line("row", key, n, pmudev, perf);
}

void curve(const char *key, unsigned int n, double pmudev, double perf)
{
	line("curve", key, n, pmudev, perf);
}

bool large(void)
{
	return !access(LARGE_FILE, F_OK);
}

bool point_wanted(unsigned int i, unsigned int nr)
{
	return !costs_on() || !i || i == nr - 1;
}

void say(const char *format, ...)
{
	va_list args;

	va_start(args, format);
	printf("# ");
	vprintf(format, args);
	printf("\n");
	va_end(args);
	fflush(stdout);
}

static int ascending(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return x < y ? -1 : x > y;
}

double median(double *samples, unsigned int nr)
{
	qsort(samples, nr, sizeof(samples[0]), ascending);
	return samples[nr / 2];
}

__u64 own_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
	return now.tv_sec * 1000000000ULL + now.tv_nsec;
}

/* For tests/bench/profile/run: how many calls that was, and where functions are now. */
static void tell_segment(unsigned int calls)
{
	static unsigned int segment;
	FILE *symbols;
	char line[256];

	if (access("/tests/profile", F_OK))
		return;
	printf("@segment %u %u\n", segment, calls);
	symbols = fopen("/proc/kallsyms", "r");
	while (symbols && fgets(line, sizeof(line), symbols))
		if (strstr(line, " t ") || strstr(line, " T "))
			if (!segment || strchr(line, '['))
				printf("@symbol %u %s", segment, line);
	if (symbols)
		fclose(symbols);
	segment++;
}

static double calls_by(__u64 (*clock)(void), void (*fn)(void *arg), void *arg, unsigned int calls)
{
	double samples[SAMPLES];
	unsigned int i, j;
	__u64 start;

	for (i = 0; i < WARM_UP; i++)
		fn(arg);
	mark_begin();
	for (i = 0; i < SAMPLES; i++) {
		costs_begin(clock);
		start = clock();
		for (j = 0; j < calls; j++)
			fn(arg);
		samples[i] = (double)(clock() - start) / calls;
		costs_end(calls);
	}
	mark_end();
	costs_done();
	tell_segment(SAMPLES * calls);
	return median(samples, SAMPLES);
}

double time_calls(void (*fn)(void *arg), void *arg, unsigned int calls)
{
	return calls_by(now_ns, fn, arg, calls);
}

double own_time_calls(void (*fn)(void *arg), void *arg, unsigned int calls)
{
	return calls_by(own_ns, fn, arg, calls);
}

double time_loading(void)
{
	double samples[LOADS];
	unsigned int i;
	__u64 start;

	for (i = 0; i < LOADS; i++) {
		without_module();
		costs_begin(own_ns);
		start = own_ns();
		if (load_module())
			fail("loading the module", -EIO);
		samples[i] = own_ns() - start;
		costs_end(1);
	}
	costs_done();
	return median(samples, LOADS);
}
