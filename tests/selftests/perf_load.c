// SPDX-License-Identifier: GPL-2.0
#include "perf_load.h"
#include "common.h"
#include "disturb.h"

#include <stdint.h>

/* More than any PMU of the emulated machines has counters for. */
#define STAT_EVENTS 10

#define MOST_WAIT 10000000000ULL /* ns, until each has counted */

#define RECORD_CPUS 2
#define RECORD_HZ   1000

#define READS 1000

int perf_load_init(struct perf_load *load, int cpus)
{
	pthread_rwlockattr_t attr;

	load->cpus = cpus;
	pthread_rwlockattr_init(&attr);
	pthread_rwlockattr_setpshared(&attr, PTHREAD_PROCESS_SHARED);
	return cpus > PERF_LOAD_CPUS ? -E2BIG : -pthread_rwlock_init(&load->turns, &attr);
}

int perf_load_hotplug(void *arg, unsigned int i)
{
	struct perf_load *load = arg;
	int cpu = i % (load->cpus - 1) + 1, ret;

	if (kernel_major() >= 7) {
		pthread_rwlock_wrlock(&load->turns);
		/* perf's timers find nothing to do, and start no more: each within a turn, 4 ms. */
		pause_ns(20000000);
	}
	__atomic_fetch_add(&load->gone[cpu], 1, __ATOMIC_SEQ_CST);
	ret = hotplug_once((void *)(intptr_t)load->cpus, i);
	/* Again: for what was opened when it was about to go. */
	__atomic_fetch_add(&load->gone[cpu], 1, __ATOMIC_SEQ_CST);
	if (kernel_major() >= 7)
		pthread_rwlock_unlock(&load->turns);
	return ret;
}

/* ---------------------------------------------------------------------- perf stat -- */

struct stat_event {
	int fd, cpu;
	unsigned int gone; /* what it was when this was opened */
};

static int stat_open(struct perf_load *load, struct stat_event *events, unsigned int *nr)
{
	int cpu, i;

	for (cpu = 0; cpu < load->cpus; cpu++) {
		for (i = 0; i < STAT_EVENTS; i++) {
			struct stat_event *e = &events[*nr];

			e->cpu = cpu;
			e->gone = __atomic_load_n(&load->gone[cpu], __ATOMIC_SEQ_CST);
			e->fd = perf_open(EVENT_INSTRUCTIONS, 0, -1, cpu);
			if (e->fd == -ENODEV)
				break;
			if (e->fd < 0)
				return e->fd;
			(*nr)++;
		}
	}
	return 0;
}

/*
 * The CPU of an event that has not counted yet, or -1. The events of a CPU that went offline never
 * count again.
 */
static int waiting_on(struct perf_load *load, const struct stat_event *events, unsigned int nr)
{
	unsigned int i;

	for (i = 0; i < nr; i++) {
		const struct stat_event *e = &events[i];

		if (!perf_count(e->fd).running &&
		    e->gone == __atomic_load_n(&load->gone[e->cpu], __ATOMIC_SEQ_CST))
			return e->cpu;
	}
	return -1;
}

static int stat_once(struct perf_load *load)
{
	struct stat_event events[PERF_LOAD_CPUS * STAT_EVENTS];
	__u64 begin = now_ns(), waited;
	int ret, cpu, last = -1;
	unsigned int nr = 0;

	ret = stat_open(load, events, &nr);
	while (!ret) {
		cpu = waiting_on(load, events, nr);
		if (cpu < 0)
			break;
		last = cpu;
		pause_ns(1000000);
		if (now_ns() - begin > MOST_WAIT)
			ret = -ETIMEDOUT;
	}
	waited = now_ns() - begin;
	if (waited > load->waited) {
		WRITE_ONCE(load->waited, waited);
		WRITE_ONCE(load->waited_cpu, last);
	}
	while (nr)
		close(events[--nr].fd);
	return ret;
}

int perf_load_stat(void *arg, unsigned int i)
{
	struct perf_load *load = arg;
	int ret;

	(void)i;
	if (kernel_major() < 7)
		return stat_once(load);
	pthread_rwlock_rdlock(&load->turns);
	ret = stat_once(load);
	pthread_rwlock_unlock(&load->turns);
	return ret;
}

/* --------------------------------------------------------------- record and read -- */

int perf_load_record(void *arg, unsigned int i)
{
	static struct perf_samples samples[RECORD_CPUS];
	struct perf_load *load = arg;
	unsigned int taken = 0;
	int cpu, ret;

	(void)i;
	for (cpu = 0; cpu < RECORD_CPUS; cpu++) {
		if (samples[cpu].page)
			continue;
		ret = perf_samples_open(&samples[cpu], EVENT_CYCLES, cpu, RECORD_HZ);
		if (ret) {
			samples[cpu].page = NULL;
			return ret == -ENODEV ? -EAGAIN : ret;
		}
	}
	/* CPU 0 is always there, the other one may be gone: its samples have ended then. */
	for (cpu = 0; cpu < RECORD_CPUS; cpu++)
		taken += perf_samples_take(&samples[cpu]);
	WRITE_ONCE(load->samples, load->samples + taken);
	WRITE_ONCE(load->lost, samples[0].lost + samples[1].lost);
	return taken ? 0 : -EAGAIN;
}

int perf_load_read(void *arg, unsigned int i)
{
	static struct perf_reader reader;
	static __u64 last;
	struct perf_load *load = arg;
	__u64 count;
	int ret, n;

	if (!i) {
		ret = perf_reader_open(&reader, EVENT_CYCLES);
		if (ret)
			return ret;
	}
	pin_to(i * 5 / 3 % load->cpus);
	for (n = 0; n < READS; n++) {
		ret = perf_reader_read(&reader, &count);
		if (ret)
			return ret;
		if (count < last)
			return -EPROTO;
		last = count;
	}
	__atomic_store_n(&load->direct, reader.direct, __ATOMIC_RELAXED);
	return 0;
}
