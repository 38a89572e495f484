// SPDX-License-Identifier: GPL-2.0
#include "command.h"
#include "common.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/personality.h>
#include <sys/wait.h>

static FILE *open_pipe(const char *format, va_list args)
{
	char line[1024] = "exec 2>&1; ";
	size_t used = strlen(line);
	unsigned long before;
	FILE *pipe;

	vsnprintf(line + used, sizeof(line) - used, format, args);
	before = personality(ADDR_NO_RANDOMIZE);
	pipe = popen(line, "r");
	personality(before);
	return pipe;
}

struct running start(const char *format, ...)
{
	struct running running;
	va_list args;

	va_start(args, format);
	running.pipe = open_pipe(format, args);
	va_end(args);
	return running;
}

void finish(struct running running, struct output *output)
{
	size_t got = 0;
	int status;

	output->text[0] = '\0';
	output->status = -1;
	if (!running.pipe)
		return;
	/* Nothing is lost but what is too much, and that is read, too. */
	while (!feof(running.pipe) && got < sizeof(output->text) - 1)
		got += fread(output->text + got, 1, sizeof(output->text) - 1 - got, running.pipe);
	output->text[got] = '\0';
	status = pclose(running.pipe);
	output->status = WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

void run(struct output *output, const char *format, ...)
{
	struct running running;
	va_list args;

	va_start(args, format);
	running.pipe = open_pipe(format, args);
	va_end(args);
	finish(running, output);
}

bool have_command(void)
{
	static struct output output;

	run(&output, "pmudev --version");
	return !output.status;
}

/* "1,234,567" */
static bool number_with_commas(const char *text, __u64 *value)
{
	if (*text < '0' || *text > '9')
		return false;
	for (*value = 0; *text == ',' || (*text >= '0' && *text <= '9'); text++)
		if (*text != ',')
			*value = 10 * *value + (*text - '0');
	return true;
}

bool stat_nth_value(const struct output *output, const char *name, unsigned int n, __u64 *value,
		    double *percent)
{
	char line[256], first[64], second[64], *bracket;
	const char *at = output->text;
	size_t len;

	for (; *at; at += at[len] ? len + 1 : len) {
		len = strcspn(at, "\n");
		/* sscanf() goes over the ends of lines. */
		snprintf(line, sizeof(line), "%.*s", (int)len, at);
		if (sscanf(line, "%63s %63s", first, second) != 2 || strcmp(second, name) || n--)
			continue;
		bracket = strchr(line, '(');
		if (percent)
			*percent = bracket ? strtod(bracket + 1, NULL) : 100;
		return number_with_commas(first, value);
	}
	return false;
}

bool stat_value(const struct output *output, const char *name, __u64 *value, double *percent)
{
	return stat_nth_value(output, name, 0, value, percent);
}

unsigned int times_in(const struct output *output, const char *text)
{
	const char *at = output->text;
	unsigned int n = 0;

	for (at = strstr(at, text); at; at = strstr(at + 1, text))
		n++;
	return n;
}
