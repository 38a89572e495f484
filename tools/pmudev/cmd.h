/* SPDX-License-Identifier: GPL-2.0 */
/* The subcommands, and what they share. */
#ifndef CMD_H
#define CMD_H

#include <stdio.h>

#include <pmudev.h>

#define ARRAY_SIZE(a)	(sizeof(a) / sizeof((a)[0]))

/* Exit statuses of our own; others are those of the command that was run. */
#define EXIT_USAGE	2
#define EXIT_NOT_RUN	126
#define EXIT_NOT_FOUND	127

/* argv[0] is the subcommand. Return: the exit status. */
int cmd_info(int argc, char **argv);
int cmd_stat(int argc, char **argv);

/* "pmudev: ..." on stderr, with a line end. */
void complain(const char *format, ...) __attribute__((__format__(printf, 1, 2)));

/* "pmudev: WHAT: why the set's last call failed: what to do" on stderr. */
void complain_refusal(struct pmudev *set, const char *what);

/* "0-3 7" for a mask of counters, "none" for none. */
const char *counters_text(unsigned long long mask, char *buf, size_t len);

#endif /* CMD_H */
