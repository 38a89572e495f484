// SPDX-License-Identifier: GPL-2.0
#include <ctype.h>
#include <dirent.h>
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

/* One that is named twice is counted once. */
static void add_id(struct target *target, int id)
{
	unsigned int i;
	int *ids;

	for (i = 0; i < target->nr_ids; i++)
		if (target->ids[i] == id)
			return;
	ids = realloc(target->ids, (target->nr_ids + 1) * sizeof(*ids));
	if (!ids) {
		complain("no memory left");
		exit(EXIT_USAGE);
	}
	target->ids = ids;
	ids[target->nr_ids++] = id;
	target->id = ids[0];
}

static bool parse_ids(struct target *target, const char *at, bool several)
{
	long n;

	for (;; at++) {
		if (!number(&at, INT_MAX, &n) || !n)
			return false;
		add_id(target, n);
		if (!*at)
			return true;
		if (*at != ',' || !several)
			return false;
	}
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

static bool parse(struct target *target, int option, const char *text, bool several)
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
	if (parse_ids(target, text, several))
		return true;
	complain("'%s' is not the number of a %s", text,
		 target->kind == TARGET_THREAD ? "thread" : "process");
	return false;
}

bool target_parse(struct target *target, int option, const char *text)
{
	return parse(target, option, text, false);
}

bool target_parse_list(struct target *target, int option, const char *text)
{
	return parse(target, option, text, true);
}

bool target_option(struct target *target, int option, const char *text)
{
	switch (option) {
	case 'a':
		target->all = true;
		return true;
	case 'G':
		if (!strchr(text, ','))
			return target_parse_cgroups(target, text);
		complain("-G counts all events of one cgroup; of several: --for-each-cgroup %s",
			 text);
		return false;
	case TARGET_EACH_CGROUP:
		return target_parse_cgroups(target, text);
	default:
		return target_parse_list(target, option, text);
	}
}

bool target_complete(struct target *target)
{
	if (target->nr_cgroups && target->kind == TARGET_NONE)
		target->all = true;
	return !target->all || target->kind == TARGET_CPUS || target_all(target);
}

bool target_split(struct target *target)
{
	struct target threads = { .nr_ids = 0 };
	struct dirent *entry;
	unsigned int i;
	char path[64];
	DIR *dir;

	for (i = 0; target->kind == TARGET_PROCESS && i < target->nr_ids; i++) {
		snprintf(path, sizeof(path), "/proc/%d/task", target->ids[i]);
		dir = opendir(path);
		if (!dir) {
			complain("there is no process %d", target->ids[i]);
			free(threads.ids);
			return false;
		}
		while ((entry = readdir(dir)))
			if (isdigit((unsigned char)*entry->d_name))
				add_id(&threads, atoi(entry->d_name));
		closedir(dir);
	}
	if (!threads.nr_ids)
		return true;
	free(target->ids);
	target->ids = threads.ids;
	target->nr_ids = threads.nr_ids;
	target->id = threads.id;
	target->each_thread = true;
	return true;
}

unsigned int target_arrays(const struct target *target)
{
	if (target->nr_cgroups)
		return target->nr_cgroups;
	return target->nr_ids ? target->nr_ids : 1;
}

int target_open_nth(const struct target *target, unsigned int n, struct pmudev_set_array *array,
		    unsigned int flags)
{
	const bool thread = target->kind == TARGET_THREAD || target->each_thread;
	unsigned int cpus[TARGET_MAX_CPUS], nr = 0, i;

	if (target->kind != TARGET_CPUS)
		return pmudev_set_array_task(array,
					     thread ? PMUDEV_TARGET_TASK : PMUDEV_TARGET_PROCESS,
					     target->ids[n], flags);
	for (i = 0; i < TARGET_MAX_CPUS; i++)
		if (target->cpu[i])
			cpus[nr++] = i;
	if (target->nr_cgroups)
		return pmudev_set_array_cgroup(array, target->cgroup_fds[n], cpus, nr, 0);
	return pmudev_set_array_cpus(array, cpus, nr, 0);
}

int target_open(const struct target *target, struct pmudev_set_array *array, unsigned int flags)
{
	return target_open_nth(target, 0, array, flags);
}

const char *target_noun(const struct target *target)
{
	const bool several = target->text[strspn(target->text, "0123456789")];

	if (target->kind == TARGET_CPUS)
		return several ? "CPUs" : "CPU";
	if (target->kind == TARGET_THREAD)
		return several ? "threads" : "thread";
	return several ? "processes" : "process";
}
