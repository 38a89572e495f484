// SPDX-License-Identifier: GPL-2.0
#include "cgroup_set.h"

#include <fcntl.h>
#include <stdio.h>
#include <sys/ioctl.h>

const struct cgroup cgroup_root = { .path = "/tmp/cgroup2" };

int cgroup_bind(int fd, int directory, int cpu, __u32 flags)
{
	struct pmudev_bind bind = {
		.size = sizeof(bind),
		.flags = flags,
		.target = PMUDEV_TARGET_CGROUP,
		.id = cpu,
		.cgroup = directory,
	};

	if (!ioctl(fd, PMUDEV_IOC_BIND, &bind))
		return 0;
	why = bind.refusal;
	return -errno;
}

int cgroup_set(const struct cgroup *group, int cpu, const struct pmudev_event_attr *events,
	       unsigned int nr)
{
	int directory = open(group->path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	int fd = pm_open(), ret = directory < 0 ? -errno : fd;

	if (ret >= 0)
		ret = cgroup_bind(fd, directory, cpu, 0);
	if (!ret)
		ret = pm_add(fd, events, nr);
	if (!ret)
		ret = pm_enable(fd, PMUDEV_ALL);
	/* The set has a reference of its own. */
	close(directory);
	if (!ret)
		return fd;
	close(fd);
	return ret;
}

long stay_on(long cpu)
{
	return pin_to(cpu);
}

int cgroup_move(const struct cgroup *group, int pid)
{
	char text[16];

	snprintf(text, sizeof(text), "%d", pid);
	return cgroup_write(group, "cgroup.procs", text);
}

int cgroup_pair_start(struct cgroup_pair *pair)
{
	struct pmudev_query query;
	int ret = pm_query(&query);

	if (!ret && (!(query.features & PMUDEV_HAS_CGROUP) || cgroup_make(&pair->group, NULL)))
		return -ENODEV;
	pair->event = raw_event(steady_event(), USER_ONLY);
	pair->cost = subject_cost();
	if (!ret)
		ret = pin_to(0);
	if (!ret)
		ret = subject_fork(&pair->in);
	if (!ret)
		ret = subject_fork(&pair->out);
	if (!ret)
		ret = subject_do(&pair->in, stay_on, 0);
	if (!ret)
		ret = subject_do(&pair->out, stay_on, 0);
	if (!ret)
		ret = cgroup_move(&pair->group, pair->in.pid);
	return ret;
}

int cgroup_pair_end(struct cgroup_pair *pair)
{
	int in = subject_end(&pair->in), out = subject_end(&pair->out);

	return in ?: out ?: cgroup_end(&pair->group);
}
