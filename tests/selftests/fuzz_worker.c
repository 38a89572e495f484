// SPDX-License-Identifier: GPL-2.0
/* What the fuzzer does next, and everything that is done to a descriptor. */
#include "fuzz.h"

#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>

static int some_set(struct fuzz *f)
{
	return FUZZ_FD + fuzz_pick(f, FUZZ_SLOTS);
}

/* ------------------------------------------------------------------- descriptors -- */

static void open_as(struct fuzz *f, int fd, int flags)
{
	int got;

	fuzz_begin(f, FUZZ_OPEN, "open %d, flags %x", fd - FUZZ_FD, flags);
	got = fuzz_end(f, fuzz_result(open(PMUDEV_DEVICE, flags)));
	if (got >= 0) {
		dup3(got, fd, fuzz_rarely(f, 2) ? O_CLOEXEC : 0);
		close(got);
	}
}

static void do_open(struct fuzz *f)
{
	static const int flags[] = { O_RDWR,   O_RDWR,	 O_RDWR,
				     O_RDONLY, O_WRONLY, O_RDWR | O_NONBLOCK | O_APPEND,
				     O_PATH };

	open_as(f, some_set(f), FUZZ_ONE_OF(f, flags));
}

static void do_close(struct fuzz *f)
{
	int fd = some_set(f);

	fuzz_begin(f, FUZZ_CLOSE, "close %d", fd - FUZZ_FD);
	fuzz_end(f, fuzz_result(close(fd)));
}

/* A descriptor of another process's, or one for it. */
static long take(struct fuzz *f, int fd)
{
	int tid = READ_ONCE(f->s->tid[fuzz_pick(f, FUZZ_WORKERS)]), pidfd;
	long ret = -ESRCH;

	pidfd = tid ? syscall(SYS_pidfd_open, tid, 0) : -1;
	if (pidfd >= 0) {
		ret = fuzz_result(syscall(SYS_pidfd_getfd, pidfd, fd, 0));
		close(pidfd);
	}
	return ret;
}

static void do_pass(struct fuzz *f)
{
	int from = some_set(f), to = some_set(f), flags = fuzz_rarely(f, 2) ? O_CLOEXEC : 0;
	int socket = FUZZ_SOCKET_FD + fuzz_pick(f, 2);
	unsigned int how = fuzz_pick(f, 5);
	long got;

	switch (how) {
	case 0:
		fuzz_begin(f, FUZZ_PASS, "dup %d to %d", from - FUZZ_FD, to - FUZZ_FD);
		fuzz_end(f, fuzz_result(dup3(from, to, flags)));
		return;
	case 1:
	case 2:
		fuzz_begin(f, FUZZ_PASS, "another's %d to %d", from - FUZZ_FD, to - FUZZ_FD);
		got = fuzz_end(f, take(f, from));
		break;
	case 3:
		fuzz_begin(f, FUZZ_PASS, "send %d", from - FUZZ_FD);
		fuzz_end(f, send_fd(socket, from));
		return;
	default:
		fuzz_begin(f, FUZZ_PASS, "receive %d", to - FUZZ_FD);
		got = fuzz_end(f, receive_fd(socket));
		break;
	}
	if (got >= 0) {
		dup3(got, to, flags);
		close(got);
	}
}

static void do_other_ioctl(struct fuzz *f)
{
	unsigned long request = _IO(PMUDEV_IOC_TYPE, fuzz_pick(f, 256));
	bool ours = fuzz_rarely(f, 2);
	int fd = some_set(f);
	char room[256] = { 0 };
	long ret;

	/* The right number with a size or a direction, which ours have not. */
	if (!ours)
		request = _IOC(1 + fuzz_pick(f, 3), PMUDEV_IOC_TYPE, 0x40 + fuzz_pick(f, 13),
			       fuzz_pick(f, 300));
	else if (_IOC_NR(request) >= _IOC_NR(PMUDEV_IOC_QUERY) &&
		 _IOC_NR(request) <= _IOC_NR(PMUDEV_IOC_READ_SETS))
		return;
	fuzz_begin(f, FUZZ_OTHER_IOCTL, "ioctl(%d) %lx", fd - FUZZ_FD, request);
	ret = fuzz_end(f, fuzz_result(ioctl(fd, request, room)));
	if (ret != -ENOTTY && ret != -EBADF)
		fuzz_fail(f, "%ld, but there is no such ioctl", ret);
}

/* Calls that the device has not much to do with. */
static void do_poll(struct fuzz *f)
{
	struct pollfd poll_ = { .fd = some_set(f), .events = POLLIN | POLLOUT };
	unsigned int how = fuzz_pick(f, 6);
	char byte = 0;
	long ret;

	fuzz_begin(f, FUZZ_POLL, "poll or so %u (%d)", how, poll_.fd - FUZZ_FD);
	switch (how) {
	case 0:
		ret = poll(&poll_, 1, 0);
		if (ret == 1 && (poll_.revents & ~(POLLERR | POLLNVAL | POLLHUP | POLLIN)))
			fuzz_fail(f, "ready: %x", poll_.revents);
		break;
	case 1:
		ret = lseek(poll_.fd, fuzz_pick(f, 100), SEEK_SET);
		break;
	case 2:
		ret = write(poll_.fd, &byte, 1);
		break;
	case 3:
		ret = pread(poll_.fd, &byte, 1, 0);
		break;
	case 4:
		ret = fcntl(poll_.fd, F_SETFL, fuzz_pick(f, 2) ? O_NONBLOCK | O_ASYNC : 0);
		break;
	default:
		ret = ftruncate(poll_.fd, 1);
		break;
	}
	fuzz_end(f, fuzz_result(ret));
}

/* --------------------------------------------------------------------- all of it -- */

/* An ioctl, of those that make a set more often than of others. */
static void do_ioctl(struct fuzz *f)
{
	static const unsigned char nr[] = { 0, 1, 2, 2, 3, 4, 4, 5, 6, 7, 8, 9, 9, 10, 11, 12 };

	fuzz_ioctl(f, some_set(f), FUZZ_ONE_OF(f, nr));
}

static void do_read(struct fuzz *f)
{
	fuzz_read(f, some_set(f));
}

static void do_mmap(struct fuzz *f)
{
	fuzz_mmap(f, some_set(f));
}

/* A set from its beginning: most others would be refused for the order of calls. */
static void do_set(struct fuzz *f)
{
	int fd = some_set(f), i;

	f->careful = !fuzz_rarely(f, 3);
	open_as(f, fd, O_RDWR);
	fuzz_ioctl(f, fd, 1);
	for (i = 1 + fuzz_pick(f, 3); i; i--)
		fuzz_ioctl(f, fd, 2);
	fuzz_ioctl(f, fd, 4);
	fuzz_mmap(f, fd);
	fuzz_read(f, fd);
	f->careful = false;
	for (i = fuzz_pick(f, 4); i; i--)
		fuzz_look(f);
}

/* Work, so that something is counted, and others have their turn. */
static void do_nothing(struct fuzz *f)
{
	__u64 n = 1 + fuzz_pick(f, 20000), nap = fuzz_random(f) >> 46;

	if (fuzz_rarely(f, 3))
		pause_ns(nap);
	else
		loop(n);
}

/* -------------------------------------------------------------------- own counts -- */

/* Nobody else touches this set: what it counts never becomes less. */
static struct pmudev_count before;

static void make_own(struct fuzz *f, int fd)
{
	struct pmudev_event_attr event = raw_event(EVENT_CYCLES, USER_ONLY);
	int got;

	fuzz_begin(f, FUZZ_OWN, "own made");
	got = fuzz_end(f, pm_set(&event, 1, true));
	before = (struct pmudev_count){ 0 };
	if (got >= 0) {
		dup3(got, fd, O_CLOEXEC);
		close(got);
	}
}

static void do_own(struct fuzz *f)
{
	int fd = FUZZ_OWN_FD + f->worker;
	struct pmudev_count *now;
	union record record;

	if (f->depth)
		return;
	if (pm_read(fd, &record)) {
		make_own(f, fd);
		return;
	}
	now = &record.r.counts[0];
	fuzz_begin(f, FUZZ_OWN, "own");
	fuzz_end(f, 0);
	if (now->value < before.value || now->time_enabled < before.time_enabled ||
	    now->time_running < before.time_running)
		fuzz_fail(f, "a count went back: %llx %llx", before.value, now->value);
	before = *now;
	if (fuzz_rarely(f, 50))
		close(fd);
}

/* ----------------------------------------------------------------------- in turn -- */

static const struct {
	void (*fn)(struct fuzz *f);
	unsigned int weight;
} actions[] = {
	{ do_set, 60 },	     { do_ioctl, 200 },	    { do_read, 50 },	    { do_open, 5 },
	{ do_close, 12 },    { do_pass, 15 },	    { do_other_ioctl, 4 },  { do_poll, 6 },
	{ do_nothing, 60 },  { do_own, 15 },	    { do_mmap, 40 },	    { fuzz_munmap, 15 },
	{ fuzz_mremap, 15 }, { fuzz_mprotect, 15 }, { fuzz_look, 60 },	    { fuzz_fork, 14 },
	{ fuzz_thread, 4 },  { fuzz_exec, 10 },	    { fuzz_rights, 8 },	    { fuzz_signal, 10 },
	{ fuzz_ptrace, 4 },  { fuzz_move, 15 },	    { fuzz_hotplug, 2 },    { fuzz_user_access, 6 },
	{ fuzz_rmmod, 1 },   { fuzz_perf, 12 },	    { fuzz_perf_right, 2 }, { fuzz_sysfs, 3 },
};

static void act(struct fuzz *f)
{
	static unsigned int sum;
	unsigned int i, dice, all = 0;

	if (!sum) {
		for (i = 0; i < ARRAY_SIZE(actions); i++)
			all += actions[i].weight;
		sum = all;
	}
	dice = fuzz_pick(f, sum);
	for (i = 0; dice >= actions[i].weight; i++)
		dice -= actions[i].weight;
	actions[i].fn(f);
}

void fuzz_go_on(struct fuzz *f, unsigned int nr)
{
	unsigned int i;

	for (i = 0; !nr || i < nr; i++) {
		if (READ_ONCE(f->s->stop) || (f->s->limit && READ_ONCE(f->s->calls) >= f->s->limit))
			return;
		act(f);
		fuzz_reap();
	}
}

void fuzz_work(struct fuzz *f)
{
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	f->s->tid[f->worker] = my_tid();
	fuzz_arena(f);
	fuzz_go_on(f, 0);
	fuzz_pages_even(f);
	_exit(0);
}
