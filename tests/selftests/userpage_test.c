// SPDX-License-Identifier: GPL-2.0
/*
 * The user page: how it can be mapped and how not, what stands in it, and who can read by it.
 */
#include "common.h"
#include "kselftest_harness.h"

#include <pthread.h>
#include <sys/resource.h>

FIXTURE(page)
{
	int fd;
	struct pmudev_page *page;
	struct reader reader;
};

FIXTURE_SETUP(page)
{
	struct pmudev_event_attr events[] = {
		raw_event(EVENT_CYCLES, DIRECT_READ),
		in_group(raw_event(EVENT_CYCLES, DIRECT_READ), 5),
		in_group(raw_event(EVENT_CYCLES, USER_ONLY), 6),
	};

	ASSERT_EQ(0, set_user_access(true));
	self->fd = pm_set(events, 3, true);
	ASSERT_GE(self->fd, 0);
	self->page = pm_map(self->fd);
	ASSERT_NE(NULL, self->page);
	self->reader = reader_of(self->page);
}

FIXTURE_TEARDOWN(page)
{
	__u64 value;

	/* Whatever a test did: the page it was given is still good, if it left it there. */
	if (self->page) {
		EXPECT_EQ(0, direct_read(&self->reader, 0, &value));
		EXPECT_GT(value, 0ULL);
		pm_unmap(self->page);
	}
	if (self->fd >= 0)
		close(self->fd);
	set_user_access(false);
}

/* ------------------------------------------------------------------ mapping -- */

static void no_map(struct __test_metadata *_metadata, int fd, long length, int prot, int flags,
		   off_t offset)
{
	struct pmudev_why answer;

	EXPECT_EQ(MAP_FAILED, mmap(NULL, length, prot, flags, fd, offset));
	EXPECT_EQ(EINVAL, errno);
	EXPECT_EQ(0, pm_why(fd, &answer));
	EXPECT_EQ((__u32)EINVAL, answer.error) TH_LOG("%#lx %d %d", length, prot, flags);
	EXPECT_EQ((__u32)PMUDEV_WHY_MAPPING, answer.refusal.code);
}

#define EXPECT_NO_MAP(...) no_map(_metadata, self->fd, __VA_ARGS__)

TEST_F(page, only_shared_and_read_only)
{
	long size = PAGE_BYTES;

	EXPECT_NO_MAP(size, PROT_READ | PROT_WRITE, MAP_SHARED, 0);
	EXPECT_NO_MAP(size, PROT_WRITE, MAP_SHARED, 0);
	EXPECT_NO_MAP(size, PROT_READ | PROT_EXEC, MAP_SHARED, 0);
	EXPECT_NO_MAP(size, PROT_READ, MAP_PRIVATE, 0);
	EXPECT_NO_MAP(size, PROT_READ | PROT_WRITE, MAP_PRIVATE, 0);
}

TEST_F(page, only_one_page_at_offset_0)
{
	long size = PAGE_BYTES;

	EXPECT_NO_MAP(2 * size, PROT_READ, MAP_SHARED, 0);
	EXPECT_NO_MAP(16 * size, PROT_READ, MAP_SHARED, 0);
	EXPECT_NO_MAP(size, PROT_READ, MAP_SHARED, size);
	EXPECT_NO_MAP(size, PROT_READ, MAP_SHARED, 1L << 40);
}

TEST_F(page, never_writable)
{
	EXPECT_EQ(-1, mprotect(self->page, PAGE_BYTES, PROT_READ | PROT_WRITE));
	EXPECT_EQ(EACCES, errno);
	EXPECT_EQ(-1, mprotect(self->page, PAGE_BYTES, PROT_WRITE));
	EXPECT_EQ(EACCES, errno);
}

TEST_F(page, does_not_grow)
{
	EXPECT_EQ(MAP_FAILED, mremap(self->page, PAGE_BYTES, 2 * PAGE_BYTES, MREMAP_MAYMOVE));
	/* Nor is it doubled. */
	EXPECT_EQ(MAP_FAILED, mremap(self->page, 0, PAGE_BYTES, MREMAP_MAYMOVE));
	EXPECT_EQ(MAP_FAILED,
		  mremap(self->page, PAGE_BYTES, PAGE_BYTES, MREMAP_MAYMOVE | MREMAP_DONTUNMAP));
}

/* Moved, it is the same page and the same right. */
TEST_F(page, can_be_moved)
{
	void *other = mmap(NULL, PAGE_BYTES, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	struct pmudev_page *moved;
	__u64 before, after;

	ASSERT_NE(MAP_FAILED, other);
	ASSERT_EQ(0, direct_read(&self->reader, 0, &before));
	moved = mremap(self->page, PAGE_BYTES, PAGE_BYTES, MREMAP_MAYMOVE | MREMAP_FIXED, other);
	/* Forbidding it would do as well; the teardown reads from where it is. */
	if (moved != MAP_FAILED) {
		self->page = moved;
		self->reader.page = moved;
	}
	ASSERT_EQ(0, direct_read(&self->reader, 0, &after));
	EXPECT_GT(after, before);
}

/* Two mappings are two reasons to have the right: the last one to go takes it away. */
TEST_F(page, mapped_twice)
{
	__u32 operand = READ_ONCE(self->page->slots[0].operand);
	struct pmudev_page *second = pm_map(self->fd);
	struct reader reader;
	__u64 a, b;

	ASSERT_NE(NULL, second);
	reader = reader_of(second);
	ASSERT_EQ(0, direct_read(&self->reader, 0, &a));
	ASSERT_EQ(0, direct_read(&reader, 0, &b));
	EXPECT_LT(a, b);
	pm_unmap(second);
	EXPECT_FALSE(counter_faults(operand));
	ASSERT_EQ(0, direct_read(&self->reader, 0, &a));
	EXPECT_LT(b, a);
	pm_unmap(self->page);
	self->page = NULL;
	EXPECT_TRUE(counter_faults(operand));
}

/* The file can go, the mapping keeps the set. */
TEST_F(page, outlives_the_file)
{
	__u64 last = 0, value;
	int i;

	close(self->fd);
	self->fd = -1;
	for (i = 0; i < 1000; i++) {
		loop(1000);
		ASSERT_EQ(0, direct_read(&self->reader, 0, &value));
		ASSERT_GE(value, last + 1000);
		last = value;
	}
}

TEST_F(page, needs_an_event_for_it)
{
	struct pmudev_event_attr event = raw_event(EVENT_CYCLES, USER_ONLY);
	int fd = pm_set(&event, 1, true);

	ASSERT_GE(fd, 0);
	EXPECT_EQ(NULL, pm_map(fd));
	EXPECT_EQ(EINVAL, errno);
	EXPECT_EQ((__u32)PMUDEV_WHY_NO_USER_READ, why.code);
	close(fd);
}

/* ---------------------------------------------------------- what stands in it -- */

TEST_F(page, contents)
{
	const struct pmudev_page *page = self->page;
	struct pmudev_query query;
	unsigned int i;

	ASSERT_EQ(0, pm_query(&query));
	EXPECT_EQ((__u32)PMUDEV_ABI_VERSION, page->version);
	EXPECT_EQ(sizeof(*page), page->size);
	EXPECT_EQ(3U, page->nr_slots);
	EXPECT_EQ(my_tid(), READ_ONCE(page->owner));
	EXPECT_EQ(0U, READ_ONCE(page->seq) & 1);
	EXPECT_EQ(0U, page->reserved);
	for (i = 0; i < 3; i++) {
		const struct pmudev_slot *slot = &page->slots[i];

		EXPECT_TRUE(slot->flags & PMUDEV_SLOT_USED);
		EXPECT_FALSE(slot->flags & ~PMUDEV_SLOT_USED);
		EXPECT_EQ(i ? i + 4 : 0, slot->group);
	}
	for (i = 0; i < 2; i++) {
		const struct pmudev_slot *slot = &page->slots[i];
		unsigned int number = slot->index - 1;

		ASSERT_NE(0, slot->index);
		EXPECT_TRUE(query.available & query.user & 1ULL << number);
		EXPECT_EQ(operand_of(number), slot->operand);
		EXPECT_EQ(64 - (number < PMUDEV_FIXED_BASE ? query.width : query.width_fixed),
			  slot->shift);
	}
	EXPECT_NE(page->slots[0].index, page->slots[1].index);
	/* The event that did not ask is not told. */
	EXPECT_EQ(0, page->slots[2].index);
	EXPECT_FALSE(page->slots[3].flags & PMUDEV_SLOT_USED);
}

/* A page's size and no kernel memory behind it. */
TEST_F(page, ends_in_zeroes)
{
	const char *byte = (const char *)(self->page + 1);

	for (; byte < (const char *)self->page + PAGE_BYTES; byte++)
		ASSERT_EQ(0, *byte);
}

TEST_F(page, disabled_is_not_readable)
{
	__u32 operand = READ_ONCE(self->page->slots[0].operand);
	__u32 generation = READ_ONCE(self->page->generation);
	__u32 seq = READ_ONCE(self->page->seq);
	__u64 value;

	ASSERT_EQ(0, pm_disable(self->fd, 0));
	EXPECT_EQ(0, READ_ONCE(self->page->slots[0].index));
	EXPECT_NE(seq, READ_ONCE(self->page->seq));
	EXPECT_NE(generation, READ_ONCE(self->page->generation));
	EXPECT_EQ(-EAGAIN, direct_read(&self->reader, 0, &value));
	/* The other group goes on; and a late read of the counter does not fault. */
	EXPECT_EQ(0, direct_read(&self->reader, 1, &value));
	EXPECT_FALSE(counter_faults(operand));
	ASSERT_EQ(0, pm_enable(self->fd, 0));
	EXPECT_EQ(0, direct_read(&self->reader, 0, &value));
}

/* --------------------------------------------------------------- whose page -- */

struct other {
	struct _test_data_page *self;
	int direct, error;
	__u64 value;
	__u32 owner;
};

static void *another_thread(void *arg)
{
	struct other *other = arg;
	struct reader reader = reader_of(other->self->page);
	bool direct = true;

	other->owner = READ_ONCE(other->self->page->owner);
	other->error = read_either(other->self->fd, &reader, 0, &other->value, &direct);
	other->direct = direct;
	return NULL;
}

/* A second thread has the page before it and the right to read, but not the owner's name. */
TEST_F(page, another_thread_falls_back)
{
	struct other other = { .self = self };
	pthread_t thread;
	__u64 before, after;

	ASSERT_EQ(0, direct_read(&self->reader, 0, &before));
	ASSERT_EQ(0, pthread_create(&thread, NULL, another_thread, &other));
	ASSERT_EQ(0, pthread_join(thread, NULL));
	ASSERT_EQ(0, direct_read(&self->reader, 0, &after));
	EXPECT_EQ(0, other.error);
	EXPECT_EQ(0, other.direct);
	EXPECT_GT(other.value, before);
	EXPECT_LT(other.value, after);
	/* Either the owner runs elsewhere just now, or nobody does. */
	EXPECT_TRUE(other.owner == 0 || other.owner == self->reader.tid);
}

static void *map_for_the_owner(void *arg)
{
	struct _test_data_page *self = arg;

	return pm_map(self->fd);
}

/* Whichever thread of the process maps it, the page is its owner's to read. */
TEST_F(page, mapped_by_another_thread)
{
	struct pmudev_page *page;
	struct reader reader;
	pthread_t thread;
	__u64 value;

	pm_unmap(self->page);
	self->page = NULL;
	ASSERT_EQ(0, pthread_create(&thread, NULL, map_for_the_owner, self));
	ASSERT_EQ(0, pthread_join(thread, (void **)&page));
	ASSERT_NE(NULL, page);
	reader = reader_of(page);
	EXPECT_EQ(0, direct_read(&reader, 0, &value));
	pm_unmap(page);
}

/* A child has a page of zeroes there: it can look, finds nothing, and asks by read(2). */
TEST_F(page, a_forks_child_falls_back)
{
	int child = fork();

	if (!child) {
		struct reader reader = reader_of(self->page);
		const __u64 *word = (const __u64 *)self->page;
		union record record;
		__u64 value;
		long i;

		for (i = 0; i < PAGE_BYTES / 8; i++)
			if (word[i])
				_exit(1);
		if (direct_read(&reader, 0, &value) != -EAGAIN)
			_exit(2);
		if (pm_read(self->fd, &record) || !record.r.counts[0].value)
			_exit(3);
		/* And cannot make itself an owner by mapping anew. */
		if (pm_map(self->fd) || errno != EPERM || why.code != PMUDEV_WHY_NOT_OWNER)
			_exit(4);
		_exit(0);
	}
	EXPECT_EQ(0, child_result(child));
}

/* A vfork's child runs on its parent's memory, page and all, and is not the owner either. */
TEST_F(page, a_vforks_child_falls_back)
{
	int child = vfork();

	if (!child) {
		struct reader reader = reader_of(self->page);
		__u64 value;

		if (READ_ONCE(self->page->owner) == reader.tid)
			_exit(1);
		_exit(direct_read(&reader, 0, &value) == -EAGAIN ? 0 : 2);
	}
	EXPECT_EQ(0, child_result(child));
}

/* A page in perf's layout is locked memory of the user until the set is closed, mapped or not. */
TEST_F(page, of_perfs_layout_mapped_again)
{
	struct pmudev_event_attr events[] = {
		raw_event(EVENT_INSTRUCTIONS, DIRECT_READ),
		in_group(raw_event(EVENT_CYCLES, DIRECT_READ), 1),
	};
	struct rlimit limit = { PAGE_BYTES, PAGE_BYTES };
	void *page;
	int child, fd;

	child = fork_bound();
	if (!child) {
		fd = pm_set(events, 2, true);
		if (fd < 0 || setrlimit(RLIMIT_MEMLOCK, &limit) || setresgid(1000, 1000, 1000) ||
		    setresuid(1000, 1000, 1000))
			_exit(1);
		page = pm_map_perf(fd, 0);
		if (!page || munmap(page, PAGE_BYTES))
			_exit(2);
		if (!pm_map_perf(fd, 0))
			_exit(3);
		_exit(pm_map_perf(fd, 1) || why.code != PMUDEV_WHY_MEMLOCK ? 4 : 0);
	}
	EXPECT_EQ(0, child_result(child));
}

TEST_HARNESS_MAIN
