// SPDX-License-Identifier: GPL-2.0
/*
 * Counters that firmware or a hypervisor uses when the PMU is reserved are left to them:
 * programmable ones whose event select has EN, and fixed ones that count some ring. Here root plays
 * the firmware, by /dev/cpu/N/msr.
 */
#include "intel.h"
#include "kselftest_harness.h"

#include <fcntl.h>
#include <stdio.h>

#if defined(__x86_64__)

#define MSR_PMC(n)	 (0x0c1 + (n))
#define MSR_EVTSEL(n)	 (0x186 + (n))
#define MSR_FIXED_CTR(n) (0x309 + (n))
#define MSR_FIXED_CTRL	 0x38d
#define MSR_GLOBAL_CTRL	 0x38f

#define EN  (1ULL << 22)
#define USR (1ULL << 16)

static int open_msrs(int cpu)
{
	char path[64];

	snprintf(path, sizeof(path), "/dev/cpu/%d/msr", cpu);
	return open(path, O_RDWR | O_CLOEXEC);
}

FIXTURE(foreign)
{
	int msr[2]; /* of the first two CPUs */
	int cpus;
	int fd;
};

static __u64 get(int msr, __u32 number)
{
	__u64 value = ~0ULL;

	return pread(msr, &value, sizeof(value), number) == sizeof(value) ? value : ~0ULL;
}

static int put(int msr, __u32 number, __u64 value)
{
	return pwrite(msr, &value, sizeof(value), number) == sizeof(value) ? 0 : -errno;
}

static int put_everywhere(__u32 number, __u64 value)
{
	int cpu, fd, ret = 0;

	for (cpu = 0; !ret && cpu < cpus_online(); cpu++) {
		fd = open_msrs(cpu);
		ret = put(fd, number, value);
		close(fd);
	}
	return ret;
}

static int select_everywhere(int counter, __u64 select)
{
	return put_everywhere(MSR_EVTSEL(counter), select);
}

/* What the module found stays until it is unloaded. */
static int reload(void)
{
	int ret = unload_module();

	return ret ? ret : load_module();
}

FIXTURE_SETUP(foreign)
{
	int i;

	self->cpus = cpus_online() > 1 ? 2 : 1;
	self->fd = -1;
	load_module_file(MSR_KO);
	for (i = 0; i < self->cpus; i++) {
		self->msr[i] = open_msrs(i);
		if (self->msr[i] < 0)
			SKIP(return, "no /dev/cpu/%d/msr (CONFIG_X86_MSR)", i);
	}
	ASSERT_EQ(0, pin_to(0));
	ASSERT_EQ(0, reload());
}

FIXTURE_TEARDOWN(foreign)
{
	if (self->fd >= 0)
		close(self->fd);
	if (self->msr[0] < 0)
		return;
	EXPECT_EQ(0, select_everywhere(2, 0));
	EXPECT_EQ(0, select_everywhere(3, 0));
	EXPECT_EQ(0, put_everywhere(MSR_FIXED_CTRL, 0));
	EXPECT_EQ(0, reload());
}

static __u64 available(void)
{
	struct pmudev_query query;

	return pm_query(&query) ? 0 : query.available;
}

static int reserve(int counter)
{
	struct pmudev_event_attr event = event_on(counter, USER_ONLY);

	return pm_set(&event, 1, true);
}

/* Counter 3, on all CPUs: no set gets it, and it goes on. */
TEST_F(foreign, is_left_alone)
{
	__u64 select = EVENT_INSTRUCTIONS | USR | EN, all, on, before;

	all = available();
	on = get(self->msr[0], MSR_GLOBAL_CTRL);
	ASSERT_EQ(0, put(self->msr[0], MSR_GLOBAL_CTRL, on | 1 << 3));
	ASSERT_EQ(0, select_everywhere(3, select));
	self->fd = reserve(2);
	ASSERT_GE(self->fd, 0);
	EXPECT_EQ(all & ~(1ULL << 3), available());
	EXPECT_EQ(select, get(self->msr[0], MSR_EVTSEL(3)));
	before = get(self->msr[0], MSR_PMC(3));
	loop(100000);
	EXPECT_GE(get(self->msr[0], MSR_PMC(3)), before + 200000);
	EXPECT_EQ(1ULL << 3 | 1ULL << 2, get(self->msr[0], MSR_GLOBAL_CTRL));
	EXPECT_EQ(-EBUSY, reserve(3));
	EXPECT_EQ((__u32)PMUDEV_WHY_HELD, why.code);
	EXPECT_EQ(1ULL << 3, why.busy);
	EXPECT_EQ(3U, why.holder.counter);
	EXPECT_EQ((__u32)PMUDEV_HOLDER_HYPERVISOR, why.holder.kind);
	close(self->fd);
	self->fd = -1;
	/* Also afterwards. */
	EXPECT_EQ(select, get(self->msr[0], MSR_EVTSEL(3)));
	EXPECT_EQ(on | 1 << 3, get(self->msr[0], MSR_GLOBAL_CTRL));
	put(self->msr[0], MSR_GLOBAL_CTRL, on);
}

/* Fixed counter 1, which counts cycles; so these are counted elsewhere. */
TEST_F(foreign, a_fixed_one_is_left_alone)
{
	const __u64 rings = 0x2 << 4, one = 1ULL << 33; /* USR of the second field */
	struct pmudev_event_attr event = raw_event(EVENT_CYCLES, USER_ONLY);
	__u64 all = available(), on = get(self->msr[0], MSR_GLOBAL_CTRL), before;

	if (!(all & one))
		SKIP(return, "no fixed counter 1 here, only %#llx", all);
	ASSERT_EQ(0, put(self->msr[0], MSR_GLOBAL_CTRL, on | one));
	ASSERT_EQ(0, put_everywhere(MSR_FIXED_CTRL, rings));
	self->fd = pm_set(&event, 1, true);
	ASSERT_GE(self->fd, 0);
	EXPECT_EQ(all & ~one, available());
	EXPECT_EQ(rings, get(self->msr[0], MSR_FIXED_CTRL));
	EXPECT_EQ(one, get(self->msr[0], MSR_GLOBAL_CTRL) & one);
	before = get(self->msr[0], MSR_FIXED_CTR(1));
	loop(100000);
	EXPECT_LT(before, get(self->msr[0], MSR_FIXED_CTR(1)));
	EXPECT_LT(0ULL, pm_value(self->fd, 0));
	event.flags |= PMUDEV_COUNTER;
	event.counter = 33;
	EXPECT_EQ(-EBUSY, pm_set(&event, 1, true));
	EXPECT_EQ((__u32)PMUDEV_HOLDER_HYPERVISOR, why.holder.kind);
	close(self->fd);
	self->fd = -1;
	/* Also afterwards, and after others had a fixed counter. */
	EXPECT_EQ(rings, get(self->msr[0], MSR_FIXED_CTRL));
	event = raw_event(EVENT_INSTRUCTIONS, USER_ONLY);
	self->fd = pm_set(&event, 1, true);
	ASSERT_GE(self->fd, 0);
	close(self->fd);
	self->fd = -1;
	EXPECT_EQ(rings, get(self->msr[0], MSR_FIXED_CTRL));
	EXPECT_EQ(on | one, get(self->msr[0], MSR_GLOBAL_CTRL));
	put(self->msr[0], MSR_GLOBAL_CTRL, on);
}

/* Nobody's, once nobody selects anything there: as perf leaves it. */
TEST_F(foreign, leftovers_are_not)
{
	__u64 all = available();

	ASSERT_EQ(0, put(self->msr[0], MSR_EVTSEL(3), EVENT_INSTRUCTIONS | USR));
	ASSERT_EQ(0, put(self->msr[0], MSR_PMC(3), 12345));
	self->fd = reserve(3);
	ASSERT_GE(self->fd, 0);
	EXPECT_EQ(all, available());
}

/*
 * One that the first CPU has for us, but another not, may be placed already: that reservation
 * fails.
 */
TEST_F(foreign, on_another_cpu_only)
{
	__u64 all = available();

	if (self->cpus < 2)
		SKIP(return, "needs a second CPU");
	ASSERT_EQ(0, put(self->msr[1], MSR_EVTSEL(2), EVENT_CYCLES | USR | EN));
	EXPECT_EQ(-EBUSY, reserve(3));
	EXPECT_EQ((__u32)PMUDEV_WHY_PMU_HELD, why.code);
	EXPECT_EQ((__u32)PMUDEV_HOLDER_HYPERVISOR, why.holder.kind);
	EXPECT_EQ(1, why.holder.cpu);
	EXPECT_EQ(EVENT_CYCLES | USR | EN, get(self->msr[1], MSR_EVTSEL(2)));
	/* And the next knows. */
	self->fd = reserve(3);
	ASSERT_GE(self->fd, 0);
	EXPECT_EQ(all & ~(1ULL << 2), available());
	EXPECT_EQ(-EBUSY, reserve(2));
}

#else

TEST(foreign)
{
	SKIP(return, "another architecture");
}

#endif

TEST_HARNESS_MAIN
