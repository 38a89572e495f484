/* SPDX-License-Identifier: MIT */
/*
 * pmudev_set_array.h - the same events on several CPUs
 *
 * A set counts one thread, one process or one CPU. A set array has one set per CPU. All of them get
 * the same events, are enabled all or none, and are read together. (Programs that count either can
 * also make an array on a thread or process: one set, or one per PMU where CPUs are of several
 * kinds.)
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
 * Functions return 0 or a negative errno. Only one thread at a time may use an array.
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
 * @sets: the sets. You may read them and call pmudev_place() on them. Do not add, enable or disable
 *	events of a single set. They stay at the same addresses until the array is closed.
 * @cpus: the CPU of each set, -1 for a thread or process
 * @nr: number of sets
 * @cpu: the CPU whose call failed last, -1 if the failure is not about a CPU
 * @groups: private
 * @enabled: private
 * @parts: the sets are parts of one target, each on the CPUs of one PMU, the first on PMU 0's
 * @nr_events: private, like @members
 * @error: private; use pmudev_set_array_why()
 * @refusal: private
 * @holders: private
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
 * Opens one set per CPU; or for a thread (PMUDEV_TARGET_TASK) or a process (PMUDEV_TARGET_PROCESS)
 * one set per PMU. @flags: PMUDEV_BIND_*. After a failure the array is closed, and
 * pmudev_set_array_explain() says why, and for which CPU.
 */
int pmudev_set_array_cpus(struct pmudev_set_array *array, const unsigned int *cpus, unsigned int nr,
			  unsigned int flags);

/* The same of a cgroup on these CPUs. @cgroup: a descriptor of its directory */
int pmudev_set_array_cgroup(struct pmudev_set_array *array, int cgroup, const unsigned int *cpus,
			    unsigned int nr, unsigned int flags);
int pmudev_set_array_task(struct pmudev_set_array *array, enum pmudev_target target, pid_t id,
			  unsigned int flags);

/* No effect if not open. */
void pmudev_set_array_close(struct pmudev_set_array *array);

/*
 * Adds the same events to all sets, or to none. Slots are assigned as by pmudev_add(), and are the
 * same in all sets. Add all events of a group in one call (-EEXIST: the group already has some).
 */
int pmudev_set_array_add(struct pmudev_set_array *array, const struct pmudev_event_attr *attrs,
			 unsigned int nr);

/*
 * The same for events of some PMUs only: @pmus has one mask of PMU numbers per event; NULL: all.
 * The event is added to the sets of these PMUs. -ENODEV: there is no such set. Each set has its own
 * slots; the array's slots are those of struct pmudev_total. The time that a thread spends on CPUs
 * whose sets lack the event is part of time_enabled.
 */
int pmudev_set_array_add_on(struct pmudev_set_array *array, const struct pmudev_event_attr *attrs,
			    unsigned int nr, const uint32_t *pmus);

/*
 * Enables or disables on all CPUs, or on none. The sets start one after another: if the last one is
 * refused, the others have counted for a moment, and those counts stay.
 */
int pmudev_set_array_enable(struct pmudev_set_array *array, uint32_t group);
int pmudev_set_array_disable(struct pmudev_set_array *array, uint32_t group);

/**
 * struct pmudev_sum - one event on all CPUs, or of all parts of a target
 * @value: events counted; never scaled
 * @estimate: estimated total: each CPU's count scaled by its own times; a CPU on which the event
 *	was never on a counter counts as the average of the others. Equal to @value if not all parts
 *	of a target have the event
 * @time_enabled: ns, the sum over the CPUs, or the target's
 * @time_running: ns of @time_enabled on counters; 0: nothing is known
 */
struct pmudev_sum {
	uint64_t value;
	uint64_t estimate;
	uint64_t time_enabled;
	uint64_t time_running;
};

/**
 * struct pmudev_total - the sum of the records of all sets
 * @flags: PMUDEV_RECORD_* flags that any set has; ENDED only if all sets have it
 * @nr: number of slots
 * @present: mask of the slots with an event
 * @multiplexed: mask of the slots whose group shares counters over time
 * @time_enabled: ns, the sum over the sets
 * @time_running: ns, the sum over the sets
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

/* Reads the sum. Each CPU's numbers are of one moment; those of several CPUs are not. */
int pmudev_set_array_read(struct pmudev_set_array *array, struct pmudev_total *total);

/* The same in two steps. Step 1: reads the record of each set, @array->nr of them in order. */
int pmudev_set_array_records(struct pmudev_set_array *array, union pmudev_record_buffer *records);

/*
 * Step 2: sums up the counts between two such readings (@before NULL: since the start), of all sets
 * (PMUDEV_ALL) or of the set with index @set. Estimates are of that interval alone. Do not reset
 * counts or remove events between the two readings.
 */
void pmudev_set_array_sum(const struct pmudev_set_array *array, uint32_t set,
			  const union pmudev_record_buffer *before,
			  const union pmudev_record_buffer *after, struct pmudev_total *total);

/*
 * Returns the negative errno of the last failed call. @why may be NULL; its @holders points into
 * @array. array->cpu is the CPU concerned.
 */
int pmudev_set_array_why(struct pmudev_set_array *array, struct pmudev_refusal *why);

/* The same as a sentence, like pmudev_explain(): "CPU 3: event 1: ...". */
int pmudev_set_array_explain(struct pmudev_set_array *array, char *buf, size_t len);

#ifdef __cplusplus
}
#endif

#endif /* PMUDEV_SET_ARRAY_H */
