/* SPDX-License-Identifier: GPL-2.0 */
/* Sparklines: the last values of a column, as blocks of eight heights. */
#ifndef SPARK_H
#define SPARK_H

#include "rows.h"

/* Bytes of one with so many characters. */
#define SPARK_BYTES(width) (3 * (width) + 1)

/*
 * The last @width values, the newest to the right, from 0 to the largest of them; a blank is none.
 * @blocks: the terminal has Unicode's
 */
const char *spark(const struct row *row, unsigned int column, unsigned int width, bool blocks,
		  char *text);

#endif /* SPARK_H */
