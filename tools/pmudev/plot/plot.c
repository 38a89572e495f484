// SPDX-License-Identifier: GPL-2.0
/*
 * pmudev plot: draws a recording with gnuplot, which reads its script from a pipe, without a shell.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../common/cmd.h"
#include "../common/json.h"
#include "../common/output.h"
#include "recording.h"

static const char help[] =
	"usage: pmudev plot [-o FILE] [--script] RECORDING\n"
	"\n"
	"Draws a recording of `pmudev stat -I MS --json` or `pmudev monitor --json` with gnuplot:\n"
	"events per second over time, and instructions per cycle if both were counted. RECORDING -\n"
	"is stdin. The name's ending decides whether the picture is SVG or PNG.\n"
	"\n"
	"  -o FILE   output file; - is stdout (default: RECORDING with the ending .svg)\n"
	"  --script  write the gnuplot script with its data instead (default: to stdout)\n"
	"\n"
	"  pmudev stat -I 100 --json -o run.json -- make\n"
	"  pmudev plot run.json                     # run.svg\n";

struct options {
	const char *output;
	const char *recording;
	bool script;
};

/* --------------------------------------------------------------------- the script -- */

/*
 * In single quotes nothing has a meaning but the quote itself; U+2019 stands for it, as gnuplot
 * does not take two of them everywhere.
 */
static void quote(FILE *out, const char *text)
{
	char *copy = strdup(text), *at;

	fputc('\'', out);
	if (copy)
		utf8_printable(copy);
	for (at = copy; at && *at; at++) {
		if (*at == '\'')
			fputs("\xe2\x80\x99", out);
		else
			fputc(*at, out);
	}
	fputc('\'', out);
	free(copy);
}

static void write_number(FILE *out, double number)
{
	if (number < 0)
		fprintf(out, " NaN\n");
	else
		fprintf(out, " %.9g\n", number);
}

static void write_data(FILE *out, const struct recording *r)
{
	const struct series *s, *cycles;
	unsigned int i, n;

	for (n = 0; n < r->nr; n++) {
		s = &r->series[n];
		fprintf(out, "$events%u << EOD\n", n);
		for (i = 0; i < s->nr; i++) {
			fprintf(out, "%.9f", s->points[i].seconds);
			write_number(out, series_rate(s, i));
		}
		fprintf(out, "EOD\n");
		cycles = cycles_of(r, s);
		if (!cycles)
			continue;
		fprintf(out, "$ratio%u << EOD\n", n);
		for (i = 0; i < s->nr; i++) {
			const double per = cycles->points[i].value, of = s->points[i].value;

			fprintf(out, "%.9f", s->points[i].seconds);
			write_number(out, per > 0 && of >= 0 ? of / per : -1);
		}
		fprintf(out, "EOD\n");
	}
}

/* The line's title: the event, or a ratio with the event's modifiers, such as :u. */
static void line_title(char *title, size_t len, const struct recording *r, const struct series *s,
		       bool ratio)
{
	static const char instructions[] = "instructions";
	char cpu[64] = "";

	if (r->cpus)
		snprintf(cpu, sizeof(cpu), ", CPU %ld", s->cpu);
	else if (*s->group)
		snprintf(cpu, sizeof(cpu), ", %s", s->group);
	if (ratio)
		snprintf(title, len, "instructions per cycle%s%s", s->event + strlen(instructions),
			 cpu);
	else
		snprintf(title, len, "%s%s", s->event, cpu);
}

/* @ratios: those, or else the events */
static void write_lines(FILE *out, const struct recording *r, bool ratios)
{
	const char *before = "plot ";
	char title[320];
	unsigned int n;

	for (n = 0; n < r->nr; n++) {
		const struct series *s = &r->series[n];

		if (ratios && !cycles_of(r, s))
			continue;
		line_title(title, sizeof(title), r, s, ratios);
		fprintf(out, "%s\\\n  $%s%u using 1:2 with linespoints linecolor %u title ", before,
			ratios ? "ratio" : "events", n, n + 1);
		quote(out, title);
		before = ", ";
	}
	fprintf(out, "\n");
}

static bool has_ratios(const struct recording *r)
{
	unsigned int n;

	for (n = 0; n < r->nr; n++)
		if (cycles_of(r, &r->series[n]))
			return true;
	return false;
}

void plot_script(FILE *out, const struct recording *r, const char *title, const char *terminal)
{
	const bool ratios = has_ratios(r);
	/* The key is below the picture. */
	const unsigned int height = 360 + 10 * r->nr;

	fprintf(out, "# made by `pmudev plot --script`; gnuplot 5 or later\n");
	fprintf(out,
		"set terminal %s size 1000,%u noenhanced background rgb 'white' font 'sans,%u'\n",
		terminal, ratios ? 2 * height : height, strcmp(terminal, "svg") ? 10 : 13);
	fprintf(out, "set encoding utf8\n");
	write_data(out, r);
	fprintf(out, "set pointsize 0.3\nset for [i=1:%u] linetype i pointtype 7\n", r->nr + 1);
	fprintf(out, "set key below Left reverse\nset grid\n");
	fprintf(out, "set lmargin 12\nset format y '%%.1s%%c'\n");
	fprintf(out, "set xlabel 'seconds'\nset ylabel 'events per second counted'\n");
	fprintf(out, "set xrange [0:*]\nset yrange [0:*]\n");
	if (ratios)
		fprintf(out, "set multiplot layout 2,1\n");
	fprintf(out, "set title ");
	quote(out, title);
	fprintf(out, "\n");
	write_lines(out, r, false);
	if (!ratios)
		return;
	fprintf(out, "unset title\nset format y '%%g'\nset ylabel 'instructions per cycle'\n");
	write_lines(out, r, true);
	fprintf(out, "unset multiplot\n");
}

/* ------------------------------------------------------------------------- gnuplot -- */

/* Its stdout is @output. Return: its process, -1: told on stderr. @in: where to write to it */
static pid_t start_gnuplot(int output, int *in)
{
	int ends[2];
	pid_t child;

	if (pipe2(ends, O_CLOEXEC)) {
		complain("no pipe: %s", strerror(errno));
		return -1;
	}
	child = fork();
	if (!child) {
		dup2(ends[0], STDIN_FILENO);
		dup2(output, STDOUT_FILENO);
		execlp("gnuplot", "gnuplot", "-", NULL);
		_exit(errno == ENOENT ? EXIT_NOT_FOUND : EXIT_NOT_RUN);
	}
	close(ends[0]);
	*in = ends[1];
	if (child > 0)
		return child;
	complain("no process for gnuplot: %s", strerror(errno));
	close(ends[1]);
	return -1;
}

static bool draw(const struct recording *r, const char *title, const char *terminal, int output)
{
	int in, status = -1;
	pid_t child;
	FILE *out;

	/* gnuplot may end before it has read everything. */
	signal(SIGPIPE, SIG_IGN);
	child = start_gnuplot(output, &in);
	if (child < 0)
		return false;
	/* Ctrl-C ends gnuplot and removes its output. */
	signal(SIGINT, SIG_IGN);
	out = fdopen(in, "w");
	if (out) {
		plot_script(out, r, title, terminal);
		fclose(out);
	}
	waitpid(child, &status, 0);
	if (out && WIFEXITED(status) && !WEXITSTATUS(status))
		return true;
	if (WIFEXITED(status) && WEXITSTATUS(status) == EXIT_NOT_FOUND)
		complain("there is no gnuplot: `apt install gnuplot-nox`, or use --script");
	else
		complain("gnuplot failed");
	return false;
}

/* ------------------------------------------------------------------------- options -- */

static const struct option long_options[] = {
	{ "output", required_argument, NULL, 'o' },
	{ "script", no_argument, NULL, 's' },
	{ "help", no_argument, NULL, 'h' },
	{ NULL, 0, NULL, 0 },
};

/* Return: -1 to go on, else the exit status. */
static int parse_options(int argc, char **argv, struct options *options)
{
	int c;

	opterr = 0;
	while ((c = getopt_long(argc, argv, ":o:h", long_options, NULL)) != -1) {
		switch (c) {
		case 'o':
			options->output = optarg;
			break;
		case 's':
			options->script = true;
			break;
		case 'h':
			fputs(help, stdout);
			return 0;
		case ':':
			complain("'%s' needs a value; `pmudev plot --help` tells more",
				 argv[optind - 1]);
			return EXIT_USAGE;
		default:
			complain("unknown option '%s'; `pmudev plot --help` lists them",
				 argv[optind - 1]);
			return EXIT_USAGE;
		}
	}
	if (optind + 1 == argc) {
		options->recording = argv[optind];
		return -1;
	}
	complain("plot takes one recording; `pmudev plot --help` tells more");
	return EXIT_USAGE;
}

/* RECORDING with .svg for its ending. */
static const char *default_output(const struct options *options)
{
	static char name[4096];
	const char *slash = strrchr(options->recording, '/');
	const char *dot = strrchr(options->recording, '.');
	size_t len = strlen(options->recording);

	if (options->script || !strcmp(options->recording, "-"))
		return "-";
	if (dot > (slash ? slash + 1 : options->recording) && strcmp(dot, ".svg"))
		len = dot - options->recording;
	snprintf(name, sizeof(name), "%.*s.svg", (int)len, options->recording);
	return name;
}

/* gnuplot's terminal for a file of this name; NULL: not supported. */
static const char *terminal_of(const char *name)
{
	const char *slash = strrchr(name, '/');
	const char *dot = strrchr(slash ? slash : name, '.');

	if (!dot || !strcasecmp(dot, ".svg"))
		return "svg";
	return strcasecmp(dot, ".png") ? NULL : "pngcairo";
}

/* An existing picture is replaced by a complete one, or stays. */
static int write_output(const struct recording *r, const struct options *options)
{
	const char *name = options->output ? options->output : default_output(options);
	const char *terminal = options->script ? "svg" : terminal_of(name);
	struct output output;
	bool fine = true;

	if (!terminal) {
		complain("%s: pictures are SVG or PNG: use a name that ends in .svg or .png", name);
		return EXIT_USAGE;
	}
	if (!output_open(&output, name, false, true))
		return 1;
	if (options->script)
		plot_script(output.out, r, options->recording, terminal);
	else
		fine = draw(r, options->recording, terminal, fileno(output.out));
	fine = fine && output_end(&output);
	fine = output_close(&output) && fine;
	if (fine && !options->output && strcmp(name, "-"))
		printf("%s\n", name);
	return fine ? 0 : 1;
}

int cmd_plot(int argc, char **argv)
{
	struct options options = { .output = NULL };
	static struct recording recording;
	int status;
	FILE *in;

	status = parse_options(argc, argv, &options);
	if (status >= 0)
		return status;
	in = strcmp(options.recording, "-") ? fopen(options.recording, "re") : stdin;
	if (!in) {
		complain("%s: %s", options.recording, strerror(errno));
		return 1;
	}
	status = 1;
	if (recording_read(in, options.recording, &recording)) {
		status = write_output(&recording, &options);
		recording_free(&recording);
	}
	if (in != stdin)
		fclose(in);
	return status;
}
