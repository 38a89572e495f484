/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What the benchmarks share: the machine made quiet, times that are instructions, and the lines
 * that tests/bench/judge reads:
 *
 *   row KEY N PMUDEV PERF	what a path costs with N events, both in the same boot
 *   curve KEY N PMUDEV PERF	what N of something cost, for several N
 *   costs KEY N WHOSE COUNT...	how often it executes what hardware pays for (costs.h)
 *
 * '-' is what is not offered. A line with a # only says how far it is.
 */
#ifndef PMUDEV_BENCH_H
#define PMUDEV_BENCH_H

#include "common.h"

/* Of a form that is not offered. */
#define REFUSED (-1e9)

void __attribute__((noreturn)) fail(const char *what, int error);

/* On CPU 0, with everything done that follows a boot. */
void settle(void);

/* perf's turn: the module is not loaded, and perf has no hooks in place. */
void begin_perf(void);
/* pmudev's: loaded afresh, and user reads are allowed. */
void begin_pmudev(void);

/* In a boot with costs they are comments: instructions are measured in another one. */
void row(const char *key, unsigned int n, double pmudev, double perf);
void curve(const char *key, unsigned int n, double pmudev, double perf);
void __attribute__((format(printf, 1, 2))) say(const char *format, ...);

/* Whether the curves go to where they take long (tests/bench/run --large). */
bool large(void);

/* Whether point @i of a curve of @nr is measured: with costs only the first and the last one. */
bool point_wanted(unsigned int i, unsigned int nr);

/* The median; they are sorted. */
double median(double *samples, unsigned int nr);

/*
 * Nanoseconds of fn(arg), in the emulator instructions, whoever executes them: the median of
 * samples of @calls each. What is put off to an interrupt or a thread is in it, if a sample is
 * longer than a tick. This and the next one keep the costs of a call, too (costs.h).
 */
double time_calls(void (*fn)(void *arg), void *arg, unsigned int calls);

/*
 * Of what may sleep: the caller's own time on the CPU. Neither is in it what he waits for, nor what
 * other threads do for him meanwhile.
 */
double own_time_calls(void (*fn)(void *arg), void *arg, unsigned int calls);
__u64 own_ns(void);

/* Of loading the module, which nobody uses: the median of several times, with its costs. */
double time_loading(void);

#endif /* PMUDEV_BENCH_H */
