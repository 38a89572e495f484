// SPDX-License-Identifier: GPL-2.0
/* pmudev explain --json: an object for CPUs with the same answer, and one for the whole. */
#include "../common/errata.h"
#include "explain.h"
#include "info.h"

static void write_event(struct json *json, const struct progress *p, unsigned int i)
{
	const uint64_t may = p->result.may[i], here = may & p->query.available;

	json_open(json, NULL, '{');
	json_string(json, "event", p->part.events[i].name);
	json_bool(json, "fits", p->result.fits & bit(i));
	if (p->result.counter[i] >= 0)
		info_json_counter(json, "counter", p->result.counter[i]);
	else
		json_null(json, "counter");
	info_json_counters(json, "may-be-on", here ? here : may);
	json_close(json, '}');
}

/* By an event of this list, by a holder, or not at all. */
static void write_taken(struct json *json, const struct progress *p, const struct taken *taken)
{
	json_open(json, NULL, '{');
	info_json_counter(json, "counter", taken->counter);
	if (taken->rival >= 0)
		json_string(json, "event", p->part.events[taken->rival].name);
	else
		json_null(json, "event");
	if (taken->held)
		info_json_holder(json, &taken->holder);
	json_close(json, '}');
}

void explain_json(const struct progress *p)
{
	struct json json = { .out = stdout };
	struct taken taken = { .rival = -1 };
	unsigned int i;
	char pmu[40];

	snprintf(pmu, sizeof(pmu), "%.*s", (int)sizeof(p->query.name), p->query.name);
	json_open(&json, NULL, '{');
	if (*p->name)
		json_string(&json, "target", p->name);
	json_string(&json, "pmu", pmu);
	if (p->cpu >= 0)
		json_signed(&json, "cpu", p->cpu);
	else
		json_null(&json, "cpu");
	json_unsigned(&json, "alike", p->same);
	json_bool(&json, "fits", !fit_misfits(&p->part, &p->result));
	json_open(&json, "events", '[');
	for (i = 0; i < p->part.nr; i++)
		write_event(&json, p, i);
	json_close(&json, ']');
	json_open(&json, "taken", '[');
	for (; next_taken(p, taken.counter, &taken); taken.counter++)
		write_taken(&json, p, &taken);
	json_close(&json, ']');
	json_close(&json, '}');
	json_line(&json);
}

static void write_errata(struct json *json, const struct progress *p)
{
	const struct erratum *e = NULL;
	unsigned int i;

	json_open(json, "errata", '[');
	while ((e = errata_next(p->query.arch, p->query.cpu_id, e)))
		for (i = 0; i < p->list->nr; i++) {
			if (!erratum_is_of(e, &p->list->attrs[i]))
				continue;
			json_open(json, NULL, '{');
			json_string(json, "event", p->list->events[i].name);
			json_string(json, "text", e->text);
			json_string(json, "source", e->source);
			json_close(json, '}');
		}
	json_close(json, ']');
}

void explain_json_verdict(const struct progress *p)
{
	struct json json = { .out = stdout };
	unsigned int i;

	json_open(&json, NULL, '{');
	json_bool(&json, "fits", !p->refused);
	json_bool(&json, "multiplexed", p->multiplex);
	json_bool(&json, "multiplex-helps", multiplex_helps(p));
	json_bool(&json, "user-only", p->user_only);
	json_bool(&json, "threshold-cycles", p->cycles);
	write_errata(&json, p);
	json_open(&json, "software", '[');
	for (i = 0; i < p->software->nr; i++)
		json_string(&json, NULL, p->software->names[i]);
	json_close(&json, ']');
	json_string(&json, "left-out", p->left_out);
	json_close(&json, '}');
	json_line(&json);
}

void explain_json_unknown(void)
{
	struct json json = { .out = stdout };

	json_open(&json, NULL, '{');
	json_null(&json, "fits");
	json_close(&json, '}');
	json_line(&json);
}
