/* SPDX-License-Identifier: MIT */
/* The C library's functions, which this library has its own in front of. */
#ifndef REAL_H
#define REAL_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <sys/types.h>
#include <sys/uio.h>

/**
 * struct real - each as the C library has it: -1 and errno
 *
 * Those with variable arguments get as many as the kernel may take.
 */
struct real {
	long (*syscall)(long number, ...);
	int (*ioctl)(int fd, unsigned long request, ...);
	ssize_t (*read)(int fd, void *buf, size_t size);
	ssize_t (*pread)(int fd, void *buf, size_t size, off64_t offset);
	ssize_t (*readv)(int fd, const struct iovec *parts, int nr);
	ssize_t (*preadv)(int fd, const struct iovec *parts, int nr, off64_t offset);
	ssize_t (*preadv2)(int fd, const struct iovec *parts, int nr, off64_t offset, int flags);
	int (*close)(int fd);
	int (*fclose)(FILE *file);
	void *(*mmap)(void *address, size_t size, int prot, int flags, int fd, off64_t offset);
	int (*munmap)(void *address, size_t size);
	void *(*mremap)(void *address, size_t size, size_t new_size, int flags, ...);
	int (*dup)(int fd);
	int (*dup2)(int from, int to);
	int (*dup3)(int from, int to, int flags);
	int (*fcntl)(int fd, int command, ...);
	int (*prctl)(int option, ...);
	int (*close_range)(unsigned int first, unsigned int last, int flags); /* may be NULL */
	void (*closefrom)(int first);					      /* may be NULL */
};

extern struct real real_found;
extern atomic_bool real_ready;
void real_find(void);

/* Found when the library is loaded, or by the first call before that. */
static inline const struct real *real(void)
{
	if (!atomic_load_explicit(&real_ready, memory_order_acquire))
		real_find();
	return &real_found;
}

#endif /* REAL_H */
