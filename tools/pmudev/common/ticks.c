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

bool ticks_begin(struct ticks *ticks)
{
	struct itimerspec when = {
		.it_interval.tv_sec = ticks->interval / NS_PER_SECOND,
		.it_interval.tv_nsec = ticks->interval % NS_PER_SECOND,
	};

	when.it_value = when.it_interval;
	if (!timerfd_settime(ticks->timer, 0, &when, NULL))
		return true;
	complain("cannot start a timer: %s", strerror(errno));
	return false;
}

/* What is watched is blocked from now on. */
static bool take_signals(struct ticks *ticks)
{
	sigprocmask(SIG_BLOCK, &ticks->watched, NULL);
	ticks->signals = signalfd(ticks->signals, &ticks->watched, SFD_CLOEXEC);
	return ticks->signals >= 0;
}

bool ticks_open(struct ticks *ticks, uint64_t interval_ns)
{
	sigemptyset(&ticks->watched);
	sigaddset(&ticks->watched, SIGINT);
	sigaddset(&ticks->watched, SIGQUIT);
	sigaddset(&ticks->watched, SIGTERM);
	ticks->signal = 0;
	ticks->signals = -1;
	ticks->interval = interval_ns;
	ticks->timer = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC);
	if (take_signals(ticks) && ticks->timer >= 0)
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

bool ticks_also(struct ticks *ticks, int signal)
{
	sigaddset(&ticks->watched, signal);
	return take_signals(ticks);
}

uint64_t ticks_wait(struct ticks *ticks)
{
	struct pollfd fds[] = {
		{ .fd = ticks->signals, .events = POLLIN },
		{ .fd = ticks->timer, .events = POLLIN },
	};
	struct signalfd_siginfo info;
	uint64_t ended;

	while (poll(fds, ARRAY_SIZE(fds), -1) < 0 && errno == EINTR)
		;
	if (fds[0].revents) {
		ticks->signal = 0;
		if (read(ticks->signals, &info, sizeof(info)) == sizeof(info))
			ticks->signal = info.ssi_signo;
		return 0;
	}
	if (read(ticks->timer, &ended, sizeof(ended)) != sizeof(ended))
		return 0;
	return ended;
}
