/* SPDX-License-Identifier: GPL-2.0 */
/* Attach to a cgroup and detach: start and stop following its threads on one CPU. */
#ifndef _PMUDEV_TASK_CGROUP_H
#define _PMUDEV_TASK_CGROUP_H

#include "../context/cgroup.h"

/*
 * Have a new context follow a cgroup on a CPU. @fd: of the cgroup's directory; @out: out: the
 * context. May sleep; pmudev_sched_switch_init() has found the tracepoint. Return: 0; -EBADF: no
 * cgroup; -ENODEV: the CPU is offline; -EBUSY: it has PMUDEV_COUNTERS such sets already; -ENOMEM;
 * -EOPNOTSUPP, -ENOENT: this kernel cannot.
 */
int pmudev_cgroup_attach(struct pmudev_cpu *cpuc, int fd, struct pmudev_cgroup **out);

/* The set's events are inactive, and nobody uses the context any more: free it. May sleep. */
void pmudev_cgroup_detach(struct pmudev_cgroup *cgroup);

/* At exit: no cgroup is followed. */
void pmudev_cgroup_exit(void);

#endif /* _PMUDEV_TASK_CGROUP_H */
