// SPDX-License-Identifier: GPL-2.0
#define _GNU_SOURCE
#include <fnmatch.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "../common/cmd.h"
#include "../common/json.h"
#include "../common/table.h"
#include "list_metrics.h"

/* How it goes on. */
struct list {
	FILE *out;
	const struct groups *groups;
	const struct pmudev_pmus *pmus;
	const struct list_how *how;
	const struct metric_group *group; /* whose title was printed last */
	struct table *table;		  /* its metrics */
	unsigned int shown;
	unsigned int absent; /* so many that are not shown would be */
};

static const char *text(const char *text)
{
	return text ? text : "";
}

static bool matches(const struct list *list, const struct metric *metric)
{
	const char *pattern = list->how->pattern;
	const char *group = group_of(list->groups, metric)->name;

	if (!pattern)
		return true;
	if (strpbrk(pattern, "*?["))
		return !fnmatch(pattern, metric->name, FNM_CASEFOLD) ||
		       !fnmatch(pattern, group, FNM_CASEFOLD);
	return strcasestr(metric->name, pattern) || strcasestr(group, pattern) ||
	       strcasestr(text(metric->about), pattern);
}

/* Is it another one's, by the same name, that -M takes? */
static bool is_hidden(const struct list *list, const struct metric *metric)
{
	const struct metric *other;
	const char *why;

	for (other = list->groups->metrics; other < metric; other++)
		if (groups_same_name(other->name, metric->name) &&
		    metric_is_here(list->groups, other, list->pmus, &why))
			return true;
	return false;
}

static void print_json(const struct list *list, const struct metric *metric, const char *lacks)
{
	const struct metric_group *group = group_of(list->groups, metric);
	struct json json = { .out = list->out };
	unsigned int i;

	json_open(&json, NULL, '{');
	json_string(&json, "kind", "metric");
	json_string(&json, "name", metric->name);
	json_string(&json, "group", group->name);
	json_string(&json, "unit", text(metric->unit));
	json_string(&json, "description", text(metric->about));
	json_string(&json, "formula", metric->text);
	json_open(&json, "events", '{');
	for (i = 0; i < group->nr; i++)
		if (metric->formula.names >> i & 1)
			json_string(&json, group->events[i].name, group->events[i].event);
	json_close(&json, '}');
	json_string(&json, "missing", lacks);
	json_string(&json, "file", group->file);
	json_close(&json, '}');
	json_line(&json);
}

static void begin_group(struct list *list, const struct metric_group *group)
{
	if (group == list->group)
		return;
	if (list->group)
		table_print(list->table);
	fprintf(list->out, "%s%s", list->group ? "\n" : "", group->name);
	if (group->about)
		fprintf(list->out, ": %s", group->about);
	fputc('\n', list->out);
	list->group = group;
	list->table = table_new(list->out, "  ");
	table_column(list->table, NULL, 0, 20);
	table_column(list->table, NULL, 0, 11);
	table_column(list->table, NULL, TABLE_WRAP, 0);
}

/* A line below a metric. */
static __attribute__((__format__(printf, 2, 3))) void detail(const struct list *list,
							     const char *format, ...)
{
	char *text;
	va_list args;
	int len;

	va_start(args, format);
	len = vasprintf(&text, format, args);
	va_end(args);
	if (len < 0)
		return;
	table_row(list->table, "", "", text);
	free(text);
}

static void print_details(const struct list *list, const struct metric *metric, const char *lacks)
{
	const struct metric_group *group = group_of(list->groups, metric);
	unsigned int i;

	detail(list, "= %s", metric->text);
	for (i = 0; i < group->nr; i++)
		if (metric->formula.names >> i & 1 &&
		    strcmp(group->events[i].name, group->events[i].event))
			detail(list, "  %s: %s", group->events[i].name, group->events[i].event);
	if (lacks)
		detail(list, "not on this machine: %s", lacks);
}

static void show(struct list *list, const struct metric *metric)
{
	const char *lacks = NULL;

	if (!matches(list, metric) || is_hidden(list, metric))
		return;
	if (!metric_is_here(list->groups, metric, list->pmus, &lacks) && !list->how->all) {
		list->absent++;
		return;
	}
	list->shown++;
	if (list->how->json) {
		print_json(list, metric, lacks);
		return;
	}
	begin_group(list, group_of(list->groups, metric));
	table_row(list->table, metric->name,
		  metric->unit || metric->about ? text(metric->unit) : "-", text(metric->about));
	if (list->how->all)
		print_details(list, metric, lacks);
}

unsigned int list_metrics(FILE *out, const struct groups *groups, const struct pmudev_pmus *pmus,
			  const struct list_how *how)
{
	struct list list = { .out = out, .groups = groups, .pmus = pmus, .how = how };
	unsigned int i;

	for (i = 0; i < groups->nr; i++)
		show(&list, &groups->metrics[i]);
	if (list.group)
		table_print(list.table);
	if (list.absent)
		fprintf(out,
			"%s%u more need events that this machine does not have: -v shows them\n",
			list.shown ? "\n" : "", list.absent);
	return list.shown + list.absent;
}

int list_metrics_run(const struct pmudev_pmus *pmus, const struct list_how *how)
{
	struct groups groups;
	unsigned int shown;

	groups_load(&groups, pmus);
	shown = list_metrics(stdout, &groups, pmus, how);
	if (!groups.nr)
		complain("there are no files of metrics; they belong into share/pmudev/groups "
			 "beside the command, or ~/.config/pmudev/groups");
	else if (!shown)
		complain("no metric has '%s' in its name or description; `pmudev list metrics` "
			 "shows all",
			 how->pattern);
	groups_free(&groups);
	return shown ? 0 : 1;
}
