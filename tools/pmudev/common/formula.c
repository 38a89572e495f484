// SPDX-License-Identifier: GPL-2.0
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "formula.h"

/* Brackets within brackets. */
#define DEEPEST 64

enum step {
	NUMBER,
	NAME,
	NEGATE,
	ADD,
	SUBTRACT,
	MULTIPLY,
	DIVIDE,
	REMAINDER,
	LESS,
	MORE,
	MINIMUM,
	MAXIMUM,
	RATIO,
	CHOOSE, /* of three: the first if the second is not 0, else the third */
};

struct formula_step {
	enum step what;
	double number;
	unsigned int name;
};

struct reading {
	const char *text;
	const char *at;
	struct formula *formula;
	formula_find find;
	void *context;
	struct formula_error *error;
	unsigned int depth;
};

/* ------------------------------------------------------------------------- words -- */

static bool is_letter(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

bool formula_is_name(char c)
{
	return is_letter(c) || is_digit(c) || c == '.';
}

static size_t name_length(const char *text)
{
	size_t len = 0;

	while (formula_is_name(text[len]) ||
	       (len && text[len] == '-' && formula_is_name(text[len + 1])))
		len++;
	return len;
}

static void skip_blanks(struct reading *r)
{
	r->at += strspn(r->at, " \t");
}

static bool fail(struct reading *r, const char *at, const char *text)
{
	r->error->position = at - r->text;
	snprintf(r->error->text, sizeof(r->error->text), "%s", text);
	return false;
}

/* Is this word next, and taken? */
static bool take_word(struct reading *r, const char *word)
{
	const size_t len = strlen(word);

	skip_blanks(r);
	if (name_length(r->at) != len || strncmp(r->at, word, len))
		return false;
	r->at += len;
	return true;
}

/* One of these characters, or 0. */
static char take_char(struct reading *r, const char *chars)
{
	skip_blanks(r);
	return *r->at && strchr(chars, *r->at) ? *r->at++ : 0;
}

static bool want_char(struct reading *r, char c)
{
	char text[40], chars[] = { c, '\0' };

	if (take_char(r, chars))
		return true;
	snprintf(text, sizeof(text), "a '%c' is missing", c);
	return fail(r, r->at, text);
}

/* ------------------------------------------------------------------------- steps -- */

static bool add_step(struct reading *r, enum step what, double number, unsigned int name)
{
	struct formula *formula = r->formula;

	if (formula->nr == FORMULA_STEPS)
		return fail(r, r->at, "the formula is too long");
	formula->steps[formula->nr++] = (struct formula_step){ what, number, name };
	return true;
}

static bool add(struct reading *r, enum step what)
{
	return add_step(r, what, 0, 0);
}

static bool read_formula(struct reading *r);

static bool read_number(struct reading *r)
{
	char *end;
	const double number = strtod(r->at, &end);

	if (end == r->at || !isfinite(number) || is_letter(*end))
		return fail(r, r->at, "this is no number");
	r->at = end;
	return add_step(r, NUMBER, number, 0);
}

static bool read_call(struct reading *r, enum step what)
{
	return want_char(r, '(') && read_formula(r) && want_char(r, ',') && read_formula(r) &&
	       want_char(r, ')') && add(r, what);
}

static bool read_name(struct reading *r)
{
	static const struct {
		const char *name;
		enum step what;
	} calls[] = { { "min", MINIMUM }, { "max", MAXIMUM }, { "d_ratio", RATIO } };
	const char *name = r->at;
	const size_t len = name_length(name);
	char text[128];
	size_t i;
	int place;

	for (i = 0; i < sizeof(calls) / sizeof(*calls); i++)
		if (take_word(r, calls[i].name))
			return read_call(r, calls[i].what);
	place = r->find(r->context, name, len);
	if (place < 0 || place >= FORMULA_NAMES) {
		snprintf(text, sizeof(text), "'%.*s' is no event of this group%s",
			 (int)(len < 64 ? len : 64), name,
			 memchr(name, '-', len) ? "; a difference has blanks: a - b" : "");
		return fail(r, name, text);
	}
	r->at += len;
	r->formula->names |= 1ULL << place;
	return add_step(r, NAME, 0, place);
}

static bool read_part(struct reading *r)
{
	bool fine;

	skip_blanks(r);
	if (++r->depth > DEEPEST)
		return fail(r, r->at, "too many brackets");
	if (take_char(r, "-"))
		fine = read_part(r) && add(r, NEGATE);
	else if (take_char(r, "("))
		fine = read_formula(r) && want_char(r, ')');
	else if (is_digit(*r->at) || (*r->at == '.' && is_digit(r->at[1])))
		fine = read_number(r);
	else if (is_letter(*r->at))
		fine = read_name(r);
	else
		fine = fail(r, r->at, "a number, a name or a '(' is missing");
	r->depth--;
	return fine;
}

static bool read_product(struct reading *r)
{
	bool fine = read_part(r);
	char c;

	while (fine && (c = take_char(r, "*/%")))
		fine = read_part(r) && add(r, c == '*' ? MULTIPLY : c == '/' ? DIVIDE : REMAINDER);
	return fine;
}

static bool read_sum(struct reading *r)
{
	bool fine = read_product(r);
	char c;

	while (fine && (c = take_char(r, "+-")))
		fine = read_product(r) && add(r, c == '+' ? ADD : SUBTRACT);
	return fine;
}

static bool read_compared(struct reading *r)
{
	char c;

	if (!read_sum(r))
		return false;
	c = take_char(r, "<>");
	return !c || (read_sum(r) && add(r, c == '<' ? LESS : MORE));
}

static bool read_formula(struct reading *r)
{
	if (++r->depth > DEEPEST)
		return fail(r, r->at, "too many brackets");
	if (!read_compared(r))
		return false;
	if (take_word(r, "if")) {
		if (!read_formula(r))
			return false;
		if (!take_word(r, "else"))
			return fail(r, r->at, "an 'else' is missing");
		if (!read_formula(r) || !add(r, CHOOSE))
			return false;
	}
	r->depth--;
	return true;
}

bool formula_read(struct formula *formula, const char *text, formula_find find, void *context,
		  struct formula_error *error)
{
	struct reading r = {
		.text = text,
		.at = text,
		.formula = formula,
		.find = find,
		.context = context,
		.error = error,
	};
	bool fine;

	*formula = (struct formula){ .steps = calloc(FORMULA_STEPS, sizeof(*formula->steps)) };
	if (!formula->steps)
		return fail(&r, text, "no memory left");
	fine = read_formula(&r);
	skip_blanks(&r);
	if (fine && *r.at)
		fine = fail(&r, r.at, "this does not belong to the formula");
	if (!fine)
		formula_free(formula);
	return fine;
}

void formula_free(struct formula *formula)
{
	free(formula->steps);
	*formula = (struct formula){ .nr = 0 };
}

/* ------------------------------------------------------------------------- values -- */

/* NaN, if there is none. */
static double of_two(enum step what, double a, double b)
{
	if (isnan(a) || isnan(b))
		return NAN;
	switch (what) {
	case ADD:
		return a + b;
	case SUBTRACT:
		return a - b;
	case MULTIPLY:
		return a * b;
	case DIVIDE:
		return b ? a / b : NAN;
	case REMAINDER:
		return b ? fmod(a, b) : NAN;
	case LESS:
		return a < b;
	case MORE:
		return a > b;
	case MINIMUM:
		return a < b ? a : b;
	case MAXIMUM:
		return a > b ? a : b;
	default: /* RATIO */
		return b ? a / b : 0;
	}
}

static double chosen(double first, double condition, double other)
{
	if (isnan(condition))
		return NAN;
	return condition ? first : other;
}

bool formula_value(const struct formula *formula, const double *values, double *value)
{
	double stack[FORMULA_STEPS + 1];
	unsigned int i, top = 0;

	for (i = 0; i < formula->nr; i++) {
		const struct formula_step *step = &formula->steps[i];

		if (step->what == NUMBER) {
			stack[top++] = step->number;
		} else if (step->what == NAME) {
			stack[top++] = values[step->name];
		} else if (step->what == NEGATE) {
			stack[top - 1] = -stack[top - 1];
		} else if (step->what == CHOOSE) {
			top -= 2;
			stack[top - 1] = chosen(stack[top - 1], stack[top], stack[top + 1]);
		} else {
			top--;
			stack[top - 1] = of_two(step->what, stack[top - 1], stack[top]);
		}
	}
	*value = top ? stack[top - 1] : NAN;
	return isfinite(*value);
}
