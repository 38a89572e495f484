/* SPDX-License-Identifier: GPL-2.0 */
/* What `pmudev info` says of a CPU family, as text. */
#ifndef IDENTITY_H
#define IDENTITY_H

#include <stddef.h>

#include <linux/pmudev.h>

/* "0-3, fixed 0-2", or "none" */
const char *counters_text(unsigned long long mask, char *buf, size_t len);

/* "counter 2", "fixed 0" */
const char *counter_text(unsigned int counter, char *buf, size_t len);

/* The mask of counters that sysfs has as a list by their numbers in the ABI, "0-3,32-34". */
unsigned long long counters_mask(const char *list);

/* "Intel, architectural perfmon version 4" */
void architecture_text(const struct pmudev_query *q, char *buf, size_t len);

/* "family 6, model 85, stepping 4 (CPUID 01H: 0x50654)" */
void model_text(const struct pmudev_query *q, char *buf, size_t len);

/* "0-3 (48 bits), fixed 0-2 (48 bits)" */
void widths_text(const struct pmudev_query *q, char *buf, size_t len);

#endif /* IDENTITY_H */
