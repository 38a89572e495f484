// SPDX-License-Identifier: GPL-2.0
/*
 * The report of `pmudev stat`, in the look of perf's.
 */
#include <string.h>

#include "cmd.h"
#include "stat.h"

#define NS_PER_SECOND 1000000000ULL

const char *thousands(unsigned long long n, char buf[32])
{
	char *at = buf + 31;
	int digits = 0;

	*at = '\0';
	do {
		if (digits && digits % 3 == 0)
			*--at = ',';
		*--at = '0' + n % 10;
		n /= 10;
		digits++;
	} while (n);
	return at;
}

/* ----------------------------------------------------------------- one event -- */

static bool counted(const struct pmudev_record *record, unsigned int i)
{
	return i < record->nr && record->present >> i & 1 && record->counts[i].time_running;
}

/* Times are not taken at the very same instruction: less than would be shown is no difference. */
static bool counted_always(const struct pmudev_record *record, unsigned int i)
{
	const struct pmudev_count *count = &record->counts[i];

	return counted(record, i) &&
	       count->time_running >= count->time_enabled - count->time_enabled / 20000;
}

static const char *why_not_counted(const struct pmudev_record *record, unsigned int i)
{
	if (record->flags & PMUDEV_RECORD_OFFLINE)
		return "the CPU is offline";
	if (record->flags & PMUDEV_RECORD_GATED)
		return "stopped: user reads were switched off";
	if (i >= record->nr || !(record->present >> i & 1))
		return "not in the set any more";
	if (record->counts[i].time_enabled)
		return "was not on a counter";
	return "the target did not run while it was enabled";
}

/* What is worth showing of two events: "# value unit" behind the first. */
static const struct {
	enum pmudev_generic event;
	enum pmudev_generic per;
	double scale;
	const char *unit;
} ratios[] = {
	{ PMUDEV_INSTRUCTIONS, PMUDEV_CYCLES, 1, "  insn per cycle" },
	{ PMUDEV_CACHE_MISSES, PMUDEV_CACHE_REFERENCES, 100, "% of all cache references" },
	{ PMUDEV_BRANCH_MISSES, PMUDEV_BRANCHES, 100, "% of all branches" },
};

/* A generic event as it is, whatever counter it is on. */
static bool is_generic(const struct pmudev_event_attr *attr, enum pmudev_generic config)
{
	return attr->type == PMUDEV_TYPE_GENERIC && attr->config == config && !attr->threshold;
}

static bool same_levels(const struct pmudev_event_attr *a, const struct pmudev_event_attr *b)
{
	return !((a->flags ^ b->flags) & ~PMUDEV_COUNTER);
}

/* The event that counts @config on the same levels as event @like; -1 if there is none. */
static int find_event(const struct event_list *list, const struct pmudev_record *record,
		      enum pmudev_generic config, unsigned int like)
{
	unsigned int i;

	for (i = 0; i < list->nr; i++)
		if (is_generic(&list->attrs[i], config) &&
		    same_levels(&list->attrs[i], &list->attrs[like]) && counted_always(record, i) &&
		    record->counts[i].value)
			return i;
	return -1;
}

static void ratio_text(const struct event_list *list, const struct pmudev_record *record,
		       unsigned int i, char *buf, size_t len)
{
	double ratio;
	size_t r;
	int per;

	for (r = 0; r < ARRAY_SIZE(ratios); r++) {
		if (!is_generic(&list->attrs[i], ratios[r].event))
			continue;
		per = find_event(list, record, ratios[r].per, i);
		if (per < 0)
			continue;
		ratio = ratios[r].scale * record->counts[i].value / record->counts[per].value;
		snprintf(buf, len, "  # %8.2f%s", ratio, ratios[r].unit);
	}
}

static void print_event(FILE *out, const struct event_list *list,
			const struct pmudev_record *record, unsigned int i)
{
	const struct pmudev_count *count = &record->counts[i];
	char number[32], remark[80] = "";

	if (!counted(record, i)) {
		fprintf(out, "%18s      %-24s  (%s)\n", "<not counted>", list->events[i].name,
			why_not_counted(record, i));
		return;
	}
	if (counted_always(record, i))
		ratio_text(list, record, i, remark, sizeof(remark));
	else
		snprintf(remark, sizeof(remark), "  (counted %.2f%% of the time)",
			 100.0 * count->time_running / count->time_enabled);
	fprintf(out, "%18s      %-*s%s\n", thousands(count->value, number), *remark ? 24 : 0,
		list->events[i].name, remark);
}

/* --------------------------------------------------------------------- notes -- */

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
	return *used > run->counts.record.time_enabled * 11 / 10 + 20 * 1000 * 1000;
}

static const char missing[] =
	" %.3f of %.3f seconds of CPU time were counted: this version does not count the other\n"
	" threads and the children of a command, nor what follows after a set-uid program.\n";

static void print_notes(FILE *out, const struct stat_options *options, const struct stat_run *run)
{
	uint64_t used;

	if (run->user_only)
		fprintf(out, " Only user mode is counted (:u): the kernel needs CAP_PERFMON.\n");
	if (options->target != STAT_COMMAND) {
		if (run->counts.record.flags & PMUDEV_RECORD_ENDED)
			fprintf(out, " The target ended before the command did.\n");
		return;
	}
	if (run->privileged && run->counts.record.flags & PMUDEV_RECORD_ENDED)
		fprintf(out, " '%s' gains privileges (set-uid or set-gid), which ended counting.\n",
			options->command[0]);
	else if (much_is_missing(run, &used))
		fprintf(out, missing, (double)run->counts.record.time_enabled / NS_PER_SECOND,
			(double)used / NS_PER_SECOND);
}

/* -------------------------------------------------------------------- report -- */

static void print_title(FILE *out, const struct stat_options *options)
{
	char **arg;

	fprintf(out, "\n Performance counter stats for '");
	if (options->target == STAT_CPU)
		fprintf(out, "CPU %d' during '", options->id);
	else if (options->target == STAT_THREAD)
		fprintf(out, "thread %d' during '", options->id);
	for (arg = options->command; *arg; arg++)
		fprintf(out, "%s%s", arg == options->command ? "" : " ", *arg);
	fprintf(out, "':\n\n");
}

static void print_seconds(FILE *out, uint64_t time, const char *what)
{
	fprintf(out, "%18.9f seconds %s\n", (double)time / NS_PER_SECOND, what);
}

void stat_report(FILE *out, const struct stat_options *options, const struct event_list *list,
		 const struct stat_run *run)
{
	unsigned int i;

	print_title(out, options);
	for (i = 0; i < list->nr; i++)
		print_event(out, list, &run->counts.record, i);
	fprintf(out, "\n");
	print_seconds(out, run->end - run->start, "time elapsed");
	if (options->target == STAT_COMMAND) {
		fprintf(out, "\n");
		print_seconds(out, ns(&run->usage.ru_utime), "user");
		print_seconds(out, ns(&run->usage.ru_stime), "sys");
	}
	fprintf(out, "\n");
	print_notes(out, options, run);
}
