// SPDX-License-Identifier: MIT
/* mmap(2) of events: the page by which perf's programs read without a system call. */
#define _GNU_SOURCE
#include <errno.h>
#include <sys/mman.h>
#include <unistd.h>

#include "group.h"
#include "real.h"

/* The event in another slot, with @flags; the group is locked. 0 or -errno: it is in none. */
static int add_again(struct event *event, int fd, uint32_t flags)
{
	const uint32_t number = event->attr.group;
	union pmudev_record_buffer all;
	struct pmudev_refusal why;
	uint32_t slot;
	int error;

	if (event_in_set(event)) {
		set_control(fd, PMUDEV_IOC_DISABLE, number, PMUDEV_ALL, 0, &why);
		if (group_read(fd, &all.record) < 0)
			return -EBADF;
		event->base = event_count(event, &all.record);
		set_control(fd, PMUDEV_IOC_REMOVE, number, PMUDEV_ALL, 0, &why);
		atomic_store(&event->slot, NO_SLOT);
	}
	event->attr.flags = flags;
	error = set_add(fd, &event->attr, &slot, &why);
	if (error)
		return error;
	/* The page has the whole count; its times begin now. */
	set_control(fd, PMUDEV_IOC_RESET, PMUDEV_ALL, slot, event->base.value, &why);
	event->base.value = 0;
	atomic_store(&event->slot, slot);
	return event->counting ? set_control(fd, PMUDEV_IOC_ENABLE, number, PMUDEV_ALL, 0, &why) :
				 0;
}

/* Only a thread's own events have pages, and those of which no child has a copy. */
static bool may_read(const struct event *event)
{
	const struct group *group = event->group;
	struct pmudev_query query;

	return event_in_set(event) && !event->signals && !group->multiplexed &&
	       group->process == perf_process && group->target.kind == PMUDEV_TARGET_TASK &&
	       !group->target.flags && set_query(&query) && query.features & PMUDEV_HAS_USER_READ &&
	       query.state & PMUDEV_STATE_USER_ACCESS;
}

/* The group is locked. */
static void *map_page(struct event *event, void *address, int flags, int fd)
{
	struct group *group = event->group;
	const uint32_t old = event->attr.flags;

	if (!may_read(event))
		return MAP_FAILED;
	if (!(old & PMUDEV_USER_READ)) {
		atomic_fetch_add(&group->changes, 1);
		if (add_again(event, fd, old | PMUDEV_USER_READ))
			add_again(event, fd, old);
		atomic_fetch_add(&group->changes, 1);
	}
	return set_map(fd, atomic_load(&event->slot), address, flags & MAP_FIXED);
}

void *perf_map(struct event *event, void *address, size_t size, int prot, int flags, int fd)
{
	void *page = MAP_FAILED;
	struct held held;

	if (size > (size_t)sysconf(_SC_PAGESIZE)) {
		if (!perf_hand_over(event))
			return real()->mmap(address, size, prot, flags, fd, 0);
	} else {
		group_lock(event->group, &held);
		page = map_page(event, address, flags, fd);
		group_unlock(event->group, &held);
	}
	if (page != MAP_FAILED)
		return page;
	/* No capability, no index, and no samples */
	return real()->mmap(address, size, prot | PROT_READ, flags | MAP_ANONYMOUS, -1, 0);
}
