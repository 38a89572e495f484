/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The table of `pmudev monitor`: a line for each interval, a column for each event, and behind the
 * second and any later reading of the same event a column with its difference to the first. Numbers
 * stand alone between blanks; what is no number follows a '#'.
 */
#ifndef COLUMNS_H
#define COLUMNS_H

#include <stdint.h>
#include <stdio.h>

#include "events.h"

/* A line with the names. */
void columns_header(FILE *out, const struct event_list *list);

/* What was counted between two records, read at @seconds. The caller ends the line. */
void columns_line(FILE *out, const struct event_list *list, double seconds,
		  const struct pmudev_record *before, const struct pmudev_record *after);

/*
 * What there is to say of such a line, with a '#' before it; nothing if the events were on counters
 * all the time. @missed: how many intervals went by unseen
 */
void columns_remark(FILE *out, const struct pmudev_record *before,
		    const struct pmudev_record *after, uint64_t missed);

#endif /* COLUMNS_H */
