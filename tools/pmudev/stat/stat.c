// SPDX-License-Identifier: GPL-2.0
/*
 * pmudev stat: control flow.
 */
#define _GNU_SOURCE
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../common/child.h"
#include "../common/cmd.h"
#include "../common/descriptors.h"
#include "../common/output.h"
#include "../common/ticks.h"
#include "stat.h"
#include "told.h"

static struct output output;

/* ------------------------------------------------------------------------- reports -- */

static bool begin_report(struct measurement *m)
{
	fflush(stdout);
	if (!output_begin(&output))
		return false;
	m->out = output.out;
	if (!m->begun && m->options.format->begin)
		m->options.format->begin(m);
	m->begun = true;
	return true;
}

/* A format whose reports replace each other shows the totals so far. */
static bool report_up_to_now(const struct measurement *m, const struct counted *all)
{
	static struct measurement up_to_now;

	up_to_now = *m;
	up_to_now.counted = *all;
	up_to_now.runs = 1;
	up_to_now.times = NULL;
	up_to_now.elapsed = (struct spread){ .nr = 1, .mean = (double)all->time / NS_PER_SECOND };
	m->options.format->report(&up_to_now, false);
	return output_end(&output);
}

bool stat_interval(struct measurement *m, const struct counted *since, const struct counted *all)
{
	if (m->options.quiet)
		return true;
	if (!begin_report(m))
		return false;
	if (m->options.format->whole)
		return report_up_to_now(m, all);
	m->options.format->interval(m, since);
	return output_end(&output);
}

static bool final_report(struct measurement *m)
{
	const struct stat_format *format = m->options.format;

	if (m->options.quiet)
		return true;
	if (!begin_report(m))
		return false;
	format->report(m, m->options.interval && !m->options.summary && !format->whole);
	return output_end(&output);
}

/* -v: as they were read, and the sums of all runs. */
static void tell_counts(const struct measurement *m)
{
	unsigned int part, n;
	struct row row;
	int i;

	for (part = 0; part < m->counted.nr; part++)
		for (n = 0; (i = stat_row(m, &m->counted, part, n, &row)) >= 0; n++) {
			const struct pmudev_sum *sum = &m->counted.parts[part].total.sums[i];

			complain("%s%s%s: %llu counted, %llu ns enabled, %llu ns running",
				 row.group->name, *row.group->name ? ": " : "", row.event,
				 (unsigned long long)sum->value,
				 (unsigned long long)sum->time_enabled,
				 (unsigned long long)sum->time_running);
		}
}

/* ---------------------------------------------------------------------------- runs -- */

static double seconds(const struct timeval *tv)
{
	return tv->tv_sec + tv->tv_usec / 1e6;
}

static void note_run(struct measurement *m)
{
	const struct stat_run *run = &m->run;
	double *times = realloc(m->times, (m->runs + 1) * sizeof(*times));

	if (times) {
		m->times = times;
		times[m->runs] = (double)(run->end - run->start) / NS_PER_SECOND;
	}
	m->runs++;
	spread_add(&m->elapsed, (double)(run->end - run->start) / NS_PER_SECOND);
	spread_add(&m->user, seconds(&run->usage.ru_utime));
	spread_add(&m->sys, seconds(&run->usage.ru_stime));
	if (WIFSIGNALED(run->status))
		complain("'%s' was ended by signal %d (%s)", m->options.command[0],
			 WTERMSIG(run->status), strsignal(WTERMSIG(run->status)));
	if (m->failed || !child_exit_status(run->status))
		return;
	m->failed = m->runs;
	m->status = child_exit_status(run->status);
	if (!m->first_status)
		m->first_status = m->status;
}

/* --pre, --post. Return: the exit status of the line. */
static int run_line(struct measurement *m, const char *line, const char *option)
{
	int status;

	if (!line)
		return 0;
	fflush(NULL);
	descriptors_restore();
	status = system(line);
	/* Ctrl-C was meant for all. */
	if (status >= 0 && WIFSIGNALED(status) &&
	    (WTERMSIG(status) == SIGINT || WTERMSIG(status) == SIGQUIT))
		m->run.interrupted = true;
	status = status < 0 ? EXIT_NOT_RUN : child_exit_status(status);
	if (status)
		complain("%s '%s' ended with status %d", option, line, status);
	return status;
}

/* Return: 0, or the exit status after something went wrong, which was reported on stderr. */
static int run_once(struct measurement *m)
{
	const struct stat_options *options = &m->options;
	int status = run_line(m, options->pre, "--pre");

	if (status)
		return status;
	if (options->sync)
		sync();
	status = stat_run(m);
	if (status || m->run.skipped)
		return status;
	note_run(m);
	status = run_line(m, options->post, "--post");
	m->run.interrupted |= told_to_end();
	return status;
}

/* -r 0: each run is one by itself. */
static void forget_runs(struct measurement *m)
{
	counted_close(&m->counted);
	m->runs = 0;
	m->run.gap = false;
	m->failed = 0;
	m->status = 0;
	m->elapsed = (struct spread){ .nr = 0 };
	m->user = m->elapsed;
	m->sys = m->elapsed;
}

/* Return: as above */
static int run_all(struct measurement *m)
{
	const unsigned int repeat = m->options.repeat;
	int status = 0;

	told_listen();
	while (!status && !m->run.interrupted && !told_to_end() && (!repeat || m->runs < repeat)) {
		status = run_once(m);
		if (status || repeat || m->run.interrupted)
			continue;
		if (!final_report(m))
			return 1;
		forget_runs(m);
	}
	/* What was counted before a Ctrl-C is reported, whatever that has ended. */
	if (status && !(m->run.interrupted && m->runs))
		return status;
	if (!m->runs)
		told_end();
	if (m->options.verbose)
		tell_counts(m);
	return final_report(m) ? status : 1;
}

/* False: the error was reported. @status: exit status */
static bool open_output(const struct stat_options *options, int *status)
{
	const bool whole = options->format->whole;

	*status = 1;
	if (options->log_fd >= 0)
		return output_open_fd(&output, options->log_fd);
	if (!output_open(&output, options->output, options->append, whole))
		return false;
	if (!whole || !options->interval || output.whole)
		return true;
	complain("--openmetrics with -I replaces its file: '%s' cannot be replaced",
		 options->output);
	*status = EXIT_USAGE;
	output_close(&output);
	return false;
}

int cmd_stat(int argc, char **argv)
{
	static struct repeatability repeatability;
	static struct measurement m;
	const struct stat_options *options = &m.options;
	int status = stat_parse_options(argc, argv, &m.options);

	if (status >= 0)
		goto out;
	status = EXIT_USAGE;
	if (!stat_choose_events(&m))
		goto out;
	if (!open_output(options, &status))
		goto out;
	m.repeatability = options->repeatability ? &repeatability : NULL;
	status = run_all(&m);
	if (!output_close(&output) && !status)
		status = 1;
	if (!status)
		status = m.first_status;
out:
	repeatability_free(&repeatability);
	counted_close(&m.counted);
	free(m.times);
	free(m.options.events);
	free(m.options.metrics);
	metrics_free(&m.metrics);
	free(m.options.target.ids);
	return status;
}
