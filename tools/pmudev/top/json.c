// SPDX-License-Identifier: GPL-2.0
/* The rows as JSON Lines: an object for each interval. */
#include "../common/json.h"
#include "top.h"

static void json_begin(const struct top *top)
{
	(void)top;
	setvbuf(stdout, NULL, _IOLBF, 0);
}

static void put_counts(struct json *json, const struct top *top, const struct row *row)
{
	const struct event_list *list = &top->counting.list;
	unsigned int i;

	json_open(json, "counts", '{');
	for (i = 0; i < list->nr; i++) {
		if (row_counted(row, i))
			json_unsigned(json, list->events[i].name, row->counts[i]);
		else
			json_null(json, list->events[i].name);
	}
	json_close(json, '}');
}

static void put_row(struct json *json, const struct top *top, const struct row *row)
{
	unsigned int i;

	json_open(json, NULL, '{');
	json_signed(json, top->source == &source_cpus ? "cpu" : "pid", row->id);
	if (*row->name)
		json_string(json, "name", row->name);
	json_unsigned(json, "elapsed-ns", row->elapsed);
	json_unsigned(json, "enabled-ns", row->enabled);
	json_unsigned(json, "running-ns", row->running);
	put_counts(json, top, row);
	json_open(json, "columns", '{');
	for (i = 0; i < top->columns.nr; i++)
		json_double(json, top->columns.columns[i].name, row->values[i], 6);
	json_close(json, '}');
	if (row->flags & PMUDEV_RECORD_ENDED)
		json_bool(json, "ended", true);
	if (row->flags & PMUDEV_RECORD_OFFLINE)
		json_bool(json, "offline", true);
	if (row->flags & PMUDEV_RECORD_INCOMPLETE)
		json_bool(json, "incomplete", true);
	json_close(json, '}');
}

static void put_left_out(struct json *json, const struct top *top)
{
	unsigned int i;

	json_open(json, "left-out", '[');
	for (i = 0; i < top->nr_left_out; i++) {
		json_open(json, NULL, '{');
		json_string(json, "why", top->left_out[i].why);
		json_unsigned(json, "processes", top->left_out[i].nr);
		json_close(json, '}');
	}
	json_close(json, ']');
}

static void json_show(const struct top *top)
{
	struct json json = { .out = stdout };
	unsigned int i;

	json_open(&json, NULL, '{');
	json_double(&json, "interval", (top->now - top->start) / 1e9, 9);
	json_bool(&json, "user-only", top->counting.user_only);
	json_open(&json, top->source->noun, '[');
	for (i = 0; i < top->nr; i++)
		put_row(&json, top, top->rows[i]);
	json_close(&json, ']');
	put_left_out(&json, top);
	if (*top->counting.note)
		json_string(&json, "note", top->counting.note);
	json_close(&json, '}');
	json_line(&json);
}

const struct top_output output_json = {
	.begin = json_begin,
	.show = json_show,
};
