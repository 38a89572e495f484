// SPDX-License-Identifier: GPL-2.0
#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include <pmudev_deadline.h>

#include "../common/child.h"
#include "../common/cmd.h"
#include "../common/json.h"
#include "../common/number.h"
#include "../common/proc_stat.h"
#include "limit.h"

/* ---------------------------------------------------------------------- options -- */

bool limit_add(struct limits *limits, const char *text)
{
	const char *number = strrchr(text, '=');
	char *event;

	if (!number || number == text) {
		complain("'%s' is not EVENT=N", text);
		return false;
	}
	if (limits->nr == MAX_LIMITS) {
		complain("there are more than %d limits", MAX_LIMITS);
		return false;
	}
	if (!parse_count(number + 1, "a limit", 1, PMUDEV_DEADLINE_MAX, &limits->limit[limits->nr]))
		return false;
	event = strndup(text, number - text);
	limits->text[limits->nr++] = event;
	return event;
}

/* All of them as one list, each in user mode unless it says otherwise. */
static bool parse_limits(struct limits *limits)
{
	size_t size = 1;
	unsigned int i;
	bool parsed;
	char *text;

	for (i = 0; i < limits->nr; i++)
		size += strlen(limits->text[i]) + 1;
	text = calloc(size, 1);
	for (i = 0; text && i < limits->nr; i++) {
		strcat(text, i ? "," : "");
		strcat(text, limits->text[i]);
	}
	parsed = text && read_events(text, &limits->list);
	free(text);
	if (parsed && limits->list.nr != limits->nr) {
		complain("each --limit has one event");
		return false;
	}
	for (i = 0; parsed && i < limits->nr; i++)
		if (!limits->list.events[i].levels)
			event_user_only(&limits->list, i);
	return parsed;
}

/* Has this process children that have not ended? A shell that executed it can have left it some. */
static bool has_children(void)
{
	pid_t pid;

	do
		pid = waitpid(-1, NULL, WNOHANG | __WALL);
	while (pid > 0);
	return !pid;
}

bool limit_prepare(struct limits *limits)
{
	if (!parse_limits(limits))
		return false;
	if (has_children()) {
		complain("this process has children already, which a limit would kill");
		return false;
	}
	/*
	 * What loses its parent becomes a child of this process, which kills it. What gained
	 * privileges would not be counted.
	 */
	if (!prctl(PR_SET_CHILD_SUBREAPER, 1) && !prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0))
		return true;
	complain("the command cannot be kept from escaping: %s", strerror(errno));
	return false;
}

/* -------------------------------------------------------------------------- run -- */

/*
 * Signals that end this process wait until nothing of the command is left. @before: what is to be
 * restored then. Return: a descriptor that is readable when one waits; or -1
 */
static int hold_signals(sigset_t *before)
{
	static const int signals[] = { SIGTERM, SIGHUP };
	struct sigaction action;
	sigset_t held;
	size_t i;
	int fd;

	sigemptyset(&held);
	sigprocmask(SIG_BLOCK, NULL, before);
	for (i = 0; i < sizeof(signals) / sizeof(*signals); i++)
		/* As nohup(1) has it. */
		if (!sigaction(signals[i], NULL, &action) && action.sa_handler != SIG_IGN &&
		    !sigismember(before, signals[i]))
			sigaddset(&held, signals[i]);
	fd = signalfd(-1, &held, SFD_CLOEXEC);
	if (fd >= 0)
		sigprocmask(SIG_BLOCK, &held, NULL);
	return fd;
}

static int open_set(struct limits *limits, struct pmudev *set, pid_t child)
{
	struct pmudev_deadline deadlines[MAX_LIMITS] = {};
	unsigned int i;

	for (i = 0; i < limits->nr; i++) {
		deadlines[i].slot = i;
		deadlines[i].flags = PMUDEV_DEADLINE_TOTAL;
		deadlines[i].value = limits->limit[i];
	}
	if (!pmudev_open(set) &&
	    !pmudev_bind_task(set, child, PMUDEV_BIND_ON_EXEC | PMUDEV_BIND_INHERIT) &&
	    !pmudev_start(set, limits->list.attrs, limits->nr, NULL) &&
	    !pmudev_deadline_set(set, deadlines, limits->nr))
		return 0;
	complain_events(set, &limits->list);
	return EXIT_NOT_RUN;
}

/* Return: 0 if it has ended. */
static pid_t parent_of(pid_t pid)
{
	unsigned long long parent;

	return proc_stat(pid, PROC_PARENT, &parent) ? parent : 0;
}

/*
 * The children of this process but one. Not every kernel lists them. Return: how many were killed
 * and collected.
 */
static unsigned int kill_others(pid_t child)
{
	DIR *proc = opendir("/proc");
	struct dirent *entry;
	unsigned int nr = 0;
	pid_t pid;

	while (proc && (entry = readdir(proc))) {
		pid = strtol(entry->d_name, NULL, 10);
		if (pid <= 0 || pid == child || parent_of(pid) != getpid())
			continue;
		kill(pid, SIGKILL);
		waitpid(pid, NULL, 0);
		nr++;
	}
	if (proc)
		closedir(proc);
	return nr;
}

/* Nothing of the command is left but its status. */
static void kill_all(const struct child *child)
{
	struct pollfd wait = { .fd = child->fd, .events = POLLIN };

	kill(child->pid, SIGKILL);
	while (poll(&wait, 1, -1) < 0 && errno == EINTR)
		;
	/* The children of a killed process are this one's from now on. */
	while (kill_others(child->pid))
		;
}

static void take_reports(struct limits *limits, struct pmudev *set)
{
	struct pmudev_report report[MAX_LIMITS];
	int i, nr = pmudev_deadline_reports(set, report, MAX_LIMITS);

	for (i = 0; i < nr; i++) {
		limits->noticed[report[i].slot] = report[i].count;
		limits->reached = true;
	}
}

/* Until it ends, or has reached a limit, or is not counted any more, or a signal waits. */
static void wait_for_limit(struct limits *limits, struct pmudev *set, const struct child *child,
			   int signals)
{
	struct pollfd wait[3] = {
		{ .fd = child->fd, .events = POLLIN },
		{ .fd = set->fd, .events = POLLIN },
		{ .fd = signals, .events = POLLIN },
	};

	for (;;) {
		if (poll(wait, 3, -1) < 0)
			continue;
		if (wait[1].revents & POLLIN)
			take_reports(limits, set);
		if (limits->reached || wait[0].revents || wait[2].revents)
			return;
		if (wait[1].revents & (POLLHUP | POLLERR)) {
			/* The last thread is not counted any more before its process has ended. */
			limits->escaped = poll(wait, 1, 1000) <= 0;
			return;
		}
	}
}

static int read_counts(struct limits *limits, struct pmudev *set)
{
	union {
		struct pmudev_record record;
		char room[sizeof(struct pmudev_record) + MAX_LIMITS * sizeof(struct pmudev_count)];
	} all;
	unsigned int i;

	take_reports(limits, set);
	if (pmudev_read(set, &all.record, sizeof(all)) < 0) {
		complain_events(set, &limits->list);
		return EXIT_NOT_RUN;
	}
	for (i = 0; i < limits->nr; i++)
		limits->count[i] = all.record.counts[i].value;
	limits->incomplete = all.record.flags & PMUDEV_RECORD_INCOMPLETE;
	return 0;
}

int limit_run(struct limits *limits, struct child *child, const char *name, int *end)
{
	struct pmudev set = { .fd = -1 };
	sigset_t before;
	int signals = hold_signals(&before), status = open_set(limits, &set, child->pid);
	struct rusage usage;

	if (!status)
		status = child_release(child, name);
	if (!status)
		wait_for_limit(limits, &set, child, signals);
	kill_all(child);
	child_end(child, end, &usage);
	limits->killed = WIFSIGNALED(*end) && WTERMSIG(*end) == SIGKILL;
	if (!status)
		status = read_counts(limits, &set);
	pmudev_close(&set);
	if (signals >= 0)
		close(signals);
	sigprocmask(SIG_SETMASK, &before, NULL);
	return status;
}

/* ----------------------------------------------------------------------- report -- */

void limit_report_text(FILE *out, const struct limits *limits, const char *name)
{
	char buf[2][32];
	unsigned int i;

	fprintf(out, "'%s' %s\n", name,
		limits->escaped	 ? "was killed: it could not be counted any more" :
		!limits->reached ? "ended within its limits" :
		limits->killed	 ? "was killed: it reached its limit" :
				   "ended, and reached its limit");
	for (i = 0; i < limits->nr; i++)
		fprintf(out, "  %s: %s of %s%s\n", limits->list.events[i].name,
			thousands(limits->count[i], buf[0]), thousands(limits->limit[i], buf[1]),
			limits->noticed[i] ? ", reached" : "");
	if (limits->incomplete)
		fprintf(out, "  not all of its processes could be counted: there was more\n");
}

void limit_report_json(FILE *out, const struct limits *limits)
{
	struct json json = { .out = out };
	unsigned int i;

	json_open(&json, NULL, '{');
	json_bool(&json, "reached", limits->reached);
	json_bool(&json, "killed", limits->killed);
	json_bool(&json, "complete", !limits->incomplete && !limits->escaped);
	json_open(&json, "limits", '[');
	for (i = 0; i < limits->nr; i++) {
		json_open(&json, NULL, '{');
		json_string(&json, "event", limits->list.events[i].name);
		json_unsigned(&json, "limit", limits->limit[i]);
		json_unsigned(&json, "count", limits->count[i]);
		if (limits->noticed[i])
			json_unsigned(&json, "noticed", limits->noticed[i]);
		else
			json_null(&json, "noticed");
		json_close(&json, '}');
	}
	json_close(&json, ']');
	json_close(&json, '}');
	json_line(&json);
}
