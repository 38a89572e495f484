// SPDX-License-Identifier: GPL-2.0
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cmd.h"
#include "colour.h"

/* ECMA-48, SGR: the sixteen colours, which the user's terminal chooses. */
static const char *const sequences[] = {
	[COLOUR_END] = "\033[0m",   [COLOUR_HEAD] = "\033[1m",	[COLOUR_DIM] = "\033[2m",
	[COLOUR_GOOD] = "\033[32m", [COLOUR_WARN] = "\033[33m", [COLOUR_BAD] = "\033[1;31m",
};

static enum {
	AUTO,
	ALWAYS,
	NEVER,
} chosen;

bool colour_option(const char *when)
{
	static const char *const words[] = { "auto", "always", "never" };
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(words); i++) {
		if (strcmp(when ? when : "always", words[i]))
			continue;
		chosen = i;
		return true;
	}
	complain("--color is auto, always or never, not '%s'", when);
	return false;
}

bool colour_wanted(FILE *out)
{
	const char *no = getenv("NO_COLOR"), *term = getenv("TERM");

	if (chosen != AUTO)
		return chosen == ALWAYS;
	return !(no && *no) && term && *term && strcmp(term, "dumb") && isatty(fileno(out));
}

const char *colour_sequence(enum colour what)
{
	return sequences[what];
}

const char *colour(FILE *out, enum colour what)
{
	return colour_wanted(out) ? colour_sequence(what) : "";
}
