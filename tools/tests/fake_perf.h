/* SPDX-License-Identifier: MIT */
/*
 * In place of the kernel's perf_event_open(2): files that count nothing, have identifiers, and can
 * be mapped unless fake_perf_error says why not; attr.__reserved_2 is refused (EINVAL). For
 * ../perf, whose real functions they replace.
 */
#ifndef FAKE_PERF_H
#define FAKE_PERF_H

#include <stdint.h>

/* An errno for mmap(2) of such a file; 0: it can be mapped. */
extern int fake_perf_error;

void fake_perf_begin(void);
/* The identifier of the event of that descriptor; 0: it is none. */
uint64_t fake_perf_id(int fd);
/* That of its leader, or its own. */
uint64_t fake_perf_leader(int fd);

#endif /* FAKE_PERF_H */
