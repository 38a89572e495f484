// SPDX-License-Identifier: GPL-2.0
/*
 * Which counters there are, by CPUID and by pmudev, and which of them events get: fixed ones where
 * they can, those chosen by hand, all at once; and what no counter of this PMU can do.
 */
#include "intel.h"
#include "kselftest_harness.h"

#include <stdio.h>

#if defined(__x86_64__)

FIXTURE(counters)
{
	struct intel_pmu pmu;
	struct pmudev_query query;
	int fd; /* a set on this thread, empty */
};

FIXTURE_SETUP(counters)
{
	intel_pmu(&self->pmu);
	ASSERT_EQ(0, pm_query(&self->query));
	self->fd = pm_open();
	ASSERT_GE(self->fd, 0);
	ASSERT_EQ(0, pm_bind(self->fd, PMUDEV_TARGET_TASK, 0, 0));
}

FIXTURE_TEARDOWN(counters)
{
	close(self->fd);
}

/* ------------------------------------------------------------- what there is -- */

/* The architectural event that a generic one is, by its number in CPUID.0AH:EBX. */
static const int architectural[PMUDEV_GENERIC_MAX] = {
	[PMUDEV_CYCLES] = 0,	       [PMUDEV_INSTRUCTIONS] = 1, [PMUDEV_REF_CYCLES] = 2,
	[PMUDEV_CACHE_REFERENCES] = 3, [PMUDEV_CACHE_MISSES] = 4, [PMUDEV_BRANCHES] = 5,
	[PMUDEV_BRANCH_MISSES] = 6,
};

static const __u16 select_of[] = { 0x003c, 0x00c0, 0x013c, 0x4f2e, 0x412e, 0x00c4, 0x00c5 };

TEST_F(counters, are_what_cpuid_says)
{
	__u64 generic = 0;
	int i;

	EXPECT_EQ(self->pmu.version, self->query.arch_version);
	EXPECT_EQ(self->pmu.counters, self->query.counters);
	EXPECT_EQ(self->pmu.counters, self->query.available);
	EXPECT_EQ(self->pmu.counters, self->query.user);
	EXPECT_EQ(self->pmu.width_fixed, self->query.width_fixed);
	/* Without full-width writes, which CPUID does not tell, bit 31 is not to be written. */
	EXPECT_TRUE(self->query.width == self->pmu.width || self->query.width == 31);
	EXPECT_EQ(255U, self->query.threshold_max);
	EXPECT_TRUE(self->query.features & PMUDEV_HAS_THRESHOLD);
	EXPECT_TRUE(self->query.features & PMUDEV_HAS_USER_READ);
	EXPECT_FALSE(self->query.features & (PMUDEV_HAS_LONG | PMUDEV_HAS_CHAIN));
	for (i = 0; i < PMUDEV_GENERIC_MAX; i++)
		if (!(self->pmu.missing & 1U << architectural[i]))
			generic |= 1ULL << i;
	/* Its fixed counter counts those, whatever programmable ones do. */
	if (self->pmu.counters & 1ULL << FIXED_REF_CYCLES)
		generic |= 1ULL << PMUDEV_REF_CYCLES;
	EXPECT_EQ(generic, self->query.generic);
}

/* The emulated machine's name says what it has. */
TEST_F(counters, are_what_the_machine_has)
{
	unsigned int version, gp;
	char wide[8] = "";

	if (sscanf(machine_name(), "v%u-g%u%7s", &version, &gp, wide) < 2)
		SKIP(return, "not a machine of the matrix");
	EXPECT_EQ(version, self->query.arch_version);
	EXPECT_EQ(gp, __builtin_popcountll(self->query.counters & PROGRAMMABLE));
	EXPECT_EQ(strncmp(wide, "-w", 2) ? 31U : 48U, self->query.width);
	EXPECT_EQ(48U, self->query.width_fixed);
}

/* -------------------------------------------------------------- who gets which -- */

/* Fixed counters are used up before programmable ones. */
TEST_F(counters, fixed_ones_first)
{
	struct pmudev_event_attr events[PMUDEV_MAX_EVENTS];
	__s32 counters[PMUDEV_MAX_EVENTS];
	unsigned int i, nr = 0;

	for (i = 0; i < 3; i++)
		if (self->pmu.counters & 1ULL << (PMUDEV_FIXED_BASE + i)) {
			events[nr] = event_on(PMUDEV_FIXED_BASE + i, USER_ONLY);
			events[nr].flags &= ~PMUDEV_COUNTER;
			events[nr++].counter = 0;
		}
	ASSERT_EQ(0, pm_add(self->fd, events, nr));
	ASSERT_EQ(0, pm_enable(self->fd, 0));
	ASSERT_EQ(0, pm_place(self->fd, NULL, 0, counters));
	for (i = 0; i < nr; i++)
		EXPECT_GE(counters[i], PMUDEV_FIXED_BASE);
	/* So that all programmable ones are left. */
	for (i = 0; i < self->pmu.gp; i++)
		events[i] = in_group(raw_event(INTEL_BRANCHES, USER_ONLY), 1);
	ASSERT_EQ(0, pm_add(self->fd, events, self->pmu.gp));
	EXPECT_EQ(0, pm_enable(self->fd, 1));
	ASSERT_EQ(0, pm_query(&self->query));
	EXPECT_EQ((1ULL << self->pmu.gp) - 1, self->query.busy & PROGRAMMABLE);
}

/* What a fixed counter cannot do goes to a programmable one, or is refused. */
TEST_F(counters, fixed_ones_count_one_event)
{
	static const __u64 others[] = {
		INTEL_BRANCHES,
		EVENT_INSTRUCTIONS | CMASK(1),
		EVENT_INSTRUCTIONS | CMASK(1) | INV,
		EVENT_INSTRUCTIONS | EDGE,
		EVENT_INSTRUCTIONS | 0x800,
	};
	__u64 programmable = (1ULL << self->pmu.gp) - 1;
	struct pmudev_event_attr event;
	unsigned int i;
	__s32 counter;

	for (i = 0; i < ARRAY_SIZE(others); i++) {
		event = raw_event(others[i], USER_ONLY);
		ASSERT_EQ(0, pm_place(self->fd, &event, 1, &counter));
		EXPECT_LT(counter, PMUDEV_FIXED_BASE) TH_LOG("%#llx", others[i]);
		event.flags |= PMUDEV_COUNTER;
		event.counter = FIXED_INSTRUCTIONS;
		EXPECT_REFUSED(EINVAL, PMUDEV_WHY_COUNTER, pm_place(self->fd, &event, 1, &counter));
		EXPECT_EQ(programmable, why.allowed);
	}
}

/* Events of a model are placed where it counts them: on Skylake, as the emulated machines are. */
TEST_F(counters, of_a_model)
{
	struct pmudev_event_attr event = raw_event(0x81d0, USER_ONLY); /* MEM_INST_RETIRED */
	__s32 counter;

	ASSERT_EQ(0, pm_place(self->fd, &event, 1, &counter));
	EXPECT_LT(counter, 4);
	if ((self->query.cpu_id & 0xff0ff0) != 0x050650)
		SKIP(return, "not Skylake's model, %#llx", self->query.cpu_id);
	event.config = EVENT_INSTRUCTIONS | 0x100; /* INST_RETIRED.PREC_DIST */
	ASSERT_EQ(0, pm_place(self->fd, &event, 1, &counter));
	EXPECT_EQ(1, counter);
	event.allowed = 1;
	EXPECT_REFUSED(EINVAL, PMUDEV_WHY_COUNTER, pm_place(self->fd, &event, 1, &counter));
	EXPECT_EQ(2ULL, why.allowed);
}

/* One event for each counter that there is, by hand; then none is left. */
TEST_F(counters, all_of_them_by_hand)
{
	struct pmudev_event_attr events[PMUDEV_MAX_EVENTS];
	struct pmudev_event_attr more = raw_event(INTEL_BRANCHES, USER_ONLY);
	__s32 counters[PMUDEV_MAX_EVENTS];
	unsigned int i, nr = 0;
	union record record;
	__u64 left;

	for (left = self->pmu.counters; left; left &= left - 1)
		events[nr++] = event_on(__builtin_ctzll(left), USER_ONLY);
	ASSERT_EQ(0, pm_add(self->fd, events, nr));
	ASSERT_EQ(0, pm_enable(self->fd, 0));
	ASSERT_EQ(0, pm_place(self->fd, NULL, 0, counters));
	loop(10000);
	ASSERT_EQ(0, pm_read(self->fd, &record));
	for (i = 0; i < nr; i++) {
		EXPECT_EQ((__s32)events[i].counter, counters[i]);
		EXPECT_GE(record.r.counts[i].value, 20000ULL);
		EXPECT_EQ(record.r.counts[i].time_enabled, record.r.counts[i].time_running);
	}
	ASSERT_EQ(0, pm_query(&self->query));
	EXPECT_EQ(self->pmu.counters, self->query.busy);
	EXPECT_REFUSED(EBUSY, PMUDEV_WHY_HELD, pm_set(&more, 1, true));
	EXPECT_EQ((1ULL << self->pmu.gp) - 1, why.busy);
}

/* A mask is kept to, whatever else is free. */
TEST_F(counters, a_mask_of_them)
{
	struct pmudev_event_attr events[] = {
		event_among(EVENT_INSTRUCTIONS, 3ULL << 2, USER_ONLY),
		event_among(INTEL_CYCLES, 3ULL << 2, USER_ONLY),
		in_group(event_among(INTEL_BRANCHES, 3ULL << 2, USER_ONLY), 1),
		in_group(event_among(EVENT_INSTRUCTIONS, 1ULL << 1 | 1ULL << FIXED_INSTRUCTIONS,
				     USER_ONLY),
			 2),
	};
	__s32 counters[ARRAY_SIZE(events)];

	ASSERT_EQ(0, pm_add(self->fd, events, 4));
	ASSERT_EQ(0, pm_enable(self->fd, 0));
	EXPECT_REFUSED(EBUSY, PMUDEV_WHY_HELD, pm_enable(self->fd, 1));
	EXPECT_EQ(2, why.event);
	EXPECT_EQ(3ULL << 2, why.allowed);
	EXPECT_EQ(3ULL << 2, why.busy);
	ASSERT_EQ(0, pm_remove(self->fd, 1));
	ASSERT_EQ(0, pm_enable(self->fd, 2));
	ASSERT_EQ(0, pm_place(self->fd, NULL, 0, counters));
	EXPECT_EQ(2 + 3, counters[0] + counters[1]);
	EXPECT_EQ(FIXED_INSTRUCTIONS, counters[3]);
	/* Of counters that are not there. */
	events[3].allowed = 1ULL << 20;
	events[3].group = 3;
	EXPECT_REFUSED(EINVAL, PMUDEV_WHY_COUNTER, pm_add(self->fd, &events[3], 1));
}

/* -------------------------------------------------------------- what there is not -- */

TEST_F(counters, missing_events_by_name)
{
	struct pmudev_event_attr event;
	unsigned int i, g;
	__s32 counter;

	for (i = 0; i < ARRAY_SIZE(select_of); i++) {
		event = raw_event(select_of[i], USER_ONLY);
		if (!(self->pmu.missing & 1U << i)) {
			EXPECT_EQ(0, pm_place(self->fd, &event, 1, &counter));
			continue;
		}
		EXPECT_REFUSED(ENOENT, PMUDEV_WHY_EVENT, pm_place(self->fd, &event, 1, &counter));
		for (g = 0; g < PMUDEV_GENERIC_MAX; g++) {
			if (architectural[g] != (int)i || self->query.generic & 1ULL << g)
				continue;
			event.type = PMUDEV_TYPE_GENERIC;
			event.config = g;
			EXPECT_REFUSED(ENOENT, PMUDEV_WHY_EVENT, pm_add(self->fd, &event, 1));
		}
	}
	if (!self->pmu.missing)
		SKIP(return, "this PMU has all architectural events (a CPU with pmu-missing=)");
}

/* ANY, pin control, interrupt, rings and enable are not the caller's; nor what is reserved. */
TEST_F(counters, bits_that_are_not_an_event)
{
	static const int bits[] = { 16, 17, 19, 20, 21, 22, 48, 63 };
	struct pmudev_event_attr event;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(bits); i++) {
		event = raw_event(EVENT_INSTRUCTIONS | 1ULL << bits[i], USER_ONLY);
		EXPECT_REFUSED(EINVAL, PMUDEV_WHY_CONFIG, pm_add(self->fd, &event, 1));
		EXPECT_FALSE(why.limit & 1ULL << bits[i]);
	}
}

static struct pmudev_event_attr threshold(__u64 config, int value, int compare, __u32 flags)
{
	struct pmudev_event_attr attr = raw_event(config, USER_ONLY | flags);

	attr.threshold = value;
	attr.threshold_compare = compare;
	return attr;
}

TEST_F(counters, thresholds_that_cannot_be)
{
	const __u32 count = PMUDEV_THRESHOLD_COUNT;
	struct pmudev_event_attr event;

#define REFUSED(error, reason, ...)                                                      \
	do {                                                                             \
		event = threshold(__VA_ARGS__);                                          \
		EXPECT_REFUSED(error, PMUDEV_WHY_##reason, pm_add(self->fd, &event, 1)); \
	} while (0)
	/* The counter mask has eight bits. */
	REFUSED(EINVAL, THRESHOLD, EVENT_INSTRUCTIONS, 256, PMUDEV_GREATER_EQUAL, count);
	EXPECT_EQ(255ULL, why.limit);
	REFUSED(EINVAL, THRESHOLD, EVENT_INSTRUCTIONS, 4096, PMUDEV_GREATER_EQUAL, count);
	/* It counts the cycles that pass, and not what they had. */
	REFUSED(EOPNOTSUPP, HARDWARE, EVENT_INSTRUCTIONS, 1, PMUDEV_GREATER_EQUAL, 0);
	EXPECT_EQ((__u64)PMUDEV_THRESHOLD_COUNT, why.limit);
	/* Twice the same bits. */
	REFUSED(EINVAL, COMBINATION, EVENT_INSTRUCTIONS | CMASK(1), 1, PMUDEV_LESS, count);
	REFUSED(EINVAL, COMBINATION, EVENT_INSTRUCTIONS | INV, 1, PMUDEV_LESS, count);
	if (self->pmu.version < 6) { /* CPUID.23H's EQ */
		REFUSED(EOPNOTSUPP, COMPARE, EVENT_INSTRUCTIONS, 1, PMUDEV_EQUAL, count);
		REFUSED(EOPNOTSUPP, COMPARE, EVENT_INSTRUCTIONS, 1, PMUDEV_NOT_EQUAL, count);
	}
#undef REFUSED
	event = threshold(EVENT_INSTRUCTIONS, 255, PMUDEV_GREATER_EQUAL, count);
	EXPECT_EQ(0, pm_add(self->fd, &event, 1));
}

#else

TEST(intel)
{
	SKIP(return, "another architecture");
}

#endif

TEST_HARNESS_MAIN
