// SPDX-License-Identifier: MIT
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdatomic.h>
#include <stdbool.h>

#include "real.h"

static struct real found;
static atomic_bool ready;

static void find(void)
{
	/* Data becomes a function by dlsym(3)'s own rules. */
	*(void **)&found.syscall = dlsym(RTLD_NEXT, "syscall");
	*(void **)&found.ioctl = dlsym(RTLD_NEXT, "ioctl");
	*(void **)&found.read = dlsym(RTLD_NEXT, "read");
	*(void **)&found.close = dlsym(RTLD_NEXT, "close");
	*(void **)&found.mmap = dlsym(RTLD_NEXT, "mmap64");
	*(void **)&found.dup = dlsym(RTLD_NEXT, "dup");
	*(void **)&found.dup2 = dlsym(RTLD_NEXT, "dup2");
	*(void **)&found.dup3 = dlsym(RTLD_NEXT, "dup3");
	*(void **)&found.fcntl = dlsym(RTLD_NEXT, "fcntl64");
	*(void **)&found.prctl = dlsym(RTLD_NEXT, "prctl");
	*(void **)&found.close_range = dlsym(RTLD_NEXT, "close_range");
	*(void **)&found.closefrom = dlsym(RTLD_NEXT, "closefrom");
	/* Before glibc 2.28 they have no other name. */
	if (!found.fcntl)
		*(void **)&found.fcntl = dlsym(RTLD_NEXT, "fcntl");
	atomic_store_explicit(&ready, true, memory_order_release);
}

const struct real *real(void)
{
	if (!atomic_load_explicit(&ready, memory_order_acquire))
		find();
	return &found;
}

static void __attribute__((constructor)) begin(void)
{
	real();
}
