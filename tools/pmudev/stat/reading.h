/* SPDX-License-Identifier: GPL-2.0 */
/* All counts of a moment, and what was counted between two. */
#ifndef READING_H
#define READING_H

#include "counters.h"

/**
 * struct reading - all counts of a moment
 * @records: of the sets
 * @software: of each source each software event
 * @time: ns since the beginning
 */
struct reading {
	union pmudev_record_buffer *records;
	uint64_t *software;
	uint64_t time;
};

/* Room for what is read. False: there is none, which has been told. */
bool reading_open(struct reading *reading, const struct counters *counters);
void reading_close(struct reading *reading);

/* Return: 0, or the exit status, and what is wrong has been told on stderr. */
int counters_read(struct counters *counters, struct reading *reading);

/* What was counted between the two. @before NULL: since the beginning */
void counters_between(const struct counters *counters, const struct reading *before,
		      const struct reading *after, struct counted *counted);

/* The same of all groups together. */
void counters_total(const struct counters *counters, const struct reading *reading,
		    struct pmudev_total *total);

#endif /* READING_H */
