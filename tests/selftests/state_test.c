// SPDX-License-Identifier: GPL-2.0
/*
 * What a set must be bound to, what it answers in which state, and whom it can count: each refusal
 * with errno and reason.
 */
#include "common.h"
#include "kselftest_harness.h"

#include <fcntl.h>
#include <sys/ioctl.h>

#define NO_SUCH_CPU 1000000

/* ------------------------------------------------------------------ unbound -- */

TEST(unbound_set)
{
	struct pmudev_event_attr event = raw_event(EVENT_CYCLES, USER_ONLY);
	struct pmudev_query query = { .size = sizeof(query) };
	union record record;
	__s32 counter;
	int fd = pm_open();

	ASSERT_GE(fd, 0);
	EXPECT_REFUSED(EINVAL, PMUDEV_WHY_UNBOUND, pm_add(fd, &event, 1));
	EXPECT_REFUSED(EINVAL, PMUDEV_WHY_UNBOUND, pm_place(fd, &event, 1, &counter));
	EXPECT_REFUSED(EINVAL, PMUDEV_WHY_UNBOUND, pm_place(fd, NULL, 0, &counter));
	EXPECT_REFUSED(EINVAL, PMUDEV_WHY_UNBOUND, pm_enable(fd, PMUDEV_ALL));
	EXPECT_REFUSED(EINVAL, PMUDEV_WHY_UNBOUND, pm_disable(fd, PMUDEV_ALL));
	EXPECT_REFUSED(EINVAL, PMUDEV_WHY_UNBOUND, pm_reset(fd, PMUDEV_ALL, 0));
	EXPECT_REFUSED(EINVAL, PMUDEV_WHY_UNBOUND, pm_remove(fd, PMUDEV_ALL));
	EXPECT_REFUSED(EINVAL, PMUDEV_WHY_UNBOUND, pm_read(fd, &record));
	EXPECT_EQ(NULL, pm_map(fd));
	EXPECT_EQ(EINVAL, errno);
	EXPECT_EQ((__u32)PMUDEV_WHY_UNBOUND, why.code);
	/* A PMU can be asked for without a target. */
	EXPECT_EQ(0, ioctl(fd, PMUDEV_IOC_QUERY, &query));

	/* None of this stands in the way of a start. */
	EXPECT_EQ(0, pm_bind(fd, PMUDEV_TARGET_TASK, 0, 0));
	EXPECT_EQ(0, pm_add(fd, &event, 1));
	EXPECT_EQ(0, pm_enable(fd, 0));
	loop(1000);
	EXPECT_EQ(0, pm_read(fd, &record));
	EXPECT_GE(record.r.counts[0].value, 1000ULL);
	close(fd);
}

/* ------------------------------------------------------------------ targets -- */

FIXTURE(target)
{
	int fd;
};

FIXTURE_SETUP(target)
{
	self->fd = pm_open();
	ASSERT_GE(self->fd, 0);
}

/* Whatever was refused before: the set can still be bound and counts. */
FIXTURE_TEARDOWN(target)
{
	struct pmudev_event_attr event = raw_event(EVENT_CYCLES, USER_ONLY);
	union record record;

	EXPECT_EQ(0, pm_bind(self->fd, PMUDEV_TARGET_TASK, my_tid(), 0));
	EXPECT_EQ(0, pm_add(self->fd, &event, 1));
	EXPECT_EQ(0, pm_enable(self->fd, PMUDEV_ALL));
	loop(1000);
	EXPECT_EQ(0, pm_read(self->fd, &record));
	EXPECT_GE(record.r.counts[0].value, 1000ULL);
	close(self->fd);
}

TEST_F(target, cpus_that_are_none)
{
	EXPECT_REFUSED(ENODEV, PMUDEV_WHY_NO_CPU,
		       pm_bind(self->fd, PMUDEV_TARGET_CPU, NO_SUCH_CPU, 0));
	EXPECT_LT(why.limit, (__u64)NO_SUCH_CPU);
	EXPECT_REFUSED(ENODEV, PMUDEV_WHY_NO_CPU, pm_bind(self->fd, PMUDEV_TARGET_CPU, -1, 0));
	/* The limit is the highest number there is: one more is too many, it itself is not. */
	EXPECT_REFUSED(ENODEV, PMUDEV_WHY_NO_CPU,
		       pm_bind(self->fd, PMUDEV_TARGET_CPU, why.limit + 1, 0));
	EXPECT_GE(why.limit + 1, (__u64)cpus_online());
}

TEST_F(target, tasks_that_are_none)
{
	int child = fork();

	if (!child)
		_exit(0);
	ASSERT_EQ(0, child_result(child));
	EXPECT_REFUSED(ESRCH, PMUDEV_WHY_NO_TASK, pm_bind(self->fd, PMUDEV_TARGET_TASK, child, 0));
	EXPECT_REFUSED(ESRCH, PMUDEV_WHY_NO_TASK, pm_bind(self->fd, PMUDEV_TARGET_TASK, -5, 0));
	EXPECT_REFUSED(ESRCH, PMUDEV_WHY_NO_TASK,
		       pm_bind(self->fd, PMUDEV_TARGET_TASK, 0x7fffffff, 0));
}

/* A zombie has a number, but nothing runs there any more. */
TEST_F(target, zombie)
{
	siginfo_t info;
	int child = fork();

	if (!child)
		_exit(0);
	ASSERT_EQ(0, waitid(P_PID, child, &info, WEXITED | WNOWAIT));
	EXPECT_EQ(-ESRCH, pm_bind(self->fd, PMUDEV_TARGET_TASK, child, 0));
	EXPECT_TRUE(why.code == PMUDEV_WHY_NO_TASK || why.code == PMUDEV_WHY_ENDED);
	EXPECT_EQ(0, child_result(child));
}

TEST_F(target, bind_flags)
{
	struct pmudev_query query;

	ASSERT_EQ(0, pm_query(&query));
	if (!(query.features & PMUDEV_HAS_INHERIT)) {
		EXPECT_REFUSED(EOPNOTSUPP, PMUDEV_WHY_MODULE,
			       pm_bind(self->fd, PMUDEV_TARGET_TASK, 0, PMUDEV_BIND_INHERIT));
		EXPECT_EQ((__u64)PMUDEV_BIND_INHERIT, why.limit);
	}
	/* A CPU has no children and no exec; a thread's counts are not shared. */
	EXPECT_REFUSED(EINVAL, PMUDEV_WHY_COMBINATION,
		       pm_bind(self->fd, PMUDEV_TARGET_CPU, 0, PMUDEV_BIND_INHERIT));
	EXPECT_REFUSED(EINVAL, PMUDEV_WHY_COMBINATION,
		       pm_bind(self->fd, PMUDEV_TARGET_CPU, 0, PMUDEV_BIND_ON_EXEC));
	EXPECT_REFUSED(EINVAL, PMUDEV_WHY_COMBINATION,
		       pm_bind(self->fd, PMUDEV_TARGET_TASK, 0, PMUDEV_BIND_SHARED));
}

TEST_F(target, bind_fields)
{
	struct pmudev_bind bind;

#define BIND(...)                                                                 \
	({                                                                        \
		bind = (struct pmudev_bind){ .size = sizeof(bind), __VA_ARGS__ }; \
		int __ret = ioctl(self->fd, PMUDEV_IOC_BIND, &bind) ? -errno : 0; \
		why = bind.refusal;                                               \
		__ret;                                                            \
	})
	EXPECT_REFUSED(EINVAL, PMUDEV_WHY_RESERVED, BIND(.cgroup = 1));
	/* A number of a PMU without the flag that gives it a meaning. */
	EXPECT_REFUSED(EINVAL, PMUDEV_WHY_RESERVED, BIND(.pmu = 1));
	EXPECT_REFUSED(ENODEV, PMUDEV_WHY_NO_PMU, BIND(.flags = PMUDEV_BIND_PMU, .pmu = 1000));
	EXPECT_LT(why.limit, 1000ULL);
	EXPECT_EQ(-EINVAL, BIND(.target = 4));
	EXPECT_NE((__u32)PMUDEV_OK, why.code);
	EXPECT_EQ(-EINVAL, BIND(.target = ~0U));
#undef BIND
}

TEST_F(target, named_pmu)
{
	struct pmudev_bind bind = { .size = sizeof(bind), .flags = PMUDEV_BIND_PMU };
	int fd = pm_open();

	ASSERT_GE(fd, 0);
	EXPECT_EQ(0, ioctl(fd, PMUDEV_IOC_BIND, &bind));
	close(fd);
}

TEST(bound_twice)
{
	int fd = pm_open();

	ASSERT_GE(fd, 0);
	ASSERT_EQ(0, pm_bind(fd, PMUDEV_TARGET_TASK, 0, 0));
	EXPECT_REFUSED(EBUSY, PMUDEV_WHY_BOUND, pm_bind(fd, PMUDEV_TARGET_TASK, 0, 0));
	EXPECT_REFUSED(EBUSY, PMUDEV_WHY_BOUND, pm_bind(fd, PMUDEV_TARGET_CPU, 0, 0));
	close(fd);
}

/* Ticks of read_clock() in a second of CLOCK_MONOTONIC. */
static __u64 measured_hz(void)
{
	__u64 from = now_ns(), tick = read_clock(), to;

	do
		to = now_ns();
	while (to - from < 10000000);
	return (read_clock() - tick) * 1000000000 / (now_ns() - from);
}

TEST(query_fields)
{
	struct pmudev_query query = { .size = sizeof(query) };
	int fd = pm_open();

	ASSERT_GE(fd, 0);
	ASSERT_EQ(0, ioctl(fd, PMUDEV_IOC_QUERY, &query));
	EXPECT_EQ((__u32)PMUDEV_ABI_VERSION, query.abi);
	EXPECT_EQ((__u32)PMU_ARCH, query.arch);
	EXPECT_EQ(1U, query.nr_pmus);
	EXPECT_EQ((__u32)sysconf(_SC_NPROCESSORS_CONF), query.nr_cpus);
	EXPECT_EQ(cpu_id(), query.cpu_id);
	if (clock_hz())
		EXPECT_EQ(clock_hz(), query.clock_hz);
	if (query.clock_hz) {
		EXPECT_GE(query.clock_hz, measured_hz() / 100 * 99);
		EXPECT_LE(query.clock_hz, measured_hz() / 100 * 101);
	}
	EXPECT_EQ(query.width == 64, !!(query.features & PMUDEV_HAS_LONG));
	EXPECT_TRUE(query.counters & 1ULL << FIXED_COUNTER);
	EXPECT_TRUE(query.generic & 1ULL << PMUDEV_CYCLES);
	EXPECT_EQ(query.counters, query.available);
	EXPECT_EQ(0ULL, query.busy);
	EXPECT_TRUE(memchr(query.name, 0, sizeof(query.name)) && query.name[0]);

	query.pmu = query.nr_pmus;
	EXPECT_EQ(-1, ioctl(fd, PMUDEV_IOC_QUERY, &query));
	EXPECT_EQ(ENODEV, errno);
	EXPECT_EQ((__u32)PMUDEV_WHY_NO_PMU, query.refusal.code);
	EXPECT_EQ(0ULL, query.refusal.limit);
	close(fd);
}

/* ------------------------------------------------------------- groups, slots -- */

FIXTURE(groups)
{
	int fd; /* group 0 with slot 0 is enabled, group 1 with slot 1 is not */
};

FIXTURE_SETUP(groups)
{
	struct pmudev_event_attr events[2] = {
		raw_event(EVENT_CYCLES, USER_ONLY),
		in_group(raw_event(EVENT_CYCLES, USER_ONLY), 1),
	};

	self->fd = pm_set(events, 2, false);
	ASSERT_GE(self->fd, 0);
	ASSERT_EQ(0, pm_enable(self->fd, 0));
}

FIXTURE_TEARDOWN(groups)
{
	union record record;

	loop(1000);
	EXPECT_EQ(0, pm_read(self->fd, &record));
	EXPECT_EQ(3ULL, record.r.present);
	EXPECT_GE(record.r.counts[0].value, 1000ULL);
	EXPECT_EQ(0ULL, record.r.counts[1].value);
	close(self->fd);
}

TEST_F(groups, state_forbids)
{
	struct pmudev_event_attr event = raw_event(EVENT_CYCLES, USER_ONLY);

	EXPECT_REFUSED(EBUSY, PMUDEV_WHY_ENABLED, pm_add(self->fd, &event, 1));
	EXPECT_REFUSED(EBUSY, PMUDEV_WHY_ENABLED, pm_remove(self->fd, 0));
	EXPECT_REFUSED(EBUSY, PMUDEV_WHY_ENABLED, pm_remove(self->fd, PMUDEV_ALL));
	/* What is so already is no error. */
	EXPECT_EQ(0, pm_enable(self->fd, 0));
	EXPECT_EQ(0, pm_disable(self->fd, 1));
}

TEST_F(groups, no_such_group)
{
	static const unsigned long requests[] = { PMUDEV_IOC_ENABLE, PMUDEV_IOC_DISABLE,
						  PMUDEV_IOC_REMOVE };
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(requests); i++) {
		EXPECT_REFUSED(EINVAL, PMUDEV_WHY_GROUP,
			       pm_ctl(self->fd, requests[i], 64, PMUDEV_ALL, 0));
		EXPECT_EQ(63ULL, why.limit);
		EXPECT_REFUSED(EINVAL, PMUDEV_WHY_GROUP,
			       pm_ctl(self->fd, requests[i], 2, PMUDEV_ALL, 0));
		/* These calls are about groups, and take no value. */
		EXPECT_EQ(-EINVAL, pm_ctl(self->fd, requests[i], 1, 1, 0));
		EXPECT_NE((__u32)PMUDEV_OK, why.code);
		EXPECT_REFUSED(EINVAL, PMUDEV_WHY_RESERVED,
			       pm_ctl(self->fd, requests[i], 1, PMUDEV_ALL, 1));
	}
}

TEST_F(groups, reset_of_what_is_not)
{
	EXPECT_REFUSED(EINVAL, PMUDEV_WHY_SLOT, pm_reset(self->fd, 2, 0));
	EXPECT_REFUSED(EINVAL, PMUDEV_WHY_SLOT, pm_reset(self->fd, 64, 0));
	EXPECT_REFUSED(EINVAL, PMUDEV_WHY_GROUP,
		       pm_ctl(self->fd, PMUDEV_IOC_RESET, 7, PMUDEV_ALL, 0));
	/* A group or a slot, not both. */
	EXPECT_EQ(-EINVAL, pm_ctl(self->fd, PMUDEV_IOC_RESET, 0, 0, 0));
	EXPECT_NE((__u32)PMUDEV_OK, why.code);
}

TEST_F(groups, record_too_long_for_the_buffer)
{
	union record record;
	size_t size = sizeof(struct pmudev_record) + 2 * sizeof(struct pmudev_count);
	size_t short_sizes[] = { 0, 1, sizeof(struct pmudev_record), size - 1 };
	struct pmudev_why answer;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(short_sizes); i++) {
		memset(&record, 0xa5, sizeof(record));
		EXPECT_EQ(-1, read(self->fd, &record, short_sizes[i]));
		EXPECT_EQ(ENOSPC, errno);
		EXPECT_EQ(0xa5a5a5a5U, record.r.size);
		EXPECT_EQ(0, pm_why(self->fd, &answer));
		EXPECT_EQ((__u32)ENOSPC, answer.error);
		EXPECT_EQ((__u32)PMUDEV_WHY_BUFFER, answer.refusal.code);
		EXPECT_EQ((__u64)size, answer.refusal.limit);
	}
	EXPECT_EQ((ssize_t)size, read(self->fd, &record, size));
	EXPECT_EQ(size, record.r.size);
	EXPECT_EQ(2U, record.r.nr);

	EXPECT_EQ(-1, read(self->fd, (void *)4096, 4096));
	EXPECT_EQ(EFAULT, errno);
	EXPECT_EQ(0, pm_why(self->fd, &answer));
	EXPECT_EQ((__u32)PMUDEV_WHY_POINTER, answer.refusal.code);
}

TEST_HARNESS_MAIN
