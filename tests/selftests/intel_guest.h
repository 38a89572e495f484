/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Sets that count made-up guests (fake.h): the filters, and the lengths of guests. For use below
 * kselftest_harness.h.
 */
#ifndef PMUDEV_TEST_INTEL_GUEST_H
#define PMUDEV_TEST_INTEL_GUEST_H

#if defined(__x86_64__)

#include "fake.h"
#include "intel.h"

#define SHORT 1000ULL
#define LONG  100000ULL

#define HOST  PMUDEV_EXCLUDE_GUEST
#define GUEST PMUDEV_EXCLUDE_HOST

/* What between the loop and the two writes of IA32_PERF_GLOBAL_CTRL is counted as the guest's. */
#define ENTRY_AND_EXIT (debug_kernel() ? 20000ULL : 1000ULL)

/* KCSAN has code of its own there, and waits now and then: by so much guests of one kind differ. */
#define MORE_OR_LESS (kcsan_kernel() ? 200000ULL : 0)

#define EXPECT_ALIKE(a, b)                        \
	do {                                      \
		EXPECT_LE(a, (b) + MORE_OR_LESS); \
		EXPECT_LE(b, (a) + MORE_OR_LESS); \
	} while (0)

FIXTURE(guest)
{
	struct intel_pmu pmu;
	int fake;
	int fd;
};

FIXTURE_SETUP(guest)
{
	self->fake = -1;
	self->fd = -1;
	if (fake_lacks())
		SKIP(return, "%s", fake_lacks());
	ASSERT_EQ(0, pin_to(0));
	ASSERT_EQ(0, fake_load());
	self->fake = fake_open();
	ASSERT_GE(self->fake, 0);
	intel_pmu(&self->pmu);
}

FIXTURE_TEARDOWN(guest)
{
	if (self->fd >= 0)
		close(self->fd);
	if (self->fake < 0)
		return;
	close(self->fake);
	EXPECT_EQ(0, fake_unload());
}

#endif
#endif /* PMUDEV_TEST_INTEL_GUEST_H */
