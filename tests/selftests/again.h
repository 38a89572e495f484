/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A test's own program, executed once more with a part to play: a loop of so many rounds, and the
 * end. Without randomized addresses it executes the same whenever the loop is the same.
 */
#ifndef PMUDEV_TEST_AGAIN_H
#define PMUDEV_TEST_AGAIN_H

#include "subject.h"

#define SELF "/proc/self/exe"

/* What the new program costs besides its loop, at most: it ends without a library. */
#define START_MAX 100000
/* By how much its start may differ from one time to the next: that of the C library does. */
#define START_VARIES 4

/*
 * Execute a program that calls play() first. With a descriptor it also checks that this is a set
 * that counts it, and nothing of what was before. Returns if there is no such program.
 */
void exec_again(const char *path, __u64 n, int fd);
/* Plays the part, if the arguments give one, and ends; else returns. */
void play(int argc, char **argv);

/* Orders to subjects: n rounds by a new program in their place, or in that of a child. */
long exec_loop(long n);
long fork_and_exec(long n);
long vfork_and_exec(long n);

#endif /* PMUDEV_TEST_AGAIN_H */
