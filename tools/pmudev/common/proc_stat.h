/* SPDX-License-Identifier: GPL-2.0 */
/* Numbers of /proc/PID/stat. */
#ifndef PROC_STAT_H
#define PROC_STAT_H

#include <stdbool.h>
#include <sys/types.h>

/* Its fields, as proc(5) numbers them */
enum proc_field {
	PROC_PARENT = 4,
	PROC_START = 22, /* in the kernel's ticks since boot */
	PROC_LAST_CPU = 39,
};

/* False: there is no such process, or not that many fields. */
bool proc_stat(pid_t pid, enum proc_field field, unsigned long long *value);

#endif /* PROC_STAT_H */
