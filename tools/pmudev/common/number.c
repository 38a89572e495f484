// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <limits.h>
#include <stdlib.h>

#include "cmd.h"
#include "number.h"
#include "ticks.h"

bool parse_count(const char *text, const char *what, uint64_t least, uint64_t most, uint64_t *count)
{
	char *end;
	double real;

	errno = 0;
	*count = strtoull(text, &end, 10);
	if (*end == 'e' || *end == 'E' || *end == '.') {
		real = strtod(text, &end);
		/* Above 2^53 not every whole number is a double. */
		*count = real >= 0 && real <= 9007199254740992.0 ? (uint64_t)real : 0;
		if ((double)*count != real)
			errno = EINVAL;
	}
	if (!errno && end != text && !*end && *text >= '0' && *text <= '9' && *count >= least &&
	    *count <= most)
		return true;
	complain("'%s' is not %s (%llu to %llu)", text, what, (unsigned long long)least,
		 (unsigned long long)most);
	return false;
}

bool parse_seconds(const char *text, uint64_t *ns)
{
	char *end;
	double seconds = strtod(text, &end);

	if (end == text || *end || !(seconds >= 0.001 && seconds <= INT_MAX)) {
		complain("'%s' is not a number of seconds, 0.001 at least", text);
		return false;
	}
	*ns = seconds * NS_PER_SECOND + 0.5;
	return true;
}
