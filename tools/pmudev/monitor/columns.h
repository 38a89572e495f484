/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The table of `pmudev monitor`: a column for each event, and behind the second and any later
 * reading of the same event a column with its difference to the first. Numbers stand alone between
 * blanks; what is no number follows a '#'.
 */
#ifndef COLUMNS_H
#define COLUMNS_H

#include <stdint.h>
#include <stdio.h>

#include "../common/events.h"

/* The first reading of the event that @i is a reading of; often @i itself. */
unsigned int columns_first(const struct event_list *list, unsigned int i);

/* The names of the columns. The caller begins and ends the line. */
void columns_header(FILE *out, const struct event_list *list);

/* What was counted between two records, for people with commas between thousands. */
void columns_line(FILE *out, const struct event_list *list, const struct pmudev_record *before,
		  const struct pmudev_record *after, bool commas);

/*
 * What there is to say of such a line, with a '#' before it; nothing if the events were on counters
 * all the time. @missed: how many intervals went by unseen
 */
void columns_remark(FILE *out, const struct pmudev_record *before,
		    const struct pmudev_record *after, uint64_t missed);

/* Instructions per cycle between the two. False: they are not in the list, or no cycle passed. */
bool columns_per_cycle(const struct event_list *list, const struct pmudev_record *before,
		       const struct pmudev_record *after, double *ratio);

/* Is that worth a column: both are in the list, and no event is there twice? */
bool columns_have_per_cycle(const struct event_list *list);

#endif /* COLUMNS_H */
