// SPDX-License-Identifier: GPL-2.0
/*
 * pmudev convert-metrics: what `perf list -j` tells of the user's own machine, as a file of
 * performance groups.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../common/cmd.h"
#include "../common/json.h"
#include "../common/json_read.h"
#include "../common/options.h"
#include "expression.h"

static const char help[] =
	"usage: pmudev convert-metrics [FILE]\n"
	"\n"
	"Reads what `perf list -j` prints, from FILE or stdin, and writes its metrics as performance\n"
	"groups, which `pmudev stat -M` takes. What pmudev cannot count is left out; stderr says why.\n"
	"\n"
	"  -o FILE      write there instead of stdout\n"
	"  -v           one line on stderr for each metric that is left out, not only the first\n"
	"\n"
	"  perf list -j | pmudev convert-metrics -o ~/.config/pmudev/groups/perf.txt\n";

/* As perf tells it. */
struct perf_metric {
	char *name;
	char *expression;
	char *unit;
	char *about;
	char *group;
};

struct perf_metrics {
	unsigned int nr;
	struct perf_metric *metrics;
};

/* --------------------------------------------------------------------------- JSON -- */

static char *copy(const char *text)
{
	char *memory = strdup(text);

	if (memory)
		return memory;
	complain("no memory left");
	exit(EXIT_USAGE);
}

/* Return: behind the member, NULL: it is none. */
static const char *read_member(const char *at, struct perf_metric *metric, char *text, size_t size)
{
	const struct {
		const char *key;
		char **to;
	} keys[] = {
		{ "MetricName", &metric->name },   { "MetricExpr", &metric->expression },
		{ "ScaleUnit", &metric->unit },	   { "BriefDescription", &metric->about },
		{ "MetricGroup", &metric->group },
	};
	const double *number;
	char key[64];
	double room;
	size_t i;

	at = json_read_string(at, key, sizeof(key));
	if (!at || *json_skip_blanks(at) != ':')
		return NULL;
	at = json_skip_blanks(json_skip_blanks(at) + 1);
	if (*at == '[')
		return json_skip_list(at);
	if (*at != '"')
		return json_read_plain(at, &number, &room);
	at = json_read_string(at, text, size);
	for (i = 0; at && i < ARRAY_SIZE(keys); i++)
		if (!strcmp(key, keys[i].key) && !*keys[i].to)
			*keys[i].to = copy(text);
	return at;
}

static void free_metric(struct perf_metric *metric)
{
	free(metric->name);
	free(metric->expression);
	free(metric->unit);
	free(metric->about);
	free(metric->group);
}

static void keep(struct perf_metrics *all, const struct perf_metric *metric)
{
	struct perf_metric *more = reallocarray(all->metrics, all->nr + 1, sizeof(*all->metrics));

	if (!more) {
		complain("no memory left");
		exit(EXIT_USAGE);
	}
	all->metrics = more;
	all->metrics[all->nr++] = *metric;
}

/* Events are objects, too, and have no expression. Return: as above. */
static const char *read_object(const char *at, struct perf_metrics *all, char *text, size_t size)
{
	struct perf_metric metric = { NULL };

	at = json_skip_blanks(at + 1);
	while (at && *at != '}') {
		at = read_member(at, &metric, text, size);
		if (!at)
			break;
		at = json_skip_blanks(at);
		if (*at == ',')
			at = json_skip_blanks(at + 1);
		else if (*at != '}')
			at = NULL;
	}
	if (at && metric.name && metric.expression)
		keep(all, &metric);
	else
		free_metric(&metric);
	return at ? at + 1 : NULL;
}

static bool read_all(const char *json, struct perf_metrics *all)
{
	const size_t size = strlen(json) + 1;
	char *text = copy(json);
	const char *at = json_skip_blanks(json);
	bool fine = *at == '[';

	at = fine ? json_skip_blanks(at + 1) : at;
	while (fine && *at != ']') {
		at = *at == '{' ? read_object(at, all, text, size) : NULL;
		fine = at;
		if (!fine)
			break;
		at = json_skip_blanks(at);
		if (*at == ',')
			at = json_skip_blanks(at + 1);
		else
			fine = *at == ']';
	}
	free(text);
	return fine;
}

/* ------------------------------------------------------------------------- writing -- */

static const char *find_expression(void *context, const char *name)
{
	const struct perf_metrics *all = context;
	unsigned int i;

	for (i = 0; i < all->nr; i++)
		if (!strcmp(all->metrics[i].name, name))
			return all->metrics[i].expression;
	return NULL;
}

/* The first of several, with '_' for what a name cannot have. */
static void write_name(FILE *out, const char *word, const char *name)
{
	const char *at;

	fprintf(out, "%s ", word);
	for (at = name; *at && *at != ';'; at++)
		fputc(formula_is_name(*at) || (*at == '-' && at > name && at[1]) ? *at : '_', out);
	fputc('\n', out);
}

static void write_line(FILE *out, const char *word, const char *text)
{
	const char *at;

	fprintf(out, "%s ", word);
	for (at = text; *at; at++)
		fputc((unsigned char)*at < ' ' ? ' ' : *at, out);
	fputc('\n', out);
}

/* "100%": the factor, and what stands behind it */
static void write_formula(FILE *out, const struct perf_metric *metric, const char *formula)
{
	const char *unit = metric->unit ? metric->unit : "";
	double factor;
	char *end;

	factor = strtod(unit, &end);
	if (end == unit)
		factor = 1;
	end += strspn(end, " ");
	if (*end)
		write_line(out, "unit", end);
	if (factor == 1)
		fprintf(out, "formula %s\n", formula);
	else
		fprintf(out, "formula %.9g * (%s)\n", factor, formula);
}

static void write_metric(FILE *out, const struct perf_metric *metric,
			 const struct expression *expression)
{
	const bool grouped = metric->group && *metric->group && *metric->group != ';';
	unsigned int i;

	fputc('\n', out);
	write_name(out, "group", grouped ? metric->group : metric->name);
	for (i = 0; i < expression->nr; i++)
		if (strcmp(expression->events[i].name, expression->events[i].event))
			fprintf(out, "event %s %s\n", expression->events[i].name,
				expression->events[i].event);
		else
			fprintf(out, "event %s\n", expression->events[i].event);
	write_name(out, "metric", metric->name);
	if (metric->about && *metric->about)
		write_line(out, "about", metric->about);
	write_formula(out, metric, expression->formula);
}

/* Return: how many were written. */
static unsigned int write_all(FILE *out, struct perf_metrics *all, bool verbose)
{
	struct expression expression;
	unsigned int i, written = 0, left = 0;
	char name[256];

	fprintf(out, "# Converted from `perf list -j` by `pmudev convert-metrics`\n");
	for (i = 0; i < all->nr; i++) {
		const struct perf_metric *metric = &all->metrics[i];

		if (expression_convert(&expression, metric->expression, find_expression, all)) {
			write_metric(out, metric, &expression);
			written++;
		} else if (!left++ || verbose) {
			snprintf(name, sizeof(name), "%s", metric->name);
			utf8_printable(name);
			utf8_printable(expression.why);
			complain("%s is left out: %s", name, expression.why);
		}
		expression_free(&expression);
	}
	complain("%u metrics converted, %u left out%s", written, left,
		 left > 1 && !verbose ? " (-v tells why)" : "");
	return written;
}

/* ------------------------------------------------------------------------ together -- */

/* All of a file, or NULL, which was told. */
static char *read_file(const char *path)
{
	FILE *in = path ? fopen(path, "re") : stdin;
	char *text = NULL;
	size_t size = 0;

	if (!in || (getdelim(&text, &size, '\0', in) < 0 && ferror(in))) {
		complain("cannot read %s: %s", path ? path : "stdin", strerror(errno));
		free(text);
		text = NULL;
	} else if (!text || !*json_skip_blanks(text)) {
		complain("there is nothing to convert; `perf list -j | pmudev convert-metrics`");
		free(text);
		text = NULL;
	}
	if (in && in != stdin)
		fclose(in);
	return text;
}

static int convert(const char *from, const char *to, bool verbose)
{
	struct perf_metrics all = { .nr = 0 };
	char *json = read_file(from);
	unsigned int i, written = 0;
	FILE *out = NULL;
	bool fine;

	if (!json)
		return 1;
	fine = read_all(json, &all);
	free(json);
	if (!fine) {
		complain("this is not what `perf list -j` prints");
	} else if (!all.nr) {
		complain("perf tells of no metrics for this machine");
	} else {
		out = to ? fopen(to, "we") : stdout;
		if (!out)
			complain("cannot write %s: %s", to, strerror(errno));
	}
	if (out)
		written = write_all(out, &all, verbose);
	if (out && to && fclose(out)) {
		complain("cannot write %s: %s", to, strerror(errno));
		written = 0;
	}
	for (i = 0; i < all.nr; i++)
		free_metric(&all.metrics[i]);
	free(all.metrics);
	return written ? 0 : 1;
}

int cmd_convert_metrics(int argc, char **argv)
{
	static const struct option options[] = { { "output", required_argument, NULL, 'o' },
						 { "verbose", no_argument, NULL, 'v' },
						 LONG_HELP,
						 {} };
	static const struct usage usage = { "convert-metrics", help, ":ho:v", options, NULL };
	const char *to = NULL;
	bool verbose = false;
	int c, status;

	while ((c = next_option(&usage, argc, argv, &status))) {
		if (c == 'o')
			to = optarg;
		else
			verbose = true;
	}
	if (status >= 0)
		return status;
	if (argc <= optind + 1)
		return convert(argv[optind], to, verbose);
	complain("convert-metrics takes one FILE, not '%s' too", argv[optind + 1]);
	return EXIT_USAGE;
}
