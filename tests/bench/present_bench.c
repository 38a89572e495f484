// SPDX-License-Identifier: GPL-2.0
/*
 * What grows with the number of CPUs that the machine has, online or not: the point of this boot.
 * tests/bench/run makes several.
 */
#include "costs.h"
#include "switching.h"

#define CALLS 100

/* Another process has a set, and sleeps. */
static double time_life(const struct api *api)
{
	struct life life = { .api = api, .wish = of_self(1, false) };
	int child = sleeper_start(api, &life.wish);
	double ns;

	if (child < 0)
		fail("who counts", child);
	ns = time_calls(one_life, &life, CALLS);
	costs_row(api->name, "curve-present-life", cpus_online());
	stop_child(child);
	return ns;
}

int main(void)
{
	double life[2];
	unsigned int side;

	settle();
	for (side = 0; side < 2; side++) {
		apis[side]->begin();
		life[side] = time_life(apis[side]);
	}
	curve("curve-present-life", cpus_online(), life[OURS], life[THEIRS]);
	return 0;
}
