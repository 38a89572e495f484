// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/signalfd.h>
#include <sys/timerfd.h>
#include <unistd.h>

#include "cmd.h"
#include "ticks.h"

static int open_timer(uint64_t interval)
{
	struct itimerspec when = {
		.it_interval.tv_sec = interval / NS_PER_SECOND,
		.it_interval.tv_nsec = interval % NS_PER_SECOND,
	};
	int fd = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC);

	when.it_value = when.it_interval;
	if (fd >= 0 && !timerfd_settime(fd, 0, &when, NULL))
		return fd;
	if (fd >= 0)
		close(fd);
	return -1;
}

static int open_signals(void)
{
	sigset_t signals;

	sigemptyset(&signals);
	sigaddset(&signals, SIGINT);
	sigaddset(&signals, SIGTERM);
	sigprocmask(SIG_BLOCK, &signals, NULL);
	return signalfd(-1, &signals, SFD_CLOEXEC);
}

bool ticks_open(struct ticks *ticks, uint64_t interval_ns)
{
	ticks->signals = open_signals();
	ticks->timer = open_timer(interval_ns);
	if (ticks->signals >= 0 && ticks->timer >= 0)
		return true;
	complain("cannot make a timer: %s", strerror(errno));
	ticks_close(ticks);
	return false;
}

void ticks_close(struct ticks *ticks)
{
	if (ticks->timer >= 0)
		close(ticks->timer);
	if (ticks->signals >= 0)
		close(ticks->signals);
}

uint64_t ticks_wait(struct ticks *ticks)
{
	struct pollfd fds[] = {
		{ .fd = ticks->signals, .events = POLLIN },
		{ .fd = ticks->timer, .events = POLLIN },
	};
	uint64_t ended;

	while (poll(fds, ARRAY_SIZE(fds), -1) < 0 && errno == EINTR)
		;
	if (fds[0].revents || read(ticks->timer, &ended, sizeof(ended)) != sizeof(ended))
		return 0;
	return ended;
}
