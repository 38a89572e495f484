// SPDX-License-Identifier: MIT
/* Memory of the program that may not be there: perf answers EFAULT, and so does this library. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#include "memory.h"
#include "real.h"

/* Of a thread that has opened an event; else 0 */
static __thread uintptr_t stack_begin __attribute__((tls_model("initial-exec")));
static __thread uintptr_t stack_end __attribute__((tls_model("initial-exec")));

void memory_know_stack(void)
{
	pthread_attr_t attr;
	void *begin = NULL;
	size_t size = 0;

	if (stack_end || pthread_getattr_np(pthread_self(), &attr))
		return;
	if (!pthread_attr_getstack(&attr, &begin, &size)) {
		stack_begin = (uintptr_t)begin;
		stack_end = stack_begin + size;
	}
	pthread_attr_destroy(&attr);
}

size_t memory_in_pages(size_t size)
{
	const size_t page = sysconf(_SC_PAGESIZE);

	return (size + page - 1) / page * page;
}

/* The kernel copies it into a pipe. Less than a page has room in one. */
static int read_by_pipe(void *to, const void *from, size_t size)
{
	bool there;
	int fd[2];

	if (real()->syscall(SYS_pipe2, fd, O_CLOEXEC)) {
		/* No descriptor is left: as without this check. */
		memcpy(to, from, size);
		return 0;
	}
	there = real()->syscall(SYS_write, fd[1], from, size) == (long)size &&
		real()->syscall(SYS_read, fd[0], to, size) == (long)size;
	real()->syscall(SYS_close, fd[0]);
	real()->syscall(SYS_close, fd[1]);
	return there ? 0 : -EFAULT;
}

int memory_read(void *to, const void *from, size_t size)
{
	struct iovec here = { .iov_base = to, .iov_len = size };
	struct iovec there = { .iov_base = (void *)from, .iov_len = size };
	ssize_t got = process_vm_readv(getpid(), &here, 1, &there, 1, 0);

	if (got == (ssize_t)size)
		return 0;
	if (got >= 0 || errno == EFAULT)
		return -EFAULT;
	/* A sandbox, or a kernel without CROSS_MEMORY_ATTACH, has no such call. */
	return read_by_pipe(to, from, size);
}

/* What lies between this frame and the end of the thread's own stack is there. */
static bool is_on_stack(uintptr_t at, size_t size)
{
	const uintptr_t frame = (uintptr_t)__builtin_frame_address(0);

	return frame >= stack_begin && at >= frame && at < stack_end && size <= stack_end - at;
}

/*
 * The C library's may copy few bytes with SVE's registers. After a system call the kernel is asked
 * for these anew, by an exception that takes as long as another call.
 */
static void copy(char *to, const char *from, size_t size)
{
	uint64_t word;

	for (; size >= sizeof(word); size -= sizeof(word)) {
		__builtin_memcpy(&word, from, sizeof(word));
		__builtin_memcpy(to, &word, sizeof(word));
		to += sizeof(word);
		from += sizeof(word);
		/* The compiler would make one call of all. */
		atomic_signal_fence(memory_order_seq_cst);
	}
	if (size)
		memcpy(to, from, size);
}

int memory_write(void *to, const void *from, size_t size)
{
	char *last = (char *)to + size - sizeof(unsigned int);

	/* The cheapest call that writes: a number at the begin, and one at the end. */
	if (!is_on_stack((uintptr_t)to, size) && real()->syscall(SYS_getcpu, to, last, NULL) &&
	    errno == EFAULT)
		return -EFAULT;
	copy(to, from, size);
	return 0;
}
