/* SPDX-License-Identifier: GPL-2.0 */
/* The fixture of samples_test.c and samples_stop_test.c: a set, its ring, maybe a child. */
#ifndef PMUDEV_TEST_SAMPLES_FIXTURE_H
#define PMUDEV_TEST_SAMPLES_FIXTURE_H

#include "deadline.h"
#include "kselftest_harness.h"

#include <pmudev_samples.h>

#define PERIOD 10007ULL

FIXTURE(samples)
{
	struct pmudev set;
	struct pmudev_samples samples;
	pid_t child;
};

FIXTURE_SETUP(samples)
{
	struct pmudev_query query;
	const char *missing = no_deadlines(&query);

	self->set.fd = -1;
	ASSERT_TRUE(!missing || *missing);
	if (missing)
		SKIP(return, "%s", missing);
	ASSERT_EQ(0, limit_overflows(false));
	ASSERT_EQ(0, pmudev_open(&self->set));
}

FIXTURE_TEARDOWN(samples)
{
	pmudev_samples_close(&self->samples);
	if (self->set.fd >= 0)
		pmudev_close(&self->set);
	if (self->child > 0)
		stop_child(self->child);
	limit_overflows(true);
}

static inline int start(struct _test_data_samples *self, __u32 flags)
{
	struct pmudev_event_attr event = raw_event(EVENT_INSTRUCTIONS, flags);

	return pmudev_start(&self->set, &event, 1, NULL);
}

/* Every PERIOD events, from now on. */
static inline int sample_each(struct _test_data_samples *self, __u32 flags)
{
	return pm_deadline(self->set.fd, 0,
			   PMUDEV_DEADLINE_SAMPLE | PMUDEV_DEADLINE_RELATIVE | flags, PERIOD,
			   PERIOD);
}

static inline const struct pmudev_sample *next(struct _test_data_samples *self)
{
	return pmudev_samples_next(&self->samples);
}

#endif /* PMUDEV_TEST_SAMPLES_FIXTURE_H */
