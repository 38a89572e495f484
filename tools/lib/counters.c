// SPDX-License-Identifier: MIT
/* Parses the counters that the user chose for an event. */
#include <string.h>

#include "parser.h"

#define FIXED "fixed"

static size_t fixed_prefix(const char *at, size_t len)
{
	const size_t prefix = strlen(FIXED);

	if (len <= prefix || memcmp(at, FIXED, prefix))
		return 0;
	return prefix + (at[prefix] == ' ');
}

/* "3", "fixed0", "fixed 0"; also a fixed one's number in the ABI, "32" */
static bool counter_number(const char *at, size_t len, __u64 *counter)
{
	const size_t prefix = fixed_prefix(at, len);

	if (!prefix)
		return pmudev_number(at, len, 63, counter);
	if (!pmudev_number(at + prefix, len - prefix, 63 - PMUDEV_FIXED_BASE, counter))
		return false;
	*counter += PMUDEV_FIXED_BASE;
	return true;
}

/* Up to the next special character; "fixed 0" is one word. */
static size_t counter_word(const char *at)
{
	size_t len = pmudev_word(at), prefix = strlen(FIXED);

	if (len >= prefix && at[len] == ' ' && !memcmp(at + len - prefix, FIXED, prefix))
		len += 1 + pmudev_word(at + len + 1);
	return len;
}

bool pmudev_parse_counter(struct parser *p, struct pmudev_event_attr *attr)
{
	static const char help[] =
		"a counter is a number up to 31, fixed0 and so on, or a range such as 0-3";
	const char *start = p->at, *dash;
	size_t len = counter_word(start), to;
	__u64 first, last;

	dash = memchr(start, '-', len);
	if (!dash) {
		p->at += len;
		if (!counter_number(start, len, &first))
			return pmudev_wrong(p, start, "%s", help);
		attr->flags |= PMUDEV_COUNTER;
		attr->counter = first;
		return true;
	}
	to = counter_word(dash + 1);
	p->at = dash + 1 + to;
	if (!counter_number(start, dash - start, &first) || !counter_number(dash + 1, to, &last))
		return pmudev_wrong(p, start, "%s", help);
	/* "fixed 0-2" */
	if (fixed_prefix(start, dash - start) && last < PMUDEV_FIXED_BASE)
		last += PMUDEV_FIXED_BASE;
	if (first > last || last > 63)
		return pmudev_wrong(p, start, "%s", help);
	if (attr->allowed)
		return pmudev_wrong(p, start, "counters= already says which ones it may be on");
	attr->allowed = ~0ULL >> (63 - last) & ~0ULL << first;
	return true;
}
