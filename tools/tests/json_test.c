// SPDX-License-Identifier: MIT
/* What the command writes as JSON, byte for byte. */
#include <math.h>

#include "../pmudev/common/json.h"
#include "tap.h"

static char text[1024];
static struct json json;

static void start(void)
{
	memset(text, 0, sizeof(text));
	json = (struct json){ .out = fmemopen(text, sizeof(text), "w") };
}

static void expect(const char *wanted, const char *what)
{
	fclose(json.out);
	is(text, wanted, what);
}

static void test_nesting(void)
{
	start();
	json_open(&json, NULL, '{');
	json_string(&json, "a", "b");
	json_open(&json, "list", '[');
	json_unsigned(&json, NULL, UINT64_MAX);
	json_signed(&json, NULL, INT64_MIN);
	json_open(&json, NULL, '{');
	json_close(&json, '}');
	json_close(&json, ']');
	json_close(&json, '}');
	expect("{\"a\": \"b\", \"list\": [18446744073709551615, -9223372036854775808, {}]}",
	       "values in each other");
	start();
	json_open(&json, NULL, '[');
	json_close(&json, ']');
	json_line(&json);
	json_open(&json, NULL, '{');
	json_bool(&json, "yes", true);
	json_bool(&json, "no", false);
	json_null(&json, "nothing");
	json_string(&json, "nobody", NULL);
	json_close(&json, '}');
	json_line(&json);
	expect("[]\n{\"yes\": true, \"no\": false, \"nothing\": null, \"nobody\": null}\n",
	       "lines");
}

static void expect_string(const char *from, const char *wanted, const char *what)
{
	start();
	json_string(&json, NULL, from);
	expect(wanted, what);
}

static void test_strings(void)
{
	expect_string("", "\"\"", "an empty string");
	expect_string("a\"b\\c/d", "\"a\\\"b\\\\c/d\"", "quotes and backslashes");
	expect_string("\t\n\033\177", "\"\\u0009\\u000a\\u001b\\u007f\"", "control characters");
	expect_string("\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80",
		      "\"\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80\"",
		      "UTF-8 of two, three and four bytes");
	expect_string("\xc2\x9b\xc2\xa0", "\"\\u009b\xc2\xa0\"", "the second set of them");
	expect_string("x\xffy\x80", "\"x\\ufffdy\\ufffd\"", "bytes that begin no character");
	expect_string("\xe2\x82", "\"\\ufffd\\ufffd\"", "a character cut off");
	expect_string("\xc0\xaf", "\"\\ufffd\\ufffd\"", "one that is too long for what it says");
	expect_string("\xed\xa0\x80", "\"\\ufffd\\ufffd\\ufffd\"", "half of a surrogate pair");
	expect_string("\xf4\x90\x80\x80", "\"\\ufffd\\ufffd\\ufffd\\ufffd\"", "beyond Unicode");
}

static void expect_printable(const char *from, const char *wanted, const char *what)
{
	char name[64];

	snprintf(name, sizeof(name), "%s", from);
	utf8_printable(name);
	is(name, wanted, what);
}

static void test_printable(void)
{
	expect_printable("a b\xc3\xa9\xf0\x9f\x98\x80", "a b\xc3\xa9\xf0\x9f\x98\x80",
			 "what a terminal shows");
	expect_printable("\033]0;x\007\177\n", "?]0;x???", "what it obeys");
	expect_printable("\xc2\x9b[m\xc2\x80\xc2\xa0", "?[m?\xc2\xa0", "the second set of that");
	expect_printable("x\x9b\xe2\x82", "x???", "what is no character");
	expect_printable("", "", "nothing");
}

static void expect_double(double value, int decimals, const char *wanted, const char *what)
{
	start();
	json_double(&json, NULL, value, decimals);
	expect(wanted, what);
}

static void test_numbers(void)
{
	expect_double(1.5, 3, "1.500", "a number");
	expect_double(-0.25, 2, "-0.25", "a negative one");
	expect_double(2, 0, "2", "without decimals");
	expect_double(NAN, 1, "null", "no number");
	expect_double(INFINITY, 1, "null", "nor is infinity");
}

int main(void)
{
	test_nesting();
	test_strings();
	test_printable();
	test_numbers();
	return tap_end();
}
