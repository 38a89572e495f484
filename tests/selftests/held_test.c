// SPDX-License-Identifier: GPL-2.0
/*
 * A refusal because pmudev keeps a counter for itself: it also has what others hold, whichever call
 * it is that is refused.
 */
#include "common.h"
#include "kselftest_harness.h"

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

/* All are held: those that no set gets, by pmudev itself; the others, by a CPU set of ours. */
static void all_held(struct __test_metadata *_metadata, const char *call, int ret, __u64 all,
		     __u64 reserved)
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
		bool ours = reserved & left & -left;

		EXPECT_EQ((__u32)__builtin_ctzll(left), h->counter) TH_LOG("%s", call);
		EXPECT_EQ((__u32)(ours ? PMUDEV_HOLDER_PLACEHOLDER : PMUDEV_HOLDER_CPU_SET),
			  h->kind);
		EXPECT_EQ(ours ? 0 : getpid(), h->pid);
		EXPECT_EQ(ours ? -1 : 0, h->cpu);
		if (h->counter == why.holder.counter)
			EXPECT_EQ(0, memcmp(h, &why.holder, sizeof(*h))) TH_LOG("%s", call);
	}
}

/*
 * As many events as there are counters for them, if pmudev did not keep one for itself. A CPU set
 * has the others: the refusal has them all.
 */
TEST(more_than_the_reservation_leaves)
{
	struct pmudev_event_attr events[PMUDEV_MAX_EVENTS];
	struct pmudev_event_attr one = raw_event(EVENT_CYCLES, USER_ONLY);
	int cpu_fd, fd, idle = pm_set(&one, 1, true);
	struct pmudev_query query;
	unsigned int i, nr, left;
	__u64 all, reserved;

	/* Known once something counts. */
	ASSERT_GE(idle, 0);
	ASSERT_EQ(0, pm_query(&query));
	all = query.counters & (__u32)~0U;
	reserved = all & ~query.available;
	nr = __builtin_popcountll(all);
	left = __builtin_popcountll(all & ~reserved);
	if (!reserved)
		SKIP(close(idle); return, "there is no placeholder here");
	close(idle);
	for (i = 0; i < nr; i++) {
		events[i] = in_group(one, i / (left ?: 1));
		events[i].allowed = all;
	}
	cpu_fd = pm_cpu_set(0, 0, events, left);
	ASSERT_GE(cpu_fd, 0);
	fd = pm_open();
	ASSERT_EQ(0, pm_bind(fd, PMUDEV_TARGET_TASK, 0, 0));

	/* In two groups they could be on at different times. */
	all_held(_metadata, "PLACE", place_them(fd, events, nr), all, reserved);
	ASSERT_EQ(0, pm_add(fd, events, nr));
	all_held(_metadata, "PLACE, in the set", place_them(fd, NULL, 0), all, reserved);
	all_held(_metadata, "ENABLE", enable_them(fd), all, reserved);
	for (i = 0; i < 2; i++)
		ASSERT_EQ(0, pm_remove(fd, i));
	/* In one they never can. */
	for (i = 0; i < nr; i++)
		events[i].group = 0;
	all_held(_metadata, "PLACE, a group", place_them(fd, events, nr), all, reserved);
	all_held(_metadata, "ADD", add_them(fd, events, nr, 0), all, reserved);
	all_held(_metadata, "ADD and enable", add_them(fd, events, nr, PMUDEV_ADD_ENABLE), all,
		 reserved);
	close(fd);
	close(cpu_fd);
}

TEST_HARNESS_MAIN
