// SPDX-License-Identifier: MIT
/* Numbers of the program that become another file's. */
#define _GNU_SOURCE
#include <fcntl.h>

#include "real.h"
#include "set.h"

static void replace(int fd, int to)
{
	int flags = real()->fcntl(fd, F_GETFD);

	real()->dup3(to, fd, flags & FD_CLOEXEC ? O_CLOEXEC : 0);
}

void fd_replace(int fd, int to)
{
	/* The program may have closed it where nobody saw it. */
	if (fd_is_set(fd))
		replace(fd, to);
}

void fd_give_to_perf(int fd, int to, const struct overflow *overflow)
{
	struct f_owner_ex owner;
	int flags;

	if (!fd_is_set(fd))
		return;
	flags = real()->fcntl(fd, F_GETFL);
	replace(fd, to);
	if (!overflow)
		return;
	owner.type = overflow->owner_type;
	owner.pid = overflow->owner;
	if (overflow->signal)
		real()->fcntl(fd, F_SETSIG, (long)overflow->signal);
	if (owner.pid)
		real()->fcntl(fd, F_SETOWN_EX, &owner);
	real()->fcntl(fd, F_SETFL, (long)((flags & O_NONBLOCK) | (overflow->async ? O_ASYNC : 0)));
}
