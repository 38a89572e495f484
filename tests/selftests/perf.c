// SPDX-License-Identifier: GPL-2.0
#include "perf.h"
#include "common.h"

#include <glob.h>
#include <stdio.h>

static int open_event(struct perf_event_attr *attr, pid_t pid, int cpu, int leader)
{
	int fd = syscall(SYS_perf_event_open, attr, pid, cpu, leader, PERF_FLAG_FD_CLOEXEC);

	return fd < 0 ? -errno : fd;
}

int perf_open(__u64 config, __u64 config1, pid_t pid, int cpu)
{
	struct perf_event_attr attr = {
		.size = sizeof(attr),
		.type = PERF_TYPE_RAW,
		.config = config,
		.config1 = config1,
		.exclude_kernel = 1,
		.exclude_hv = 1,
		.read_format = PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING,
	};

	return open_event(&attr, pid, cpu, -1);
}

int perf_open_excluding(__u64 config, __u32 flags, int cpu, int leader)
{
	struct perf_event_attr attr = {
		.size = sizeof(attr),
		.type = PERF_TYPE_RAW,
		.config = config,
		.disabled = leader < 0,
		.exclude_user = !!(flags & PMUDEV_EXCLUDE_USER),
		.exclude_kernel = !!(flags & PMUDEV_EXCLUDE_KERNEL),
		.exclude_hv = !!(flags & PMUDEV_EXCLUDE_HV),
		.exclude_host = !!(flags & PMUDEV_EXCLUDE_HOST),
		.exclude_guest = !!(flags & PMUDEV_EXCLUDE_GUEST),
		.read_format = PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING,
	};

	return open_event(&attr, cpu < 0 ? 0 : -1, cpu, leader);
}

int perf_open_clock(void)
{
	struct perf_event_attr attr = {
		.size = sizeof(attr),
		.type = PERF_TYPE_SOFTWARE,
		.config = PERF_COUNT_SW_TASK_CLOCK,
		.read_format = PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING,
	};

	return open_event(&attr, 0, -1, -1);
}

struct perf_count perf_count(int fd)
{
	struct perf_count count = { 0 };

	if (read(fd, &count, sizeof(count)) != sizeof(count))
		count.value = ~0ULL;
	return count;
}

int perf_set_turns(unsigned int ms)
{
	static const char path[] =
		"/sys/bus/event_source/devices/{cpu,cpu_*,armv8*}/perf_event_mux_interval_ms";
	char text[12];
	glob_t files;
	int ret = 0;
	size_t i;

	if (glob(path, GLOB_BRACE, NULL, &files))
		return -ENOENT;
	snprintf(text, sizeof(text), "%u", ms);
	for (i = 0; i < files.gl_pathc && !ret; i++)
		ret = write_file(files.gl_pathv[i], text);
	globfree(&files);
	return ret;
}
