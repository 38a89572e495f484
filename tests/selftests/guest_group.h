/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The same group of events counted by perf or by pmudev, which is started and stopped by one call
 * that takes user mode the same number of instructions on either side; and what a machine with
 * guests consists of.
 */
#ifndef PMUDEV_TEST_GUEST_GROUP_H
#define PMUDEV_TEST_GUEST_GROUP_H

#include <string.h>

#include "common.h"
#include "guest.h"

#define GROUP_EVENTS 5 /* of six counters */

/* Short, for tables of flags. */
#define U PMUDEV_EXCLUDE_USER
#define K PMUDEV_EXCLUDE_KERNEL
#define V PMUDEV_EXCLUDE_HV
#define H PMUDEV_EXCLUDE_HOST
#define G PMUDEV_EXCLUDE_GUEST
#define GROUP_LOOPS 2000
#define GROUP_FLAGS (U | K | V | H | G)

/* Where the kernel runs. */
enum shape {
	SHAPE_VHE,
	SHAPE_NVHE,
	SHAPE_EL1,
	SHAPE_UNKNOWN,
};

/* Of this machine of the tests. The first two have KVM. */
enum shape machine_shape(void);

/* Are KVM entry and exit hooks installed? They stay for a second after their last use. */
bool guest_hooked(void);

/* It is counted somewhere: where that is a guest, this waits until somebody is in it. */
static inline bool count_grows(int fd, unsigned int slot)
{
	__u64 value = pm_value(fd, slot);

	return WAIT_FOR(pm_value(fd, slot) > value + 100);
}

struct guest_group {
	bool perf;
	unsigned int nr;
	int fd[GROUP_EVENTS];
	unsigned long start, stop;
	void *start_arg, *stop_arg;
	struct pmudev_ctl ctl[2];
};

/*
 * A group of instructions with these PMUDEV_EXCLUDE_* flags, of the calling thread or of a CPU if
 * that is not negative. 0 or -errno.
 */
int group_open(struct guest_group *s, bool perf, int cpu, const __u32 *flags, unsigned int nr);
/* What has been counted, ~0 for what was not counted all the time. */
int group_values(struct guest_group *s, __u64 *values);
void group_close(struct guest_group *s);

/*
 * Counted: so many times GROUP_LOOPS of loop() and a round of the vcpu; if there is none, a system
 * call. The values are added to what was counted before. 0 or -errno.
 */
int group_window(struct guest_group *s, struct guest_vcpu *v, unsigned int rounds);
/* What one window counts. */
int group_more(struct guest_group *s, struct guest_vcpu *v, unsigned int rounds, __u64 *values);
/*
 * What so many rounds add, the least of several tries: those that the timer did not
 * interrupt are all alike. What is begun and ended with is not in it.
 */
int group_rounds(struct guest_group *s, struct guest_vcpu *v, unsigned int rounds, __u64 *values);

/* The least that windows of ROUNDS and of twice ROUNDS have counted so far. */
struct group_least {
	__u64 once[GROUP_EVENTS], twice[GROUP_EVENTS];
};

static inline struct group_least group_nothing_yet(void)
{
	struct group_least least;

	memset(&least, 0xff, sizeof(least));
	return least;
}

/*
 * As group_rounds(), with the least of all calls with the same @least. Whatever the kernel does for
 * a while only makes a window count more: with each call the values come closer to what the rounds
 * add without it.
 */
int group_rounds_more(struct guest_group *s, struct guest_vcpu *v, unsigned int rounds,
		      struct group_least *least, __u64 *values);

#endif /* PMUDEV_TEST_GUEST_GROUP_H */
