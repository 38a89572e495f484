/* SPDX-License-Identifier: GPL-2.0 */
/* Events that some CPUs miscount by the word of a manual or of who measured it. */
#ifndef ERRATA_H
#define ERRATA_H

#include <linux/pmudev.h>

/* Of no event in particular: told by `pmudev info` and doctor alone */
#define ERRATUM_OF_ALL (~0ULL)

/**
 * struct erratum - an event that CPUs of some models miscount
 * @models: of AMD's, the first and the last: 256 * family + model
 * @event: as in a raw event's config, its number alone; whatever its unit mask; or ERRATUM_OF_ALL
 * @generic: the generic event that is counted by it, or PMUDEV_GENERIC_MAX
 * @name: of the event, in the manual
 * @text: what is wrong
 * @source: who says so
 */
struct erratum {
	unsigned int models[2];
	__u64 event;
	enum pmudev_generic generic;
	const char *name;
	const char *text;
	const char *source;
};

/* The next one after @last (NULL: the first) of CPUs of this architecture and id, or NULL. */
const struct erratum *errata_next(unsigned int arch, __u64 cpu_id, const struct erratum *last);

/* Is it about this event? */
int erratum_is_of(const struct erratum *erratum, const struct pmudev_event_attr *attr);

#endif /* ERRATA_H */
