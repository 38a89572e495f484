/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What is counted where nobody names events. What the CPU lacks is left out, which one line on
 * stderr says; only if nothing were left the module is asked for all, and refuses with its reason.
 */
#ifndef DEFAULTS_H
#define DEFAULTS_H

#include <stdbool.h>

#include <linux/pmudev.h>

struct pmudev_pmus;

/* Do all PMUs count the event? A generic event is counted on all, so no PMU may lack it. */
bool default_all_have(const struct pmudev_pmus *pmus, enum pmudev_generic event);

/* "instructions,cycles"; allocated */
char *default_events(const struct pmudev_pmus *pmus);

/* Of `pmudev verify-counters`: both twice, on counters chosen by hand; allocated */
char *default_double(const struct pmudev_query *query);

/* Does the CPU count the event? Else it is told. @query may be of an older module. */
bool default_has(const struct pmudev_query *query, enum pmudev_generic event);

#endif /* DEFAULTS_H */
