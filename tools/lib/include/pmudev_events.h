/* SPDX-License-Identifier: MIT */
/*
 * pmudev_events.h - events by their names, as perf spells them
 *
 *	struct pmudev_events_error error;
 *	struct pmudev_events *events;
 *
 *	if (pmudev_events_parse("{instructions,cycles}:u,branch-misses", NULL, &events, &error))
 *		... error.text is about what stands at error.position ...
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
 * A name is a generic event's, or one from a PMU's events/ in sysfs, or perf's name of a cache
 * event (L1-dcache-load-misses), which is the one that the kernel's perf driver counts on this CPU,
 * or one that libpfm4 has for this CPU, with its unit masks and modifiers:
 * MEM_LOAD_RETIRED:L1_MISS:c=1, where case is the same to it and '.' is ':'. The first who knows it
 * says what it is; libpfm4's own PMU before "::" asks libpfm4 alone, and takes the table of that
 * one. What needs more than an event's code (a second register, another unit than the CPU,
 * sampling) is refused with the reason. Terms are those of format/ and name=TEXT. Behind pmu/ and
 * cpu/ a term may be the name of an event, too. threshold_compare also has words: ge, lt, eq, ne
 * (ge if nothing is said). Modifiers are any of u k h (count user mode, the kernel, the hypervisor,
 * which needs the kernel; all without one) and G H (count guests only, the host only); behind a
 * slash the ':' may be left out.
 *
 * "fixed 0" is PMUDEV_FIXED_BASE in the ABI; where a range begins with "fixed", its end need not.
 *
 * An event is counted on all PMUs, or if it names one, or has a name that only some know, on these.
 * An event outside of braces is a group of its own.
 *
 * Functions return 0 or a negative errno unless they say otherwise. What is only read may be used
 * by several threads at once: PMUs after they were loaded, a list after it was parsed. libpfm4 is
 * initialized by the first who asks it for a name, and called by one thread at a time; a program
 * that calls libpfm4 itself does so while no other thread parses. It obeys LIBPFM_FORCE_PMU and
 * LIBPFM_ENCODE_INACTIVE in the environment. Structures
 * that the library hands out by pointer may grow at their ends in later versions: they are not to
 * be copied.
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

/* Where the module shows them, to anybody. */
#define PMUDEV_SYSFS "/sys/class/pmudev"

/* A mask of PMUs has so many bits. */
#define PMUDEV_MAX_PMUS 32

/* All PMUs with their events and terms, in the order of their first CPUs. */
struct pmudev_pmus;

/**
 * struct pmudev_pmu_info - one PMU
 * @name: as in struct pmudev_query
 * @cpus: "0-3"
 * @arch: "arm64", "intel"
 * @counters: those that exist, as a list
 * @generic: mask of the generic events that it has
 * @width: bits of a programmable counter
 * @knows_generic: is @generic known?
 * @available: those of @counters that sets can get now; empty if that is not known
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
 * Reads what the module shows at @root (NULL: PMUDEV_SYSFS). No PMU if it is not loaded, which is
 * no error. -ENOMEM: *@pmus is NULL.
 */
int pmudev_pmus_load(struct pmudev_pmus **pmus, const char *root);

/* NULL is harmless. */
void pmudev_pmus_free(struct pmudev_pmus *pmus);

unsigned int pmudev_pmus_nr(const struct pmudev_pmus *pmus);

/* NULL behind the last one. */
const struct pmudev_pmu_info *pmudev_pmus_info(const struct pmudev_pmus *pmus, unsigned int pmu);

/* The place of the PMU with this name, or -1. */
int pmudev_pmus_find(const struct pmudev_pmus *pmus, const char *name);

/**
 * struct pmudev_event_info - an event that has a name
 * @name: the name
 * @terms: "event=0xc0,umask=0x00": pmu/terms/ is the same
 */
struct pmudev_event_info {
	const char *name;
	const char *terms;
};

/*
 * The PMU's own events, in the order of their names, then those with perf's names of cache events;
 * NULL behind the last one.
 */
const struct pmudev_event_info *pmudev_pmus_event(const struct pmudev_pmus *pmus, unsigned int pmu,
						  unsigned int event);

/**
 * struct pmudev_name_info - a name that libpfm4 has
 * @name: "MEM_LOAD_RETIRED", or with a unit mask "MEM_LOAD_RETIRED:L1_MISS"
 * @about: what it counts; NULL if nobody says
 * @table: libpfm4's PMU: "skl"
 * @event: the event alone
 * @mask: the unit mask alone; NULL: the event without one
 * @same_as: another name of the same; NULL if it has none
 * @is_default: the mask that is taken where none is given
 *
 * Texts stay, but @name only until the call returns.
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

/* Return: 0 to go on. */
typedef int (*pmudev_name_fn)(const struct pmudev_name_info *info, void *arg);

/*
 * Calls @fn for each name that libpfm4 has for this PMU, an event's before those with its masks.
 * Returns what @fn returned last. -ENOENT: libpfm4 does not know the CPU; -EOPNOTSUPP: the library
 * was built without it.
 */
int pmudev_names_each(const struct pmudev_pmus *pmus, unsigned int pmu, pmudev_name_fn fn,
		      void *arg);

/* What a term's value is. */
enum pmudev_term_kind {
	PMUDEV_TERM_NUMBER,
	PMUDEV_TERM_FLAG,     /* 0 or 1, which need not be said */
	PMUDEV_TERM_COUNTERS, /* a mask of counters */
	PMUDEV_TERM_COMPARE,  /* a word, or enum pmudev_compare */
};

/**
 * struct pmudev_term_info - what may stand between slashes
 * @name: the name
 * @kind: enum pmudev_term_kind
 * @max: the highest value
 */
struct pmudev_term_info {
	const char *name;
	uint32_t kind;
	uint64_t max;
};

/* The PMU's terms, in the order of their names; NULL behind the last one. */
const struct pmudev_term_info *pmudev_pmus_term(const struct pmudev_pmus *pmus, unsigned int pmu,
						unsigned int term);

/* perf's name of an enum pmudev_generic; NULL if there is no such event. */
const char *pmudev_generic_name(unsigned int generic);

/* --------------------------------------------------------------------- lists of events -- */

struct pmudev_events;

/**
 * struct pmudev_events_error - what is wrong with a list, and where
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
 * Parses a list of events. @pmus: stays as long as the list is used; NULL: those of this machine
 * are loaded for the list. @error: filled in after a failure; may be NULL. -EINVAL: the list makes
 * no sense; -ENOENT: nobody knows the event; -EOPNOTSUPP: libpfm4 knows it, and pmudev cannot count
 * it; -ENOMEM. *@events is NULL then.
 */
int pmudev_events_parse(const char *text, const struct pmudev_pmus *pmus,
			struct pmudev_events **events, struct pmudev_events_error *error);

/* NULL is harmless. */
void pmudev_events_free(struct pmudev_events *events);

/* How many events there are, and how many groups they are in. */
unsigned int pmudev_events_nr(const struct pmudev_events *events);
unsigned int pmudev_events_groups(const struct pmudev_events *events);

/*
 * What pmudev_add() takes: pmudev_events_nr() of them. They may be changed, for instance to have
 * PMUDEV_USER_READ in each one's flags.
 */
struct pmudev_event_attr *pmudev_events_attrs(struct pmudev_events *events);

/* As it was written or named, its group's modifiers included: "cycles:u". NULL behind the last. */
const char *pmudev_events_name(const struct pmudev_events *events, unsigned int event);

/* The PMUs that it is for, as a mask by their places; 0: all. */
uint32_t pmudev_events_pmus(const struct pmudev_events *events, unsigned int event);

/* Was u, k or h said? */
bool pmudev_events_levels(const struct pmudev_events *events, unsigned int event);

#ifdef __cplusplus
}
#endif

#endif /* PMUDEV_EVENTS_H */
