/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Formulas of metrics: "100 * branch-misses / branches".
 *
 *	formula  = compared [ "if" formula "else" formula ]
 *	compared = sum [ ( "<" | ">" ) sum ]
 *	sum      = product { ( "+" | "-" ) product }
 *	product  = part { ( "*" | "/" | "%" ) part }
 *	part     = number | name | "-" part | "(" formula ")"
 *	         | ( "min" | "max" | "d_ratio" ) "(" formula "," formula ")"
 *
 * A name is letters, digits, '_' and '.', and '-' between two of these: a difference has blanks,
 * "a - b". A comparison is 1 or 0. A quotient whose divisor is 0 has no value, nor has what is made
 * of it; d_ratio(a, b) is a / b, and 0 if b is 0. "x if c else y" has the value of the one that is
 * chosen.
 */
#ifndef FORMULA_H
#define FORMULA_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define FORMULA_STEPS 512
#define FORMULA_NAMES 64

struct formula_step;

/**
 * struct formula - one that was read
 * @nr: how many steps
 * @steps: what is done with a stack of numbers, one after the other
 * @names: mask of the names that are in it, by their places
 */
struct formula {
	unsigned int nr;
	struct formula_step *steps;
	uint64_t names;
};

/**
 * struct formula_error - what is wrong with a text, and where
 * @position: offset in it
 * @text: a sentence without its end
 */
struct formula_error {
	size_t position;
	char text[160];
};

/* The place of a name of so many letters, or -1. */
typedef int (*formula_find)(void *context, const char *name, size_t len);

/* False if the text is none. The caller frees one that was read. */
bool formula_read(struct formula *formula, const char *text, formula_find find, void *context,
		  struct formula_error *error);

void formula_free(struct formula *formula);

/*
 * With the values of the names, by their places. False: it has no value, since something is divided
 * by 0, or the value is beyond all numbers.
 */
bool formula_value(const struct formula *formula, const double *values, double *value);

/* Is it a character of a name? '-' is one only between two others. */
bool formula_is_name(char c);

#endif /* FORMULA_H */
