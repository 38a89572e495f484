// SPDX-License-Identifier: GPL-2.0
/* The rows as text: a block for each interval. Text behind a '#' is a remark. */
#include <string.h>

#include "../common/cmd.h"
#include "top.h"

static void text_begin(const struct top *top)
{
	setvbuf(stdout, NULL, _IOLBF, 0);
	printf("# %s, every %g s, by %s%s%s\n", top->source->noun, (double)top->interval / 1e9,
	       top->columns.columns[top->columns.sort].name,
	       top->columns.reverse ? ", the smallest first" : "",
	       top->counting.user_only ? "; user mode only: no CAP_PERFMON" : "");
	if (*top->counting.note)
		printf("# %s\n", top->counting.note);
}

static void print_row(const struct top *top, const struct row *row)
{
	char text[ROW_REMARK];
	const char *remark = row_remark(row, text);
	unsigned int i;

	printf("%7d", row->id);
	for (i = 0; i < top->columns.nr; i++) {
		const struct column *column = &top->columns.columns[i];
		char number[COLUMN_TEXT];

		printf(" %*s", column_width(column), column_text(column, row->values[i], number));
	}
	if (*row->name)
		printf(" %s", row->name);
	printf("%s%s\n", remark ? "  # " : "", remark ? remark : "");
}

static void text_show(const struct top *top)
{
	char left_out[1024];
	unsigned int i;

	top_left_out(top, left_out, sizeof(left_out));
	printf("\n# %.3f s%s%s\n", (top->now - top->start) / 1e9, *left_out ? ": " : "", left_out);
	printf("#%6s", top->source == &source_cpus ? "CPU" : "PID");
	for (i = 0; i < top->columns.nr; i++)
		printf(" %*s", column_width(&top->columns.columns[i]),
		       top->columns.columns[i].name);
	printf("%s\n", top->source == &source_cpus ? "" : " COMMAND");
	for (i = 0; i < top->nr; i++)
		print_row(top, top->rows[i]);
}

const struct top_output output_text = {
	.begin = text_begin,
	.show = text_show,
};
