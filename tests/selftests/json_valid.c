// SPDX-License-Identifier: GPL-2.0
#include "json_valid.h"

#include <ctype.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

static const char *value(const char *at);

static const char *blanks(const char *at)
{
	return at ? at + strspn(at, " \t\r\n") : NULL;
}

/* Behind what stands there, or NULL: something else does. */
static const char *word(const char *at, const char *wanted)
{
	size_t len = strlen(wanted);

	return at && !strncmp(at, wanted, len) ? at + len : NULL;
}

/* What follows a backslash. */
static const char *escaped(const char *at)
{
	int i;

	if (*at != 'u')
		return *at && strchr("\"\\/bfnrt", *at) ? at + 1 : NULL;
	for (i = 1; i <= 4; i++)
		if (!isxdigit((unsigned char)at[i]))
			return NULL;
	return at + 5;
}

static const char *string(const char *at)
{
	at = word(at, "\"");
	while (at && *at != '"') {
		if ((unsigned char)*at < 0x20)
			return NULL;
		at = *at == '\\' ? escaped(at + 1) : at + 1;
	}
	return word(at, "\"");
}

static const char *digits(const char *at)
{
	return at && isdigit((unsigned char)*at) ? at + strspn(at, "0123456789") : NULL;
}

static const char *number(const char *at)
{
	at += *at == '-';
	at = *at == '0' ? at + 1 : digits(at);
	if (at && *at == '.')
		at = digits(at + 1);
	if (at && (*at == 'e' || *at == 'E')) {
		at++;
		at = digits(at + (*at == '+' || *at == '-'));
	}
	return at;
}

/* "a": 1, ... or 1, ..., up to the bracket. */
static const char *members(const char *at, bool named, const char *end)
{
	const char *empty = word(blanks(at), end);

	if (empty)
		return empty;
	for (;;) {
		if (named)
			at = word(blanks(string(blanks(at))), ":");
		at = blanks(value(at));
		if (!at || *at != ',')
			return word(at, end);
		at++;
	}
}

static const char *value(const char *at)
{
	at = blanks(at);
	if (!at)
		return NULL;
	switch (*at) {
	case '{':
		return members(at + 1, true, "}");
	case '[':
		return members(at + 1, false, "]");
	case '"':
		return string(at);
	case 't':
		return word(at, "true");
	case 'f':
		return word(at, "false");
	case 'n':
		return word(at, "null");
	default:
		return number(at);
	}
}

bool json_valid(const char *text)
{
	const char *end = blanks(value(text));

	return end && !*end;
}

bool json_lines_valid(const char *text)
{
	static char line[16384];
	const char *end;

	if (!*text)
		return false;
	for (; *text; text = end + 1) {
		end = strchr(text, '\n');
		if (!end || (size_t)(end - text) >= sizeof(line))
			return false;
		snprintf(line, sizeof(line), "%.*s", (int)(end - text), text);
		if (!json_valid(line))
			return false;
	}
	return true;
}
