// SPDX-License-Identifier: GPL-2.0
/*
 * What counting costs at a context switch: two processes on one CPU take turns, and the time of a
 * switch is compared with that of the same switch while nobody counts. For pmudev, and for perf
 * with the same events while pmudev is not loaded. In the emulator a nanosecond is an instruction.
 */
#include "common.h"
#include "perf.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

/* Turns of one sample: too short for a tick in most. The samples' median counts. */
#define ROUNDS	50
#define WARM_UP 200
#define SAMPLES 101

#define MAX_EVENTS 6

#define PERF_ACCESS "/proc/sys/kernel/perf_user_access"

enum counted {
	NOBODY,
	ONE,	  /* of the two */
	BOTH,	  /* each by itself */
	ATTACHED, /* one of the two, by a third */
	SLEEPER,  /* neither: a third, which sleeps, by itself */
	STRANGER, /* neither: a third, which sleeps, by a fourth */
};

struct api {
	const char *name;
	/* Count thread @pid (0: the caller) until this process ends or stops. 0 or -errno. */
	int (*start)(int pid, unsigned int nr, bool user);
	void (*stop)(void);
};

static const __u64 events[MAX_EVENTS] = {
	EVENT_INSTRUCTIONS, EVENT_CYCLES,	EVENT_INSTRUCTIONS,
	EVENT_CYCLES,	    EVENT_INSTRUCTIONS, EVENT_CYCLES,
};

/* ------------------------------------------------------------- the two -- */

static struct pmudev_page *page;
static int set = -1;

static void pmudev_stop(void)
{
	if (page)
		pm_unmap(page);
	if (set >= 0)
		close(set);
	page = NULL;
	set = -1;
}

static int pmudev_start(int pid, unsigned int nr, bool user)
{
	struct pmudev_event_attr attr[MAX_EVENTS];
	unsigned int i;
	int ret;

	for (i = 0; i < nr; i++)
		attr[i] = raw_event(events[i], user ? DIRECT_READ : USER_ONLY);
	set = pm_open();
	if (set < 0)
		return set;
	ret = pm_bind(set, PMUDEV_TARGET_TASK, pid, 0);
	if (!ret)
		ret = pm_add(set, attr, nr);
	if (!ret)
		ret = pm_enable(set, PMUDEV_ALL);
	if (!ret && user) {
		page = pm_map(set);
		ret = page ? 0 : -errno;
	}
	return ret;
}

static int perf_fd[MAX_EVENTS] = { -1, -1, -1, -1, -1, -1 };
static void *perf_page[MAX_EVENTS];

static void perf_stop(void)
{
	unsigned int i;

	for (i = MAX_EVENTS; i--;) {
		if (perf_page[i])
			munmap(perf_page[i], PAGE_BYTES);
		if (perf_fd[i] >= 0)
			close(perf_fd[i]);
		perf_page[i] = NULL;
		perf_fd[i] = -1;
	}
}

/* One group, as pmudev's events are. */
static int perf_start(int pid, unsigned int nr, bool user)
{
	struct perf_event_attr attr = {
		.size = sizeof(attr),
		.type = PERF_TYPE_RAW,
		.exclude_kernel = 1,
		.exclude_hv = 1,
	};
	unsigned int i;
	void *at;

	/* arm64: config1 asks for user reads; x86 knows no such bit. */
	if (user && PMU_ARCH == PMUDEV_ARCH_ARM64)
		attr.config1 = 2;
	for (i = 0; i < nr; i++) {
		attr.config = events[i];
		perf_fd[i] = syscall(SYS_perf_event_open, &attr, pid, -1, i ? perf_fd[0] : -1,
				     PERF_FLAG_FD_CLOEXEC);
		if (perf_fd[i] < 0)
			return -errno;
		if (!user)
			continue;
		at = mmap(NULL, PAGE_BYTES, PROT_READ, MAP_SHARED | MAP_POPULATE, perf_fd[i], 0);
		if (at == MAP_FAILED)
			return -errno;
		perf_page[i] = at;
	}
	return 0;
}

static const struct api pmudev = { "pmudev", pmudev_start, pmudev_stop };
static const struct api perf = { "perf", perf_start, perf_stop };

/* ---------------------------------------------------------- measuring -- */

static void fail(const char *what, int error)
{
	fprintf(stderr, "switch_bench: %s: %s\n", what, strerror(-error));
	exit(1);
}

/* So that no wakeup preempts: each turn is one switch, always at the same place. */
static void steady(bool on)
{
	struct sched_param param = { .sched_priority = on };

	if (sched_setscheduler(0, on ? SCHED_FIFO : SCHED_OTHER, &param))
		fail("SCHED_FIFO", -errno);
}

static int ascending(const void *a, const void *b)
{
	__u64 x = *(const __u64 *)a, y = *(const __u64 *)b;

	return x < y ? -1 : x > y;
}

/* Nanoseconds of a switch. */
static double time_switches(struct turns *turns)
{
	__u64 sample[SAMPLES], start;
	unsigned int i, j;

	for (i = 0; i < WARM_UP; i++)
		turn_pass(turns, 0);
	for (i = 0; i < SAMPLES; i++) {
		start = now_ns();
		for (j = 0; j < ROUNDS; j++)
			turn_pass(turns, 0);
		sample[i] = now_ns() - start;
	}
	qsort(sample, SAMPLES, sizeof(sample[0]), ascending);
	return sample[SAMPLES / 2] / (2.0 * ROUNDS);
}

/* A child that counts thread @pid, itself (0) or nobody (-1), says so, then serves or sleeps. */
static int child(const struct api *api, int pid, unsigned int nr, bool user, struct turns *turns)
{
	int ready[2], ret = 0, process;

	if (pipe(ready))
		fail("pipe", -errno);
	process = fork_bound();
	if (!process) {
		if (pid >= 0)
			ret = api->start(pid, nr, user);
		if (write(ready[1], &ret, sizeof(ret)) != sizeof(ret))
			_exit(1);
		while (!turns)
			pause();
		for (;;) {
			turn_wait(turns, 1);
			turn_give(turns, 1);
		}
	}
	if (read(ready[0], &ret, sizeof(ret)) != sizeof(ret))
		fail("who counts", -EPIPE);
	close(ready[0]);
	close(ready[1]);
	if (!ret)
		return process;
	stop_child(process);
	return ret;
}

/* Nanoseconds of a switch, or -1 if it cannot be counted so. */
static double measure(const struct api *api, enum counted who, unsigned int nr, bool user)
{
	int partner, third = 0, fourth = 0, ret = 0;
	struct turns turns;
	double ns = -1;

	if (turns_init(&turns))
		fail("pipe", -errno);
	steady(true);
	partner = child(api, who == BOTH ? 0 : -1, nr, user, &turns);
	if (partner < 0)
		fail(api->name, partner);
	if (who == ONE || who == BOTH)
		ret = api->start(0, nr, user);
	if (who == SLEEPER || who == STRANGER)
		third = child(api, who == SLEEPER ? 0 : -1, nr, user, NULL);
	if (who == ATTACHED || who == STRANGER)
		fourth = child(api, who == ATTACHED ? getpid() : third, nr, user, NULL);
	if (!ret && third >= 0 && fourth >= 0)
		ns = time_switches(&turns);
	else if (who != ATTACHED && who != STRANGER)
		fail(api->name, ret ?: third);
	api->stop();
	stop_child(fourth);
	stop_child(third);
	stop_child(partner);
	turns_end(&turns);
	steady(false);
	/* It leaves its hooks a second after its last event. */
	if (api == &perf)
		pause_ns(2000000000ULL);
	return ns;
}

/* ------------------------------------------------------------ the table -- */

static const struct path {
	const char *name;
	enum counted who;
	bool user;
} paths[] = {
	{ "one of the two counts itself", ONE, false },
	{ "the same, user-readable", ONE, true },
	{ "both count themselves", BOTH, false },
	{ "one of the two counted by another", ATTACHED, false },
	{ "bystanders, a sleeper counts itself", SLEEPER, false },
	{ "bystanders, a sleeper counted by another", STRANGER, false },
};

static const unsigned int numbers[] = { 1, 4, 6 };

#define NR_PATHS   ARRAY_SIZE(paths)
#define NR_NUMBERS ARRAY_SIZE(numbers)

static void measure_all(const struct api *api, double base, double extra[NR_PATHS][NR_NUMBERS])
{
	unsigned int i, j;

	for (i = 0; i < NR_PATHS; i++) {
		for (j = 0; j < NR_NUMBERS; j++) {
			double ns = measure(api, paths[i].who, numbers[j], paths[i].user);

			extra[i][j] = ns < 0 ? -1e9 : ns - base;
			printf("# %s, %s, %u: %.1f\n", api->name, paths[i].name, numbers[j], ns);
			fflush(stdout);
		}
	}
}

static void print_table(double ours[NR_PATHS][NR_NUMBERS], double theirs[NR_PATHS][NR_NUMBERS])
{
	unsigned int i, j;

	printf("%-42s %6s %8s %8s %7s\n", "extra per switch", "events", "pmudev", "perf", "ratio");
	for (i = 0; i < NR_PATHS; i++) {
		for (j = 0; j < NR_NUMBERS; j++) {
			printf("%-42s %6u ", paths[i].name, numbers[j]);
			if (ours[i][j] <= -1e9)
				printf("%8s %8.0f %7s\n", "-", theirs[i][j], "-");
			else
				printf("%8.0f %8.0f %7.3f\n", ours[i][j], theirs[i][j],
				       ours[i][j] / theirs[i][j]);
		}
	}
}

int main(void)
{
	static double ours[NR_PATHS][NR_NUMBERS], theirs[NR_PATHS][NR_NUMBERS];
	double bare, loaded, used;
	int ret;

	/* Let the machine finish booting. */
	pause_ns(20000000000ULL);
	ret = pin_to(0);
	if (!ret)
		ret = unload_module();
	if (ret)
		fail("unloading the module", ret);
	/* The first time pays for more than the switches. */
	measure(&perf, NOBODY, 0, false);
	bare = measure(&perf, NOBODY, 0, false);
	if (PMU_ARCH == PMUDEV_ARCH_ARM64)
		ret = write_file(PERF_ACCESS, "1");
	if (ret)
		fail(PERF_ACCESS, ret);
	measure_all(&perf, bare, theirs);
	if (PMU_ARCH == PMUDEV_ARCH_ARM64)
		write_file(PERF_ACCESS, "0");

	ret = load_module();
	if (!ret)
		ret = set_gate(true);
	if (ret)
		fail("loading the module", ret);
	loaded = measure(&pmudev, NOBODY, 0, false);
	measure_all(&pmudev, loaded, ours);
	/* What finds threads that others count stays for a second. */
	pause_ns(3000000000ULL);
	used = measure(&pmudev, NOBODY, 0, false);
	set_gate(false);

	printf("%s: a switch takes %.0f %s; with the module %+.0f, after it was used %+.0f\n",
	       machine_name(), bare, emulated() ? "instructions" : "ns", loaded - bare,
	       used - bare);
	print_table(ours, theirs);
	return 0;
}
