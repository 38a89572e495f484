// SPDX-License-Identifier: GPL-2.0
#include <ctype.h>
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "cmd.h"
#include "target.h"

/* A decimal number; @at moves after it. */
static bool number(const char **at, long most, long *n)
{
	char *end;

	if (!isdigit((unsigned char)**at))
		return false;
	errno = 0;
	*n = strtol(*at, &end, 10);
	*at = end;
	return !errno && *n <= most;
}

/* "0-3,5" */
static bool parse_cpus(bool *cpu, const char *at)
{
	long first, last;

	for (;; at++) {
		if (!number(&at, TARGET_MAX_CPUS - 1, &first))
			return false;
		last = first;
		if (*at == '-') {
			at++;
			if (!number(&at, TARGET_MAX_CPUS - 1, &last) || last < first)
				return false;
		}
		while (first <= last)
			cpu[first++] = true;
		if (*at != ',')
			return !*at;
	}
}

static bool parse_id(int *id, const char *at)
{
	long n;

	if (!number(&at, INT_MAX, &n) || *at || !n)
		return false;
	*id = n;
	return true;
}

/* Reports a second target, and returns false. */
static bool is_first(const struct target *target, const char *hint)
{
	if (target->kind == TARGET_NONE)
		return true;
	complain("only one of -C, -a, -t and -p can be given%s", hint);
	return false;
}

bool target_all(struct target *target)
{
	static const char file[] = "/sys/devices/system/cpu/online";
	static char cpus[4096];
	FILE *in;

	if (!is_first(target, ""))
		return false;
	in = fopen(file, "re");
	if (!in || !fgets(cpus, sizeof(cpus), in) || !strchr(cpus, '\n')) {
		complain("cannot read %s; name the CPUs with -C", file);
		if (in)
			fclose(in);
		return false;
	}
	fclose(in);
	cpus[strcspn(cpus, "\n")] = '\0';
	return target_parse(target, 'C', cpus);
}

bool target_parse(struct target *target, int option, const char *text)
{
	if (!is_first(target, option == 'C' ? "; several CPUs are -C 0-3,5" : ""))
		return false;
	target->text = text;
	if (option == 'C') {
		target->kind = TARGET_CPUS;
		if (parse_cpus(target->cpu, text))
			return true;
		complain("'%s' is not a list of CPUs such as 0-3,5", text);
		return false;
	}
	target->kind = option == 't' ? TARGET_THREAD : TARGET_PROCESS;
	if (parse_id(&target->id, text))
		return true;
	complain("'%s' is not the number of a %s", text, target_noun(target));
	return false;
}

int target_open(const struct target *target, struct pmudev_set_array *array, unsigned int flags)
{
	unsigned int cpus[TARGET_MAX_CPUS], nr = 0, i;

	if (target->kind == TARGET_THREAD)
		return pmudev_set_array_task(array, PMUDEV_TARGET_TASK, target->id, flags);
	if (target->kind == TARGET_PROCESS)
		return pmudev_set_array_task(array, PMUDEV_TARGET_PROCESS, target->id, flags);
	for (i = 0; i < TARGET_MAX_CPUS; i++)
		if (target->cpu[i])
			cpus[nr++] = i;
	return pmudev_set_array_cpus(array, cpus, nr, 0);
}

const char *target_noun(const struct target *target)
{
	if (target->kind == TARGET_CPUS)
		return target->text[strspn(target->text, "0123456789")] ? "CPUs" : "CPU";
	return target->kind == TARGET_THREAD ? "thread" : "process";
}
