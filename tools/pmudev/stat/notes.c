// SPDX-License-Identifier: GPL-2.0
/*
 * Remarks about the runs of `pmudev stat`, in addition to the numbers.
 */
#include <stdarg.h>

#include "../common/cmd.h"
#include "../common/errata.h"
#include "../common/ticks.h"
#include "stat.h"

/* Where the notes go. */
struct listener {
	void (*say)(void *context, const char *note);
	void *context;
};

static void say(const struct listener *to, const char *format, ...)
	__attribute__((__format__(printf, 2, 3)));

static void say(const struct listener *to, const char *format, ...)
{
	char note[512];
	va_list args;

	va_start(args, format);
	vsnprintf(note, sizeof(note), format, args);
	va_end(args);
	to->say(to->context, note);
}

static uint64_t ns(const struct timeval *tv)
{
	return tv->tv_sec * NS_PER_SECOND + tv->tv_usec * 1000ULL;
}

/*
 * Whether the command used much more CPU time than was counted. Its own times have a grain of
 * microseconds, and start a bit earlier.
 */
static bool much_is_missing(const struct stat_run *run, uint64_t *used)
{
	*used = ns(&run->usage.ru_utime) + ns(&run->usage.ru_stime);
	return *used > run->total.time_enabled * 11 / 10 + 20 * 1000 * 1000;
}

static void say_missing(const struct listener *to, const struct measurement *m)
{
	const struct stat_run *run = &m->run;
	uint64_t used;

	if (run->privileged && run->total.flags & PMUDEV_RECORD_ENDED)
		say(to, "'%s' gains privileges (set-uid, set-gid), which ended counting.",
		    m->options.command[0]);
	else if (!run->stopped && !m->options.delay && m->options.control.commands < 0 &&
		 much_is_missing(run, &used))
		say(to, "%.3f of %.3f seconds of CPU time were counted%s.",
		    (double)run->total.time_enabled / NS_PER_SECOND, (double)used / NS_PER_SECOND,
		    m->options.inherit ? "" : ": not other threads and children (-i)");
}

static void say_failed(const struct listener *to, const struct measurement *m)
{
	if (m->failed && m->runs > 1)
		say(to, "Run %u of %u ended with status %d; all are in the means.", m->failed,
		    m->runs, m->status);
	if (m->runs < m->options.repeat)
		say(to, "Interrupted: %u of %u runs.", m->runs, m->options.repeat);
}

/* What manuals say of the events on this CPU; all of AMD that a machine has are alike. */
const struct erratum *stat_erratum(const struct pmudev_event_attr *attr, const struct erratum *last)
{
	struct pmudev_query q = {};
	struct pmudev set;
	bool known;

	known = !pmudev_open(&set) && !pmudev_query(&set, 0, &q);
	pmudev_close(&set);
	while (known && (last = errata_next(q.arch, q.cpu_id, last)))
		if (erratum_is_of(last, attr))
			return last;
	return NULL;
}

static void say_errata(const struct listener *to, const struct event_list *list)
{
	const struct erratum *e;
	unsigned int i;

	for (i = 0; i < list->nr; i++)
		for (e = NULL; (e = stat_erratum(&list->attrs[i], e));)
			say(to, "%s: %s [%s].", list->events[i].name, e->text, e->source);
}

/* In any run. */
static bool any_incomplete(const struct counted *counted)
{
	unsigned int i;

	for (i = 0; i < counted->nr; i++)
		if (counted->parts[i].total.flags & PMUDEV_RECORD_INCOMPLETE)
			return true;
	return false;
}

void stat_notes(const struct measurement *m, void (*to_say)(void *context, const char *note),
		void *context)
{
	const struct listener to = { .say = to_say, .context = context };
	const struct stat_run *run = &m->run;

	if (run->user_only)
		say(&to, "Only user mode is counted (:u): the kernel needs CAP_PERFMON.");
	if (run->cycles)
		say(&to, "Cycles that pass the threshold are counted, not the events in them.");
	if (*m->missing)
		say(&to, "This CPU does not have: %s.", m->missing);
	if (*m->left_out)
		say(&to, "There are not enough counters for: %s.", m->left_out);
	if (*m->forbidden)
		say(&to, "The kernel counts with CAP_PERFMON only: %s.", m->forbidden);
	if (*m->unknown)
		say(&to, "The kernel does not count here: %s.", m->unknown);
	if (run->shared)
		say(&to, "There are not enough counters for all of -d at once.");
	say_errata(&to, &m->list);
	if (any_estimate(&m->list, &m->counted))
		say(&to, "Events shared counters: numbers with a percentage are estimates.");
	if (any_not_rotated_in(&m->list, &m->counted))
		say(&to, "Rotation did not reach some events: run longer, or count fewer events.");
	if (any_incomplete(&m->counted))
		say(&to, "Incomplete: some children were not counted: no memory, too many, or "
			 "somebody else counts them.");
	if (run->gap)
		say(&to, "A CPU went offline: its software events were not counted from then to "
			 "the end of the interval or run.");
	if (m->options.target.kind == TARGET_NONE && m->list.nr)
		say_missing(&to, m);
	else if (m->options.command && run->total.flags & PMUDEV_RECORD_ENDED)
		say(&to, "The %s ended before the command did.", target_noun(&m->options.target));
	say_failed(&to, m);
}
