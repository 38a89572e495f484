// SPDX-License-Identifier: GPL-2.0
/*
 * A refusal because perf and sets have all counters: it names the holder of each, whichever call it
 * is that is refused.
 */
#include "common.h"
#include "kselftest_harness.h"
#include "perf.h"

#include <string.h>
#include <sys/ioctl.h>

static struct pmudev_holder holders[PMUDEV_MAX_EVENTS];

/* With room for all the holders that there can be. */
static struct pmudev_refusal roomy(void)
{
	memset(holders, 0, sizeof(holders));
	return (struct pmudev_refusal){ .holders = (uintptr_t)holders,
					.nr_holders = ARRAY_SIZE(holders) };
}

static int add_them(int fd, struct pmudev_event_attr *events, unsigned int nr, __u32 flags)
{
	struct pmudev_add add = {
		.size = sizeof(add),
		.flags = flags,
		.refusal = roomy(),
		.nr = nr,
		.event_size = sizeof(*events),
		.events = (uintptr_t)events,
	};
	int ret = ioctl(fd, PMUDEV_IOC_ADD, &add) ? -errno : 0;

	why = add.refusal;
	return ret;
}

static int place_them(int fd, struct pmudev_event_attr *events, unsigned int nr)
{
	__s32 counters[PMUDEV_MAX_EVENTS];
	struct pmudev_place place = {
		.size = sizeof(place),
		.refusal = roomy(),
		.nr = nr,
		.event_size = nr ? sizeof(*events) : 0,
		.events = (uintptr_t)events,
		.counters = (uintptr_t)counters,
	};
	int ret = ioctl(fd, PMUDEV_IOC_PLACE, &place) ? -errno : 0;

	why = place.refusal;
	return ret;
}

static int enable_them(int fd)
{
	struct pmudev_ctl ctl = {
		.size = sizeof(ctl),
		.refusal = roomy(),
		.group = PMUDEV_ALL,
		.slot = PMUDEV_ALL,
	};
	int ret = ioctl(fd, PMUDEV_IOC_ENABLE, &ctl) ? -errno : 0;

	why = ctl.refusal;
	return ret;
}

/* All are held: some by a pinned event of perf on CPU 0; the others, by a CPU set of ours. */
static void all_held(struct __test_metadata *_metadata, const char *call, int ret, __u64 all,
		     __u64 perf)
{
	__u64 left = all;
	unsigned int i;

	EXPECT_EQ(-EBUSY, ret) TH_LOG("%s", call);
	EXPECT_EQ((__u32)PMUDEV_WHY_HELD, why.code) TH_LOG("%s", call);
	EXPECT_EQ(all, why.allowed) TH_LOG("%s", call);
	EXPECT_EQ(all, why.busy) TH_LOG("%s", call);
	EXPECT_TRUE(why.busy & 1ULL << why.holder.counter) TH_LOG("%s", call);
	ASSERT_EQ((unsigned int)__builtin_popcountll(all), why.nr_holders) TH_LOG("%s", call);
	for (i = 0; i < why.nr_holders; i++, left &= left - 1) {
		const struct pmudev_holder *h = &holders[i];
		bool perfs = perf & left & -left;

		EXPECT_EQ((__u32)__builtin_ctzll(left), h->counter) TH_LOG("%s", call);
		EXPECT_EQ((__u32)(perfs ? PMUDEV_HOLDER_PERF : PMUDEV_HOLDER_CPU_SET), h->kind);
		EXPECT_EQ(perfs ? 0 : getpid(), h->pid);
		EXPECT_EQ(0, h->cpu);
		if (h->counter == why.holder.counter)
			EXPECT_EQ(0, memcmp(h, &why.holder, sizeof(*h))) TH_LOG("%s", call);
	}
}

TEST(by_perf_and_a_set)
{
	struct pmudev_event_attr events[PMUDEV_MAX_EVENTS];
	int perf[3], cpu_fd, fd, pinned;
	struct pmudev_query query;
	unsigned int i, nr;
	__u64 all;

	if (!BESIDE_PERF)
		SKIP(return, "here perf has all counters or none");
	ASSERT_EQ(0, pm_query(&query));
	all = (__u32)query.available;
	nr = __builtin_popcountll(all);
	/* Two on event counters; the first of all is on the instruction counter if there is one. */
	pinned = 1 + __builtin_popcountll(query.available >> FIXED_COUNTER);
	for (i = 0; i < (unsigned int)pinned; i++) {
		perf[i] = perf_open_pinned(EVENT_INSTRUCTIONS, 0);
		if (perf[i] < 0)
			SKIP(return, "perf does not count here");
	}
	for (i = 0; i < nr; i++) {
		events[i] = raw_event(EVENT_CYCLES, USER_ONLY);
		events[i].allowed = all;
	}
	cpu_fd = pm_cpu_set(0, 0, events, nr - 2);
	ASSERT_GE(cpu_fd, 0);
	ASSERT_EQ(0, pm_query(&query));
	fd = pm_open();
	ASSERT_EQ(0, pm_bind(fd, PMUDEV_TARGET_TASK, 0, 0));
	all_held(_metadata, "PLACE", place_them(fd, events, 1), all, all & ~query.busy);
	all_held(_metadata, "ADD and enable", add_them(fd, events, 1, PMUDEV_ADD_ENABLE), all,
		 all & ~query.busy);
	ASSERT_EQ(0, pm_add(fd, events, 1));
	all_held(_metadata, "PLACE, in the set", place_them(fd, NULL, 0), all, all & ~query.busy);
	all_held(_metadata, "ENABLE", enable_them(fd), all, all & ~query.busy);
	close(perf[--pinned]);
	EXPECT_EQ(0, enable_them(fd));
	close(fd);
	close(cpu_fd);
	while (pinned)
		close(perf[--pinned]);
}

TEST_HARNESS_MAIN
