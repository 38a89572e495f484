/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What events with thresholds count in the emulator. No cycle there has more than one of an event:
 * of an instruction's k cycles one has EVENT_INSTRUCTIONS, each has EVENT_CYCLES, and none has
 * EVENT_NEVER.
 */
#ifndef PMUDEV_TEST_THRESHOLD_H
#define PMUDEV_TEST_THRESHOLD_H

#include "common.h"

#if defined(__aarch64__)
#define EVENT_NEVER 0x23 /* STALL_FRONTEND */
#elif defined(__x86_64__)
#define EVENT_NEVER (is_amd ? 0x50 : 0xff) /* no event of this number */
#else
#define EVENT_NEVER 0xff
#endif

struct threshold {
	__u64 event;
	unsigned int value;
	enum pmudev_compare compare;
	bool count; /* PMUDEV_THRESHOLD_COUNT */
};

/* An event of user mode with it. */
struct pmudev_event_attr threshold_event(const struct threshold *t);
/* Has the hardware this kind of it, whatever the value? */
bool threshold_offered(const struct pmudev_query *query, const struct threshold *t);
/* What it counts in an instruction of @k cycles. */
__u64 threshold_counts(const struct threshold *t, __u64 k);
/* A set of the calling thread on this PMU, enabled: a descriptor or -errno. */
int threshold_set(const struct pmudev_query *query, const struct pmudev_event_attr *events,
		  unsigned int nr);
/*
 * What an event counts in @n rounds of loop(), and nothing else: 0 or -errno. In @k of a query's
 * PMU: cycles of each instruction.
 */
int threshold_measure(const struct pmudev_query *query, const struct pmudev_event_attr *event,
		      __u64 n, __u64 *count);
int threshold_cycles(const struct pmudev_query *query, __u64 *k);

#endif /* PMUDEV_TEST_THRESHOLD_H */
