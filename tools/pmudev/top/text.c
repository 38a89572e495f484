// SPDX-License-Identifier: GPL-2.0
/* The rows as text: a block for each interval. Text behind a '#' is a remark. */
#include <string.h>

#include "../common/cmd.h"
#include "../common/table.h"
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

static void add_row(const struct top *top, struct table *table, const struct row *row)
{
	char text[ROW_REMARK], last[sizeof(row->name) + ROW_REMARK + 4], id[16];
	const char *remark = row_remark(row, text);
	const char *cells[MAX_COLUMNS + 2];
	char numbers[MAX_COLUMNS][COLUMN_TEXT];
	unsigned int i;

	snprintf(id, sizeof(id), "%d", row->id);
	cells[0] = id;
	for (i = 0; i < top->columns.nr; i++)
		cells[i + 1] = column_text(&top->columns.columns[i], row->values[i], numbers[i]);
	snprintf(last, sizeof(last), "%s%s%s%s", row->name, *row->name && remark ? "  " : "",
		 remark ? "# " : "", remark ? remark : "");
	cells[i + 1] = last;
	table_row_of(table, cells);
}

static bool remarked(const struct top *top)
{
	char text[ROW_REMARK];
	unsigned int i;

	for (i = 0; i < top->nr; i++)
		if (row_remark(top->rows[i], text))
			return true;
	return false;
}

static void text_show(const struct top *top)
{
	const bool cpus = top->source == &source_cpus;
	struct table *table = table_new(stdout, "");
	char left_out[1024];
	unsigned int i;

	top_left_out(top, left_out, sizeof(left_out));
	printf("\n# %.3f s%s%s\n", (top->now - top->start) / 1e9, *left_out ? ": " : "", left_out);
	table_column(table, cpus ? "#   CPU" : "#   PID", TABLE_RIGHT, 0);
	for (i = 0; i < top->columns.nr; i++)
		table_column(table, top->columns.columns[i].name, TABLE_RIGHT,
			     column_width(&top->columns.columns[i]));
	if (!cpus || remarked(top))
		table_column(table, cpus ? "REMARK" : "COMMAND", 0, 0);
	for (i = 0; i < top->nr; i++)
		add_row(top, table, top->rows[i]);
	table_print(table);
}

const struct top_output output_text = {
	.begin = text_begin,
	.show = text_show,
};
