/* SPDX-License-Identifier: GPL-2.0 */
/* What `pmudev info` says of a CPU family, as text. */
#ifndef IDENTITY_H
#define IDENTITY_H

#include <stddef.h>

#include <linux/pmudev.h>

/* "0-3 7" for a mask of counters, "none" for none. */
const char *counters_text(unsigned long long mask, char *buf, size_t len);

/* "Intel, architectural perfmon version 4" */
void architecture_text(const struct pmudev_query *q, char *buf, size_t len);

/* "family 6, model 85, stepping 4 (CPUID 01H: 0x50654)" */
void model_text(const struct pmudev_query *q, char *buf, size_t len);

/* "0-3 (48 bits), fixed 32-34 (48 bits)" */
void widths_text(const struct pmudev_query *q, char *buf, size_t len);

#endif /* IDENTITY_H */
