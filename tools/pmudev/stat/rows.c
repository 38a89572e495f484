// SPDX-License-Identifier: GPL-2.0
/*
 * The output of an event: its count or why there is none, the part of the time, and metrics of two
 * events.
 */
#include <string.h>

#include "../common/cmd.h"
#include "../common/parts.h"
#include "stat.h"

static bool was_counted(const struct pmudev_total *total, unsigned int i)
{
	return total->present >> i & 1 && total->sums[i].time_running;
}

/* Times are not taken at the very same instruction: less than would be shown is no difference. */
static bool counted_always(const struct pmudev_total *total, unsigned int i)
{
	const struct pmudev_sum *sum = &total->sums[i];

	return was_counted(total, i) &&
	       sum->time_running >= sum->time_enabled - sum->time_enabled / 20000;
}

static bool multiplexed(const struct pmudev_total *total, unsigned int i)
{
	return total->multiplexed >> i & 1;
}

/*
 * Estimate only multiplexed events that did not count all the time. Do not estimate events that
 * were stopped for other reasons. With several runs: the mean of those in which it was counted,
 * rounded to the nearest.
 */
static uint64_t shown(const struct counted_part *part, unsigned int i)
{
	const struct pmudev_sum *sum = &part->total.sums[i];
	const bool estimate = multiplexed(&part->total, i) && !counted_always(&part->total, i);
	const uint64_t value = estimate ? sum->estimate : sum->value;
	const unsigned int nr = part->spreads[i].nr;

	return nr > 1 ? value / nr + (value % nr + nr / 2) / nr : value;
}

/* -------------------------------------------------------------------- not counted -- */

#define NO_ROTATION "no-rotation"

static void why_not_counted(struct row *row, const struct pmudev_total *total, unsigned int i,
			    bool never_began)
{
	const bool offline = total->flags & PMUDEV_RECORD_OFFLINE;
	const bool off = total->flags & PMUDEV_RECORD_NO_USER_ACCESS;
	const struct {
		bool is_it;
		const char *word;
		const char *text;
	} reasons[] = {
		{ never_began, "disabled", "counting was off" },
		{ offline, "offline", "the CPU is offline" },
		{ off, "no-user-access", "stopped: user access was disabled" },
		{ !(total->present >> i & 1), "removed", "removed from the set" },
		{ multiplexed(total, i), NO_ROTATION, "rotation did not reach it" },
		{ row->some_cpus, "other-pmu", "the target was not on these CPUs" },
		{ true, "no-counter", "was not on a counter" },
	};
	size_t r;

	for (r = 0; !reasons[r].is_it; r++)
		;
	row->why = reasons[r].word;
	row->why_text = reasons[r].text;
}

/* ------------------------------------------------------------------------- metrics -- */

/* Metrics of two events, shown after the first one. Named events exist on some CPUs. */
static const struct ratio {
	enum pmudev_generic event;
	enum pmudev_generic per;
	const char *event_name;
	const char *per_name;
	double scale;
	const char *unit;
} ratios[] = {
	{ PMUDEV_INSTRUCTIONS, PMUDEV_CYCLES, NULL, NULL, 1, "insn per cycle" },
	{ PMUDEV_CACHE_MISSES, PMUDEV_CACHE_REFERENCES, NULL, NULL, 100,
	  "% of all cache references" },
	{ PMUDEV_BRANCH_MISSES, PMUDEV_BRANCHES, NULL, NULL, 100, "% of all branches" },
	{ 0, 0, "L1-dcache-load-misses", "L1-dcache-loads", 100, "% of all L1D accesses" },
	{ 0, 0, "l1d_cache_refill", "l1d_cache", 100, "% of all L1D accesses" },
};

/* A generic event as it is, whatever counter it is on. */
static bool is_generic(const struct pmudev_event_attr *attr, enum pmudev_generic config)
{
	return attr->type == PMUDEV_TYPE_GENERIC && attr->config == config && !attr->threshold;
}

/* The event of this name, whatever counter it is on and what levels it counts. */
static bool is_named(const struct event_list *list, unsigned int i, const char *name)
{
	const char *is = list->events[i].name;
	const size_t len = strlen(name);

	return !strncmp(is, name, len) && (!is[len] || is[len] == ':' || is[len] == '@');
}

static bool is_event(const struct event_list *list, unsigned int i, const char *name,
		     enum pmudev_generic config)
{
	return name ? is_named(list, i, name) : is_generic(&list->attrs[i], config);
}

static bool same_levels(const struct pmudev_event_attr *a, const struct pmudev_event_attr *b)
{
	return !((a->flags ^ b->flags) & ~PMUDEV_COUNTER);
}

/* Can it be a divisor? Estimates can, but not events that were stopped for some time. */
static bool comparable(const struct pmudev_total *total, unsigned int i)
{
	return counted_always(total, i) || (was_counted(total, i) && multiplexed(total, i));
}

/*
 * The event that the ratio divides by, on the same levels as event @like; best one of its group,
 * which was counted at the same times. -1 if there is none.
 */
static int find_per(const struct event_list *list, const struct counted_part *part,
		    const struct ratio *ratio, unsigned int like)
{
	const struct pmudev_event_attr *wanted = &list->attrs[like];
	unsigned int i;
	int found = -1;

	for (i = 0; i < list->nr; i++) {
		const struct pmudev_event_attr *attr = &list->attrs[i];

		if (!is_event(list, i, ratio->per_name, ratio->per) || !same_levels(attr, wanted) ||
		    !comparable(&part->total, i) || !shown(part, i))
			continue;
		if (attr->group == wanted->group)
			return i;
		if (found < 0)
			found = i;
	}
	return found;
}

static void find_metric(struct row *row, const struct event_list *list,
			const struct counted_part *part, unsigned int i)
{
	size_t r;
	int per;

	if (!comparable(&part->total, i))
		return;
	for (r = 0; r < ARRAY_SIZE(ratios); r++) {
		if (!is_event(list, i, ratios[r].event_name, ratios[r].event))
			continue;
		per = find_per(list, part, &ratios[r], i);
		if (per < 0)
			continue;
		row->metric = ratios[r].scale * row->value / shown(part, per);
		row->unit = ratios[r].unit;
	}
}

/* Per second of CPU time, if that was counted; of cycles that is the clock's frequency. */
static void find_rate(struct row *row, const struct event_list *list, const struct counted *counted,
		      const struct counted_part *part, unsigned int i)
{
	static const char *const units[] = { "/sec", "K/sec", "M/sec", "G/sec" };
	unsigned int clock, unit = 0;
	double per_ns;

	if (software_is_clock(list, i)) {
		if (counted->length && part->total.sums[i].value) {
			row->metric = (double)part->total.sums[i].value / counted->length;
			row->unit = "CPUs utilized";
		}
		return;
	}
	for (clock = list->nr; clock < list->nr + list->software; clock++)
		if (software_is_clock(list, clock))
			break;
	if (row->time || clock == list->nr + list->software || !comparable(&part->total, i) ||
	    !shown(part, clock))
		return;
	per_ns = (double)row->value / shown(part, clock);
	if (i < list->nr && is_generic(&list->attrs[i], PMUDEV_CYCLES)) {
		row->metric = per_ns;
		row->unit = "GHz";
		return;
	}
	for (row->metric = per_ns * 1e9; row->metric >= 1000 && unit + 1 < ARRAY_SIZE(units);
	     row->metric /= 1000)
		unit++;
	row->unit = units[unit];
}

/* ---------------------------------------------------------------------------- rows -- */

void row_make(struct row *row, const struct event_list *list, const struct counted *counted,
	      unsigned int part_nr, unsigned int i)
{
	const struct counted_part *part = &counted->parts[part_nr];
	const struct pmudev_sum *sum = &part->total.sums[i];

	*row = (struct row){
		.event = list->events[i].name,
		.some_cpus = list->events[i].pmus,
		.group = &part->group,
		.kind = counted->kind,
		.time = software_is_time(list, i),
	};
	if (i < list->nr)
		parts_names(list, i, row->pmus, sizeof(row->pmus));
	else
		snprintf(row->pmus, sizeof(row->pmus), "software");
	if (counted_zero(counted, &part->total, i)) {
		row->always = true;
		row->percent = 100;
		return;
	}
	if (!was_counted(&part->total, i)) {
		why_not_counted(row, &part->total, i, counted->never_began);
		return;
	}
	row->value = shown(part, i);
	row->always = counted_always(&part->total, i);
	row->estimate = multiplexed(&part->total, i) && !row->always;
	row->running = sum->time_running / counted->runs;
	row->percent = row->always ? 100 : 100.0 * sum->time_running / sum->time_enabled;
	row->deviation = spread_percent(&part->spreads[i]);
	find_metric(row, list, part, i);
	if (!row->unit)
		find_rate(row, list, counted, part, i);
}

int stat_row(const struct measurement *m, const struct counted *counted, unsigned int part,
	     unsigned int n, struct row *row)
{
	if (n >= m->list.nr + m->list.software)
		return -1;
	row_make(row, &m->list, counted, part, m->software.order[n]);
	/* What -M names is all that is asked for. */
	if (m->metrics.nr)
		row->unit = NULL;
	return m->software.order[n];
}

int stat_metric_digits(const struct row *row)
{
	const char *unit = row->unit;

	return !strcmp(unit, "CPUs utilized") || !strcmp(unit, "GHz") || strstr(unit, "/sec") ? 3 :
												2;
}

static bool any_row(const struct event_list *list, const struct counted *counted,
		    bool (*is_it)(const struct row *row))
{
	unsigned int part, i;
	struct row row;

	for (part = 0; part < counted->nr; part++)
		for (i = 0; i < list->nr; i++) {
			row_make(&row, list, counted, part, i);
			if (is_it(&row))
				return true;
		}
	return false;
}

static bool is_estimate(const struct row *row)
{
	return row->estimate;
}

static bool not_rotated_in(const struct row *row)
{
	return row->why && !strcmp(row->why, NO_ROTATION);
}

bool any_estimate(const struct event_list *list, const struct counted *counted)
{
	return any_row(list, counted, is_estimate);
}

bool any_not_rotated_in(const struct event_list *list, const struct counted *counted)
{
	return any_row(list, counted, not_rotated_in);
}
