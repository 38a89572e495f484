/* SPDX-License-Identifier: GPL-2.0 */
/* The expressions of perf's metrics, as formulas of performance groups. */
#ifndef EXPRESSION_H
#define EXPRESSION_H

#include <stdbool.h>
#include <stddef.h>

#include "../common/formula.h"

/**
 * struct expression - what became of one
 * @formula: the formula, allocated
 * @nr: how many events it has
 * @events: each of them, as -e takes it, with its name in the formula before it if that is another
 * @why: what could not be converted
 */
struct expression {
	char *formula;
	unsigned int nr;
	struct {
		char name[128];
		char event[256];
	} events[FORMULA_NAMES];
	char why[192];
};

/* The expression of a metric by its name, or NULL. */
typedef const char *(*expression_find)(void *context, const char *name);

/*
 * Converts one. A metric within it is put in its place. False: @why tells. The caller frees it in
 * any case.
 */
bool expression_convert(struct expression *expression, const char *text, expression_find find,
			void *context);

void expression_free(struct expression *expression);

#endif /* EXPRESSION_H */
