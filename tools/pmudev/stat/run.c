// SPDX-License-Identifier: GPL-2.0
/*
 * One run: something is counted while a command runs, or without one.
 */
#include <errno.h>
#include <signal.h>
#include <stdlib.h>

#include "../common/child.h"
#include "../common/cmd.h"
#include "../common/watch.h"
#include "sets.h"

/**
 * struct counting - a run
 * @m: what it is part of
 * @child: the command's process, NULL: none
 * @watch: what is waited for
 * @array: the sets
 * @pmus: of each event the PMUs that it is for, by number
 * @before: the records at the end of the last interval; all zeroes before
 * @now: the records
 * @intervals: how many have ended
 * @all: what was counted since the beginning
 * @since: what was counted since @before
 */
struct counting {
	struct measurement *m;
	struct child *child;
	struct watch watch;
	struct pmudev_set_array array;
	uint32_t pmus[PMUDEV_MAX_EVENTS];
	union pmudev_record_buffer *before;
	union pmudev_record_buffer *now;
	uint64_t intervals;
	struct counted all;
	struct counted since;
};

/* ------------------------------------------------------------------- intervals -- */

static bool make_room(struct counting *c)
{
	c->before = calloc(c->array.nr, sizeof(*c->before));
	c->now = calloc(c->array.nr, sizeof(*c->now));
	counted_open(&c->all, &c->array, c->m->options.each_cpu);
	counted_open(&c->since, &c->array, c->m->options.each_cpu);
	if (c->before && c->now)
		return true;
	complain("no memory left");
	return false;
}

/* Reads the sets. Return: 0, or the exit status; errors were reported. */
static int read_now(struct counting *c)
{
	if (pmudev_set_array_records(&c->array, c->now))
		return sets_refused(&c->array, &c->m->list);
	c->all.time = watch_now() - c->m->run.start;
	c->since.time = c->all.time;
	counted_between(&c->all, &c->array, NULL, c->now);
	counted_between(&c->since, &c->array, c->before, c->now);
	return 0;
}

/* The interval ends with what was read last. */
static int end_interval(struct counting *c)
{
	union pmudev_record_buffer *records = c->before;

	c->before = c->now;
	c->now = records;
	c->intervals++;
	return stat_interval(c->m, &c->since, &c->all) ? 0 : 1;
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

/* Return: 0, or the exit status; errors were reported. */
static int begin_late(struct counting *c)
{
	struct measurement *m = c->m;
	const int error = sets_enable(m, &c->array);
	int status;

	/* Skip targets that have ended meanwhile. */
	if (!error || error == -ESRCH)
		return 0;
	status = sets_refused(&c->array, &m->list);
	sets_advise(m, &c->array, c->pmus);
	return status;
}

static bool has_ended(struct counting *c)
{
	struct pmudev_total total;

	/* If it cannot be read here, it cannot be read later. */
	return pmudev_set_array_read(&c->array, &total) || total.flags & PMUDEV_RECORD_ENDED;
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

/* Return: 0, or the exit status; errors were reported. */
static int wait_for_end(struct counting *c)
{
	const struct stat_options *options = &c->m->options;
	unsigned int events;
	int status = 0;

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

/* One run: from enabling its sets to the end of its target. */
static int count(struct counting *c)
{
	struct measurement *m = c->m;
	int status = sets_open(m, &c->array, c->pmus, c->child ? c->child->pid : 0);

	if (!status && !make_room(c))
		status = EXIT_NOT_RUN;
	if (!status && c->child)
		status = child_release(c->child, m->options.command[0]);
	if (status)
		return status;
	if (m->options.delay) {
		if (wait_to_begin(c)) {
			m->run.start = watch_now();
			c->all.never_began = true;
			c->since.never_began = true;
			return 0;
		}
		status = begin_late(c);
	}
	if (!status)
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
		if (m->options.target.kind != TARGET_NONE &&
		    pmudev_set_array_disable(&c->array, PMUDEV_ALL))
			return sets_refused(&c->array, &m->list);
		status = read_now(c);
		if (!status && m->options.interval)
			status = end_interval(c);
	}
	m->run.end = m->run.start + c->all.time;
	pmudev_set_array_sum(&c->array, PMUDEV_ALL, NULL, m->options.interval ? c->before : c->now,
			     &m->run.total);
	if (!status)
		counted_add(&m->counted, &c->all, m->list.nr);
	m->counted.time = c->all.time;
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
	if (c->child && !ended)
		wait_for_child(c);
	pmudev_set_array_close(&c->array);
	counted_close(&c->all);
	counted_close(&c->since);
	free(c->before);
	free(c->now);
	return status;
}

static int run_program(struct counting *c, const char *program)
{
	const struct stat_options *options = &c->m->options;
	struct child child;
	int status = EXIT_NOT_RUN;

	if (program) {
		if (!child_start(&child, program, options->command))
			return EXIT_NOT_RUN;
		c->child = &child;
	}
	if (watch_open(&c->watch, program ? child.fd : -1)) {
		status = run_watched(c);
		watch_close(&c->watch);
		/* It may have come together with the command's end. */
		if (c->watch.signal)
			c->m->run.interrupted = true;
	} else if (program) {
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
	m->run.usage = (struct rusage){ 0 };
	if (options->multiplex)
		sets_multiplex(m);
	if (!options->command)
		return run_program(&c, NULL);
	program = find_program(options->command[0]);
	if (!program) {
		complain("cannot find '%s' in PATH", options->command[0]);
		return EXIT_NOT_FOUND;
	}
	m->run.privileged = options->target.kind == TARGET_NONE && gains_privileges(program);
	status = run_program(&c, program);
	free(program);
	return status;
}
