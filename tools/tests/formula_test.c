// SPDX-License-Identifier: MIT
/* Formulas of metrics: their values, and what is wrong with a text. */
#include "../pmudev/common/formula.h"
#include "tap.h"

static const char *const names[] = {
	"a", "b", "zero", "L1-dcache-loads", "INST_RETIRED.ANY", "x1",
};

static const double values[] = { 12, 5, 0, 1000, 7, 0.5 };

static int find(void *context, const char *name, size_t len)
{
	size_t i;

	(void)context;
	for (i = 0; i < sizeof(names) / sizeof(*names); i++)
		if (strlen(names[i]) == len && !strncmp(names[i], name, len))
			return i;
	return -1;
}

static const struct {
	const char *text;
	double value;
} good[] = {
	{ "1", 1 },
	{ "1e-3 * 2000", 2 },
	{ ".5", 0.5 },
	{ "0x10", 16 },
	{ "a", 12 },
	{ "a + b * 2", 22 },
	{ "(a + b) * 2", 34 },
	{ "a - b - 1", 6 },
	{ "a / b / 2", 1.2 },
	{ "a - -b", 17 },
	{ "-a * b", -60 },
	{ "- (a + b)", -17 },
	{ "a % b", 2 },
	{ "100*b/L1-dcache-loads", 0.5 },
	{ "L1-dcache-loads - a", 988 },
	{ "a -b", 7 },
	{ "12-5", 7 },
	{ "INST_RETIRED.ANY + x1", 7.5 },
	{ "a < b", 0 },
	{ "a > b", 1 },
	{ "a > b + 6", 1 },
	{ "a > b + 7", 0 },
	{ "min(a, b)", 5 },
	{ "max(a, b) + 1", 13 },
	{ "max(a * 2, min(b, 3))", 24 },
	{ "d_ratio(a, b)", 2.4 },
	{ "d_ratio(a, zero)", 0 },
	{ "a if b else zero", 12 },
	{ "a if zero else b", 5 },
	{ "1 if a < b else 2 if a > b else 3", 2 },
	{ "a + 1 if zero else b + 1", 6 },
	/* What is not chosen need not have a value. */
	{ "a / zero if zero else b", 5 },
	{ "b if a else a / zero", 5 },
	{ "\ta  +\tb ", 17 },
};

static const char *const without_value[] = {
	"a / zero",	 "zero / zero",		 "a % zero",
	"1 + a / zero",	 "min(a / zero, b)",	 "max(b, a / zero)",
	"a / zero < b",	 "d_ratio(a / zero, b)", "a if b / zero else b",
	"1e300 * 1e300", "-(a / zero)",
};

static const struct {
	const char *text;
	size_t position;
	const char *error;
} bad[] = {
	{ "", 0, "a number, a name or a '(' is missing" },
	{ "a +", 3, "a number, a name or a '(' is missing" },
	{ "a + * b", 4, "a number, a name or a '(' is missing" },
	{ "(a + b", 6, "a ')' is missing" },
	{ "a + b)", 5, "this does not belong to the formula" },
	{ "a b", 2, "this does not belong to the formula" },
	{ "a + c", 4, "'c' is no event of this group" },
	{ "a-b", 0, "'a-b' is no event of this group; a difference has blanks: a - b" },
	{ "min(a)", 5, "a ',' is missing" },
	{ "min a", 4, "a '(' is missing" },
	{ "a if b", 6, "an 'else' is missing" },
	{ "3x", 0, "this is no number" },
	{ "1e999", 0, "this is no number" },
	{ "a = b", 2, "this does not belong to the formula" },
	{ "#smt_on", 0, "a number, a name or a '(' is missing" },
	{ "A", 0, "'A' is no event of this group" },
	{ "inf", 0, "'inf' is no event of this group" },
};

static void check_good(void)
{
	struct formula_error error;
	struct formula formula;
	double value;
	size_t i;

	for (i = 0; i < sizeof(good) / sizeof(*good); i++) {
		if (!ok(formula_read(&formula, good[i].text, find, NULL, &error), good[i].text)) {
			printf("# %s\n", error.text);
			continue;
		}
		ok(formula_value(&formula, values, &value) && value == good[i].value,
		   "  it has its value");
		formula_free(&formula);
	}
}

static void check_without_value(void)
{
	struct formula_error error;
	struct formula formula;
	double value;
	size_t i;

	for (i = 0; i < sizeof(without_value) / sizeof(*without_value); i++) {
		ok(formula_read(&formula, without_value[i], find, NULL, &error), without_value[i]);
		ok(!formula_value(&formula, values, &value), "  it has no value");
		formula_free(&formula);
	}
}

static void check_bad(void)
{
	struct formula_error error;
	struct formula formula;
	size_t i;

	for (i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
		ok(!formula_read(&formula, bad[i].text, find, NULL, &error), bad[i].text);
		is(error.text, bad[i].error, "  what is wrong");
		is_number(error.position, bad[i].position, "  and where");
	}
}

static void put(char *to, const char *text)
{
	memcpy(to, text, strlen(text) + 1);
}

/* Neither brackets nor steps without an end. */
static void check_long(void)
{
	char text[4 * FORMULA_STEPS];
	struct formula_error error;
	struct formula formula;
	unsigned int i;

	memset(text, '(', 1000);
	put(text + 1000, "a");
	ok(!formula_read(&formula, text, find, NULL, &error), "1000 brackets");
	is(error.text, "too many brackets", "  are too many");
	memset(text, '-', 1000);
	ok(!formula_read(&formula, text, find, NULL, &error), "1000 signs");
	is(error.text, "too many brackets", "  are too many");
	for (i = 0; i < FORMULA_STEPS; i++)
		put(text + 2 * i, "1+");
	put(text + 2 * i, "1");
	ok(!formula_read(&formula, text, find, NULL, &error), "a sum of many numbers");
	is(error.text, "the formula is too long", "  is too long");
	put(text + FORMULA_STEPS, "1");
	ok(!formula_read(&formula, text, find, NULL, &error) || (formula_free(&formula), true),
	   "half of it is read");
	ok(formula_read(&formula, "a + b + a", find, NULL, &error), "names that are in it");
	is_number(formula.names, 3, "  by their places");
	formula_free(&formula);
}

int main(void)
{
	check_good();
	check_without_value();
	check_bad();
	check_long();
	return tap_end();
}
