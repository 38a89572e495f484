// SPDX-License-Identifier: GPL-2.0
#include "server.h"
#include "common.h"

#include <dirent.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* Named, for those who are no relatives. */
#define ASK  "/tmp/pmudev_server_ask"
#define DONE "/tmp/pmudev_server_done"

static int job[2], done[2];

/*
 * The same instructions each time: the C library's own calls have atomic operations about them,
 * which older Arm CPUs repeat when they are interrupted.
 */
static bool get(int fd, void *to, long len)
{
	return syscall(SYS_read, fd, to, len) == len;
}

static bool put(int fd, const void *from, long len)
{
	return syscall(SYS_write, fd, from, len) == len;
}

static void *worker(void *arg)
{
	long rounds;

	(void)arg;
	while (get(job[0], &rounds, sizeof(rounds))) {
		loop(rounds);
		if (!put(done[1], "x", 1))
			break;
	}
	return NULL;
}

static int serve_once(int ask, int answer)
{
	int i, status, child;
	long rounds;
	char byte;

	if (!get(ask, &rounds, sizeof(rounds)))
		return -1;
	for (i = 0; i < SERVER_THREADS; i++)
		if (!put(job[1], &rounds, sizeof(rounds)))
			return -1;
	child = plain_fork();
	if (!child) {
		loop(rounds);
		plain_exit();
	}
	if (plain_wait(&status) != child)
		return -1;
	for (i = 0; i < SERVER_THREADS; i++)
		if (!get(done[0], &byte, 1))
			return -1;
	return put(answer, "x", 1) ? 0 : -1;
}

static void serve(void)
{
	int ask = open(ASK, O_RDWR | O_CLOEXEC), answer = open(DONE, O_RDWR | O_CLOEXEC), i;
	pthread_t thread;

	if (ask < 0 || answer < 0 || pipe(job) || pipe(done))
		_exit(1);
	for (i = 0; i < SERVER_THREADS; i++)
		if (pthread_create(&thread, NULL, worker, NULL))
			_exit(1);
	while (!serve_once(ask, answer))
		;
	_exit(1);
}

/* 'S': it sleeps, 'Z': it has ended, ... 0: there is none. */
static char thread_state(int pid, const char *tid)
{
	char path[64], text[256] = "", *state;
	FILE *file;

	snprintf(path, sizeof(path), "/proc/%d/task/%.20s/stat", pid, tid);
	file = fopen(path, "r");
	if (!file)
		return 0;
	state = fgets(text, sizeof(text), file) ? strrchr(text, ')') : NULL;
	fclose(file);
	return state ? state[2] : 0;
}

/* How many threads it has, and how many of them are asleep. */
static int count_threads(int pid, int *asleep)
{
	struct dirent *entry;
	char path[64];
	int n = 0;
	DIR *dir;

	*asleep = 0;
	snprintf(path, sizeof(path), "/proc/%d/task", pid);
	dir = opendir(path);
	while (dir && (entry = readdir(dir))) {
		if (entry->d_name[0] == '.')
			continue;
		n++;
		*asleep += thread_state(pid, entry->d_name) == 'S';
	}
	if (dir)
		closedir(dir);
	return n;
}

static bool all_asleep(int pid)
{
	int asleep;

	return count_threads(pid, &asleep) == SERVER_THREADS + 1 && asleep == SERVER_THREADS + 1;
}

/* The directory of its threads cannot be trusted while they end. */
int end_server(int pid)
{
	struct pollfd server = { .fd = syscall(SYS_pidfd_open, pid, 0), .events = POLLIN };
	int ended;

	if (server.fd < 0)
		return -1;
	kill(pid, SIGKILL);
	ended = poll(&server, 1, 10000);
	close(server.fd);
	return ended == 1 ? 0 : -1;
}

int start_server(void)
{
	int pid;

	unlink(ASK);
	unlink(DONE);
	if (mkfifo(ASK, 0600) || mkfifo(DONE, 0600))
		return -1;
	pid = fork_bound();
	if (!pid)
		serve();
	if (!WAIT_FOR(all_asleep(pid)))
		return -1;
	/* What is done for the first time only is not part of later answers. */
	return ask_server(pid, 1) ? -1 : pid;
}

int ask_server(int pid, long rounds)
{
	int ask = open(ASK, O_RDWR | O_CLOEXEC), answer = open(DONE, O_RDWR | O_CLOEXEC);
	int ret = -1;
	char byte;

	if (ask >= 0 && answer >= 0 && write(ask, &rounds, sizeof(rounds)) == sizeof(rounds) &&
	    read(answer, &byte, 1) == 1 && WAIT_FOR(all_asleep(pid)))
		ret = 0;
	close(ask);
	close(answer);
	return ret;
}
