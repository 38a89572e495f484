// SPDX-License-Identifier: GPL-2.0
/* Samples whose threads wait for room. */
#include "samples_fixture.h"

#include <sys/wait.h>

#define MANY 12

/* It waits for its reader: nothing is dropped, however slow that is. */
TEST_F(samples, stopped_when_full)
{
	const struct pmudev_sample *sample;
	struct pmudev_event_attr event = raw_event(steady_event(), USER_ONLY);
	__u64 value = 0, nr = 0;
	int i;

	self->child = fork_bound();
	if (!self->child)
		for (;;)
			loop(1000);
	ASSERT_EQ(0, pmudev_bind_task(&self->set, self->child, 0));
	ASSERT_EQ(0, pmudev_start(&self->set, &event, 1, NULL));
	ASSERT_EQ(0, pmudev_samples_open(&self->samples, &self->set, 1));
	ASSERT_EQ(0, sample_each(self, PMUDEV_DEADLINE_STOP));
	for (i = 0; i < 50; i++) {
		ASSERT_TRUE(WAIT_FOR(is_stopped(self->child))) TH_LOG("round %d", i);
		while ((sample = next(self))) {
			if (value)
				ASSERT_EQ(value + PERIOD, sample->value);
			value = sample->value;
			nr++;
		}
		ASSERT_EQ(0, pm_continue(self->set.fd));
	}
	EXPECT_LT(50 * 20ULL, nr);
	EXPECT_EQ(0ULL, pmudev_samples_dropped(&self->samples));
}

/* More threads than CPUs: there is room for a sample of each. CONTINUE waits for it, too. */
TEST_F(samples, stopped_with_many_threads)
{
	struct pmudev_event_attr event = raw_event(steady_event(), USER_ONLY);
	const struct pmudev_sample *sample;
	unsigned int refused = 0, nr = 0;
	int go[2], made[2], i;
	char byte = 0;

	ASSERT_EQ(0, pipe(go));
	ASSERT_EQ(0, pipe(made));
	self->child = fork_bound();
	if (!self->child) {
		for (i = read(go[0], &byte, 1); i < MANY && fork_bound(); i++)
			if (i == MANY - 1 && write(made[1], &byte, 1) != 1)
				_exit(1);
		for (;;)
			loop(1000);
	}
	ASSERT_EQ(0, pmudev_bind_task(&self->set, self->child, PMUDEV_BIND_INHERIT));
	ASSERT_EQ(0, pmudev_start(&self->set, &event, 1, NULL));
	ASSERT_EQ(0, pmudev_samples_open(&self->samples, &self->set, 1));
	/* Those that are made while the ring is full would write more than there is room for. */
	ASSERT_EQ(1, write(go[1], &byte, 1));
	ASSERT_EQ(1, read(made[0], &byte, 1));
	ASSERT_EQ(0, sample_each(self, PMUDEV_DEADLINE_STOP));
	for (i = 0; i < 100; i++) {
		ASSERT_TRUE(WAIT_FOR(poll_now(self->set.fd) == POLLIN)) TH_LOG("round %d", i);
		if (i % 10 == 0 && WAIT_FOR(is_stopped(self->child))) {
			EXPECT_REFUSED(EAGAIN, PMUDEV_WHY_RING, pm_continue(self->set.fd));
			EXPECT_TRUE(is_stopped(self->child));
			refused++;
		}
		do {
			while ((sample = next(self)))
				nr++;
		} while (pm_continue(self->set.fd) == -EAGAIN);
	}
	EXPECT_EQ(10U, refused);
	EXPECT_LT(1000U, nr);
	EXPECT_EQ(0ULL, pmudev_samples_dropped(&self->samples));
}

TEST_HARNESS_MAIN
