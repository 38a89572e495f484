/* SPDX-License-Identifier: MIT */
/*
 * pmudev_set_array.h - the same events on several CPUs
 *
 * A set counts one thread, one process or one CPU. A array is a set on each of several CPUs, which
 * get the same events, are enabled all or none, and are read together. (For programs that count
 * either, there is also a array of one thread or process: one set, or where CPUs are of several
 * kinds one for each.)
 *
 *	unsigned int cpus[] = { 0, 1, 4 };
 *	struct pmudev_set_array array;
 *	struct pmudev_total total;
 *
 *	if (pmudev_set_array_cpus(&array, cpus, 3, 0) || pmudev_set_array_add(&array, events, nr) ||
 *	    pmudev_set_array_enable(&array, PMUDEV_ALL))
 *		... pmudev_set_array_explain(&array, text, sizeof(text)) ...
 *	pmudev_set_array_read(&array, &total);
 *	pmudev_set_array_close(&array);
 *
 * Functions return 0 or a negative errno. A array is used by one thread at a time.
 */
#ifndef PMUDEV_SET_ARRAY_H
#define PMUDEV_SET_ARRAY_H

#include <pmudev.h>

#ifdef __cplusplus
extern "C" {
#endif

struct pmudev_member;

/**
 * struct pmudev_set_array - sets with the same events
 * @sets: the sets, which may be read, and events tried on them, like any other; what the array
 *	does to all of them is not to be done to one. They stay where they are until it is closed.
 * @cpus: the CPU of each, -1 for a thread or process
 * @nr: how many
 * @cpu: the one whose call failed last, -1 if it was none's
 * @groups: the library's
 * @enabled: the library's
 * @parts: the sets are parts of one target, each on the CPUs of a PMU, the first on those of PMU 0
 * @nr_events: the library's, and so is @members
 * @error: the library's; pmudev_set_array_why() reads it
 * @refusal: the library's
 * @holders: the library's
 * @reserved: for later versions of the library
 */
struct pmudev_set_array {
	struct pmudev *sets;
	int *cpus;
	unsigned int nr;
	int cpu;
	uint64_t groups;
	uint64_t enabled;
	int error;
	struct pmudev_refusal refusal;
	struct pmudev_holder holders[PMUDEV_MAX_HOLDERS];
	uint32_t parts;
	uint32_t nr_events;
	struct pmudev_member *members;
	uint32_t reserved[12];
};

/*
 * Opens a set on each CPU, or on a thread (PMUDEV_TARGET_TASK) or a process
 * (PMUDEV_TARGET_PROCESS) one for each PMU; flags are those of binding. After a failure the array
 * is closed, and pmudev_set_array_explain() tells what is missing, and for which CPU.
 */
int pmudev_set_array_cpus(struct pmudev_set_array *array, const unsigned int *cpus, unsigned int nr,
			  unsigned int flags);
int pmudev_set_array_task(struct pmudev_set_array *array, enum pmudev_target target, pid_t id,
			  unsigned int flags);

/* Harmless if not open. */
void pmudev_set_array_close(struct pmudev_set_array *array);

/*
 * Adds the same events to each set, or to none. Slots are given as pmudev_add() does, and are the
 * same in all sets. The events of a group come in one call (-EEXIST: some were there before).
 */
int pmudev_set_array_add(struct pmudev_set_array *array, const struct pmudev_event_attr *attrs,
			 unsigned int nr);

/*
 * The same where CPUs are of several kinds, and an event is not for all: @pmus has for each the
 * mask of the PMUs (by number) in whose sets it is to be; NULL: all. Where there is no such set:
 * -ENODEV. A set has its events only, in slots of its own; the array's slots are those of the
 * total. The time that a thread spends on CPUs whose sets lack the event is part of time_enabled.
 */
int pmudev_set_array_add_on(struct pmudev_set_array *array, const struct pmudev_event_attr *attrs,
			    unsigned int nr, const uint32_t *pmus);

/*
 * On all CPUs, or on none. They begin one after another: when the last one refuses, the others have
 * counted for a moment, and that stays in their counts.
 */
int pmudev_set_array_enable(struct pmudev_set_array *array, uint32_t group);
int pmudev_set_array_disable(struct pmudev_set_array *array, uint32_t group);

/**
 * struct pmudev_sum - one event on all CPUs, or of all parts of a target
 * @value: events counted; whole, never scaled
 * @estimate: of those that happened: each CPU's count scaled by its own times, CPUs on which it was
 *	never on a counter taken for the average of the others; of what not all parts of a target
 *	have, just the value
 * @time_enabled: ns, the sum of the CPUs', or the target's
 * @time_running: ns of that on counters; 0: nothing is known
 */
struct pmudev_sum {
	uint64_t value;
	uint64_t estimate;
	uint64_t time_enabled;
	uint64_t time_running;
};

/**
 * struct pmudev_total - the sum of the records of all sets
 * @flags: PMUDEV_RECORD_*: those of any set, ENDED if it is that of all
 * @nr: how many slots
 * @present: mask of the slots with an event
 * @multiplexed: mask of the slots whose group shares counters over time
 * @time_enabled: ns, the sum of the sets'
 * @time_running: ns, the sum of the sets'
 * @sums: by slot
 */
struct pmudev_total {
	uint32_t flags;
	uint32_t nr;
	uint64_t present;
	uint64_t multiplexed;
	uint64_t time_enabled;
	uint64_t time_running;
	struct pmudev_sum sums[PMUDEV_MAX_EVENTS];
};

/* The sum. One CPU's numbers are of one moment, those of several are not. */
int pmudev_set_array_read(struct pmudev_set_array *array, struct pmudev_total *total);

/* The same in two steps. First the record of each set, @array->nr of them in the sets' order. */
int pmudev_set_array_records(struct pmudev_set_array *array, union pmudev_record_buffer *records);

/*
 * Then the sum, of all sets (PMUDEV_ALL) or of the one in the place @set, of what was counted
 * between two such readings (@before NULL: since the beginning). Estimates are made of what
 * happened in between alone. Nothing was reset and no event removed meanwhile.
 */
void pmudev_set_array_sum(const struct pmudev_set_array *array, uint32_t set,
			  const union pmudev_record_buffer *before,
			  const union pmudev_record_buffer *after, struct pmudev_total *total);

/*
 * Why the last failed call failed: its negative errno. @why may be NULL; its @holders point into
 * @array. Which CPU it was about is in array->cpu.
 */
int pmudev_set_array_why(struct pmudev_set_array *array, struct pmudev_refusal *why);

/* The same as a sentence, like pmudev_explain(): "CPU 3: event 1: ...". */
int pmudev_set_array_explain(struct pmudev_set_array *array, char *buf, size_t len);

#ifdef __cplusplus
}
#endif

#endif /* PMUDEV_SET_ARRAY_H */
