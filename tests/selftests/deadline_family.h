/* SPDX-License-Identifier: GPL-2.0 */
/* A process that makes threads and children, for tests of deadlines of inherited sets. */
#ifndef PMUDEV_TEST_DEADLINE_FAMILY_H
#define PMUDEV_TEST_DEADLINE_FAMILY_H

#include "deadline.h"
#include "subject.h"

#define THREADS 4

/* Seen by all of them */
struct family_shared {
	struct subject t[THREADS];
	__u64 each; /* rounds of each child of family_many() */
	int made;   /* how many children that has made, and collected */
	int caught; /* who caught the last signal */
};

struct family {
	struct subject s; /* its first thread */
	bool ended;
	struct family_shared *shared;
	struct subject *t; /* its other threads */
	int nr_threads;
	int fd;	   /* the inherited set, or -1 */
	int alone; /* a set of the first thread alone, which began with it */
};

/* NULL; why it has to be skipped; or "": it failed. */
const char *family_start(struct family *family);
void family_end(struct family *family);

/* A set of user instructions, or of what counts as steadily. Return: the descriptor or -errno. */
int family_set(struct family *family, __u32 target, __u32 flags);
void family_close(struct family *family);

/* Start the other threads: 0 or -errno. */
int family_threads(struct family *family);

/* What the first thread has counted. */
__u64 family_alone(const struct family *family);

/* Have it make a child, which executes so many rounds and ends: its pid. */
long family_child(struct family *family, __u64 rounds);

/* The record's flags. */
__u32 family_record_flags(int fd);

/* End the first thread, and the process with it, early: 0, or as child_result(). */
int family_end_subject(struct family *family);

/* Orders. */
long family_loop(long rounds);
long family_grandchild(long rounds); /* its pid */
long family_orphan(long unused);     /* the pid of a child that sleeps */
long family_many(long nr);	     /* make children, four at a time, and collect them */
long family_catch(long sig);
long family_leave(long unused); /* the thread ends, others of its process go on */

/* The thread that has caught the last signal; 0 when it was asked for before. */
pid_t family_caught(const struct family *family);

#endif /* PMUDEV_TEST_DEADLINE_FAMILY_H */
