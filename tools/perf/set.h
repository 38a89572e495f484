/* SPDX-License-Identifier: MIT */
/* pmudev's own calls, which this library does not look at. 0 or -errno, and what was refused */
#ifndef SET_H
#define SET_H

#include "event.h"

int set_open(bool cloexec);
/* files.c: the number @fd, of a set, is the file of @to from now on. */
void fd_replace(int fd, int to);
/*
 * files.c: the same of perf's @to. @overflow: what fcntl(2) has set of the event, whose signals
 * carry this number; NULL: another number carries that to perf. All events of a group have one file
 * at pmudev, which knows only what was set last.
 */
void fd_give_to_perf(int fd, int to, const struct overflow *overflow);
/* Is it a set still? The program may have closed it where nobody saw it. */
bool fd_is_set(int fd);
int set_bind(int fd, const struct target *target, struct pmudev_refusal *why);
int set_add(int fd, const struct pmudev_event_attr *attr, uint32_t *slot,
	    struct pmudev_refusal *why);
/* Would they be on counters together? */
int set_place(int fd, const struct pmudev_event_attr *attrs, unsigned int nr,
	      struct pmudev_refusal *why);
int set_control(int fd, unsigned long request, uint32_t group, uint32_t slot, uint64_t value,
		struct pmudev_refusal *why);
/* Return: bytes or -errno. */
ssize_t set_read(int fd, struct pmudev_record *record, size_t size);
/* A signal to the counted thread at a count, 0: @period events from now, and after each @period */
struct telling {
	uint64_t next;
	uint64_t period;
	int signal;
	int id;
};

/* @how: NULL: none any more */
int set_signals(int fd, uint32_t slot, const struct telling *how, struct pmudev_refusal *why);
/* A page in perf's layout, or MAP_FAILED */
void *set_map(int fd, uint32_t slot, void *address, int flags);
/* The CPU 0's PMU: false: there is no pmudev. */
bool set_query(struct pmudev_query *query);

#endif /* SET_H */
