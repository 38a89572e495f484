// SPDX-License-Identifier: GPL-2.0
/*
 * Several CPUs: reading a set on another one, and what grows with their number. A nanosecond is an
 * instruction of whichever CPU executes: what the other one does for the caller is in it.
 */
#include "api.h"
#include "costs.h"
#include "trivial.h"

#define CALLS	  100
#define MOST_CPUS 8
#define LOADS	  5

static const unsigned int cpus[] = { 8, 4, 2, 1 };

static const unsigned int others[] = { 1, 3, 7 };

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

/* CPUs first..first + nr - 1, each with a set of so many events. */
static double time_reading(const struct api *api, unsigned int first, unsigned int nr,
			   unsigned int events)
{
	struct remote remote = { .api = api, .nr = nr };
	unsigned int i;
	double ns;
	int ret;

	for (i = 0; i < nr; i++) {
		struct wish wish = { .cpu = first + i, .nr = events };

		ret = api->open(&remote.events[i], &wish);
		if (ret)
			fail("a CPU's set", ret);
	}
	ns = time_calls(read_all, &remote, CALLS);
	for (i = nr; i--;)
		api->close(&remote.events[i]);
	return ns;
}

static void only(unsigned int nr)
{
	unsigned int cpu;
	int ret = 0;

	for (cpu = MOST_CPUS - 1; cpu >= nr && !ret; cpu--)
		if (cpus_online() > (int)cpu)
			ret = set_cpu_online(cpu, false);
	if (ret)
		fail("a CPU goes offline", ret);
}

/* The first set since loading: it reserves the PMU and installs hooks. */
static double time_first(void)
{
	double samples[LOADS];
	struct wish wish = of_self(1, false);
	struct events events;
	unsigned int i;
	__u64 start;
	int ret;

	for (i = 0; i < LOADS; i++) {
		pmudev_api.begin();
		start = own_ns();
		ret = pmudev_api.open(&events, &wish);
		if (ret)
			fail("the first set", ret);
		pmudev_api.close(&events);
		samples[i] = own_ns() - start;
	}
	return median(samples, LOADS);
}

int main(void)
{
	double remote[2][NR_NUMBERS], reads[2][NR_OTHERS];
	const struct api *api;
	unsigned int side, i;
	double trivial[NR_NUMBERS];

	if (cpus_online() != MOST_CPUS)
		fail("for 8 CPUs", -ENODEV);
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
		for (i = 0; i < NR_NUMBERS; i++) {
			remote[side][i] = time_reading(api, 1, 1, numbers[i]);
			costs_row(api->name, "remote-read", numbers[i]);
		}
		for (i = 0; i < NR_OTHERS; i++)
			reads[side][i] = time_reading(api, 1, others[i], 1);
	}
	costs_of_cpus(1);
	for (i = 0; i < NR_NUMBERS; i++)
		row("remote-read", numbers[i], remote[OURS][i], remote[THEIRS][i]);
	for (i = 0; i < NR_NUMBERS; i++)
		row("remote-trivial", numbers[i], trivial[i], REFUSED);
	for (i = 0; i < NR_OTHERS; i++)
		curve("curve-cpus-read", others[i], reads[OURS][i], reads[THEIRS][i]);
	for (i = 0; i < NR_SIZES; i++) {
		only(cpus[i]);
		curve("curve-cpus-load", cpus[i], time_loading(), REFUSED);
		curve("curve-cpus-cold", cpus[i], time_first(), REFUSED);
	}
	return 0;
}
