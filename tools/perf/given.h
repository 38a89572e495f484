/* SPDX-License-Identifier: MIT */
/* Events that are perf's by now, and whose identifiers stay those that the program was told. */
#ifndef GIVEN_H
#define GIVEN_H

#include "event.h"

/* Until a group that is handed over is perf's. */
void given_wait(struct group *group);
/* Is the file still that event? */
bool given_is_there(const struct event *event, int fd);
/* The locked group's events are perf's @fds from now on. 0 or -errno */
int given_take_ids(const struct group *group, const int *fds);
/* As perf_read() */
ssize_t given_read(struct event *event, int fd, void *buf, size_t size);
/* perf has opened @fd: if its leader is one of those, it is a member. */
void given_follow(int leader_fd, int fd, const struct perf_event_attr *attr);

#endif /* GIVEN_H */
