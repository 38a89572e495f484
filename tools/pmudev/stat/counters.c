// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include "../common/cmd.h"
#include "../common/descriptors.h"
#include "../common/watch.h"
#include "counters.h"

/* ------------------------------------------------------------------------- sources -- */

/* A source is a set of CPUs' array, of which each cgroup has one, or an array of its own. */
static bool on_cpus(const struct counters *c)
{
	return c->m->options.target.kind == TARGET_CPUS;
}

static void make_grouping(struct counters *c)
{
	const struct target *target = &c->m->options.target;
	const bool threads = target->kind == TARGET_THREAD || target->each_thread;
	static int cpus[TARGET_MAX_CPUS];
	unsigned int nr = 0, i;

	for (i = 0; on_cpus(c) && i < TARGET_MAX_CPUS; i++)
		if (target->cpu[i])
			cpus[nr++] = i;
	c->cpus = nr;
	c->numbers = cpus;
	if (c->m->options.grouping == GROUP_CGROUP) {
		grouping_make_cgroups(&c->grouping, target->cgroups, target->nr_cgroups, nr);
		return;
	}
	if (!on_cpus(c))
		nr = target_arrays(target);
	grouping_make(&c->grouping, c->m->options.grouping, cpus, threads ? target->ids : NULL, nr,
		      "");
}

/* ------------------------------------------------------------------ software events -- */

static struct software_target source_target(const struct counters *c, unsigned int source,
					    pid_t child)
{
	const struct stat_options *options = &c->m->options;
	const struct target *target = &options->target;
	struct software_target to = { .cpu = -1, .id = child };

	if (target->kind == TARGET_CPUS) {
		to.cpu = c->numbers[source % c->cpus];
		to.cgroup = target->nr_cgroups;
		to.id = to.cgroup ? target->cgroup_fds[source / c->cpus] : -1;
		return to;
	}
	to.inherit = options->inherit;
	if (target->kind == TARGET_NONE) {
		to.on_exec = !options->delay;
		return to;
	}
	to.id = target->ids[source];
	to.process = target->kind == TARGET_PROCESS && !target->each_thread;
	to.threads = to.process;
	return to;
}

/* Page faults of user mode need no capability. */
static bool user_faults(struct software *software, unsigned int event, int error)
{
	char *name = software->names[event];
	const size_t used = strlen(name);

	if (error != -EACCES || software->user_only[event] || software->kernel_only[event] ||
	    !strstr(name, "faults"))
		return false;
	software->user_only[event] = true;
	snprintf(name + used, EVENT_NAME - used, ":u");
	return true;
}

static int open_event(struct counters *c, unsigned int event, pid_t child)
{
	struct software_target to;
	unsigned int i;
	int error;

	for (i = 0; i < c->grouping.sources; i++) {
		to = source_target(c, i, child);
		error = software_count_open(&c->software, event, i, &to);
		/* Of several targets one may have ended. */
		if (error && error != -ESRCH)
			return error;
	}
	return 0;
}

static int paranoid(void)
{
	FILE *in = fopen("/proc/sys/kernel/perf_event_paranoid", "re");
	int level;

	if (!in || fscanf(in, "%d", &level) != 1)
		level = 2;
	if (in)
		fclose(in);
	return level;
}

static int refuse_event(const struct software *software, unsigned int event, int error)
{
	if (error == -EACCES || error == -EPERM)
		complain("%s: it needs CAP_PERFMON, as kernel.perf_event_paranoid is %d",
			 software->names[event], paranoid());
	else
		complain("%s: the kernel does not count it: %s", software->names[event],
			 strerror(-error));
	return EXIT_NOT_RUN;
}

/* Return: 0, or the exit status; errors were reported. */
static int open_software(struct counters *c, pid_t child)
{
	struct measurement *m = c->m;
	unsigned int event = 0;
	int error;

	c->software.software = &m->software;
	while (event < m->software.nr) {
		error = counters_have(c, event) ? 0 : open_event(c, event, child);
		if (error && user_faults(&m->software, event, error)) {
			software_count_drop(&c->software, event);
			software_append(&m->software, &m->list);
			error = open_event(c, event, child);
		}
		if (error && (!m->by_default || m->runs || error == -EMFILE || error == -ENFILE))
			return refuse_event(&m->software, event, error);
		if (error) {
			software_count_drop(&c->software, event);
			stat_leave_out_software(m, event, error);
			continue;
		}
		event++;
	}
	return 0;
}

/* ----------------------------------------------------------------- opening and ending -- */

/*
 * Extra events must not prevent counting. Runs are added up by event: a later one has what the
 * first had, or is refused. Return: as sets_open()
 */
static int open_fewer(struct counters *c, pid_t child, int error)
{
	struct measurement *m = c->m;

	if (error < 0 && m->optional && !m->runs && sets_lack_counters(&c->sets)) {
		sets_close(&c->sets);
		stat_leave_out_optional(m);
		error = sets_open(m, &c->sets, child);
		if (!error)
			error = sets_enable(&c->sets);
	}
	if (error < 0 && m->options.detailed && !m->options.multiplex &&
	    sets_lack_counters(&c->sets) && sets_can_rotate(&c->sets, &m->list)) {
		sets_close(&c->sets);
		m->run.shared = true;
		sets_multiplex(m);
		error = sets_open(m, &c->sets, child);
		if (!error)
			error = sets_enable(&c->sets);
	}
	return error;
}

static int refused(struct counters *c)
{
	const int status = sets_refused(&c->sets, &c->m->list);

	sets_advise(c->m, &c->sets);
	return status;
}

int counters_open(struct counters *c, struct measurement *m, pid_t child)
{
	int error;

	*c = (struct counters){ .m = m };
	descriptors_raise();
	make_grouping(c);
	m->run.start = watch_now();
	error = sets_open(m, &c->sets, child);
	if (!error && !m->options.delay) {
		m->run.start = watch_now();
		error = sets_enable(&c->sets);
	}
	if (error < 0 && !m->options.delay)
		error = open_fewer(c, child, error);
	if (error < 0)
		error = refused(c);
	if (!error)
		error = open_software(c, child);
	if (!error && !m->options.delay && m->options.target.kind != TARGET_NONE)
		software_count_enable(&c->software, true);
	return error;
}

int counters_begin(struct counters *c)
{
	int error = sets_enable(&c->sets);

	software_count_enable(&c->software, true);
	/* Skip targets that have ended meanwhile. */
	return !error || error == -ESRCH ? 0 : refused(c);
}

int counters_stop(struct counters *c)
{
	const int error = sets_disable(&c->sets);

	software_count_enable(&c->software, false);
	return error ? sets_refused(&c->sets, &c->m->list) : 0;
}

void counters_close(struct counters *c)
{
	sets_close(&c->sets);
	software_count_close(&c->software);
	grouping_free(&c->grouping);
}

bool counters_ended(struct counters *c)
{
	const struct target *target = &c->m->options.target;
	struct pmudev_total total;
	unsigned int i;

	for (i = 0; i < c->sets.nr; i++)
		/* If it cannot be read here, it cannot be read later. */
		if (!pmudev_set_array_read(&c->sets.arrays[i], &total) &&
		    !(total.flags & PMUDEV_RECORD_ENDED))
			return false;
	if (c->sets.nr)
		return true;
	for (i = 0; i < target->nr_ids; i++)
		if (!kill(target->ids[i], 0) || errno == EPERM)
			return false;
	return true;
}
