// SPDX-License-Identifier: MIT
/*
 * The C library's functions that read. perf's events have no place in their file, and one read(2)
 * for each part of a readv(2).
 */
#define _GNU_SOURCE
#include <limits.h>
#include <stdlib.h>
#include <sys/uio.h>
#include <unistd.h>

#include "calls.h"
#include "memory.h"
#include "real.h"

EXPORT ssize_t read(int fd, void *buf, size_t size)
{
	struct event *event = table_find(fd);
	ssize_t ret;

	if (!event)
		return real()->read(fd, buf, size);
	ret = perf_read(event, fd, buf, size);
	if (ret != -ESTALE)
		return call_result(ret);
	return call_is_known(fd, event) ? real()->read(fd, buf, size) : read(fd, buf, size);
}

/* What read(2) is where the compiler could not check @size; @room: of @buf */
EXPORT ssize_t __read_chk(int fd, void *buf, size_t size, size_t room)
{
	if (size > room)
		abort();
	return read(fd, buf, size);
}

/* Is it an event's, and not another file's that has its number? */
static bool is_of_event(int fd)
{
	struct event *event = table_find(fd);

	return event && event_is_there(event, fd);
}

static ssize_t read_parts(int fd, const struct iovec *parts, int nr)
{
	struct iovec part;
	ssize_t got, all = 0;
	int i;

	if (nr < 0 || nr > IOV_MAX)
		return call_result(-EINVAL);
	for (i = 0; i < nr; i++) {
		if (memory_read(&part, &parts[i], sizeof(part)))
			return call_result(-EFAULT);
		got = read(fd, part.iov_base, part.iov_len);
		if (got < 0)
			return all ? all : got;
		all += got;
		if ((size_t)got < part.iov_len)
			break;
	}
	return all;
}

EXPORT ssize_t readv(int fd, const struct iovec *parts, int nr)
{
	return is_of_event(fd) ? read_parts(fd, parts, nr) : real()->readv(fd, parts, nr);
}

static ssize_t no_place(off64_t offset)
{
	return call_result(offset < 0 ? -EINVAL : -ESPIPE);
}

EXPORT ssize_t pread64(int fd, void *buf, size_t size, off64_t offset)
{
	return is_of_event(fd) ? no_place(offset) : real()->pread(fd, buf, size, offset);
}

EXPORT ssize_t pread(int fd, void *buf, size_t size, off_t offset)
{
	return pread64(fd, buf, size, offset);
}

EXPORT ssize_t __pread64_chk(int fd, void *buf, size_t size, off64_t offset, size_t room)
{
	if (size > room)
		abort();
	return pread64(fd, buf, size, offset);
}

EXPORT ssize_t __pread_chk(int fd, void *buf, size_t size, off_t offset, size_t room)
{
	return __pread64_chk(fd, buf, size, offset, room);
}

EXPORT ssize_t preadv64(int fd, const struct iovec *parts, int nr, off64_t offset)
{
	return is_of_event(fd) ? no_place(offset) : real()->preadv(fd, parts, nr, offset);
}

EXPORT ssize_t preadv(int fd, const struct iovec *parts, int nr, off_t offset)
{
	return preadv64(fd, parts, nr, offset);
}

/* At -1 it is readv(2). perf knows none of the flags but the one about polling. */
EXPORT ssize_t preadv64v2(int fd, const struct iovec *parts, int nr, off64_t offset, int flags)
{
	if (!is_of_event(fd))
		return real()->preadv2(fd, parts, nr, offset, flags);
	if (offset != -1)
		return no_place(offset);
	return flags & ~RWF_HIPRI ? call_result(-EOPNOTSUPP) : readv(fd, parts, nr);
}

EXPORT ssize_t preadv2(int fd, const struct iovec *parts, int nr, off_t offset, int flags)
{
	return preadv64v2(fd, parts, nr, offset, flags);
}
