// SPDX-License-Identifier: GPL-2.0
/*
 * perf's part of `pmudev bench`: the same through perf_event_open(2), with its file, ioctls and
 * page as its header describes. Measured while pmudev holds nothing.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>
#include <linux/perf_event.h>

#include "bench.h"

static int fds[BENCH_MOST];
static struct perf_event_mmap_page *pages[BENCH_MOST];
static unsigned int open_files;
static size_t page_bytes;

const char *perf_missing;

/* @group: read(2) returns the number of values first */
static int open_event(unsigned int i, bool kernel, bool user_read, bool group, int leader)
{
	struct perf_event_attr attr = {
		.size = sizeof(attr),
		.type = PERF_TYPE_HARDWARE,
		.config = i % 2 ? PERF_COUNT_HW_CPU_CYCLES : PERF_COUNT_HW_INSTRUCTIONS,
		.exclude_kernel = !kernel,
		.exclude_hv = 1,
		.read_format = group ? PERF_FORMAT_GROUP : 0,
	};

#ifdef __aarch64__
	/* Request user reads. */
	attr.config1 = user_read ? 2 : 0;
#else
	(void)user_read;
#endif
	return syscall(SYS_perf_event_open, &attr, 0, -1, leader, PERF_FLAG_FD_CLOEXEC);
}

static void close_events(void)
{
	while (open_files--) {
		if (pages[open_files])
			munmap(pages[open_files], page_bytes);
		pages[open_files] = NULL;
		close(fds[open_files]);
	}
	open_files = 0;
}

static bool open_events(unsigned int nr, bool user_read)
{
	void *page;

	open_files = 0;
	page_bytes = sysconf(_SC_PAGESIZE);
	while (open_files < nr) {
		fds[open_files] =
			open_event(open_files, false, user_read, true, open_files ? fds[0] : -1);
		if (fds[open_files] < 0) {
			close_events();
			return false;
		}
		open_files++;
		if (!user_read)
			continue;
		page = mmap(NULL, page_bytes, PROT_READ, MAP_SHARED, fds[open_files - 1], 0);
		if (page == MAP_FAILED) {
			close_events();
			return false;
		}
		pages[open_files - 1] = page;
	}
	return true;
}

bool perf_available(struct bench *b)
{
	int fd = open_event(0, b->kernel, false, false, -1);

	if (fd < 0) {
		perf_missing = errno == EACCES || errno == EPERM ?
				       "it is not permitted (kernel.perf_event_paranoid)" :
				       "perf has no hardware events here";
		return false;
	}
	close(fd);
	return true;
}

/* -------------------------------------------------------------------- perf's page -- */

/* The loop of <linux/perf_event.h>, without times. */
static inline __attribute__((__always_inline__)) bool
read_page(const struct perf_event_mmap_page *pc, uint64_t *value)
{
	uint64_t count, raw;
	uint32_t seq, index;

	do {
		seq = __atomic_load_n(&pc->lock, __ATOMIC_RELAXED);
		__atomic_signal_fence(__ATOMIC_SEQ_CST);
		index = pc->index;
		count = pc->offset;
		if (!pc->cap_user_rdpmc || !index)
			return false;
#ifdef __aarch64__
		raw = pmudev_counter(index == 32 ? 31 : index - 1);
#else
		raw = pmudev_counter(index - 1);
#endif
		raw <<= 64 - pc->pmc_width;
		count += (int64_t)raw >> (64 - pc->pmc_width);
		__atomic_signal_fence(__ATOMIC_SEQ_CST);
	} while (__atomic_load_n(&pc->lock, __ATOMIC_RELAXED) != seq);
	*value = count;
	return true;
}

static void read_pages(struct bench *b, unsigned int n)
{
	unsigned int i;

	while (n--)
		for (i = 0; i < b->nr; i++)
			read_page(pages[i], &b->value[i]);
}

static void read_call(struct bench *b, unsigned int n)
{
	uint64_t buffer[1 + BENCH_MOST];

	(void)b;
	while (n--)
		if (read(fds[0], buffer, sizeof(buffer)) < 0)
			return;
}

static void enable_disable(struct bench *b, unsigned int n)
{
	(void)b;
	while (n--) {
		ioctl(fds[0], PERF_EVENT_IOC_DISABLE, PERF_IOC_FLAG_GROUP);
		ioctl(fds[0], PERF_EVENT_IOC_ENABLE, PERF_IOC_FLAG_GROUP);
	}
}

static void life(struct bench *b, unsigned int n)
{
	while (n--)
		if (open_events(b->nr, false))
			close_events();
}

static void map_unmap(struct bench *b, unsigned int n)
{
	void *page;

	(void)b;
	while (n--) {
		page = mmap(NULL, page_bytes, PROT_READ, MAP_SHARED, fds[0], 0);
		if (page != MAP_FAILED)
			munmap(page, page_bytes);
	}
}

/* Does a perf event count? An event that does not fit silently stays 0. */
static bool counts(int fd)
{
	uint64_t value[2 + BENCH_MOST] = { 0 };
	ssize_t len = read(fd, value, sizeof(value));

	/* A group's first word is the number of values. */
	return len > 0 && value[len > (ssize_t)sizeof(*value)];
}

static const char *const none_counted = "perf does not count this many events at once";

/* Counts with perf itself while @fn runs, if its counters allow. */
static struct cost measure(struct bench *b, bench_fn *fn, unsigned int each)
{
	struct cost cost;

	if (open_files && !counts(fds[0]))
		return bench_failed(none_counted);
	b->perf_clock = open_event(0, b->kernel, false, false, -1);
	if (b->perf_clock >= 0 && !counts(b->perf_clock)) {
		close(b->perf_clock);
		b->perf_clock = -1;
	}
	cost = bench_measure(b, fn, each);
	if (b->perf_clock >= 0)
		close(b->perf_clock);
	b->perf_clock = -1;
	return cost;
}

struct cost perf_read_page(struct bench *b, unsigned int nr)
{
	struct cost cost;
	uint64_t value;

	if (!open_events(nr, true))
		return bench_failed("perf has no user reads here (kernel.perf_user_access)");
	b->nr = nr;
	if (read_page(pages[0], &value))
		cost = measure(b, read_pages, 1);
	else
		cost = bench_failed("its page gives no counter (rdpmc, perf_user_access)");
	close_events();
	return cost;
}

static struct cost with_events(struct bench *b, unsigned int nr, bench_fn *fn, unsigned int each)
{
	struct cost cost;

	b->nr = nr;
	if (!open_events(nr, false))
		return bench_failed("perf refused the events");
	cost = measure(b, fn, each);
	close_events();
	return cost;
}

struct cost perf_read_call(struct bench *b, unsigned int nr)
{
	return with_events(b, nr, read_call, 1);
}

struct cost perf_enable_disable(struct bench *b, unsigned int nr)
{
	return with_events(b, nr, enable_disable, 1);
}

struct cost perf_map_unmap(struct bench *b)
{
	return with_events(b, 1, map_unmap, 1);
}

struct cost perf_life(struct bench *b, unsigned int nr)
{
	bool fine = open_events(nr, false);

	close_events();
	if (!fine)
		return bench_failed("perf refused the events");
	b->nr = nr;
	return measure(b, life, 1);
}

struct cost perf_switch(struct bench *b, unsigned int nr, const struct cost *base)
{
	struct cost cost;

	if (!open_events(nr, false))
		return bench_failed("perf refused the events");
	if (counts(fds[0]))
		cost = bench_measure(b, ball_pass, 2);
	else
		cost = bench_failed(none_counted);
	close_events();
	return cost.measured ? bench_extra(&cost, base) : cost;
}
