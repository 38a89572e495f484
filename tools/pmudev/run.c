// SPDX-License-Identifier: GPL-2.0
/*
 * Running a command while something is counted.
 *
 * The command itself is counted by a set that the parent opens and that the child, which shares
 * the file, binds to itself and enables right before it executes the command. The parent still
 * has the file when the command has ended, and reads the final counts.
 *
 * Two pipes connect them, both closed by a successful exec: through `told` the child says that it
 * begins, or what went wrong; through `go` the parent says when to begin. End of file on `told`
 * without bad news means that the command runs.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "cmd.h"
#include "stat.h"

enum message_kind {
	BEGINS,	      /* counting starts at @time, restricted to user mode if @user_only */
	REFUSED,      /* the set could not be set up: @text */
	NOT_EXECUTED, /* @error */
};

struct message {
	enum message_kind kind;
	int error;
	bool user_only;
	uint64_t time;
	char text[640];
};

static uint64_t now(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec * 1000000000ULL + ts.tv_nsec;
}

/* ------------------------------------------------------------------- the set -- */

/* Restricts what has no u, k or h to user mode; false if there is no such event. */
static bool restrict_to_user(struct event_list *list)
{
	bool any = false;
	unsigned int i;

	for (i = 0; i < list->nr; i++) {
		if (list->events[i].levels)
			continue;
		event_user_only(list, i);
		any = true;
	}
	return any;
}

static int set_up(struct pmudev *set, const struct stat_options *options, struct event_list *list,
		  bool *user_only)
{
	struct pmudev_refusal why;
	int error;

	switch (options->target) {
	case STAT_COMMAND:
		error = pmudev_bind_self(set);
		break;
	case STAT_CPU:
		error = pmudev_bind_cpu(set, options->id, 0);
		break;
	default:
		error = pmudev_bind_task(set, options->id, 0);
		break;
	}
	if (error)
		return error;
	error = pmudev_add(set, list->attrs, list->nr, NULL);
	if (!error || !pmudev_why(set, &why) || why.code != PMUDEV_WHY_CAP_KERNEL)
		return error;
	if (!restrict_to_user(list))
		return error;
	*user_only = true;
	return pmudev_add(set, list->attrs, list->nr, NULL);
}

/* ----------------------------------------------------------------- the command -- */

/*
 * Where the command is, so that the search is not counted. A path with a slash is taken as it is;
 * NULL if there is no such program.
 */
static char *find_program(const char *name)
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

static bool gains_privileges(const char *file)
{
	struct stat st;

	if (stat(file, &st))
		return false;
	return (st.st_mode & S_ISUID && st.st_uid != geteuid()) ||
	       (st.st_mode & S_ISGID && st.st_mode & 0010 && st.st_gid != getegid());
}

static void tell(int fd, const struct message *message)
{
	/* A pipe takes this much in one piece. A parent that is gone cannot be told. */
	if (write(fd, message, sizeof(*message)) < 0)
		_exit(EXIT_NOT_RUN);
}

/* The child, up to the exec. */
static void be_command(struct pmudev *set, const struct stat_options *options,
		       struct event_list *list, const char *program, int told, int go)
{
	struct message message = { .kind = REFUSED };
	char byte;

	if (options->target == STAT_COMMAND) {
		if (set_up(set, options, list, &message.user_only))
			goto refused;
		message.kind = BEGINS;
		message.time = now();
		tell(told, &message);
		if (pmudev_enable(set, PMUDEV_ALL))
			goto refused;
	} else if (read(go, &byte, 1) != 1) {
		_exit(EXIT_NOT_RUN);
	}
	execvp(program, options->command);
	message.kind = NOT_EXECUTED;
	message.error = errno;
	tell(told, &message);
	_exit(EXIT_NOT_RUN);

refused:
	message.kind = REFUSED;
	refusal_text(set, list, message.text, sizeof(message.text));
	tell(told, &message);
	_exit(EXIT_NOT_RUN);
}

/* Hears the child until it executes the command. Return: 0 or an exit status. */
static int hear(int told, const struct stat_options *options, struct event_list *list,
		struct stat_run *run)
{
	struct message message;
	int status = 0;

	while (read(told, &message, sizeof(message)) == (ssize_t)sizeof(message)) {
		switch (message.kind) {
		case BEGINS:
			run->start = message.time;
			run->user_only = message.user_only;
			if (run->user_only)
				restrict_to_user(list);
			break;
		case REFUSED:
			complain("%s", message.text);
			status = EXIT_NOT_RUN;
			break;
		case NOT_EXECUTED:
			complain("cannot run '%s': %s", options->command[0],
				 strerror(message.error));
			status = message.error == ENOENT ? EXIT_NOT_FOUND : EXIT_NOT_RUN;
			break;
		}
	}
	return status;
}

/* ------------------------------------------------------------------- together -- */

static int refused(struct pmudev *set, const struct event_list *list)
{
	complain_events(set, list);
	return EXIT_NOT_RUN;
}

/* Lets a child that waits begin, with the other target's counters on. */
static int begin(struct pmudev *set, const struct event_list *list, struct stat_run *run, int go)
{
	run->start = now();
	if (pmudev_enable(set, PMUDEV_ALL))
		return refused(set, list);
	if (write(go, "g", 1) != 1) {
		complain("the command could not be started: %s", strerror(errno));
		return EXIT_NOT_RUN;
	}
	return 0;
}

/* The parent, from the fork to the command's end. */
static int attend(struct pmudev *set, const struct stat_options *options, struct event_list *list,
		  struct stat_run *run, pid_t child, int told, int go)
{
	int status = 0;

	if (options->target != STAT_COMMAND)
		status = begin(set, list, run, go);
	close(go);
	if (!status)
		status = hear(told, options, list, run);
	while (wait4(child, &run->status, 0, &run->usage) < 0 && errno == EINTR)
		;
	run->end = now();
	if (status)
		return status;
	if (options->target != STAT_COMMAND && pmudev_disable(set, PMUDEV_ALL))
		return refused(set, list);
	if (pmudev_read(set, &run->counts.record, sizeof(run->counts)))
		return refused(set, list);
	return 0;
}

static int fork_and_attend(struct pmudev *set, const struct stat_options *options,
			   struct event_list *list, struct stat_run *run, const char *program)
{
	sighandler_t on_int, on_quit;
	int told[2], go[2], status;
	pid_t child;

	if (pipe2(told, O_CLOEXEC) || pipe2(go, O_CLOEXEC)) {
		complain("cannot make a pipe: %s", strerror(errno));
		return EXIT_NOT_RUN;
	}
	fflush(NULL);
	/* An interrupt from the terminal ends the command; the counts are shown all the same. */
	on_int = signal(SIGINT, SIG_IGN);
	on_quit = signal(SIGQUIT, SIG_IGN);
	child = fork();
	if (!child) {
		signal(SIGINT, on_int);
		signal(SIGQUIT, on_quit);
		close(told[0]);
		close(go[1]);
		be_command(set, options, list, program, told[1], go[0]);
	}
	close(told[1]);
	close(go[0]);
	if (child < 0) {
		complain("cannot fork: %s", strerror(errno));
		close(go[1]);
		status = EXIT_NOT_RUN;
	} else {
		status = attend(set, options, list, run, child, told[0], go[1]);
	}
	close(told[0]);
	signal(SIGINT, on_int);
	signal(SIGQUIT, on_quit);
	return status;
}

int stat_run(const struct stat_options *options, struct event_list *list, struct stat_run *run)
{
	char *program = find_program(options->command[0]);
	struct pmudev set;
	int status;

	if (!program) {
		complain("cannot find '%s' in PATH", options->command[0]);
		return EXIT_NOT_FOUND;
	}
	run->privileged = options->target == STAT_COMMAND && gains_privileges(program);
	if (pmudev_open(&set)) {
		complain_refusal(&set, "stat");
		status = EXIT_NOT_RUN;
	} else if (!codes_fit(&set, list)) {
		status = EXIT_USAGE;
	} else if (options->target != STAT_COMMAND &&
		   set_up(&set, options, list, &run->user_only)) {
		status = refused(&set, list);
	} else {
		status = fork_and_attend(&set, options, list, run, program);
	}
	pmudev_close(&set);
	free(program);
	return status;
}
