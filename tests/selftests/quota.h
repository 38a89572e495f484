/* SPDX-License-Identifier: GPL-2.0 */
/* How many sets a user has, and can have: asked and used up by processes that have become him. */
#ifndef PMUDEV_TEST_QUOTA_H
#define PMUDEV_TEST_QUOTA_H

#include <stdbool.h>

#define LIMIT "/proc/sys/dev/pmudev/max_sets_per_user"
/* The limit in the tests. */
#define MOST 12

int set_limit(long limit);

/* A set that is bound to the calling thread, or -errno. */
int bound(void);
/* That was the limit, which is @most? */
bool refused(int ret, long most);
/* Exactly so many more, of @most? All are closed again. */
bool has_room_of(int room, long most);

/*
 * Orders for subjects (subject.h). To become a user; to hold some sets more: how many there was
 * room for, or -errno; to close some: how many are left.
 */
long become_user(long uid);
long hold(long n);
long let_go(long n);

/* As this user there is room for so many, and no more: 0, or the line that failed. */
int room_of(unsigned int uid, int room);

#endif /* PMUDEV_TEST_QUOTA_H */
