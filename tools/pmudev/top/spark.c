// SPDX-License-Identifier: GPL-2.0
#include <math.h>
#include <string.h>

#include "spark.h"

#define HEIGHTS 8

/* U+2581 to U+2588 */
static const char *const blocks_of[HEIGHTS] = { "\u2581", "\u2582", "\u2583", "\u2584",
						"\u2585", "\u2586", "\u2587", "\u2588" };
static const char *const letters[HEIGHTS] = { "_", ".", ",", "-", "=", "+", "*", "#" };

static double largest(const struct row *row, unsigned int column, unsigned int width)
{
	double value, most = 0;
	unsigned int ago;

	for (ago = 0; ago < width; ago++) {
		value = row_value_ago(row, column, ago);
		if (value > most)
			most = value;
	}
	return most;
}

/* The lowest is 0, and all that is less. */
static unsigned int height(double value, double most)
{
	if (!(value > 0))
		return 0;
	return fmin(HEIGHTS - 1, value * HEIGHTS / most);
}

const char *spark(const struct row *row, unsigned int column, unsigned int width, bool blocks,
		  char *text)
{
	const double most = largest(row, column, width);
	const char *const *marks = blocks ? blocks_of : letters;
	unsigned int i;
	double value;

	*text = '\0';
	for (i = width; i-- > 0;) {
		value = row_value_ago(row, column, i);
		strcat(text, isnan(value) ? " " : marks[height(value, most)]);
	}
	return text;
}
