/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What the programs share in which every allocation fails once: what a program does with a set is
 * done again and again, and each time another allocation in it fails, until none is left. For use
 * below kselftest_harness.h.
 */
#ifndef PMUDEV_TEST_FAIL_NTH_H
#define PMUDEV_TEST_FAIL_NTH_H

#include <stdio.h>
#include <string.h>

#include "fault.h"
#include "mux.h"

#define WORK 1000

FIXTURE(fail)
{
	__u64 events; /* of steady() between two reads with WORK rounds between them */
	__u64 cost;   /* of a subject's work */
	struct pmudev_query idle;
	struct pool pool;
};

/*
 * The module's own allocations, each of them; and then what the kernel asks for on its behalf, too,
 * which varies, so that one of ours may be left out.
 */
FIXTURE_VARIANT(fail)
{
	bool own;
};

FIXTURE_VARIANT_ADD(fail, own) {
	.own = true,
};

FIXTURE_VARIANT_ADD(fail, all) {
	.own = false,
};

/* What is exact here was asked before: while allocations fail a question may, too. */
static inline struct pmudev_event_attr steady(__u32 flags)
{
	return raw_event(EVENT_INSTRUCTIONS, flags);
}

static bool own_alone;

FIXTURE_SETUP(fail)
{
	const char *missing = fault_missing();
	struct pmudev_event_attr event;
	int fd;

	if (missing)
		SKIP(return, "%s", missing);
	if (!exact_instructions())
		SKIP(return, "instructions are not counted exactly here (PMUDEV_EXACT)");
	ASSERT_EQ(0, set_user_access(true));
	event = steady(USER_ONLY);
	fd = pm_set(&event, 1, true);
	ASSERT_GE(fd, 0);
	ASSERT_EQ(0, pool_find(&self->pool));
	ASSERT_EQ(0, measure_read(fd, 0, WORK, &self->events));
	ASSERT_EQ(0, measure_read(fd, 0, WORK, &self->events));
	close(fd);
	self->cost = subject_cost();
	ASSERT_NE(0ULL, self->cost);
	ASSERT_EQ(0, pm_query(&self->idle));
	ASSERT_EQ(0U, self->idle.state & PMUDEV_STATE_RESERVED);
	own_alone = variant->own;
	ASSERT_EQ(0, variant->own ? fault_near(1) : fault_module_only());
}

/* Nothing is left: no reservation and no counters. */
static inline void check_idle(struct __test_metadata *_metadata, struct _test_data_fail *self)
{
	struct pmudev_query query;

	ASSERT_EQ(0, pm_query(&query));
	EXPECT_EQ(self->idle.state & ~PMUDEV_STATE_GUEST, query.state & ~PMUDEV_STATE_GUEST);
	EXPECT_EQ(self->idle.available, query.available);
	EXPECT_EQ(0ULL, query.busy);
}

FIXTURE_TEARDOWN(fail)
{
	fault_everywhere();
	check_idle(_metadata, self);
	set_user_access(false);
}

/* How often something failed, for want of memory, and which calls did. */
static unsigned int failures;
static const char *failing[32];
static unsigned int nr_failing;

static inline void note_failure(const char *call)
{
	unsigned int i;

	failures++;
	for (i = 0; i < nr_failing; i++)
		if (!strcmp(failing[i], call))
			return;
	if (i < ARRAY_SIZE(failing))
		failing[nr_failing++] = call;
}

/* A call; if its memory failed, once more: only one does. */
#define STEP(call)                                                                            \
	({                                                                                    \
		long __ret;                                                                   \
		why = (struct pmudev_refusal){ 0 };                                           \
		errno = 0;                                                                    \
		__ret = (long)(call);                                                         \
		if (__ret == -ENOMEM) {                                                       \
			EXPECT_TRUE(why.code == PMUDEV_OK || why.code == PMUDEV_WHY_MEMORY || \
				    why.code == PMUDEV_WHY_PERF_REFUSED)                      \
			TH_LOG("%s: reason %u", #call, why.code);                             \
			note_failure(#call);                                                  \
			__ret = (long)(call);                                                 \
		}                                                                             \
		ASSERT_GE(__ret, 0) TH_LOG("%s: reason %u", #call, why.code);                 \
		__ret;                                                                        \
	})

/* Counts of this slot are exact. */
static inline void check_count(struct __test_metadata *_metadata, struct _test_data_fail *self,
			       int fd, unsigned int slot)
{
	__u64 count;

	ASSERT_EQ(0, STEP(measure_read(fd, slot, WORK, &count)));
	EXPECT_EQ(self->events, count);
}

/*
 * The kernel's own allocations come and go between ours, so one round may miss one of ours. Repeat
 * until @enough, at most three times.
 */
#define fault_rounds(nth, failed, enough)                                            \
	for (unsigned int round_ = 0; round_ < 3 && !(round_ && (enough)); round_++) \
		fault_for_each(nth, failed)

/*
 * @least: so many different calls failed, or more: else nothing was tested. Where the kernel's
 * allocations are between them, two may have been left out.
 */
static inline void tell(struct __test_metadata *_metadata, const char *what, unsigned int nth,
			unsigned int least)
{
	unsigned int i;

	if (!own_alone && least)
		least = least > 2 ? least - 2 : 1;
	EXPECT_LE(least, nr_failing) TH_LOG("%s", what);
	printf("# %s: %u times, %u calls failed\n", what, nth - 1, failures);
	for (i = 0; i < nr_failing; i++)
		printf("#   %s\n", failing[i]);
	failures = 0;
	nr_failing = 0;
}

#endif /* PMUDEV_TEST_FAIL_NTH_H */
