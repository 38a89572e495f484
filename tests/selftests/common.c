// SPDX-License-Identifier: GPL-2.0
#include "common.h"

#include <fcntl.h>
#include <signal.h>
#include <stdint.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>

__thread struct pmudev_refusal why;

static int failure(const struct pmudev_refusal *refusal)
{
	int error = errno;

	why = *refusal;
	return -error;
}

/* After a call that carries no structure. */
static int failure_elsewhere(int fd)
{
	struct pmudev_why answer;
	int error = errno;

	why = (struct pmudev_refusal){ 0 };
	if (!pm_why(fd, &answer))
		why = answer.refusal;
	return -error;
}

int pm_open(void)
{
	int fd = open(PMUDEV_DEVICE, O_RDWR | O_CLOEXEC);

	return fd < 0 ? -errno : fd;
}

int pm_query(struct pmudev_query *query)
{
	return pm_query_pmu(0, 0, query);
}

int pm_query_pmu(__u32 number, __u32 flags, struct pmudev_query *query)
{
	int fd = pm_open();
	int ret = 0;

	if (fd < 0)
		return fd;
	memset(query, 0, sizeof(*query));
	query->size = sizeof(*query);
	query->flags = flags;
	query->pmu = number;
	if (ioctl(fd, PMUDEV_IOC_QUERY, query))
		ret = failure(&query->refusal);
	close(fd);
	return ret;
}

int pm_bind(int fd, __u32 target, __s32 id, __u32 flags)
{
	return pm_bind_pmu(fd, target, id, flags, 0);
}

int pm_bind_pmu(int fd, __u32 target, __s32 id, __u32 flags, __u32 pmu)
{
	struct pmudev_bind bind = {
		.size = sizeof(bind),
		.flags = flags,
		.target = target,
		.id = id,
		.pmu = pmu,
	};

	return ioctl(fd, PMUDEV_IOC_BIND, &bind) ? failure(&bind.refusal) : 0;
}

int pm_add(int fd, const struct pmudev_event_attr *events, unsigned int nr)
{
	struct pmudev_add add = {
		.size = sizeof(add),
		.nr = nr,
		.event_size = sizeof(*events),
		.events = (uintptr_t)events,
	};

	return ioctl(fd, PMUDEV_IOC_ADD, &add) ? failure(&add.refusal) : 0;
}

int pm_place(int fd, const struct pmudev_event_attr *events, unsigned int nr, __s32 *counters)
{
	struct pmudev_place place = {
		.size = sizeof(place),
		.nr = nr,
		.event_size = nr ? sizeof(*events) : 0,
		.events = (uintptr_t)events,
		.counters = (uintptr_t)counters,
	};

	return ioctl(fd, PMUDEV_IOC_PLACE, &place) ? failure(&place.refusal) : 0;
}

int pm_ctl(int fd, unsigned long request, __u32 group, __u32 slot, __u64 value)
{
	struct pmudev_ctl ctl = {
		.size = sizeof(ctl),
		.group = group,
		.slot = slot,
		.value = value,
	};

	return ioctl(fd, request, &ctl) ? failure(&ctl.refusal) : 0;
}

int pm_enable_holders(int fd, __u32 group, struct pmudev_holder *holders, unsigned int *nr)
{
	struct pmudev_ctl ctl = {
		.size = sizeof(ctl),
		.refusal = { .holders = (uintptr_t)holders, .nr_holders = *nr },
		.group = group,
		.slot = PMUDEV_ALL,
	};
	int ret = ioctl(fd, PMUDEV_IOC_ENABLE, &ctl) ? failure(&ctl.refusal) : 0;

	*nr = ret ? ctl.refusal.nr_holders : 0;
	return ret;
}

int pm_read(int fd, union record *record)
{
	ssize_t got = read(fd, record, sizeof(*record));

	if (got < 0)
		return failure_elsewhere(fd);
	if (got != (ssize_t)record->r.size ||
	    record->r.size != sizeof(record->r) + record->r.nr * sizeof(record->r.counts[0]))
		return -EPROTO;
	return 0;
}

int pm_why(int fd, struct pmudev_why *answer)
{
	memset(answer, 0, sizeof(*answer));
	answer->size = sizeof(*answer);
	return ioctl(fd, PMUDEV_IOC_WHY, answer) ? -errno : 0;
}

static void *map_page(int fd, int flags, off_t offset)
{
	void *page = mmap(NULL, PAGE_BYTES, PROT_READ, MAP_SHARED | flags, fd, offset);

	if (page == MAP_FAILED) {
		errno = -failure_elsewhere(fd);
		return NULL;
	}
	return page;
}

struct pmudev_page *pm_map(int fd)
{
	return map_page(fd, MAP_POPULATE, 0);
}

void *pm_map_perf(int fd, unsigned int slot)
{
	return map_page(fd, 0, PMUDEV_PERF_PAGE_OFFSET + (off_t)slot * PMUDEV_PERF_PAGE_STEP);
}

void pm_unmap(struct pmudev_page *page)
{
	munmap(page, PAGE_BYTES);
}

static int fill(int fd, int error, const struct pmudev_event_attr *events, unsigned int nr,
		bool enable)
{
	if (!error)
		error = pm_add(fd, events, nr);
	if (!error && enable)
		error = pm_enable(fd, PMUDEV_ALL);
	if (!error)
		return fd;
	close(fd);
	return error;
}

int pm_set(const struct pmudev_event_attr *events, unsigned int nr, bool enable)
{
	return pm_attach(0, 0, events, nr, enable);
}

int pm_cpu_set(int cpu, __u32 bind_flags, const struct pmudev_event_attr *events, unsigned int nr)
{
	int fd = pm_open();

	if (fd < 0)
		return fd;
	return fill(fd, pm_bind(fd, PMUDEV_TARGET_CPU, cpu, bind_flags), events, nr, true);
}

int pm_attach(int tid, __u32 bind_flags, const struct pmudev_event_attr *events, unsigned int nr,
	      bool enable)
{
	int fd = pm_open();

	if (fd < 0)
		return fd;
	return fill(fd, pm_bind(fd, PMUDEV_TARGET_TASK, tid, bind_flags), events, nr, enable);
}

int pm_attach_pmu(int tid, __u32 pmu, __u32 bind_flags, const struct pmudev_event_attr *events,
		  unsigned int nr)
{
	int fd = pm_open();

	if (fd < 0)
		return fd;
	return fill(fd, pm_bind_pmu(fd, PMUDEV_TARGET_TASK, tid, bind_flags | PMUDEV_BIND_PMU, pmu),
		    events, nr, true);
}

__u64 pm_value(int fd, unsigned int slot)
{
	union record record;

	return pm_read(fd, &record) ? ~0ULL : record.r.counts[slot].value;
}

int read_either(int fd, struct reader *reader, unsigned int slot, __u64 *value, bool *direct)
{
	union record record;
	int ret;

	ret = direct_read(reader, slot, value);
	if (direct)
		*direct = !ret;
	if (!ret)
		return 0;
	ret = pm_read(fd, &record);
	if (!ret)
		*value = record.r.counts[slot].value;
	return ret;
}

static __attribute__((noinline)) int direct_once(struct reader *reader, unsigned int slot, __u64 n,
						 __u64 *count)
{
	__u64 before, after = 0;
	int ret;

	reader->retries = 0;
	ret = direct_read(reader, slot, &before);
	if (ret)
		return ret;
	loop(n);
	ret = direct_read(reader, slot, &after);
	*count = after - before;
	return ret ? ret : reader->retries ? -EINTR : 0;
}

int measure_direct(struct reader *reader, unsigned int slot, __u64 n, __u64 *count)
{
	int tries, ret = -EINTR;

	for (tries = 0; tries < 10 && ret == -EINTR; tries++)
		ret = direct_once(reader, slot, n, count);
	return ret;
}

__attribute__((noinline)) int measure_read(int fd, unsigned int slot, __u64 n, __u64 *count)
{
	union record before, after;
	long got;

	memset(&after, 0, sizeof(after)); /* no page fault between the reads */
	got = raw_read(fd, &before);
	if (got < 0)
		return got;
	loop(n);
	got = raw_read(fd, &after);
	if (got < 0)
		return got;
	*count = after.r.counts[slot].value - before.r.counts[slot].value;
	return 0;
}

static __thread bool probing, faulted;

static void skip_instruction(int signal_, siginfo_t *info, void *context)
{
	(void)info;
	if (!probing) {
		/* Not what was tried: the instruction faults again, and ends the process. */
		signal(signal_, SIG_DFL);
		return;
	}
	faulted = true;
	skip_counter(context);
}

/* The handler stays, because other threads may be about to fault. */
bool counter_faults(__u32 operand)
{
	struct sigaction action = {
		.sa_sigaction = skip_instruction,
		.sa_flags = SA_SIGINFO,
	};

	sigaction(FAULT_SIGNAL, &action, NULL);
	faulted = false;
	probing = true;
	barrier();
	counter(operand);
	barrier();
	probing = false;
	return faulted;
}

int all_fault(void)
{
	int n = counter_faults(0) + counter_faults(3) + counter_faults(FIXED_OPERAND);

	return n == 3 ? 1 : n == 0 ? 0 : -1;
}
