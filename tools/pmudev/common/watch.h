/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Waiting while something is counted: for the command's end, a signal, the end of an interval, or a
 * moment. From opening to closing SIGINT, SIGQUIT and SIGTERM end no process but a wait.
 */
#ifndef WATCH_H
#define WATCH_H

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>

/* What has happened; several things may have. */
enum watch_event {
	WATCH_CHILD = 1,  /* the command has ended */
	WATCH_SIGNAL = 2, /* which one is in @signal */
	WATCH_TICK = 4,	  /* an interval has ended */
	WATCH_MOMENT = 8, /* the moment has come */
	WATCH_LOOK = 16,  /* see whether the target lives */
	WATCH_INPUT = 32, /* @input can be read */
};

/**
 * struct watch - what is waited for
 * @child: readable when the command has ended, -1: no command
 * @input: a descriptor to watch too, -1: none; the caller's
 * @signals: signalfd
 * @tick: timerfd
 * @moment: timerfd
 * @look: timerfd
 * @signal: the last signal
 * @watched: the signals that end a wait
 * @before: what was blocked before
 */
struct watch {
	int child;
	int input;
	int signals;
	int tick;
	int moment;
	int look;
	int signal;
	sigset_t watched;
	sigset_t before;
};

/* @child: as above, and stays the caller's. False if it cannot be had, which has been told. */
bool watch_open(struct watch *watch, int child);
void watch_close(struct watch *watch);

/* Another signal that ends a wait. */
void watch_also(struct watch *watch, int signal);

/* Times are CLOCK_MONOTONIC, ns. Every @interval from @start on: there is no drift. */
void watch_every(struct watch *watch, uint64_t start, uint64_t interval);
void watch_until(struct watch *watch, uint64_t moment);

/* From now on it is looked again and again. */
void watch_look(struct watch *watch);

/* Return: WATCH_*, at least one. */
unsigned int watch_wait(struct watch *watch);

/* CLOCK_MONOTONIC, ns */
uint64_t watch_now(void);

#endif /* WATCH_H */
