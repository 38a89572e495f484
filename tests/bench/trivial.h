/* SPDX-License-Identifier: GPL-2.0 */
/*
 * tests/modules/trivial.c: what a path takes in a driver that does nothing on it. No driver with
 * the same system calls takes less.
 */
#ifndef PMUDEV_BENCH_TRIVIAL_H
#define PMUDEV_BENCH_TRIVIAL_H

/* Loads it. */
void trivial_begin(void);
void trivial_end(void);

/* A descriptor. */
int trivial_open(void);

/* pmudev's system calls, as time_calls(): */
double trivial_life(void);		 /* open, bind, add, enable, close */
double trivial_off_on(void);		 /* disable, enable */
double trivial_read(unsigned int bytes); /* read(2) */
/* The same after another CPU was asked */
double trivial_call(unsigned int cpu, unsigned int bytes);

#endif /* PMUDEV_BENCH_TRIVIAL_H */
