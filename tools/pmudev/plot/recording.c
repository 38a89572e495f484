// SPDX-License-Identifier: GPL-2.0
#define _GNU_SOURCE
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "../common/cmd.h"
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
	char group[48];
	char event[256];
};

/* ------------------------------------------------------------------------- JSON -- */

static const char *skip_blanks(const char *at)
{
	return at + strspn(at, " \t\r\n");
}

/* The bytes of a character; of what is not in ASCII, UTF-8. */
static size_t put_code(char *to, unsigned int code)
{
	if (code < 0x80) {
		to[0] = code;
		return 1;
	}
	if (code < 0x800) {
		to[0] = 0xc0 | code >> 6;
		to[1] = 0x80 | (code & 0x3f);
		return 2;
	}
	to[0] = 0xe0 | code >> 12;
	to[1] = 0x80 | (code >> 6 & 0x3f);
	to[2] = 0x80 | (code & 0x3f);
	return 3;
}

/* A string without its quotes, cut to @len. Behind it, or NULL: there is none. */
static const char *read_string(const char *at, char *to, size_t len)
{
	static const char from_letter[] = "\"\"\\\\//b\bf\fn\nr\rt\t";
	const char *letter;
	unsigned int code;
	size_t used = 0;
	char piece[4];
	size_t n;

	if (*at++ != '"')
		return NULL;
	for (; *at != '"'; at++) {
		if ((unsigned char)*at < 0x20)
			return NULL;
		piece[0] = *at;
		n = 1;
		if (*at == '\\') {
			at++;
			letter = *at && *at != 'u' ? strchr(from_letter, *at) : NULL;
			if (letter)
				piece[0] = letter[1];
			else if (*at == 'u' && strspn(at + 1, "0123456789abcdefABCDEF") >= 4 &&
				 sscanf(at + 1, "%4x", &code) == 1)
				n = put_code(piece, code);
			else
				return NULL;
			at += *at == 'u' ? 4 : 0;
		}
		if (used + n < len) {
			memcpy(to + used, piece, n);
			used += n;
		}
	}
	to[used] = '\0';
	return at + 1;
}

/* @number: NULL if it is none. Behind a value that is no string, or NULL. */
static const char *read_plain(const char *at, const double **number, double *room)
{
	static const char *const words[] = { "true", "false", "null" };
	unsigned int i;
	char *end;

	*number = NULL;
	for (i = 0; i < ARRAY_SIZE(words); i++)
		if (!strncmp(at, words[i], strlen(words[i])))
			return at + strlen(words[i]);
	/* strtod() knows more than JSON does. */
	if (!strspn(at, "-0123456789") || strspn(at, "-0123456789.eE+") < 1)
		return NULL;
	*room = strtod(at, &end);
	*number = room;
	return end == at || (size_t)(end - at) > strspn(at, "-0123456789.eE+") ? NULL : end;
}

/* Skips a list. */
static const char *read_list(const char *at)
{
	const double *number;
	char text[8];
	double room;

	at = skip_blanks(at + 1);
	while (at && *at != ']') {
		at = *at == '"' ? read_string(at, text, sizeof(text)) :
				  read_plain(at, &number, &room);
		if (!at)
			return NULL;
		at = skip_blanks(at);
		if (*at == ',')
			at = skip_blanks(at + 1);
		else if (*at != ']')
			return NULL;
	}
	return at + 1;
}

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

	at = read_string(at, key, sizeof(key));
	if (!at || *skip_blanks(at) != ':')
		return NULL;
	at = skip_blanks(skip_blanks(at) + 1);
	if (*at == '[')
		return read_list(at);
	if (*at == '"') {
		at = read_string(at, text, sizeof(text));
		if (at && !strcmp(key, "event"))
			memcpy(row->event, text, sizeof(text));
		if (at && !strcmp(key, "unit"))
			row->time = *text;
		if (at && is_group(key))
			snprintf(row->group, sizeof(row->group), "%.*s",
				 (int)sizeof(row->group) - 1, text);
		return at;
	}
	if (!strcmp(key, "estimated"))
		row->estimated = *at == 't';
	at = read_plain(at, &number, &room);
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
	at = skip_blanks(at);
	if (*at != '{')
		return false;
	at = skip_blanks(at + 1);
	while (*at != '}') {
		at = read_member(at, row);
		if (!at)
			return false;
		at = skip_blanks(at);
		if (*at == ',')
			at = skip_blanks(at + 1);
		else if (*at != '}')
			return false;
	}
	return !*skip_blanks(at + 1);
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

	if (!read_object(line, &row) || (row.has_interval && !*row.event)) {
		complain("%s:%u: not a line of `pmudev stat -I MS --json`", name, number);
		return false;
	}
	/* Times are no events. */
	if (!row.has_interval || row.time)
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
