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

/* Is it known without the kernel's perf? A clock is the time in which the sets were enabled. */
static bool is_free(const struct counters *c, unsigned int event)
{
	const struct software_event *what = c->m->software.events[event];

	return what->wall || (what->clock && c->m->list.nr);
}

/* Return: 0, or the exit status; errors were reported. */
static int open_software(struct counters *c, pid_t child)
{
	struct measurement *m = c->m;
	unsigned int event = 0;
	int error;

	c->software.software = &m->software;
	while (event < m->software.nr) {
		error = is_free(c, event) ? 0 : open_event(c, event, child);
		if (error && user_faults(&m->software, event, error)) {
			software_count_drop(&c->software, event);
			software_append(&m->software, &m->list);
			error = open_event(c, event, child);
		}
		if (error && (!m->by_default || error == -EMFILE || error == -ENFILE))
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

/* Extra events must not prevent counting. Return: as sets_open() */
static int open_fewer(struct counters *c, pid_t child, int error)
{
	struct measurement *m = c->m;

	if (error < 0 && m->optional && sets_lack_counters(&c->sets)) {
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
	software_count_enable(&c->software, false);
	return sets_disable(&c->sets) ? sets_refused(&c->sets, &c->m->list) : 0;
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

/* ------------------------------------------------------------------------- reading -- */

bool reading_open(struct reading *reading, const struct counters *c)
{
	*reading = (struct reading){
		.records = calloc(sets_records(&c->sets) + 1, sizeof(*reading->records)),
		.software = calloc(c->grouping.sources * c->m->software.nr + 1,
				   sizeof(*reading->software)),
	};
	if (reading->records && reading->software)
		return true;
	complain("no memory left");
	return false;
}

void reading_close(struct reading *reading)
{
	free(reading->records);
	free(reading->software);
	*reading = (struct reading){ .time = 0 };
}

int counters_read(struct counters *c, struct reading *reading)
{
	if (sets_read(&c->sets, reading->records))
		return sets_refused(&c->sets, &c->m->list);
	memset(reading->software, 0,
	       c->grouping.sources * c->m->software.nr * sizeof(*reading->software));
	software_count_read(&c->software, reading->software);
	reading->time = watch_now() - c->m->run.start;
	return 0;
}

/* ----------------------------------------------------------------------------- sums -- */

static void sum_source(const struct counters *c, unsigned int source, const struct reading *before,
		       const struct reading *after, struct pmudev_total *total)
{
	const unsigned int array = on_cpus(c) ? source / c->cpus : source;
	const unsigned int set = on_cpus(c) ? source % c->cpus : PMUDEV_ALL;

	memset(total, 0, sizeof(*total));
	if (c->sets.nr)
		sets_sum(&c->sets, array, set, before ? before->records : NULL, after->records,
			 total);
}

/* The PMU's events of a group. */
static void sum_hardware(const struct counters *c, unsigned int group, const struct reading *before,
			 const struct reading *after, struct pmudev_total *total)
{
	struct adding adding = { .total = total };
	struct pmudev_total one;
	unsigned int i;

	/* The library knows best what an estimate of all CPUs is. */
	if (c->sets.nr == 1 && c->grouping.nr == 1) {
		sets_sum(&c->sets, 0, PMUDEV_ALL, before ? before->records : NULL, after->records,
			 total);
		return;
	}
	memset(total, 0, sizeof(*total));
	for (i = 0; i < c->grouping.sources; i++) {
		if (c->grouping.of[i] != group)
			continue;
		sum_source(c, i, before, after, &one);
		adding_add(&adding, &one);
	}
	adding_end(&adding);
}

static uint64_t software_value(const struct counters *c, unsigned int group, unsigned int event,
			       const struct reading *before, const struct reading *after)
{
	const unsigned int nr = c->m->software.nr;
	uint64_t value = 0;
	unsigned int i;

	for (i = 0; i < c->grouping.sources; i++)
		if (c->grouping.of[i] == group)
			value += after->software[i * nr + event] -
				 (before ? before->software[i * nr + event] : 0);
	return value;
}

/* The kernel's events follow the PMU's; they count all the time. */
static void sum_software(const struct counters *c, unsigned int group, const struct reading *before,
			 const struct reading *after, struct pmudev_total *total)
{
	const struct software *software = &c->m->software;
	const uint64_t length = after->time - (before ? before->time : 0);
	const uint64_t time = c->sets.nr ? total->time_enabled : length;
	unsigned int i;

	for (i = 0; i < software->nr; i++) {
		struct pmudev_sum *sum = &total->sums[c->m->list.nr + i];

		if (software->events[i]->wall)
			sum->value = length;
		else if (is_free(c, i))
			sum->value = total->time_enabled;
		else
			sum->value = software_value(c, group, i, before, after);
		sum->estimate = sum->value;
		sum->time_enabled = time ? time : 1;
		sum->time_running = sum->time_enabled;
		total->present |= 1ULL << (c->m->list.nr + i);
	}
}

/* --no-scale: what was counted is what is shown. */
static void leave_unscaled(struct pmudev_total *total)
{
	unsigned int i;

	total->multiplexed = 0;
	for (i = 0; i < PMUDEV_MAX_EVENTS; i++)
		total->sums[i].estimate = total->sums[i].value;
}

static void sum_group(const struct counters *c, unsigned int group, const struct reading *before,
		      const struct reading *after, struct pmudev_total *total)
{
	sum_hardware(c, group, before, after, total);
	sum_software(c, group, before, after, total);
	if (c->m->options.unscaled)
		leave_unscaled(total);
}

void counters_between(const struct counters *c, const struct reading *before,
		      const struct reading *after, struct counted *counted)
{
	unsigned int i;

	counted->runs = 1;
	counted->time = after->time;
	counted->length = after->time - (before ? before->time : 0);
	for (i = 0; i < counted->nr; i++)
		sum_group(c, i, before, after, &counted->parts[i].total);
}

void counters_total(const struct counters *c, const struct reading *reading,
		    struct pmudev_total *total)
{
	struct adding adding = { .total = total };
	struct pmudev_total one;
	unsigned int i;

	memset(total, 0, sizeof(*total));
	for (i = 0; i < c->grouping.sources; i++) {
		sum_source(c, i, NULL, reading, &one);
		adding_add(&adding, &one);
	}
	adding_end(&adding);
}
