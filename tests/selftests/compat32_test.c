// SPDX-License-Identifier: GPL-2.0
/*
 * A 32-bit program on a 64-bit kernel: the same structures, the same calls, the same counts. It
 * shares nothing with the other programs, which are of the kernel's own size.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/utsname.h>
#include <unistd.h>
#include <linux/pmudev.h>
#include "kselftest_harness.h"

#define USER_ACCESS	  "/proc/sys/dev/pmudev/user_access"
#define USER_ONLY (PMUDEV_EXCLUDE_KERNEL | PMUDEV_EXCLUDE_HV)
#define N	  100000U

FIXTURE(compat)
{
	int fd;
};

FIXTURE_SETUP(compat)
{
	struct pmudev_bind bind = { .size = sizeof(bind) };
	struct utsname name;

	if (sizeof(long) != 4)
		SKIP(return, "not built as a 32-bit program (CC32)");
	ASSERT_EQ(0, uname(&name));
	if (!strstr(name.machine, "64") && strcmp(name.machine, "armv8l"))
		SKIP(return, "the kernel is a 32-bit one");
	self->fd = open(PMUDEV_DEVICE, O_RDWR | O_CLOEXEC);
	ASSERT_GE(self->fd, 0);
	ASSERT_EQ(0, ioctl(self->fd, PMUDEV_IOC_BIND, &bind));
}

FIXTURE_TEARDOWN(compat)
{
	close(self->fd);
}

static int add(int fd, const struct pmudev_event_attr *attr, __u32 nr, __u32 *slots,
	       struct pmudev_refusal *why)
{
	struct pmudev_add args = {
		.size = sizeof(args),
		.nr = nr,
		.event_size = sizeof(*attr),
		.events = (uintptr_t)attr,
		.slots = (uintptr_t)slots,
	};
	int ret = ioctl(fd, PMUDEV_IOC_ADD, &args) ? -errno : 0;

	*why = args.refusal;
	return ret;
}

static int ctl(int fd, unsigned long request, __u64 value)
{
	struct pmudev_ctl args = {
		.size = sizeof(args),
		.group = PMUDEV_ALL,
		.slot = PMUDEV_ALL,
		.value = value,
	};

	return ioctl(fd, request, &args) ? -errno : 0;
}

static const struct pmudev_event_attr cycles = {
	.type = PMUDEV_TYPE_GENERIC,
	.config = PMUDEV_CYCLES,
	.flags = USER_ONLY,
	.tag = 0x123456789abcdef0ULL,
};

TEST_F(compat, counts)
{
	struct {
		struct pmudev_record r;
		struct pmudev_count counts[2];
	} record;
	const struct pmudev_event_attr both[] = { cycles, cycles };
	struct pmudev_refusal why;
	__u32 slots[2] = { 9, 9 };
	__u32 i;

	ASSERT_EQ(0, add(self->fd, both, 2, slots, &why));
	EXPECT_EQ(0U, slots[0]);
	EXPECT_EQ(1U, slots[1]);
	/* Values that need all 64 bits, both ways. */
	ASSERT_EQ(0, ctl(self->fd, PMUDEV_IOC_RESET, 0xfedcba9800000000ULL));
	ASSERT_EQ(0, ctl(self->fd, PMUDEV_IOC_ENABLE, 0));
	for (i = 0; i < N; i++)
		__asm__ __volatile__("");
	ASSERT_EQ((ssize_t)sizeof(record), read(self->fd, &record, sizeof(record)));
	EXPECT_EQ(sizeof(record), record.r.size);
	EXPECT_EQ(2U, record.r.nr);
	EXPECT_EQ(3ULL, record.r.present);
	EXPECT_GE(record.counts[0].value, 0xfedcba9800000000ULL + N);
	EXPECT_LT(record.counts[0].value, 0xfedcba9900000000ULL);
	EXPECT_EQ(record.counts[0].value, record.counts[1].value);
	EXPECT_EQ(cycles.tag, record.counts[1].tag);
	EXPECT_EQ(record.counts[0].time_enabled, record.counts[0].time_running);
	EXPECT_EQ(0, ctl(self->fd, PMUDEV_IOC_DISABLE, 0));
}

TEST_F(compat, refusals_are_in_their_place)
{
	struct pmudev_query query = { .size = sizeof(query) };
	struct pmudev_event_attr bad = cycles;
	struct pmudev_refusal why;

	ASSERT_EQ(0, ioctl(self->fd, PMUDEV_IOC_QUERY, &query));
	EXPECT_EQ((__u32)PMUDEV_ABI_VERSION, query.abi);
	EXPECT_EQ(!!query.width_fixed, !!(query.counters >> PMUDEV_FIXED_BASE));
	EXPECT_NE('\0', query.name[0]);
	bad.flags |= PMUDEV_COUNTER;
	bad.counter = 30; /* the 31st programmable one */
	EXPECT_EQ(-EINVAL, add(self->fd, &bad, 1, NULL, &why));
	EXPECT_EQ((__u32)PMUDEV_WHY_COUNTER, why.code);
	EXPECT_EQ(0, why.event);
	EXPECT_NE(0ULL, why.allowed);
	EXPECT_EQ(0ULL, why.allowed & ~query.counters);
	/* A pointer of 64 bits is nobody's here. */
	EXPECT_EQ(-EFAULT, add(self->fd, (void *)(uintptr_t)8, 1, NULL, &why));
}

/* Elsewhere the page is refused for another reason: it is that of its parent's set. */
#ifdef __ARM_ARCH
static const int for_another = EOPNOTSUPP;
#else
static const int for_another = EPERM;
#endif

/* What another program has asked for, as for one of 64 bits, before it executed this one. */
TEST_F(compat, given)
{
	const char *given = getenv("PMUDEV_GIVEN");
	struct pmudev_refusal why;
	void *page;

	if (given) {
		close(self->fd);
		self->fd = dup(atoi(given));
	} else {
		ASSERT_EQ(0, add(self->fd, &cycles, 1, NULL, &why));
	}
	errno = 0;
	page = mmap(NULL, 4096, PROT_READ, MAP_SHARED, self->fd, 0);
	EXPECT_EQ(MAP_FAILED, page);
	EXPECT_EQ(given ? for_another : EINVAL, errno);
}

#ifdef __ARM_ARCH

/* Where a 32-bit read instruction shows half of a counter, user reads are not to be had. */
TEST_F(compat, user_reads)
{
	struct pmudev_event_attr direct = cycles;
	struct pmudev_refusal why;
	int sysctl = open(USER_ACCESS, O_WRONLY | O_CLOEXEC);

	ASSERT_EQ(1, write(sysctl, "1", 1));
	direct.flags |= PMUDEV_USER_READ;
	EXPECT_EQ(-EOPNOTSUPP, add(self->fd, &direct, 1, NULL, &why));
	EXPECT_EQ((__u32)PMUDEV_WHY_HARDWARE, why.code);
	EXPECT_EQ((__u64)PMUDEV_USER_READ, why.limit);
	ASSERT_EQ(1, write(sysctl, "0", 1));
	close(sysctl);
}

#else

static uint64_t counter(__u32 operand)
{
	__u32 low, high;

	__asm__ __volatile__("rdpmc" : "=a"(low), "=d"(high) : "c"(operand));
	return (uint64_t)high << 32 | low;
}

/* RDPMC shows all of a counter to a 32-bit program, too. */
TEST_F(compat, user_reads)
{
	struct pmudev_event_attr direct = cycles;
	int sysctl = open(USER_ACCESS, O_WRONLY | O_CLOEXEC);
	struct pmudev_refusal why;
	const struct pmudev_page *page;
	struct pmudev_slot slot;
	struct {
		struct pmudev_record r;
		struct pmudev_count count;
	} record;
	uint64_t value;
	__u32 seq;

	ASSERT_EQ(1, write(sysctl, "1", 1));
	direct.flags |= PMUDEV_USER_READ;
	ASSERT_EQ(0, add(self->fd, &direct, 1, NULL, &why));
	ASSERT_EQ(0, ctl(self->fd, PMUDEV_IOC_RESET, 0xfedcba9800000000ULL));
	ASSERT_EQ(0, ctl(self->fd, PMUDEV_IOC_ENABLE, 0));
	page = mmap(NULL, 4096, PROT_READ, MAP_SHARED, self->fd, 0);
	ASSERT_NE(MAP_FAILED, page);
	do {
		seq = __atomic_load_n(&page->seq, __ATOMIC_ACQUIRE);
		ASSERT_EQ((__u32)getpid(), page->owner);
		memcpy(&slot, &page->slots[0], sizeof(slot));
		ASSERT_NE(0, slot.index);
		value = (counter(slot.operand) - slot.count) << slot.shift >> slot.shift;
		value += slot.count;
		__atomic_thread_fence(__ATOMIC_ACQUIRE);
	} while (__atomic_load_n(&page->seq, __ATOMIC_RELAXED) != seq);
	ASSERT_EQ((ssize_t)sizeof(record), read(self->fd, &record, sizeof(record)));
	EXPECT_GT(value, 0xfedcba9800000000ULL);
	EXPECT_LT(value, record.count.value);
	EXPECT_LT(record.count.value, value + 100000);
	ASSERT_EQ(1, write(sysctl, "0", 1));
	close(sysctl);
}

#endif

TEST_HARNESS_MAIN
