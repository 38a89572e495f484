// SPDX-License-Identifier: MIT
/* The C library's functions that map memory. Rings of samples are this library's to write. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdarg.h>
#include <sys/mman.h>
#include <unistd.h>

#include "calls.h"
#include "real.h"

EXPORT void *mmap64(void *address, size_t size, int prot, int flags, int fd, off64_t offset)
{
	struct event *event = flags & MAP_ANONYMOUS || offset ? NULL : table_find(fd);
	void *ret;

	/* What was there is gone, also if the file cannot be mapped. */
	if (flags & MAP_FIXED && (flags & MAP_ANONYMOUS || real()->fcntl(fd, F_GETFD) >= 0))
		ring_unmapped(address, size);
	if (!event)
		return real()->mmap(address, size, prot, flags, fd, offset);
	ret = perf_map(event, address, size, prot, flags, fd);
	if (ret != MAP_FAILED || errno != ESTALE)
		return ret;
	return call_is_known(fd, event) ? real()->mmap(address, size, prot, flags, fd, offset) :
					  mmap64(address, size, prot, flags, fd, offset);
}

EXPORT void *mmap(void *address, size_t size, int prot, int flags, int fd, off_t offset)
{
	return mmap64(address, size, prot, flags, fd, offset);
}

EXPORT int munmap(void *address, size_t size)
{
	ring_unmapped(address, size);
	return real()->munmap(address, size);
}

EXPORT void *mremap(void *address, size_t size, size_t new_size, int flags, ...)
{
	void *to;
	va_list args;

	va_start(args, flags);
	to = va_arg(args, void *);
	va_end(args);
	/* Else it fails: they may not overlap. */
	if (flags & MREMAP_FIXED &&
	    ((char *)to >= (char *)address + size || (char *)to + new_size <= (char *)address))
		ring_unmapped(to, new_size);
	return ring_remap(address, size, new_size, flags, to);
}
