/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Signals that are to end `pmudev stat` and come between two runs: before a run is watched, or
 * during --pre, --post or sync(2). What was counted is reported all the same.
 */
#ifndef TOLD_H
#define TOLD_H

#include <stdbool.h>

/* From now on such a signal is kept, unless it was ignored. */
void told_listen(void);

/* Was there one? */
bool told_to_end(void);

/* Ends the process by it. */
void told_end(void);

#endif /* TOLD_H */
