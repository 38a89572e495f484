// SPDX-License-Identifier: GPL-2.0
#include "sleepers.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include "common.h"

#define THREADS_MAX "/proc/sys/kernel/threads-max"

static int tid[SLEEPERS_MOST];
static pthread_mutex_t closed = PTHREAD_MUTEX_INITIALIZER;

int allow_sleepers(void)
{
	const struct rlimit many = { 4 * SLEEPERS_MOST, 4 * SLEEPERS_MOST };

	if (setrlimit(RLIMIT_NOFILE, &many) || setrlimit(RLIMIT_NPROC, &many))
		return -errno;
	if (read_number(THREADS_MAX) >= 4 * SLEEPERS_MOST)
		return 0;
	return write_file(THREADS_MAX, "16800");
}

static void *sleep_here(void *arg)
{
	__atomic_store_n((int *)arg, my_tid(), __ATOMIC_RELEASE);
	pthread_mutex_lock(&closed);
	return NULL;
}

int sleeper_tid(int i)
{
	return __atomic_load_n(&tid[i], __ATOMIC_ACQUIRE);
}

/* By its file below the process's own: the other one adds up what all threads have done. */
static bool asleep(int thread)
{
	char path[48], text[128] = "", *name_end;
	ssize_t got;
	int fd;

	snprintf(path, sizeof(path), "/proc/self/task/%d/stat", thread);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return false;
	got = read(fd, text, sizeof(text) - 1);
	close(fd);
	name_end = strrchr(text, ')');
	return got > 0 && name_end && name_end[1] == ' ' && name_end[2] == 'S';
}

int sleepers_start(int nr)
{
	pthread_attr_t attr;
	pthread_t thread;
	int i;

	if (nr > SLEEPERS_MOST || pthread_attr_init(&attr) ||
	    pthread_attr_setstacksize(&attr, PTHREAD_STACK_MIN))
		return -EINVAL;
	pthread_mutex_lock(&closed);
	for (i = 0; i < nr; i++)
		if (pthread_create(&thread, &attr, sleep_here, &tid[i]))
			return -EAGAIN;
	for (i = 0; i < nr; i++)
		if (!WAIT_FOR(sleeper_tid(i) && asleep(sleeper_tid(i))))
			return -ETIMEDOUT;
	return 0;
}
