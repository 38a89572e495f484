/* SPDX-License-Identifier: MIT */
/*
 * pmudev_events.h - events by their names, as perf spells them
 *
 *	struct pmudev_events_error error;
 *	struct pmudev_events *events;
 *
 *	if (pmudev_events_parse("{instructions,cycles}:u,branch-misses", NULL, &events, &error))
 *		... error.text is about the text at error.position ...
 *	pmudev_add(&set, pmudev_events_attrs(events), pmudev_events_nr(events), NULL);
 *	pmudev_events_free(events);
 *
 * A list of events is
 *
 *	list     = item { "," item }
 *	item     = event | "{" event { "," event } "}" [ ":" modifiers ]
 *	event    = what [ "@" counter ] [ ":" modifiers ]
 *	what     = name [ "/" terms "/" ] | "r" hex | pmu "/" terms "/" | "cpu/" terms "/"
 *	name     = word | [ table "::" ] word { ":" mask | ":" modifier [ "=" value ] }
 *	terms    = term [ "=" value ] { "," term [ "=" value ] }
 *	counter  = index [ "-" index ]
 *	index    = number | "fixed" [ " " ] number
 *
 * Names are looked up in this order, and the first match wins:
 *   - a generic event;
 *   - a file of a PMU's events/ in sysfs;
 *   - perf's name of a cache event (L1-dcache-load-misses), which means the event that the kernel's
 *     perf driver counts on this CPU;
 *   - a name of libpfm4 for this CPU, with its unit masks and modifiers:
 *     MEM_LOAD_RETIRED:L1_MISS:c=1. These names are case-insensitive; '.' and ':' are
 *     interchangeable. With a PMU of libpfm4 before "::" only that PMU's table is used.
 * An event that needs more than a code (a second register, a unit other than the CPU, sampling) is
 * refused with the reason.
 *
 * Terms are the files of format/, name=TEXT, and config=CODE for a whole code. After pmu/ and cpu/
 * a term can also be the name of an event. threshold_compare also takes words: ge (the default),
 * lt, eq, ne. Modifiers are any of u, k, h (count user mode, the kernel, the hypervisor, which
 * needs the kernel; default: all) and G, H (count guests only, the host only). After a slash the
 * ':' is optional.
 *
 * "fixed 0" is PMUDEV_FIXED_BASE in the ABI. In a range "fixed" need not be repeated.
 *
 * An event that names a PMU, or has a name that only some PMUs know, is counted on those PMUs. All
 * other events are counted on all PMUs. An event outside of braces is a group of its own.
 *
 * Functions return 0 or a negative errno unless they say otherwise. Several threads can use the
 * same loaded PMUs and the same parsed list. The library initializes libpfm4 at the first name it
 * looks up there, and calls it from one thread at a time. A program that calls libpfm4 itself must
 * not do so while another thread parses. libpfm4 obeys LIBPFM_FORCE_PMU and LIBPFM_ENCODE_INACTIVE
 * in the environment. Do not copy structures that the library returns by pointer: they may grow at
 * their ends in later versions.
 */
#ifndef PMUDEV_EVENTS_H
#define PMUDEV_EVENTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <linux/pmudev.h>

#ifdef __cplusplus
extern "C" {
#endif

/* --------------------------------------------------------- the PMUs of this machine -- */

/* Where the module describes them, readable by all users. */
#define PMUDEV_SYSFS "/sys/class/pmudev"

/* The number of bits in a mask of PMUs. */
#define PMUDEV_MAX_PMUS 32

/* All PMUs with their events and terms, in the order of their first CPUs. */
struct pmudev_pmus;

/**
 * struct pmudev_pmu_info - one PMU
 * @name: as in struct pmudev_query
 * @cpus: "0-3"
 * @arch: "arm64", "intel", "amd"
 * @counters: list of the counters that exist
 * @generic: mask of its generic events
 * @width: bits of a programmable counter
 * @knows_generic: @generic is valid
 * @available: list of the counters that sets can get now; empty if unknown
 */
struct pmudev_pmu_info {
	const char *name;
	const char *cpus;
	const char *arch;
	const char *counters;
	uint64_t generic;
	uint32_t width;
	bool knows_generic;
	const char *available;
};

/*
 * Reads the module's sysfs folder at @root (NULL: PMUDEV_SYSFS). If the module is not loaded the
 * result has no PMU; that is not an error. -ENOMEM: *@pmus is NULL.
 */
int pmudev_pmus_load(struct pmudev_pmus **pmus, const char *root);

/* NULL is allowed. */
void pmudev_pmus_free(struct pmudev_pmus *pmus);

unsigned int pmudev_pmus_nr(const struct pmudev_pmus *pmus);

/* NULL after the last PMU. */
const struct pmudev_pmu_info *pmudev_pmus_info(const struct pmudev_pmus *pmus, unsigned int pmu);

/* The index of the PMU with this name, or -1. */
int pmudev_pmus_find(const struct pmudev_pmus *pmus, const char *name);

/**
 * struct pmudev_event_info - a named event
 * @name: the name
 * @terms: "event=0xc0,umask=0x00": pmu/terms/ is the same event
 */
struct pmudev_event_info {
	const char *name;
	const char *terms;
};

/*
 * The PMU's own events in the order of their names, then perf's cache events; NULL after the last
 * one.
 */
const struct pmudev_event_info *pmudev_pmus_event(const struct pmudev_pmus *pmus, unsigned int pmu,
						  unsigned int event);

/**
 * struct pmudev_name_info - a name of libpfm4
 * @name: "MEM_LOAD_RETIRED", or with a unit mask "MEM_LOAD_RETIRED:L1_MISS"
 * @about: what it counts; NULL if unknown
 * @table: libpfm4's PMU: "skl"
 * @event: the event alone
 * @mask: the unit mask alone; NULL: the event without one
 * @same_as: another name of the same event; NULL if there is none
 * @is_default: the mask used if none is given
 *
 * @name is valid until the call returns, the other texts stay valid.
 */
struct pmudev_name_info {
	const char *name;
	const char *about;
	const char *table;
	const char *event;
	const char *mask;
	const char *same_as;
	bool is_default;
};

/* Return: 0 to continue. */
typedef int (*pmudev_name_fn)(const struct pmudev_name_info *info, void *arg);

/*
 * Calls @fn for each name that libpfm4 has for this PMU, an event before its unit masks. Returns
 * the last value that @fn returned. -ENOENT: libpfm4 does not know the CPU; -EOPNOTSUPP: the
 * library was built without libpfm4.
 */
int pmudev_names_each(const struct pmudev_pmus *pmus, unsigned int pmu, pmudev_name_fn fn,
		      void *arg);

/* The kind of a term's value. */
enum pmudev_term_kind {
	PMUDEV_TERM_NUMBER,
	PMUDEV_TERM_FLAG,     /* 0 or 1, optional */
	PMUDEV_TERM_COUNTERS, /* a mask of counters */
	PMUDEV_TERM_COMPARE,  /* a word, or enum pmudev_compare */
};

/**
 * struct pmudev_term_info - a term that can stand between slashes
 * @name: the name
 * @kind: enum pmudev_term_kind
 * @max: the highest value
 */
struct pmudev_term_info {
	const char *name;
	uint32_t kind;
	uint64_t max;
};

/* The PMU's terms in the order of their names; NULL after the last one. */
const struct pmudev_term_info *pmudev_pmus_term(const struct pmudev_pmus *pmus, unsigned int pmu,
						unsigned int term);

/* perf's name of an enum pmudev_generic; NULL if there is no such event. */
const char *pmudev_generic_name(unsigned int generic);

/* --------------------------------------------------------------------- lists of events -- */

struct pmudev_events;

/**
 * struct pmudev_events_error - the error in a list, and its position
 * @position: the offset in the text
 * @reserved: for later versions of the library
 * @text: a sentence in English
 */
struct pmudev_events_error {
	uint32_t position;
	uint32_t reserved[7];
	char text[608];
};

/*
 * Parses a list of events. @pmus must stay valid while the list is used; NULL: load those of this
 * machine. @error: filled in after a failure; may be NULL. -EINVAL: syntax error; -ENOENT: unknown
 * event; -EOPNOTSUPP: libpfm4 knows the event, but pmudev cannot count it; -ENOMEM. After a failure
 * *@events is NULL.
 */
int pmudev_events_parse(const char *text, const struct pmudev_pmus *pmus,
			struct pmudev_events **events, struct pmudev_events_error *error);

/* NULL is allowed. */
void pmudev_events_free(struct pmudev_events *events);

/* The number of events, and of their groups. */
unsigned int pmudev_events_nr(const struct pmudev_events *events);
unsigned int pmudev_events_groups(const struct pmudev_events *events);

/*
 * The events for pmudev_add(): pmudev_events_nr() of them. You may change them, for instance to add
 * PMUDEV_USER_READ to their flags.
 */
struct pmudev_event_attr *pmudev_events_attrs(struct pmudev_events *events);

/* The event as written or named, with its group's modifiers: "cycles:u". NULL after the last. */
const char *pmudev_events_name(const struct pmudev_events *events, unsigned int event);

/* The PMUs that it is for, as a mask by index; 0: all. */
uint32_t pmudev_events_pmus(const struct pmudev_events *events, unsigned int event);

/* Does it have one of the modifiers u, k, h? */
bool pmudev_events_levels(const struct pmudev_events *events, unsigned int event);

#ifdef __cplusplus
}
#endif

#endif /* PMUDEV_EVENTS_H */
