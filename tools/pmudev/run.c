// SPDX-License-Identifier: GPL-2.0
/*
 * Running a command while something is counted, or counting without one.
 *
 * The command's process waits until it may go, so that its set, which begins to count when it
 * executes the command, is there before. Two pipes connect it to the parent, both closed by a
 * successful exec: `go` tells it to begin, `told` tells the parent what went wrong. End of file on
 * `told` without bad news means that the command runs.
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
#include "fit.h"
#include "stat.h"
#include "ticks.h"

/* How often it is looked whether a target without a command has ended. */
#define LOOK_NS (NS_PER_SECOND / 10)

static uint64_t now(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec * NS_PER_SECOND + ts.tv_nsec;
}

/* ----------------------------------------------------------------- the command -- */

/* The command's process and the parent's ends of the pipes. */
struct child {
	pid_t pid;
	int told;
	int go;
};

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

/* The child, up to the exec. */
static void be_command(const char *program, char **command, int told, int go)
{
	int error;
	char byte;

	if (read(go, &byte, 1) != 1)
		_exit(EXIT_NOT_RUN);
	execvp(program, command);
	error = errno;
	/* A parent that is gone cannot be told. */
	if (write(told, &error, sizeof(error)) < 0)
		_exit(EXIT_NOT_RUN);
	_exit(EXIT_NOT_RUN);
}

static bool start_child(struct child *child, const char *program, char **command)
{
	int told[2], go[2];

	if (pipe2(told, O_CLOEXEC) || pipe2(go, O_CLOEXEC)) {
		complain("cannot make a pipe: %s", strerror(errno));
		return false;
	}
	fflush(NULL);
	child->pid = fork();
	if (!child->pid) {
		close(told[0]);
		close(go[1]);
		be_command(program, command, told[1], go[0]);
	}
	close(told[1]);
	close(go[0]);
	child->told = told[0];
	child->go = go[1];
	if (child->pid > 0)
		return true;
	complain("cannot fork: %s", strerror(errno));
	close(child->told);
	close(child->go);
	return false;
}

/* Lets it go, and hears whether it executes the command. Return: 0 or an exit status. */
static int release_child(struct child *child, const char *name)
{
	int error;

	if (write(child->go, "g", 1) != 1) {
		complain("the command could not be started: %s", strerror(errno));
		return EXIT_NOT_RUN;
	}
	if (read(child->told, &error, sizeof(error)) != (ssize_t)sizeof(error))
		return 0;
	complain("cannot run '%s': %s", name, strerror(error));
	return error == ENOENT ? EXIT_NOT_FOUND : EXIT_NOT_RUN;
}

/* One that was not released ends by itself. */
static void end_child(struct child *child, struct stat_run *run)
{
	close(child->go);
	close(child->told);
	while (wait4(child->pid, &run->status, 0, &run->usage) < 0 && errno == EINTR)
		;
}

/* ------------------------------------------------------------------- the sets -- */

static int refused(struct pmudev_bundle *bundle, const struct event_list *list)
{
	complain_bundle(bundle, list);
	return EXIT_NOT_RUN;
}

static int open_target(const struct stat_options *options, struct pmudev_bundle *bundle,
		       pid_t child)
{
	unsigned int flags = options->inherit ? PMUDEV_BIND_INHERIT : 0;

	if (options->target.kind == TARGET_NONE)
		return pmudev_bundle_task(bundle, PMUDEV_TARGET_TASK, child,
					  flags | PMUDEV_BIND_ON_EXEC);
	return target_open(&options->target, bundle, flags);
}

static int add_events(struct pmudev_bundle *bundle, struct event_list *list, bool *user_only)
{
	struct pmudev_refusal why;
	int error;

	error = pmudev_bundle_add(bundle, list->attrs, list->nr);
	pmudev_bundle_why(bundle, &why);
	if (!error || why.code != PMUDEV_WHY_CAP_KERNEL || !restrict_to_user(list))
		return error;
	*user_only = true;
	return pmudev_bundle_add(bundle, list->attrs, list->nr);
}

/* The set that refused last. */
static struct pmudev *refusing(struct pmudev_bundle *bundle)
{
	unsigned int i;

	for (i = 0; i + 1 < bundle->nr && bundle->cpus[i] != bundle->cpu; i++)
		;
	return &bundle->sets[i];
}

/* What helps if there are not enough counters for all groups at once. */
static void advise(struct pmudev_bundle *bundle, const struct stat_options *options,
		   const struct event_list *list)
{
	struct pmudev *set = refusing(bundle);
	struct pmudev_refusal why;

	pmudev_bundle_why(bundle, &why);
	if (why.code != PMUDEV_WHY_NO_COUNTER && why.code != PMUDEV_WHY_HELD)
		return;
	/* Its groups are tried anew: as they are in the set, they are another kind. */
	pmudev_remove(set, PMUDEV_ALL);
	if (!options->multiplex && fit_multiplexed(set, list))
		complain("--multiplex lets the events take turns, and estimates their counts");
	complain("`pmudev explain` with the same events tells who has which counter");
}

static int set_up(struct pmudev_bundle *bundle, const struct stat_options *options,
		  struct event_list *list, struct stat_run *run)
{
	int error = add_events(bundle, list, &run->user_only);

	run->start = now();
	if (!error)
		error = pmudev_bundle_enable(bundle, PMUDEV_ALL);
	if (!error)
		return 0;
	error = refused(bundle, list);
	advise(bundle, options, list);
	return error;
}

/* ------------------------------------------------------------------- together -- */

/* Until the target has ended, or Ctrl-C. What cannot be read here cannot afterwards. */
static int wait_for_target(struct pmudev_bundle *bundle, struct stat_run *run)
{
	struct ticks ticks;
	int error = 0;

	if (!ticks_open(&ticks, LOOK_NS))
		return EXIT_NOT_RUN;
	while (!error && !(run->total.flags & PMUDEV_RECORD_ENDED) && ticks_wait(&ticks))
		error = pmudev_bundle_read(bundle, &run->total);
	ticks_close(&ticks);
	return 0;
}

static int count(struct pmudev_bundle *bundle, const struct stat_options *options,
		 struct event_list *list, struct stat_run *run, struct child *child)
{
	int status = set_up(bundle, options, list, run);

	if (!status && child)
		status = release_child(child, options->command[0]);
	else if (!status)
		status = wait_for_target(bundle, run);
	if (child)
		end_child(child, run);
	run->end = now();
	if (status)
		return status;
	if (options->target.kind != TARGET_NONE && pmudev_bundle_disable(bundle, PMUDEV_ALL))
		return refused(bundle, list);
	if (pmudev_bundle_read(bundle, &run->total))
		return refused(bundle, list);
	return 0;
}

/* What cannot be known before there is a module to ask. Return: 0 or an exit status. */
static int check_events(const struct stat_options *options, struct event_list *list)
{
	struct pmudev set;
	unsigned int i;
	int status = 0;

	if (pmudev_open(&set)) {
		complain_refusal(&set, "stat");
		return EXIT_NOT_RUN;
	}
	if (!codes_fit(&set, list))
		status = EXIT_USAGE;
	pmudev_close(&set);
	for (i = 0; i < list->nr && options->multiplex; i++)
		list->attrs[i].flags |= PMUDEV_MULTIPLEX;
	return status;
}

static int run_without_command(const struct stat_options *options, struct event_list *list,
			       struct stat_run *run)
{
	struct pmudev_bundle bundle;
	int status;

	if (open_target(options, &bundle, 0))
		return refused(&bundle, list);
	status = count(&bundle, options, list, run, NULL);
	pmudev_bundle_close(&bundle);
	return status;
}

static int run_command(const struct stat_options *options, struct event_list *list,
		       struct stat_run *run, const char *program)
{
	sighandler_t on_int, on_quit;
	struct pmudev_bundle bundle;
	struct child child;
	int status;

	run->privileged = options->target.kind == TARGET_NONE && gains_privileges(program);
	if (!start_child(&child, program, options->command))
		return EXIT_NOT_RUN;
	/* An interrupt from the terminal ends the command; the counts are shown all the same. */
	on_int = signal(SIGINT, SIG_IGN);
	on_quit = signal(SIGQUIT, SIG_IGN);
	if (open_target(options, &bundle, child.pid)) {
		status = refused(&bundle, list);
		end_child(&child, run);
	} else {
		status = count(&bundle, options, list, run, &child);
		pmudev_bundle_close(&bundle);
	}
	signal(SIGINT, on_int);
	signal(SIGQUIT, on_quit);
	return status;
}

int stat_run(const struct stat_options *options, struct event_list *list, struct stat_run *run)
{
	int status = check_events(options, list);
	char *program;

	if (status)
		return status;
	if (!options->command)
		return run_without_command(options, list, run);
	program = find_program(options->command[0]);
	if (!program) {
		complain("cannot find '%s' in PATH", options->command[0]);
		return EXIT_NOT_FOUND;
	}
	status = run_command(options, list, run, program);
	free(program);
	return status;
}
