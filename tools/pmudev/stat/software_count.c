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

static void add_fd(struct software_count *count, const struct software_fd *fd)
{
	struct software_fd *fds = realloc(count->fds, (count->nr + 1) * sizeof(*fds));

	if (!fds) {
		complain("no memory left");
		exit(EXIT_USAGE);
	}
	count->fds = fds;
	fds[count->nr++] = *fd;
}

/* Return: a descriptor, not enabled, or a negative errno. */
static int open_fd(const struct software_count *count, unsigned int event,
		   const struct software_target *target)
{
	const struct software *software = count->software;
	struct perf_event_attr attr = {
		.type = PERF_TYPE_SOFTWARE,
		.size = sizeof(attr),
		.config = software->events[event]->config,
		.read_format = PERF_FORMAT_TOTAL_TIME_RUNNING,
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
	fd = syscall(SYS_perf_event_open, &attr, target->id, target->cpu, -1,
		     PERF_FLAG_FD_CLOEXEC | (target->cgroup ? PERF_FLAG_PID_CGROUP : 0));
	return fd < 0 ? -errno : fd;
}

static int open_one(struct software_count *count, unsigned int event, unsigned int source,
		    const struct software_target *target)
{
	struct software_fd fd = { .source = source, .event = event, .target = *target };

	fd.fd = open_fd(count, event, target);
	if (fd.fd < 0)
		return fd.fd;
	add_fd(count, &fd);
	return 0;
}

/* Each thread of the process; one that ends meanwhile is gone. */
static int open_threads(struct software_count *count, unsigned int event, unsigned int source,
			const struct software_target *target)
{
	struct software_target thread = *target;
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
		thread.id = atoi(entry->d_name);
		error = open_one(count, event, source, &thread);
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
	return open_one(count, event, source, target);
}

/* False: it cannot be read, and what was read last stays. */
static bool read_fd(struct software_fd *fd)
{
	struct {
		uint64_t value;
		uint64_t time;
	} now;

	if (read(fd->fd, &now, sizeof(now)) != sizeof(now))
		return false;
	fd->value = now.value;
	fd->time = now.time;
	return true;
}

/* A clock of the kernel's takes no longer for a step. */
#define STEP_US 20000

/* Has it not been counted since it was read? */
static bool stands_still(struct software_fd *fd)
{
	const uint64_t before = fd->time;

	return read_fd(fd) && fd->time == before;
}

/*
 * A CPU that goes offline removes its events for good: their time stands still. So does that of a
 * cgroup's events while none of it runs; these are left alone.
 */
static bool is_suspect(struct software_fd *fd)
{
	return fd->target.cpu >= 0 && !fd->target.cgroup && read_fd(fd) && stands_still(fd);
}

/* While the CPU is offline nothing can be opened. */
static void open_again(struct software_count *count, struct software_fd *fd)
{
	const int again = open_fd(count, fd->event, &fd->target);

	count->gap = true;
	fd->lost = again < 0;
	if (fd->lost)
		return;
	ioctl(again, PERF_EVENT_IOC_ENABLE, 0);
	close(fd->fd);
	fd->fd = again;
	fd->before += fd->value;
	fd->value = 0;
}

/* Enabled: what was lost is opened again. */
static void look(struct software_count *count)
{
	bool suspects = false;
	unsigned int i;

	for (i = 0; i < count->nr; i++) {
		struct software_fd *fd = &count->fds[i];

		if (fd->lost)
			open_again(count, fd);
		fd->suspect = !fd->lost && is_suspect(fd);
		suspects |= fd->suspect;
	}
	if (!suspects)
		return;
	usleep(STEP_US);
	for (i = 0; i < count->nr; i++)
		if (count->fds[i].suspect && stands_still(&count->fds[i]))
			open_again(count, &count->fds[i]);
}

void software_count_enable(struct software_count *count, bool enable)
{
	unsigned int i;

	if (count->on)
		look(count);
	count->on = enable;
	for (i = 0; i < count->nr; i++)
		ioctl(count->fds[i].fd, enable ? PERF_EVENT_IOC_ENABLE : PERF_EVENT_IOC_DISABLE, 0);
}

void software_count_read(struct software_count *count, uint64_t *values)
{
	const unsigned int nr = count->software ? count->software->nr : 0;
	unsigned int i;

	if (count->on)
		look(count);
	for (i = 0; i < count->nr; i++) {
		struct software_fd *fd = &count->fds[i];

		read_fd(fd);
		values[fd->source * nr + fd->event] += fd->before + fd->value;
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
