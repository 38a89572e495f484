// SPDX-License-Identifier: GPL-2.0
/*
 * The estimates of `pmudev bench`, next to what was measured: who has the hardware can check the
 * model.
 */
#include "../common/cmd.h"
#include "../common/share.h"
#include "../common/table.h"
#include "bench.h"

void bench_find_model(struct bench *b, const struct pmudev_query *query)
{
	char path[PATH_MAX];
	unsigned int place;
	bool fine = false;
	FILE *in = NULL;

	for (place = 0; !in && share_place(place, "latencies.txt", path); place++)
		in = fopen(path, "re");
	b->no_model = "share/pmudev/latencies.txt is not where the command looks";
	if (in) {
		fine = model_load(&b->model, in, path, query->arch, query->cpu_id);
		fclose(in);
		b->no_model = fine ? "no published latency of it was found" :
				     "the file of latencies is wrong";
	}
	if (b->model.name[0])
		b->no_model = NULL;
}

/* Do its cycles tell the clock? Those in the kernel may not be counted. */
static bool tells_clock(const struct bench *b, const struct bench_row *row)
{
	const bool all =
		row->path == MODEL_USER_READ || (row->path == MODEL_READ_CALL && b->kernel);

	return all && row->pmudev.measured && row->pmudev.cycles > 0 && row->pmudev.ns > 0;
}

double bench_clock(const struct bench *b, const struct bench_row *rows, unsigned int nr)
{
	const struct bench_row *row;

	for (row = rows; row < rows + nr; row++)
		if (tells_clock(b, row))
			return row->pmudev.cycles / row->pmudev.ns;
	return 0;
}

static const char *measured_text(bool known, double number, char text[24])
{
	snprintf(text, 24, "%.1f", number);
	return known ? text : "-";
}

static void add_row(struct table *table, const struct bench *b, const struct bench_row *row,
		    double ghz)
{
	const struct estimate estimate = model_estimate(&b->model, row->path, row->events);
	const struct cost *cost = &row->pmudev;
	char events[16], ns[24], cycles[24], estimated_cycles[64], estimated_ns[64];

	snprintf(events, sizeof(events), "%u", row->events);
	estimate_text(&estimate, 1, 0, estimated_cycles, sizeof(estimated_cycles));
	snprintf(estimated_ns, sizeof(estimated_ns), "-");
	if (ghz > 0)
		estimate_text(&estimate, ghz, 1, estimated_ns, sizeof(estimated_ns));
	table_row(table, row->name, events, measured_text(cost->measured, cost->ns, ns),
		  measured_text(cost->measured && cost->cycles >= 0, cost->cycles, cycles),
		  estimated_cycles, estimated_ns);
}

void bench_estimates(const struct bench *b, const struct bench_row *rows, unsigned int nr)
{
	const double ghz = bench_clock(b, rows, nr);
	static const char *const titles[] = { "events", "ns", "cycles", "estimate: cycles",
					      "estimate: ns" };
	const struct bench_row *row;
	struct table *table;
	unsigned int i;

	if (b->no_model) {
		printf("\nNo estimate (model) for this CPU: %s.\n", b->no_model);
		return;
	}
	printf("\nEstimate (model, not measured) for %s: what the costly instructions alone take,\n"
	       "by latencies that others published. '>=': part of the path has none; '-': all.\n",
	       b->model.name);
	if (ghz > 0)
		printf("ns: at %.2f GHz, by the cycles of the first of these reads.\n", ghz);
	printf("\n");
	table = table_new(stdout, "");
	table_column(table, "one of", 0, 0);
	for (i = 0; i < ARRAY_SIZE(titles); i++)
		table_column(table, titles[i], TABLE_RIGHT, 0);
	for (row = rows; row < rows + nr; row++)
		if (row->path != MODEL_NO_PATH)
			add_row(table, b, row, ghz);
	table_print(table);
}
