// SPDX-License-Identifier: MIT
/*
 * The parts of an event: the terms in sysfs, and the words of a threshold's comparison.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cache.h"
#include "pfm.h"

static const char *const comparisons[] = {
	[PMUDEV_NOT_EQUAL] = "ne",
	[PMUDEV_EQUAL] = "eq",
	[PMUDEV_GREATER_EQUAL] = "ge",
	[PMUDEV_LESS] = "lt",
};

bool pmudev_number(const char *at, size_t len, __u64 max, __u64 *value)
{
	bool hex = len > 2 && at[0] == '0' && at[1] == 'x';
	const char *digits = hex ? "0123456789abcdefABCDEF" : "0123456789";
	const char *start = hex ? at + 2 : at;

	/* This many digits always fit. */
	if (!len || len > 18 || strspn(start, digits) < len - (start - at))
		return false;
	*value = strtoull(start, NULL, hex ? 16 : 10);
	return *value <= max;
}

/* ------------------------------------------------------------------ known terms -- */

/* The PMU after @pmu in the mask (NULL: the first one); NULL if there is none. */
static const struct pmu *next_pmu(const struct parser *p, __u32 pmus, const struct pmu *pmu)
{
	const struct pmudev_pmus *all = p->pmus;

	for (pmu = pmu ? pmu + 1 : all->pmu; pmu < all->pmu + all->nr; pmu++)
		if (pmus >> (pmu - all->pmu) & 1)
			return pmu;
	return NULL;
}

static const struct pmu *first_pmu(const struct parser *p, __u32 pmus)
{
	return next_pmu(p, pmus, NULL);
}

__u32 pmudev_all_pmus(const struct parser *p)
{
	return p->pmus->nr < 32 ? (1U << p->pmus->nr) - 1 : ~0U;
}

__u32 pmudev_pmus_with_event(const struct parser *p, __u32 pmus, const char *name, size_t len)
{
	const struct pmu *pmu;
	__u32 those = 0;

	for (pmu = first_pmu(p, pmus); pmu; pmu = next_pmu(p, pmus, pmu))
		if (pmudev_find_event(pmu, name, len))
			those |= 1U << (pmu - p->pmus->pmu);
	return those;
}

/* A generic event already has its code. */
static bool offered(const struct what *what, const struct term *term)
{
	return what->attr.type == PMUDEV_TYPE_RAW || term->field != TERM_CONFIG;
}

/* "event, umask and name" */
static void list_terms(const struct parser *p, const struct what *what, char *buf, size_t size)
{
	const struct pmu *pmu = first_pmu(p, what->pmus);
	unsigned int i;
	size_t used = 0;

	buf[0] = '\0';
	for (i = 0; i < pmu->nr_terms && used < size; i++)
		if (offered(what, &pmu->terms[i]))
			used += snprintf(buf + used, size - used, "%s%s", used ? ", " : "",
					 pmu->terms[i].name);
	if (used < size)
		snprintf(buf + used, size - used, "%sname", used ? " and " : "");
}

static bool unknown_term(struct parser *p, const char *where, size_t len, const struct pmu *pmu,
			 const struct what *what)
{
	const bool raw = what->attr.type == PMUDEV_TYPE_RAW;
	const size_t prefix = strlen("threshold");
	char terms[256], like[128] = "";

	list_terms(p, what, terms, sizeof(terms));
	if (!len)
		return pmudev_wrong(p, where, "a term is missing here; there are %s", terms);
	if (!strncmp(where, "threshold", prefix) && !pmudev_find_term(pmu, "threshold", prefix))
		return pmudev_wrong(p, where, "%s has no thresholds (threshold_max is 0)",
				    pmu->name);
	if (pmudev_find_term(pmu, where, len))
		return pmudev_wrong(p, where, "%.*s is part of an event's code: %s/event=.../",
				    pmudev_shown(len), where, pmu->name);
	if (raw)
		pmudev_similar_events(p->pmus, what->pmus, false, where, len, like, sizeof(like));
	return pmudev_wrong(p, where, "%s has no term%s '%.*s'; %s%s%s terms are %s", pmu->name,
			    raw ? " or event" : "", pmudev_shown(len), where,
			    *like ? "did you mean " : "", like, *like ? "? Its" : "its", terms);
}

/* The term on all of the event's PMUs; NULL if one lacks it, and which one. */
static const struct term *common_term(const struct parser *p, const char *name, size_t len,
				      const struct what *what, const struct pmu **fault)
{
	const struct term *term, *first = NULL;
	const struct pmu *pmu;

	for (pmu = first_pmu(p, what->pmus); pmu; pmu = next_pmu(p, what->pmus, pmu)) {
		*fault = pmu;
		term = pmudev_find_term(pmu, name, len);
		if (!term || !offered(what, term))
			return NULL;
		if (!first)
			first = term;
		if (!pmudev_same_bits(first, term))
			return NULL;
	}
	return first;
}

/* The first PMU of the event defines the term differently from another one. */
static bool not_the_same(struct parser *p, const char *where, size_t len, const struct pmu *other,
			 const struct what *what)
{
	const struct pmu *pmu = first_pmu(p, what->pmus);

	return pmudev_wrong(p, where, "'%.*s' differs between %s and %s: name one, as in %s/.../",
			    pmudev_shown(len), where, pmu->name, other->name, pmu->name);
}

static bool was_given(const struct what *what, const char *name)
{
	unsigned int i;

	for (i = 0; i < what->nr; i++)
		if (!strcmp(what->given[i], name))
			return true;
	return false;
}

static bool mark_given(struct parser *p, const char *where, const char *name, struct what *what)
{
	if (was_given(what, name))
		return pmudev_wrong(p, where, "%s is given twice", name);
	if (what->nr == MAX_GIVEN)
		return pmudev_wrong(p, where, "there are too many terms");
	what->given[what->nr++] = name;
	return true;
}

/* ------------------------------------------------------------------- named events -- */

/* The terms of an event as sysfs spells them. */
static bool apply_terms(struct parser *p, const char *where, const struct pmu *pmu,
			const struct named_event *event, struct what *what)
{
	const char *at = event->terms;
	const struct term *term;
	__u64 value;
	size_t len;

	for (;; at++) {
		value = 1;
		len = strcspn(at, "=,");
		term = pmudev_find_term(pmu, at, len);
		at += len;
		if (*at == '=') {
			len = strcspn(at, ",");
			if (!pmudev_number(at + 1, len - 1, ~0ULL, &value))
				term = NULL;
			at += len;
		}
		if (!term || value > term->info.max)
			return pmudev_wrong(p, where, "%s/%s/events/%s is not valid: '%s'",
					    PMUDEV_SYSFS, pmu->name, event->name, event->terms);
		if (!mark_given(p, where, term->name, what))
			return false;
		pmudev_set_term(term, &what->attr, value);
		if (!*at)
			return true;
	}
}

bool pmudev_use_event(struct parser *p, const char *where, size_t len, struct what *what)
{
	const struct named_event *event, *first = NULL;
	const struct pmu *pmu;

	what->pmus = pmudev_pmus_with_event(p, what->pmus, where, len);
	for (pmu = first_pmu(p, what->pmus); pmu; pmu = next_pmu(p, what->pmus, pmu)) {
		event = pmudev_find_event(pmu, where, len);
		if (!first)
			first = event;
		if (strcmp(first->terms, event->terms))
			return not_the_same(p, where, len, pmu, what);
	}
	return apply_terms(p, where, first_pmu(p, what->pmus), first, what);
}

enum pfm_answer pmudev_use_pfm(struct parser *p, const char *where, const char *end,
			       struct what *what)
{
	const __u64 before = what->attr.config;
	const size_t len = strcspn(where, ":,/@{} ");
	const struct term *term, *last;
	struct pmudev_event_attr bits;
	enum pfm_answer answer;

	if (pmudev_lacks_cache_event(p, where, len, what->pmus))
		return PFM_WRONG;
	if (pmudev_is_cache_name(where, len))
		return PFM_UNKNOWN;
	answer = pmudev_pfm_event(p, where, end, what);
	if (answer != PFM_FOUND || !mark_given(p, where, "event", what))
		return answer == PFM_FOUND ? PFM_WRONG : answer;
	if (before && what->attr.type != PMUDEV_TYPE_RAW) {
		pmudev_wrong(p, where, "'%.*s' is a fixed counter's, and takes no bits of a code",
			     pmudev_shown(end - where), where);
		return PFM_WRONG;
	}
	term = first_pmu(p, what->pmus)->terms;
	last = term + first_pmu(p, what->pmus)->nr_terms;
	for (; term < last; term++) {
		memset(&bits, 0, sizeof(bits));
		pmudev_set_term(term, &bits, term->info.max);
		if ((bits.config & what->attr.config) && strcmp(term->name, "event") &&
		    !mark_given(p, where, term->name, what))
			return PFM_WRONG;
	}
	/* Earlier terms must set other bits. */
	what->attr.config |= before;
	return PFM_FOUND;
}

/* -------------------------------------------------------------------------- terms -- */

static bool comparison(const char *at, size_t len, __u64 *value)
{
	for (*value = 0; *value < ARRAY_SIZE(comparisons); ++*value)
		if (strlen(comparisons[*value]) == len && !memcmp(comparisons[*value], at, len))
			return true;
	return false;
}

/* The value after '=', or 1 without one. */
static bool term_value(struct parser *p, const struct term *term, __u64 *value)
{
	const __u64 max = term->info.max;
	const char *start = p->at;
	size_t len;

	*value = 1;
	if (*p->at != '=') {
		if (max == 1)
			return true;
		return pmudev_wrong(p, p->at, "%s needs a value: %s=...", term->name, term->name);
	}
	start++;
	len = pmudev_word(start);
	p->at = start + len;
	if (term->field == TERM_COMPARE && comparison(start, len, value) && *value <= max)
		return true;
	if (pmudev_number(start, len, max, value))
		return true;
	if (term->field == TERM_COMPARE)
		return pmudev_wrong(p, start, "%s is ge, lt, eq or ne", term->name);
	if (term->field == TERM_THRESHOLD)
		return pmudev_wrong(p, start, "the highest %s is %llu", term->name,
				    (unsigned long long)max);
	if (max == 1)
		return pmudev_wrong(p, start, "%s is 0 or 1", term->name);
	return pmudev_wrong(p, start, "%s is a number up to %#llx", term->name,
			    (unsigned long long)max);
}

static bool parse_name(struct parser *p, const char *start, struct what *what)
{
	if (*p->at != '=' || !pmudev_word(p->at + 1))
		return pmudev_wrong(p, p->at, "name needs a value: name=...");
	what->name = p->at + 1;
	what->len = pmudev_word(what->name);
	p->at = what->name + what->len;
	return mark_given(p, start, "name", what);
}

/* perf's term for a whole code. What other terms set is added to it. */
static bool parse_config(struct parser *p, const char *start, struct what *what)
{
	const char *value = p->at + 1;
	const size_t len = *p->at == '=' ? pmudev_word(value) : 0;
	__u64 config;

	if (!len)
		return pmudev_wrong(p, p->at, "config needs a value: config=...");
	if (!pmudev_number(value, len, ~0ULL, &config))
		return pmudev_wrong(p, value, "config is a number up to %#llx", ~0ULL);
	p->at = value + len;
	what->attr.config |= config;
	return mark_given(p, start, "event", what);
}

static bool parse_term(struct parser *p, struct what *what)
{
	const char *start = p->at;
	const struct pmu *fault = NULL;
	const struct term *term;
	const char *end = start + strcspn(start, ",/");
	size_t len = pmudev_word(start);
	enum pfm_answer answer;
	__u64 value;

	p->at += len;
	if (len == 4 && !memcmp(start, "name", len))
		return parse_name(p, start, what);
	if (len == 6 && !memcmp(start, "config", len) && what->attr.type == PMUDEV_TYPE_RAW)
		return parse_config(p, start, what);
	term = common_term(p, start, len, what, &fault);
	if (term) {
		if (!mark_given(p, start, term->name, what) || !term_value(p, term, &value))
			return false;
		pmudev_set_term(term, &what->attr, value);
		return true;
	}
	if (what->attr.type == PMUDEV_TYPE_RAW &&
	    pmudev_pmus_with_event(p, what->pmus, start, len)) {
		if (*p->at == '=')
			return pmudev_wrong(p, p->at, "%.*s is an event, which has no value",
					    pmudev_shown(len), start);
		return pmudev_use_event(p, start, len, what);
	}
	term = pmudev_find_term(fault, start, len);
	if (term && offered(what, term))
		return not_the_same(p, start, len, fault, what);
	if (!term && what->attr.type == PMUDEV_TYPE_RAW && len) {
		answer = pmudev_use_pfm(p, start, end, what);
		p->at = answer == PFM_FOUND ? end : p->at;
		if (answer != PFM_UNKNOWN)
			return answer == PFM_FOUND;
	}
	return unknown_term(p, start, len, fault, what);
}

bool pmudev_parse_terms(struct parser *p, struct what *what)
{
	const char *begin = p->at;

	if (!p->pmus->nr)
		return pmudev_wrong(p, begin - 1,
				    "what may stand here is in " PMUDEV_SYSFS
				    ", which is not there: is the module loaded?");
	for (;; p->at++) {
		if (!parse_term(p, what))
			return false;
		if (*p->at != ',')
			break;
	}
	if (*p->at != '/')
		return pmudev_wrong(p, begin - 1, "this '/' is not closed");
	p->at++;
	if (what->attr.type == PMUDEV_TYPE_RAW && !was_given(what, "event"))
		return pmudev_wrong(p, begin, "the event is missing: its name, or event=...");
	/* The usual meaning of a threshold; the ABI's zero means not-equal. */
	if (!what->attr.threshold)
		what->attr.threshold_compare = 0;
	else if (!was_given(what, "threshold_compare"))
		what->attr.threshold_compare = PMUDEV_GREATER_EQUAL;
	return true;
}
