/* SPDX-License-Identifier: MIT */
/*
 * pmudev_deadline.h - to be told when a count is reached
 *
 * A deadline is a count of one event of a set. <linux/pmudev.h> says what happens there and how
 * late it can be.
 *
 *	struct pmudev_deadline deadline = { .slot = 0, .value = 1000000 };
 *	struct pmudev_report report;
 *
 *	if (pmudev_deadline_set(&set, &deadline, 1) ||
 *	    pmudev_deadline_wait(&set, &report, 1, -1) < 0)
 *		... pmudev_explain(&set, text, sizeof(text)) ...
 *	printf("at %llu\n", report.count);
 *
 * As in pmudev.h, functions return 0 or a negative errno unless they say otherwise.
 */
#ifndef PMUDEV_DEADLINE_H
#define PMUDEV_DEADLINE_H

#include <pmudev.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Sets, changes and removes deadlines: all of them or none. */
int pmudev_deadline_set(struct pmudev *set, const struct pmudev_deadline *deadlines,
			unsigned int nr);

/* Removes the deadline of one event. No effect if it has none. */
int pmudev_deadline_remove(struct pmudev *set, uint32_t slot);

/*
 * Lets threads go on that a deadline with PMUDEV_DEADLINE_STOP has stopped. -EAGAIN: samples have
 * filled the ring since it was read; some threads stay stopped.
 */
int pmudev_deadline_continue(struct pmudev *set);

/*
 * Reads and clears what has been reached: up to @nr reports, in the order of their slots. Returns
 * how many; 0 if nothing was reached since the last call.
 */
int pmudev_deadline_reports(struct pmudev *set, struct pmudev_report *reports, unsigned int nr);

/*
 * The same, but waits until something is reached: for @timeout milliseconds, for ever if that is
 * negative. Returns 0 when the time is over; -EINTR after a signal, -ESRCH if nothing can be
 * reached any more because the target has ended, -EINVAL if the set never had a deadline.
 *
 * A deadline with PMUDEV_DEADLINE_SAMPLE does not end the wait. While half of the ring is used, or
 * a thread waits for room in it, the call does not wait and may return 0: read the samples first.
 */
int pmudev_deadline_wait(struct pmudev *set, struct pmudev_report *reports, unsigned int nr,
			 int timeout);

#ifdef __cplusplus
}
#endif

#endif /* PMUDEV_DEADLINE_H */
