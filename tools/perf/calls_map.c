// SPDX-License-Identifier: MIT
/* The C library's functions that map memory */
#define _GNU_SOURCE
#include <sys/mman.h>
#include <unistd.h>

#include "calls.h"
#include "real.h"

EXPORT void *mmap64(void *address, size_t size, int prot, int flags, int fd, off64_t offset)
{
	struct event *event = flags & MAP_ANONYMOUS || offset ? NULL : table_find(fd);
	void *ret;

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
