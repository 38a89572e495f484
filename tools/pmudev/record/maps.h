/* SPDX-License-Identifier: GPL-2.0 */
/* Which file's code lies at an address, by /proc/PID/maps of processes that live, die and exec. */
#ifndef MAPS_H
#define MAPS_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

struct maps;

/**
 * struct place - where an address lies
 * @file: its name, or in brackets what is no file; "": unknown. Valid until the next call
 * @offset: the byte of the file
 */
struct place {
	const char *file;
	uint64_t offset;
};

/*
 * @traced: a process that executes another program is told by maps_exec(). Otherwise that is found
 * by looking, and what it was before is unknown. NULL if there is no memory.
 */
struct maps *maps_new(bool traced);
void maps_free(struct maps *maps);

/* Each process's maps are read again when they are asked for next, once. */
void maps_round(struct maps *maps);

/* Reads a process's maps now. */
void maps_read(struct maps *maps, pid_t pid);

/* In this round, a process's maps are what they were: it has executed another program since. */
void maps_keep(struct maps *maps, pid_t pid);

/* It has ended. */
void maps_forget(struct maps *maps, pid_t pid);

/* It has executed another program: what was known of it is forgotten. */
void maps_exec(struct maps *maps, pid_t pid);

/* @tid: the thread of the process that was there */
void maps_find(struct maps *maps, pid_t pid, pid_t tid, uint64_t address, struct place *place);

#endif /* MAPS_H */
