/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Colour, for who looks at a terminal: printf("%s%s%s", colour(stdout, COLOUR_BAD), text,
 * colour(stdout, COLOUR_END)). Where there is to be none, colour() is "".
 *
 * Unless --color=WHEN decides: on terminals, if NO_COLOR is not set or empty (https://no-color.org)
 * and TERM is neither unset nor "dumb".
 */
#ifndef COLOUR_H
#define COLOUR_H

#include <stdbool.h>
#include <stdio.h>

enum colour {
	COLOUR_END,  /* as before */
	COLOUR_HEAD, /* titles of tables */
	COLOUR_DIM,  /* what matters less: units, remarks */
	COLOUR_GOOD,
	COLOUR_WARN,
	COLOUR_BAD,
};

/* For the help of commands that use it. */
#define COLOUR_HELP "  --color=WHEN  auto (on a terminal, without NO_COLOR), always or never\n"

/* What --color says; NULL (--color alone) is always. False, and told on stderr, for other words. */
bool colour_option(const char *when);

/* Is there to be any on this stream? */
bool colour_wanted(FILE *out);

/* The terminal's sequence for it. */
const char *colour_sequence(enum colour what);

/* The same where there is to be any, or "". */
const char *colour(FILE *out, enum colour what);

#endif /* COLOUR_H */
