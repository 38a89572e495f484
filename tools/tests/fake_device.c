// SPDX-License-Identifier: MIT
/*
 * Stands for /dev/pmudev in a program that loads it (LD_PRELOAD): sets can be made, bound and
 * enabled, and what they count grows with each reading. COUNTERS in the environment is how many
 * events all sets of a process can have together (64), GENERIC the mask of the generic events that
 * the CPU has (all), CPU_ARCH=amd makes it AMD's with four counters, SYSFS is a folder that stands
 * for /sys/class/pmudev. While the file LOST exists the sets have lost their counters.
 */
#define _GNU_SOURCE
#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>

#include <linux/pmudev.h>

#define MOST_FILES 256

/* Of each file: is it a set, and how many events has it? */
static struct {
	int is_set;
	unsigned int nr;
} sets[MOST_FILES];

static int is_set(int fd)
{
	return fd >= 0 && fd < MOST_FILES && sets[fd].is_set;
}

static int open_set(void)
{
	int (*next)(const char *path, int flags, ...) = dlsym(RTLD_NEXT, "open");
	int fd = next("/dev/null", O_RDWR | O_CLOEXEC);

	if (fd < 0 || fd >= MOST_FILES)
		abort();
	sets[fd].is_set = 1;
	sets[fd].nr = 0;
	return fd;
}

static int open_any(const char *name, const char *path, int flags, mode_t mode)
{
	int (*next)(const char *path, int flags, ...);

	next = dlsym(RTLD_NEXT, name);
	return strcmp(path, PMUDEV_DEVICE) ? next(path, flags, mode) : open_set();
}

int open(const char *path, int flags, ...)
{
	va_list args;
	mode_t mode;

	va_start(args, flags);
	mode = flags & (O_CREAT | O_TMPFILE) ? va_arg(args, mode_t) : 0;
	va_end(args);
	return open_any("open", path, flags, mode);
}

int open64(const char *path, int flags, ...)
{
	va_list args;
	mode_t mode;

	va_start(args, flags);
	mode = flags & (O_CREAT | O_TMPFILE) ? va_arg(args, mode_t) : 0;
	va_end(args);
	return open_any("open64", path, flags, mode);
}

int close(int fd)
{
	int (*next)(int fd) = dlsym(RTLD_NEXT, "close");

	if (is_set(fd))
		sets[fd].is_set = 0;
	return next(fd);
}

/* ------------------------------------------------------------------------ sysfs -- */

static const char *moved(const char *path, char *buf)
{
	static const char root[] = "/sys/class/pmudev";
	const char *to = getenv("SYSFS");

	if (!to || strncmp(path, root, strlen(root)))
		return path;
	snprintf(buf, PATH_MAX, "%s%s", to, path + strlen(root));
	return buf;
}

FILE *fopen(const char *path, const char *mode)
{
	FILE *(*next)(const char *path, const char *mode) = dlsym(RTLD_NEXT, "fopen");
	char buf[PATH_MAX];

	return next(moved(path, buf), mode);
}

FILE *fopen64(const char *path, const char *mode)
{
	return fopen(path, mode);
}

typedef int (*filter_fn)(const struct dirent *entry);
typedef int (*order_fn)(const struct dirent **a, const struct dirent **b);

/* Where files have 64 bits it is the same as scandir64(). */
int scandir(const char *path, struct dirent ***names, filter_fn filter, order_fn order)
{
	int (*next)(const char *path, struct dirent ***names, filter_fn filter, order_fn order);
	char buf[PATH_MAX];

	next = dlsym(RTLD_NEXT, "scandir");
	return next(moved(path, buf), names, filter, order);
}

int scandir64(const char *path, struct dirent64 ***names,
	      int (*filter)(const struct dirent64 *entry),
	      int (*order)(const struct dirent64 **a, const struct dirent64 **b))
{
	return scandir(path, (struct dirent ***)names, (filter_fn)filter, (order_fn)order);
}

/* ----------------------------------------------------------------------- the calls -- */

static __u64 generic(void)
{
	const char *mask = getenv("GENERIC");

	return mask ? strtoull(mask, NULL, 0) : (1U << PMUDEV_GENERIC_MAX) - 1;
}

static bool is_amd(void)
{
	const char *arch = getenv("CPU_ARCH");

	return arch && !strcmp(arch, "amd");
}

static int query(struct pmudev_query *q)
{
	q->abi = PMUDEV_ABI_VERSION;
	q->arch = is_amd() ? PMUDEV_ARCH_AMD : PMUDEV_ARCH_INTEL;
	q->nr_pmus = 1;
	q->generic = generic();
	q->counters = is_amd() ? 0xf : 0xf | 7ULL << PMUDEV_FIXED_BASE;
	q->available = q->counters;
	memcpy(q->name, "fake", sizeof("fake"));
	return 0;
}

static int add(int fd, struct pmudev_add *add)
{
	const char *most = getenv("COUNTERS");
	__u32 *slots = (void *)(uintptr_t)add->slots;
	const struct pmudev_event_attr *attrs = (void *)(uintptr_t)add->events;
	unsigned int used = 0, i;

	for (i = 0; i < add->nr; i++) {
		if (attrs[i].type != PMUDEV_TYPE_GENERIC || generic() >> attrs[i].config & 1)
			continue;
		add->refusal.code = PMUDEV_WHY_EVENT;
		add->refusal.event = i;
		errno = ENOENT;
		return -1;
	}
	for (i = 0; i < MOST_FILES; i++)
		used += sets[i].is_set ? sets[i].nr : 0;
	if (used + add->nr > (most ? strtoul(most, NULL, 10) : PMUDEV_MAX_EVENTS)) {
		add->refusal.code = PMUDEV_WHY_HELD;
		errno = ENOSPC;
		return -1;
	}
	for (i = 0; slots && i < add->nr; i++)
		slots[i] = sets[fd].nr + i;
	sets[fd].nr += add->nr;
	return 0;
}

int ioctl(int fd, unsigned long request, ...)
{
	int (*next)(int fd, unsigned long request, ...) = dlsym(RTLD_NEXT, "ioctl");
	va_list args;
	void *arg;

	va_start(args, request);
	arg = va_arg(args, void *);
	va_end(args);
	if (!is_set(fd))
		return next(fd, request, arg);
	if (request == PMUDEV_IOC_QUERY)
		return query(arg);
	return request == PMUDEV_IOC_ADD ? add(fd, arg) : 0;
}

/* How long sets were on counters until now. */
static __u64 running(__u64 now)
{
	const char *lost = getenv("LOST");
	static __u64 last;

	if (!lost || access(lost, F_OK))
		last = now;
	return last;
}

ssize_t read(int fd, void *to, size_t size)
{
	ssize_t (*next)(int fd, void *to, size_t size) = dlsym(RTLD_NEXT, "read");
	struct pmudev_record *record = to;
	static __u64 count;
	struct timespec now;
	unsigned int i;

	if (!is_set(fd))
		return next(fd, to, size);
	clock_gettime(CLOCK_MONOTONIC, &now);
	memset(record, 0, sizeof(*record) + sets[fd].nr * sizeof(record->counts[0]));
	record->nr = sets[fd].nr;
	record->time = now.tv_sec * 1000000000ULL + now.tv_nsec;
	record->time_enabled = record->time;
	record->time_running = running(record->time);
	record->present = record->nr < 64 ? (1ULL << record->nr) - 1 : ~0ULL;
	for (count += 1000, i = 0; i < record->nr; i++) {
		record->counts[i].value = count;
		record->counts[i].time_enabled = record->time;
		record->counts[i].time_running = record->time;
	}
	return sizeof(*record) + record->nr * sizeof(record->counts[0]);
}
