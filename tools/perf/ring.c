// SPDX-License-Identifier: MIT
/*
 * Rings of samples, as perf lays them out, in memory of this process: the handler of refresh.c
 * writes them in the counted thread.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <sched.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "calls.h"
#include "group.h"
#include "memory.h"
#include "real.h"
#include "refresh.h"
#include "table.h"

/* What a sample here can tell. The time is by perf's own clock. */
#define SERVED                                                                                     \
	(PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_ID | PERF_SAMPLE_STREAM_ID |               \
	 PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_CPU | PERF_SAMPLE_PERIOD)

/* As many as there are rings: munmap(2) asks. */
static atomic_uint rings;

/* Records that this library does not write, or writes otherwise. */
static bool has_more_records(const struct perf_event_attr *attr)
{
	return attr->sample_id_all || attr->write_backward || attr->mmap_data || attr->mmap2 ||
	       attr->comm_exec || attr->context_switch || attr->namespaces || attr->ksymbol ||
	       attr->bpf_event || attr->cgroup || attr->text_poke;
}

bool ring_can_be_written(const struct event *event, int prot)
{
	return event->period && !event->ring.begin && event->perf.exclude_kernel &&
	       event->perf.sample_type && !(event->perf.sample_type & ~(uint64_t)SERVED) &&
	       !has_more_records(&event->perf) && (prot & PROT_WRITE);
}

bool ring_is_told(const struct event *event)
{
	const struct overflow *overflow = &event->overflow;

	return overflow->async && overflow->tid == event->group->target.id;
}

void *ring_make(struct event *event, void *address, size_t size, int flags)
{
	struct perf_event_mmap_page *page;
	const size_t page_size = sysconf(_SC_PAGESIZE);

	page = real()->mmap(address, size, PROT_READ | PROT_WRITE, flags | MAP_ANONYMOUS, -1, 0);
	if (page == MAP_FAILED)
		return page;
	/* As perf's: no child has it. */
	madvise(page, size, MADV_DONTFORK);
	page->size = offsetof(struct perf_event_mmap_page, __reserved);
	page->data_offset = page_size;
	page->data_size = size - page_size;
	event->ring = (struct ring){ .begin = page, .size = size };
	atomic_fetch_add(&rings, 1);
	return page;
}

void ring_forget(struct event *event)
{
	event->ring = (struct ring){ .begin = NULL };
	atomic_fetch_sub(&rings, 1);
}

void *ring_map_perfs(const struct event *event, int fd)
{
	if (!event->ring.begin)
		return NULL;
	return real()->mmap(NULL, event->ring.size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
}

void ring_give_to_perf(struct event *event, void *perfs)
{
	const struct ring ring = event->ring;

	if (!perfs)
		return;
	ring_forget(event);
	/* Nothing is written in it yet. */
	if (real()->mremap(perfs, ring.size, ring.size, MREMAP_MAYMOVE | MREMAP_FIXED,
			   ring.begin) == MAP_FAILED)
		perf_explain_why("a ring of samples", "stays empty: it could not be moved");
}

static bool is_in_range(const struct ring *ring, const void *address, size_t size)
{
	const char *begin = address, *own = ring->begin;

	return own && own < begin + size && own + ring->size > begin;
}

/* One with a ring in these bytes, whose group is locked then: the first at or behind @fd. */
static struct event *find_ring(int *fd, const void *address, size_t size, struct held *held)
{
	struct group *group;
	struct event *event;

	for (; atomic_load(&rings) && *fd < table_end(); ++*fd) {
		event = table_find(*fd);
		group = event ? event_lock(event, *fd, held) : NULL;
		/* A child of fork(2) has nothing there. */
		if (group && !group_is_copy(group) && is_in_range(&event->ring, address, size))
			return event;
		if (group)
			group_unlock(group, held);
	}
	return NULL;
}

void ring_unmapped(void *address, size_t size)
{
	struct event *event;
	struct held held;
	int fd = 0;

	/* Else the call fails, and it stays. */
	if (!size || (uintptr_t)address % sysconf(_SC_PAGESIZE))
		return;
	while ((event = find_ring(&fd, address, size, &held))) {
		ring_forget(event);
		group_unlock(event->group, &held);
	}
}

void *ring_remap(void *address, size_t size, size_t new_size, int flags, void *to)
{
	struct event *event;
	struct held held;
	bool whole;
	void *ret;
	int fd = 0;

	event = find_ring(&fd, address, size ? size : 1, &held);
	if (!event)
		return real()->mremap(address, size, new_size, flags, to);
	whole = address == event->ring.begin && memory_in_pages(size) == event->ring.size &&
		memory_in_pages(new_size) == event->ring.size;
	/* Those of perf's cannot grow, or be mapped twice. */
	if (!whole && memory_in_pages(new_size) >= memory_in_pages(size)) {
		errno = EFAULT;
		ret = MAP_FAILED;
	} else {
		ret = real()->mremap(address, size, new_size, flags, to);
	}
	if (ret != MAP_FAILED && whole)
		event->ring.begin = ret;
	group_unlock(event->group, &held);
	/* Others that lie in it, and one that has lost its end */
	if (ret != MAP_FAILED && !whole)
		ring_unmapped(address, size);
	return ret;
}

/* ---------------------------------------------------------------------- records -- */

struct record {
	uint64_t words[12];
	unsigned int nr;
};

static void put(struct record *record, uint64_t word)
{
	record->words[record->nr++] = word;
}

static uint64_t two(uint32_t low, uint32_t high)
{
	return (uint64_t)high << 32 | low;
}

static void put_header(struct record *record, uint32_t type, uint16_t misc)
{
	record->nr = 0;
	put(record, two(type, misc));
}

/* In the order that perf has. */
static void put_sample(struct record *record, const struct event *event, uint64_t ip)
{
	const uint64_t type = event->perf.sample_type;

	put_header(record, PERF_RECORD_SAMPLE, PERF_RECORD_MISC_USER);
	if (type & PERF_SAMPLE_IDENTIFIER)
		put(record, event->id);
	if (type & PERF_SAMPLE_IP)
		put(record, ip);
	if (type & PERF_SAMPLE_TID)
		put(record, two(getpid(), real()->syscall(SYS_gettid)));
	if (type & PERF_SAMPLE_ID)
		put(record, event->id);
	if (type & PERF_SAMPLE_STREAM_ID)
		put(record, event->id);
	if (type & PERF_SAMPLE_CPU)
		put(record, two(sched_getcpu(), 0));
	if (type & PERF_SAMPLE_PERIOD)
		put(record, event->period);
}

/* False: there is no room. */
static bool write_record(const struct ring *ring, struct record *record)
{
	struct perf_event_mmap_page *page = ring->begin;
	char *data = (char *)page + page->data_offset;
	const uint64_t size = ring->size - page->data_offset, bytes = record->nr * sizeof(uint64_t);
	uint64_t head = page->data_head;
	unsigned int i;

	if (head + bytes - __atomic_load_n(&page->data_tail, __ATOMIC_ACQUIRE) > size)
		return false;
	record->words[0] |= bytes << 48;
	for (i = 0; i < record->nr; i++, head += sizeof(uint64_t))
		memcpy(data + (head & (size - 1)), &record->words[i], sizeof(uint64_t));
	__atomic_store_n(&page->data_head, head, __ATOMIC_RELEASE);
	return true;
}

void ring_put(struct event *event, uint64_t ip)
{
	struct ring *ring = &event->ring;
	struct record record;

	if (ring->lost) {
		put_header(&record, PERF_RECORD_LOST, 0);
		put(&record, event->id);
		put(&record, ring->lost);
		if (write_record(ring, &record))
			ring->lost = 0;
	}
	put_sample(&record, event, ip);
	if (ring->lost || !write_record(ring, &record)) {
		ring->lost++;
		event->lost++;
	}
}
