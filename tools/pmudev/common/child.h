/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The command that is counted. Its process waits until it may go, so that its set, which begins to
 * count when it executes the command, is there before. Two pipes connect it to the parent, both
 * closed by a successful exec: `go` tells it to begin, `told` tells the parent what went wrong. End
 * of file on `told` without bad news means that the command runs.
 */
#ifndef CHILD_H
#define CHILD_H

#include <stdbool.h>
#include <sys/resource.h>
#include <sys/types.h>

/**
 * struct child - the command's process
 * @pid: its number
 * @fd: readable when it has ended (pidfd)
 * @told: the parent's end of a pipe
 * @go: the parent's end of a pipe
 */
struct child {
	pid_t pid;
	int fd;
	int told;
	int go;
};

/*
 * Where the command is, so that the search is not counted; to be freed. A path with a slash is
 * taken as it is; NULL if there is no such program.
 */
char *find_program(const char *name);

/* The same; NULL: it has been told on stderr. */
char *find_command(const char *name);

/* Is it a set-uid or set-gid program of somebody else? */
bool gains_privileges(const char *file);

/* Makes the process that will execute it. False if that fails, which was reported on stderr. */
bool child_start(struct child *child, const char *program, char **command);

/*
 * Lets it go, and hears whether it executes the command. Return: 0, or an exit status, and it has
 * been told on stderr.
 */
int child_release(struct child *child, const char *name);

/* The same. @meanwhile: is called now and then until that is known; with @arg */
int child_release_meanwhile(struct child *child, const char *name, void (*meanwhile)(void *arg),
			    void *arg);

/* No more is told: one that was not released ends by itself. */
void child_cut(struct child *child);

/* Cuts it off and waits for its end. @status: as wait(2) has it */
void child_end(struct child *child, int *status, struct rusage *usage);

/* The exit status that stands for @status, as a shell has it. */
int child_exit_status(int status);

#endif /* CHILD_H */
