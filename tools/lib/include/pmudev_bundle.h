/* SPDX-License-Identifier: MIT */
/*
 * pmudev_bundle.h - the same events on several targets: some CPUs, or all threads of a process
 *
 * One set is one thread or one CPU. A bundle is a set on each of several, which get the same
 * events, are enabled all or none, and are read together.
 *
 *	unsigned int cpus[] = { 0, 1, 4 };
 *	struct pmudev_bundle bundle;
 *	struct pmudev_total total;
 *
 *	if (pmudev_bundle_cpus(&bundle, cpus, 3, 0) || pmudev_bundle_add(&bundle, events, nr) ||
 *	    pmudev_bundle_enable(&bundle, PMUDEV_ALL))
 *		... pmudev_bundle_explain(&bundle, text, sizeof(text)) ...
 *	pmudev_bundle_read(&bundle, &total);
 *	pmudev_bundle_close(&bundle);
 *
 * Functions return 0 or a negative errno. A bundle is used by one thread at a time. Targets that
 * have ended are no failure as long as there is another: what they have counted stays.
 */
#ifndef PMUDEV_BUNDLE_H
#define PMUDEV_BUNDLE_H

#include <pmudev.h>

#ifdef __cplusplus
extern "C" {
#endif

/**
 * struct pmudev_member - one set of a bundle
 * @set: may be used like any other, to read it or to try events; what the bundle does to all sets
 *	is not to be done to one
 * @target: the CPU, or the thread's id
 * @ended: the target has ended, as far as the bundle knows
 * @reserved: for later versions of the library
 */
struct pmudev_member {
	struct pmudev set;
	int target;
	bool ended;
	uint32_t reserved[6];
};

/**
 * struct pmudev_bundle - sets on several targets
 * @members: the sets; they stay where they are until the bundle is closed
 * @nr: how many
 * @target: of the set whose call failed last, -1 if that was none's
 * @cpus: the targets are CPUs
 * @groups: the library's
 * @enabled: the library's
 * @error: the library's; pmudev_bundle_why() reads it
 * @refusal: the library's
 * @holders: the library's
 * @reserved: for later versions of the library
 */
struct pmudev_bundle {
	struct pmudev_member *members;
	unsigned int nr;
	int target;
	bool cpus;
	uint64_t groups;
	uint64_t enabled;
	int error;
	struct pmudev_refusal refusal;
	struct pmudev_holder holders[PMUDEV_MAX_HOLDERS];
	uint32_t reserved[16];
};

/*
 * Opens a set on each target; flags are those of binding. After a failure the bundle is closed, and
 * pmudev_bundle_explain() tells what is missing, and for which target.
 */
int pmudev_bundle_cpus(struct pmudev_bundle *bundle, const unsigned int *cpus, unsigned int nr,
		       unsigned int flags);
int pmudev_bundle_thread(struct pmudev_bundle *bundle, pid_t tid, unsigned int flags);

/*
 * On each thread that the process has. With PMUDEV_BIND_INHERIT those that it makes later, and its
 * children, are counted too, none of them missed and none twice. -EAGAIN: that cannot be promised,
 * because there were new threads each time all of them had been found.
 */
int pmudev_bundle_process(struct pmudev_bundle *bundle, pid_t pid, unsigned int flags);

/* Harmless if not open. */
void pmudev_bundle_close(struct pmudev_bundle *bundle);

/*
 * Adds the same events to each set, or to none. Slots are given as pmudev_add() does, and are the
 * same in all sets. The events of a group come in one call (-EEXIST: some were there before).
 */
int pmudev_bundle_add(struct pmudev_bundle *bundle, const struct pmudev_event_attr *attrs,
		      unsigned int nr);

/*
 * On all targets, or on none. Targets begin one after another: what each counts begins when its own
 * does.
 */
int pmudev_bundle_enable(struct pmudev_bundle *bundle, uint32_t group);
int pmudev_bundle_disable(struct pmudev_bundle *bundle, uint32_t group);

/**
 * struct pmudev_sum - one event on all targets
 * @value: events counted; whole, never scaled
 * @estimate: of those that happened: each target's count scaled by its own times, targets on
 *	which it was never on a counter taken for the average of the others
 * @time_enabled: ns, the sum of the targets'
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

/* The sum. One target's numbers are of one moment, those of several are not. */
int pmudev_bundle_read(struct pmudev_bundle *bundle, struct pmudev_total *total);

/*
 * Why the last failed call failed: its negative errno. @why may be NULL; its @holders point into
 * @bundle. Whose call it was is in bundle->target.
 */
int pmudev_bundle_why(struct pmudev_bundle *bundle, struct pmudev_refusal *why);

/* The same as a sentence, like pmudev_explain(): "CPU 3: event 1: ...". */
int pmudev_bundle_explain(struct pmudev_bundle *bundle, char *buf, size_t len);

#ifdef __cplusplus
}
#endif

#endif /* PMUDEV_BUNDLE_H */
