/* SPDX-License-Identifier: GPL-2.0 */
/* Waiting for the next interval, or for a signal that ends. */
#ifndef TICKS_H
#define TICKS_H

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>

#define NS_PER_SECOND 1000000000ULL

/**
 * struct ticks - what is waited for
 * @timer: timerfd
 * @interval: in ns
 * @signals: signalfd of those in @watched
 * @watched: what ends a wait
 * @signal: the last that did
 */
struct ticks {
	int timer;
	uint64_t interval;
	int signals;
	sigset_t watched;
	int signal;
};

/*
 * From now on SIGINT, SIGQUIT and SIGTERM end a wait and not the process. False if that cannot be
 * had, which has been told on stderr.
 */
bool ticks_open(struct ticks *ticks, uint64_t interval_ns);
void ticks_close(struct ticks *ticks);

/* The first interval begins. False as above. */
bool ticks_begin(struct ticks *ticks);

/* Another signal that ends a wait. */
bool ticks_also(struct ticks *ticks, int signal);

/* Waits for the next interval's end. Return: how many have ended, 0: a signal came. */
uint64_t ticks_wait(struct ticks *ticks);

#endif /* TICKS_H */
