/* SPDX-License-Identifier: MIT */
/* What calls.c makes of a program's calls; where no file is named, it is control.c or event.c. */
#ifndef CALLS_H
#define CALLS_H

#include <errno.h>

#include "event.h"
#include "table.h"

#define EXPORT __attribute__((visibility("default")))

/* @ret: or -errno */
static inline long call_result(long ret)
{
	if (ret >= 0)
		return ret;
	errno = -ret;
	return -1;
}

/*
 * Still the event's after -ESTALE: in a child of vfork(2), which has the table of its parent and
 * has closed the descriptor, or it became perf's and keeps its identifier. It is the C library's.
 */
static inline bool call_is_known(int fd, const struct event *event)
{
	return table_find(fd) == event && (perf_is_borrowed() || atomic_load(&event->given));
}

/*
 * perf_event_open(2). False: it is for perf. @ret: out: a descriptor, which is in the table, or
 * -errno.
 */
bool perf_open(const struct perf_event_attr *from, pid_t pid, int cpu, int leader_fd,
	       unsigned long flags, int *ret);

/* The last one was closed. @fd: one of others of the group, -1: there is none. Locked. */
void perf_close(struct event *event, int fd);

/*
 * handover.c: the event's group becomes perf's, with what fcntl(2) has set and the rings: 0 or
 * -errno, and all is as it was. @what: was refused then, and the user is told why; NULL: it goes on
 * without perf.
 */
int perf_hand_over(struct event *event, int fd, const char *what);
/* Does nothing of it stand against that? True, too, if it is perf's, or gone. */
bool perf_may_hand_over(struct event *event, int fd);

/*
 * page.c: mmap(2) of its descriptor at offset 0: a page in perf's layout, a ring, or memory that
 * tells the program to use read(2). MAP_FAILED and errno; ESTALE: as event_lock()
 */
void *perf_map(struct event *event, void *address, size_t size, int prot, int flags, int fd);

/*
 * signals.c: fcntl(2): F_SETSIG, F_SETOWN, F_SETOWN_EX, F_SETFL; after the C library's own. 0 or
 * -errno
 */
int perf_set_owner(struct event *event, int fd, int command, unsigned long arg);
/* The same of F_GETSIG and F_GETFL, of which @told is what the C library's own said */
int perf_get_owner(struct event *event, int fd, int command, int told);
/* refresh.c: PERF_EVENT_IOC_REFRESH. -EOPNOTSUPP: only perf can */
int perf_refresh(struct event *event, int fd, int limit);
/* ring.c: munmap(2) of these bytes; rings there are written no more. */
void ring_unmapped(void *address, size_t size);
/* ring.c: mremap(2): a ring that is moved as a whole is written at its new place. */
void *ring_remap(void *address, size_t size, size_t new_size, int flags, void *to);
/* PERF_EVENT_IOC_PERIOD */
int perf_set_period(struct event *event, int fd, uint64_t period);

/*
 * read.c: read(2): return bytes or -errno. May be called by signal handlers. Takes no lock but the
 * group's, and that only beside changes of the group that take long.
 */
ssize_t perf_read(struct event *event, int fd, void *buf, size_t size);

/* read.c: the same as event_is_there(), by a read; the group is locked. */
bool perf_is_its(const struct event *event, int fd);

/* ioctl(2): 0 or -errno. */
int perf_control(struct event *event, int fd, unsigned long request, unsigned long arg);

/* The event for itself, as prctl(2) wants. */
int perf_enable(struct event *event, int fd, bool on);

#endif /* CALLS_H */
