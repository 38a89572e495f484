/* SPDX-License-Identifier: MIT */
/* Which descriptor is which event's. Without a lock unless it says otherwise. */
#ifndef TABLE_H
#define TABLE_H

#include "event.h"

/* Descriptors above that are perf's own. What is unused takes no memory. */
#define MOST_FDS 65536

extern struct event *_Atomic perf_table[MOST_FDS];

/* NULL: it is none of ours. Inline: every read(2) and close(2) of the program asks. */
static inline struct event *table_find(int fd)
{
	if ((unsigned int)fd >= MOST_FDS)
		return NULL;
	return atomic_load_explicit(&perf_table[fd], memory_order_acquire);
}

/* Behind the highest that was ever used */
int table_end(void);
/*
 * @fd, below MOST_FDS, is the event's from now on. Return: the one that had it before and was
 * closed where nobody saw it, or NULL: for table_drop_old().
 */
struct event *table_replace(int fd, struct event *event);
/* NULL is allowed. Locks its group: no other is locked. */
void table_drop_old(struct event *old);
/* Both */
void table_put(int fd, struct event *event);

/* It is about to be closed. */
#define TABLE_FORGET (-2)
/* It seems to have been closed: looked at again with the group locked. */
#define TABLE_LOST (-3)

/*
 * Closes one of ours: by close(2) or, with @from that is not negative, by dup3(2) onto it. Return:
 * as that. TABLE_FORGET, TABLE_LOST: it is only none of the event's any more, and 0. Locks the
 * group.
 */
int table_drop(int fd, struct event *event, int from, int flags);

/*
 * The program has closed @fd where this library does not see it; nothing, if it is the event's
 * after all. Nothing in a child of vfork(2), whose parent has it still. May be called by signal
 * handlers.
 */
void table_forget(int fd, struct event *event);

/* One more descriptor of the event, which @make makes of @fd. Return: as that. Locks the group. */
int table_copy(int fd, struct event *event, int (*make)(int fd, int a, int b), int a, int b);

#endif /* TABLE_H */
