/* SPDX-License-Identifier: GPL-2.0 */
/* How often CPUs were interrupted, as the kernel counts it */
#ifndef PMUDEV_TEST_INTERRUPTS_H
#define PMUDEV_TEST_INTERRUPTS_H

/*
 * The numbers of the line of /proc/interrupts with @text: of a CPU, the @cpu-th that is online, or
 * with -1 of all CPUs. -1: there is no such line.
 */
long interrupts_so_far(const char *text, int cpu);

#endif /* PMUDEV_TEST_INTERRUPTS_H */
