// SPDX-License-Identifier: GPL-2.0
/*
 * Several CPUs: reading a set on another one, and what grows with their number. A nanosecond is an
 * instruction of whichever CPU executes: what the other one does for the caller is in it.
 */
#include "api.h"
#include "costs.h"
#include "trivial.h"

#include <errno.h>
#include <stdint.h>
#include <sys/ioctl.h>

#define CALLS	  100
#define MOST_CPUS 64
#define LOADS	  5

/* As many of them as the machine has. */
static const unsigned int cpus[] = { MOST_CPUS, 32, 16, 8, 4, 2, 1 };

static const unsigned int others[] = { 1, 3, 7, 15, 31, MOST_CPUS - 1 };

static const unsigned int numbers[] = { 1, 4 };

#define NR_OTHERS  ARRAY_SIZE(others)
#define NR_NUMBERS ARRAY_SIZE(numbers)
#define NR_SIZES   ARRAY_SIZE(cpus)

struct remote {
	const struct api *api;
	struct events events[MOST_CPUS];
	unsigned int nr;
};

static void read_all(void *arg)
{
	struct remote *remote = arg;
	unsigned int i;

	for (i = 0; i < remote->nr; i++)
		remote->api->read(&remote->events[i]);
}

/* All sets by one call. perf has no such call: a group is what it can read at once. */
static void read_at_once(void *arg)
{
	struct remote *remote = arg;
	union record records[MOST];
	__s32 fds[MOST];
	struct pmudev_read_sets call = {
		.size = sizeof(call),
		.nr = remote->nr,
		.record_size = sizeof(struct pmudev_record) + sizeof(struct pmudev_count),
		.fds = (uintptr_t)fds,
		.records = (uintptr_t)records,
	};
	unsigned int i;

	for (i = 0; i < remote->nr; i++)
		fds[i] = remote->events[i].fd[0];
	if (ioctl(fds[0], PMUDEV_IOC_READ_SETS, &call))
		fail("READ_SETS", -errno);
}

/*
 * So many sets, each of so many events, read by @read: of CPU 1 and the @step-th after each, all of
 * CPU 1 with 0.
 */
static double time_sets(const struct api *api, unsigned int nr, unsigned int step,
			unsigned int events, void (*read)(void *arg))
{
	struct remote remote = { .api = api, .nr = nr };
	unsigned int i;
	double ns;
	int ret;

	for (i = 0; i < nr; i++) {
		struct wish wish = { .cpu = 1 + i * step, .nr = events };

		ret = api->open(&remote.events[i], &wish);
		if (ret)
			fail("a CPU's set", ret);
	}
	ns = time_calls(read, &remote, CALLS);
	for (i = nr; i--;)
		api->close(&remote.events[i]);
	return ns;
}

/* A set on each of so many CPUs. */
static double time_reading(const struct api *api, unsigned int nr, unsigned int events)
{
	return time_sets(api, nr, 1, events, read_all);
}

/* So many sets of CPU 1, of one event each. */
static double time_several(const struct api *api, unsigned int nr)
{
	return time_sets(api, nr, 0, 1, api == &pmudev_api ? read_at_once : read_all);
}

static void only(unsigned int nr)
{
	unsigned int cpu;
	int ret = 0;

	for (cpu = cpus_online() - 1; cpu >= nr && !ret; cpu--)
		ret = set_cpu_online(cpu, false);
	if (ret)
		fail("a CPU goes offline", ret);
}

/*
 * The first set since loading: it reserves the PMU and installs hooks. @all: out: until it is done,
 * whoever works for it, and what is waited for.
 */
static double time_first(double *all)
{
	double samples[LOADS], whole[LOADS];
	struct wish wish = of_self(1, false);
	struct events events;
	__u64 start, began;
	unsigned int i;
	int ret;

	for (i = 0; i < LOADS; i++) {
		pmudev_api.begin();
		costs_begin(own_ns);
		began = now_ns();
		start = own_ns();
		ret = pmudev_api.open(&events, &wish);
		if (ret)
			fail("the first set", ret);
		pmudev_api.close(&events);
		samples[i] = own_ns() - start;
		whole[i] = now_ns() - began;
		costs_end(1);
	}
	costs_done();
	*all = median(whole, LOADS);
	return median(samples, LOADS);
}

/* Loading the module, and the first set, with so many CPUs. */
static void measure_few(unsigned int nr)
{
	double all, cold;

	only(nr);
	costs_of_cpus(nr);
	curve("curve-cpus-load", nr, time_loading(), REFUSED);
	costs_row(pmudev_api.name, "curve-cpus-load", nr);
	cold = time_first(&all);
	curve("curve-cpus-cold", nr, cold, REFUSED);
	curve("curve-cpus-whole", nr, all, REFUSED);
	costs_row(pmudev_api.name, "curve-cpus-cold", nr);
}

static bool wanted(unsigned int nr, unsigned int most)
{
	return nr <= most && (!costs_on() || nr == 1 || nr == most);
}

int main(void)
{
	double remote[2][NR_NUMBERS], several[2][NR_NUMBERS], reads[2][NR_OTHERS];
	const struct api *api;
	unsigned int side, i, most = cpus_online();
	double trivial[NR_NUMBERS];

	if (most < 2 || most > MOST_CPUS)
		fail("for 2 to 64 CPUs", -ENODEV);
	settle();
	trivial_begin();
	/* What the other CPU does for the caller, too. */
	costs_of_cpus(2);
	for (i = 0; i < NR_NUMBERS; i++) {
		trivial[i] = trivial_call(1, sizeof(struct pmudev_record) +
						     numbers[i] * sizeof(struct pmudev_count));
		costs_row(pmudev_api.name, "remote-trivial", numbers[i]);
	}
	trivial_end();
	for (side = 0; side < 2; side++) {
		api = apis[side];
		api->begin();
		costs_of_cpus(2);
		for (i = 0; i < NR_NUMBERS; i++) {
			remote[side][i] = time_reading(api, 1, numbers[i]);
			costs_row(api->name, "remote-read", numbers[i]);
			several[side][i] = time_several(api, numbers[i]);
			costs_row(api->name, "remote-several", numbers[i]);
		}
		for (i = 0; i < NR_OTHERS; i++) {
			if (!wanted(others[i], most - 1))
				continue;
			costs_of_cpus(others[i] + 1);
			reads[side][i] = time_reading(api, others[i], 1);
			costs_row(api->name, "curve-cpus-read", others[i]);
		}
	}
	for (i = 0; i < NR_NUMBERS; i++)
		row("remote-read", numbers[i], remote[OURS][i], remote[THEIRS][i]);
	for (i = 0; i < NR_NUMBERS; i++)
		row("remote-several", numbers[i], several[OURS][i], several[THEIRS][i]);
	for (i = 0; i < NR_NUMBERS; i++)
		row("remote-trivial", numbers[i], trivial[i], REFUSED);
	for (i = 0; i < NR_OTHERS; i++)
		if (wanted(others[i], most - 1))
			curve("curve-cpus-read", others[i], reads[OURS][i], reads[THEIRS][i]);
	for (i = 0; i < NR_SIZES; i++)
		if (wanted(cpus[i], most))
			measure_few(cpus[i]);
	return 0;
}
