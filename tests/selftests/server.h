/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A process that is counted by others while it runs: it sleeps in all its threads until it is
 * asked, executes loops of the length asked for in SERVER_THREADS threads (but not in its main
 * thread) and in a child that it makes for it, and sleeps again.
 */
#ifndef PMUDEV_TEST_SERVER_H
#define PMUDEV_TEST_SERVER_H

#include <signal.h>
#include <sys/syscall.h>
#include <unistd.h>

#define SERVER_THREADS 4

/*
 * The calls themselves, with nothing of the C library about them: the same instructions each time.
 * The child may do nothing but count, make such calls and end.
 */
static inline int plain_fork(void)
{
	return syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0);
}

static inline int plain_wait(int *status)
{
	return syscall(SYS_wait4, -1, status, 0, 0);
}

static inline void plain_exit(void)
{
	syscall(SYS_exit_group, 0);
}

/* A process that ends with this one, ready to be asked; its id, or -1. */
int start_server(void);

/* Asks it, from any process, and returns when all its threads sleep again. 0, or -1. */
int ask_server(int pid, long rounds);

/* Kills it, and returns when all its threads have ended; its parent has to wait for it yet. */
int end_server(int pid);

#endif /* PMUDEV_TEST_SERVER_H */
