// SPDX-License-Identifier: MIT
/*
 * The library of `pmudev exec` in this program, with made-up sets and a made-up perf: whose call is
 * it, and what is wrong with it?
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <linux/perf_event.h>
#include <stdint.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../perf/table.h"
#include "fake_perf.h"
#include "fake_sets.h"
#include "tap.h"

static const struct perf_event_attr plain = {
	.size = sizeof(plain),
	.type = PERF_TYPE_HARDWARE,
	.config = PERF_COUNT_HW_INSTRUCTIONS,
	.disabled = 1,
};

static int open_event(const struct perf_event_attr *attr, long pid, long cpu, unsigned long flags)
{
	return syscall(SYS_perf_event_open, attr, pid, cpu, -1L, flags, 0L);
}

/* Is it perf's, which says what is wrong with it? */
static void is_perfs(int fd, const char *what)
{
	ok(fake_perf_id(fd), what);
	close(fd);
}

static void what_perf_refuses(void)
{
	struct perf_event_attr attr = plain;
	int fd = open_event(&attr, 0, -1, 0);

	ok(fd >= 0 && !fake_perf_id(fd), "an event of pmudev's");
	close(fd);
	is_perfs(open_event(&attr, 0, -1, 1UL << 20), "an unknown flag");
	is_perfs(open_event(&attr, 0, -1, PERF_FLAG_FD_OUTPUT), "the ring of another one");
	is_perfs(open_event(&attr, -2, 0, 0), "a pid that is none");
	is_perfs(open_event(&attr, 0, -2, 0), "a CPU that is none");
	attr.read_format = 1UL << 20;
	is_perfs(open_event(&attr, 0, -1, 0), "an unknown format");
	fd = open_event(&plain, 0, -1, 0);
	ok(mmap(NULL, 4096, PROT_READ, MAP_PRIVATE, fd, 0) == MAP_FAILED && errno == EINVAL,
	   "a page that is not shared");
	close(fd);
}

/* By their numbers, as the event was opened */
static void numbers(void)
{
	int fd = open_event(&plain, 0, -1, 0);
	struct perf_event_mmap_page *page;
	uint64_t value;

	page = (void *)syscall(SYS_mmap, NULL, 4096L, (long)PROT_READ, (long)MAP_SHARED, (long)fd,
			       0L);
	ok(page != MAP_FAILED && !page->cap_user_rdpmc, "mmap(2) maps a page of perf's kind");
	ok(!syscall(SYS_munmap, page, 4096L, 0L, 0L, 0L, 0L), "munmap(2)");
	ok(!syscall(SYS_prctl, (long)PR_TASK_PERF_EVENTS_ENABLE, 0L, 0L, 0L, 0L, 0L), "prctl(2)");
	fake_step(3, 1);
	ok(read(fd, &value, sizeof(value)) == sizeof(value) && value == 3, "enables the event");
	close(fd);
}

static void has_no_high_number(int fd)
{
	int there = open("/dev/null", O_RDONLY);

	ok(fcntl(fd, F_DUPFD, MOST_FDS) == -1 && errno == EMFILE, "a copy has no number");
	ok(dup2(there, MOST_FDS + 2) == MOST_FDS + 2, "others have them");
	ok(dup2(fd, MOST_FDS + 2) == -1 && errno == EBADF, "nor one that was chosen");
	ok(fcntl(MOST_FDS + 2, F_GETFD) >= 0, "and what has it stays");
	close(MOST_FDS + 2);
	close(there);
}

/* Numbers that the table does not have */
static void high_numbers(void)
{
	const struct rlimit many = { .rlim_cur = MOST_FDS + 10, .rlim_max = MOST_FDS + 10 };
	int fd = open_event(&plain, 0, -1, 0);

	if (setrlimit(RLIMIT_NOFILE, &many))
		ok(true, "# SKIP no descriptor has such a number");
	else
		has_no_high_number(fd);
	close(fd);
	is_number(fake_open_sets(), 0, "no set is left");
}

int main(void)
{
	fake_perf_begin();
	what_perf_refuses();
	numbers();
	high_numbers();
	return tap_end();
}
