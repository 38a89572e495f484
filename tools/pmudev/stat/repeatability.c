// SPDX-License-Identifier: GPL-2.0
#include <stdlib.h>
#include <string.h>

#include "../common/cmd.h"
#include "repeatability.h"
#include "stat.h"

unsigned int repeatability_event(const struct event_list *list)
{
	unsigned int i;

	for (i = 0; i < list->nr; i++)
		if (!strcmp(list->events[i].name, "instructions:u"))
			return i;
	return 0;
}

void repeatability_begin(struct measurement *m, pid_t child)
{
	candidates_open(m->repeatability->running, child, m->options.inherit);
}

void repeatability_look(struct measurement *m, pid_t child)
{
	candidates_look(m->repeatability->running, child);
	m->repeatability->random = addresses_random(child);
}

/* ---------------------------------------------------------------------------- noting -- */

static bool add(uint64_t **values, unsigned int nr, uint64_t value)
{
	uint64_t *more = realloc(*values, (nr + 1) * sizeof(*more));

	if (!more)
		return false;
	*values = more;
	more[nr] = value;
	return true;
}

static bool note_run(struct repeatability *r, uint64_t count)
{
	bool room = add(&r->counts, r->runs, count);
	unsigned int i;

	for (i = 0; i < NR_CANDIDATES && room; i++) {
		room = add(&r->values[i], r->runs, r->running[i].value);
		if (!*r->why[i])
			memcpy(r->why[i], r->running[i].why, sizeof(r->why[i]));
	}
	r->runs += room;
	return room;
}

/* A run that was cut short is none. */
void repeatability_end(struct measurement *m, const struct counted *counted)
{
	struct repeatability *r = m->repeatability;
	struct row row;

	candidates_read(r->running, &m->run.usage);
	candidates_close(r->running);
	if (m->run.interrupted)
		return;
	row_make(&row, &m->list, counted, 0, repeatability_event(&m->list));
	if (row.why)
		r->lost = row.why_text;
	else if (!note_run(r, row.value))
		r->lost = "no memory left";
}

void repeatability_free(struct repeatability *r)
{
	unsigned int i;

	candidates_close(r->running);
	free(r->counts);
	for (i = 0; i < NR_CANDIDATES; i++)
		free(r->values[i]);
	memset(r, 0, sizeof(*r));
}

/* --------------------------------------------------------------------------- finding -- */

static double mean(const uint64_t *values, unsigned int nr)
{
	double sum = 0;
	unsigned int i;

	for (i = 0; i < nr; i++)
		sum += values[i];
	return sum / nr;
}

bool repeatability_find(const struct repeatability *r, struct repeatability_found *found)
{
	bool room = extent_find(r->counts, r->runs, &found->counts);
	const double middle = mean(r->counts, r->runs);
	unsigned int i;

	for (i = 0; i < NR_CANDIDATES && room; i++)
		room = extent_find(r->values[i], r->runs, &found->values[i]) &&
		       relation_find(r->counts, r->values[i], r->runs, candidates[i].names,
				     &found->relations[i]);
	if (room)
		found->percent =
			middle ? 100 * (found->counts.max - found->counts.min) / middle : 0;
	return room;
}
