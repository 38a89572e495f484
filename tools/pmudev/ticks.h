/* SPDX-License-Identifier: GPL-2.0 */
/* Waiting for the next interval, or for Ctrl-C. */
#ifndef TICKS_H
#define TICKS_H

#include <stdbool.h>
#include <stdint.h>

#define NS_PER_SECOND 1000000000ULL

struct ticks {
	int timer;
	int signals;
};

/*
 * From now on SIGINT and SIGTERM end a wait and not the process. False if that cannot be had, which
 * has been told on stderr.
 */
bool ticks_open(struct ticks *ticks, uint64_t interval_ns);
void ticks_close(struct ticks *ticks);

/* Waits for the next interval's end. Return: how many have ended, 0: a signal came. */
uint64_t ticks_wait(struct ticks *ticks);

#endif /* TICKS_H */
