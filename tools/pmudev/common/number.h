/* SPDX-License-Identifier: GPL-2.0 */
/* Numbers of options. */
#ifndef NUMBER_H
#define NUMBER_H

#include <stdbool.h>
#include <stdint.h>

/*
 * A whole number, @least to @most; 1e6 is one, too. @what: "a number of instructions". False if
 * @text is none, which was reported on stderr.
 */
bool parse_count(const char *text, const char *what, uint64_t least, uint64_t most,
		 uint64_t *count);

/* Seconds, 0.001 or more: @ns: out: the same in ns. False as above. */
bool parse_seconds(const char *text, uint64_t *ns);

#endif /* NUMBER_H */
