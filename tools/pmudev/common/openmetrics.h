/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Writes OpenMetrics 1.0 and Prometheus' older text format 0.0.4, in which a family of counters or
 * of information has another name. Gauges are alike in both.
 */
#ifndef OPENMETRICS_H
#define OPENMETRICS_H

#include <stdbool.h>
#include <stdio.h>

enum metric_type {
	METRIC_GAUGE,
	METRIC_COUNTER, /* its samples have names that end in _total */
	METRIC_INFO,	/* in _info, and are 1 */
};

/**
 * struct metric_family - samples of one name
 * @name: without what the type appends
 * @type: what they are
 * @unit: that the name ends in, NULL: none
 * @help: what they tell
 */
struct metric_family {
	const char *name;
	enum metric_type type;
	const char *unit;
	const char *help;
};

/* The lines before the samples. @text: of the older format */
void openmetrics_family(FILE *out, const struct metric_family *family, bool text);

/* The name of its samples. */
void openmetrics_name(FILE *out, const struct metric_family *family);

/* NAME="VALUE". What is not UTF-8 becomes U+FFFD. */
void openmetrics_label(FILE *out, const char *name, const char *value);

#endif /* OPENMETRICS_H */
