// SPDX-License-Identifier: GPL-2.0
#include "kinds.h"

bool kinds_find(struct kinds *k)
{
	unsigned int found[2] = { 0, 0 };
	struct pmudev_query q;
	int cpu;

	for (cpu = 0; cpu < cpus_online(); cpu++) {
		if (pm_query_pmu(cpu, PMUDEV_QUERY_CPU, &q) || q.nr_pmus != 2)
			return false;
		if (found[q.pmu] < 2)
			k->cpu[q.pmu][found[q.pmu]++] = cpu;
	}
	return found[0] == 2 && found[1] == 2;
}

int kinds_set(__u32 pmu, __u32 bind_flags, const struct pmudev_event_attr *events, unsigned int nr)
{
	return pm_attach_pmu(0, pmu, bind_flags, events, nr);
}

int both_read(const int *fd, struct both *both)
{
	union record record[2];
	int i, ret;

	for (i = 0; i < 2; i++) {
		ret = pm_read(fd[i], &record[i]);
		if (ret)
			return ret;
		both->value[i] = record[i].r.counts[0].value;
		both->enabled[i] = record[i].r.counts[0].time_enabled;
	}
	return 0;
}

__attribute__((noinline)) void both_rounds(const struct kinds *k, unsigned int rounds,
					   unsigned int stride, __u64 n)
{
	unsigned long mask;
	unsigned int i;

	for (i = 0; i < rounds; i++) {
		mask = 1UL << k->cpu[i * stride / 2 % 2][i * stride % 2];
		raw_call(SYS_sched_setaffinity, 0, sizeof(mask), (long)&mask);
		loop(n);
	}
}

static void *move(void *arg)
{
	struct mover *mover = arg;
	unsigned int i;

	for (i = 0; !READ_ONCE(mover->stop); i++) {
		if (pin_task_to(mover->tid, mover->kinds->cpu[i & 1][i / 2 & 1]))
			break;
		WRITE_ONCE(mover->moved, mover->moved + 1);
		pause_ns(i % 13 * 3001);
	}
	return NULL;
}

int mover_start(struct mover *mover, int tid)
{
	mover->tid = tid;
	return -pthread_create(&mover->thread, NULL, move, mover);
}

__u64 mover_stop(struct mover *mover)
{
	WRITE_ONCE(mover->stop, true);
	pthread_join(mover->thread, NULL);
	return mover->moved;
}
