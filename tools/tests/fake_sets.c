// SPDX-License-Identifier: MIT
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../perf/event.h"
#include "../perf/real.h"
#include "../perf/set.h"
#include "fake_sets.h"

#define MOST_SETS 256

struct settings perf_settings;
unsigned int fake_counters = 64;
struct fake_failure fake_failure;
void (*fake_during)(void);

/* A set is the file with this inode of this device. */
static struct fake_set {
	dev_t device;
	ino_t inode; /* 0: unused */
	struct target target;
	struct {
		bool present, enabled, multiplexed;
		unsigned int group;
		struct pmudev_count count;
	} event[PMUDEV_MAX_EVENTS];
} sets[MOST_SETS];

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

/* A pipe may have the same inode: that of its device. */
static bool is_file_of(const struct stat *st, const struct fake_set *set)
{
	return st->st_ino == set->inode && st->st_dev == set->device;
}

static struct fake_set *find(int fd)
{
	struct stat st;
	unsigned int i;

	if (fstat(fd, &st))
		return NULL;
	for (i = 0; i < MOST_SETS; i++)
		if (is_file_of(&st, &sets[i]))
			return &sets[i];
	return NULL;
}

static bool is_open(const struct fake_set *set)
{
	struct stat st;
	int fd;

	for (fd = 0; fd < 1024; fd++)
		if (!fstat(fd, &st) && is_file_of(&st, set))
			return true;
	return false;
}

unsigned int fake_open_sets(void)
{
	unsigned int i, nr = 0;

	for (i = 0; i < MOST_SETS; i++)
		nr += sets[i].inode && is_open(&sets[i]);
	return nr;
}

/* The counters that all open sets of the target need; each target has those of its own. */
static unsigned int needed(const struct target *target)
{
	unsigned int i, j, nr = 0, shared;

	for (i = 0; i < MOST_SETS; i++) {
		if (!sets[i].inode || sets[i].target.kind != target->kind ||
		    sets[i].target.id != target->id || !is_open(&sets[i]))
			continue;
		for (j = 0, shared = 0; j < PMUDEV_MAX_EVENTS; j++) {
			if (!sets[i].event[j].present || !sets[i].event[j].enabled)
				continue;
			shared |= sets[i].event[j].multiplexed;
			nr += !sets[i].event[j].multiplexed;
		}
		nr += shared;
	}
	return nr;
}

void fake_step(uint64_t count, uint64_t ns)
{
	unsigned int i, j;

	pthread_mutex_lock(&mutex);
	for (i = 0; i < MOST_SETS; i++)
		for (j = 0; sets[i].inode && j < PMUDEV_MAX_EVENTS; j++) {
			if (!sets[i].event[j].present || !sets[i].event[j].enabled)
				continue;
			sets[i].event[j].count.value += count;
			sets[i].event[j].count.time_enabled += ns;
			sets[i].event[j].count.time_running +=
				sets[i].event[j].multiplexed ? ns / 2 : ns;
		}
	pthread_mutex_unlock(&mutex);
}

/* ----------------------------------------------------------------- for ../perf -- */

int set_open(bool cloexec)
{
	int fd = memfd_create("set", cloexec ? MFD_CLOEXEC : 0);
	struct stat st;
	unsigned int i;

	if (fd < 0 || fstat(fd, &st))
		return -errno;
	pthread_mutex_lock(&mutex);
	for (i = 0; i < MOST_SETS && sets[i].inode && is_open(&sets[i]); i++)
		;
	if (i < MOST_SETS) {
		memset(&sets[i], 0, sizeof(sets[i]));
		sets[i].device = st.st_dev;
		sets[i].inode = st.st_ino;
	}
	pthread_mutex_unlock(&mutex);
	return fd;
}

bool fd_is_set(int fd)
{
	return find(fd);
}

int set_signals(int fd, uint32_t slot, const struct telling *how, struct pmudev_refusal *why)
{
	(void)fd;
	(void)slot;
	(void)how;
	(void)why;
	return 0;
}

/* As without user access: read(2) tells. */
void *set_map(int fd, uint32_t slot, void *address, int flags)
{
	(void)fd;
	(void)slot;
	(void)address;
	(void)flags;
	return MAP_FAILED;
}

int set_bind(int fd, const struct target *target, struct pmudev_refusal *why)
{
	struct fake_set *set;

	pthread_mutex_lock(&mutex);
	set = find(fd);
	if (set)
		set->target = *target;
	pthread_mutex_unlock(&mutex);
	why->code = PMUDEV_OK;
	return set ? 0 : -EBADF;
}

static int add(struct fake_set *set, const struct pmudev_event_attr *attr, uint32_t *slot)
{
	/* As the module: groups grow while they are off. */
	for (*slot = 0; *slot < PMUDEV_MAX_EVENTS; (*slot)++)
		if (set->event[*slot].present && set->event[*slot].enabled &&
		    set->event[*slot].group == attr->group)
			return -EBUSY;
	for (*slot = 0; *slot < PMUDEV_MAX_EVENTS; (*slot)++) {
		if (set->event[*slot].present)
			continue;
		memset(&set->event[*slot], 0, sizeof(set->event[*slot]));
		set->event[*slot].present = true;
		set->event[*slot].group = attr->group;
		set->event[*slot].count.tag = attr->tag;
		set->event[*slot].multiplexed = attr->flags & PMUDEV_MULTIPLEX;
		return 0;
	}
	return -ENOSPC;
}

int set_add(int fd, const struct pmudev_event_attr *attr, uint32_t *slot,
	    struct pmudev_refusal *why)
{
	struct fake_set *set;
	int error;

	pthread_mutex_lock(&mutex);
	set = find(fd);
	why->code = PMUDEV_OK;
	error = set ? add(set, attr, slot) : -EBADF;
	pthread_mutex_unlock(&mutex);
	return error;
}

static bool is_of(const struct fake_set *set, unsigned int slot, uint32_t group)
{
	return set->event[slot].present && (group == PMUDEV_ALL || set->event[slot].group == group);
}

/* As the module: what concerns no event is refused. */
static bool has_group(const struct fake_set *set, uint32_t group)
{
	unsigned int i;

	for (i = 0; i < PMUDEV_MAX_EVENTS; i++)
		if (is_of(set, i, group))
			return true;
	return false;
}

static int switch_group(struct fake_set *set, uint32_t group, bool enabled)
{
	unsigned int i;

	for (i = 0; i < PMUDEV_MAX_EVENTS; i++)
		if (is_of(set, i, group))
			set->event[i].enabled = enabled;
	return 0;
}

static int remove_group(struct fake_set *set, uint32_t group)
{
	unsigned int i;

	for (i = 0; i < PMUDEV_MAX_EVENTS; i++) {
		if (!is_of(set, i, group))
			continue;
		if (set->event[i].enabled)
			return -EBUSY;
		set->event[i].present = false;
	}
	return 0;
}

static int enable(struct fake_set *set, uint32_t group, struct pmudev_refusal *why)
{
	const struct fake_set before = *set;

	switch_group(set, group, true);
	if (needed(&set->target) <= fake_counters)
		return 0;
	*set = before;
	why->code = PMUDEV_WHY_HELD;
	return -EBUSY;
}

int set_place(int fd, const struct pmudev_event_attr *attrs, unsigned int nr,
	      struct pmudev_refusal *why)
{
	(void)fd;
	(void)attrs;
	why->code = PMUDEV_WHY_NO_COUNTER;
	return nr > fake_counters ? -ENOSPC : 0;
}

int set_control(int fd, unsigned long request, uint32_t group, uint32_t slot, uint64_t value,
		struct pmudev_refusal *why)
{
	struct fake_set *set;
	int error = 0;

	if (fake_during)
		fake_during();
	pthread_mutex_lock(&mutex);
	set = find(fd);
	if (!set)
		error = -EBADF;
	else if (request == fake_failure.request && fake_failure.in && !--fake_failure.in)
		error = fake_failure.error;
	else if (request != PMUDEV_IOC_RESET && !has_group(set, group))
		error = -EINVAL;
	else if (request == PMUDEV_IOC_ENABLE)
		error = enable(set, group, why);
	else if (request == PMUDEV_IOC_DISABLE)
		error = switch_group(set, group, false);
	else if (request == PMUDEV_IOC_REMOVE)
		error = remove_group(set, group);
	else if (request == PMUDEV_IOC_RESET && slot < PMUDEV_MAX_EVENTS)
		set->event[slot].count.value = value;
	pthread_mutex_unlock(&mutex);
	return error;
}

ssize_t set_read(int fd, struct pmudev_record *record, size_t size)
{
	struct fake_set *set;
	unsigned int i;

	pthread_mutex_lock(&mutex);
	set = find(fd);
	if (set) {
		memset(record, 0, size);
		for (i = 0; i < PMUDEV_MAX_EVENTS; i++) {
			if (!set->event[i].present)
				continue;
			record->nr = i + 1;
			record->counts[i] = set->event[i].count;
		}
		record->size = sizeof(*record) + record->nr * sizeof(record->counts[0]);
	}
	pthread_mutex_unlock(&mutex);
	return set ? (ssize_t)record->size : -EBADF;
}

bool set_query(struct pmudev_query *query)
{
	memset(query, 0, sizeof(*query));
	query->nr_pmus = 1;
	query->arch = PMUDEV_ARCH_INTEL;
	return true;
}

void perf_explain(const char *what, int error, const struct pmudev_refusal *why)
{
	(void)what;
	(void)error;
	(void)why;
}
