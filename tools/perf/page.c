// SPDX-License-Identifier: MIT
/* mmap(2) of events: the page by which perf's programs read without a system call. */
#define _GNU_SOURCE
#include <errno.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "calls.h"
#include "group.h"
#include "memory.h"
#include "real.h"
#include "refresh.h"
#include "set.h"

/* Only a thread's own events have pages, and no child has a copy of them. */
static bool may_read(const struct event *event)
{
	const struct group *group = event->group;
	struct pmudev_query query;

	return event_in_set(event) && !event->signals && !group->multiplexed &&
	       group->process == getpid() && group->target.kind == PMUDEV_TARGET_TASK &&
	       group->target.id == real()->syscall(SYS_gettid) && !group->target.flags &&
	       set_query(&query) && query.features & PMUDEV_HAS_USER_READ &&
	       query.state & PMUDEV_STATE_USER_ACCESS;
}

/* The group is locked. */
static void *map_page(struct event *event, void *address, int flags, int fd)
{
	struct group *group = event->group;
	const uint32_t old = event->attr.flags;
	const bool counting = event->counting;
	struct pmudev_refusal why;
	void *page = MAP_FAILED;

	if (!may_read(event))
		return MAP_FAILED;
	atomic_fetch_add(&group->changes, 1);
	if ((old & PMUDEV_USER_READ) || !event_add_again(event, fd, old | PMUDEV_USER_READ, &why))
		page = set_map(fd, atomic_load(&event->slot), address,
			       flags & (MAP_FIXED | MAP_FIXED_NOREPLACE | MAP_POPULATE));
	/* As it was. Without a counter now it counts no more, and read(2) says so. */
	if (page == MAP_FAILED && !(old & PMUDEV_USER_READ)) {
		event->counting = counting;
		if (event_add_again(event, fd, old, &why))
			atomic_store(&event->failed, true);
	}
	atomic_fetch_add(&group->changes, 1);
	return page;
}

/*
 * A ring that this library can write; its overflows are told to it from now on, or with @later as
 * soon as they are told to the counted thread.
 */
static void *map_ring(struct event *event, void *address, size_t size, int prot, int flags, int fd,
		      bool later)
{
	void *ring = MAP_FAILED;
	struct group *group;
	struct held held;

	if (!refresh_may_begin(event))
		return MAP_FAILED;
	group = event_lock(event, fd, &held);
	if (!group)
		return MAP_FAILED;
	if (event_in_set(event) && ring_can_be_written(event, prot) &&
	    (later || ring_is_told(event)))
		ring = ring_make(event, address, size, flags);
	if (ring != MAP_FAILED && !later && refresh_begin(event, fd, 0)) {
		ring_forget(event);
		real()->munmap(ring, size);
		ring = MAP_FAILED;
	}
	group_unlock(group, &held);
	return ring;
}

static void *failed(int error)
{
	errno = -error;
	return MAP_FAILED;
}

/* Nothing of it is ever written. */
static void *map_nothing(void *address, size_t size, int prot, int flags)
{
	return real()->mmap(address, size, prot | PROT_READ, flags | MAP_ANONYMOUS, -1, 0);
}

/*
 * A ring that this library writes, or perf. Where neither can, the program must know, unless there
 * are no samples.
 */
static void *map_samples(struct event *event, void *address, size_t size, int prot, int flags,
			 int fd, bool sampled)
{
	void *ring = map_ring(event, address, size, prot, flags, fd, false);
	int error;

	if (ring != MAP_FAILED)
		return ring;
	error = perf_hand_over(event, fd, NULL);
	if (!error)
		return real()->mmap(address, size, prot, flags, fd, 0);
	if (error == -ESTALE)
		return failed(error);
	/* perf has none of it either. */
	if (!sampled)
		return map_nothing(address, size, prot, flags);
	/* PAPI tries its events, maps the ring, and then says who is told. */
	ring = map_ring(event, address, size, prot, flags, fd, true);
	if (ring != MAP_FAILED) {
		perf_explain_why("mmap()", "the ring has samples when the counted thread is told "
					   "of each overflow (F_SETOWN_EX, O_ASYNC)");
		return ring;
	}
	error = perf_hand_over(event, fd, "mmap()");
	return error ? failed(error) : real()->mmap(address, size, prot, flags, fd, 0);
}

/*
 * What perf refuses, of whole pages. One of them is the first of a ring; then there are none or a
 * power of two. @sampled: out: it has a period. 0 or -errno; -ESTALE: as event_lock()
 */
static int check_map(struct event *event, size_t size, int flags, int fd, bool *sampled)
{
	const size_t nr = size / sysconf(_SC_PAGESIZE) - 1;
	struct held held;
	struct group *group = event_lock(event, fd, &held);
	bool refused;

	if (!group)
		return -ESTALE;
	refused = !(flags & MAP_SHARED) || (nr & (nr - 1)) ||
		  (event->perf.inherit && group->target.kind == PMUDEV_TARGET_TASK) ||
		  (event->ring.begin && event->ring.size != size);
	*sampled = event->period;
	group_unlock(group, &held);
	return refused ? -EINVAL : 0;
}

void *perf_map(struct event *event, void *address, size_t size, int prot, int flags, int fd)
{
	const size_t all = memory_in_pages(size);
	struct group *group;
	struct held held;
	bool sampled;
	void *page;
	int error;

	/* Another file may have its number by now. */
	if (!all || !fd_is_set(fd))
		return real()->mmap(address, size, prot, flags, fd, 0);
	error = check_map(event, all, flags, fd, &sampled);
	if (error)
		return failed(error);
	if (all > memory_in_pages(1))
		return map_samples(event, address, all, prot, flags, fd, sampled);
	/* Also if it was asked for to be written, as libperf does: that is for rings. */
	group = event_lock(event, fd, &held);
	if (!group)
		return failed(-ESTALE);
	page = map_page(event, address, flags, fd);
	group_unlock(group, &held);
	/* Else one with no capability and no index */
	return page != MAP_FAILED ? page : map_nothing(address, all, prot, flags);
}
