/* SPDX-License-Identifier: GPL-2.0 */
/* /sys/class/pmudev as a script reads it: files, lists, terms. */
#ifndef PMUDEV_TEST_SYSFS_H
#define PMUDEV_TEST_SYSFS_H

#include "common.h"

#define SYSFS_CLASS "/sys/class/pmudev"

/* The names in a folder, in order; those of the driver core aside. */
struct names {
	unsigned int nr;
	char name[128][32];
};

/* 0 or -errno; -E2BIG: more than there is room for. */
int sysfs_list(const char *pmu, const char *folder, struct names *names);
bool names_have(const struct names *names, const char *name);

/* A file's text: 0 or -errno. */
int sysfs_text(const char *pmu, const char *file, char *text, size_t size);

/* A file's one line without its end: 0 or -errno; -EPROTO: it is not one line. */
int sysfs_read(const char *pmu, const char *file, char *line, size_t size);

/* "0-5,32", and a mask: how a mask is written; what a list means, ~0 if it is none. */
const char *list_of(__u64 mask);
__u64 mask_of(const char *list);

/* The same for CPUs: 0 or -EPROTO. */
int cpus_of(const char *list, cpu_set_t *cpus);

/* A file of format/. */
struct term {
	char field[32];
	__u64 bits;
};

int sysfs_term(const char *pmu, const char *name, struct term *term);

/* Puts "TERM=VALUE,TERM" into an event as the terms say: 0, -errno, -ERANGE if it has no room. */
int sysfs_apply(const char *pmu, const char *terms, struct pmudev_event_attr *attr);

/* A file of events/ as a raw event. */
int sysfs_event(const char *pmu, const char *name, struct pmudev_event_attr *attr);

#define for_each_pmu(q) for (__u32 pmu_ = 0; !pm_query_pmu(pmu_, 0, q); pmu_++)

/* The CPUs of a PMU: 0 or -errno. */
int sysfs_cpus(const struct pmudev_query *q, cpu_set_t *cpus);

/* A set of the calling thread on a PMU, empty: a descriptor or -errno. */
int sysfs_set(const struct pmudev_query *q);

/* Is an event taken there? 0 or -errno, and `why`. */
int sysfs_try(const struct pmudev_query *q, struct pmudev_event_attr attr);

#endif /* PMUDEV_TEST_SYSFS_H */
