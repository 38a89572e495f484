/* SPDX-License-Identifier: GPL-2.0 */
/* What the files of the event parser share. */
#ifndef PARSER_H
#define PARSER_H

#include "events.h"

struct parser {
	const char *text;
	const char *at;
	struct event_list *list;
	struct event_error *error;
};

/* Says what is wrong at @where; false, so that a check reads "return wrong(...)". */
bool wrong(struct parser *p, const char *where, const char *format, ...)
	__attribute__((__format__(printf, 3, 4)));

/* A word: up to the next character with a meaning of its own. */
size_t word(const char *at);

/*
 * fields.c: what stands between two slashes, and behind '@'. The parser is behind the first slash
 * (the '@') and is left behind the last one (the last digit).
 *
 * @arch: as in struct event
 * @name: set to what name= says, and @len to its length; else they stay
 */
bool parse_fields(struct parser *p, struct pmudev_event_attr *attr, __u32 *arch, const char **name,
		  size_t *len);
bool parse_counter(struct parser *p, struct pmudev_event_attr *attr);

#endif /* PARSER_H */
