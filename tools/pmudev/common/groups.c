// SPDX-License-Identifier: GPL-2.0
/*
 * Files of performance groups, line by line.
 */
#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include <pmudev_events.h>

#include "cmd.h"
#include "defaults.h"
#include "groups.h"
#include "share.h"
#include "software_events.h"

/**
 * struct reading - a file that is read
 * @groups: what it becomes a part of
 * @path: its name
 * @line: the number of the line
 * @group: the group that has begun, NULL: none
 * @metric: the metric that has begun in it, NULL: none
 */
struct reading {
	struct groups *groups;
	const char *path;
	unsigned int line;
	struct metric_group *group;
	struct metric *metric;
};

/* ------------------------------------------------------------------------- memory -- */

static void *have(void *memory)
{
	if (memory)
		return memory;
	complain("no memory left");
	exit(EXIT_USAGE);
}

static void free_group(struct metric_group *group)
{
	unsigned int i;

	for (i = 0; i < group->nr; i++) {
		free(group->events[i].name);
		free(group->events[i].event);
	}
	free(group->name);
	free(group->about);
	free(group->file);
}

static void free_metric(struct metric *metric)
{
	formula_free(&metric->formula);
	free(metric->name);
	free(metric->unit);
	free(metric->about);
	free(metric->text);
}

/* Those behind so many groups and metrics. */
static void forget(struct groups *groups, unsigned int nr_groups, unsigned int nr)
{
	while (groups->nr_groups > nr_groups)
		free_group(&groups->groups[--groups->nr_groups]);
	while (groups->nr > nr)
		free_metric(&groups->metrics[--groups->nr]);
}

void groups_free(struct groups *groups)
{
	forget(groups, 0, 0);
	free(groups->groups);
	free(groups->metrics);
	*groups = (struct groups){ .nr = 0 };
}

/* ------------------------------------------------------------------------- lines -- */

#define wrong(r, ...) complain_of_line((r)->path, (r)->line, "the file is left out", __VA_ARGS__)

static int find_event(void *context, const char *name, size_t len)
{
	const struct metric_group *group = context;
	unsigned int i;

	for (i = 0; i < group->nr; i++)
		if (strlen(group->events[i].name) == len &&
		    !strncmp(group->events[i].name, name, len))
			return i;
	return -1;
}

/* A metric is complete when the next one begins. */
static bool end_metric(struct reading *r)
{
	if (!r->metric || r->metric->text)
		return true;
	r->line = r->metric->line;
	return wrong(r, "metric %s has no formula", r->metric->name);
}

/* Names of groups and metrics are those of formulas, too. */
static bool is_name(const char *text)
{
	const char *at;

	for (at = text; *at; at++)
		if (!formula_is_name(*at) && (*at != '-' || at == text || !at[1]))
			return false;
	return at > text;
}

static bool begin_group(struct reading *r, const char *name)
{
	struct groups *groups = r->groups;

	if (!end_metric(r))
		return false;
	if (!is_name(name))
		return wrong(r, "'%s' is no name of a group", name);
	groups->groups =
		have(reallocarray(groups->groups, groups->nr_groups + 1, sizeof(*groups->groups)));
	r->group = &groups->groups[groups->nr_groups++];
	*r->group = (struct metric_group){
		.name = have(strdup(name)),
		.file = have(strdup(r->path)),
	};
	r->metric = NULL;
	return true;
}

/* "NAME [EVENT]" */
static bool add_event(struct reading *r, char *text)
{
	struct metric_group *group = r->group;
	char *event = strpbrk(text, " \t");

	if (event) {
		*event++ = '\0';
		event += strspn(event, " \t");
	} else {
		event = text;
	}
	if (!is_name(text) || strchr("0123456789.", *text))
		return wrong(r, "'%s' is no name for an event: event NAME EVENT", text);
	if (find_event(group, text, strlen(text)) >= 0)
		return wrong(r, "the group has an event %s already", text);
	if (group->nr == FORMULA_NAMES)
		return wrong(r, "a group has at most %d events", FORMULA_NAMES);
	group->events[group->nr].name = have(strdup(text));
	group->events[group->nr++].event = have(strdup(event));
	return true;
}

static bool begin_metric(struct reading *r, const char *name)
{
	struct groups *groups = r->groups;

	if (!end_metric(r))
		return false;
	if (!is_name(name))
		return wrong(r, "'%s' is no name of a metric", name);
	groups->metrics =
		have(reallocarray(groups->metrics, groups->nr + 1, sizeof(*groups->metrics)));
	r->metric = &groups->metrics[groups->nr++];
	*r->metric = (struct metric){
		.name = have(strdup(name)),
		.group = r->group - groups->groups,
		.line = r->line,
	};
	return true;
}

static bool set_text(struct reading *r, char **text, const char *word, const char *value)
{
	if (*text)
		return wrong(r, "a second %s", word);
	*text = have(strdup(value));
	return true;
}

static bool set_formula(struct reading *r, const char *text)
{
	struct formula_error error;

	if (!set_text(r, &r->metric->text, "formula", text))
		return false;
	if (!formula_read(&r->metric->formula, text, find_event, r->group, &error))
		return wrong(r, "%s, in '%s'", error.text, text + error.position);
	if (!r->metric->formula.names)
		return wrong(r, "the formula has no event");
	return true;
}

/* A line is a word and what it says. */
static bool take_line(struct reading *r, const char *word, char *value)
{
	const bool unit = !strcmp(word, "unit"), formula = !strcmp(word, "formula");

	if (!*value)
		return wrong(r, "nothing follows '%s'", word);
	if (!strcmp(word, "group"))
		return begin_group(r, value);
	if (!r->group)
		return wrong(r, "a file begins with: group NAME");
	if (!strcmp(word, "event"))
		return add_event(r, value);
	if (!strcmp(word, "metric"))
		return begin_metric(r, value);
	if (!strcmp(word, "about"))
		return set_text(r, r->metric ? &r->metric->about : &r->group->about, word, value);
	if ((unit || formula) && !r->metric)
		return wrong(r, "'%s' is of a metric: metric NAME", word);
	if (unit)
		return set_text(r, &r->metric->unit, word, value);
	if (formula)
		return set_formula(r, value);
	return wrong(r, "'%s' is none of group, about, event, metric, unit, formula", word);
}

static bool read_line(struct reading *r, char *line)
{
	char *value, *end = line + strlen(line);

	r->line++;
	while (end > line && strchr(" \t\r\n", end[-1]))
		*--end = '\0';
	line += strspn(line, " \t");
	if (!*line || *line == '#')
		return true;
	value = line + strcspn(line, " \t");
	if (*value) {
		*value++ = '\0';
		value += strspn(value, " \t");
	}
	return take_line(r, line, value);
}

bool groups_load_file(struct groups *groups, const char *path)
{
	const unsigned int nr_groups = groups->nr_groups, nr = groups->nr;
	struct reading r = { .groups = groups, .path = path };
	FILE *in = fopen(path, "re");
	char *line = NULL;
	bool fine = true;
	size_t room = 0;

	if (!in) {
		complain("cannot read %s: %s", path, strerror(errno));
		return false;
	}
	while (fine && getline(&line, &room, in) >= 0)
		fine = read_line(&r, line);
	free(line);
	fclose(in);
	fine = fine && end_metric(&r);
	if (!fine)
		forget(groups, nr_groups, nr);
	return fine;
}

/* ------------------------------------------------------------------------- folders -- */

static int is_text(const struct dirent *entry)
{
	const size_t len = strlen(entry->d_name);

	return entry->d_name[0] != '.' && len > 4 && !strcmp(entry->d_name + len - 4, ".txt");
}

/* Return: how many files were read. */
static unsigned int load_folder(struct groups *groups, const char *folder)
{
	struct dirent **entries;
	unsigned int loaded = 0;
	char path[PATH_MAX];
	int i, nr = scandir(folder, &entries, is_text, alphasort);

	for (i = 0; i < nr; i++) {
		snprintf(path, sizeof(path), "%.2048s/%s", folder, entries[i]->d_name);
		loaded += groups_load_file(groups, path);
		free(entries[i]);
	}
	if (nr >= 0)
		free(entries);
	return loaded;
}

/* Those for all machines, and those of an architecture. */
static unsigned int load_users(struct groups *groups, const char *arch)
{
	const char *config = getenv("XDG_CONFIG_HOME"), *home = getenv("HOME");
	unsigned int loaded;
	char path[PATH_MAX];

	if (config && *config == '/')
		snprintf(path, sizeof(path), "%.2048s/pmudev/groups", config);
	else if (home && *home == '/')
		snprintf(path, sizeof(path), "%.2048s/.config/pmudev/groups", home);
	else
		return 0;
	loaded = load_folder(groups, path);
	snprintf(path + strlen(path), sizeof(path) - strlen(path), "/%s", arch);
	return loaded + load_folder(groups, path);
}

static unsigned int load_shared(struct groups *groups, const char *arch)
{
	char name[64], path[PATH_MAX];
	unsigned int i, loaded = 0;

	snprintf(name, sizeof(name), "groups/%s", arch);
	for (i = 0; !loaded && share_place(i, name, path); i++)
		loaded = load_folder(groups, path);
	return loaded;
}

unsigned int groups_load(struct groups *groups, const struct pmudev_pmus *pmus)
{
	const struct pmudev_pmu_info *info = pmudev_pmus_info(pmus, 0);

	*groups = (struct groups){ .nr = 0 };
	if (!info)
		return 0;
	return load_users(groups, info->arch) + load_shared(groups, info->arch);
}

/* ------------------------------------------------------------------------- metrics -- */

bool groups_same_name(const char *a, const char *b)
{
	return !strcasecmp(a, b);
}

static bool has_event(const struct pmudev_pmus *pmus, const char *text)
{
	const struct pmudev_event_attr *attr;
	struct pmudev_events *events;
	bool has;

	if (software_event_find(text, strcspn(text, ":")))
		return true;
	if (pmudev_events_parse(text, pmus, &events, NULL))
		return false;
	attr = pmudev_events_attrs(events);
	has = attr->type != PMUDEV_TYPE_GENERIC || default_all_have(pmus, attr->config);
	pmudev_events_free(events);
	return has;
}

bool metric_is_here(const struct groups *groups, const struct metric *metric,
		    const struct pmudev_pmus *pmus, const char **why)
{
	const struct metric_group *group = group_of(groups, metric);
	unsigned int i;

	for (i = 0; i < group->nr; i++) {
		if (!(metric->formula.names >> i & 1) || has_event(pmus, group->events[i].event))
			continue;
		*why = group->events[i].event;
		return false;
	}
	return true;
}
