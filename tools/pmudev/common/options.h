/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The options of a command, one after the other. What all commands have in common is dealt with:
 * --help, --color, unknown options, and values that are missing.
 */
#ifndef OPTIONS_H
#define OPTIONS_H

#include <getopt.h>

#include "perf_options.h"

/* Fit no letter. */
enum {
	OPTION_COLOUR = 1000,
};

#define LONG_JSON   { "json", no_argument, NULL, 'j' }
#define LONG_COLOUR { "color", optional_argument, NULL, OPTION_COLOUR }
#define LONG_HELP   { "help", no_argument, NULL, 'h' }

/**
 * struct usage - what a command takes
 * @command: its name
 * @help: what --help prints
 * @letters: as of getopt(); they begin with ':', or "+:" if words may have options of their own
 * @options: the long ones; 'h' and OPTION_COLOUR never arrive at the command
 * @perf: options of perf's command that this one does not have; NULL: there is no such command
 */
struct usage {
	const char *command;
	const char *help;
	const char *letters;
	const struct option *options;
	const struct perf_option *perf;
};

/*
 * Return: the option, or 0 if there is none left, or the command is to end with *status; without
 * that, it is -1.
 */
int next_option(const struct usage *usage, int argc, char **argv, int *status);

/* Is no word left behind the options? If there is one, it was reported. Return: as *status. */
int no_words(const struct usage *usage, int argc, char **argv);

#endif /* OPTIONS_H */
