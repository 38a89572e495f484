// SPDX-License-Identifier: GPL-2.0
/*
 * One run: something is counted while a command runs, or without one.
 */
#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include "../common/child.h"
#include "../common/cmd.h"
#include "../common/watch.h"
#include "counters.h"
#include "reading.h"
#include "told.h"

/**
 * struct counting - a run
 * @m: what it is part of
 * @child: the command's process, NULL: none
 * @watch: what is waited for
 * @counters: what counts
 * @on: it counts now
 * @before: what was read at the end of the last interval; all zeroes before
 * @now: what was read last
 * @intervals: how many have ended
 * @all: what was counted since the beginning
 * @since: what was counted since @before
 */
struct counting {
	struct measurement *m;
	struct child *child;
	struct watch watch;
	struct counters counters;
	bool on;
	struct reading before;
	struct reading now;
	uint64_t intervals;
	struct counted all;
	struct counted since;
};

/* ------------------------------------------------------------------- intervals -- */

static bool make_room(struct counting *c)
{
	counted_open(&c->all, &c->counters.grouping);
	counted_open(&c->since, &c->counters.grouping);
	return reading_open(&c->before, &c->counters) && reading_open(&c->now, &c->counters);
}

/* Return: 0, or the exit status; errors were reported. */
static int read_now(struct counting *c)
{
	const int status = counters_read(&c->counters, &c->now);

	if (status)
		return status;
	counters_between(&c->counters, NULL, &c->now, &c->all);
	counters_between(&c->counters, &c->before, &c->now, &c->since);
	return 0;
}

/* The interval ends with what was read last. */
static int end_interval(struct counting *c)
{
	const struct reading last = c->before;

	c->before = c->now;
	c->now = last;
	c->intervals++;
	if (!stat_interval(c->m, &c->since, &c->all))
		return 1;
	c->since.never_began = !c->on;
	return 0;
}

/* ------------------------------------------------------------------- waiting -- */

/* Is the run over? The terminal's signals reach the command by themselves. */
static bool signalled(struct counting *c)
{
	c->m->run.interrupted = true;
	if (!c->child)
		return true;
	if (c->watch.signal == SIGTERM)
		kill(c->child->pid, SIGTERM);
	return false;
}

/* Return: 0, or the exit status; errors were reported. */
static int begin(struct counting *c)
{
	c->all.never_began = false;
	c->since.never_began = false;
	c->on = true;
	return counters_begin(&c->counters);
}

static int end(struct counting *c)
{
	c->on = false;
	return counters_stop(&c->counters);
}

/* Does what --control was told. @over: the run ends. Return: as begin() */
static int obey(struct counting *c, bool *over)
{
	struct control *control = &c->m->options.control;
	enum control_command command;
	int status = 0;

	while (!status && (command = control_next(control)) != CONTROL_NONE) {
		if (command == CONTROL_ENABLE && !c->on)
			status = begin(c);
		else if (command == CONTROL_DISABLE && c->on)
			status = end(c);
		else if (command == CONTROL_STOP)
			*over = true;
		else if (command == CONTROL_UNKNOWN)
			complain("--control: '%s' is none of enable, disable, stop and ping",
				 control->line);
		if (!status && command != CONTROL_UNKNOWN)
			control_answer(control);
	}
	c->watch.input = control->commands;
	return status;
}

/* Waits until counting starts. True if the run ended before. */
static bool wait_to_begin(struct counting *c)
{
	unsigned int events = 0;

	watch_until(&c->watch, watch_now() + c->m->options.delay);
	while (!(events & WATCH_MOMENT)) {
		events = watch_wait(&c->watch);
		if (events & WATCH_CHILD || (events & WATCH_SIGNAL && signalled(c)))
			return true;
	}
	return false;
}

static bool has_ended(struct counting *c)
{
	return counters_ended(&c->counters);
}

/* Is the run over? */
static bool timed_out(struct counting *c)
{
	if (c->child)
		kill(c->child->pid, SIGTERM);
	return !c->child;
}

static bool was_last_interval(struct counting *c)
{
	const uint64_t most = c->m->options.intervals;

	c->m->run.stopped = most && c->intervals == most;
	return c->m->run.stopped;
}

/* What is counted after that is not shown. */
static int stop_now(struct counting *c)
{
	int status = read_now(c);

	if (!status && c->m->options.interval)
		status = end_interval(c);
	return status;
}

/* Return: 0, or the exit status; errors were reported. */
static int wait_for_end(struct counting *c)
{
	const struct stat_options *options = &c->m->options;
	unsigned int events;
	bool over = false;
	int status = 0;

	c->watch.input = options->control.commands;
	if (options->interval)
		watch_every(&c->watch, c->m->run.start, options->interval);
	if (options->timeout)
		watch_until(&c->watch, c->m->run.start + options->timeout);
	if (!c->child && options->target.kind != TARGET_CPUS)
		watch_look(&c->watch);
	for (;;) {
		events = watch_wait(&c->watch);
		if (events & WATCH_CHILD || (events & WATCH_SIGNAL && signalled(c)) ||
		    (events & WATCH_MOMENT && timed_out(c)) ||
		    (events & WATCH_LOOK && has_ended(c)))
			return 0;
		if (events & WATCH_INPUT)
			status = obey(c, &over);
		c->m->run.stopped |= over;
		if (status || over)
			return status ? status : stop_now(c);
		if (!(events & WATCH_TICK))
			continue;
		status = read_now(c);
		if (!status)
			status = end_interval(c);
		if (status || was_last_interval(c))
			return status;
	}
}

/* ------------------------------------------------------------------- together -- */

/* -D: nothing is counted yet. Return: 0, or the exit status; errors were reported. */
static int begin_late(struct counting *c, bool *over)
{
	struct measurement *m = c->m;

	c->on = false;
	c->all.never_began = true;
	c->since.never_began = true;
	if (m->options.delay == DELAY_FOREVER)
		return 0;
	*over = wait_to_begin(c);
	m->run.start = watch_now();
	return *over ? 0 : begin(c);
}

/* One run: from enabling its sets to the end of its target. */
static int count(struct counting *c)
{
	struct measurement *m = c->m;
	int status = counters_open(&c->counters, m, c->child ? c->child->pid : 0);
	bool over = false;

	if (!status && !make_room(c))
		status = EXIT_NOT_RUN;
	if (!status && m->repeatability)
		repeatability_begin(m, c->child->pid);
	if (!status && c->child)
		status = child_release(c->child, m->options.command[0]);
	if (status)
		return status;
	c->on = true;
	if (m->options.delay)
		status = begin_late(c, &over);
	if (!status && !over)
		status = wait_for_end(c);
	if (status && c->child)
		kill(c->child->pid, SIGTERM);
	return status;
}

/* The totals; the last interval is part of them. */
static int finish(struct counting *c)
{
	struct measurement *m = c->m;
	int status = 0;

	if (!m->run.stopped) {
		if (m->options.target.kind != TARGET_NONE && c->on)
			status = end(c);
		if (!status)
			status = read_now(c);
		if (!status && m->options.interval)
			status = end_interval(c);
	}
	m->run.end = m->run.start + c->all.time;
	counters_total(&c->counters, m->options.interval ? &c->before : &c->now, &m->run.total);
	if (!status)
		counted_add(&m->counted, &c->all, m->list.nr + m->list.software);
	m->counted.time = c->all.time;
	m->run.gap |= c->counters.software.gap;
	return status;
}

/* Wait for the command; one that was not released ends at once. */
static void wait_for_child(struct counting *c)
{
	struct stat_run *run = &c->m->run;
	unsigned int events = 0;

	child_cut(c->child);
	while (!(events & WATCH_CHILD)) {
		events = watch_wait(&c->watch);
		if (events & WATCH_SIGNAL)
			signalled(c);
		if (events & WATCH_MOMENT)
			timed_out(c);
	}
	if (c->m->repeatability)
		repeatability_look(c->m, c->child->pid);
	child_end(c->child, &run->status, &run->usage);
}

static int run_watched(struct counting *c)
{
	struct stat_run *run = &c->m->run;
	int status = count(c);
	const bool ended = c->child && !(run->stopped && !status);

	/* Its last instructions are counted when it has been waited for. */
	if (ended)
		wait_for_child(c);
	if (!status)
		status = finish(c);
	if (!status && c->m->repeatability)
		repeatability_end(c->m, &c->all);
	if (c->child && !ended)
		wait_for_child(c);
	counters_close(&c->counters);
	counted_close(&c->all);
	counted_close(&c->since);
	reading_close(&c->before);
	reading_close(&c->now);
	return status;
}

static int run_program(struct counting *c, const char *program)
{
	const struct stat_options *options = &c->m->options;
	struct child child;
	struct rusage usage;
	int status = 0, ended;

	if (program) {
		if (!child_start(&child, program, options->command))
			return EXIT_NOT_RUN;
		c->child = &child;
	}
	if (watch_open(&c->watch, program ? child.fd : -1)) {
		c->m->run.interrupted |= told_to_end();
		c->m->run.skipped = c->m->run.interrupted;
		if (!c->m->run.skipped)
			status = run_watched(c);
		else if (c->child)
			child_end(c->child, &ended, &usage);
		watch_close(&c->watch);
		/* It may have come together with the command's end. */
		if (c->watch.signal)
			c->m->run.interrupted = true;
	} else {
		status = EXIT_NOT_RUN;
		if (program)
			child_end(&child, &c->m->run.status, &c->m->run.usage);
	}
	return status;
}

int stat_run(struct measurement *m)
{
	const struct stat_options *options = &m->options;
	struct counting c = { .m = m };
	char *program;
	int status;

	m->run.status = 0;
	m->run.stopped = false;
	m->run.skipped = false;
	m->run.usage = (struct rusage){ 0 };
	if (options->multiplex)
		sets_multiplex(m);
	if (!options->command)
		return run_program(&c, NULL);
	program = find_program(options->command[0]);
	if (!program) {
		complain("cannot find '%s' in PATH", options->command[0]);
		if (!strcmp(options->command[0], "record") ||
		    !strcmp(options->command[0], "report"))
			complain("there is no perf.data of counts: -o FILE writes a report");
		return EXIT_NOT_FOUND;
	}
	m->run.privileged = options->target.kind == TARGET_NONE && gains_privileges(program);
	status = run_program(&c, program);
	free(program);
	return status;
}
