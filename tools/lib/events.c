// SPDX-License-Identifier: MIT
#include <ctype.h>
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "pfm.h"

static const struct {
	const char *name;
	enum pmudev_generic config;
} names[] = {
	/* The first name of each event is the one shown. */
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

#define LEVELS (PMUDEV_EXCLUDE_USER | PMUDEV_EXCLUDE_KERNEL | PMUDEV_EXCLUDE_HV)
#define HOST_OR_GUEST (PMUDEV_EXCLUDE_HOST | PMUDEV_EXCLUDE_GUEST)

const char *pmudev_generic_name(unsigned int generic)
{
	size_t i;

	for (i = 0; i < NR_NAMES; i++)
		if (names[i].config == generic)
			return names[i].name;
	return NULL;
}

static bool wrong(struct parser *p, int code, const char *where, const char *format, va_list args)
{
	p->code = code;
	p->error->position = where - p->text;
	vsnprintf(p->error->text, sizeof(p->error->text), format, args);
	return false;
}

bool pmudev_wrong(struct parser *p, const char *where, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	wrong(p, -EINVAL, where, format, args);
	va_end(args);
	return false;
}

bool pmudev_wrong_as(struct parser *p, int code, const char *where, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	wrong(p, code, where, format, args);
	va_end(args);
	return false;
}

size_t pmudev_word(const char *at)
{
	return strcspn(at, ",:{}/@= \t");
}

int pmudev_shown(size_t len)
{
	return len < 40 ? len : 40;
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
	__u64 config = 0;
	size_t i;

	if (len < 2 || len > 17 || at[0] != 'r')
		return false;
	for (i = 1; i < len; i++) {
		if (!isxdigit((unsigned char)at[i]))
			return false;
		config = config << 4 | (strchr(digits, tolower((unsigned char)at[i])) - digits);
	}
	attr->config = config;
	return true;
}

/*
 * The flags of modifiers. The first letter of a kind excludes all of that kind; each letter
 * includes its own again.
 * @colons: allow colons between letters
 */
static bool parse_modifiers(struct parser *p, unsigned int *flags, bool *levels, bool colons)
{
	size_t len = colons ? strcspn(p->at, ",{}/@= \t") : pmudev_word(p->at), i;
	bool filtered = false;

	if (!len)
		return pmudev_wrong(p, p->at,
				    "a modifier is missing after ':'; there are u, k, h, G, H");
	*levels = false;
	*flags = 0;
	for (i = 0; i < len; i++) {
		bool host_guest = p->at[i] == 'G' || p->at[i] == 'H';

		if (colons && p->at[i] == ':')
			continue;
		if (host_guest && !filtered)
			*flags |= HOST_OR_GUEST;
		if (!host_guest && !*levels)
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
			return pmudev_wrong(p, p->at + i,
					    "unknown modifier '%c'; there are u, k, h, G, H",
					    p->at[i]);
		}
		filtered |= host_guest;
		*levels |= !host_guest;
	}
	p->at += len;
	return true;
}

static bool unknown_event(struct parser *p, const char *where, size_t len)
{
	char like[256];

	if (!p->pmus->nr)
		return pmudev_wrong_as(p, -ENOENT, where,
				       "unknown event '%.*s'; is the module loaded? There is no %s",
				       pmudev_shown(len), where, PMUDEV_SYSFS);
	if (pmudev_find_pmu(p->pmus, where, len) >= 0)
		return pmudev_wrong(p, where, "%.*s is a PMU; an event of it is %.*s/NAME/",
				    pmudev_shown(len), where, pmudev_shown(len), where);
	pmudev_similar_events(p->pmus, pmudev_all_pmus(p), true, where, len, like, sizeof(like));
	return pmudev_wrong_as(p, -ENOENT, where,
			       "unknown event%s '%.*s'; %s%s%s`pmudev list` shows all%s",
			       where[len] == '/' ? " or PMU" : "", pmudev_shown(len), where,
			       *like ? "did you mean " : "", like, *like ? "? " : "",
			       *like ? "" : pmudev_pfm_remark(p->pmus));
}

/* The PMUs named before a slash; 0 if it is not a PMU. */
static __u32 named_pmus(const struct parser *p, const char *at, size_t len)
{
	int pmu = pmudev_find_pmu(p->pmus, at, len);

	if (len == 3 && !memcmp(at, "cpu", len))
		return pmudev_all_pmus(p);
	return pmu < 0 ? 0 : 1U << pmu;
}

/* The end of a libpfm4 name, before pmudev's modifiers. */
static const char *pfm_end(const char *start)
{
	const char *end = start + strcspn(start, ",{}/@ \t"), *at;

	for (;;) {
		at = end;
		while (at > start && strchr("ukhGH", at[-1]))
			at--;
		if (at == end || at < start + 2 || at[-1] != ':' || at[-2] == ':')
			return end;
		end = at - 1;
	}
}

/* The first match wins; with a libpfm4 PMU before "::" only libpfm4 is asked. */
static bool find_named(struct parser *p, const char *start, size_t len, struct what *what)
{
	const bool by_pfm = !strncmp(start + len, "::", 2);
	const char *end;

	if (!by_pfm && find_name(start, len, &what->attr))
		return true;
	if (!by_pfm && pmudev_pmus_with_event(p, what->pmus, start, len))
		return pmudev_use_event(p, start, len, what);
	end = pfm_end(start);
	switch (pmudev_use_pfm(p, start, end, what)) {
	case PFM_FOUND:
		p->at = end;
		what->by_pfm = true;
		return true;
	case PFM_WRONG:
		return false;
	default:
		return unknown_event(p, start, len);
	}
}

/* The event without its counter and modifiers. */
static bool parse_what(struct parser *p, struct what *what)
{
	const char *start = p->at;
	size_t len = pmudev_word(start);
	__u32 pmus = 0;

	p->at += len;
	if (*p->at == '/')
		pmus = named_pmus(p, start, len);
	if (pmus)
		what->pmus = pmus;
	else if (find_raw(start, len, &what->attr))
		return true;
	else if (!find_named(p, start, len, what))
		return false;
	if (*p->at != '/')
		return true;
	p->at++;
	return pmudev_parse_terms(p, what);
}

/* After a slash the ':' is optional. */
static bool modifiers_follow(struct parser *p)
{
	if (*p->at != ':')
		return p->at[-1] == '/' && pmudev_word(p->at);
	p->at++;
	return true;
}

static bool parse_event(struct parser *p)
{
	struct pmudev_events *list = p->list;
	struct what what = { .attr = { .type = PMUDEV_TYPE_RAW, .group = list->groups },
			     .pmus = pmudev_all_pmus(p),
			     .name = p->at };
	const char *start = p->at, *rest, *modifiers;
	struct event *event = &list->events[list->nr];
	unsigned int flags = 0;

	if (!pmudev_word(start))
		return pmudev_wrong(p, start, "an event is missing here");
	if (list->nr == PMUDEV_MAX_EVENTS)
		return pmudev_wrong(p, start, "more than %u events", PMUDEV_MAX_EVENTS);
	if (!parse_what(p, &what))
		return false;
	event->pmus = what.pmus == pmudev_all_pmus(p) ? 0 : what.pmus;
	rest = p->at;
	if (what.name == start)
		what.len = rest - start;
	if (*p->at == '@') {
		p->at++;
		if (!pmudev_parse_counter(p, &what.attr))
			return false;
	}
	modifiers = p->at;
	event->levels = false;
	event->modified = modifiers_follow(p);
	if (event->modified && !parse_modifiers(p, &flags, &event->levels, what.by_pfm))
		return false;
	what.attr.flags |= flags;
	if (what.len + (p->at - rest) + 1 >= EVENT_NAME)
		return pmudev_wrong(p, start, "this event is too long");
	snprintf(event->name, EVENT_NAME, "%.*s%.*s%s%.*s", (int)what.len, what.name,
		 (int)(modifiers - rest), rest, modifiers == p->at || *modifiers == ':' ? "" : ":",
		 (int)(p->at - modifiers), modifiers);
	list->attrs[list->nr++] = what.attr;
	return true;
}

/* Modifiers after a brace apply to all events of the group; these must have none. */
static bool modify_group(struct parser *p, unsigned int first)
{
	const char *start = p->at;
	unsigned int flags, i;
	bool levels;

	if (!parse_modifiers(p, &flags, &levels, false))
		return false;
	for (i = first; i < p->list->nr; i++) {
		char *name = p->list->events[i].name;
		size_t used = strlen(name);

		if (p->list->events[i].modified)
			return pmudev_wrong(p, start, "'%s' in the group has modifiers already",
					    name);
		if (used + 1 + (p->at - start) >= EVENT_NAME)
			return pmudev_wrong(p, start, "'%s' and its modifiers are too long", name);
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
		return pmudev_wrong(p, p->at, "groups cannot be nested");
	if (*p->at != '}')
		return pmudev_wrong(p, brace, "this '{' is not closed");
	p->at++;
	if (*p->at != ':')
		return true;
	p->at++;
	return modify_group(p, first);
}

static bool parse_list(struct parser *p)
{
	for (;;) {
		if (!(*p->at == '{' ? parse_group(p) : parse_event(p)))
			return false;
		p->list->groups++;
		if (!*p->at)
			return true;
		if (*p->at != ',')
			return pmudev_wrong(p, p->at, "a comma is expected here, not '%c'", *p->at);
		p->at++;
	}
}

int pmudev_events_parse(const char *text, const struct pmudev_pmus *pmus,
			struct pmudev_events **events, struct pmudev_events_error *error)
{
	struct pmudev_events *list = calloc(1, sizeof(*list));
	struct pmudev_events_error unwanted;
	struct parser p = { .text = text,
			    .at = text,
			    .list = list,
			    .error = error ? error : &unwanted,
			    .code = -EINVAL };

	*events = NULL;
	memset(p.error, 0, sizeof(*p.error));
	if (!list || (!pmus && pmudev_pmus_load(&list->own, NULL))) {
		pmudev_wrong(&p, text, "no memory left");
		free(list);
		return -ENOMEM;
	}
	p.pmus = pmus ? pmus : list->own;
	if (!parse_list(&p)) {
		pmudev_events_free(list);
		return p.code;
	}
	*events = list;
	return 0;
}
