// SPDX-License-Identifier: GPL-2.0
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cmd.h"
#include "json_read.h"

const char *json_skip_blanks(const char *at)
{
	return at + strspn(at, " \t\r\n");
}

/* The bytes of a character; of what is not in ASCII, UTF-8. */
static size_t put_code(char *to, unsigned int code)
{
	if (code < 0x80) {
		to[0] = code;
		return 1;
	}
	if (code < 0x800) {
		to[0] = 0xc0 | code >> 6;
		to[1] = 0x80 | (code & 0x3f);
		return 2;
	}
	to[0] = 0xe0 | code >> 12;
	to[1] = 0x80 | (code >> 6 & 0x3f);
	to[2] = 0x80 | (code & 0x3f);
	return 3;
}

const char *json_read_string(const char *at, char *to, size_t len)
{
	static const char from_letter[] = "\"\"\\\\//b\bf\fn\nr\rt\t";
	const char *letter;
	unsigned int code;
	size_t used = 0;
	char piece[4];
	size_t n;

	if (*at++ != '"')
		return NULL;
	for (; *at != '"'; at++) {
		if ((unsigned char)*at < 0x20)
			return NULL;
		piece[0] = *at;
		n = 1;
		if (*at == '\\') {
			at++;
			letter = *at && *at != 'u' ? strchr(from_letter, *at) : NULL;
			if (letter)
				piece[0] = letter[1];
			else if (*at == 'u' && strspn(at + 1, "0123456789abcdefABCDEF") >= 4 &&
				 sscanf(at + 1, "%4x", &code) == 1)
				n = put_code(piece, code);
			else
				return NULL;
			at += *at == 'u' ? 4 : 0;
		}
		if (used + n < len) {
			memcpy(to + used, piece, n);
			used += n;
		}
	}
	to[used] = '\0';
	return at + 1;
}

const char *json_read_plain(const char *at, const double **number, double *room)
{
	static const char *const words[] = { "true", "false", "null" };
	unsigned int i;
	char *end;

	*number = NULL;
	for (i = 0; i < ARRAY_SIZE(words); i++)
		if (!strncmp(at, words[i], strlen(words[i])))
			return at + strlen(words[i]);
	/* strtod() knows more than JSON does. */
	if (!strspn(at, "-0123456789") || strspn(at, "-0123456789.eE+") < 1)
		return NULL;
	*room = strtod(at, &end);
	*number = room;
	return end == at || (size_t)(end - at) > strspn(at, "-0123456789.eE+") ? NULL : end;
}

const char *json_skip_list(const char *at)
{
	const double *number;
	char text[8];
	double room;

	at = json_skip_blanks(at + 1);
	while (at && *at != ']') {
		at = *at == '"' ? json_read_string(at, text, sizeof(text)) :
				  json_read_plain(at, &number, &room);
		if (!at)
			return NULL;
		at = json_skip_blanks(at);
		if (*at == ',')
			at = json_skip_blanks(at + 1);
		else if (*at != ']')
			return NULL;
	}
	return at + 1;
}
