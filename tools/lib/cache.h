/* SPDX-License-Identifier: MIT */
/*
 * perf's names of cache events, such as L1-dcache-loads: which event of the CPU each is, as the
 * kernel's perf driver has it.
 */
#ifndef CACHE_H
#define CACHE_H

#include "cache_codes.h"
#include "parser.h"

/* Adds the PMU's cache events to its events. False: no memory. */
HIDDEN bool pmudev_cache_add(struct pmu *pmu);

/* Is it one of these names, ignoring case? */
HIDDEN bool pmudev_is_cache_name(const char *at, size_t len);

/*
 * If it is such a name and none of these PMUs has the event, reports the reason and returns true.
 * False also if one of them has it in another spelling.
 */
HIDDEN bool pmudev_lacks_cache_event(struct parser *p, const char *where, size_t len, __u32 pmus);

#endif /* CACHE_H */
