// SPDX-License-Identifier: GPL-2.0
#include "guest_group.h"
#include "perf.h"

#include <string.h>
#include <sys/ioctl.h>

/* A tick of the timer comes every 4 million instructions, and a window is a tenth of that. */
#define TRIES 4

enum shape machine_shape(void)
{
	static const struct {
		const char *name;
		enum shape shape;
	} known[] = {
		{ "vhe", SHAPE_VHE },	{ "wide", SHAPE_VHE }, { "p9", SHAPE_VHE },
		{ "nvhe", SHAPE_NVHE }, { "el1", SHAPE_EL1 },  { "p9-el1", SHAPE_EL1 },
	};
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(known); i++)
		if (!strcmp(machine_name(), known[i].name))
			return known[i].shape;
	return SHAPE_UNKNOWN;
}

bool guest_hooked(void)
{
	struct pmudev_query query;

	return !pm_query(&query) && query.state & PMUDEV_STATE_GUEST;
}

static int open_perf(struct guest_group *s, int cpu, const __u32 *flags, unsigned int nr)
{
	for (; s->nr < nr; s->nr++) {
		s->fd[s->nr] = perf_open_excluding(EVENT_INSTRUCTIONS, flags[s->nr], cpu,
						   s->nr ? s->fd[0] : -1);
		if (s->fd[s->nr] < 0)
			return s->fd[s->nr];
	}
	s->start = PERF_EVENT_IOC_ENABLE;
	s->stop = PERF_EVENT_IOC_DISABLE;
	return 0;
}

static int open_pmudev(struct guest_group *s, int cpu, const __u32 *flags, unsigned int nr)
{
	struct pmudev_event_attr events[GROUP_EVENTS];
	unsigned int i;
	int ret;

	s->fd[0] = pm_open();
	if (s->fd[0] < 0)
		return s->fd[0];
	s->nr = 1;
	for (i = 0; i < nr; i++)
		events[i] = raw_event(EVENT_INSTRUCTIONS, flags[i]);
	ret = pm_bind(s->fd[0], cpu < 0 ? PMUDEV_TARGET_TASK : PMUDEV_TARGET_CPU, cpu < 0 ? 0 : cpu,
		      0);
	if (!ret)
		ret = pm_add(s->fd[0], events, nr);
	/* The reservation is not part of the measurement. */
	if (!ret)
		ret = pm_enable(s->fd[0], PMUDEV_ALL);
	if (!ret)
		ret = pm_disable(s->fd[0], PMUDEV_ALL);
	if (!ret)
		ret = pm_reset(s->fd[0], PMUDEV_ALL, 0);
	s->start = PMUDEV_IOC_ENABLE;
	s->stop = PMUDEV_IOC_DISABLE;
	s->start_arg = &s->ctl[0];
	s->stop_arg = &s->ctl[1];
	s->nr = nr;
	return ret;
}

int group_open(struct guest_group *s, bool perf, int cpu, const __u32 *flags, unsigned int nr)
{
	int ret;

	memset(s, 0, sizeof(*s));
	s->perf = perf;
	s->ctl[0] = (struct pmudev_ctl){
		.size = sizeof(s->ctl[0]),
		.group = PMUDEV_ALL,
		.slot = PMUDEV_ALL,
	};
	s->ctl[1] = s->ctl[0];
	ret = perf ? open_perf(s, cpu, flags, nr) : open_pmudev(s, cpu, flags, nr);
	if (ret)
		group_close(s);
	return ret;
}

int group_values(struct guest_group *s, __u64 *values)
{
	union record record;
	struct perf_count c;
	unsigned int i;
	int ret = 0;

	if (!s->perf)
		ret = pm_read(s->fd[0], &record);
	for (i = 0; i < s->nr && !ret; i++) {
		if (s->perf)
			c = perf_count(s->fd[i]);
		else
			c = (struct perf_count){ record.r.counts[i].value,
						 record.r.counts[i].time_enabled,
						 record.r.counts[i].time_running };
		values[i] = c.enabled == c.running ? c.value : ~0ULL;
	}
	return ret;
}

void group_close(struct guest_group *s)
{
	unsigned int i;

	for (i = s->perf ? s->nr : s->nr > 0; i-- > 0;)
		close(s->fd[i]);
	s->nr = 0;
}

__attribute__((noinline)) int group_window(struct guest_group *s, struct guest_vcpu *v,
					   unsigned int rounds)
{
	int ret = ioctl(s->fd[0], s->start, s->start_arg);

	for (; rounds && !ret; rounds--) {
		loop(GROUP_LOOPS);
		if (v)
			ret = vcpu_run(v);
		else
			raw_call(SYS_getppid, 0, 0, 0);
	}
	return ioctl(s->fd[0], s->stop, s->stop_arg) ? -errno : ret;
}

int group_more(struct guest_group *s, struct guest_vcpu *v, unsigned int rounds, __u64 *values)
{
	__u64 before[GROUP_EVENTS];
	unsigned int i;
	int ret = group_values(s, before);

	if (!ret)
		ret = group_window(s, v, rounds);
	if (!ret)
		ret = group_values(s, values);
	for (i = 0; i < s->nr && !ret; i++)
		values[i] -= before[i];
	return ret;
}

/* Lowers @values to the least of what some windows count: 0 or -errno. */
static int lower(struct guest_group *s, struct guest_vcpu *v, unsigned int rounds, __u64 *values)
{
	__u64 more[GROUP_EVENTS];
	unsigned int try, i;
	int ret = 0;

	for (try = 0; try < TRIES && !ret; try++) {
		ret = group_more(s, v, rounds, more);
		for (i = 0; i < s->nr && !ret; i++)
			if (more[i] < values[i])
				values[i] = more[i];
	}
	return ret;
}

int group_rounds_more(struct guest_group *s, struct guest_vcpu *v, unsigned int rounds,
		      struct group_least *least, __u64 *values)
{
	unsigned int i;
	int ret = lower(s, v, rounds, least->once);

	if (!ret)
		ret = lower(s, v, 2 * rounds, least->twice);
	for (i = 0; i < s->nr && !ret; i++)
		values[i] = least->twice[i] - least->once[i];
	return ret;
}

int group_rounds(struct guest_group *s, struct guest_vcpu *v, unsigned int rounds, __u64 *values)
{
	struct group_least least = group_nothing_yet();

	return group_rounds_more(s, v, rounds, &least, values);
}
