/* SPDX-License-Identifier: MIT */
/* What a program asks perf for, before anybody asks what it means. */
#ifndef ATTR_H
#define ATTR_H

#include <linux/perf_event.h>
#include <stdbool.h>

/* @attr, of any size: what the caller knows of it. False: perf says what is wrong with it. */
bool attr_take(struct perf_event_attr *attr, const struct perf_event_attr *from);

/* False: perf must say whether it is valid: it is reserved, unknown here, or has its own rules. */
bool attr_is_plain(const struct perf_event_attr *attr);

#endif /* ATTR_H */
