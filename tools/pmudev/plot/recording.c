// SPDX-License-Identifier: GPL-2.0
#define _GNU_SOURCE
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "../common/cmd.h"
#include "../common/json_read.h"
#include "recording.h"

/* The fields of a line so far. */
struct row {
	bool has_interval;
	bool has_value;
	bool estimated;
	double interval;
	double value;
	double running;
	double percent;
	long cpu;
	bool time;
	bool metric;
	char group[48];
	char event[256];
};

/* ------------------------------------------------------------------------- JSON -- */

/* Of what --per-core and the like show. */
static bool is_group(const char *key)
{
	static const char *const keys[] = { "core", "cluster", "die", "socket", "node", "thread" };
	size_t i;

	for (i = 0; i < ARRAY_SIZE(keys); i++)
		if (!strcmp(key, keys[i]))
			return true;
	return false;
}

static const char *read_member(const char *at, struct row *row)
{
	char key[64], text[256];
	const double *number = NULL;
	double room;

	at = json_read_string(at, key, sizeof(key));
	if (!at || *json_skip_blanks(at) != ':')
		return NULL;
	at = json_skip_blanks(json_skip_blanks(at) + 1);
	if (*at == '[')
		return json_skip_list(at);
	if (*at == '"') {
		at = json_read_string(at, text, sizeof(text));
		if (at && !strcmp(key, "event"))
			memcpy(row->event, text, sizeof(text));
		if (at && !strcmp(key, "metric"))
			row->metric = true;
		if (at && !strcmp(key, "unit"))
			row->time = *text;
		if (at && is_group(key))
			snprintf(row->group, sizeof(row->group), "%.*s",
				 (int)sizeof(row->group) - 1, text);
		return at;
	}
	if (!strcmp(key, "estimated"))
		row->estimated = *at == 't';
	at = json_read_plain(at, &number, &room);
	if (!at || !number)
		return at;
	if (!strcmp(key, "interval")) {
		row->has_interval = true;
		row->interval = room;
	} else if (!strcmp(key, "counter-value")) {
		row->has_value = true;
		row->value = room;
	} else if (!strcmp(key, "event-runtime")) {
		row->running = room;
	} else if (!strcmp(key, "pcnt-running")) {
		row->percent = room;
	} else if (!strcmp(key, "cpu")) {
		if (!(room >= 0 && room <= INT_MAX))
			return NULL;
		row->cpu = room;
	}
	return at;
}

static bool read_object(const char *at, struct row *row)
{
	at = json_skip_blanks(at);
	if (*at != '{')
		return false;
	at = json_skip_blanks(at + 1);
	while (*at != '}') {
		at = read_member(at, row);
		if (!at)
			return false;
		at = json_skip_blanks(at);
		if (*at == ',')
			at = json_skip_blanks(at + 1);
		else if (*at != '}')
			return false;
	}
	return !*json_skip_blanks(at + 1);
}

/* ----------------------------------------------------------------------- series -- */

static struct series *find_series(struct recording *r, const struct row *row)
{
	struct series *series;

	for (series = r->series; series < r->series + r->nr; series++)
		if (series->cpu == row->cpu && !strcmp(series->group, row->group) &&
		    !strcmp(series->event, row->event))
			return series;
	if (r->nr == MAX_SERIES)
		return NULL;
	r->nr++;
	r->cpus |= r->series[0].nr && r->series[0].cpu != row->cpu;
	series->cpu = row->cpu;
	memcpy(series->group, row->group, sizeof(series->group));
	memcpy(series->event, row->event, sizeof(series->event));
	return series;
}

/* The ns in which the value was counted; of an estimate, those that it stands for. */
static double counted_ns(const struct row *row)
{
	if (row->estimated && row->percent > 0)
		return row->running * 100 / row->percent;
	return row->running;
}

static bool add_point(struct series *series, const struct row *row)
{
	struct point *points;

	/* Room grows at powers of two. */
	if (!(series->nr & (series->nr - 1))) {
		points = realloc(series->points,
				 (series->nr ? 2 * series->nr : 1) * sizeof(*points));
		if (!points)
			return false;
		series->points = points;
	}
	series->points[series->nr].seconds = row->interval;
	series->points[series->nr].value = row->has_value ? row->value : -1;
	series->points[series->nr].running = counted_ns(row);
	series->nr++;
	return true;
}

static bool add_line(struct recording *r, const char *line, const char *name, unsigned int number)
{
	struct row row = { .cpu = -1, .running = -1 };
	struct series *series;

	if (!read_object(line, &row) || (row.has_interval && !*row.event && !row.metric)) {
		complain("%s:%u: not a line of `pmudev stat -I MS --json`", name, number);
		return false;
	}
	/* Times and metrics are no events. */
	if (!row.has_interval || row.time || row.metric)
		return true;
	series = find_series(r, &row);
	if (!series) {
		complain("%s:%u: more than %u events and CPUs; record fewer", name, number,
			 MAX_SERIES);
		return false;
	}
	if (add_point(series, &row))
		return true;
	complain("no memory left");
	return false;
}

bool recording_read(FILE *in, const char *name, struct recording *r)
{
	unsigned int number = 0;
	bool fine = true;
	char *line = NULL;
	size_t room = 0;

	memset(r, 0, sizeof(*r));
	while (fine && getline(&line, &room, in) >= 0)
		fine = add_line(r, line, name, ++number);
	free(line);
	if (fine && !r->nr) {
		complain("%s has no intervals; `pmudev stat -I 1000 --json -o FILE` records", name);
		fine = false;
	}
	if (!fine)
		recording_free(r);
	return fine;
}

void recording_free(struct recording *r)
{
	unsigned int i;

	for (i = 0; i < r->nr; i++)
		free(r->series[i].points);
	r->nr = 0;
}

double series_rate(const struct series *series, unsigned int i)
{
	const struct point *point = &series->points[i];
	double since = i ? series->points[i - 1].seconds : 0;
	double seconds = point->running >= 0 ? point->running / 1e9 : point->seconds - since;

	if (point->value < 0)
		return -1;
	if (seconds > 0)
		return point->value / seconds;
	/* It did not run. */
	return point->value ? -1 : 0;
}

const struct series *cycles_of(const struct recording *r, const struct series *series)
{
	static const char what[] = "instructions", per[] = "cycles";
	const struct series *other;

	if (strncmp(series->event, what, strlen(what)))
		return NULL;
	for (other = r->series; other < r->series + r->nr; other++)
		if (other->cpu == series->cpu && !strcmp(other->group, series->group) &&
		    other->nr == series->nr && !strncmp(other->event, per, strlen(per)) &&
		    !strcmp(other->event + strlen(per), series->event + strlen(what)))
			return other;
	return NULL;
}
