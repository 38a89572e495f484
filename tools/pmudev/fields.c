// SPDX-License-Identifier: GPL-2.0
/*
 * The parts of an event: the fields of its code, a threshold, a counter chosen by hand.
 */
#include <stdlib.h>
#include <string.h>

#include "parser.h"

#define ARRAY_SIZE(a) (sizeof(a) / sizeof((a)[0]))

enum field_kind {
	EVENT,
	CODE, /* more bits of the code, from @shift on */
	THRESHOLD,
	COMPARE,
	COUNT_CYCLES,
	NAME,
};

/* @max == 1: the value may be left out. */
static const struct field {
	const char *name;
	enum field_kind kind;
	unsigned int shift;
	unsigned int max;
} fields[] = {
	{ "event", EVENT, 0, 0xffff },
	{ "umask", CODE, 8, 0xff },
	{ "cmask", CODE, 24, 0xff },
	{ "edge", CODE, 18, 1 },
	{ "inv", CODE, 23, 1 },
	{ "threshold", THRESHOLD, 0, PMUDEV_MAX_THRESHOLD },
	{ "threshold_compare", COMPARE, 0, PMUDEV_LESS },
	{ "threshold_count", COUNT_CYCLES, 0, 1 },
	{ "name", NAME, 0, 0 },
};

static const char known[] =
	"event, umask, cmask, edge, inv, threshold, threshold_compare, threshold_count, name";

static const char *const comparisons[] = {
	[PMUDEV_NOT_EQUAL] = "ne",
	[PMUDEV_EQUAL] = "eq",
	[PMUDEV_GREATER_EQUAL] = "ge",
	[PMUDEV_LESS] = "lt",
};

static bool same(const char *name, const char *at, size_t len)
{
	return strlen(name) == len && !memcmp(name, at, len);
}

/* Decimal, or hexadecimal with 0x: all of the word. */
static bool number(const char *at, size_t len, unsigned int max, unsigned int *value)
{
	bool hex = len > 2 && at[0] == '0' && at[1] == 'x';
	const char *digits = hex ? "0123456789abcdefABCDEF" : "0123456789";
	const char *start = hex ? at + 2 : at;
	unsigned long n;

	if (!len || len > 10 || strspn(start, digits) < len - (start - at))
		return false;
	n = strtoul(start, NULL, hex ? 16 : 10);
	if (n > max)
		return false;
	*value = n;
	return true;
}

static bool comparison(const char *at, size_t len, unsigned int *value)
{
	for (*value = 0; *value < ARRAY_SIZE(comparisons); ++*value)
		if (same(comparisons[*value], at, len))
			return true;
	return number(at, len, PMUDEV_LESS, value);
}

/* The field's value: behind '=', or 1 where there is none. */
static bool field_value(struct parser *p, const struct field *field, unsigned int *value)
{
	const char *start = p->at;
	size_t len;

	*value = 1;
	if (*p->at != '=') {
		if (field->max == 1)
			return true;
		return wrong(p, p->at, "%s needs a value: %s=...", field->name, field->name);
	}
	start++;
	len = word(start);
	p->at = start + len;
	if (field->kind == COMPARE) {
		if (comparison(start, len, value))
			return true;
		return wrong(p, start, "threshold_compare is ge, lt, eq or ne");
	}
	if (number(start, len, field->max, value))
		return true;
	if (field->max == 1)
		return wrong(p, start, "%s is 0 or 1", field->name);
	return wrong(p, start, "%s is a number up to %#x", field->name, field->max);
}

static const struct field *find_field(const char *at, size_t len)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(fields); i++)
		if (same(fields[i].name, at, len))
			return &fields[i];
	return NULL;
}

static void set_field(struct pmudev_event_attr *attr, const struct field *field, unsigned int value)
{
	switch (field->kind) {
	case EVENT:
	case CODE:
		attr->config |= (__u64)value << field->shift;
		break;
	case THRESHOLD:
		attr->threshold = value;
		break;
	case COMPARE:
		attr->threshold_compare = value;
		break;
	case COUNT_CYCLES:
		if (value)
			attr->flags |= PMUDEV_THRESHOLD_COUNT;
		break;
	case NAME:
		break;
	}
}

static bool parse_name(struct parser *p, const char **name, size_t *len)
{
	if (*p->at != '=' || !word(p->at + 1))
		return wrong(p, p->at, "name needs a value: name=...");
	*name = p->at + 1;
	*len = word(*name);
	p->at = *name + *len;
	return true;
}

/* What has been seen between two slashes: bits by place in fields[], bits by kind, the event. */
struct seen {
	unsigned int fields;
	unsigned int kinds;
	unsigned int event;
};

static bool parse_field(struct parser *p, struct pmudev_event_attr *attr, struct seen *seen,
			const char **name, size_t *len)
{
	const char *start = p->at;
	const struct field *field;
	unsigned int value;

	p->at += word(start);
	field = find_field(start, p->at - start);
	if (!field)
		return wrong(p, start, "unknown field '%.*s'; there are %s",
			     (int)(p->at - start < 40 ? p->at - start : 40), start, known);
	if (seen->fields >> (field - fields) & 1)
		return wrong(p, start, "%s is here twice", field->name);
	seen->fields |= 1U << (field - fields);
	seen->kinds |= 1U << field->kind;
	if (field->kind <= CODE && attr->type == PMUDEV_TYPE_GENERIC)
		return wrong(p, start, "%s is for cpu/event=.../", field->name);
	if (field->kind == NAME)
		return parse_name(p, name, len);
	if (!field_value(p, field, &value))
		return false;
	if (field->kind == EVENT)
		seen->event = value;
	set_field(attr, field, value);
	return true;
}

bool parse_fields(struct parser *p, struct pmudev_event_attr *attr, __u32 *arch, const char **name,
		  size_t *len)
{
	const char *begin = p->at;
	struct seen seen = { 0 };

	/* Unlike the ABI's zero, and what one means by a threshold. */
	attr->threshold_compare = PMUDEV_GREATER_EQUAL;
	for (;;) {
		if (!parse_field(p, attr, &seen, name, len))
			return false;
		if (*p->at != ',')
			break;
		p->at++;
	}
	if (*p->at != '/')
		return wrong(p, begin - 1, "this '/' is not closed");
	p->at++;
	if (!attr->threshold)
		attr->threshold_compare = 0;
	if (attr->type == PMUDEV_TYPE_RAW && !(seen.kinds & 1U << EVENT))
		return wrong(p, begin, "the event's code is missing: event=...");
	/* Where a code has more fields, its event has 8 bits. */
	if (seen.kinds & 1U << CODE && seen.event > 0xff)
		return wrong(p, begin, "event is a number up to 0xff beside umask, cmask ...");
	if (seen.kinds & 1U << CODE)
		*arch = PMUDEV_ARCH_INTEL;
	else if (seen.event > 0xff)
		*arch = PMUDEV_ARCH_ARM64;
	return true;
}

/* ------------------------------------------------------------------ counters -- */

/* "3", "32", "fixed0" */
static bool counter_number(const char *at, size_t len, unsigned int *counter)
{
	const size_t prefix = strlen("fixed");

	if (len <= prefix || memcmp(at, "fixed", prefix))
		return number(at, len, 63, counter);
	if (!number(at + prefix, len - prefix, 63 - PMUDEV_FIXED_BASE, counter))
		return false;
	*counter += PMUDEV_FIXED_BASE;
	return true;
}

bool parse_counter(struct parser *p, struct pmudev_event_attr *attr)
{
	static const char help[] = "a counter is a number up to 63, fixedN, or a range such as 0-3";
	const char *start = p->at, *dash;
	size_t len = word(start);
	unsigned int first, last;

	p->at += len;
	dash = memchr(start, '-', len);
	if (!dash) {
		if (!counter_number(start, len, &first))
			return wrong(p, start, "%s", help);
		attr->flags |= PMUDEV_COUNTER;
		attr->counter = first;
		return true;
	}
	if (!counter_number(start, dash - start, &first) ||
	    !counter_number(dash + 1, start + len - dash - 1, &last) || first > last)
		return wrong(p, start, "%s", help);
	attr->allowed = ~0ULL >> (63 - last) & ~0ULL << first;
	return true;
}
