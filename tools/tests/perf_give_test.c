// SPDX-License-Identifier: MIT
/*
 * The library of `pmudev exec` in this program, with made-up sets and a made-up perf: events that
 * become perf's, with their groups.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <linux/perf_event.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "../perf/event.h"
#include "../perf/real.h"
#include "fake_perf.h"
#include "fake_sets.h"
#include "tap.h"

static int open_attr(const struct perf_event_attr *attr, int group)
{
	/* The first thread. As many arguments as a call can have: the library takes all. */
	return syscall(SYS_perf_event_open, attr, (long)getpid(), -1L, (long)group, 0L, 0L);
}

/* Of the CPU's counters, off */
static int open_event(int group)
{
	struct perf_event_attr attr = {
		.size = sizeof(attr),
		.type = PERF_TYPE_HARDWARE,
		.config = PERF_COUNT_HW_INSTRUCTIONS,
		.disabled = group < 0,
		.read_format = PERF_FORMAT_ID | PERF_FORMAT_GROUP,
	};

	return open_attr(&attr, group);
}

/* Only perf can count it. */
static int open_clock(int group)
{
	struct perf_event_attr attr = {
		.size = sizeof(attr),
		.type = PERF_TYPE_SOFTWARE,
		.config = PERF_COUNT_SW_TASK_CLOCK,
	};

	return open_attr(&attr, group);
}

/* Both members are in the leader's group, which is perf's, as if one had come after the other. */
static bool is_one_group(int leader, int member, int clock)
{
	const uint64_t id = fake_perf_id(leader);

	return id && fake_perf_leader(member) == id && fake_perf_leader(clock) == id;
}

static void one_after_the_other(void)
{
	int leader = open_event(-1), member = open_event(leader), copy = dup(member), clock;

	ok(leader >= 0 && member >= 0 && !fake_perf_id(member), "a group of pmudev's");
	clock = open_clock(leader);
	ok(fake_perf_id(clock), "a member that only perf can count");
	ok(fake_perf_id(leader) && fake_perf_id(copy), "the others are perf's, too");
	ok(is_one_group(leader, member, clock), "in one group");
	close(clock);
	close(copy);
	close(member);
	close(leader);
	is_number(fake_open_sets(), 0, "no set is left");
}

/* ------------------------------------------------------------------ two threads -- */

static struct {
	int leader;
	pthread_t other;
	atomic_int clock; /* what the other thread has opened; -2: nothing yet */
} race;

static int (*real_fcntl)(int fd, int command, ...);

static void *open_beside(void *unused)
{
	(void)unused;
	atomic_store(&race.clock, open_clock(race.leader));
	return NULL;
}

/* When this thread takes the leader's set, the other has made the group perf's, if it can. */
static int slow_fcntl(int fd, int command, ...)
{
	unsigned long arg;
	va_list args;
	int i;

	va_start(args, command);
	arg = va_arg(args, unsigned long);
	va_end(args);
	if (fd == race.leader && (command == F_DUPFD || command == F_DUPFD_CLOEXEC)) {
		real_found.fcntl = real_fcntl;
		pthread_create(&race.other, NULL, open_beside, NULL);
		for (i = 0; i < 100 && atomic_load(&race.clock) == -2; i++)
			usleep(2000);
	}
	return real_fcntl(fd, command, arg);
}

static void member_beside_hand_over(bool told)
{
	uint64_t id = 0, now = 0;
	int member;

	race.leader = open_event(-1);
	atomic_store(&race.clock, -2);
	if (told)
		ioctl(race.leader, PERF_EVENT_IOC_ID, &id);
	real_fcntl = real_found.fcntl;
	real_found.fcntl = slow_fcntl;
	member = open_event(race.leader);
	pthread_join(race.other, NULL);
	ok(member >= 0 && atomic_load(&race.clock) >= 0, "two threads open members");
	ok(is_one_group(race.leader, member, atomic_load(&race.clock)), "both are in the group");
	ioctl(race.leader, PERF_EVENT_IOC_ID, &now);
	ok(!told || now == id, "its identifier is what it was");
	close(member);
	close(atomic_load(&race.clock));
	close(race.leader);
	is_number(fake_open_sets(), 0, "no set is left");
}

static void *open_member(void *barrier)
{
	pthread_barrier_wait(barrier);
	return (void *)(intptr_t)open_event(race.leader);
}

/* The same at any moment */
static void members_at_once(void)
{
	pthread_barrier_t barrier;
	unsigned int i, wrong = 0;
	pthread_t thread;
	void *member;
	uint64_t id;
	int clock;

	pthread_barrier_init(&barrier, NULL, 2);
	for (i = 0; i < 300; i++) {
		race.leader = open_event(-1);
		if (i & 1)
			ioctl(race.leader, PERF_EVENT_IOC_ID, &id);
		pthread_create(&thread, NULL, open_member, &barrier);
		pthread_barrier_wait(&barrier);
		clock = open_clock(race.leader);
		pthread_join(thread, &member);
		wrong += !is_one_group(race.leader, (int)(intptr_t)member, clock);
		close(race.leader);
		close((int)(intptr_t)member);
		close(clock);
	}
	is_number(wrong, 0, "members that two threads open at the same time");
	is_number(fake_open_sets(), 0, "no set is left");
	pthread_barrier_destroy(&barrier);
}

/* ---------------------------------------------------------------- identifiers -- */

/* Perf's, whose samples carry what read(2) has of it, or of its group */
static int open_sampled_clock(int group, uint64_t read_format)
{
	struct perf_event_attr attr = {
		.size = sizeof(attr),
		.type = PERF_TYPE_SOFTWARE,
		.config = PERF_COUNT_SW_TASK_CLOCK,
		.sample_period = 1000,
		.sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_READ,
		.read_format = read_format,
	};

	return open_attr(&attr, group);
}

/* A ring of perf's tells perf's identifiers: not of a group that was told others. */
static void samples_of_later_members(void)
{
	const uint64_t all = PERF_FORMAT_GROUP | PERF_FORMAT_ID;
	int leader = open_event(-1), clock, own;
	uint64_t id = 0, now = 0;

	ok(!ioctl(leader, PERF_EVENT_IOC_ID, &id) && !fake_perf_id(leader), "it is told");
	ok(open_sampled_clock(leader, all) == -1 && errno == EINVAL, "a member is refused");
	ok(!fake_perf_id(leader), "for which the group has not become perf's");
	clock = open_clock(leader);
	ok(fake_perf_id(clock) && fake_perf_id(leader), "another one does that");
	ok(open_sampled_clock(leader, all) == -1 && errno == EINVAL, "and it is refused still");
	own = open_sampled_clock(leader, PERF_FORMAT_ID);
	ok(fake_perf_id(own), "not one that tells its own identifier");
	ok(!ioctl(own, PERF_EVENT_IOC_ID, &now) && now == fake_perf_id(own), "which is perf's");
	ok(!ioctl(leader, PERF_EVENT_IOC_ID, &now) && now == id, "the leader's is as before");
	close(own);
	close(clock);
	close(leader);
	/* Nobody was told. */
	leader = open_event(-1);
	clock = open_sampled_clock(leader, all);
	ok(fake_perf_id(clock), "a group without identifiers becomes perf's");
	ok(!ioctl(leader, PERF_EVENT_IOC_ID, &now) && now == fake_perf_id(leader),
	   "and has perf's");
	close(clock);
	close(leader);
}

/* A member's samples carry the leader's identifier, which is asked for first. */
static void samples_of_members(void)
{
	struct perf_event_attr attr = {
		.size = sizeof(attr),
		.type = PERF_TYPE_HARDWARE,
		.config = PERF_COUNT_HW_INSTRUCTIONS,
		.sample_period = 1000,
		.sample_type = PERF_SAMPLE_READ,
		.read_format = PERF_FORMAT_GROUP | PERF_FORMAT_ID,
	};
	int leader = open_event(-1), member = open_attr(&attr, leader);
	uint64_t id = 0;

	ok(member >= 0 && !fake_perf_id(member), "a member with samples");
	ok(!ioctl(leader, PERF_EVENT_IOC_ID, &id) && id && id == fake_perf_id(leader),
	   "the leader's identifier is the one of its samples");
	close(member);
	attr.read_format = PERF_FORMAT_GROUP;
	member = open_attr(&attr, -1);
	ok(!ioctl(member, PERF_EVENT_IOC_ID, &id) && id && !fake_perf_id(member),
	   "not if samples carry none");
	close(member);
	close(leader);
	is_number(fake_open_sets(), 0, "no set is left");
}

/* ----------------------------------------------------------------------- rings -- */

#define PAGES 9

static int open_sampled(uint64_t sample_type)
{
	struct perf_event_attr attr = {
		.size = sizeof(attr),
		.type = PERF_TYPE_HARDWARE,
		.config = PERF_COUNT_HW_INSTRUCTIONS,
		.disabled = 1,
		.exclude_kernel = 1,
		.sample_period = 1000,
		.sample_type = sample_type,
	};

	return open_attr(&attr, -1);
}

static int tell(int fd, int type, pid_t whom)
{
	struct f_owner_ex owner = { .type = type, .pid = whom };

	return fcntl(fd, F_SETOWN_EX, &owner) || fcntl(fd, F_SETFL, O_ASYNC) ? -1 : 0;
}

static char *map_ring(int fd)
{
	return mmap(NULL, PAGES * sysconf(_SC_PAGESIZE), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
}

/* What the user is told by @call, and nothing of it before */
static char told[400];

static void begin_telling(char *path)
{
	int file = mkstemp(path);

	close(file);
	perf_settings.explain = true;
	perf_settings.file = path;
}

static void end_telling(const char *path)
{
	int file = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t got = read(file, told, sizeof(told) - 1);

	told[got > 0 ? got : 0] = '\0';
	close(file);
	unlink(path);
	perf_settings.explain = false;
	perf_settings.file = NULL;
}

/* A ring that is in use: with its event it is perf's, or neither is. */
static void rings_given(void)
{
	const pid_t me = syscall(SYS_gettid);
	char path[] = "/tmp/perf_give_test.XXXXXX";
	int fd = open_sampled(PERF_SAMPLE_IP);
	char *ring;

	ok(!tell(fd, F_OWNER_TID, me), "the counted thread is told");
	ring = map_ring(fd);
	ok(ring != MAP_FAILED && !fake_perf_id(fd), "a ring that the library writes");
	fake_perf_error = EPERM;
	begin_telling(path);
	ok(tell(fd, F_OWNER_PID, me) == -1 && errno == EPERM, "one that perf cannot map");
	end_telling(path);
	is(told,
	   "pmudev exec: fcntl(): perf cannot map a ring of its group: Operation not permitted\n",
	   "the user is told why");
	ok(!fake_perf_id(fd), "the event stays pmudev's");
	fake_perf_error = 0;
	ok(!tell(fd, F_OWNER_PID, me) && fake_perf_id(fd), "with perf's ring it becomes perf's");
	ok(pwrite(fd, "perf", 4, 0) == 4 && !memcmp(ring, "perf", 4), "the ring is at its place");
	munmap(ring, PAGES * sysconf(_SC_PAGESIZE));
	close(fd);
	is_number(fake_open_sets(), 0, "no set is left");
}

/* Nobody would write it. */
static void rings_refused(void)
{
	char path[] = "/tmp/perf_give_test.XXXXXX";
	int fd = open_sampled(PERF_SAMPLE_TIME), plain;

	ioctl(fd, PERF_EVENT_IOC_ENABLE, 0);
	begin_telling(path);
	ok(map_ring(fd) == MAP_FAILED && errno == EINVAL, "a ring of an event that has counted");
	end_telling(path);
	is(told,
	   "pmudev exec: mmap(): an event of its group has counted, so that it cannot become "
	   "perf's\n",
	   "the user is told why");
	close(fd);
	plain = open_event(-1);
	ioctl(plain, PERF_EVENT_IOC_ENABLE, 0);
	ok(map_ring(plain) != MAP_FAILED, "one of an event without samples is empty");
	close(plain);
	/* Mapped by perf, which may say no */
	fd = open_sampled(PERF_SAMPLE_TIME);
	fake_perf_error = EPERM;
	ok(map_ring(fd) == MAP_FAILED && errno == EPERM && fake_perf_id(fd), "what perf says");
	fake_perf_error = 0;
	close(fd);
}

int main(void)
{
	fake_perf_begin();
	one_after_the_other();
	member_beside_hand_over(false);
	member_beside_hand_over(true);
	members_at_once();
	samples_of_later_members();
	samples_of_members();
	rings_given();
	rings_refused();
	return tap_end();
}
