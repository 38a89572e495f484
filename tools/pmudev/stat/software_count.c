// SPDX-License-Identifier: GPL-2.0
#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "../common/cmd.h"
#include "software_count.h"

static void add_fd(struct software_count *count, int fd, unsigned int event, unsigned int source)
{
	struct software_fd *fds = realloc(count->fds, (count->nr + 1) * sizeof(*fds));

	if (!fds) {
		complain("no memory left");
		exit(EXIT_USAGE);
	}
	count->fds = fds;
	fds[count->nr++] = (struct software_fd){ .fd = fd, .source = source, .event = event };
}

static int open_one(struct software_count *count, unsigned int event, unsigned int source,
		    const struct software_target *target, pid_t id)
{
	const struct software *software = count->software;
	struct perf_event_attr attr = {
		.type = PERF_TYPE_SOFTWARE,
		.size = sizeof(attr),
		.config = software->events[event]->config,
		.disabled = 1,
		.inherit = target->inherit || target->threads,
		.enable_on_exec = target->on_exec,
		.exclude_kernel = software->user_only[event],
		.exclude_user = software->kernel_only[event],
	};
	int fd;

	/* The CPU's time, whatever runs there. */
	if (software->events[event]->clock && target->cpu >= 0)
		attr.config = PERF_COUNT_SW_CPU_CLOCK;
	attr.inherit_thread = target->threads && !target->inherit;
	fd = syscall(SYS_perf_event_open, &attr, id, target->cpu, -1,
		     PERF_FLAG_FD_CLOEXEC | (target->cgroup ? PERF_FLAG_PID_CGROUP : 0));
	if (fd < 0)
		return -errno;
	add_fd(count, fd, event, source);
	return 0;
}

/* Each thread of the process; one that ends meanwhile is gone. */
static int open_threads(struct software_count *count, unsigned int event, unsigned int source,
			const struct software_target *target)
{
	struct dirent *entry;
	char path[64];
	int error = 0;
	DIR *dir;

	snprintf(path, sizeof(path), "/proc/%d/task", target->id);
	dir = opendir(path);
	if (!dir)
		return -ESRCH;
	while (!error && (entry = readdir(dir))) {
		if (!isdigit((unsigned char)*entry->d_name))
			continue;
		error = open_one(count, event, source, target, atoi(entry->d_name));
		if (error == -ESRCH)
			error = 0;
	}
	closedir(dir);
	return error;
}

int software_count_open(struct software_count *count, unsigned int event, unsigned int source,
			const struct software_target *target)
{
	if (target->process)
		return open_threads(count, event, source, target);
	return open_one(count, event, source, target, target->id);
}

void software_count_enable(struct software_count *count, bool enable)
{
	unsigned int i;

	for (i = 0; i < count->nr; i++)
		ioctl(count->fds[i].fd, enable ? PERF_EVENT_IOC_ENABLE : PERF_EVENT_IOC_DISABLE, 0);
}

void software_count_read(const struct software_count *count, uint64_t *values)
{
	const unsigned int nr = count->software ? count->software->nr : 0;
	uint64_t value;
	unsigned int i;

	for (i = 0; i < count->nr; i++) {
		const struct software_fd *fd = &count->fds[i];

		if (read(fd->fd, &value, sizeof(value)) == sizeof(value))
			values[fd->source * nr + fd->event] += value;
	}
}

void software_count_drop(struct software_count *count, unsigned int event)
{
	unsigned int i, kept = 0;

	for (i = 0; i < count->nr; i++) {
		if (count->fds[i].event == event)
			close(count->fds[i].fd);
		else
			count->fds[kept++] = count->fds[i];
	}
	count->nr = kept;
}

void software_count_close(struct software_count *count)
{
	unsigned int i;

	for (i = 0; i < count->nr; i++)
		close(count->fds[i].fd);
	free(count->fds);
	*count = (struct software_count){ .nr = 0 };
}
