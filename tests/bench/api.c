// SPDX-License-Identifier: GPL-2.0
#include "api.h"
#include "cgroup_set.h"
#include "deadline.h"

#include <linux/perf_event.h>
#include <stdint.h>
#include <sys/ioctl.h>
#include <sys/mman.h>

static void close_files(struct events *e)
{
	while (e->nr) {
		e->nr--;
		if (e->page[e->nr])
			munmap(e->page[e->nr], PAGE_BYTES);
		close(e->fd[e->nr]);
	}
}

static int map_last(struct events *e)
{
	void *at =
		mmap(NULL, PAGE_BYTES, PROT_READ, MAP_SHARED | MAP_POPULATE, e->fd[e->nr - 1], 0);

	if (at == MAP_FAILED)
		return -errno;
	e->page[e->nr - 1] = at;
	return 0;
}

static void add_file(struct events *e, int fd)
{
	e->fd[e->nr] = fd;
	e->page[e->nr] = NULL;
	e->nr++;
}

/* -------------------------------------------------------------- pmudev -- */

/* Bound to the caller, added and enabled: the usual set takes one call. */
static int pmudev_begin(int fd, const struct pmudev_event_attr *attr, unsigned int nr)
{
	struct pmudev_add add = {
		.size = sizeof(add),
		.flags = PMUDEV_ADD_ENABLE,
		.nr = nr,
		.event_size = sizeof(*attr),
		.events = (uintptr_t)attr,
	};

	return ioctl(fd, PMUDEV_IOC_ADD, &add) ? -errno : 0;
}

static int pmudev_fill(struct events *e, const struct wish *wish)
{
	struct pmudev_event_attr attr[MOST];
	unsigned int i;
	int ret;

	for (i = 0; i < wish->nr; i++)
		attr[i] = raw_event(config_of(i), wish->user ? DIRECT_READ : USER_ONLY);
	ret = pm_open();
	if (ret < 0)
		return ret;
	add_file(e, ret);
	if (wish->cpu < 0 && !wish->pid && !wish->off) {
		ret = pmudev_begin(e->fd[0], attr, wish->nr);
	} else {
		if (wish->cgroup)
			ret = cgroup_bind(e->fd[0], wish->cgroup, wish->cpu, 0);
		else if (wish->cpu >= 0)
			ret = pm_bind(e->fd[0], PMUDEV_TARGET_CPU, wish->cpu, 0);
		else
			ret = pm_bind(e->fd[0], PMUDEV_TARGET_TASK, wish->pid, 0);
		if (!ret)
			ret = pm_add(e->fd[0], attr, wish->nr);
		if (!ret && !wish->off)
			ret = pm_enable(e->fd[0], PMUDEV_ALL);
	}
	if (!ret && wish->deadline)
		ret = pm_deadline(e->fd[0], 0, PMUDEV_DEADLINE_RELATIVE, wish->deadline,
				  wish->deadline);
	if (!ret && wish->user)
		ret = map_last(e);
	return ret;
}

static int pmudev_open_events(struct events *e, const struct wish *wish)
{
	int ret;

	e->nr = 0;
	ret = pmudev_fill(e, wish);
	if (ret)
		close_files(e);
	return ret;
}

static void pmudev_enable_events(struct events *e)
{
	if (pm_enable(e->fd[0], PMUDEV_ALL))
		fail("ENABLE", -errno);
}

static void pmudev_disable_events(struct events *e)
{
	if (pm_disable(e->fd[0], PMUDEV_ALL))
		fail("DISABLE", -errno);
}

static void read_events(struct events *e)
{
	union record record;

	if (raw_read(e->fd[0], &record) <= 0)
		fail("read(2)", -EIO);
}

const struct api pmudev_api = {
	.name = "pmudev",
	.begin = begin_pmudev,
	.open = pmudev_open_events,
	.close = close_files,
	.enable = pmudev_enable_events,
	.disable = pmudev_disable_events,
	.read = read_events,
};

/* ---------------------------------------------------------------- perf -- */

static int perf_fill(struct events *e, const struct wish *wish)
{
	struct perf_event_attr attr = {
		.size = sizeof(attr),
		.type = PERF_TYPE_RAW,
		.exclude_kernel = 1,
		.exclude_hv = 1,
		.read_format = PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING,
	};
	int pid = wish->cgroup ? wish->cgroup : wish->cpu >= 0 ? -1 : wish->pid, fd, ret;
	unsigned long flags = wish->cgroup ? PERF_FLAG_PID_CGROUP : 0;
	unsigned int i;

	if (wish->nr > 1)
		attr.read_format |= PERF_FORMAT_GROUP;
	/* arm64: asks for user reads; x86 knows no such bit. */
	if (wish->user && PMU_ARCH == PMUDEV_ARCH_ARM64)
		attr.config1 = 2;
	for (i = 0; i < wish->nr; i++) {
		attr.config = config_of(i);
		/* A group is on when its leader is. */
		attr.disabled = wish->off && !i;
		attr.sample_period = i ? 0 : wish->deadline;
		fd = syscall(SYS_perf_event_open, &attr, pid, wish->cpu, i ? e->fd[0] : -1,
			     PERF_FLAG_FD_CLOEXEC | flags);
		if (fd < 0)
			return -errno;
		add_file(e, fd);
		ret = wish->user ? map_last(e) : 0;
		if (ret)
			return ret;
	}
	return 0;
}

static int perf_open_events(struct events *e, const struct wish *wish)
{
	int ret;

	e->nr = 0;
	ret = perf_fill(e, wish);
	if (ret)
		close_files(e);
	return ret;
}

static void perf_switch(struct events *e, unsigned long request)
{
	if (ioctl(e->fd[0], request, e->nr > 1 ? PERF_IOC_FLAG_GROUP : 0))
		fail("perf's ioctl", -errno);
}

static void perf_enable_events(struct events *e)
{
	perf_switch(e, PERF_EVENT_IOC_ENABLE);
}

static void perf_disable_events(struct events *e)
{
	perf_switch(e, PERF_EVENT_IOC_DISABLE);
}

const struct api perf_api = {
	.name = "perf",
	.begin = begin_perf,
	.open = perf_open_events,
	.close = close_files,
	.enable = perf_enable_events,
	.disable = perf_disable_events,
	.read = read_events,
};

const struct api *const apis[2] = { [THEIRS] = &perf_api, [OURS] = &pmudev_api };

void one_life(void *arg)
{
	struct life *life = arg;
	int ret = life->api->open(&life->events, &life->wish);

	if (ret)
		fail(life->api->name, ret);
	if (life->wish.off)
		life->api->enable(&life->events);
	life->api->close(&life->events);
}
