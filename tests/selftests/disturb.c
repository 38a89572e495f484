// SPDX-License-Identifier: GPL-2.0
#include "disturb.h"

#include <stdint.h>
#include <unistd.h>

void disturb_go_on(struct disturbance *d)
{
	unsigned int i;
	int ret = 0;

	while (!READ_ONCE(d->begin))
		pause_ns(200000);
	for (i = 0; !READ_ONCE(d->stop); i++) {
		ret = d->once(d->arg, i);
		if (!ret)
			WRITE_ONCE(d->times, d->times + 1);
		else if (ret != -EAGAIN)
			break;
		/* Of changing length: what is disturbed is at another place each time. */
		pause_ns(d->pause + i % 13 * (d->pause / 5 + 7));
	}
	if (ret && ret != -EAGAIN)
		WRITE_ONCE(d->wrong, ret);
}

int disturb_prepare(struct disturbance *d)
{
	int pid;

	d->begin = false;
	d->stop = false;
	d->times = 0;
	d->wrong = 0;
	pid = fork_bound();
	if (!pid) {
		nice(-20);
		disturb_go_on(d);
		_exit(0);
	}
	d->pid = pid;
	return pid < 0 ? -errno : 0;
}

void disturb_begin(struct disturbance *d)
{
	WRITE_ONCE(d->begin, true);
}

int disturb_start(struct disturbance *d)
{
	int ret = disturb_prepare(d);

	disturb_begin(d);
	return ret;
}

int disturb_end(struct disturbance *d)
{
	int ret;

	WRITE_ONCE(d->stop, true);
	ret = child_result(d->pid);
	d->pid = 0;
	return ret ? ret : d->wrong;
}

bool disturbed(const struct disturbance *d, unsigned int nr, unsigned int least)
{
	unsigned int i;

	for (i = 0; i < nr; i++)
		if (d[i].once && READ_ONCE(d[i].times) < least && !READ_ONCE(d[i].wrong))
			return false;
	return true;
}

int hotplug_once(void *arg, unsigned int i)
{
	int cpu = i % ((intptr_t)arg - 1) + 1;

	pin_to(0);
	if (set_cpu_online(cpu, false))
		return -EIO;
	return set_cpu_online(cpu, true) ? -EIO : 0;
}

int access_once(void *arg, unsigned int i)
{
	(void)arg;
	return set_user_access(i & 1);
}
