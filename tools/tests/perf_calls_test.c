// SPDX-License-Identifier: MIT
/*
 * The library of `pmudev exec` in this program, with made-up sets and a made-up perf: whose call is
 * it, and what is wrong with it?
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <linux/perf_event.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../perf/real.h"
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

static int open_beside(const struct perf_event_attr *attr, long group, unsigned long flags)
{
	return syscall(SYS_perf_event_open, attr, 0L, -1L, group, flags, 0L);
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

static void has_what_is_perfs(const struct perf_event_attr *attr, const char *what)
{
	is_perfs(open_event(attr, 0, -1, 0), what);
}

static void what_is_reserved(void)
{
	struct perf_event_attr attr = plain;
	int fd;

	attr.__reserved_1 = 1U << 25;
	has_what_is_perfs(&attr, "a bit that nobody knows");
	attr = plain;
	attr.__reserved_3 = 1;
	has_what_is_perfs(&attr, "a reserved field");
	attr = plain;
	attr.sample_type = 1ULL << 40;
	has_what_is_perfs(&attr, "an unknown part of samples");
	attr.sample_type = PERF_SAMPLE_CALLCHAIN;
	has_what_is_perfs(&attr, "one that needs rights");
	attr = plain;
	attr.sample_period = 1ULL << 63;
	has_what_is_perfs(&attr, "a period that is none");
	attr = plain;
	attr.use_clockid = 1;
	has_what_is_perfs(&attr, "a clock");
	attr = plain;
	attr.sig_data = 1;
	attr.sample_type = PERF_SAMPLE_IDENTIFIER;
	fd = open_event(&attr, 0, -1, 0);
	ok(fd >= 0 && !fake_perf_id(fd), "what perf does not look at is no reason");
	close(fd);
}

/* The descriptor of a group */
static void group_numbers(void)
{
	struct perf_event_attr attr = plain, clock = plain;
	int leader = open_event(&plain, 0, -1, 0), fd;
	uint64_t value = 0;

	ok(open_beside(&plain, -2, 0) == -1 && errno == EBADF, "a number that is none");
	ok(open_beside(&plain, 0, 0) == -1 && errno == EBADF, "one of no event");
	attr.__reserved_2 = 1;
	ok(open_beside(&attr, leader, 0) == -1 && errno == EINVAL && !fake_perf_id(leader),
	   "a member that perf refuses makes no group perf's");
	attr = plain;
	attr.exclusive = 1;
	ok(open_beside(&attr, leader, 0) == -1 && errno == EINVAL, "only leaders are exclusive");
	fd = open_beside(&plain, leader, PERF_FLAG_FD_NO_GROUP);
	ok(fd >= 0 && !fake_perf_id(fd), "beside an event, in no group");
	ioctl(fd, PERF_EVENT_IOC_ENABLE, 0);
	fake_step(2, 1);
	ok(read(fd, &value, sizeof(value)) == sizeof(value) && value == 2, "it counts alone");
	close(fd);
	clock.type = PERF_TYPE_SOFTWARE;
	clock.config = PERF_COUNT_SW_TASK_CLOCK;
	fd = open_beside(&clock, leader, PERF_FLAG_FD_NO_GROUP);
	ok(fake_perf_id(fd) && !fake_perf_id(leader), "one of perf's leaves the other alone");
	close(fd);
	real()->close(leader);
	ok(open_beside(&plain, leader, PERF_FLAG_FD_NO_GROUP) == -1 && errno == EBADF,
	   "beside one that was closed");
	is_number(fake_open_sets(), 0, "no set is left");
}

static bool refuses(int fd, size_t pages)
{
	return mmap(NULL, pages * sysconf(_SC_PAGESIZE), PROT_READ | PROT_WRITE, MAP_SHARED, fd,
		    0) == MAP_FAILED &&
	       errno == EINVAL && !fake_perf_id(fd);
}

static void sizes_of_maps(void)
{
	struct perf_event_attr attr = plain;
	int fd;

	attr.sample_period = 1000;
	fd = open_event(&attr, 0, -1, 0);
	ok(refuses(fd, 4) && refuses(fd, 6), "a ring that is no power of two and a page");
	close(fd);
	attr = plain;
	attr.inherit = 1;
	fd = open_event(&attr, 0, -1, 0);
	ok(refuses(fd, 1) && refuses(fd, 3), "a page of an event that children inherit");
	close(fd);
	is_number(fake_open_sets(), 0, "no set is left");
}

/* A number that the compiler does not know */
static long unknown(const char *text)
{
	return strtol(text, NULL, 10);
}

static void other_reads(void)
{
	int fd = open_event(&plain, 0, -1, 0);
	uint64_t value[2] = { 0 };
	struct iovec parts[] = {
		{ .iov_base = &value[0], .iov_len = 8 },
		{ .iov_base = &value[1], .iov_len = 4 },
	};

	ioctl(fd, PERF_EVENT_IOC_ENABLE, 0);
	fake_step(6, 1);
	ok(readv(fd, parts, 2) == 8 && value[0] == 6, "readv(2) reads until there is no room");
	parts[1].iov_len = 8;
	ok(readv(fd, parts, 2) == 16 && value[1] == 6, "and for each part anew");
	parts[0].iov_len = 4;
	ok(readv(fd, parts, 2) == -1 && errno == ENOSPC, "not if the first has none");
	ok(readv(fd, (void *)unknown("8"), 1) == -1 && errno == EFAULT,
	   "nor if there are no parts");
	ok(readv(fd, parts, unknown("-1")) == -1 && errno == EINVAL, "nor a number of them");
	ok(pread(fd, value, 8, 0) == -1 && errno == ESPIPE, "it has no places");
	ok(preadv(fd, &parts[1], 1, 0) == -1 && errno == ESPIPE, "for parts neither");
	ok(preadv2(fd, &parts[1], 1, -1, 0) == 8, "but one that is nowhere");
	ok(syscall(SYS_readv, (long)fd, &parts[1], 1L, 0L, 0L, 0L) == 8, "by its number");
	close(fd);
	fd = open("/proc/self/exe", O_RDONLY);
	ok(pread(fd, value, 4, 0) == 4 && !memcmp(value, "\177ELF", 4), "a file has places");
	ok(readv(fd, parts, 1) == 4, "and parts");
	close(fd);
}

/* Another file has the number of an event, which was closed behind the library. */
static void parts_of_another(void)
{
	int fd = open_event(&plain, 0, -1, 0), pair[2];
	char text[8];
	struct iovec parts[] = {
		{ .iov_base = &text[0], .iov_len = 4 },
		{ .iov_base = &text[4], .iov_len = 4 },
	};

	if (socketpair(AF_UNIX, SOCK_DGRAM, 0, pair))
		abort();
	real()->close(fd);
	real()->dup3(pair[0], fd, 0);
	if (send(pair[1], "one text", 8, 0) != 8)
		abort();
	ok(readv(fd, parts, 2) == 8 && !memcmp(text, "one text", 8),
	   "a message comes in all its parts");
	close(fd);
	close(pair[0]);
	close(pair[1]);
}

/* As programs do that change one flag of several */
static void flags_of_files(void)
{
	struct perf_event_attr attr = plain;
	struct f_owner_ex owner = { .type = F_OWNER_TID, .pid = getpid() };
	int fd;

	attr.sample_period = 1000;
	fd = open_event(&attr, 0, -1, 0);
	ok(!fcntl(fd, F_SETOWN_EX, &owner) && !fcntl(fd, F_SETSIG, SIGRTMIN), "an owner");
	ok(!fcntl(fd, F_SETFL, fcntl(fd, F_GETFL) | O_ASYNC), "is told");
	ok(!fcntl(fd, F_SETFL, fcntl(fd, F_GETFL) | O_NONBLOCK), "and it does not block");
	ok(fcntl(fd, F_GETFL) & O_ASYNC && table_find(fd)->overflow.async, "he is still told");
	is_number(fcntl(fd, F_GETSIG), SIGRTMIN, "by that signal");
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
	what_is_reserved();
	group_numbers();
	sizes_of_maps();
	other_reads();
	parts_of_another();
	flags_of_files();
	numbers();
	high_numbers();
	return tap_end();
}
