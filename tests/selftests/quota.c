// SPDX-License-Identifier: GPL-2.0
#include "quota.h"

#include <signal.h>
#include <stdio.h>

#include "as.h"

int set_limit(long limit)
{
	char text[32];

	snprintf(text, sizeof(text), "%ld", limit);
	return write_file(LIMIT, text);
}

int bound(void)
{
	int fd = pm_open();
	int ret = fd < 0 ? fd : pm_bind(fd, PMUDEV_TARGET_TASK, 0, 0);

	if (!ret)
		return fd;
	if (fd >= 0)
		close(fd);
	return ret;
}

bool refused(int ret, long most)
{
	return ret == -EDQUOT && why.code == PMUDEV_WHY_LIMIT && (long)why.limit == most;
}

bool has_room_of(int room, long most)
{
	int fd[MOST + 1], nr = 0, ret = 0;
	bool exactly;

	while (nr <= room && (ret = bound()) >= 0)
		fd[nr++] = ret;
	exactly = nr == room && refused(ret, most);
	while (nr--)
		close(fd[nr]);
	return exactly;
}

static int held[2 * MOST], nr_held;

long become_user(long uid)
{
	int ret = become(uid, -1);

	/* What ends it with its parent went with the credentials. */
	return ret ? ret : prctl(PR_SET_PDEATHSIG, SIGKILL);
}

long hold(long n)
{
	int i, ret;

	for (i = 0; i < n; i++) {
		ret = bound();
		if (ret < 0)
			return refused(ret, read_number(LIMIT)) ? i : ret;
		held[nr_held++] = ret;
	}
	return n;
}

long let_go(long n)
{
	while (n-- && nr_held)
		close(held[--nr_held]);
	return nr_held;
}

int room_of(unsigned int uid, int room)
{
	return AS(uid, -1, CHECK(has_room_of(room, MOST)));
}
