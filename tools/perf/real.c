// SPDX-License-Identifier: MIT
#define _GNU_SOURCE
#include <dlfcn.h>

#include "real.h"

struct real real_found;
atomic_bool real_ready;

void real_find(void)
{
	/* Data becomes a function by dlsym(3)'s own rules. */
	*(void **)&real_found.syscall = dlsym(RTLD_NEXT, "syscall");
	*(void **)&real_found.ioctl = dlsym(RTLD_NEXT, "ioctl");
	*(void **)&real_found.read = dlsym(RTLD_NEXT, "read");
	*(void **)&real_found.pread = dlsym(RTLD_NEXT, "pread64");
	*(void **)&real_found.readv = dlsym(RTLD_NEXT, "readv");
	*(void **)&real_found.preadv = dlsym(RTLD_NEXT, "preadv64");
	*(void **)&real_found.preadv2 = dlsym(RTLD_NEXT, "preadv64v2");
	*(void **)&real_found.close = dlsym(RTLD_NEXT, "close");
	*(void **)&real_found.fclose = dlsym(RTLD_NEXT, "fclose");
	*(void **)&real_found.mmap = dlsym(RTLD_NEXT, "mmap64");
	*(void **)&real_found.munmap = dlsym(RTLD_NEXT, "munmap");
	*(void **)&real_found.mremap = dlsym(RTLD_NEXT, "mremap");
	*(void **)&real_found.dup = dlsym(RTLD_NEXT, "dup");
	*(void **)&real_found.dup2 = dlsym(RTLD_NEXT, "dup2");
	*(void **)&real_found.dup3 = dlsym(RTLD_NEXT, "dup3");
	*(void **)&real_found.fcntl = dlsym(RTLD_NEXT, "fcntl64");
	*(void **)&real_found.prctl = dlsym(RTLD_NEXT, "prctl");
	*(void **)&real_found.close_range = dlsym(RTLD_NEXT, "close_range");
	*(void **)&real_found.closefrom = dlsym(RTLD_NEXT, "closefrom");
	/* Before glibc 2.28 they have no other name. */
	if (!real_found.fcntl)
		*(void **)&real_found.fcntl = dlsym(RTLD_NEXT, "fcntl");
	atomic_store_explicit(&real_ready, true, memory_order_release);
}

static void __attribute__((constructor)) begin(void)
{
	real();
}
