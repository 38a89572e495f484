// SPDX-License-Identifier: GPL-2.0
#include "perf.h"
#include "common.h"

#include <glob.h>
#include <stdio.h>
#include <sys/mman.h>

static int open_event(struct perf_event_attr *attr, pid_t pid, int cpu, int leader)
{
	int fd = syscall(SYS_perf_event_open, attr, pid, cpu, leader, PERF_FLAG_FD_CLOEXEC);

	return fd < 0 ? -errno : fd;
}

int perf_open(__u64 config, __u64 config1, pid_t pid, int cpu)
{
	struct perf_event_attr attr = {
		.size = sizeof(attr),
		.type = PERF_TYPE_RAW,
		.config = config,
		.config1 = config1,
		.exclude_kernel = 1,
		.exclude_hv = 1,
		.read_format = PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING,
	};

	return open_event(&attr, pid, cpu, -1);
}

int perf_open_pinned(__u64 config, int cpu)
{
	struct perf_event_attr attr = {
		.size = sizeof(attr),
		.type = PERF_TYPE_RAW,
		.config = config,
		.pinned = 1,
		.exclude_kernel = 1,
		.exclude_hv = 1,
		.read_format = PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING,
	};

	return open_event(&attr, -1, cpu, -1);
}

int perf_open_excluding(__u64 config, __u32 flags, int cpu, int leader)
{
	struct perf_event_attr attr = {
		.size = sizeof(attr),
		.type = PERF_TYPE_RAW,
		.config = config,
		.disabled = leader < 0,
		.exclude_user = !!(flags & PMUDEV_EXCLUDE_USER),
		.exclude_kernel = !!(flags & PMUDEV_EXCLUDE_KERNEL),
		.exclude_hv = !!(flags & PMUDEV_EXCLUDE_HV),
		.exclude_host = !!(flags & PMUDEV_EXCLUDE_HOST),
		.exclude_guest = !!(flags & PMUDEV_EXCLUDE_GUEST),
		.read_format = PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING,
	};

	return open_event(&attr, cpu < 0 ? 0 : -1, cpu, leader);
}

int perf_open_clock(void)
{
	struct perf_event_attr attr = {
		.size = sizeof(attr),
		.type = PERF_TYPE_SOFTWARE,
		.config = PERF_COUNT_SW_TASK_CLOCK,
		.read_format = PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING,
	};

	return open_event(&attr, 0, -1, -1);
}

struct perf_count perf_count(int fd)
{
	struct perf_count count = { 0 };

	if (read(fd, &count, sizeof(count)) != sizeof(count))
		count.value = ~0ULL;
	return count;
}

int perf_set_turns(unsigned int ms)
{
	static const char path[] =
		"/sys/bus/event_source/devices/{cpu,cpu_*,armv8*}/perf_event_mux_interval_ms";
	char text[12];
	glob_t files;
	int ret = 0;
	size_t i;

	if (glob(path, GLOB_BRACE, NULL, &files))
		return -ENOENT;
	snprintf(text, sizeof(text), "%u", ms);
	for (i = 0; i < files.gl_pathc && !ret; i++)
		ret = write_file(files.gl_pathv[i], text);
	globfree(&files);
	return ret;
}

#if defined(__aarch64__)
#define CONFIG1_USER_READ 2 /* config1 of arm64's PMU */
#else
#define CONFIG1_USER_READ 0
#endif

static int map_page(int fd, size_t pages, int prot, struct perf_event_mmap_page **page)
{
	*page = mmap(NULL, pages * PAGE_BYTES, prot, MAP_SHARED, fd, 0);
	return *page == MAP_FAILED ? -errno : 0;
}

int perf_reader_open(struct perf_reader *reader, __u64 config)
{
	int ret;

	*reader = (struct perf_reader){ .fd = perf_open(config, CONFIG1_USER_READ, 0, -1) };
	if (reader->fd < 0)
		return reader->fd;
	ret = map_page(reader->fd, 1, PROT_READ, &reader->page);
	if (ret)
		close(reader->fd);
	return ret;
}

int perf_reader_read(struct perf_reader *reader, __u64 *count)
{
	const struct perf_event_mmap_page *page = reader->page;
	__u32 seq, index;
	bool direct;

	do {
		seq = READ_ONCE(page->lock);
		barrier();
		index = page->index;
		*count = page->offset;
		direct = page->cap_user_rdpmc && index;
		if (direct) {
			unsigned int shift = 64 - page->pmc_width;

			*count += (__s64)(counter(index - 1) << shift) >> shift;
		}
		barrier();
	} while (READ_ONCE(page->lock) != seq);
	if (direct) {
		reader->direct++;
		return 0;
	}
	reader->calls++;
	*count = perf_count(reader->fd).value;
	return *count == ~0ULL ? -EIO : 0;
}

void perf_reader_close(struct perf_reader *reader)
{
	munmap(reader->page, PAGE_BYTES);
	close(reader->fd);
}

#define RING_PAGES 8 /* and the first */

static int open_samples(struct perf_samples *samples, struct perf_event_attr *attr, pid_t pid,
			int cpu)
{
	int ret;

	attr->size = sizeof(*attr);
	attr->type = PERF_TYPE_RAW;
	attr->sample_type = PERF_SAMPLE_IP;
	attr->read_format = PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING;
	*samples = (struct perf_samples){ .fd = open_event(attr, pid, cpu, -1) };
	if (samples->fd < 0)
		return samples->fd;
	ret = map_page(samples->fd, 1 + RING_PAGES, PROT_READ | PROT_WRITE, &samples->page);
	if (ret)
		close(samples->fd);
	return ret;
}

int perf_samples_open(struct perf_samples *samples, __u64 config, int cpu, unsigned int hz)
{
	struct perf_event_attr attr = { .config = config, .freq = 1, .sample_freq = hz };
	long most = read_number("/proc/sys/kernel/perf_event_max_sample_rate");

	/* perf lowers it where interrupts take long, and then refuses more. */
	if (most > 0 && attr.sample_freq > (__u64)most)
		attr.sample_freq = most;
	return open_samples(samples, &attr, -1, cpu);
}

static int open_every(struct perf_samples *samples, __u64 config, pid_t pid, int cpu, __u64 period)
{
	struct perf_event_attr attr = {
		.config = config,
		.sample_period = period,
		.exclude_kernel = 1,
		.exclude_hv = 1,
	};

	return open_samples(samples, &attr, pid, cpu);
}

int perf_samples_open_every(struct perf_samples *samples, __u64 config, int cpu, __u64 period)
{
	return open_every(samples, config, -1, cpu, period);
}

int perf_samples_open_thread(struct perf_samples *samples, __u64 config, pid_t pid, __u64 period)
{
	return open_every(samples, config, pid, -1, period);
}

unsigned int perf_samples_take(struct perf_samples *samples)
{
	const char *ring = (const char *)samples->page + PAGE_BYTES;
	__u64 head = __atomic_load_n(&samples->page->data_head, __ATOMIC_ACQUIRE);
	__u64 tail = samples->page->data_tail;
	unsigned int nr = 0;

	while (tail < head) {
		const struct perf_event_header *record =
			(const void *)(ring + tail % (RING_PAGES * PAGE_BYTES));

		/* The event's number, and how many. */
		if (record->type == PERF_RECORD_LOST)
			samples->lost += *(const __u64 *)(ring + (tail + sizeof(*record) + 8) %
								   (RING_PAGES * PAGE_BYTES));
		nr += record->type == PERF_RECORD_SAMPLE;
		tail += record->size;
	}
	__atomic_store_n(&samples->page->data_tail, tail, __ATOMIC_RELEASE);
	return nr;
}

void perf_samples_close(struct perf_samples *samples)
{
	munmap(samples->page, (1 + RING_PAGES) * PAGE_BYTES);
	close(samples->fd);
}
