// SPDX-License-Identifier: GPL-2.0
#include <ctype.h>
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../common/cmd.h"
#include "../common/json.h"
#include "grouping.h"

static void *room(size_t nr, size_t size)
{
	void *memory = calloc(nr, size);

	if (memory)
		return memory;
	complain("no memory left");
	exit(EXIT_USAGE);
}

/* A number of topology/; 0 where the kernel has none, as perf has it. */
static int number_of(const char *root, int cpu, const char *file)
{
	char path[256];
	int number = 0;
	FILE *in;

	snprintf(path, sizeof(path), "%s/sys/devices/system/cpu/cpu%d/topology/%s", root, cpu,
		 file);
	in = fopen(path, "re");
	if (!in)
		return 0;
	if (fscanf(in, "%d", &number) != 1 || number < 0)
		number = 0;
	fclose(in);
	return number;
}

/* A CPU's folder has a link node0 to its node; without NUMA there is none. */
static int node_of(const char *root, int cpu)
{
	struct dirent *entry;
	char path[256];
	int node = 0;
	DIR *dir;

	snprintf(path, sizeof(path), "%s/sys/devices/system/cpu/cpu%d", root, cpu);
	dir = opendir(path);
	if (!dir)
		return 0;
	while ((entry = readdir(dir)))
		if (!strncmp(entry->d_name, "node", 4) && isdigit((unsigned char)entry->d_name[4]))
			node = atoi(entry->d_name + 4);
	closedir(dir);
	return node;
}

static void name_cpu(char *name, enum grouping_kind kind, int cpu, const char *root)
{
	const int socket = number_of(root, cpu, "physical_package_id");
	const int die = number_of(root, cpu, "die_id");

	if (kind == GROUP_CPU)
		snprintf(name, GROUP_NAME, "CPU%d", cpu);
	else if (kind == GROUP_CORE)
		snprintf(name, GROUP_NAME, "S%d-D%d-C%d", socket, die,
			 number_of(root, cpu, "core_id"));
	else if (kind == GROUP_CLUSTER)
		snprintf(name, GROUP_NAME, "S%d-D%d-CLS%d", socket, die,
			 number_of(root, cpu, "cluster_id"));
	else if (kind == GROUP_DIE)
		snprintf(name, GROUP_NAME, "S%d-D%d", socket, die);
	else if (kind == GROUP_SOCKET)
		snprintf(name, GROUP_NAME, "S%d", socket);
	else
		snprintf(name, GROUP_NAME, "N%d", node_of(root, cpu));
}

/* "comm-123", as perf has it. */
static void name_thread(char *name, int thread, const char *root)
{
	char path[256], comm[32] = "";
	FILE *in;

	snprintf(path, sizeof(path), "%s/proc/%d/comm", root, thread);
	in = fopen(path, "re");
	if (in && fgets(comm, sizeof(comm), in))
		comm[strcspn(comm, "\n")] = '\0';
	if (in)
		fclose(in);
	/* A thread names itself. */
	utf8_printable(comm);
	snprintf(name, GROUP_NAME, "%s-%d", comm, thread);
}

static unsigned int find_group(struct grouping *grouping, const char *name, int cpu)
{
	unsigned int i;

	for (i = 0; i < grouping->nr; i++)
		if (!strcmp(grouping->groups[i].name, name))
			return i;
	snprintf(grouping->groups[i].name, GROUP_NAME, "%s", name);
	grouping->groups[i].cpu = grouping->kind == GROUP_CPU ? cpu : -1;
	grouping->nr++;
	return i;
}

void grouping_make(struct grouping *grouping, enum grouping_kind kind, const int *cpus,
		   const int *threads, unsigned int nr, const char *root)
{
	char name[GROUP_NAME];
	unsigned int i, group;

	*grouping = (struct grouping){ .kind = kind, .sources = nr };
	grouping->groups = room(nr, sizeof(*grouping->groups));
	grouping->of = room(nr, sizeof(*grouping->of));
	for (i = 0; i < nr; i++) {
		*name = '\0';
		if (kind == GROUP_THREAD && threads)
			name_thread(name, threads[i], root);
		else if (kind != GROUP_ALL && kind != GROUP_THREAD)
			name_cpu(name, kind, cpus[i], root);
		group = find_group(grouping, name, cpus ? cpus[i] : -1);
		grouping->groups[group].sources++;
		grouping->of[i] = group;
	}
}

void grouping_make_cgroups(struct grouping *grouping, char *const *names, unsigned int nr,
			   unsigned int cpus)
{
	unsigned int i;

	*grouping = (struct grouping){ .kind = GROUP_CGROUP, .nr = nr, .sources = nr * cpus };
	grouping->groups = room(nr, sizeof(*grouping->groups));
	grouping->of = room(grouping->sources, sizeof(*grouping->of));
	for (i = 0; i < nr; i++) {
		snprintf(grouping->groups[i].name, GROUP_NAME, "%s", names[i]);
		grouping->groups[i].cpu = -1;
		grouping->groups[i].sources = cpus;
	}
	for (i = 0; i < grouping->sources; i++)
		grouping->of[i] = i / cpus;
}

void grouping_free(struct grouping *grouping)
{
	free(grouping->groups);
	free(grouping->of);
	*grouping = (struct grouping){ .nr = 0 };
}

bool grouping_has_cpus(enum grouping_kind kind)
{
	return kind >= GROUP_CORE && kind <= GROUP_NODE;
}

const char *grouping_word(enum grouping_kind kind)
{
	static const char *const words[] = {
		[GROUP_CPU] = "cpu",	   [GROUP_CORE] = "core",     [GROUP_CLUSTER] = "cluster",
		[GROUP_DIE] = "die",	   [GROUP_SOCKET] = "socket", [GROUP_NODE] = "node",
		[GROUP_THREAD] = "thread", [GROUP_CGROUP] = "cgroup",
	};

	return words[kind];
}

void grouping_json(struct json *json, enum grouping_kind kind, const struct group *group)
{
	if (kind == GROUP_ALL)
		return;
	if (kind == GROUP_CPU) {
		json_signed(json, "cpu", group->cpu);
		return;
	}
	json_string(json, grouping_word(kind), group->name);
	if (grouping_has_cpus(kind))
		json_unsigned(json, "aggregate-number", group->sources);
}
