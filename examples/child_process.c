// SPDX-License-Identifier: MIT
/*
 * Counts a program that it runs, from its first instruction to its last, with all threads and
 * children: what `pmudev stat` does.
 *
 * usage: child_process COMMAND [ARGUMENT...]
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <pmudev.h>

static const struct pmudev_event_attr events[] = {
	{ .type = PMUDEV_TYPE_GENERIC,
	  .config = PMUDEV_INSTRUCTIONS,
	  .flags = PMUDEV_EXCLUDE_KERNEL | PMUDEV_EXCLUDE_HV },
};

/* The child waits here until its parent is ready to count: the pipe's end, or a word to go. */
static pid_t start(char **command, int *go)
{
	int ends[2];
	pid_t pid;
	char word;

	if (pipe(ends))
		return -1;
	pid = fork();
	if (pid) {
		close(ends[0]);
		*go = ends[1];
		return pid;
	}
	close(ends[1]);
	if (read(ends[0], &word, 1) != 1)
		_exit(1); /* the parent could not count */
	close(ends[0]);
	execvp(*command, command);
	fprintf(stderr, "child_process: cannot run %s: %s\n", *command, strerror(errno));
	_exit(127);
}

int main(int argc, char **argv)
{
	union pmudev_record_buffer buffer;
	struct pmudev_record *record = &buffer.record;
	struct pmudev set;
	int go, status;
	char why[512];
	pid_t pid;

	if (argc < 2) {
		fprintf(stderr, "usage: child_process COMMAND [ARGUMENT...]\n");
		return 2;
	}
	pid = start(argv + 1, &go);
	if (pid < 0) {
		perror("child_process");
		return 1;
	}
	/* It holds its counters from ENABLE on, and counts from the exec on. */
	if (pmudev_open(&set) ||
	    pmudev_bind_task(&set, pid, PMUDEV_BIND_INHERIT | PMUDEV_BIND_ON_EXEC) ||
	    pmudev_add(&set, events, 1, NULL) || pmudev_enable(&set, PMUDEV_ALL)) {
		pmudev_explain(&set, why, sizeof(why));
		fprintf(stderr, "child_process: %s\n", why);
		close(go); /* the child ends without having run anything */
		waitpid(pid, NULL, 0);
		return 1;
	}
	if (write(go, "", 1) != 1 || waitpid(pid, &status, 0) != pid) {
		perror("child_process");
		return 1;
	}
	/* The target is gone, its counts stay. Children of its own that it left behind count on. */
	if (pmudev_read(&set, record, sizeof(buffer))) {
		pmudev_explain(&set, why, sizeof(why));
		fprintf(stderr, "child_process: %s\n", why);
		return 1;
	}
	if (!record->counts[0].time_running)
		printf("nothing was counted\n");
	else
		printf("%llu instructions\n", (unsigned long long)record->counts[0].value);
	if (record->flags & PMUDEV_RECORD_INCOMPLETE)
		printf("some of its children could not be counted\n");
	pmudev_close(&set);
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}
