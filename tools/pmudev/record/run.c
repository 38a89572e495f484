// SPDX-License-Identifier: GPL-2.0
/*
 * The run of `pmudev record`: samples are taken out of the ring when it is half full, and before a
 * process ends or executes another program, as long as its maps can be read.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include <pmudev_deadline.h>

#include "../common/child.h"
#include "../common/cmd.h"
#include "../common/trace.h"
#include "../common/watch.h"
#include "record.h"

/* They are taken so often, too: then maps are read while a process lives, with its libraries. */
#define LOOK_NS 100000000ULL

/**
 * struct run - a run
 * @record: what is recorded
 * @set: counts it
 * @samples: of the set
 * @maps: of its processes
 * @child: the command, NULL: none
 * @signals: signalfd: children, and what ends the run
 * @before: what was blocked before
 * @next_look: when samples are taken at the latest, CLOCK_MONOTONIC in ns
 * @status: of the command, as wait(2) has it
 * @traced: the command is
 * @ended: there is no more to come
 */
struct run {
	struct record *record;
	struct pmudev set;
	struct pmudev_samples samples;
	struct maps *maps;
	struct child *child;
	int signals;
	sigset_t before;
	uint64_t next_look;
	int status;
	bool traced;
	bool ended;
};

/* ----------------------------------------------------------------------- the set -- */

static int bind(struct run *run)
{
	const struct record *record = run->record;
	const unsigned int flags = record->inherit ? PMUDEV_BIND_INHERIT : 0;

	if (run->child)
		return pmudev_bind_task(&run->set, run->child->pid, flags | PMUDEV_BIND_ON_EXEC);
	return pmudev_bind_process(&run->set, record->pid, flags);
}

/* Kernel events are for those who may; others get those of user mode, which says so. */
static int start(struct run *run)
{
	struct event_list *list = &run->record->list;
	bool user_only = false, cycles = false;
	struct pmudev_refusal why;
	int error;

	do {
		error = pmudev_add(&run->set, list->attrs, list->nr, NULL);
		pmudev_why(&run->set, &why);
	} while (error && give_way(list, &why, &user_only, &cycles));
	return error;
}

/* Return: 0, or the exit status; errors were reported. */
static int open_set(struct run *run)
{
	struct record *record = run->record;
	struct pmudev_deadline deadline = {
		.flags = PMUDEV_DEADLINE_SAMPLE | PMUDEV_DEADLINE_RELATIVE |
			 PMUDEV_DEADLINE_PERIODIC | (record->lossless ? PMUDEV_DEADLINE_STOP : 0),
		.value = record->period,
		.period = record->period,
	};

	if (!pmudev_open(&run->set) && !bind(run) && !start(run) &&
	    !pmudev_samples_open(&run->samples, &run->set, record->bytes) &&
	    !pmudev_deadline_set(&run->set, &deadline, 1) && !pmudev_enable(&run->set, PMUDEV_ALL))
		return 0;
	complain_events(&run->set, &record->list);
	return EXIT_NOT_RUN;
}

/* ------------------------------------------------------------------------ samples -- */

/* @keep: a process whose maps are of another program by now, 0: none */
static void take_samples(struct run *run, pid_t keep)
{
	const struct pmudev_sample *sample;

	maps_round(run->maps);
	if (keep)
		maps_keep(run->maps, keep);
	do {
		while ((sample = pmudev_samples_next(&run->samples)))
			record_sample(run->record, run->maps, sample);
	} while (run->record->lossless && pmudev_deadline_continue(&run->set) == -EAGAIN);
	fflush(run->record->out);
	run->next_look = watch_now() + LOOK_NS;
}

/* A thread of the command has stopped or ended. */
static void follow(struct run *run, const struct traced *traced)
{
	switch (traced->what) {
	case TRACE_ENDED:
		/* What is found late is sampled when the thread ends, behind its last stop. */
		take_samples(run, traced->tid);
		/* Its number may be another process's next. */
		maps_forget(run->maps, traced->tid);
		if (traced->tid != run->child->pid)
			return;
		run->status = traced->status;
		run->ended = true;
		return;
	case TRACE_NEW:
		maps_read(run->maps, traced->tid);
		break;
	case TRACE_EXEC:
		take_samples(run, traced->tid);
		maps_exec(run->maps, traced->tid);
		maps_read(run->maps, traced->tid);
		break;
	case TRACE_EXIT:
		take_samples(run, 0);
		break;
	case TRACE_STOP:
		break;
	}
	trace_go_on(traced->tid, traced->status);
}

/* Some of what has happened to the command: samples are taken in between. */
static void follow_some(struct run *run)
{
	struct traced traced;
	unsigned int i;

	for (i = 0; i < 64 && run->child && !run->ended && trace_next(&traced); i++)
		follow(run, &traced);
}

static void take_signal(struct run *run)
{
	struct signalfd_siginfo info;

	if (read(run->signals, &info, sizeof(info)) != (ssize_t)sizeof(info))
		return;
	if (info.ssi_signo == SIGCHLD)
		return;
	/* The terminal's signals reach the command by themselves. */
	if (!run->child)
		run->ended = true;
	else if (info.ssi_signo == SIGTERM)
		kill(run->child->pid, SIGTERM);
}

/* In ms, rounded up */
static int time_to_look(const struct run *run)
{
	const uint64_t now = watch_now();

	return now >= run->next_look ? 0 : (run->next_look - now + 999999) / 1000000;
}

static void wait_for_end(struct run *run)
{
	struct pollfd wait[2] = {
		{ .fd = run->signals, .events = POLLIN },
		{ .fd = run->set.fd, .events = POLLIN },
	};

	while (!run->ended) {
		if (poll(wait, 2, time_to_look(run)) < 0)
			continue;
		if (wait[0].revents)
			take_signal(run);
		follow_some(run);
		if (wait[1].revents || watch_now() >= run->next_look)
			take_samples(run, 0);
		if (wait[1].revents & (POLLHUP | POLLERR)) {
			/* Nothing is counted any more; the command is waited for. */
			wait[1].fd = -1;
			run->ended |= !run->child;
		}
	}
}

/* ---------------------------------------------------------------------------- run -- */

static sigset_t watched(void)
{
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGCHLD);
	sigaddset(&set, SIGINT);
	sigaddset(&set, SIGQUIT);
	sigaddset(&set, SIGTERM);
	return set;
}

/* Those that have come since: what was recorded is to be written. */
static void drop_signals(void)
{
	const struct timespec now = {};
	const sigset_t set = watched();

	while (sigtimedwait(&set, NULL, &now) > 0)
		;
}

static bool open_signals(struct run *run)
{
	const sigset_t set = watched();

	sigprocmask(SIG_BLOCK, &set, &run->before);
	run->signals = signalfd(-1, &set, SFD_CLOEXEC);
	if (run->signals >= 0)
		return true;
	complain("cannot wait for signals: %s", strerror(errno));
	return false;
}

/* Signals may stop it before it executes the command, and stop nobody else. */
static void meanwhile(void *run)
{
	follow_some(run);
}

/* Return: 0, or the exit status; errors were reported. */
static int begin(struct run *run)
{
	int status = open_set(run);

	if (status)
		return status;
	record_begin(run->record);
	if (run->traced && !trace_begin(run->child->pid, run->record->inherit)) {
		complain("the command cannot be traced (%s): short-lived processes will be unknown",
			 strerror(errno));
		run->traced = false;
	}
	run->maps = maps_new(run->traced);
	if (!run->maps) {
		complain("no memory left");
		return EXIT_NOT_RUN;
	}
	if (!run->child) {
		maps_read(run->maps, run->record->pid);
		return 0;
	}
	return child_release_meanwhile(run->child, run->record->command[0], meanwhile, run);
}

/* Return: 0, or the exit status; errors were reported. */
static int finish(struct run *run)
{
	struct record *record = run->record;
	union pmudev_record_buffer all;
	uint64_t counts[PMUDEV_MAX_EVENTS];
	unsigned int i;

	pmudev_disable(&run->set, PMUDEV_ALL);
	take_samples(run, 0);
	record->lost = pmudev_samples_dropped(&run->samples);
	if (pmudev_read(&run->set, &all.record, sizeof(all)) < 0) {
		complain_events(&run->set, &record->list);
		return EXIT_NOT_RUN;
	}
	for (i = 0; i < record->list.nr; i++)
		counts[i] = all.record.counts[i].value;
	record->count = counts[0];
	record->incomplete = all.record.flags & PMUDEV_RECORD_INCOMPLETE;
	record_end(record, all.record.time, counts);
	record->finished = true;
	return 0;
}

/* Return: the exit status. */
static int run_all(struct run *run)
{
	int status = begin(run);

	if (!status) {
		wait_for_end(run);
		status = finish(run);
	}
	if (run->child && !run->ended) {
		kill(run->child->pid, SIGKILL);
		while (waitpid(run->child->pid, &run->status, 0) < 0 && errno == EINTR)
			;
	}
	if (!status && run->child)
		status = child_exit_status(run->status);
	pmudev_samples_close(&run->samples);
	pmudev_close(&run->set);
	maps_free(run->maps);
	return status;
}

int record_run(struct record *record, const char *program)
{
	struct child child;
	struct run run = {
		.record = record,
		.set.fd = -1,
		.child = program ? &child : NULL,
		.traced = program && record->trace,
	};
	int status;

	/* Before signals are blocked: the command inherits what is. */
	if (program && !child_start(&child, program, record->command))
		return EXIT_NOT_RUN;
	/* The reader of the samples may end before the command does. */
	signal(SIGPIPE, SIG_IGN);
	status = open_signals(&run) ? run_all(&run) : EXIT_NOT_RUN;
	if (program) {
		child_cut(&child);
		close(child.fd);
	}
	if (run.signals >= 0)
		close(run.signals);
	drop_signals();
	sigprocmask(SIG_SETMASK, &run.before, NULL);
	return status;
}
