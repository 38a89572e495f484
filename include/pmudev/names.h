/* SPDX-License-Identifier: GPL-2.0 */
/* Names of raw events and of the fields of their config. The tables are in pmuv3.h and intel.h. */
#ifndef _PMUDEV_NAMES_H
#define _PMUDEV_NAMES_H

#include <pmudev/types.h>

/**
 * struct pmudev_term - a named field of a raw event's config
 * @name: lower case, as in sysfs; NULL ends a table
 * @bits: the field's bits of config, not necessarily adjacent. Some may not exist on a PMU: encode
 *	then refuses them.
 * @select: the field selects the event. A named event is written with all such fields.
 */
struct pmudev_term {
	const char *name;
	u64 bits;
	bool select;
};

/**
 * struct pmudev_name - a named raw event
 * @name: lower case, as in sysfs
 * @config: see struct pmudev_event_attr
 */
struct pmudev_name {
	const char *name;
	u64 config;
};

/**
 * pmudev_term_value - value of a field
 * @config: config of a raw event
 * @bits: the field's bits, see struct pmudev_term
 *
 * Return: the bits, moved together; the lowest becomes bit 0.
 */
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
