// SPDX-License-Identifier: GPL-2.0
#include "switching.h"
#include "costs.h"

/* Turns of one sample: too short for a tick in most. The samples' median counts. */
#define ROUNDS	50
#define WARM_UP 10
#define SAMPLES 21
#define PAIRS	3
/*
 * Who waits for the CPU makes the scheduler's path longer, and the two do not let him: before
 * each sample he may have it.
 */
#define LET_OTHERS 2000000ULL
/* Hooks that are no longer needed stay for a second. */
#define HOOKS_LEAVE 3000000000ULL

void steady(bool on)
{
	struct sched_param param = { .sched_priority = on };

	if (sched_setscheduler(0, on ? SCHED_FIFO : SCHED_OTHER, &param))
		fail("SCHED_FIFO", -errno);
}

int sleeper_start(const struct api *api, const struct wish *wish)
{
	int ready[2], ret = 0, process;
	struct events events;

	if (pipe(ready))
		fail("pipe", -errno);
	process = fork_bound();
	if (!process) {
		if (wish)
			ret = api->open(&events, wish);
		if (write(ready[1], &ret, sizeof(ret)) != sizeof(ret))
			_exit(1);
		for (;;)
			pause();
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

static int partner_start(struct turns *turns, const struct cgroup *cgroup)
{
	int process = fork_bound();

	if (!process && cgroup && cgroup_enter(cgroup))
		_exit(1);
	while (!process) {
		turn_wait(turns, 1);
		turn_give(turns, 1);
	}
	return process;
}

double time_switches(const struct cgroup *partner)
{
	double samples[SAMPLES];
	struct turns turns;
	unsigned int i, j;
	int process;
	__u64 start;

	if (turns_init(&turns))
		fail("pipe", -errno);
	steady(true);
	process = partner_start(&turns, partner);
	for (i = 0; i < SAMPLES; i++) {
		pause_ns(LET_OTHERS);
		for (j = 0; j < WARM_UP; j++)
			turn_pass(&turns, 0);
		costs_begin(now_ns);
		start = now_ns();
		for (j = 0; j < ROUNDS; j++)
			turn_pass(&turns, 0);
		samples[i] = now_ns() - start;
		costs_end(2 * ROUNDS);
	}
	costs_done();
	stop_child(process);
	turns_end(&turns);
	steady(false);
	return median(samples, SAMPLES) / (2.0 * ROUNDS);
}

double extra_switch(int (*start)(void *arg), void (*stop)(void *arg), void *arg,
		    const struct cgroup *partner)
{
	struct costs costs[PAIRS];
	double samples[PAIRS], without;
	unsigned int i;

	for (i = 0; i < PAIRS; i++) {
		pause_ns(HOOKS_LEAVE);
		without = time_switches(partner);
		costs[i] = costs_last();
		if (start(arg)) {
			costs_set((struct costs){ .known = false });
			return REFUSED;
		}
		samples[i] = time_switches(partner) - without;
		costs_subtract(&costs[i], 1);
		costs[i] = costs_last();
		stop(arg);
	}
	costs_set(costs_median(costs, PAIRS));
	return median(samples, PAIRS);
}
