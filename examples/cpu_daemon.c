// SPDX-License-Identifier: MIT
/*
 * A daemon that counts a CPU: it opens its set as root, gives up all rights (the file keeps
 * counting), and prints a line for each interval until SIGTERM. When the CPU goes offline it says
 * so and goes on when it is back.
 *
 * usage: cpu_daemon CPU SECONDS UID      UID: who it becomes, 65534 for nobody
 */
#include <errno.h>
#include <grp.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include <pmudev.h>

#define EVENTS 2

static const struct pmudev_event_attr events[EVENTS] = {
	{ .type = PMUDEV_TYPE_GENERIC, .config = PMUDEV_INSTRUCTIONS },
	{ .type = PMUDEV_TYPE_GENERIC, .config = PMUDEV_CYCLES },
};

static int complain(struct pmudev *set, const char *what)
{
	char why[512];

	pmudev_explain(set, why, sizeof(why));
	fprintf(stderr, "cpu_daemon: %s: %s\n", what, why);
	pmudev_close(set);
	return 1;
}

/* A whole number of at least @least, or -1. */
static long number(const char *text, long least)
{
	char *end;
	long n;

	errno = 0;
	n = strtol(text, &end, 10);
	return errno || end == text || *end || n < least || n > INT_MAX ? -1 : n;
}

/* In this order: without the right to change users, groups cannot be left any more. */
static int become(uid_t uid)
{
	if (setgroups(0, NULL) || setgid(uid) || setuid(uid)) {
		perror("cpu_daemon: cannot give up root's rights");
		return -1;
	}
	return 0;
}

/* What the CPU did since the record before. Nothing that was not counted looks like 0. */
static void print_interval(const struct pmudev_record *now, const struct pmudev_record *before)
{
	unsigned long long enabled = now->time_enabled - before->time_enabled;
	unsigned long long running = now->time_running - before->time_running;
	unsigned long long n[EVENTS];
	int i;

	for (i = 0; i < EVENTS; i++)
		n[i] = now->counts[i].value - before->counts[i].value;
	if (now->flags & PMUDEV_RECORD_OFFLINE)
		printf("the CPU is offline; until then ");
	if (!running) {
		printf("nothing was counted\n");
		return;
	}
	printf("%llu instructions, %llu cycles", n[0], n[1]);
	if (running < enabled)
		printf(" (counted %.1f%% of the time)", 100.0 * running / enabled);
	printf("\n");
}

/* The interval is waited for, and so is the end. */
static int watch(struct pmudev *set, unsigned int seconds)
{
	const struct timespec interval = { .tv_sec = seconds };
	union pmudev_record_buffer records[2];
	unsigned int turn = 0;
	sigset_t ends;

	sigemptyset(&ends);
	sigaddset(&ends, SIGTERM);
	sigaddset(&ends, SIGINT);
	sigprocmask(SIG_BLOCK, &ends, NULL);
	if (pmudev_read(set, &records[turn].record, sizeof(records[turn])))
		return complain(set, "reading");
	for (;;) {
		int signal = sigtimedwait(&ends, NULL, &interval);

		if (signal < 0 && errno == EINTR)
			continue;
		turn ^= 1;
		if (pmudev_read(set, &records[turn].record, sizeof(records[turn])))
			return complain(set, "reading");
		print_interval(&records[turn].record, &records[turn ^ 1].record);
		fflush(stdout);
		if (signal > 0)
			return 0;
	}
}

int main(int argc, char **argv)
{
	const long cpu = argc == 4 ? number(argv[1], 0) : -1;
	const long seconds = argc == 4 ? number(argv[2], 1) : -1;
	const long uid = argc == 4 ? number(argv[3], 1) : -1;
	struct pmudev set;
	int status;

	if (cpu < 0 || seconds < 0 || uid < 0) {
		fprintf(stderr, "usage: cpu_daemon CPU SECONDS UID (numbers, no UID 0)\n");
		return 2;
	}
	if (pmudev_open(&set))
		return complain(&set, "opening");
	if (pmudev_bind_cpu(&set, cpu, 0))
		return complain(&set, "counting this CPU");
	if (pmudev_add(&set, events, EVENTS, NULL))
		return complain(&set, "its events");
	if (pmudev_enable(&set, PMUDEV_ALL))
		return complain(&set, "getting counters");
	if (become(uid))
		return 1;
	printf("counting CPU %ld as user %u\n", cpu, getuid());
	fflush(stdout);
	status = watch(&set, seconds);
	pmudev_close(&set);
	return status;
}
