// SPDX-License-Identifier: GPL-2.0
/*
 * pmudev - shows the performance counters and counts programs with them.
 */
#include <stdarg.h>
#include <string.h>

#include "cmd.h"

static const struct {
	const char *name;
	int (*run)(int argc, char **argv);
	const char *about;
} commands[] = {
	{ "info", cmd_info, "the CPU's counters, who uses them, what is switched on" },
	{ "stat", cmd_stat, "count a program's events, or a CPU's while a program runs" },
};

static void show_help(FILE *out)
{
	size_t i;

	fprintf(out, "usage: pmudev COMMAND [options]\n\n");
	for (i = 0; i < ARRAY_SIZE(commands); i++)
		fprintf(out, "  %-8s %s\n", commands[i].name, commands[i].about);
	fprintf(out, "\n`pmudev COMMAND --help` tells about one, --version which this is.\n");
}

void complain(const char *format, ...)
{
	va_list args;

	fflush(stdout);
	fprintf(stderr, "pmudev: ");
	va_start(args, format);
	vfprintf(stderr, format, args);
	va_end(args);
	fprintf(stderr, "\n");
}

void complain_refusal(struct pmudev *set, const char *what)
{
	char text[512];

	pmudev_explain(set, text, sizeof(text));
	complain("%s: %s", what, text);
}

const char *counters_text(unsigned long long mask, char *buf, size_t len)
{
	int first, last;
	size_t used = 0;

	if (!mask)
		return "none";
	for (first = 0; first < 64; first = last + 1) {
		last = first;
		if (!(mask >> first & 1))
			continue;
		while (last < 63 && mask >> (last + 1) & 1)
			last++;
		if (used < len)
			used += snprintf(buf + used, len - used, last > first ? "%s%d-%d" : "%s%d",
					 used ? " " : "", first, last);
	}
	return buf;
}

int main(int argc, char **argv)
{
	size_t i;

	if (argc < 2) {
		show_help(stderr);
		return EXIT_USAGE;
	}
	if (!strcmp(argv[1], "--help") || !strcmp(argv[1], "-h") || !strcmp(argv[1], "help")) {
		show_help(stdout);
		return 0;
	}
	if (!strcmp(argv[1], "--version") || !strcmp(argv[1], "-V")) {
		printf("pmudev %s (ABI %d)\n", PMUDEV_LIB_VERSION, PMUDEV_ABI_VERSION);
		return 0;
	}
	for (i = 0; i < ARRAY_SIZE(commands); i++)
		if (!strcmp(argv[1], commands[i].name))
			return commands[i].run(argc - 1, argv + 1);
	complain("there is no command '%s'; `pmudev --help` lists them", argv[1]);
	return EXIT_USAGE;
}
