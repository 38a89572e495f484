// SPDX-License-Identifier: GPL-2.0
#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "parser.h"

static const struct {
	const char *name;
	enum pmudev_generic config;
} names[] = {
	/* The first of each is the one that is shown. */
	{ "cycles", PMUDEV_CYCLES },
	{ "instructions", PMUDEV_INSTRUCTIONS },
	{ "ref-cycles", PMUDEV_REF_CYCLES },
	{ "cache-references", PMUDEV_CACHE_REFERENCES },
	{ "cache-misses", PMUDEV_CACHE_MISSES },
	{ "branches", PMUDEV_BRANCHES },
	{ "branch-misses", PMUDEV_BRANCH_MISSES },
	{ "cpu-cycles", PMUDEV_CYCLES },
	{ "branch-instructions", PMUDEV_BRANCHES },
};

#define NR_NAMES (sizeof(names) / sizeof((names)[0]))

static const char known[] =
	"cycles, instructions, ref-cycles, cache-references, cache-misses, branches, branch-misses";

#define LEVELS (PMUDEV_EXCLUDE_USER | PMUDEV_EXCLUDE_KERNEL | PMUDEV_EXCLUDE_HV)
#define SIDES  (PMUDEV_EXCLUDE_HOST | PMUDEV_EXCLUDE_GUEST)

const char *generic_name(unsigned int generic)
{
	size_t i;

	for (i = 0; i < NR_NAMES; i++)
		if (names[i].config == generic)
			return names[i].name;
	return NULL;
}

bool wrong(struct parser *p, const char *where, const char *format, ...)
{
	va_list args;

	p->error->position = where - p->text;
	va_start(args, format);
	vsnprintf(p->error->text, sizeof(p->error->text), format, args);
	va_end(args);
	return false;
}

size_t word(const char *at)
{
	return strcspn(at, ",:{}/@= \t");
}

static bool find_name(const char *at, size_t len, struct pmudev_event_attr *attr)
{
	size_t i;

	for (i = 0; i < NR_NAMES; i++) {
		if (strlen(names[i].name) != len || memcmp(names[i].name, at, len))
			continue;
		attr->type = PMUDEV_TYPE_GENERIC;
		attr->config = names[i].config;
		return true;
	}
	return false;
}

/* "r" and 1 to 16 hexadecimal digits */
static bool find_raw(const char *at, size_t len, struct pmudev_event_attr *attr)
{
	static const char digits[] = "0123456789abcdef";
	size_t i;

	if (len < 2 || len > 17 || at[0] != 'r')
		return false;
	attr->type = PMUDEV_TYPE_RAW;
	attr->config = 0;
	for (i = 1; i < len; i++) {
		if (!isxdigit((unsigned char)at[i]))
			return false;
		attr->config = attr->config << 4 |
			       (strchr(digits, tolower((unsigned char)at[i])) - digits);
	}
	return true;
}

/* The flags of modifiers. A letter takes back an exclusion that the first of its kind brought. */
static bool parse_modifiers(struct parser *p, unsigned int *flags, bool *levels)
{
	size_t len = word(p->at), i;
	bool sides = false;

	if (!len)
		return wrong(p, p->at, "a modifier is missing after ':'; there are u, k, h, G, H");
	*levels = false;
	*flags = 0;
	for (i = 0; i < len; i++) {
		bool side = p->at[i] == 'G' || p->at[i] == 'H';

		if (side && !sides)
			*flags |= SIDES;
		if (!side && !*levels)
			*flags |= LEVELS;
		switch (p->at[i]) {
		case 'u':
			*flags &= ~PMUDEV_EXCLUDE_USER;
			break;
		case 'k':
			*flags &= ~PMUDEV_EXCLUDE_KERNEL;
			break;
		case 'h':
			*flags &= ~PMUDEV_EXCLUDE_HV;
			break;
		case 'G':
			*flags &= ~PMUDEV_EXCLUDE_GUEST;
			break;
		case 'H':
			*flags &= ~PMUDEV_EXCLUDE_HOST;
			break;
		default:
			return wrong(p, p->at + i, "unknown modifier '%c'; there are u, k, h, G, H",
				     p->at[i]);
		}
		sides |= side;
		*levels |= !side;
	}
	p->at += len;
	return true;
}

/* What is counted; @name and @len become what it is called if that is not its own text. */
static bool parse_what(struct parser *p, struct pmudev_event_attr *attr, __u32 *arch,
		       const char **name, size_t *name_len)
{
	const char *start = p->at;
	size_t len = word(start);

	p->at += len;
	if (len == 3 && !memcmp(start, "cpu/", 4)) {
		attr->type = PMUDEV_TYPE_RAW;
		p->at++;
		return parse_fields(p, attr, arch, name, name_len);
	}
	if (find_raw(start, len, attr))
		return true;
	if (!find_name(start, len, attr))
		return wrong(p, start, "unknown event '%.*s'; there are %s, rHEX, cpu/event=.../",
			     (int)(len < 40 ? len : 40), start, known);
	if (*p->at != '/')
		return true;
	p->at++;
	return parse_fields(p, attr, arch, name, name_len);
}

/* Behind a slash modifiers need no ':'. */
static bool modifiers_follow(struct parser *p)
{
	if (*p->at != ':')
		return p->at[-1] == '/' && word(p->at);
	p->at++;
	return true;
}

static bool parse_event(struct parser *p)
{
	struct event_list *list = p->list;
	struct pmudev_event_attr attr = { .group = list->groups };
	const char *start = p->at, *name = start, *rest, *modifiers;
	struct event *event = &list->events[list->nr];
	unsigned int flags = 0;
	size_t len = 0;

	if (!word(start))
		return wrong(p, start, "an event is missing here");
	if (list->nr == PMUDEV_MAX_EVENTS)
		return wrong(p, start, "more than %u events", PMUDEV_MAX_EVENTS);
	event->arch = 0;
	if (!parse_what(p, &attr, &event->arch, &name, &len))
		return false;
	rest = p->at;
	if (name == start)
		len = rest - start;
	if (*p->at == '@') {
		p->at++;
		if (!parse_counter(p, &attr))
			return false;
	}
	modifiers = p->at;
	event->levels = false;
	if (modifiers_follow(p) && !parse_modifiers(p, &flags, &event->levels))
		return false;
	attr.flags |= flags;
	if (len + (p->at - rest) + 1 >= EVENT_NAME)
		return wrong(p, start, "this event is too long");
	snprintf(event->name, EVENT_NAME, "%.*s%.*s%s%.*s", (int)len, name, (int)(modifiers - rest),
		 rest, modifiers == p->at || *modifiers == ':' ? "" : ":", (int)(p->at - modifiers),
		 modifiers);
	list->attrs[list->nr++] = attr;
	return true;
}

/* Modifiers after a brace are those of all its events that have none. */
static bool modify_group(struct parser *p, unsigned int first)
{
	const char *start = p->at;
	unsigned int flags, i;
	bool levels;

	if (!parse_modifiers(p, &flags, &levels))
		return false;
	for (i = first; i < p->list->nr; i++) {
		char *name = p->list->events[i].name;
		size_t used = strlen(name);

		if (strchr(name, ':'))
			return wrong(p, start, "'%s' in the group has modifiers already", name);
		if (used + 1 + (p->at - start) >= EVENT_NAME)
			return wrong(p, start, "'%s' and its modifiers are too long", name);
		snprintf(name + used, EVENT_NAME - used, ":%.*s", (int)(p->at - start), start);
		p->list->attrs[i].flags |= flags;
		p->list->events[i].levels = levels;
	}
	return true;
}

static bool parse_group(struct parser *p)
{
	const char *brace = p->at;
	unsigned int first = p->list->nr;

	do {
		p->at++; /* the brace or a comma */
		if (!parse_event(p))
			return false;
	} while (*p->at == ',');
	if (*p->at == '{')
		return wrong(p, p->at, "groups cannot be nested");
	if (*p->at != '}')
		return wrong(p, brace, "this '{' is not closed");
	p->at++;
	if (*p->at != ':')
		return true;
	p->at++;
	return modify_group(p, first);
}

bool parse_events(const char *text, struct event_list *list, struct event_error *error)
{
	struct parser p = { .text = text, .at = text, .list = list, .error = error };

	memset(list, 0, sizeof(*list));
	for (;;) {
		if (!(*p.at == '{' ? parse_group(&p) : parse_event(&p)))
			return false;
		list->groups++;
		if (!*p.at)
			return true;
		if (*p.at != ',')
			return wrong(&p, p.at, "a comma is expected here, not '%c'", *p.at);
		p.at++;
	}
}

void event_user_only(struct event_list *list, unsigned int i)
{
	struct event *event = &list->events[i];
	size_t used = strlen(event->name);

	list->attrs[i].flags |= PMUDEV_EXCLUDE_KERNEL | PMUDEV_EXCLUDE_HV;
	event->levels = true;
	/* "cycles:G" becomes "cycles:Gu". */
	snprintf(event->name + used, sizeof(event->name) - used, "%s",
		 strchr(event->name, ':') ? "u" : ":u");
}
