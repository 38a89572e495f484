// SPDX-License-Identifier: MIT
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <linux/perf_event.h>
#include <pthread.h>
#include <stdarg.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "../perf/real.h"
#include "fake_perf.h"

#define MOST_EVENTS 16384

int fake_perf_error;

/* The kernel's own, as they were found */
static struct real kernel;

/* An event is the file with this inode of this device; its identifier is its place and one. */
static struct {
	dev_t device;
	ino_t inode;
	uint64_t leader;
} events[MOST_EVENTS];

static unsigned int nr_events;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

uint64_t fake_perf_id(int fd)
{
	struct stat st;
	uint64_t id = 0;
	unsigned int i;

	if (fstat(fd, &st))
		return 0;
	pthread_mutex_lock(&mutex);
	for (i = 0; i < nr_events && !id; i++)
		if (events[i].inode == st.st_ino && events[i].device == st.st_dev)
			id = i + 1;
	pthread_mutex_unlock(&mutex);
	return id;
}

uint64_t fake_perf_leader(int fd)
{
	const uint64_t id = fake_perf_id(fd);

	return id ? events[id - 1].leader : 0;
}

/* A member of perf's needs a leader of perf's. */
static long open_event(const struct perf_event_attr *attr, int leader_fd, unsigned long flags)
{
	uint64_t leader = leader_fd == -1 ? 0 : fake_perf_id(leader_fd);
	struct stat st;
	int fd;

	if (attr->__reserved_2) {
		errno = EINVAL;
		return -1;
	}
	if (leader_fd != -1 && !leader) {
		errno = EBADF;
		return -1;
	}
	if (flags & PERF_FLAG_FD_NO_GROUP)
		leader = 0;
	fd = memfd_create("perf", MFD_CLOEXEC);
	if (fd < 0 || fstat(fd, &st) || ftruncate(fd, 64 * sysconf(_SC_PAGESIZE)))
		return -1;
	pthread_mutex_lock(&mutex);
	events[nr_events].device = st.st_dev;
	events[nr_events].inode = st.st_ino;
	events[nr_events].leader = leader ? leader : nr_events + 1;
	nr_events++;
	pthread_mutex_unlock(&mutex);
	return fd;
}

static long fake_syscall(long number, ...)
{
	va_list args;
	long a[6];
	int i;

	va_start(args, number);
	for (i = 0; i < 6; i++)
		a[i] = va_arg(args, long);
	va_end(args);
	return number == SYS_perf_event_open ?
		       open_event((const struct perf_event_attr *)a[0], a[3], a[4]) :
		       kernel.syscall(number, a[0], a[1], a[2], a[3], a[4], a[5]);
}

static int fake_ioctl(int fd, unsigned long request, ...)
{
	uint64_t id = fake_perf_id(fd);
	unsigned long arg;
	va_list args;

	va_start(args, request);
	arg = va_arg(args, unsigned long);
	va_end(args);
	if (!id)
		return kernel.ioctl(fd, request, arg);
	if (request == PERF_EVENT_IOC_ID)
		*(uint64_t *)arg = id;
	return 0;
}

static void *fake_mmap(void *address, size_t size, int prot, int flags, int fd, off64_t offset)
{
	if (fake_perf_error && !(flags & MAP_ANONYMOUS) && fake_perf_id(fd)) {
		errno = fake_perf_error;
		return MAP_FAILED;
	}
	return kernel.mmap(address, size, prot, flags, fd, offset);
}

void fake_perf_begin(void)
{
	kernel = *real();
	real_found.syscall = fake_syscall;
	real_found.ioctl = fake_ioctl;
	real_found.mmap = fake_mmap;
}
