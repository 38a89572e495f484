// SPDX-License-Identifier: GPL-2.0
/* What `pmudev explain` says to people. */
#include <stdio.h>
#include <string.h>

#include "../common/errata.h"
#include "../common/table.h"
#include "explain.h"
#include "identity.h"

static const char *counter_name(int counter, char buf[20])
{
	return counter < 0 ? "none" : counter_text(counter, buf, 20);
}

static void show_table(const struct event_list *list, const struct fit *result, uint64_t available)
{
	struct table *table = table_new(stdout, "");
	char name[20], text[256];
	unsigned int i;
	uint64_t may;

	table_column(table, "event", 0, 0);
	table_column(table, "would get", 0, 10);
	table_column(table, "may be on", TABLE_WRAP, 0);
	for (i = 0; i < list->nr; i++) {
		may = result->may[i] & available ? result->may[i] & available : result->may[i];
		table_row(table, list->events[i].name, counter_name(result->counter[i], name),
			  counters_text(may, text, sizeof(text)));
	}
	table_print(table);
}

static void show_taken(const struct progress *p)
{
	unsigned int nr = fit_misfits(&p->part, &p->result);
	struct taken taken = { .rival = -1 };
	struct table *table = table_new(stdout, "  ");
	char text[64], name[20];

	table_column(table, NULL, 0, 10);
	table_column(table, NULL, TABLE_WRAP, 0);
	if (nr)
		printf("\n%u of %u %s not fit. The counters %s may be on have:\n", nr, p->part.nr,
		       nr == 1 ? "does" : "do", nr == 1 ? "it" : "they");
	for (; next_taken(p, taken.counter, &taken); taken.counter++) {
		if (taken.rival >= 0)
			snprintf(text, sizeof(text), "%.40s, in this list",
				 p->part.events[taken.rival].name);
		else if (taken.held)
			holder_text(&taken.holder, text, sizeof(text));
		else
			snprintf(text, sizeof(text), "nobody now");
		counter_name(taken.counter, name);
		if (nr)
			table_row(table, name, text);
		else
			printf("Not available: %s, held by %s.\n", name, text);
	}
	table_print(table);
}

void explain_text(const struct progress *p)
{
	if (*p->name)
		printf("%s:\n", p->name);
	if (p->array->parts)
		printf("On the CPUs of %.*s:\n", (int)sizeof(p->query.name), p->query.name);
	else if (p->same > 1)
		printf("CPU %d and %u more:\n", p->cpu, p->same - 1);
	else if (p->array->nr > 1)
		printf("CPU %d:\n", p->cpu);
	if (p->part.nr)
		show_table(&p->part, &p->result, p->query.available);
	else
		printf("none of these events is counted there\n");
	show_taken(p);
	printf("\n");
}

void explain_text_software(const struct software *software)
{
	unsigned int i;

	for (i = 0; i < software->nr; i++)
		printf("%s%s", i ? ", " : "No counter is needed for ", software->names[i]);
	if (software->nr)
		printf(".\n");
}

void explain_text_changes(const struct progress *p)
{
	if (p->user_only)
		printf("Only user mode (:u): counting the kernel needs CAP_PERFMON.\n\n");
	if (p->cycles)
		printf("Cycles that pass the threshold (threshold_count): this CPU cannot count\n"
		       "the events in them.\n\n");
	if (*p->left_out)
		printf("Left out of the default list for want of counters: %s.\n\n", p->left_out);
}

/* What the manual of the last CPU looked at says of the events. */
static void show_errata(const struct progress *p)
{
	const struct erratum *e = NULL;
	unsigned int i;

	while ((e = errata_next(p->query.arch, p->query.cpu_id, e)))
		for (i = 0; i < p->list->nr; i++)
			if (erratum_is_of(e, &p->list->attrs[i]))
				printf("%s: %s [%s].\n", p->list->events[i].name, e->text,
				       e->source);
}

void explain_text_verdict(const struct progress *p)
{
	show_errata(p);
	explain_text_software(p->software);
	if (p->refused && p->multiplex)
		printf("Some group does not fit even alone: this list is refused.\n");
	else if (p->refused)
		printf("Events are counted all or none: this list is refused.\n");
	else if (p->list->nr == 1)
		printf("It fits.\n");
	else
		printf("All %u fit%s.\n", p->list->nr, p->multiplex ? ", multiplexed" : "");
	if (multiplex_helps(p))
		printf("With `pmudev stat --multiplex` they would share the counters over time.\n");
}
