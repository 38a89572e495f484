/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Writes JSON (RFC 8259): values one after the other, and the commas are seen to.
 *
 *	struct json json = { .out = stdout };
 *
 *	json_open(&json, NULL, '{');
 *	json_string(&json, "event", "cycles");
 *	json_unsigned(&json, "count", 17);
 *	json_close(&json, '}');
 *	json_line(&json);
 *
 * @key: the member's name; NULL in a list and outside of everything.
 */
#ifndef JSON_H
#define JSON_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

/**
 * struct json - where it goes
 * @out: the stream
 * @more: the writer's: does a value stand before the next one?
 */
struct json {
	FILE *out;
	bool more;
};

/* @bracket: '{' or '[', and to close it '}' or ']' */
void json_open(struct json *json, const char *key, char bracket);
void json_close(struct json *json, char bracket);

/* What is not UTF-8 becomes U+FFFD. NULL is written as null. */
void json_string(struct json *json, const char *key, const char *text);
void json_unsigned(struct json *json, const char *key, uint64_t value);
void json_signed(struct json *json, const char *key, int64_t value);
void json_bool(struct json *json, const char *key, bool value);
void json_null(struct json *json, const char *key);

/* With so many decimals, and a point in every locale. null if it is not finite. */
void json_double(struct json *json, const char *key, double value, int decimals);

/* Ends the line: what follows is another text (JSON Lines). */
void json_line(struct json *json);

/*
 * How many bytes at @s are a character of UTF-8 (RFC 3629: the shortest form, no surrogates, up to
 * U+10FFFF); 0 if they are none.
 */
unsigned int utf8_length(const unsigned char *s);

/* Makes a '?' of each character that a terminal would obey and not show, or that is none. */
void utf8_printable(char *text);

#endif /* JSON_H */
