// SPDX-License-Identifier: GPL-2.0
/*
 * The rules that hold for every ioctl alike: sizes, tails, flags, pointers. Each variant is one
 * ioctl with a structure that would succeed; each test spoils one thing, looks at errno and
 * reason, and then lets the unspoiled call succeed, so that the refusal has changed nothing. Other
 * calls on the file are in abi_file_test.c.
 */
#include "common.h"
#include "kselftest_harness.h"

#include <sys/ioctl.h>

FIXTURE(call)
{
	int fd;
	char *page; /* readable and writable; what follows it is not mapped */
	struct pmudev_event_attr *event;
	__s32 *counters;
	struct pmudev_deadline *deadline;
	struct pmudev_report *report;
};

FIXTURE_VARIANT(call)
{
	unsigned long request;
	__u32 size;
	__u32 flags; /* those the module knows */
};

/* clang-format off */
FIXTURE_VARIANT_ADD(call, query) {
	PMUDEV_IOC_QUERY, sizeof(struct pmudev_query), PMUDEV_QUERY_FLAGS
};

FIXTURE_VARIANT_ADD(call, bind) {
	PMUDEV_IOC_BIND, sizeof(struct pmudev_bind), PMUDEV_BIND_FLAGS
};

FIXTURE_VARIANT_ADD(call, add) {
	PMUDEV_IOC_ADD, sizeof(struct pmudev_add), PMUDEV_ADD_FLAGS
};

FIXTURE_VARIANT_ADD(call, place) {
	PMUDEV_IOC_PLACE, sizeof(struct pmudev_place), 0
};

FIXTURE_VARIANT_ADD(call, enable) {
	PMUDEV_IOC_ENABLE, sizeof(struct pmudev_ctl), 0
};

FIXTURE_VARIANT_ADD(call, disable) {
	PMUDEV_IOC_DISABLE, sizeof(struct pmudev_ctl), 0
};

FIXTURE_VARIANT_ADD(call, reset) {
	PMUDEV_IOC_RESET, sizeof(struct pmudev_ctl), 0
};

FIXTURE_VARIANT_ADD(call, remove) {
	PMUDEV_IOC_REMOVE, sizeof(struct pmudev_ctl), 0
};

FIXTURE_VARIANT_ADD(call, why) {
	PMUDEV_IOC_WHY, sizeof(struct pmudev_why), 0
};

FIXTURE_VARIANT_ADD(call, deadline) {
	PMUDEV_IOC_DEADLINE, sizeof(struct pmudev_deadlines), 0
};

FIXTURE_VARIANT_ADD(call, go_on) {
	PMUDEV_IOC_CONTINUE, sizeof(struct pmudev_ctl), 0
};

FIXTURE_VARIANT_ADD(call, report) {
	PMUDEV_IOC_REPORT, sizeof(struct pmudev_reports), 0
};

FIXTURE_VARIANT_ADD(call, read_sets) {
	PMUDEV_IOC_READ_SETS, sizeof(struct pmudev_read_sets), 0
};

/* clang-format on */

FIXTURE_SETUP(call)
{
	struct pmudev_query query;
	char *map = mmap(NULL, 3 * PAGE_BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS,
			 -1, 0);

	self->fd = -1;
	ASSERT_EQ(0, pm_query(&query));
	if (variant->request == PMUDEV_IOC_DEADLINE && !(query.features & PMUDEV_HAS_DEADLINE))
		SKIP(return, "no deadlines here");
	ASSERT_NE(MAP_FAILED, map);
	ASSERT_EQ(0, munmap(map + PAGE_BYTES, PAGE_BYTES));
	self->page = map;
	self->event = (void *)(map + 2 * PAGE_BYTES);
	self->counters = (void *)(self->event + 1);
	self->deadline = (void *)((char *)self->event + 512);
	self->report = (void *)(self->deadline + 1);
	*self->event = raw_event(EVENT_CYCLES, USER_ONLY);
	self->fd = pm_open();
	ASSERT_GE(self->fd, 0);
	if (variant->request == PMUDEV_IOC_BIND)
		return;
	ASSERT_EQ(0, pm_bind(self->fd, PMUDEV_TARGET_TASK, 0, 0));
	ASSERT_EQ(0, pm_add(self->fd, self->event, 1));
}

FIXTURE_TEARDOWN(call)
{
	if (self->fd >= 0)
		close(self->fd);
}

/* A structure that is right, at @at. */
static void good(struct _test_data_call *self, const struct _fixture_variant_call *variant,
		 void *at)
{
	struct pmudev_deadlines *deadlines = at;
	struct pmudev_read_sets *read_sets = at;
	struct pmudev_reports *reports = at;
	struct pmudev_place *place = at;
	struct pmudev_add *add = at;
	struct pmudev_ctl *ctl = at;

	memset(at, 0, variant->size);
	ctl->size = variant->size;
	switch (variant->request) {
	case PMUDEV_IOC_ADD:
		add->nr = 1;
		add->event_size = sizeof(*self->event);
		add->events = (uintptr_t)self->event;
		break;
	case PMUDEV_IOC_PLACE:
		place->nr = 1;
		place->event_size = sizeof(*self->event);
		place->events = (uintptr_t)self->event;
		place->counters = (uintptr_t)self->counters;
		break;
	case PMUDEV_IOC_ENABLE:
	case PMUDEV_IOC_DISABLE:
	case PMUDEV_IOC_REMOVE:
		ctl->slot = PMUDEV_ALL;
		break;
	case PMUDEV_IOC_RESET:
		ctl->group = PMUDEV_ALL;
		break;
	case PMUDEV_IOC_CONTINUE:
		ctl->group = PMUDEV_ALL;
		ctl->slot = PMUDEV_ALL;
		break;
	case PMUDEV_IOC_DEADLINE:
		deadlines->nr = 1;
		deadlines->deadline_size = sizeof(*self->deadline);
		deadlines->deadlines = (uintptr_t)self->deadline;
		break;
	case PMUDEV_IOC_REPORT:
		reports->nr = 1;
		reports->report_size = sizeof(*self->report);
		reports->reports = (uintptr_t)self->report;
		break;
	case PMUDEV_IOC_READ_SETS:
		*(__s32 *)self->counters = self->fd;
		read_sets->nr = 1;
		read_sets->record_size = sizeof(struct pmudev_record) + sizeof(struct pmudev_count);
		read_sets->fds = (uintptr_t)self->counters;
		read_sets->records = (uintptr_t)self->report;
		break;
	}
}

static int call(struct _test_data_call *self, const struct _fixture_variant_call *variant, void *at)
{
	return ioctl(self->fd, variant->request, at) ? -errno : 0;
}

static int still_good(struct _test_data_call *self, const struct _fixture_variant_call *variant)
{
	good(self, variant, self->page);
	return call(self, variant, self->page);
}

/* The refusal, by its own ioctl; that of WHY itself is not kept. */
#define EXPECT_WHY(reason, bound)                                \
	do {                                                     \
		struct pmudev_why answer;                        \
		if (variant->request == PMUDEV_IOC_WHY)          \
			break;                                   \
		EXPECT_EQ(0, pm_why(self->fd, &answer));         \
		EXPECT_EQ((__u32)(reason), answer.refusal.code); \
		EXPECT_EQ((__u64)(bound), answer.refusal.limit); \
		EXPECT_EQ((__u32)-result, answer.error);         \
	} while (0)

TEST_F(call, exact_size)
{
	struct pmudev_ctl *at = (void *)self->page;

	good(self, variant, at);
	EXPECT_EQ(0, call(self, variant, at));
	/* WHY reports the refusals of other calls in this place: there are none. */
	EXPECT_EQ((__u32)PMUDEV_OK, at->refusal.code);
}

TEST_F(call, one_byte_short)
{
	struct pmudev_ctl *at = (void *)self->page;
	int result;

	good(self, variant, at);
	at->size = variant->size - 1;
	result = call(self, variant, at);
	EXPECT_EQ(-EINVAL, result);
	EXPECT_WHY(PMUDEV_WHY_SIZE, variant->size);
	/* Long enough to carry the refusal. */
	if (variant->request != PMUDEV_IOC_WHY)
		EXPECT_EQ((__u32)PMUDEV_WHY_SIZE, at->refusal.code);
	EXPECT_EQ(0, still_good(self, variant));
}

TEST_F(call, much_too_short)
{
	static const __u32 sizes[] = { 0, 1, 4, 8, 71 };
	struct pmudev_ctl *at = (void *)self->page;
	unsigned int i;
	int result;

	for (i = 0; i < ARRAY_SIZE(sizes); i++) {
		good(self, variant, at);
		memset(&at->refusal, 0xa5, sizeof(at->refusal));
		at->size = sizes[i];
		result = call(self, variant, at);
		EXPECT_EQ(-EINVAL, result) TH_LOG("size %u", sizes[i]);
		EXPECT_WHY(PMUDEV_WHY_SIZE, variant->size);
		/* Nothing is written beyond what the caller said is there. */
		EXPECT_EQ(0xa5, ((__u8 *)at)[sizes[i] < 8 ? 8 : sizes[i]]);
		EXPECT_EQ(0xa5, ((__u8 *)at)[71]);
	}
	EXPECT_EQ(0, still_good(self, variant));
}

TEST_F(call, zero_tail)
{
	struct pmudev_ctl *at = (void *)self->page;
	__u32 i;

	memset(at, 0x5a, PAGE_BYTES);
	good(self, variant, at);
	at->size = variant->size + 40;
	memset((char *)at + variant->size, 0, 40);
	EXPECT_EQ(0, call(self, variant, at));
	for (i = variant->size; i < variant->size + 40; i++)
		EXPECT_EQ(0, self->page[i]);
	EXPECT_EQ(0x5a, self->page[variant->size + 40]);
}

TEST_F(call, non_zero_tail)
{
	struct pmudev_ctl *at = (void *)self->page;
	static const int bytes[] = { 0, 7, 39 };
	unsigned int i;
	int result;

	for (i = 0; i < ARRAY_SIZE(bytes); i++) {
		good(self, variant, at);
		at->size = variant->size + 40;
		memset((char *)at + variant->size, 0, 40);
		self->page[variant->size + bytes[i]] = 1;
		result = call(self, variant, at);
		EXPECT_EQ(-E2BIG, result) TH_LOG("byte %d", bytes[i]);
		EXPECT_WHY(PMUDEV_WHY_TAIL, variant->size);
	}
	EXPECT_EQ(0, still_good(self, variant));
}

/* A size that nothing stands behind. */
TEST_F(call, absurd_size)
{
	struct pmudev_ctl *at = (void *)self->page;
	int result;

	good(self, variant, at);
	at->size = 0xfffffff8;
	result = call(self, variant, at);
	EXPECT_TRUE(result == -E2BIG || result == -EFAULT) TH_LOG("it was %d", result);
	EXPECT_EQ(0, still_good(self, variant));
}

TEST_F(call, unknown_flags)
{
	struct pmudev_ctl *at = (void *)self->page;
	__u32 bit;
	int result;

	for (bit = 1; bit; bit <<= 1) {
		if (bit & variant->flags)
			continue;
		good(self, variant, at);
		at->flags = bit;
		result = call(self, variant, at);
		EXPECT_EQ(-EINVAL, result) TH_LOG("flag %#x", bit);
		EXPECT_WHY(PMUDEV_WHY_FLAGS, variant->flags);
		if (variant->request == PMUDEV_IOC_WHY)
			continue;
		EXPECT_EQ((__u32)PMUDEV_WHY_FLAGS, at->refusal.code);
		EXPECT_EQ((__u64)variant->flags, at->refusal.limit);
	}
	EXPECT_EQ(0, still_good(self, variant));
}

TEST_F(call, bad_pointers)
{
	void *end = self->page + PAGE_BYTES;
	int result;

	result = call(self, variant, NULL);
	EXPECT_EQ(-EFAULT, result);
	EXPECT_WHY(PMUDEV_WHY_POINTER, 0);
	EXPECT_EQ(-EFAULT, call(self, variant, end));
	EXPECT_EQ(-EFAULT, call(self, variant, (void *)-4096L));
	/* The kernel's own addresses, the tag byte's bits, not canonical. */
	EXPECT_EQ(-EFAULT, call(self, variant, (void *)0xffff800000000000UL));
	EXPECT_EQ(-EFAULT, call(self, variant, (void *)0x00ff800000000000UL));
	EXPECT_EQ(0, still_good(self, variant));
}

/* The size can be read, the rest of the structure cannot. */
TEST_F(call, ends_beyond_the_map)
{
	struct pmudev_ctl *at = (void *)(self->page + PAGE_BYTES - 8);

	at->size = variant->size;
	at->flags = 0;
	EXPECT_EQ(-EFAULT, call(self, variant, at));
	EXPECT_EQ(0, still_good(self, variant));
}

/* The last byte of the structure is the last one of the map: nothing is read or written behind. */
TEST_F(call, ends_with_the_map)
{
	void *at = self->page + PAGE_BYTES - variant->size;

	good(self, variant, at);
	EXPECT_EQ(0, call(self, variant, at));
}

/*
 * A structure that can only be read. Either the answer is not needed and the call succeeds, or it
 * fails with EFAULT and has done nothing: BIND and REMOVE tell, as they cannot be done twice.
 */
TEST_F(call, read_only_structure)
{
	int result, again, expected;

	good(self, variant, self->page);
	ASSERT_EQ(0, mprotect(self->page, PAGE_BYTES, PROT_READ));
	result = call(self, variant, self->page);
	ASSERT_EQ(0, mprotect(self->page, PAGE_BYTES, PROT_READ | PROT_WRITE));
	EXPECT_TRUE(result == 0 || result == -EFAULT) TH_LOG("it was %d", result);
	if (variant->request == PMUDEV_IOC_QUERY || variant->request == PMUDEV_IOC_WHY ||
	    variant->request == PMUDEV_IOC_REPORT)
		EXPECT_EQ(-EFAULT, result);
	again = still_good(self, variant);
	expected = 0;
	if (variant->request == PMUDEV_IOC_BIND && !result)
		expected = -EBUSY;
	if (variant->request == PMUDEV_IOC_REMOVE && !result)
		expected = -EINVAL;
	EXPECT_EQ(expected, again);
}

TEST_HARNESS_MAIN
