// SPDX-License-Identifier: MIT
/*
 * Reading: the mapping, the record, and the choice between direct read and read(2).
 */
#include <errno.h>
#include <pthread.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "lib.h"

/* -------------------------------------------------------------- the thread's id -- */

__thread uint32_t pmudev_cached_tid __attribute__((__tls_model__("initial-exec"))) = PMUDEV_NO_TID;

bool pmudev_learn_tid(void)
{
	uint32_t tid = syscall(SYS_gettid);

	if (tid == pmudev_cached_tid)
		return false;
	pmudev_cached_tid = tid;
	return true;
}

static void forget_tid(void)
{
	pmudev_cached_tid = PMUDEV_NO_TID;
}

/*
 * A fork's child is a new thread with a copy of this storage. Clear the parent's id there: when the
 * parent is gone, another thread of the child can get that id.
 */
static __attribute__((__constructor__)) void forget_tid_in_children(void)
{
	pthread_atfork(NULL, NULL, forget_tid);
}

bool pmudev_learnt_owner(const struct pmudev_page *page)
{
	uint32_t owner = pmudev_head(page) >> 32;

	return owner && owner != pmudev_cached_tid && pmudev_learn_tid() &&
	       owner == pmudev_cached_tid;
}

/* --------------------------------------------------------------------- mapping -- */

int pmudev_map(struct pmudev *set)
{
	size_t size = sysconf(_SC_PAGESIZE);
	int error = pmudev_usable(set);
	void *page;

	if (error)
		return error;
	if (set->page)
		return 0;
	pmudev_learn_tid();
	page = mmap(NULL, size, PROT_READ, MAP_SHARED | MAP_POPULATE, set->fd, 0);
	if (page == MAP_FAILED)
		return pmudev_fail_why(set, -errno);
	set->page = page;
	set->page_size = size;
	return 0;
}

void pmudev_unmap(struct pmudev *set)
{
	void *page;

	if (!set || !set->page)
		return;
	page = (void *)set->page;
	set->page = NULL;
	munmap(page, set->page_size);
}

/* ------------------------------------------------------------------- by a call -- */

static int read_or_fail(struct pmudev *set, struct pmudev_record *record, size_t size)
{
	ssize_t got;

	do {
		got = read(set->fd, record, size);
	} while (got < 0 && errno == EINTR);
	if (got < 0)
		return pmudev_fail_why(set, -errno);
	if ((size_t)got < sizeof(*record))
		return pmudev_fail(set, -EIO, PMUDEV_OK);
	return 0;
}

/* Keep errno: a signal handler may read. */
int pmudev_read(struct pmudev *set, struct pmudev_record *record, size_t size)
{
	const int before = errno;
	int error = pmudev_usable(set);

	if (error)
		return error;
	error = read_or_fail(set, record, size);
	errno = before;
	return error;
}

/* At most PMUDEV_MAX_READ_SETS. False: it failed, or this module has no such call. */
static bool read_at_once(struct pmudev *sets, unsigned int nr, union pmudev_record_buffer *records)
{
	int32_t fds[PMUDEV_MAX_READ_SETS];
	struct pmudev_read_sets call = {
		.size = sizeof(call),
		.nr = nr,
		.record_size = sizeof(*records),
		.fds = (uintptr_t)fds,
		.records = (uintptr_t)records,
	};
	unsigned int i;

	for (i = 0; i < nr; i++) {
		if (pmudev_usable(&sets[i]))
			return false;
		fds[i] = sets[i].fd;
	}
	return !ioctl(sets[0].fd, PMUDEV_IOC_READ_SETS, &call);
}

int pmudev_read_sets(struct pmudev *sets, unsigned int nr, union pmudev_record_buffer *records)
{
	const int before = errno;
	unsigned int i, n;
	int error = 0;

	if (!sets || !records)
		return -EFAULT;
	for (; nr && !error; sets += n, records += n, nr -= n) {
		n = nr < PMUDEV_MAX_READ_SETS ? nr : PMUDEV_MAX_READ_SETS;
		/* One after the other: then the set that fails has the reason. */
		if (!read_at_once(sets, n, records))
			for (i = 0; i < n && !error; i++)
				error = pmudev_read(&sets[i], &records[i].record, sizeof(*records));
	}
	errno = before;
	return error;
}

static int read_record(struct pmudev *set, uint64_t *values, unsigned int n,
		       struct pmudev_times *times)
{
	union pmudev_record_buffer buffer;
	struct pmudev_record *record = &buffer.record;
	unsigned int i;
	int error;

	error = pmudev_read(set, record, sizeof(buffer));
	if (error)
		return error;
	if (!values && n)
		return pmudev_fail(set, -EFAULT, PMUDEV_WHY_POINTER);
	if (n > record->nr)
		return pmudev_fail(set, -EINVAL, PMUDEV_WHY_SLOT);
	for (i = 0; i < n; i++)
		values[i] = record->present >> i & 1 ? record->counts[i].value : 0;
	if (times) {
		times->enabled = record->time_enabled;
		times->running = record->time_running;
	}
	return 0;
}

static int record_count(struct pmudev *set, unsigned int slot, uint64_t *value)
{
	union pmudev_record_buffer buffer;
	int error;

	error = pmudev_read(set, &buffer.record, sizeof(buffer));
	if (error)
		return error;
	if (!value)
		return pmudev_fail(set, -EFAULT, PMUDEV_WHY_POINTER);
	if (slot >= buffer.record.nr || !(buffer.record.present >> slot & 1))
		return pmudev_fail(set, -EINVAL, PMUDEV_WHY_SLOT);
	*value = buffer.record.counts[slot].value;
	return 0;
}

/* -------------------------------------------------------------- all kinds of slots -- */

/* Of a slot whose event is on a counter, or on two. */
static uint64_t slot_count(const struct pmudev_slot *slot)
{
	if (slot->flags & PMUDEV_SLOT_CHAIN)
		return pmudev_join(slot, pmudev_counter_chained(slot->operand));
	return pmudev_join(slot, pmudev_counter(slot->operand));
}

bool pmudev_page_count_slow(const struct pmudev_page *page, unsigned int slot, uint64_t *value)
{
	struct pmudev_slot s;
	uint64_t head, count;

	if (!PMUDEV_CAN_READ)
		return false;
	do {
		head = pmudev_head(page);
		if (head >> 32 != pmudev_cached_tid)
			return false;
		__atomic_signal_fence(__ATOMIC_ACQUIRE);
		s = page->slots[slot];
		if (!s.index)
			return false;
		count = slot_count(&s);
	} while (pmudev_head(page) != head);
	*value = count;
	return true;
}

bool pmudev_page_counts_slow(const struct pmudev_page *page, uint64_t *values, unsigned int n,
			     struct pmudev_times *times)
{
	uint64_t head;
	unsigned int i;

	if (!PMUDEV_CAN_READ)
		return false;
	do {
		bool counting = false;

		head = pmudev_head(page);
		if (head >> 32 != pmudev_cached_tid)
			return false;
		__atomic_signal_fence(__ATOMIC_ACQUIRE);
		if (times && !pmudev_page_has_times(page))
			return false;
		for (i = 0; i < n; i++) {
			const struct pmudev_slot s = page->slots[i];

			if (!s.index && (s.flags & PMUDEV_SLOT_USED || i >= page->nr_slots))
				return false;
			values[i] = s.index ? slot_count(&s) : 0;
			counting |= !!s.index;
		}
		if (times) {
			if (!counting)
				return false;
			pmudev_page_times(page, times);
		}
		__atomic_signal_fence(__ATOMIC_ACQ_REL);
	} while (pmudev_head(page) != head);
	return true;
}

/* --------------------------------------------------------- directly or by read(2) -- */

bool pmudev_try_count(struct pmudev *set, unsigned int slot, uint64_t *value)
{
	const struct pmudev_page *page = set->page;

	if (!page || slot >= PMUDEV_MAX_EVENTS)
		return false;
	return pmudev_page_count(page, slot, value) ||
	       (pmudev_learnt_owner(page) && pmudev_page_count_slow(page, slot, value));
}

/*
 * The inline read once more, for callers that cannot have it: other languages, and numbers that
 * are no constants.
 */
static __attribute__((__noinline__)) bool page_counts(const struct pmudev_page *page,
						      uint64_t *values, unsigned int n,
						      struct pmudev_times *times)
{
	switch (n) {
	case 1:
		return pmudev_page_get(page, values, 0, 1, times);
	case 2:
		return pmudev_page_get(page, values, 0, 2, times);
	case 3:
		return pmudev_page_get(page, values, 0, 3, times);
	case 4:
		return pmudev_page_get(page, values, 0, 4, times);
	default:
		return false;
	}
}

bool pmudev_try_counts(struct pmudev *set, uint64_t *values, unsigned int n,
		       struct pmudev_times *times)
{
	const struct pmudev_page *page = set->page;

	if (!page || n > PMUDEV_MAX_EVENTS)
		return false;
	return page_counts(page, values, n, times) ||
	       pmudev_page_counts_slow(page, values, n, times) ||
	       (pmudev_learnt_owner(page) && pmudev_page_counts_slow(page, values, n, times));
}

int pmudev_read_count_slow(struct pmudev *set, unsigned int slot, uint64_t *value)
{
	if (pmudev_try_count(set, slot, value))
		return 0;
	return record_count(set, slot, value);
}

int pmudev_read_counts_slow(struct pmudev *set, uint64_t *values, unsigned int n,
			    struct pmudev_times *times)
{
	if (pmudev_try_counts(set, values, n, times))
		return 0;
	return read_record(set, values, n, times);
}
