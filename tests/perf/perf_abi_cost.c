// SPDX-License-Identifier: GPL-2.0
/*
 * What reads cost, in instructions of the program and the kernel, counted by the event that is
 * read: "NAME NUMBER" each. perf_exec_test compares perf's with those of `pmudev exec`.
 */
#include <stdio.h>

#include "perf_abi.h"

#define TRIES 200

/* Between two reads of one event, less what another file takes in between; the least */
static uint64_t least(int fd, size_t at, int other)
{
	uint64_t before[16], after[16], least = ~0ULL;
	int i;

	for (i = 0; i < TRIES; i++) {
		if (read(fd, before, sizeof(before)) < 0)
			return 0;
		if (other >= 0 && read(other, after, sizeof(after)))
			return 0;
		if (read(fd, after, sizeof(after)) < 0)
			return 0;
		if (after[at] - before[at] < least)
			least = after[at] - before[at];
	}
	return least;
}

int main(void)
{
	struct perf_event_attr attr = event(PERF_COUNT_HW_INSTRUCTIONS);
	int null = open("/dev/null", O_RDONLY), fd, group, i;
	uint64_t one;

	attr.exclude_kernel = 0;
	attr.disabled = 0;
	fd = open_event(&attr, 0, -1, -1, 0);
	attr.read_format = ALL | PERF_FORMAT_GROUP;
	group = open_event(&attr, 0, -1, -1, 0);
	attr.config = PERF_COUNT_HW_CPU_CYCLES;
	for (i = 0; i < 2; i++)
		if (open_event(&attr, 0, -1, group, 0) < 0)
			return 1;
	if (null < 0 || fd < 0 || group < 0)
		return 1;
	one = least(fd, 0, -1);
	printf("event %llu\ngroup %llu\nother %llu\n", (unsigned long long)one,
	       (unsigned long long)least(group, 3, -1),
	       (unsigned long long)(least(fd, 0, null) - one));
	return 0;
}
