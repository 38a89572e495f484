// SPDX-License-Identifier: GPL-2.0
/*
 * The report of `pmudev stat`, in the look of perf's.
 */
#include <string.h>

#include "cmd.h"
#include "stat.h"
#include "ticks.h"

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

static bool counted(const struct pmudev_total *total, unsigned int i)
{
	return total->present >> i & 1 && total->sums[i].time_running;
}

/* Times are not taken at the very same instruction: less than would be shown is no difference. */
static bool counted_always(const struct pmudev_total *total, unsigned int i)
{
	const struct pmudev_sum *sum = &total->sums[i];

	return counted(total, i) &&
	       sum->time_running >= sum->time_enabled - sum->time_enabled / 20000;
}

static bool multiplexed(const struct pmudev_total *total, unsigned int i)
{
	return total->multiplexed >> i & 1;
}

/* Estimated only where that was asked for: what is stopped by others is not made up. */
static uint64_t shown(const struct pmudev_total *total, unsigned int i)
{
	return multiplexed(total, i) ? total->sums[i].estimate : total->sums[i].value;
}

static const char *why_not_counted(const struct pmudev_total *total, unsigned int i)
{
	if (total->flags & PMUDEV_RECORD_OFFLINE)
		return "the CPU is offline";
	if (total->flags & PMUDEV_RECORD_GATED)
		return "stopped: user reads were switched off";
	if (!(total->present >> i & 1))
		return "not in the set any more";
	if (!total->sums[i].time_enabled)
		return "the target did not run while it was enabled";
	if (multiplexed(total, i))
		return "its turn did not come; run it for longer, or count fewer events";
	return "was not on a counter";
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

/* Can it be divided by? Estimates can, but not what was stopped for some time. */
static bool comparable(const struct pmudev_total *total, unsigned int i)
{
	return counted_always(total, i) || (counted(total, i) && multiplexed(total, i));
}

/* The event that counts @config on the same levels as event @like; -1 if there is none. */
static int find_event(const struct event_list *list, const struct pmudev_total *total,
		      enum pmudev_generic config, unsigned int like)
{
	unsigned int i;

	for (i = 0; i < list->nr; i++)
		if (is_generic(&list->attrs[i], config) &&
		    same_levels(&list->attrs[i], &list->attrs[like]) && comparable(total, i) &&
		    shown(total, i))
			return i;
	return -1;
}

static void ratio_text(const struct event_list *list, const struct pmudev_total *total,
		       unsigned int i, char *buf, size_t len)
{
	double ratio;
	size_t r;
	int per;

	for (r = 0; r < ARRAY_SIZE(ratios); r++) {
		if (!is_generic(&list->attrs[i], ratios[r].event))
			continue;
		per = find_event(list, total, ratios[r].per, i);
		if (per < 0)
			continue;
		ratio = ratios[r].scale * shown(total, i) / shown(total, per);
		snprintf(buf, len, "  # %8.2f%s", ratio, ratios[r].unit);
	}
}

static void print_event(FILE *out, const struct event_list *list, const struct pmudev_total *total,
			unsigned int i)
{
	const struct pmudev_sum *sum = &total->sums[i];
	const char *name = list->events[i].name;
	char number[32], remark[80] = "", part[40] = "";

	if (!counted(total, i)) {
		fprintf(out, "%18s      %-24s  (%s)\n", "<not counted>", name,
			why_not_counted(total, i));
		return;
	}
	if (comparable(total, i))
		ratio_text(list, total, i, remark, sizeof(remark));
	if (!counted_always(total, i))
		snprintf(part, sizeof(part),
			 multiplexed(total, i) ? "  (%.2f%%)" : "  (counted %.2f%% of the time)",
			 100.0 * sum->time_running / sum->time_enabled);
	fprintf(out, "%18s      %-*s%s%s\n", thousands(shown(total, i), number),
		*remark || *part ? 24 : 0, name, remark, part);
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
	return *used > run->total.time_enabled * 11 / 10 + 20 * 1000 * 1000;
}

static bool any_estimate(const struct event_list *list, const struct pmudev_total *total)
{
	unsigned int i;

	for (i = 0; i < list->nr; i++)
		if (multiplexed(total, i) && counted(total, i) && !counted_always(total, i))
			return true;
	return false;
}

static void print_missing(FILE *out, const struct stat_options *options, const struct stat_run *run)
{
	uint64_t used;

	if (run->privileged && run->total.flags & PMUDEV_RECORD_ENDED)
		fprintf(out, " '%s' gains privileges (set-uid, set-gid), which ended counting.\n",
			options->command[0]);
	else if (much_is_missing(run, &used))
		fprintf(out, " %.3f of %.3f seconds of CPU time were counted: not %s.\n",
			(double)run->total.time_enabled / NS_PER_SECOND,
			(double)used / NS_PER_SECOND,
			options->inherit ? "what follows after a set-uid program" :
					   "other threads and children (-i)");
}

static void print_notes(FILE *out, const struct stat_options *options,
			const struct event_list *list, const struct stat_run *run)
{
	if (run->user_only)
		fprintf(out, " Only user mode is counted (:u): the kernel needs CAP_PERFMON.\n");
	if (any_estimate(list, &run->total))
		fprintf(out,
			" Events took turns: those with a percentage were counted for that part\n"
			" of the time, and their counts are estimates.\n");
	if (run->total.flags & PMUDEV_RECORD_INCOMPLETE)
		fprintf(out, " Incomplete: some children were not counted for want of memory.\n");
	if (options->target.kind == TARGET_NONE)
		print_missing(out, options, run);
	else if (options->command && run->total.flags & PMUDEV_RECORD_ENDED)
		fprintf(out, " The %s ended before the command did.\n",
			target_noun(&options->target));
}

/* -------------------------------------------------------------------- report -- */

static void print_title(FILE *out, const struct stat_options *options)
{
	char **arg;

	fprintf(out, "\n Performance counter stats for '");
	if (options->target.kind != TARGET_NONE)
		fprintf(out, "%s %s%s", target_noun(&options->target), options->target.text,
			options->command ? "' during '" : "");
	for (arg = options->command; arg && *arg; arg++)
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
		print_event(out, list, &run->total, i);
	fprintf(out, "\n");
	print_seconds(out, run->end - run->start, "time elapsed");
	if (options->target.kind == TARGET_NONE) {
		fprintf(out, "\n");
		print_seconds(out, ns(&run->usage.ru_utime), "user");
		print_seconds(out, ns(&run->usage.ru_stime), "sys");
	}
	fprintf(out, "\n");
	print_notes(out, options, list, run);
}
