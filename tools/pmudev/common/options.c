// SPDX-License-Identifier: GPL-2.0
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "cmd.h"
#include "colour.h"
#include "options.h"

/*
 * A letter may be one of several in a word, and the next word is not its own then. Return: the exit
 * status
 */
static int unknown_option(const struct usage *usage, const char *word)
{
	const bool with_value = !strncmp(word, "--", 2) && strchr(word, '=');
	const bool letter = optopt > 0 && optopt < 256 && !with_value;
	const char name[2] = { optopt, '\0' }, dashed[3] = { '-', optopt, '\0' };

	if (!usage->perf || !perf_option_refuse(usage->command, usage->perf, letter ? name : word))
		complain("unknown option '%s'; `pmudev %s --help` lists them",
			 letter ? dashed : word, usage->command);
	return EXIT_USAGE;
}

int next_option(const struct usage *usage, int argc, char **argv, int *status)
{
	int c;

	opterr = 0;
	*status = EXIT_USAGE;
	while ((c = getopt_long(argc, argv, usage->letters, usage->options, NULL)) == OPTION_COLOUR)
		if (!colour_option(optarg))
			return 0;
	switch (c) {
	case -1:
		*status = -1;
		return 0;
	case 'h':
		fputs(usage->help, stdout);
		*status = 0;
		return 0;
	case ':':
		complain("'%s' needs a value; `pmudev %s --help` tells more", argv[optind - 1],
			 usage->command);
		return 0;
	case '?':
		*status = unknown_option(usage, argv[optind - 1]);
		return 0;
	default:
		return c;
	}
}

int no_words(const struct usage *usage, int argc, char **argv)
{
	if (optind == argc)
		return -1;
	complain("%s takes no '%s'; `pmudev %s --help` tells more", usage->command, argv[optind],
		 usage->command);
	return EXIT_USAGE;
}
