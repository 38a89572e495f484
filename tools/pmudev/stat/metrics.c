// SPDX-License-Identifier: GPL-2.0
#include <stdio.h>

#include "stat.h"

bool stat_metric(const struct measurement *m, const struct counted *counted, unsigned int part,
		 unsigned int n, struct metric_row *row)
{
	const struct metrics *metrics = &m->metrics;
	const struct metric *metric;
	double values[FORMULA_NAMES] = { 0 };
	struct row event;
	unsigned int i;

	if (n >= metrics->nr)
		return false;
	metric = metrics->chosen[n];
	*row = (struct metric_row){
		.metric = metric,
		.group = &counted->parts[part].group,
		.kind = counted->kind,
	};
	for (i = 0; i < FORMULA_NAMES; i++) {
		if (!(metric->formula.names >> i & 1))
			continue;
		stat_row(m, counted, part, metrics->rows[n][i], &event);
		if (event.why) {
			snprintf(row->why, sizeof(row->why), "%.40s: %s", event.event,
				 event.why_text);
			return true;
		}
		values[i] = event.value;
		row->estimate |= event.estimate;
	}
	if (!formula_value(&metric->formula, values, &row->value))
		snprintf(row->why, sizeof(row->why), "its divisor is 0");
	return true;
}
