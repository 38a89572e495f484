// SPDX-License-Identifier: GPL-2.0
/*
 * The estimates of `pmudev bench`, next to what was measured: who has the hardware can check the
 * model.
 */
#include "../common/colour.h"
#include "../common/share.h"
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

static void show_measured(bool known, double number)
{
	if (known)
		printf(" %11.1f", number);
	else
		printf(" %11s", "-");
}

static void show_row(const struct bench *b, const struct bench_row *row, double ghz)
{
	const struct estimate estimate = model_estimate(&b->model, row->path, row->events);
	const struct cost *cost = &row->pmudev;
	char text[64];

	printf("%-24s %6u", row->name, row->events);
	show_measured(cost->measured, cost->ns);
	show_measured(cost->measured && cost->cycles >= 0, cost->cycles);
	printf(" %22s", estimate_text(&estimate, 1, 0, text, sizeof(text)));
	printf(" %18s\n", ghz > 0 ? estimate_text(&estimate, ghz, 1, text, sizeof(text)) : "-");
}

void bench_estimates(const struct bench *b, const struct bench_row *rows, unsigned int nr)
{
	const double ghz = bench_clock(b, rows, nr);
	const struct bench_row *row;

	if (b->no_model) {
		printf("\nNo estimate (model) for this CPU: %s.\n", b->no_model);
		return;
	}
	printf("\nEstimate (model, not measured) for %s: what the costly instructions alone take,\n"
	       "by latencies that others published. '>=': part of the path has none; '-': all.\n",
	       b->model.name);
	if (ghz > 0)
		printf("ns: at %.2f GHz, by the cycles of the first of these reads.\n", ghz);
	printf("\n%s%-24s %6s %11s %11s %22s %18s%s\n", colour(stdout, COLOUR_HEAD), "one of",
	       "events", "ns", "cycles", "estimate: cycles", "estimate: ns",
	       colour(stdout, COLOUR_END));
	for (row = rows; row < rows + nr; row++)
		if (row->path != MODEL_NO_PATH)
			show_row(b, row, ghz);
}
