/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Counting software events with perf_event_open(2): one descriptor for each event and CPU, or for
 * each event and thread. A source is what is read together: a CPU, a thread, a process.
 */
#ifndef SOFTWARE_COUNT_H
#define SOFTWARE_COUNT_H

#include <stdint.h>
#include <sys/types.h>

#include "../common/software.h"

/**
 * struct software_target - a source
 * @cpu: the CPU, -1: on all
 * @id: the thread or process, -1: all of the CPU's
 * @process: @id is a process; its threads are counted
 * @inherit: what they make, too
 * @threads: of what they make threads alone
 * @on_exec: from the exec on
 * @cgroup: @id is a descriptor of a cgroup's directory
 */
struct software_target {
	int cpu;
	pid_t id;
	bool process;
	bool inherit;
	bool threads;
	bool on_exec;
	bool cgroup;
};

/**
 * struct software_fd - counts this event of this source
 * @fd: the descriptor
 * @source: of which it is part
 * @event: the event
 * @target: the source
 * @before: what descriptors before this one counted
 * @value: what this one had counted when it was read last
 * @time: ns that it was counted, then
 * @suspect: that has stood still for a moment
 * @lost: it does not count any more, and could not be opened again yet
 */
struct software_fd {
	int fd;
	unsigned int source;
	unsigned int event;
	struct software_target target;
	uint64_t before;
	uint64_t value;
	uint64_t time;
	bool suspect;
	bool lost;
};

/**
 * struct software_count - what is open
 * @software: the events
 * @nr: how many descriptors
 * @fds: the descriptors
 * @on: they are enabled
 * @gap: a CPU was offline; from then until they were read it was not counted
 */
struct software_count {
	const struct software *software;
	unsigned int nr;
	struct software_fd *fds;
	bool on;
	bool gap;
};

/*
 * Opens the event for the source, not enabled. Return: 0 or a negative errno. What a clock counts
 * on a CPU is the CPU's time.
 */
int software_count_open(struct software_count *count, unsigned int event, unsigned int source,
			const struct software_target *target);

/* Of all that are open. What a CPU has lost, because it went offline, is opened again. */
void software_count_enable(struct software_count *count, bool enable);

/* Adds to @values, which has a number for each event of each source. Opens again, too. */
void software_count_read(struct software_count *count, uint64_t *values);

/* No more of this event is counted. */
void software_count_drop(struct software_count *count, unsigned int event);

void software_count_close(struct software_count *count);

#endif /* SOFTWARE_COUNT_H */
