// SPDX-License-Identifier: GPL-2.0
/* What --repeatability tells, for people and as JSON. */
#include <math.h>
#include <string.h>

#include "../common/cmd.h"
#include "../common/json.h"
#include "repeatability.h"
#include "stat.h"

#define CORRELATION_ONLY "That is a correlation: the cause may be something else that goes with it."
#define EXACTLY		 "Counts go with %s, to the unit (by chance: %s of all orders of the runs)."
#define OTHER_CAUSES                                                                             \
	"time, random numbers, files that change, answers of other processes; between machines " \
	"also the environment's size and the libraries."

/* Do counts go with it to the unit? */
static bool explains(const struct repeatability *r, const struct repeatability_found *found,
		     unsigned int i)
{
	const enum relation_kind kind = found->relations[i].kind;

	return !*r->why[i] && (kind == RELATION_COST || kind == RELATION_EQUAL);
}

static bool goes_along(const struct repeatability *r, const struct repeatability_found *found,
		       unsigned int i)
{
	return !*r->why[i] && found->relations[i].kind == RELATION_ALONG;
}

static const char *erratum_text(const struct measurement *m)
{
	const struct erratum *e;

	e = stat_erratum(&m->list.attrs[repeatability_event(&m->list)], NULL);
	return e ? e->text : NULL;
}

/* -------------------------------------------------------------------------- for people -- */

static const char *signed_thousands(int64_t value, char buf[34])
{
	char digits[32];

	sprintf(buf, "%s%s", value < 0 ? "-" : "",
		thousands(value < 0 ? -(uint64_t)value : (uint64_t)value, digits));
	return buf;
}

static void relation_text(const struct relation *relation, char *buf, size_t len)
{
	char number[34];

	switch (relation->kind) {
	case RELATION_CONSTANT:
		snprintf(buf, len, "the same in all runs");
		break;
	case RELATION_COST:
		snprintf(buf, len, "%s for each, to the unit",
			 signed_thousands(relation->cost, number));
		break;
	case RELATION_EQUAL:
		snprintf(buf, len, "equal counts whenever it is equal");
		break;
	case RELATION_ALONG:
		/* Cut off, as one that is not exact is not 1. */
		snprintf(buf, len, "not exactly: correlation %.3f",
			 trunc(1000 * relation->correlation) / 1000);
		break;
	case RELATION_OPEN:
		snprintf(buf, len, "too few equal ones to tell");
		break;
	case RELATION_NONE:
		snprintf(buf, len, "counts differ where it is equal");
		break;
	}
}

static void print_line(FILE *out, const char *name, const char *values, const char *text)
{
	fprintf(out, " %-20s %20s%s%s\n", name, values, *text ? "  " : "", text);
}

static void print_candidate(const struct measurement *m, const struct repeatability_found *found,
			    unsigned int i)
{
	const struct repeatability *r = m->repeatability;
	const struct extent *values = &found->values[i];
	char range[72], text[80], least[32], most[32];

	if (*r->why[i]) {
		snprintf(text, sizeof(text), "not counted: %s", r->why[i]);
		print_line(m->out, candidates[i].name, "", text);
		return;
	}
	snprintf(range, sizeof(range), "%s", thousands(values->min, least));
	if (values->distinct > 1)
		snprintf(range, sizeof(range), "%s to %s", thousands(values->min, least),
			 thousands(values->max, most));
	relation_text(&found->relations[i], text, sizeof(text));
	print_line(m->out, candidates[i].name, range, text);
}

/* One that counts go with, and what to do. */
static void print_cause(const struct measurement *m, const struct relation *relation,
			unsigned int i, bool exact)
{
	const char *name = candidates[i].name;
	char note[256], chance[32];

	snprintf(chance, sizeof(chance), relation->chance ? "in %.1f%%" : "in less than 0.1%%",
		 100 * relation->chance);
	if (exact)
		snprintf(note, sizeof(note), EXACTLY, name, chance);
	else
		snprintf(note, sizeof(note), "Counts go along with %s, but not to the unit.", name);
	stat_print_note(m->out, note);
	snprintf(note, sizeof(note), "%s: %s.", name, candidates[i].advice);
	stat_print_note(m->out, note);
}

static void print_causes(const struct measurement *m, const struct repeatability_found *found)
{
	const struct repeatability *r = m->repeatability;
	unsigned int exact = 0, along = 0, i;

	for (i = 0; i < NR_CANDIDATES; i++) {
		exact += explains(r, found, i);
		along += goes_along(r, found, i);
		if (explains(r, found, i) || goes_along(r, found, i))
			print_cause(m, &found->relations[i], i, explains(r, found, i));
	}
	if (exact + along)
		stat_print_note(m->out, CORRELATION_ONLY);
	if (exact)
		return;
	stat_print_note(m->out, along ? "None of these explains it to the unit." :
					"None of these explains it.");
	stat_print_note(m->out, r->random ?
					"Look at addresses, which are random (`setarch -R` turns "
					"that off), and hashes of them; " OTHER_CAUSES :
					"Look at " OTHER_CAUSES);
}

void repeatability_print(const struct measurement *m)
{
	const struct repeatability *r = m->repeatability;
	const char *event = m->list.events[repeatability_event(&m->list)].name;
	struct repeatability_found found;
	char least[32], most[32];
	unsigned int i;

	if (r->lost || !r->runs || !repeatability_find(r, &found)) {
		fprintf(m->out, " Repeatability of %s is not known: %s.\n\n", event,
			r->lost ? r->lost : "no run was counted");
		return;
	}
	if (found.counts.distinct == 1) {
		fprintf(m->out, " %s is repeatable: %s in each of %u runs.\n\n", event,
			thousands(found.counts.min, least), r->runs);
		return;
	}
	fprintf(m->out,
		" Repeatability of %s, %u runs:\n %s to %s: %u different counts, %.4f%% apart\n\n",
		event, r->runs, thousands(found.counts.min, least),
		thousands(found.counts.max, most), found.counts.distinct, found.percent);
	for (i = 0; i < NR_CANDIDATES; i++)
		print_candidate(m, &found, i);
	print_line(m->out, "addresses", r->random ? "random" : "fixed",
		   r->random ? "not known: try `setarch -R`" : "the same in all runs");
	print_line(m->out, "CPU errata", erratum_text(m) ? "known" : "none known",
		   erratum_text(m) ? "see below" : "");
	fputc('\n', m->out);
	print_causes(m, &found);
	fputc('\n', m->out);
}

/* ------------------------------------------------------------------------------- JSON -- */

static void write_relation(struct json *json, unsigned int i, const struct relation *relation)
{
	static const char *const words[] = {
		[RELATION_CONSTANT] = "constant", [RELATION_COST] = "each",
		[RELATION_EQUAL] = "equal",	  [RELATION_ALONG] = "along",
		[RELATION_OPEN] = "open",	  [RELATION_NONE] = "none",
	};

	json_string(json, "relation", words[relation->kind]);
	if (relation->kind == RELATION_CONSTANT)
		return;
	if (relation->cost)
		json_signed(json, "each", relation->cost);
	if (!candidates[i].names)
		json_double(json, "correlation", relation->correlation, 6);
	if (relation->kind != RELATION_ALONG && relation->kind != RELATION_NONE)
		json_double(json, "chance", relation->chance, 3);
	json_string(json, "advice", candidates[i].advice);
}

static void write_candidate(struct json *json, const struct repeatability *r,
			    const struct repeatability_found *found, unsigned int i)
{
	json_open(json, NULL, '{');
	json_string(json, "name", candidates[i].name);
	if (*r->why[i]) {
		json_string(json, "why", r->why[i]);
	} else {
		json_unsigned(json, "min", found->values[i].min);
		json_unsigned(json, "max", found->values[i].max);
		json_unsigned(json, "distinct", found->values[i].distinct);
		if (found->counts.distinct > 1)
			write_relation(json, i, &found->relations[i]);
	}
	json_close(json, '}');
}

static void write_found(struct json *json, const struct measurement *m,
			const struct repeatability_found *found)
{
	const struct repeatability *r = m->repeatability;
	unsigned int i;

	json_bool(json, "repeatable", found->counts.distinct == 1);
	json_unsigned(json, "min", found->counts.min);
	json_unsigned(json, "max", found->counts.max);
	json_unsigned(json, "distinct", found->counts.distinct);
	json_double(json, "percent", found->percent, 6);
	json_open(json, "counts", '[');
	for (i = 0; i < r->runs; i++)
		json_unsigned(json, NULL, r->counts[i]);
	json_close(json, ']');
	json_bool(json, "random-addresses", r->random);
	json_string(json, "erratum", erratum_text(m));
	json_open(json, "candidates", '[');
	for (i = 0; i < NR_CANDIDATES; i++)
		write_candidate(json, r, found, i);
	json_close(json, ']');
	json_open(json, "goes-with", '[');
	for (i = 0; i < NR_CANDIDATES && found->counts.distinct > 1; i++)
		if (explains(r, found, i))
			json_string(json, NULL, candidates[i].name);
	json_close(json, ']');
}

void repeatability_json(const struct measurement *m, struct json *json)
{
	const struct repeatability *r = m->repeatability;
	struct repeatability_found found;

	json_open(json, "repeatability", '{');
	json_string(json, "event", m->list.events[repeatability_event(&m->list)].name);
	json_unsigned(json, "runs", r->runs);
	if (r->lost || !r->runs || !repeatability_find(r, &found)) {
		json_null(json, "repeatable");
		json_string(json, "why", r->lost ? r->lost : "no run was counted");
	} else {
		write_found(json, m, &found);
	}
	json_close(json, '}');
}
