/* SPDX-License-Identifier: GPL-2.0 */
/* Names of raw events and of the fields of their config. The tables: pmuv3.h, intel.h, amd.h. */
#ifndef _PMUDEV_NAMES_H
#define _PMUDEV_NAMES_H

#include <pmudev/types.h>

/* A named field of a raw event's config */
struct pmudev_term {
	const char *name; /* lower case, as in sysfs; NULL ends a table */
	u64 bits;	  /* not necessarily adjacent; encode refuses those that a PMU lacks */
	bool select;	  /* selects the event: a named event is written with all such fields */
};

/* A named raw event */
struct pmudev_name {
	const char *name; /* lower case, as in sysfs */
	u64 config;	  /* see struct pmudev_event_attr */
};

/* Value of a field: its bits of @config, moved together; the lowest becomes bit 0. */
static inline u64 pmudev_term_value(u64 config, u64 bits)
{
	u64 value = 0;
	unsigned int i;

	for (i = 0; bits; bits &= bits - 1, i++)
		if (config >> __ffs64(bits) & 1)
			value |= BIT_ULL(i);
	return value;
}

#endif /* _PMUDEV_NAMES_H */
