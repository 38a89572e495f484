/* SPDX-License-Identifier: MIT */
/* What the files of the event parser share. */
#ifndef PARSER_H
#define PARSER_H

#include "pmus.h"

#define EVENT_NAME 128

struct event {
	char name[EVENT_NAME];
	bool levels;
	bool modified; /* any modifier was said */
	__u32 pmus;
};

/* @attrs is what the module takes; @events goes with it. @own: PMUs that are freed with the list */
struct pmudev_events {
	struct pmudev_pmus *own;
	unsigned int nr;
	unsigned int groups;
	struct event events[PMUDEV_MAX_EVENTS];
	struct pmudev_event_attr attrs[PMUDEV_MAX_EVENTS];
};

/* @code: what the call returns when the list is wrong */
struct parser {
	const char *text;
	const char *at;
	const struct pmudev_pmus *pmus;
	struct pmudev_events *list;
	struct pmudev_events_error *error;
	int code;
};

/* Says what is wrong at @where; false, so that a check reads "return pmudev_wrong(...)". */
HIDDEN bool pmudev_wrong(struct parser *p, const char *where, const char *format, ...)
	__attribute__((__format__(printf, 3, 4)));

/* The same with what the call returns, which else is -EINVAL. */
HIDDEN bool pmudev_wrong_as(struct parser *p, int code, const char *where, const char *format, ...)
	__attribute__((__format__(printf, 4, 5)));

/* A word: up to the next character with a meaning of its own. */
HIDDEN size_t pmudev_word(const char *at);

/* How much of a word is shown where it is complained about. */
HIDDEN int pmudev_shown(size_t len);

/* Decimal, or hexadecimal with 0x: all of the word, up to @max. */
HIDDEN bool pmudev_number(const char *at, size_t len, __u64 max, __u64 *value);

#define MAX_SEEN 16

/**
 * struct what - an event that is being made of its parts
 * @attr: what was set up to now; raw, unless the event is a generic one
 * @pmus: mask of the PMUs that it is for; becomes smaller when an event is named that others lack
 * @name: what name= says, and else not touched
 * @len: its length
 * @by_pfm: it has libpfm4's name, in which colons stand
 * @nr: how many terms were set
 * @seen: their names; none is set twice
 */
struct what {
	struct pmudev_event_attr attr;
	__u32 pmus;
	const char *name;
	size_t len;
	bool by_pfm;
	unsigned int nr;
	const char *seen[MAX_SEEN];
};

/* All PMUs. */
HIDDEN __u32 pmudev_all_pmus(const struct parser *p);

/* Those of @pmus that have an event of this name. */
HIDDEN __u32 pmudev_pmus_with_event(const struct parser *p, __u32 pmus, const char *name,
				    size_t len);

/*
 * terms.c. The named event: makes @what one of those PMUs that have it, some of which there are.
 * It stands at @where.
 */
HIDDEN bool pmudev_use_event(struct parser *p, const char *where, size_t len, struct what *what);

/* What stands between two slashes, from behind the first to behind the last one. */
HIDDEN bool pmudev_parse_terms(struct parser *p, struct what *what);

/* counters.c: behind '@'. */
HIDDEN bool pmudev_parse_counter(struct parser *p, struct pmudev_event_attr *attr);

/*
 * similar.c: names of events of these PMUs like this one, as "a, b"; empty if none is. @top: and of
 * generic events and PMUs, which are no terms
 */
HIDDEN void pmudev_similar_events(const struct pmudev_pmus *pmus, __u32 some, bool top,
				  const char *name, size_t len, char *buf, size_t size);

#endif /* PARSER_H */
