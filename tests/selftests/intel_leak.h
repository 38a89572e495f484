/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A thread that may execute RDPMC and is not counted itself: the main thread looks, a second
 * thread's page gives the process the right, and other processes count on every counter there is.
 * For use below kselftest_harness.h.
 */
#ifndef PMUDEV_TEST_INTEL_LEAK_H
#define PMUDEV_TEST_INTEL_LEAK_H

#if defined(__x86_64__)

#include <pthread.h>

#include "intel.h"

/* In every counter's low and high bits. */
#define SECRET 0x5a5a5a5aULL

struct owner {
	pthread_t thread;
	struct turns turns;
	struct pmudev_page *page;
	int fd;
	int error;
};

FIXTURE(leak)
{
	struct intel_pmu pmu;
	struct owner owner;
	struct turns turns[2];
	int child[2]; /* counted */
};

static inline int count_everything(const struct intel_pmu *pmu)
{
	struct pmudev_event_attr events[PMUDEV_MAX_EVENTS];
	unsigned int nr = 0;
	__u64 left;
	int fd;

	for (left = pmu->counters; left; left &= left - 1)
		events[nr++] = event_on(__builtin_ctzll(left), USER_ONLY);
	fd = pm_set(events, nr, true);
	return fd < 0 ? fd : pm_reset(fd, PMUDEV_ALL, SECRET) ? -EIO : fd;
}

/* The thread whose page it is: counted whenever it has its turn. */
static inline void *own(void *arg)
{
	struct pmudev_event_attr event = raw_event(EVENT_INSTRUCTIONS, DIRECT_READ);
	struct owner *owner = arg;

	owner->fd = pm_set(&event, 1, true);
	owner->page = owner->fd < 0 ? NULL : pm_map(owner->fd);
	owner->error = owner->page ? pm_reset(owner->fd, 0, SECRET) : -EIO;
	turn_give(&owner->turns, 1);
	while (!owner->error) {
		turn_wait(&owner->turns, 1);
		if (!owner->page)
			break;
		loop(1000);
		turn_give(&owner->turns, 1);
	}
	return NULL;
}

static inline int get_the_right(struct _test_data_leak *self)
{
	if (pthread_create(&self->owner.thread, NULL, own, &self->owner))
		return -EIO;
	turn_wait(&self->owner.turns, 0);
	return self->owner.error;
}

FIXTURE_SETUP(leak)
{
	int i;

	intel_pmu(&self->pmu);
	ASSERT_EQ(0, set_user_access(true));
	ASSERT_EQ(0, pin_to(0));
	ASSERT_EQ(0, turns_init(&self->owner.turns));
	for (i = 0; i < 2; i++)
		ASSERT_EQ(0, turns_init(&self->turns[i]));
}

FIXTURE_TEARDOWN(leak)
{
	struct pmudev_page *page = self->owner.page;
	int i;

	if (page) {
		self->owner.page = NULL;
		turn_give(&self->owner.turns, 0);
		pthread_join(self->owner.thread, NULL);
		pm_unmap(page);
		close(self->owner.fd);
	}
	for (i = 0; i < 2; i++)
		stop_child(self->child[i]);
	set_user_access(false);
}

/* Counters that show anything. */
static inline __u64 seen(const struct _test_data_leak *self)
{
	__u64 left, seen = 0;

	for (left = self->pmu.counters; left; left &= left - 1)
		if (counter(operand_of(__builtin_ctzll(left))))
			seen |= left & -left;
	return seen;
}

/* Counts in its turns. @then: what it does with its set in the first of them. */
static inline int counted_child(struct _test_data_leak *self, int which, void (*then)(int fd))
{
	int fd, child = fork_bound();

	if (child) {
		turn_pass(&self->turns[which], 0);
		return child;
	}
	turn_wait(&self->turns[which], 1);
	fd = count_everything(&self->pmu);
	if (fd < 0)
		_exit(1);
	loop(1000);
	if (then)
		then(fd);
	for (;;) {
		turn_give(&self->turns[which], 1);
		turn_wait(&self->turns[which], 1);
		loop(1000);
	}
}

#endif
#endif /* PMUDEV_TEST_INTEL_LEAK_H */
