// SPDX-License-Identifier: GPL-2.0
#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../common/cmd.h"
#include "expression.h"

/* Metrics within metrics. */
#define DEEPEST 16

struct converting {
	struct expression *expression;
	expression_find find;
	void *context;
	FILE *out;
	unsigned int depth;
	bool word; /* was the last thing one, or a number? */
};

static bool refuse(struct converting *c, const char *format, ...)
	__attribute__((__format__(printf, 2, 3)));

static bool refuse(struct converting *c, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	vsnprintf(c->expression->why, sizeof(c->expression->why), format, args);
	va_end(args);
	return false;
}

/* ------------------------------------------------------------------------- events -- */

static bool is_one_of(const char *name, const char *const *words)
{
	for (; *words; words++)
		if (!strcmp(name, *words))
			return true;
	return false;
}

static const char *const formula_words[] = { "if", "else", "min", "max", "d_ratio", NULL };

/* Can it be a name in a formula? */
static bool is_formula_name(const char *name)
{
	const char *at;

	if (!isalpha((unsigned char)*name) && *name != '_')
		return false;
	for (at = name; *at; at++)
		if (!formula_is_name(*at) && (*at != '-' || !at[1]))
			return false;
	return !is_one_of(name, formula_words);
}

static bool add_event(struct converting *c, const char *event)
{
	struct expression *e = c->expression;
	unsigned int i;

	for (i = 0; i < e->nr; i++)
		if (!strcmp(e->events[i].event, event))
			break;
	if (i == FORMULA_NAMES)
		return refuse(c, "it has more than %d events", FORMULA_NAMES);
	if (i == e->nr) {
		snprintf(e->events[i].event, sizeof(e->events[i].event), "%s", event);
		if (is_formula_name(event) && strlen(event) < sizeof(e->events[i].name))
			snprintf(e->events[i].name, sizeof(e->events[i].name), "%.127s", event);
		else
			snprintf(e->events[i].name, sizeof(e->events[i].name), "e%u", i + 1);
		e->nr++;
	}
	fputs(e->events[i].name, c->out);
	return true;
}

/* -------------------------------------------------------------------------- words -- */

static bool convert(struct converting *c, const char *text);

/* Part of a word: names of events, and with '@' for '/' events with terms. */
static bool is_word(char c)
{
	return isalnum((unsigned char)c) || (c && strchr("_.:@?", c));
}

/* A backslash makes '-', ',' and '=' part of a word. Return: behind it. */
static const char *read_word(const char *at, char *word, size_t len)
{
	size_t used = 0;
	char c;

	while (is_word(*at) || (*at == '\\' && at[1])) {
		at += *at == '\\';
		c = *at++;
		if (used + 1 < len)
			word[used++] = c == '@' ? '/' : c;
	}
	word[used] = '\0';
	return at;
}

/* What perf knows besides events. */
static bool is_perfs(struct converting *c, const char *word, const char *behind)
{
	static const char *const times[] = { "user_time", "system_time", NULL };

	behind += strspn(behind, " \t");
	if (*behind == '(')
		return !refuse(c, "perf's function %s()", word);
	if (is_one_of(word, times))
		return !refuse(c, "perf's event %s", word);
	return false;
}

/* Two of them are an error, and stay two. @word: what follows is one */
static void begin_word(struct converting *c, bool word)
{
	if (c->word && word)
		fputc(' ', c->out);
	c->word = word;
}

static bool convert_word(struct converting *c, const char *word, const char *behind)
{
	const char *inner = c->find(c->context, word);
	bool fine;

	begin_word(c, !is_one_of(word, formula_words));
	if (!c->word) {
		fprintf(c->out, word[1] == 'f' || *word == 'e' ? " %s " : "%s", word);
		return true;
	}
	if (inner) {
		if (++c->depth > DEEPEST)
			return refuse(c, "metrics within metrics, too many: %s", word);
		fputc('(', c->out);
		begin_word(c, false);
		fine = convert(c, inner);
		fputc(')', c->out);
		c->depth--;
		return fine;
	}
	if (is_perfs(c, word, behind))
		return false;
	/* There it is in seconds. */
	if (!strcmp(word, "duration_time")) {
		fputc('(', c->out);
		fine = add_event(c, word);
		fputs(" / 1e9)", c->out);
		return fine;
	}
	return add_event(c, word);
}

/* ------------------------------------------------------------------------ together -- */

static bool convert_char(struct converting *c, const char *at)
{
	begin_word(c, false);
	if (strchr("*/%+-<>,", *at))
		fprintf(c->out, *at == ',' ? "%c " : " %c ", *at);
	else if (strchr("()", *at))
		fputc(*at, c->out);
	else
		return refuse(c, "perf's %.*s", *at == '#' ? (int)strcspn(at, " ()+-*/<>,") : 1,
			      at);
	return true;
}

/* A number, with a sign in its exponent only; a name can begin with digits, too. */
static size_t number_length(const char *at)
{
	char *end;

	if (!isdigit((unsigned char)*at))
		return 0;
	strtod(at, &end);
	return is_word(*end) || *end == '\\' ? 0 : end - at;
}

static bool convert(struct converting *c, const char *text)
{
	char word[256];
	size_t len;

	while (*text) {
		len = number_length(text);
		if (isspace((unsigned char)*text)) {
			text++;
		} else if (len) {
			begin_word(c, true);
			fprintf(c->out, "%.*s", (int)len, text);
			text += len;
		} else if (is_word(*text) || *text == '\\') {
			text = read_word(text, word, sizeof(word));
			if (!convert_word(c, word, text))
				return false;
		} else if (!convert_char(c, text++)) {
			return false;
		}
	}
	return true;
}

static int find_event(void *context, const char *name, size_t len)
{
	const struct expression *e = context;
	unsigned int i;

	for (i = 0; i < e->nr; i++)
		if (strlen(e->events[i].name) == len && !strncmp(e->events[i].name, name, len))
			return i;
	return -1;
}

bool expression_convert(struct expression *expression, const char *text, expression_find find,
			void *context)
{
	struct converting c = { .expression = expression, .find = find, .context = context };
	struct formula_error error;
	struct formula formula;
	size_t size;
	bool fine;

	*expression = (struct expression){ .nr = 0 };
	c.out = open_memstream(&expression->formula, &size);
	if (!c.out)
		return refuse(&c, "no memory left");
	fine = convert(&c, text);
	fclose(c.out);
	if (!fine)
		return false;
	if (!expression->nr)
		return refuse(&c, "it has no events");
	if (!formula_read(&formula, expression->formula, find_event, expression, &error))
		return refuse(&c, "%s", error.text);
	formula_free(&formula);
	return true;
}

void expression_free(struct expression *expression)
{
	free(expression->formula);
	expression->formula = NULL;
}
