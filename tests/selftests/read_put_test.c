// SPDX-License-Identifier: GPL-2.0
/*
 * Where read(2) puts its record: into the caller's memory, whatever state that is in, and nowhere
 * else. All events of the sets count all the time: such records take a way of their own.
 */
#include <sys/mman.h>
#include <sys/wait.h>

#include "common.h"
#include "kselftest_harness.h"

#define NR   4
#define SIZE (sizeof(struct pmudev_record) + NR * sizeof(struct pmudev_count))
#define TAG  0x1234567800000000ULL

/* The counters that can count it are not all there are. */
static void fill(struct pmudev_event_attr *events, unsigned int nr)
{
	unsigned int i;

	for (i = 0; i < nr; i++) {
		events[i] = raw_event(EVENT_INSTRUCTIONS, USER_ONLY);
		events[i].tag = TAG + i;
	}
}

/* What such a record is to say beside counts and times, which are all the same. */
static void expect_whole(struct __test_metadata *_metadata, const struct pmudev_record *r,
			 unsigned int nr)
{
	unsigned int i;

	EXPECT_EQ(sizeof(*r) + nr * sizeof(r->counts[0]), r->size);
	EXPECT_EQ(nr, r->nr);
	EXPECT_EQ(PMUDEV_RECORD_ENABLED, r->flags);
	EXPECT_EQ((1ULL << nr) - 1, r->present);
	EXPECT_EQ(0, r->multiplexed);
	EXPECT_EQ(0, r->reserved);
	EXPECT_GT(r->time_enabled, 0);
	EXPECT_EQ(r->time_enabled, r->time_running);
	for (i = 0; i < nr; i++) {
		EXPECT_EQ(TAG + i, r->counts[i].tag);
		EXPECT_GT(r->counts[i].value, 0);
		EXPECT_EQ(r->counts[0].value, r->counts[i].value);
		EXPECT_EQ(r->time_enabled, r->counts[i].time_enabled);
		EXPECT_EQ(r->time_running, r->counts[i].time_running);
	}
}

static void *anonymous(size_t bytes)
{
	return mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
}

FIXTURE(put)
{
	int fd;
	char *memory; /* two pages, not there yet */
};

FIXTURE_SETUP(put)
{
	struct pmudev_event_attr events[NR];

	fill(events, NR);
	self->fd = pm_set(events, NR, true);
	ASSERT_GE(self->fd, 0);
	self->memory = anonymous(2 * PAGE_BYTES);
	ASSERT_NE(MAP_FAILED, self->memory);
}

FIXTURE_TEARDOWN(put)
{
	munmap(self->memory, 2 * PAGE_BYTES);
	close(self->fd);
}

TEST_F(put, where_nothing_is_yet)
{
	struct pmudev_record *r = (void *)self->memory;

	ASSERT_EQ(SIZE, read(self->fd, r, SIZE));
	expect_whole(_metadata, r, NR);
}

/* The first page is there, the second one not: some is put, then all of it again. */
TEST_F(put, across_a_page_that_is_not_there)
{
	struct pmudev_record *r = (void *)(self->memory + PAGE_BYTES - SIZE / 2);

	self->memory[0] = 1;
	ASSERT_EQ(SIZE, read(self->fd, r, SIZE));
	expect_whole(_metadata, r, NR);
}

TEST_F(put, at_odd_addresses)
{
	struct pmudev_record r;
	char room[SIZE + 16];
	union record record;
	unsigned int i;

	for (i = 1; i < 16; i++) {
		memset(room, 0xaa, sizeof(room));
		ASSERT_EQ(SIZE, read(self->fd, room + i, SIZE));
		memcpy(&record, room + i, SIZE);
		r = record.r;
		EXPECT_EQ(SIZE, r.size);
		expect_whole(_metadata, &record.r, NR);
		EXPECT_EQ((char)0xaa, room[i - 1]);
		EXPECT_EQ((char)0xaa, room[i + SIZE]);
	}
}

/* Nothing is lost by a record that could not be put: the next one has it. */
TEST_F(put, where_it_cannot_be)
{
	struct pmudev_record *r = (void *)(self->memory + PAGE_BYTES - SIZE / 2);
	union record record;

	self->memory[0] = 1;
	ASSERT_EQ(0, mprotect(self->memory + PAGE_BYTES, PAGE_BYTES, PROT_READ));
	EXPECT_EQ(-1, read(self->fd, r, SIZE));
	EXPECT_EQ(EFAULT, errno);
	ASSERT_EQ(0, munmap(self->memory + PAGE_BYTES, PAGE_BYTES));
	EXPECT_EQ(-1, read(self->fd, r, SIZE));
	EXPECT_EQ(EFAULT, errno);
	EXPECT_EQ(-1, read(self->fd, (void *)-PAGE_BYTES, SIZE));
	EXPECT_EQ(EFAULT, errno);
	ASSERT_EQ(0, pm_read(self->fd, &record));
	expect_whole(_metadata, &record.r, NR);
}

TEST_F(put, into_too_little_room)
{
	union record record;

	memset(&record, 0xaa, sizeof(record));
	EXPECT_EQ(-1, read(self->fd, &record, SIZE - 1));
	EXPECT_EQ(ENOSPC, errno);
	EXPECT_EQ((char)0xaa, record.room[0]);
	ASSERT_EQ(SIZE, read(self->fd, &record, SIZE));
	expect_whole(_metadata, &record.r, NR);
	EXPECT_EQ((char)0xaa, record.room[SIZE]);
}

/* What has changed since the last record. */
TEST_F(put, after_changes)
{
	struct pmudev_event_attr more = in_group(raw_event(EVENT_CYCLES, USER_ONLY), 1);
	struct pmudev_query query;
	union record record;

	ASSERT_EQ(0, pm_query(&query));
	if (__builtin_popcountll(query.available) <= NR)
		SKIP(return, "needs %u counters", NR + 1);
	ASSERT_EQ(0, pm_read(self->fd, &record));
	expect_whole(_metadata, &record.r, NR);
	ASSERT_EQ(0, pm_add(self->fd, &more, 1));
	ASSERT_EQ(0, pm_read(self->fd, &record));
	EXPECT_EQ(NR + 1, record.r.nr);
	EXPECT_EQ(0, record.r.counts[NR].value);
	EXPECT_EQ(0, record.r.counts[NR].time_enabled);
	EXPECT_GT(record.r.counts[0].value, 0);
	ASSERT_EQ(0, pm_enable(self->fd, 1));
	ASSERT_EQ(0, pm_read(self->fd, &record));
	EXPECT_GT(record.r.counts[NR].value, 0);
	EXPECT_LT(record.r.counts[NR].value, record.r.counts[0].value);
	EXPECT_LT(record.r.counts[NR].time_enabled, record.r.counts[0].time_enabled);
	ASSERT_EQ(0, pm_disable(self->fd, 0));
	ASSERT_EQ(0, pm_read(self->fd, &record));
	EXPECT_EQ(PMUDEV_RECORD_ENABLED, record.r.flags);
	ASSERT_EQ(0, pm_remove(self->fd, 0));
	ASSERT_EQ(0, pm_read(self->fd, &record));
	EXPECT_EQ(1ULL << NR, record.r.present);
	EXPECT_EQ(0, record.r.counts[0].tag);
	ASSERT_EQ(0, pm_disable(self->fd, PMUDEV_ALL));
	ASSERT_EQ(0, pm_read(self->fd, &record));
	EXPECT_EQ(0, record.r.flags);
}

/* ------------------------------------------- of somebody on another CPU -- */

/* At the same address in two processes. */
#define PATTERN 0x5a

struct shared {
	int ready;
	int stop;
};

static int untouched(const char *memory)
{
	size_t i;

	for (i = 0; i < (size_t)PAGE_BYTES; i++)
		if (memory[i] != PATTERN)
			return 1;
	return 0;
}

static int be_counted(struct shared *shared, char *memory)
{
	if (pin_to(1))
		return 2;
	memset(memory, PATTERN, PAGE_BYTES);
	WRITE_ONCE(shared->ready, 1);
	while (!READ_ONCE(shared->stop))
		loop(100);
	return untouched(memory);
}

TEST(of_another_process_that_runs)
{
	struct pmudev_event_attr events[NR];
	struct shared *shared;
	int fd, child, status;
	char *memory;
	unsigned int i;

	if (cpus_online() < 2)
		SKIP(return, "a second CPU");
	shared = mmap(NULL, PAGE_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	ASSERT_NE(MAP_FAILED, shared);
	memory = anonymous(PAGE_BYTES);
	ASSERT_NE(MAP_FAILED, memory);
	memset(memory, 0, PAGE_BYTES);
	ASSERT_EQ(0, pin_to(0));
	child = fork();
	if (!child)
		_exit(be_counted(shared, memory));
	while (!READ_ONCE(shared->ready))
		sched_yield();
	fill(events, NR);
	fd = pm_attach(child, 0, events, NR, true);
	ASSERT_GE(fd, 0);
	for (i = 0; i < 1000; i++) {
		memset(memory, 0, SIZE);
		ASSERT_EQ(SIZE, read(fd, memory, SIZE));
		ASSERT_EQ(SIZE, ((struct pmudev_record *)memory)->size);
		ASSERT_EQ(TAG + NR - 1, ((struct pmudev_record *)memory)->counts[NR - 1].tag);
	}
	WRITE_ONCE(shared->stop, 1);
	ASSERT_EQ(child, waitpid(child, &status, 0));
	EXPECT_EQ(0, status);
	close(fd);
	munmap(memory, PAGE_BYTES);
	munmap(shared, PAGE_BYTES);
}

TEST_HARNESS_MAIN
