// SPDX-License-Identifier: GPL-2.0
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "json.h"

unsigned int utf8_length(const unsigned char *s)
{
	static const unsigned int least[] = { 0, 0, 0x80, 0x800, 0x10000 };
	unsigned int len, i, code;

	if (*s < 0x80)
		return 1;
	if (*s < 0xc0 || *s >= 0xf8)
		return 0;
	len = *s < 0xe0 ? 2 : *s < 0xf0 ? 3 : 4;
	code = *s & (0x7f >> len);
	for (i = 1; i < len; i++) {
		if ((s[i] & 0xc0) != 0x80)
			return 0;
		code = code << 6 | (s[i] & 0x3f);
	}
	if (code < least[len] || (code >= 0xd800 && code < 0xe000) || code > 0x10ffff)
		return 0;
	return len;
}

/* ECMA-48's second set of control characters, U+0080 to U+009F: is it one? */
static bool is_c1(const unsigned char *s)
{
	return s[0] == 0xc2 && s[1] < 0xa0;
}

void utf8_printable(char *text)
{
	unsigned char *s = (unsigned char *)text, *to = s;
	unsigned int len;

	for (; *s; s += len ? len : 1) {
		len = utf8_length(s);
		if (!len || *s < 0x20 || *s == 0x7f || is_c1(s)) {
			*to++ = '?';
			continue;
		}
		memmove(to, s, len);
		to += len;
	}
	*to = '\0';
}

static void write_text(FILE *out, const char *text)
{
	const unsigned char *s = (const unsigned char *)text;
	unsigned int len;

	fputc('"', out);
	for (; *s; s += len ? len : 1) {
		len = utf8_length(s);
		if (!len)
			fputs("\\ufffd", out);
		else if (*s < 0x20 || *s == 0x7f)
			fprintf(out, "\\u%04x", *s);
		else if (is_c1(s))
			fprintf(out, "\\u%04x", s[1]);
		else if (*s == '"' || *s == '\\')
			fprintf(out, "\\%c", *s);
		else
			fwrite(s, 1, len, out);
	}
	fputc('"', out);
}

/* The text before a value. */
static void begin(struct json *json, const char *key)
{
	if (json->more)
		fputs(", ", json->out);
	json->more = true;
	if (!key)
		return;
	write_text(json->out, key);
	fputs(": ", json->out);
}

void json_open(struct json *json, const char *key, char bracket)
{
	begin(json, key);
	fputc(bracket, json->out);
	json->more = false;
}

void json_close(struct json *json, char bracket)
{
	fputc(bracket, json->out);
	json->more = true;
}

void json_string(struct json *json, const char *key, const char *text)
{
	if (!text) {
		json_null(json, key);
		return;
	}
	begin(json, key);
	write_text(json->out, text);
}

void json_unsigned(struct json *json, const char *key, uint64_t value)
{
	begin(json, key);
	fprintf(json->out, "%" PRIu64, value);
}

void json_signed(struct json *json, const char *key, int64_t value)
{
	begin(json, key);
	fprintf(json->out, "%" PRId64, value);
}

void json_bool(struct json *json, const char *key, bool value)
{
	begin(json, key);
	fputs(value ? "true" : "false", json->out);
}

void json_null(struct json *json, const char *key)
{
	begin(json, key);
	fputs("null", json->out);
}

void json_double(struct json *json, const char *key, double value, int decimals)
{
	char text[400], *comma;

	if (!isfinite(value)) {
		json_null(json, key);
		return;
	}
	snprintf(text, sizeof(text), "%.*f", decimals, value);
	comma = strchr(text, ',');
	if (comma)
		*comma = '.';
	begin(json, key);
	fputs(text, json->out);
}

void json_line(struct json *json)
{
	fputc('\n', json->out);
	json->more = false;
}
