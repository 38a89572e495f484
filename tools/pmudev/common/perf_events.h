/* SPDX-License-Identifier: GPL-2.0 */
/* Events of perf's that pmudev does not count, for lists that the library refused. */
#ifndef PERF_EVENTS_H
#define PERF_EVENTS_H

/* What to do instead of the first such event in the list; NULL if it has none. */
const char *perf_events_advice(const char *list);

#endif /* PERF_EVENTS_H */
