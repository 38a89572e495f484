// SPDX-License-Identifier: MIT
/* Files of performance groups: those that are installed, a user's own, and wrong ones. */
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>

#include "../pmudev/info/list_metrics.h"
#include "cpus.h"
#include "hear.h"

static struct pmudev_pmus *pmus[NR_KINDS];

/* --------------------------------------------------------------------------- wrong -- */

static const struct {
	const char *text;
	const char *error;
} wrong[] = {
	{ "event cycles", "1: a file begins with: group NAME" },
	{ "group", "1: nothing follows 'group'" },
	{ "group a b", "1: 'a b' is no name of a group" },
	{ "group a\nevent cycles\nevent cycles", "3: the group has an event cycles already" },
	{ "group a\nevent cpu/event=1/",
	  "2: 'cpu/event=1/' is no name for an event: event NAME EVENT" },
	{ "group a\nevent 1 cycles", "2: '1' is no name for an event: event NAME EVENT" },
	{ "group a\nformula 1", "2: 'formula' is of a metric: metric NAME" },
	{ "group a\nunit %", "2: 'unit' is of a metric: metric NAME" },
	{ "group a\nmetric m\nunit %", "2: metric m has no formula" },
	{ "group a\nevent c cycles\nmetric m\nmetric n\nformula c", "3: metric m has no formula" },
	{ "group a\nmetric m\ngroup b", "2: metric m has no formula" },
	{ "group a\nevent c cycles\nmetric m\nformula c\nformula c", "5: a second formula" },
	{ "group a\nabout x\nabout y", "3: a second about" },
	{ "group a\nmetric m\nformula 1", "3: the formula has no event" },
	{ "group a\nevent c cycles\nmetric m\nformula c / d",
	  "4: 'd' is no event of this group, in 'd'" },
	{ "group a\nevent c cycles\nmetric m\nformula (c", "4: a ')' is missing, in ''" },
	{ "# a\n\ngroup a\nevents c",
	  "4: 'events' is none of group, about, event, metric, unit, formula" },
};

static void write_file(const char *path, const char *text)
{
	FILE *out = fopen(path, "w");

	if (!ok(out, "a file"))
		exit(tap_end());
	fputs(text, out);
	fclose(out);
}

/* What was right before stays; nothing of a wrong file does. */
static void check_wrong(const char *path)
{
	struct groups groups = { 0 };
	char wanted[PATH_MAX + 256];
	size_t i;

	write_file(path, "group a\nevent c cycles\nmetric m\nformula c");
	ok(groups_load_file(&groups, path), "  that is right");
	for (i = 0; i < sizeof(wrong) / sizeof(*wrong); i++) {
		write_file(path, wrong[i].text);
		hear();
		ok(!groups_load_file(&groups, path), wrong[i].text[0] ? "  that is wrong" : "");
		snprintf(wanted, sizeof(wanted), "pmudev: %s:%s; the file is left out\n", path,
			 wrong[i].error);
		is(heard(), wanted, "  which is told");
		is_number(groups.nr_groups * 100 + groups.nr, 101, "  nothing of it is kept");
	}
	unlink(path);
	hear();
	ok(!groups_load_file(&groups, path), "no file");
	ok(strstr(heard(), "No such file or directory"), "  which is told");
	groups_free(&groups);
}

/* ----------------------------------------------------------------------- installed -- */

/* Those of the repository, for a CPU. */
static void load_installed(struct groups *groups, const char *arch)
{
	char line[PATH_MAX + 64], path[PATH_MAX];
	FILE *list;

	snprintf(line, sizeof(line), "ls %s/../../share/pmudev/groups/%s/*.txt", TESTS_FOLDER,
		 arch);
	list = popen(line, "r");
	while (list && fgets(path, sizeof(path), list)) {
		path[strcspn(path, "\n")] = '\0';
		hear();
		ok(groups_load_file(groups, path), strrchr(path, '/') + 1);
		is(heard(), "", "  nothing is told");
	}
	if (list)
		pclose(list);
}

static const struct metric *find(const struct groups *groups, const char *name)
{
	unsigned int i;

	for (i = 0; i < groups->nr; i++)
		if (groups_same_name(groups->metrics[i].name, name))
			return &groups->metrics[i];
	return NULL;
}

/* Each has a unit and a text, and names differ. */
static void check_each(const struct groups *groups)
{
	const struct metric *metric;
	unsigned int i, used;
	uint64_t names;

	for (metric = groups->metrics; metric < groups->metrics + groups->nr; metric++) {
		ok(metric->unit && metric->about && find(groups, metric->name) == metric,
		   metric->name);
		ok(strlen(metric->about) < 72, "  its text fits into a line");
	}
	for (i = 0; i < groups->nr_groups; i++) {
		names = 0;
		for (used = 0; used < groups->nr; used++)
			if (groups->metrics[used].group == i)
				names |= groups->metrics[used].formula.names;
		ok(groups->groups[i].about, groups->groups[i].name);
		is_number(names, (1ULL << groups->groups[i].nr) - 1, "  all its events are used");
	}
}

static void check_here(const struct groups *groups, enum cpu cpu, const char *name, bool here,
		       const char *lacks)
{
	const struct metric *metric = find(groups, name);
	const char *why = "";

	if (ok(metric, name))
		ok(metric_is_here(groups, metric, pmus[cpu], &why) == here,
		   here ? "  the CPU has it" : "  the CPU has it not");
	is(why, lacks, "  an event that it lacks");
}

static void check_installed(void)
{
	struct groups arm = { 0 }, intel = { 0 }, amd = { 0 };

	load_installed(&arm, "arm64");
	load_installed(&intel, "intel");
	load_installed(&amd, "amd");
	check_each(&arm);
	check_each(&intel);
	check_each(&amd);
	check_here(&arm, NEOVERSE, "IPC", true, "");
	check_here(&arm, NEOVERSE, "l1d-miss-rate", true, "");
	check_here(&arm, NEOVERSE, "l2-miss-rate", false, "l2d_cache");
	check_here(&arm, POOR_ARM, "ipc", true, "");
	check_here(&arm, POOR_ARM, "branch-miss-rate", false, "branches");
	check_here(&arm, POOR_ARM, "frequency", true, "");
	check_here(&intel, SKYLAKE, "l1d-miss-rate", true, "");
	check_here(&intel, SKYLAKE, "dtlb-mpki", true, "");
	check_here(&intel, LATER_INTEL, "l1d-miss-rate", false, "L1-dcache-loads");
	check_here(&intel, LATER_INTEL, "llc-miss-rate", true, "");
	groups_free(&arm);
	groups_free(&intel);
	groups_free(&amd);
}

/* ------------------------------------------------------------------------- listing -- */

static const char *listed(const struct groups *groups, enum cpu cpu, const struct list_how *how)
{
	static char text[8192];
	FILE *out = fmemopen(text, sizeof(text), "w");

	list_metrics(out, groups, pmus[cpu], how);
	fclose(out);
	return text;
}

static void check_list(void)
{
	struct groups groups;
	const char *text;
	struct list_how how = { .pattern = "own" };

	/* Behind the user's may stand those of the build. */
	ok(groups_load(&groups, pmus[NEOVERSE]) >= 2, "a user's files");
	is(groups.groups[0].name, "own", "  come first");
	ok(find(&groups, "cycles-twice"), "  and those for an Arm");
	groups_free(&groups);
	ok(groups_load(&groups, pmus[SKYLAKE]) >= 1, "  of an Intel");
	is(groups.groups[0].name, "own", "  the same");
	ok(!find(&groups, "cycles-twice"), "  without those for an Arm");
	is(listed(&groups, SKYLAKE, &how),
	   "own: Metrics of one's own\n"
	   "  IPC                   insn/cycle   Instructions per cycle, again\n"
	   "  miss-rate             %\n"
	   "  small                 -\n"
	   "\n1 more need events that this machine does not have: -v shows them\n",
	   "the list");
	how.pattern = "AGAIN";
	is(listed(&groups, SKYLAKE, &how),
	   "own: Metrics of one's own\n"
	   "  IPC                   insn/cycle   Instructions per cycle, again\n",
	   "  by a word of a text");
	how.pattern = "miss-r*";
	is(listed(&groups, SKYLAKE, &how),
	   "own: Metrics of one's own\n"
	   "  miss-rate             %\n",
	   "  by a pattern");
	how = (struct list_how){ .all = true, .pattern = "elsew" };
	text = listed(&groups, SKYLAKE, &how);
	ok(strstr(text, "= other + 1\n") && strstr(text, "not on this machine: no-such-event\n"),
	   "  -v shows what is not here");
	how = (struct list_how){ .all = true, .json = true, .pattern = "miss-rate" };
	text = listed(&groups, SKYLAKE, &how);
	ok(strstr(text, "{\"kind\": \"metric\", \"name\": \"miss-rate\", \"group\": \"own\", "
			"\"unit\": \"%\", \"description\": \"\", "
			"\"formula\": \"100 * misses / all\", "
			"\"events\": {\"all\": \"branches\", \"misses\": \"branch-misses\"}, "
			"\"missing\": null, \"file\": \"/") == text,
	   "  as JSON");
	groups_free(&groups);
}

int main(void)
{
	char path[] = "/tmp/pmudev-test-XXXXXX";
	int fd, i;

	setenv("XDG_CONFIG_HOME", TESTS_FOLDER "/config", true);
	fake_cpus(pmus);
	fd = mkstemp(path);
	close(fd);
	check_wrong(path);
	check_installed();
	check_list();
	for (i = 0; i < NR_KINDS; i++)
		pmudev_pmus_free(pmus[i]);
	return tap_end();
}
