// SPDX-License-Identifier: MIT
/*
 * A budget: a program may execute so many instructions, and is killed at the next one. It cannot
 * block or handle what stops it. (The budget is of its first thread; children have none.)
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <pmudev_deadline.h>

#define OVER_BUDGET 124 /* as timeout(1) */

static int start(struct pmudev *set, pid_t child, uint64_t budget)
{
	const struct pmudev_event_attr instructions = {
		.config = PMUDEV_INSTRUCTIONS,
		.flags = PMUDEV_EXCLUDE_KERNEL | PMUDEV_EXCLUDE_HV,
	};
	const struct pmudev_deadline deadline = {
		.flags = PMUDEV_DEADLINE_STOP,
		.value = budget,
	};

	if (pmudev_open(set) || pmudev_bind_task(set, child, PMUDEV_BIND_ON_EXEC) ||
	    pmudev_start(set, &instructions, 1, NULL))
		return -1;
	return pmudev_deadline_set(set, &deadline, 1);
}

/* The child waits for the pipe, so that its set is there before it begins. */
static pid_t spawn(char **command, int *go)
{
	int pipes[2];
	pid_t child;
	char byte;

	if (pipe2(pipes, O_CLOEXEC))
		return -1;
	child = fork();
	if (!child) {
		close(pipes[1]);
		if (read(pipes[0], &byte, 1) == 1)
			execvp(command[0], command);
		fprintf(stderr, "cannot run %s: %s\n", command[0], strerror(errno));
		_exit(127);
	}
	close(pipes[0]);
	*go = pipes[1];
	return child;
}

/* Return: the child's wait status, and whether it was killed for its budget. */
static int watch(struct pmudev *set, pid_t child, uint64_t *spent)
{
	struct pollfd wait[2] = {
		{ .fd = set->fd, .events = POLLIN },
		{ .fd = (int)syscall(SYS_pidfd_open, child, 0), .events = POLLIN },
	};
	struct pmudev_report report;
	int status;

	/* The set's says POLLHUP at the end: both tell of it. */
	while (poll(wait, 2, -1) < 0 && errno == EINTR)
		;
	if (pmudev_deadline_reports(set, &report, 1) == 1) {
		*spent = report.count;
		kill(child, SIGKILL);
	}
	close(wait[1].fd);
	waitpid(child, &status, 0);
	return status;
}

int main(int argc, char **argv)
{
	uint64_t budget = argc > 2 ? strtoull(argv[1], NULL, 10) : 0, spent = 0;
	struct pmudev set;
	int go, status;
	pid_t child;
	char why[256];

	if (!budget) {
		fprintf(stderr, "usage: instruction_budget INSTRUCTIONS COMMAND [ARG...]\n");
		return 2;
	}
	child = spawn(argv + 2, &go);
	if (child < 0 || start(&set, child, budget)) {
		pmudev_explain(&set, why, sizeof(why));
		fprintf(stderr, "instruction_budget: %s\n", child < 0 ? strerror(errno) : why);
		return 1;
	}
	if (write(go, "g", 1) != 1)
		return 1;
	close(go);
	status = watch(&set, child, &spent);
	pmudev_close(&set);
	if (!spent)
		return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
	fprintf(stderr, "killed after %" PRIu64 " instructions\n", spent);
	return OVER_BUDGET;
}
