// SPDX-License-Identifier: GPL-2.0
#include <stdio.h>

#include "cmd.h"
#include "colour.h"
#include "options.h"

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
		complain("unknown option '%s'; `pmudev %s --help` lists them", argv[optind - 1],
			 usage->command);
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
