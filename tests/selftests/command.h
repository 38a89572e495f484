/* SPDX-License-Identifier: GPL-2.0 */
/* Tests of the `pmudev` command: running it, and finding numbers in what it prints. */
#ifndef PMUDEV_TEST_COMMAND_H
#define PMUDEV_TEST_COMMAND_H

#include <stdbool.h>
#include <linux/types.h>

/* What a command printed, stderr too, and its exit status (128 + signal). */
struct output {
	int status;
	char text[16384];
};

/*
 * Runs a line of the shell to its end. Addresses are not randomized there, so that a program
 * executes the same instructions each time.
 */
void run(struct output *output, const char *format, ...) __attribute__((__format__(printf, 2, 3)));

/* The same in two steps, with something to do between them. */
struct running {
	void *pipe;
};

struct running start(const char *format, ...) __attribute__((__format__(printf, 1, 2)));
void finish(struct running running, struct output *output);

/* Is there the command? */
bool have_command(void);

/*
 * A line of the report of `pmudev stat`: "1,234  NAME ... (12.34%)". False if there is no such line
 * or no number in it; @percent may be NULL, and is 100 where none is told.
 */
bool stat_value(const struct output *output, const char *name, __u64 *value, double *percent);

/* The same for the nth line with that name, from 0 on. */
bool stat_nth_value(const struct output *output, const char *name, unsigned int n, __u64 *value,
		    double *percent);

/* How often this is in it. */
unsigned int times_in(const struct output *output, const char *text);

#endif /* PMUDEV_TEST_COMMAND_H */
