/* SPDX-License-Identifier: GPL-2.0 */
/* Events of perf's that pmudev does not count, for lists that the library refused. */
#ifndef PERF_EVENTS_H
#define PERF_EVENTS_H

struct pmudev_pmus;

/*
 * What to do instead of the first such event in the list; NULL if it has none. It follows what the
 * library said, which has names that are similar. @pmus: of the machine
 */
const char *perf_events_advice(const struct pmudev_pmus *pmus, const char *list);

#endif /* PERF_EVENTS_H */
