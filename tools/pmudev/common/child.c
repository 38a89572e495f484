// SPDX-License-Identifier: GPL-2.0
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "child.h"
#include "cmd.h"
#include "descriptors.h"

/* An exec takes less; only a stop before it lasts longer. */
#define MEANWHILE_MS 10

char *find_program(const char *name)
{
	const char *path = getenv("PATH"), *end;
	struct stat st;
	char *file;

	if (strchr(name, '/'))
		return strdup(name);
	if (!path)
		path = "/usr/local/bin:/usr/bin:/bin";
	for (;; path = end + 1) {
		end = strchrnul(path, ':');
		if (asprintf(&file, "%.*s/%s", end > path ? (int)(end - path) : 1,
			     end > path ? path : ".", name) < 0)
			return NULL;
		if (!stat(file, &st) && S_ISREG(st.st_mode) && !access(file, X_OK))
			return file;
		free(file);
		if (!*end)
			return NULL;
	}
}

char *find_command(const char *name)
{
	char *program = find_program(name);

	if (!program)
		complain("cannot run '%s': %s", name, strerror(ENOENT));
	return program;
}

bool gains_privileges(const char *file)
{
	struct stat st;

	if (stat(file, &st))
		return false;
	return (st.st_mode & S_ISUID && st.st_uid != geteuid()) ||
	       (st.st_mode & S_ISGID && st.st_mode & 0010 && st.st_gid != getegid());
}

/* A handler, which the parent may have, would keep a signal from ending the command. */
static void be_ended_by(int signal)
{
	struct sigaction action;

	if (!sigaction(signal, NULL, &action) && action.sa_handler != SIG_IGN) {
		action = (struct sigaction){ .sa_handler = SIG_DFL };
		sigaction(signal, &action, NULL);
	}
}

/* The child, up to the exec. */
static void be_command(const char *program, char **command, int told, int go)
{
	int error;
	char byte;

	if (read(go, &byte, 1) != 1)
		_exit(EXIT_NOT_RUN);
	descriptors_restore();
	execvp(program, command);
	error = errno;
	/* The parent may be gone: nobody reads the error. */
	if (write(told, &error, sizeof(error)) < 0)
		_exit(EXIT_NOT_RUN);
	_exit(EXIT_NOT_RUN);
}

bool child_start(struct child *child, const char *program, char **command)
{
	int told[2], go[2];
	sigset_t all, before;

	if (pipe2(told, O_CLOEXEC) || pipe2(go, O_CLOEXEC)) {
		complain("cannot make a pipe: %s", strerror(errno));
		return false;
	}
	fflush(NULL);
	/* The child is ended by what comes before it has dropped handlers. */
	sigfillset(&all);
	sigprocmask(SIG_BLOCK, &all, &before);
	child->pid = fork();
	if (!child->pid) {
		close(told[0]);
		close(go[1]);
		be_ended_by(SIGINT);
		be_ended_by(SIGQUIT);
		be_ended_by(SIGTERM);
		sigprocmask(SIG_SETMASK, &before, NULL);
		be_command(program, command, told[1], go[0]);
	}
	sigprocmask(SIG_SETMASK, &before, NULL);
	close(told[1]);
	close(go[0]);
	child->told = told[0];
	child->go = go[1];
	child->fd = child->pid > 0 ? (int)syscall(SYS_pidfd_open, child->pid, 0) : -1;
	if (child->fd >= 0)
		return true;
	complain("cannot make a process: %s", strerror(errno));
	close(child->told);
	close(child->go);
	return false;
}

int child_release(struct child *child, const char *name)
{
	return child_release_meanwhile(child, name, NULL, NULL);
}

int child_release_meanwhile(struct child *child, const char *name, void (*meanwhile)(void *arg),
			    void *arg)
{
	struct pollfd told = { .fd = child->told, .events = POLLIN };
	int error;

	/* Somebody may have ended it before it was told. */
	if (write_or_epipe(child->go, "g", 1) != 1) {
		complain("the command could not be started: %s", strerror(errno));
		return EXIT_NOT_RUN;
	}
	while (meanwhile && poll(&told, 1, MEANWHILE_MS) <= 0)
		meanwhile(arg);
	if (read(child->told, &error, sizeof(error)) != (ssize_t)sizeof(error))
		return 0;
	complain("cannot run '%s': %s", name, strerror(error));
	return error == ENOENT ? EXIT_NOT_FOUND : EXIT_NOT_RUN;
}

void child_cut(struct child *child)
{
	if (child->go < 0)
		return;
	close(child->go);
	close(child->told);
	child->go = -1;
}

void child_end(struct child *child, int *status, struct rusage *usage)
{
	child_cut(child);
	while (wait4(child->pid, status, 0, usage) < 0 && errno == EINTR)
		;
	close(child->fd);
}

int child_exit_status(int status)
{
	return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}
