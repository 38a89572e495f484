// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <poll.h>
#include <string.h>
#include <sys/signalfd.h>
#include <sys/timerfd.h>
#include <time.h>
#include <unistd.h>

#include "cmd.h"
#include "ticks.h"
#include "watch.h"

/* How often to check whether a target without a command has ended. */
#define LOOK_NS (NS_PER_SECOND / 10)

uint64_t watch_now(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec * NS_PER_SECOND + ts.tv_nsec;
}

static int open_signals(struct watch *watch)
{
	sigemptyset(&watch->watched);
	sigaddset(&watch->watched, SIGINT);
	sigaddset(&watch->watched, SIGQUIT);
	sigaddset(&watch->watched, SIGTERM);
	sigprocmask(SIG_BLOCK, &watch->watched, &watch->before);
	return signalfd(-1, &watch->watched, SFD_CLOEXEC | SFD_NONBLOCK);
}

void watch_also(struct watch *watch, int signal)
{
	sigaddset(&watch->watched, signal);
	sigprocmask(SIG_BLOCK, &watch->watched, NULL);
	signalfd(watch->signals, &watch->watched, 0);
}

bool watch_open(struct watch *watch, int child)
{
	watch->child = child;
	watch->input = -1;
	watch->signal = 0;
	watch->signals = open_signals(watch);
	watch->tick = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK);
	watch->moment = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK);
	watch->look = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK);
	if (watch->signals >= 0 && watch->tick >= 0 && watch->moment >= 0 && watch->look >= 0)
		return true;
	complain("cannot make a timer: %s", strerror(errno));
	watch_close(watch);
	return false;
}

static void close_one(int fd)
{
	if (fd >= 0)
		close(fd);
}

static bool take_signal(struct watch *watch)
{
	struct signalfd_siginfo info;

	if (read(watch->signals, &info, sizeof(info)) != sizeof(info))
		return false;
	watch->signal = info.ssi_signo;
	return true;
}

void watch_close(struct watch *watch)
{
	/* Signals for the wait must not end the report. */
	while (watch->signals >= 0 && take_signal(watch))
		;
	close_one(watch->signals);
	close_one(watch->tick);
	close_one(watch->moment);
	close_one(watch->look);
	sigprocmask(SIG_SETMASK, &watch->before, NULL);
}

static struct timespec timespec_of(uint64_t ns)
{
	return (struct timespec){ .tv_sec = ns / NS_PER_SECOND, .tv_nsec = ns % NS_PER_SECOND };
}

/* @moment, and then every @interval unless it is 0. */
static void set_timer(int fd, uint64_t moment, uint64_t interval)
{
	struct itimerspec when = {
		.it_value = timespec_of(moment),
		.it_interval = timespec_of(interval),
	};

	timerfd_settime(fd, TFD_TIMER_ABSTIME, &when, NULL);
}

void watch_every(struct watch *watch, uint64_t start, uint64_t interval)
{
	set_timer(watch->tick, start + interval, interval);
}

void watch_until(struct watch *watch, uint64_t moment)
{
	set_timer(watch->moment, moment, 0);
}

void watch_look(struct watch *watch)
{
	set_timer(watch->look, watch_now() + LOOK_NS, LOOK_NS);
}

static bool rang(int fd)
{
	uint64_t times;

	return read(fd, &times, sizeof(times)) == sizeof(times);
}

unsigned int watch_wait(struct watch *watch)
{
	struct pollfd fds[] = {
		{ .fd = watch->child, .events = POLLIN },
		{ .fd = watch->signals, .events = POLLIN },
		{ .fd = watch->tick, .events = POLLIN },
		{ .fd = watch->moment, .events = POLLIN },
		{ .fd = watch->look, .events = POLLIN },
		{ .fd = watch->input, .events = POLLIN },
	};
	unsigned int events;

	do {
		events = 0;
		if (poll(fds, ARRAY_SIZE(fds), -1) < 0)
			continue;
		if (fds[0].revents)
			events |= WATCH_CHILD;
		if (fds[1].revents && take_signal(watch))
			events |= WATCH_SIGNAL;
		if (fds[2].revents && rang(watch->tick))
			events |= WATCH_TICK;
		if (fds[3].revents && rang(watch->moment))
			events |= WATCH_MOMENT;
		if (fds[4].revents && rang(watch->look))
			events |= WATCH_LOOK;
		if (fds[5].revents)
			events |= WATCH_INPUT;
	} while (!events);
	return events;
}
