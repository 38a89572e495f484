/* SPDX-License-Identifier: MIT */
/*
 * The PMUs as sysfs describes them: which events have a name, and which bits of an event's fields a
 * term such as umask=0x41 is. Nobody needs the device for it.
 */
#ifndef PMUS_H
#define PMUS_H

#include <pmudev_events.h>

#include "lib.h"

#define MAX_TERMS 32

/* The fields of struct pmudev_event_attr that terms set. */
enum term_field {
	TERM_CONFIG,
	TERM_FLAGS,
	TERM_ALLOWED,
	TERM_THRESHOLD,
	TERM_COMPARE,
};

/**
 * struct term - what may stand between slashes
 * @info: what is told of it
 * @name: as in format/
 * @field: the field
 * @nr: how many ranges of bits
 * @first: of each range the first bit
 * @last: and the last; the value's low bits go into the first range
 */
struct term {
	struct pmudev_term_info info;
	char name[32];
	enum term_field field;
	unsigned int nr;
	unsigned char first[4];
	unsigned char last[4];
};

/* @terms: "event=0xc0,umask=0x00" */
struct named_event {
	struct pmudev_event_info info;
	char name[64];
	char terms[96];
};

/**
 * struct pmu - one PMU
 * @info: what is told of it
 * @name: these and the following: see there
 * @cpu_id: as in struct pmudev_query; 0: not known
 * @terms: those of format/, in the order of their names
 * @events: those of events/, in the order of their names; behind them perf's names of cache events
 */
struct pmu {
	struct pmudev_pmu_info info;
	char name[32];
	char cpus[128];
	char arch[16];
	char counters[64];
	char available[64];
	uint64_t cpu_id;
	unsigned int nr_terms;
	struct term terms[MAX_TERMS];
	unsigned int nr_events;
	struct named_event *events;
};

struct pmudev_pmus {
	unsigned int nr;
	struct pmu *pmu;
};

/* The PMU with this name, or -1. */
HIDDEN int pmudev_find_pmu(const struct pmudev_pmus *pmus, const char *name, size_t len);

/* NULL if there is none of this name. */
HIDDEN const struct term *pmudev_find_term(const struct pmu *pmu, const char *name, size_t len);
HIDDEN const struct named_event *pmudev_find_event(const struct pmu *pmu, const char *name,
						   size_t len);

/* Do they set the same bits? */
HIDDEN bool pmudev_same_bits(const struct term *a, const struct term *b);

/* Sets the term's bits, which were 0. */
HIDDEN void pmudev_set_term(const struct term *term, struct pmudev_event_attr *attr, __u64 value);

#endif /* PMUS_H */
