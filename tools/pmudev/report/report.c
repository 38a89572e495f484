// SPDX-License-Identifier: GPL-2.0
/*
 * pmudev report: what `pmudev record` wrote, counted by function.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "../common/cmd.h"
#include "../common/number.h"
#include "../common/options.h"
#include "samples_file.h"
#include "tally.h"

#define DEFAULT_INPUT "pmudev.csv"
#define DEFAULT_ROWS  30

static const char help[] =
	"usage: pmudev report [options] [FILE]\n"
	"\n"
	"Counts the samples in FILE, a table of `pmudev record` (default: pmudev.csv; - is stdin).\n"
	"\n"
	"  --by WHAT   symbol: by function (the default); file: by program and library; line: by\n"
	"              line of the source, for what was compiled with -g; thread\n"
	"  -n N        show N rows (default 30; 0: all)\n"
	"  -j, --json  one object\n"
	"\n"
	"C++ names: `pmudev report | c++filt`. Call graphs: `perf record -g`.\n";

/* What is asked for */
struct options {
	enum tally_by by;
	uint64_t rows;
	bool json;
	const char *input;
};

static const char *const by_names[] = { "symbol", "file", "line", "thread" };

enum {
	OPTION_BY = 256,
};

static const struct option long_options[] = {
	{ "by", required_argument, NULL, OPTION_BY },
	{ "rows", required_argument, NULL, 'n' },
	LONG_JSON,
	LONG_HELP,
	{},
};

static const struct usage usage = { "report", help, ":n:jh", long_options, report_perf_options };

/* ---------------------------------------------------------------------- options -- */

static bool get_by(const char *text, enum tally_by *by)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(by_names); i++) {
		if (strcmp(text, by_names[i]))
			continue;
		*by = i;
		return true;
	}
	complain("--by takes symbol, file, line or thread");
	return false;
}

/* False after a reported error. */
static bool take_option(int c, struct options *options)
{
	switch (c) {
	case OPTION_BY:
		return get_by(optarg, &options->by);
	case 'n':
		return parse_count(optarg, "a number of rows", 0, UINT32_MAX, &options->rows);
	default:
		options->json = true;
		return true;
	}
}

/* Return: -1 to go on, else the exit status. */
static int parse_options(int argc, char **argv, struct options *options)
{
	int c, status;

	while ((c = next_option(&usage, argc, argv, &status)))
		if (!take_option(c, options))
			return EXIT_USAGE;
	if (status >= 0)
		return status;
	if (argc - optind > 1) {
		complain("there is more than one file; `pmudev report --help` tells more");
		return EXIT_USAGE;
	}
	if (optind < argc)
		options->input = argv[optind];
	return -1;
}

/* ------------------------------------------------------------------------ output -- */

static void print_text(const struct tally *tally, const struct options *options)
{
	char buf[2][32];
	uint64_t i;

	if (tally->event)
		utf8_printable(tally->event);
	printf("%s samples of %s, one for each %s", thousands(tally->samples, buf[0]),
	       tally->event ? tally->event : "nothing", thousands(tally->period, buf[1]));
	if (tally->dropped)
		printf("; %s more were dropped", thousands(tally->dropped, buf[0]));
	printf("\n");
	if (!tally->ended)
		printf("The recording has no end: it was cut off, or is still being written.\n");
	if (tally->total)
		printf("They stand for %.2f%% of the %s that were counted.\n",
		       100.0 * tally->samples * tally->period / tally->total,
		       thousands(tally->total, buf[0]));
	if (tally->nr)
		printf("\n  share     samples  %s\n", by_names[options->by]);
	for (i = 0; i < tally->nr && (!options->rows || i < options->rows); i++) {
		utf8_printable(tally->rows[i]->name);
		printf("%6.2f%%  %10s  %s\n", 100.0 * tally->rows[i]->samples / tally->samples,
		       thousands(tally->rows[i]->samples, buf[0]), tally->rows[i]->name);
	}
	if (i < tally->nr)
		printf("and %s rows more (-n 0 shows all)\n", thousands(tally->nr - i, buf[0]));
}

static void print_json(const struct tally *tally, const struct options *options)
{
	struct json json = { .out = stdout };
	uint64_t i;

	json_open(&json, NULL, '{');
	json_string(&json, "event", tally->event);
	json_unsigned(&json, "period", tally->period);
	json_unsigned(&json, "samples", tally->samples);
	json_unsigned(&json, "dropped", tally->dropped);
	if (tally->total)
		json_unsigned(&json, "total", tally->total);
	else
		json_null(&json, "total");
	json_string(&json, "by", by_names[options->by]);
	json_open(&json, "rows", '[');
	for (i = 0; i < tally->nr && (!options->rows || i < options->rows); i++) {
		json_open(&json, NULL, '{');
		json_unsigned(&json, "samples", tally->rows[i]->samples);
		json_string(&json, "name", tally->rows[i]->name);
		json_close(&json, '}');
	}
	json_close(&json, ']');
	json_close(&json, '}');
	json_line(&json);
}

/* -------------------------------------------------------------------------- input -- */

/* Return: the exit status. */
static int read_all(FILE *in, const char *name, struct tally *tally)
{
	struct samples_file file;
	struct sample_line line;
	int got;

	if (!samples_file_open(&file, in, name))
		return EXIT_FAILURE;
	do
		got = samples_file_next(&file, &line);
	while (got > 0 && tally_add(tally, &line));
	samples_file_close(&file);
	if (got > 0 || (!got && !tally_sort(tally))) {
		complain("no memory left");
		return EXIT_FAILURE;
	}
	return got ? EXIT_FAILURE : 0;
}

static int report(FILE *in, const struct options *options)
{
	struct tally *tally;
	struct stat st;
	int status;

	if (fstat(fileno(in), &st) || !S_ISREG(st.st_mode))
		st.st_mtime = time(NULL);
	if (!symbols_known() && (options->by == TALLY_SYMBOL || options->by == TALLY_LINE))
		complain("built without libdw: the functions of programs are not known");
	tally = tally_open(options->by, st.st_mtime);
	if (!tally) {
		complain("no memory left");
		return EXIT_FAILURE;
	}
	status = read_all(in, options->input, tally);
	if (!status && options->json)
		print_json(tally, options);
	else if (!status)
		print_text(tally, options);
	tally_close(tally);
	return status;
}

int cmd_report(int argc, char **argv)
{
	struct options options = { .rows = DEFAULT_ROWS, .input = DEFAULT_INPUT };
	int status = parse_options(argc, argv, &options);
	FILE *in;

	if (status >= 0)
		return status;
	in = strcmp(options.input, "-") ? fopen(options.input, "re") : stdin;
	if (!in) {
		complain("cannot read '%s': %s", options.input, strerror(errno));
		return EXIT_FAILURE;
	}
	status = report(in, &options);
	if (in != stdin)
		fclose(in);
	return status;
}
