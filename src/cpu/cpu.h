/* SPDX-License-Identifier: GPL-2.0 */
/* Loading what belongs on a CPU when its counters are reserved, released, or lose power. */
#ifndef _PMUDEV_CPU_CPU_H
#define _PMUDEV_CPU_CPU_H

/* The counters of a CPU that is online were reserved: load its contexts to count. Waits for it. */
void pmudev_cpu_load_on(int cpu);

/* They could not be reserved: load its contexts, whose time is lost. Waits for it. */
void pmudev_cpu_load_lost_on(int cpu);

/*
 * They are about to be released: its own context is unloaded, and a thread that runs there is not
 * counted any more. Waits for it.
 */
void pmudev_cpu_unload_on(int cpu);

/* The CPU's PMU loses power, and has it again. On the CPU, irqs off. */
void pmudev_cpu_power_down(void);
void pmudev_cpu_power_up(void);

#endif /* _PMUDEV_CPU_CPU_H */
