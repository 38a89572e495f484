// SPDX-License-Identifier: GPL-2.0
#include <string.h>

#include "cmd.h"
#include "perf_options.h"

static bool is_it(const struct perf_option *option, const char *name)
{
	const bool is_long = !strncmp(name, "--", 2);
	const size_t len = strcspn(name + 2 * is_long, "=");

	if (!is_long)
		return option->letter && option->letter == *name;
	return option->name && strlen(option->name) == len && !strncmp(option->name, name + 2, len);
}

bool perf_option_refuse(const char *command, const struct perf_option *options, const char *name)
{
	for (; options->name || options->letter; options++) {
		if (!is_it(options, name))
			continue;
		if (options->name)
			complain("%s does not have perf's --%s: %s", command, options->name,
				 options->instead);
		else
			complain("%s does not have perf's -%c: %s", command, options->letter,
				 options->instead);
		return true;
	}
	return false;
}
