// SPDX-License-Identifier: GPL-2.0
#include <stdlib.h>
#include <string.h>

#include "cmd.h"
#include "software.h"

/* Of perf's, and what to do instead. */
static const struct {
	const char *name;
	const char *instead;
} refused[] = {
	{ "user_time", "the report ends with the seconds of user mode" },
	{ "system_time", "the report ends with the seconds of the kernel (sys)" },
	{ "dummy", "it counts nothing" },
	{ "bpf-output", "it carries data of BPF programs, and needs perf record" },
};

static bool is_name(const char *name, const char *text, size_t len)
{
	return name && strlen(name) == len && !strncmp(name, text, len);
}

static bool is_refused(const char *text, size_t len)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(refused); i++) {
		if (!is_name(refused[i].name, text, len))
			continue;
		complain("%s: perf's event: %s", refused[i].name, refused[i].instead);
		return true;
	}
	return false;
}

/* ------------------------------------------------------------------------ splitting -- */

/**
 * struct splitting - a list that is read
 * @at: what comes next
 * @rest: what was left so far
 * @used: its length
 * @software: what was taken
 * @group: where in @rest a group began, -1: in none
 * @first: the first of @software in that group
 * @left: events of that group in @rest
 */
struct splitting {
	const char *at;
	char *rest;
	size_t used;
	struct software *software;
	long group;
	unsigned int first;
	unsigned int left;
};

/* Up to the comma or bracket behind an event; those between slashes belong to its terms. */
static size_t event_length(const char *text)
{
	bool terms = false;
	size_t len;

	for (len = 0; text[len]; len++) {
		if (text[len] == '/')
			terms = !terms;
		else if (!terms && (text[len] == ',' || text[len] == '}' || text[len] == '{'))
			break;
	}
	return len;
}

static void leave(struct splitting *s, const char *text, size_t len)
{
	memcpy(s->rest + s->used, text, len);
	s->used += len;
	s->rest[s->used] = '\0';
}

/* False: too many. */
static bool note_order(struct splitting *s, unsigned int event)
{
	const unsigned int nr = s->software->nr + s->software->hardware;

	if (nr >= PMUDEV_MAX_EVENTS) {
		complain("at most %d events can be counted at once", PMUDEV_MAX_EVENTS);
		return false;
	}
	s->software->order[nr] = event;
	return true;
}

/*
 * "uk" and the like; one that is for the kernel or for user mode alone leaves out the other. False:
 * the error was reported.
 */
static bool modify(struct software *software, unsigned int i, const char *text, size_t len)
{
	const bool user = memchr(text, 'u', len), kernel = memchr(text, 'k', len);
	char *name = software->names[i];
	const size_t used = strlen(name);

	if (!len || strspn(text, "ukh") < len) {
		complain("'%s:%.*s': the kernel's own events have the modifiers u, k and h", name,
			 (int)len, text);
		return false;
	}
	if (strchr(name, ':')) {
		complain("'%s' in the group has modifiers already", name);
		return false;
	}
	snprintf(name + used, EVENT_NAME - used, ":%.*s", (int)len, text);
	software->user_only[i] = user && !kernel;
	software->kernel_only[i] = kernel && !user;
	return true;
}

/* Events of the PMU are numbered when all are known; until then they stand for -1. */
static bool take_event(struct splitting *s, size_t len)
{
	const char *colon = memchr(s->at, ':', len);
	const size_t name = colon ? (size_t)(colon - s->at) : len;
	const struct software_event *event = software_event_find(s->at, name);
	struct software *software = s->software;

	if (is_refused(s->at, name))
		return false;
	if (!event) {
		if (!note_order(s, software->hardware))
			return false;
		software->hardware++;
		if (s->used && s->rest[s->used - 1] != '{')
			leave(s, ",", 1);
		leave(s, s->at, len);
		s->left++;
		return true;
	}
	if (!note_order(s, PMUDEV_MAX_EVENTS + software->nr))
		return false;
	software->events[software->nr] = event;
	snprintf(software->names[software->nr], EVENT_NAME, "%.*s", (int)name, s->at);
	software->nr++;
	return !colon || modify(software, software->nr - 1, colon + 1, len - name - 1);
}

static void begin_group(struct splitting *s)
{
	s->group = s->used;
	s->first = s->software->nr;
	s->left = 0;
	if (s->used)
		leave(s, ",", 1);
	leave(s, "{", 1);
	s->at++;
}

/*
 * With what stands behind it. A group of which nothing is left is none. False: the error was
 * reported.
 */
static bool end_group(struct splitting *s)
{
	const size_t len = 1 + strcspn(s->at + 1, ",");
	unsigned int i;

	for (i = s->first; i < s->software->nr; i++)
		if (s->at[1] == ':' && !modify(s->software, i, s->at + 2, len - 2))
			return false;
	if (s->left || s->first == s->software->nr) {
		/* What is wrong there the library tells. */
		leave(s, s->at, len);
	} else {
		if (len > 1 && s->at[1] != ':') {
			complain("a comma is expected behind '}', not '%c'", s->at[1]);
			return false;
		}
		s->used = s->group;
		s->rest[s->used] = '\0';
	}
	s->group = -1;
	s->at += len;
	return true;
}

static void number_order(struct software *software)
{
	unsigned int i;

	for (i = 0; i < software->nr + software->hardware; i++)
		if (software->order[i] >= PMUDEV_MAX_EVENTS)
			software->order[i] += software->hardware - PMUDEV_MAX_EVENTS;
}

bool software_split(const char *text, char **rest, struct software *software)
{
	struct splitting s = { .at = text, .software = software, .group = -1 };
	size_t len;

	memset(software, 0, sizeof(*software));
	s.rest = calloc(1, 2 * strlen(text) + 2);
	if (!s.rest) {
		complain("no memory left");
		exit(EXIT_USAGE);
	}
	*rest = s.rest;
	while (*s.at) {
		if (*s.at == '{' && s.group < 0) {
			begin_group(&s);
			continue;
		}
		if (*s.at == '}' && s.group >= 0) {
			if (!end_group(&s))
				return false;
			s.at += *s.at == ',' && s.at[1];
			continue;
		}
		len = event_length(s.at);
		/* What is wrong is the library's to tell. */
		if (!len)
			len = strlen(s.at);
		if (!take_event(&s, len))
			return false;
		s.at += len;
		s.at += *s.at == ',' && s.at[1];
	}
	number_order(software);
	return true;
}

/* -------------------------------------------------------------------------- the list -- */

void software_append(const struct software *software, struct event_list *list)
{
	unsigned int i;

	for (i = 0; i < software->nr; i++) {
		struct event *event = &list->events[list->nr + i];

		memset(event, 0, sizeof(*event));
		memcpy(event->name, software->names[i], sizeof(event->name));
		/* Of no type that the module has: no ratio takes it for another one. */
		list->attrs[list->nr + i] = (struct pmudev_event_attr){ .type = ~0U };
	}
	list->software = software->nr;
}

static const struct software_event *of_list(const struct event_list *list, unsigned int i)
{
	if (i < list->nr || i >= list->nr + list->software)
		return NULL;
	return software_event_find(list->events[i].name, strcspn(list->events[i].name, ":"));
}

bool software_is_clock(const struct event_list *list, unsigned int i)
{
	const struct software_event *event = of_list(list, i);

	return event && event->clock;
}

bool software_is_time(const struct event_list *list, unsigned int i)
{
	const struct software_event *event = of_list(list, i);

	return event && (event->clock || event->wall);
}
