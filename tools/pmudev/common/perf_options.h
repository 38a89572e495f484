/* SPDX-License-Identifier: GPL-2.0 */
/* Options that a command of perf's has, and ours of the same name has not: what to do instead. */
#ifndef PERF_OPTIONS_H
#define PERF_OPTIONS_H

#include <stdbool.h>

/**
 * struct perf_option - one of them; a table of these ends with one without a name
 * @letter: 0: none
 * @name: the long one, NULL: there is only the letter
 * @instead: what to do
 */
struct perf_option {
	char letter;
	const char *name;
	const char *instead;
};

/* Those of commands with struct usage; `pmudev stat` has its own. */
extern const struct perf_option record_perf_options[], report_perf_options[], top_perf_options[],
	list_perf_options[];

/*
 * Is it one of them? Tells what to do instead, then. @name: "--name", "--name=value" or a letter
 */
bool perf_option_refuse(const char *command, const struct perf_option *options, const char *name);

#endif /* PERF_OPTIONS_H */
