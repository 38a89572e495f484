/* SPDX-License-Identifier: MIT */
/*
 * The PMUs as described in sysfs: the named events, and the bits of an event's fields that a term
 * such as umask=0x41 sets. This does not need the device.
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
 * struct term - a term between slashes
 * @info: its public description
 * @name: as in format/
 * @field: the field
 * @nr: number of bit ranges
 * @first: the first bit of each range
 * @last: the last bit of each range; the value's low bits go into the first range
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
 * @info: its public description
 * @name: this and the following: see struct pmudev_pmu_info
 * @cpu_id: as in struct pmudev_query; 0: unknown
 * @terms: from format/, in the order of their names
 * @events: from events/, in the order of their names, then perf's cache events
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
