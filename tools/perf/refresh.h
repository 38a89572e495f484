/* SPDX-License-Identifier: MIT */
/* Overflows that this library hears of before the program does, and rings of samples. */
#ifndef REFRESH_H
#define REFRESH_H

#include "event.h"

/* The signal by which it hears of them; -1: all are used. */
int refresh_signal(void);

/* What a deadline with that signal carries */
int refresh_id(const struct event *event, int fd);

/* Could overflows of it be told to the calling thread, which has no signals blocked for it? */
bool refresh_may_begin(const struct event *event);

/*
 * From now on they are. @limit: after so many more it is off; 0: never. The group is locked, as
 * for all that follows. 0 or -errno
 */
int refresh_begin(struct event *event, int fd, unsigned int limit);

/* Its next overflow: those that only the program was told of are over. 0 or -errno */
int refresh_due(struct event *event, int fd);

/* signals.c: its deadline: told to this library, to the program, or nobody. 0 or -errno */
int signals_arm(struct event *event, int fd);

/*
 * ring.c: could this library write a ring of it, of a size that perf maps, if the counted thread
 * is told of each overflow?
 */
bool ring_can_be_written(const struct event *event, int prot);
/* Is it? */
bool ring_is_told(const struct event *event);
/* MAP_FAILED: there is no memory. */
void *ring_make(struct event *event, void *address, size_t size, int flags);
/* It is written no more. */
void ring_forget(struct event *event);
/* One more sample: @ip: the instruction that was next */
void ring_put(struct event *event, uint64_t ip);
/* One of perf's event @fd for the event's, elsewhere. NULL: it has none; MAP_FAILED and errno. */
void *ring_map_perfs(const struct event *event, int fd);
/* That ring comes to the place of the event's, unless it is NULL. */
void ring_give_to_perf(struct event *event, void *perfs);

#endif /* REFRESH_H */
