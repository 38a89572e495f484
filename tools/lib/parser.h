/* SPDX-License-Identifier: MIT */
/* Shared by the files of the event parser. */
#ifndef PARSER_H
#define PARSER_H

#include "pmus.h"

#define EVENT_NAME 128

struct event {
	char name[EVENT_NAME];
	bool levels;
	bool modified; /* has any modifier */
	__u32 pmus;
};

/* @attrs: for the module, parallel to @events. @own: PMUs that are freed with the list */
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

/* Reports an error at @where. Returns false, for "return pmudev_wrong(...)". */
HIDDEN bool pmudev_wrong(struct parser *p, const char *where, const char *format, ...)
	__attribute__((__format__(printf, 3, 4)));

/* The same with an errno other than -EINVAL. */
HIDDEN bool pmudev_wrong_as(struct parser *p, int code, const char *where, const char *format, ...)
	__attribute__((__format__(printf, 4, 5)));

/* A word: up to the next special character. */
HIDDEN size_t pmudev_word(const char *at);

/* The most characters of a word to show in an error. */
HIDDEN int pmudev_shown(size_t len);

/* Parses the whole word as decimal, or hexadecimal with 0x; at most @max. */
HIDDEN bool pmudev_number(const char *at, size_t len, __u64 max, __u64 *value);

#define MAX_GIVEN 16

/**
 * struct what - an event under construction
 * @attr: what is set so far; raw unless the event is generic
 * @pmus: mask of its PMUs; shrinks when a named event is missing on some
 * @name: the value of name=, otherwise untouched
 * @len: its length
 * @by_pfm: it has a name of libpfm4, which contains colons
 * @nr: number of terms that were set
 * @given: their names; none is set twice
 */
struct what {
	struct pmudev_event_attr attr;
	__u32 pmus;
	const char *name;
	size_t len;
	bool by_pfm;
	unsigned int nr;
	const char *given[MAX_GIVEN];
};

/* All PMUs. */
HIDDEN __u32 pmudev_all_pmus(const struct parser *p);

/* The PMUs of @pmus that have an event with this name. */
HIDDEN __u32 pmudev_pmus_with_event(const struct parser *p, __u32 pmus, const char *name,
				    size_t len);

/*
 * terms.c. Makes @what the named event at @where, on the PMUs that have it; at least one does.
 */
HIDDEN bool pmudev_use_event(struct parser *p, const char *where, size_t len, struct what *what);

/* Parses the text between two slashes, from after the first to after the second. */
HIDDEN bool pmudev_parse_terms(struct parser *p, struct what *what);

/* counters.c: after '@'. */
HIDDEN bool pmudev_parse_counter(struct parser *p, struct pmudev_event_attr *attr);

/*
 * similar.c: similar names of these PMUs' events, as "a, b"; may be empty. @top: include generic
 * events and PMUs, which are not terms
 */
HIDDEN void pmudev_similar_events(const struct pmudev_pmus *pmus, __u32 some, bool top,
				  const char *name, size_t len, char *buf, size_t size);

#endif /* PARSER_H */
