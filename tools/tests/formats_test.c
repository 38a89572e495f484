// SPDX-License-Identifier: MIT
/*
 * The formats of `pmudev stat`, of made-up runs: what is written is compared with the files in
 * formats/. With a folder as argument it is written there instead, for formats_test.sh to have it
 * judged by others, or to renew the files.
 */
#include <limits.h>
#include <stdlib.h>

#include "formats_parts.h"
#include "formats_runs.h"

static const char *folder;

static const struct {
	const char *name;
	const struct stat_format *format;
	const char *separator;
	bool metric_only;
} formats[] = {
	{ "txt", &human_format, NULL, false },	   { "json", &json_format, NULL, false },
	{ "csv", &csv_format, NULL, false },	   { "x", &bare_csv_format, ",", false },
	{ "prom", &metrics_format, NULL, false },  { "only.txt", &human_format, NULL, true },
	{ "only.x", &bare_csv_format, ";", true }, { "only.jsonl", &json_format, NULL, true },
};

static void write_all(unsigned int f, FILE *out)
{
	const struct stat_format *format = formats[f].format;

	if (formats[f].metric_only)
		format = metric_only_format(format);
	made.out = out;
	made.options.separator = formats[f].separator;
	if (format->begin)
		format->begin(&made);
	if (made.options.interval && format->interval) {
		format->interval(&made, &interval);
		memset(interval.parts[0].total.sums, 0, sizeof(interval.parts[0].total.sums));
		interval.time = 2000000002;
		format->interval(&made, &interval);
	}
	format->report(&made, false);
}

static void read_file(const char *path, char *text, size_t size)
{
	FILE *in = fopen(path, "r");
	size_t len = in ? fread(text, 1, size - 1, in) : 0;

	text[len] = '\0';
	if (in)
		fclose(in);
}

static void check(const char *what, unsigned int f)
{
	static char got[16384], wanted[16384];
	char path[PATH_MAX], title[64];
	FILE *out;

	snprintf(path, sizeof(path), "%s/%s.%s", folder, what, formats[f].name);
	snprintf(title, sizeof(title), "%s.%s", what, formats[f].name);
	memset(got, 0, sizeof(got));
	out = fmemopen(got, sizeof(got), "w");
	write_all(f, out);
	fclose(out);
	read_file(path, wanted, sizeof(wanted));
	is(got, wanted, title);
}

static void write_file(const char *what, unsigned int f)
{
	char path[PATH_MAX];
	FILE *out;

	snprintf(path, sizeof(path), "%s/%s.%s", folder, what, formats[f].name);
	out = fopen(path, "w");
	if (!ok(out, path))
		return;
	write_all(f, out);
	fclose(out);
}

static const struct {
	const char *name;
	void (*make)(void);
	bool metrics;
} runs[] = {
	{ "plain", make_plain, true },	    { "odd", make_odd, false },
	{ "cpus", make_cpus, false },	    { "kinds", make_kinds, false },
	{ "runs", make_runs, false },	    { "intervals", make_intervals, true },
	{ "default", make_default, true },  { "cores", make_cores, true },
	{ "threads", make_threads, false }, { "metrics", make_metrics, true },
	{ "cgroup", make_cgroup, false },   { "cgroups", make_cgroups, false },
};

int main(int argc, char **argv)
{
	unsigned int i, f;

	setenv("XDG_CONFIG_HOME", TESTS_FOLDER "/config", true);
	folder = argc > 1 ? argv[1] : TESTS_FOLDER "/formats";
	unsetenv("TERM");
	fake_machines(pmus);
	for (i = 0; i < sizeof(runs) / sizeof(*runs); i++)
		for (f = 0; f < sizeof(formats) / sizeof(*formats); f++) {
			if (formats[f].metric_only && !runs[i].metrics)
				continue;
			runs[i].make();
			if (argc > 1)
				write_file(runs[i].name, f);
			else
				check(runs[i].name, f);
		}
	counted_close(&made.counted);
	counted_close(&interval);
	for (i = 0; i < NR_MACHINES; i++)
		pmudev_pmus_free(pmus[i]);
	return tap_end();
}
