// SPDX-License-Identifier: MIT
/* How `pmudev stat` groups CPUs and threads, on machines that a made-up sysfs describes. */
#define _GNU_SOURCE
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../pmudev/stat/grouping.h"
#include "tap.h"

static char root[32];

/* Makes the folders, too. */
static void put(const char *file, const char *text)
{
	char path[256], *slash;
	FILE *out;

	snprintf(path, sizeof(path), "%s/%s", root, file);
	for (slash = strchr(path + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
		*slash = '\0';
		mkdir(path, 0700);
		*slash = '/';
	}
	out = fopen(path, "w");
	if (!out)
		exit(1);
	fputs(text, out);
	fclose(out);
}

static void put_number(int cpu, const char *file, int number)
{
	char path[128], text[16];

	snprintf(path, sizeof(path), "sys/devices/system/cpu/cpu%d/%s", cpu, file);
	snprintf(text, sizeof(text), "%d\n", number);
	put(path, text);
}

/* Two sockets with two dies each, of two cores with two CPUs; CPU n and n + 8 are one core. */
static void make_machine(void)
{
	char node[16];
	int cpu, core;

	for (cpu = 0; cpu < 16; cpu++) {
		core = cpu % 8;
		put_number(cpu, "topology/physical_package_id", core / 4);
		put_number(cpu, "topology/die_id", core / 2 % 2);
		put_number(cpu, "topology/core_id", core % 4);
		/* arm64 has -1 where it knows none. */
		put_number(cpu, "topology/cluster_id", -1);
		snprintf(node, sizeof(node), "node%d/x", core / 4);
		put_number(cpu, node, 0);
	}
	put("proc/17/comm", "server\n");
	put("proc/18/comm", "a worker\n");
}

static const int cpus[] = { 0, 1, 2, 5, 8, 9, 40 };
static const int threads[] = { 17, 18, 19 };

static const struct {
	enum grouping_kind kind;
	const char *groups;
} cases[] = {
	{ GROUP_ALL, "*7 " },
	{ GROUP_CPU, "CPU0*1 CPU1*1 CPU2*1 CPU5*1 CPU8*1 CPU9*1 CPU40*1 " },
	/* CPU 40 is not described: all is 0, as for perf. */
	{ GROUP_CORE, "S0-D0-C0*3 S0-D0-C1*2 S0-D1-C2*1 S1-D0-C1*1 " },
	{ GROUP_CLUSTER, "S0-D0-CLS0*5 S0-D1-CLS0*1 S1-D0-CLS0*1 " },
	{ GROUP_DIE, "S0-D0*5 S0-D1*1 S1-D0*1 " },
	{ GROUP_SOCKET, "S0*6 S1*1 " },
	{ GROUP_NODE, "N0*6 N1*1 " },
};

static void describe(const struct grouping *grouping, char *text, size_t size)
{
	unsigned int i;

	*text = '\0';
	for (i = 0; i < grouping->nr; i++)
		snprintf(text + strlen(text), size - strlen(text), "%s*%u ",
			 grouping->groups[i].name, grouping->groups[i].sources);
}

int main(void)
{
	char *const cgroups[] = { "system.slice", "a/b" };
	struct grouping grouping;
	char text[512], command[64];
	const char *word;
	size_t i;

	snprintf(root, sizeof(root), "/tmp/grouping_test.XXXXXX");
	if (!mkdtemp(root))
		return 1;
	make_machine();
	for (i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		grouping_make(&grouping, cases[i].kind, cpus, NULL, 7, root);
		describe(&grouping, text, sizeof(text));
		word = grouping_word(cases[i].kind);
		if (!word)
			word = "all together";
		is(text, cases[i].groups, word);
		grouping_free(&grouping);
	}
	grouping_make(&grouping, GROUP_CORE, cpus, NULL, 7, root);
	is_number(grouping.of[4], 0, "CPU 8 is of core 0");
	is_number(grouping.of[5], 1, "CPU 9 is of core 1");
	is_number(grouping.groups[0].cpu, -1, "a core is no CPU");
	grouping_free(&grouping);
	grouping_make(&grouping, GROUP_THREAD, NULL, threads, 3, root);
	describe(&grouping, text, sizeof(text));
	is(text, "server-17*1 a worker-18*1 -19*1 ", "threads, of which one has ended");
	grouping_free(&grouping);
	grouping_make_cgroups(&grouping, cgroups, 2, 3);
	describe(&grouping, text, sizeof(text));
	is(text, "system.slice*3 a/b*3 ", "cgroups, each on three CPUs");
	is_number(grouping.sources, 6, "each on each CPU");
	is_number(grouping.of[2], 0, "the last one of the first");
	is_number(grouping.of[3], 1, "the first one of the second");
	grouping_free(&grouping);
	snprintf(command, sizeof(command), "rm -r %s", root);
	ok(!system(command), "cleaned up");
	return tap_end();
}
