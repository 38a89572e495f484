// SPDX-License-Identifier: MIT
/*
 * The library of `pmudev exec` in this program, with made-up sets and a made-up perf: rings that
 * the program maps over, moves or shares, and what fcntl(2) has set when events become perf's.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <linux/perf_event.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdint.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../perf/refresh.h"
#include "../perf/table.h"
#include "fake_perf.h"
#include "fake_sets.h"
#include "tap.h"

#define PAGES 9

static struct perf_event_attr sampled(void)
{
	struct perf_event_attr attr = {
		.size = sizeof(attr),
		.type = PERF_TYPE_HARDWARE,
		.config = PERF_COUNT_HW_INSTRUCTIONS,
		.disabled = 1,
		.exclude_kernel = 1,
		.sample_period = 1000,
		.sample_type = PERF_SAMPLE_IP,
	};

	return attr;
}

static int open_attr(const struct perf_event_attr *attr, int group)
{
	return syscall(SYS_perf_event_open, attr, (long)getpid(), -1L, (long)group, 0L, 0L);
}

static int open_sampled(int group)
{
	const struct perf_event_attr attr = sampled();

	return open_attr(&attr, group);
}

static size_t ring_size(void)
{
	return PAGES * sysconf(_SC_PAGESIZE);
}

static struct perf_event_mmap_page *map_ring(int fd)
{
	return mmap(NULL, ring_size(), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
}

/* One of this thread, which is told of each overflow */
static struct perf_event_mmap_page *open_ring(int *fd)
{
	struct f_owner_ex owner = { .type = F_OWNER_TID, .pid = getpid() };

	*fd = open_sampled(-1);
	fcntl(*fd, F_SETOWN_EX, &owner);
	fcntl(*fd, F_SETFL, O_ASYNC);
	return map_ring(*fd);
}

/* As the module signals an overflow of that event */
static void overflow(int fd)
{
	const struct event *event = table_find(fd);
	siginfo_t info;

	memset(&info, 0, sizeof(info));
	info.si_signo = refresh_signal();
	info.si_code = SI_SIGIO;
	info.si_fd = refresh_id(event, fd);
	info.si_band = event->due;
	syscall(SYS_rt_tgsigqueueinfo, (long)getpid(), (long)getpid(), (long)info.si_signo, &info,
		0L, 0L);
}

/* It is there no more, and what is there is the program's. */
static void mapped_over(void)
{
	struct perf_event_mmap_page *ring;
	const char *words;
	size_t i, wrong = 0;
	int fd;

	ring = open_ring(&fd);
	ok(ring != MAP_FAILED && !fake_perf_id(fd), "a ring that the library writes");
	overflow(fd);
	is_number(ring->data_head, 16, "with a sample");
	words = mmap(ring, ring_size(), PROT_READ | PROT_WRITE,
		     MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
	overflow(fd);
	for (i = 0; i < ring_size(); i++)
		wrong += words[i] != 0;
	ok(words == (const char *)ring && !wrong, "memory at its place stays as it is");
	munmap(ring, ring_size());
	close(fd);
}

static void moved(void)
{
	struct perf_event_mmap_page *ring, *to;
	int fd;

	ring = open_ring(&fd);
	overflow(fd);
	to = mremap(ring, ring_size(), 2 * ring_size(), MREMAP_MAYMOVE);
	ok(to == MAP_FAILED && errno == EFAULT, "a ring does not grow");
	to = mmap(NULL, ring_size(), PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	ok(mremap(ring, ring_size(), ring_size(), MREMAP_MAYMOVE | MREMAP_FIXED, to) == to,
	   "but it moves");
	overflow(fd);
	is_number(to->data_head, 32, "and is written there");
	ring = mremap(to, ring_size(), sysconf(_SC_PAGESIZE), 0);
	overflow(fd);
	is_number(ring->data_head, 32, "not without its end");
	munmap(ring, sysconf(_SC_PAGESIZE));
	close(fd);
	is_number(fake_open_sets(), 0, "no set is left");
}

/* A child of fork(2) has nothing where the ring is, and can use the place. */
static void in_child(void)
{
	struct perf_event_mmap_page *ring;
	int fd, status = -1;
	char *own;
	pid_t pid;

	ring = open_ring(&fd);
	pid = fork();
	if (!pid) {
		own = mmap(ring, ring_size(), PROT_READ | PROT_WRITE,
			   MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);
		own = mremap(own, ring_size(), 2 * ring_size(), MREMAP_MAYMOVE);
		_exit(own == MAP_FAILED);
	}
	waitpid(pid, &status, 0);
	is_number(status, 0, "memory of a child that lies there grows");
	munmap(ring, ring_size());
	close(fd);
}

/* Each event of a group has one: both come to their places. */
static void two_given(void)
{
	struct f_owner_ex process = { .type = F_OWNER_PID, .pid = getpid() };
	struct f_owner_ex thread = { .type = F_OWNER_TID, .pid = getpid() };
	struct perf_event_mmap_page *ring[2];
	int fd[2], i;

	ring[0] = open_ring(&fd[0]);
	fd[1] = open_sampled(fd[0]);
	fcntl(fd[1], F_SETOWN_EX, &thread);
	fcntl(fd[1], F_SETFL, O_ASYNC);
	ring[1] = map_ring(fd[1]);
	ok(ring[0] != MAP_FAILED && ring[1] != MAP_FAILED && !fake_perf_id(fd[0]), "two rings");
	ok(!fcntl(fd[1], F_SETOWN_EX, &process), "of which one needs perf");
	for (i = 0; i < 2; i++) {
		ok(pwrite(fd[i], "perf", 4, 0) == 4 && !memcmp(ring[i], "perf", 4),
		   "perf's is at its place");
		munmap(ring[i], ring_size());
		close(fd[i]);
	}
	is_number(fake_open_sets(), 0, "no set is left");
}

/* ---------------------------------------------------------------------- outputs -- */

/* The ring of one event for the samples of another one: both are perf's. */
static void outputs(void)
{
	struct perf_event_attr attr = sampled();
	struct perf_event_mmap_page *ring;
	int fd[2], other;

	fd[0] = open_sampled(-1);
	other = open_sampled(-1);
	ok(ioctl(fd[0], PERF_EVENT_IOC_SET_OUTPUT, (long)other) == -1 && errno == EINVAL,
	   "an event without a ring");
	close(other);
	ring = open_ring(&fd[1]);
	ok(ioctl(fd[0], PERF_EVENT_IOC_SET_OUTPUT, (long)fd[0]) == -1 && errno == EINVAL,
	   "not its own");
	ok(ioctl(fd[0], PERF_EVENT_IOC_SET_OUTPUT, 1000L) == -1 && errno == EBADF, "nor nothing's");
	ok(!ioctl(fd[0], PERF_EVENT_IOC_SET_OUTPUT, -1L) && !fake_perf_id(fd[0]), "nor no ring");
	ok(!ioctl(fd[0], PERF_EVENT_IOC_SET_OUTPUT, (long)fd[1]), "a ring of another event");
	ok(fake_perf_id(fd[0]) && fake_perf_id(fd[1]), "makes both of them perf's");
	munmap(ring, ring_size());
	close(fd[0]);
	close(fd[1]);
	/* In one group */
	ring = open_ring(&fd[0]);
	fd[1] = open_sampled(fd[0]);
	ok(!ioctl(fd[1], PERF_EVENT_IOC_SET_OUTPUT, (long)fd[0]), "the ring of its leader");
	is_number(fake_perf_leader(fd[1]), fake_perf_id(fd[0]), "and they are one group");
	munmap(ring, ring_size());
	close(fd[1]);
	close(fd[0]);
	attr.sample_period = 0;
	fd[0] = open_attr(&attr, -1);
	fd[1] = open_attr(&attr, -1);
	ioctl(fd[0], PERF_EVENT_IOC_ENABLE, 0);
	ioctl(fd[1], PERF_EVENT_IOC_ENABLE, 0);
	ok(ioctl(fd[1], PERF_EVENT_IOC_SET_OUTPUT, (long)fd[0]) == -1 && errno == EINVAL,
	   "nor have these one");
	ring = open_ring(&other);
	ok(!ioctl(fd[0], PERF_EVENT_IOC_SET_OUTPUT, (long)other) && !fake_perf_id(other),
	   "an event without samples writes nothing there");
	close(fd[0]);
	fd[0] = open_sampled(-1);
	ioctl(fd[0], PERF_EVENT_IOC_ENABLE, 0);
	ok(ioctl(fd[0], PERF_EVENT_IOC_SET_OUTPUT, (long)other) == -1 && errno == EINVAL,
	   "one that has counted cannot be perf's");
	ok(!fake_perf_id(other), "and then the other one is not, either");
	munmap(ring, ring_size());
	close(other);
	other = open_sampled(-1);
	ok(ioctl(other, PERF_EVENT_IOC_SET_FILTER, "x") == -1 && errno == EINVAL, "no filter");
	ok(ioctl(other, PERF_EVENT_IOC_PAUSE_OUTPUT, 1L) == -1 && errno == EINVAL, "no ring");
	ok(!fake_perf_id(other), "and it stays pmudev's");
	close(other);
	close(fd[0]);
	close(fd[1]);
	is_number(fake_open_sets(), 0, "no set is left");
}

/* --------------------------------------------------------------------- hand-over -- */

/* All events of a group have one file at pmudev, and one each at perf. */
static void signals_of_members(void)
{
	struct f_owner_ex owner = { .type = F_OWNER_TID, .pid = getpid() }, own = { 0 };
	int fd[2], i;

	fd[0] = open_sampled(-1);
	fd[1] = open_sampled(fd[0]);
	for (i = 0; i < 2; i++)
		fcntl(fd[i], F_SETSIG, SIGRTMIN + i);
	fcntl(fd[0], F_SETOWN_EX, &owner);
	is_number(fcntl(fd[0], F_GETSIG), SIGRTMIN, "each has a signal of its own");
	munmap(map_ring(fd[1]), ring_size());
	ok(fake_perf_id(fd[0]) && fake_perf_id(fd[1]), "they become perf's");
	is_number(fcntl(fd[0], F_GETSIG), SIGRTMIN, "the leader keeps its signal");
	is_number(fcntl(fd[1], F_GETSIG), SIGRTMIN + 1, "the member, too");
	ok(!fcntl(fd[0], F_GETOWN_EX, &own) && own.pid == getpid() && own.type == F_OWNER_TID,
	   "the leader keeps its owner");
	ok(!fcntl(fd[1], F_GETOWN_EX, &own) && !own.pid, "the member has none");
	close(fd[0]);
	close(fd[1]);
}

static struct {
	int fd;
	uint64_t id;
	atomic_bool end;
	atomic_uint signal;
	atomic_uint wrong;
} beside;

static void *ask_id(void *unused)
{
	uint64_t id = 0;

	(void)unused;
	while (!atomic_load(&beside.end))
		if (ioctl(beside.fd, PERF_EVENT_IOC_ID, &id) || id != beside.id)
			atomic_fetch_add(&beside.wrong, 1);
	return NULL;
}

static void *set_signal(void *unused)
{
	int signal = SIGRTMIN;

	(void)unused;
	while (!atomic_load(&beside.end)) {
		signal = signal == SIGRTMIN ? SIGRTMIN + 1 : SIGRTMIN;
		if (fcntl(beside.fd, F_SETSIG, signal) || fcntl(beside.fd, F_GETSIG) != signal)
			atomic_fetch_add(&beside.wrong, 1);
	}
	return NULL;
}

/* Whatever another thread asks at that moment is true. */
static void beside_hand_over(void *(*what)(void *), const char *name)
{
	struct perf_event_attr attr = {
		.size = sizeof(attr),
		.type = PERF_TYPE_SOFTWARE,
		.config = PERF_COUNT_SW_TASK_CLOCK,
	}, plain = sampled();
	pthread_t thread;
	int i, clock;

	plain.sample_type = 0;
	for (i = 0; i < 100; i++) {
		beside.fd = open_attr(&plain, -1);
		ioctl(beside.fd, PERF_EVENT_IOC_ID, &beside.id);
		atomic_store(&beside.end, false);
		pthread_create(&thread, NULL, what, NULL);
		usleep(i % 4 * 100);
		clock = open_attr(&attr, beside.fd);
		atomic_store(&beside.end, true);
		pthread_join(thread, NULL);
		if (!fake_perf_id(clock) || !fake_perf_id(beside.fd))
			atomic_fetch_add(&beside.wrong, 1);
		close(clock);
		close(beside.fd);
	}
	is_number(atomic_exchange(&beside.wrong, 0), 0, name);
	is_number(fake_open_sets(), 0, "no set is left");
}

int main(void)
{
	fake_perf_begin();
	signal(SIGIO, SIG_IGN);
	mapped_over();
	moved();
	two_given();
	in_child();
	outputs();
	signals_of_members();
	beside_hand_over(ask_id, "an identifier beside a hand-over");
	beside_hand_over(set_signal, "a signal beside a hand-over");
	return tap_end();
}
