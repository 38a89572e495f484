// SPDX-License-Identifier: MIT
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "real.h"
#include "set.h"

struct settings perf_settings;

/* The device's number; 0: no set was open yet */
static _Atomic dev_t device;

int set_open(bool cloexec)
{
	int fd = open(PMUDEV_DEVICE, O_RDWR | (cloexec ? O_CLOEXEC : 0));
	struct stat is;

	if (fd < 0)
		return -errno;
	if (!atomic_load(&device) && !fstat(fd, &is))
		atomic_store(&device, is.st_rdev);
	return fd;
}

bool fd_is_set(int fd)
{
	const int error = errno;
	struct stat is;
	bool set;

	set = !fstat(fd, &is) && S_ISCHR(is.st_mode) && is.st_rdev == atomic_load(&device);
	errno = error;
	return set;
}

/* All structures begin alike: what was refused is at the same place. */
static int call(int fd, unsigned long request, void *arg, const struct pmudev_refusal *in,
		struct pmudev_refusal *why)
{
	int error = real()->ioctl(fd, request, arg) ? -errno : 0;

	if (error)
		*why = *in;
	return error;
}

/* Does perf let programs see what a CPU counts (arm64)? */
static bool perf_shows_counts(void)
{
	int fd = open("/proc/sys/kernel/perf_user_access", O_RDONLY | O_CLOEXEC);
	char word = '0';

	if (fd < 0)
		return false;
	if (real()->read(fd, &word, 1) != 1)
		word = '0';
	real()->close(fd);
	return word != '0';
}

int set_bind(int fd, const struct target *target, struct pmudev_refusal *why)
{
	struct pmudev_bind bind = {
		.size = sizeof(bind),
		.flags = target->flags,
		.target = target->kind,
		.id = target->id,
	};

	/* Then pmudev refuses sets that nobody may see; perf's own events can be seen, too. */
	if (target->kind == PMUDEV_TARGET_CPU && perf_shows_counts())
		bind.flags |= PMUDEV_BIND_SHARED;
	return call(fd, PMUDEV_IOC_BIND, &bind, &bind.refusal, why);
}

int set_add(int fd, const struct pmudev_event_attr *attr, uint32_t *slot,
	    struct pmudev_refusal *why)
{
	struct pmudev_add add = {
		.size = sizeof(add),
		.nr = 1,
		.event_size = sizeof(*attr),
		.events = (uintptr_t)attr,
		.slots = (uintptr_t)slot,
	};

	return call(fd, PMUDEV_IOC_ADD, &add, &add.refusal, why);
}

int set_place(int fd, const struct pmudev_event_attr *attrs, unsigned int nr,
	      struct pmudev_refusal *why)
{
	int32_t counters[PMUDEV_MAX_EVENTS];
	struct pmudev_place place = {
		.size = sizeof(place),
		.nr = nr,
		.event_size = sizeof(*attrs),
		.events = (uintptr_t)attrs,
		.counters = (uintptr_t)counters,
	};

	return call(fd, PMUDEV_IOC_PLACE, &place, &place.refusal, why);
}

int set_control(int fd, unsigned long request, uint32_t group, uint32_t slot, uint64_t value,
		struct pmudev_refusal *why)
{
	struct pmudev_ctl ctl = {
		.size = sizeof(ctl),
		.group = group,
		.slot = slot,
		.value = value,
	};

	return call(fd, request, &ctl, &ctl.refusal, why);
}

/*
 * Where no file has anything: who has the number by now loses nothing to a read there, and a pipe
 * or a socket has no such place. A set is read at any.
 */
#define NOWHERE (1LL << 62)

ssize_t set_read(int fd, struct pmudev_record *record, size_t size)
{
	ssize_t got = real()->pread(fd, record, size, NOWHERE);

	return got < 0 ? -errno : got;
}

int set_signals(int fd, uint32_t slot, const struct telling *how, struct pmudev_refusal *why)
{
	struct pmudev_deadline deadline = { .slot = slot, .flags = PMUDEV_DEADLINE_REMOVE };
	struct pmudev_deadlines call_of = {
		.size = sizeof(call_of),
		.nr = 1,
		.deadline_size = sizeof(deadline),
		.deadlines = (uintptr_t)&deadline,
	};

	if (how) {
		deadline.flags = PMUDEV_DEADLINE_PERIODIC | PMUDEV_DEADLINE_SIGNAL |
				 (how->next ? 0 : PMUDEV_DEADLINE_RELATIVE);
		deadline.value = how->next ? how->next : how->period;
		deadline.period = how->period;
		deadline.signal = how->signal;
		deadline.id = how->id;
	}
	return call(fd, PMUDEV_IOC_DEADLINE, &call_of, &call_of.refusal, why);
}

void *set_map(int fd, uint32_t slot, void *address, int flags)
{
	const off64_t offset = PMUDEV_PERF_PAGE_OFFSET + (off64_t)slot * PMUDEV_PERF_PAGE_STEP;

	return real()->mmap(address, sysconf(_SC_PAGESIZE), PROT_READ, MAP_SHARED | flags, fd,
			    offset);
}

bool set_query(struct pmudev_query *query)
{
	struct pmudev_refusal why;
	int fd = set_open(true), error;

	if (fd < 0)
		return false;
	memset(query, 0, sizeof(*query));
	query->size = sizeof(*query);
	query->flags = PMUDEV_QUERY_CPU;
	error = call(fd, PMUDEV_IOC_QUERY, query, &query->refusal, &why);
	real()->close(fd);
	return !error;
}

void perf_explain(const char *what, int error, const struct pmudev_refusal *why)
{
	char text[512], line[700];
	int length;

	if (!perf_settings.explain)
		return;
	pmudev_explain_refusal(error, why, text, sizeof(text));
	length = snprintf(line, sizeof(line), "pmudev exec: %s: %s\n", what, text);
	perf_tell(line, length);
}
