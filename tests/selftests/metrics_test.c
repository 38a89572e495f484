// SPDX-License-Identifier: GPL-2.0
/*
 * `pmudev stat -M`: metrics of the files that are installed, and of a user's own. Events of all
 * metrics are one group, or the command does not run; with --multiplex each metric has its own.
 */
#include "common.h"
#include "kselftest_harness.h"
#include "stat_loop.h"

#include <math.h>
#include <stdlib.h>
#include <sys/stat.h>

#define CONFIG "/tmp/metrics"

/* -------------------------------------------------------------------------- files -- */

/* The events that each of two metrics of file "many" has: as many as there are counters for. */
static unsigned int most(void)
{
	struct pmudev_query query;

	return pm_query(&query) ? 0 : __builtin_popcountll(query.counters & 0xffffffff);
}

static void write_many(FILE *out)
{
	const unsigned int nr = most();
	unsigned int metric, i;

	fprintf(out, "group many\n");
	for (i = 0; i < 2 * nr; i++)
		fprintf(out, "event e%u cpu/event=%#llx,name=n%u/@0-%u:u\n", i,
			(unsigned long long)steady_event(), i, nr - 1);
	for (metric = 0; metric < 2; metric++) {
		fprintf(out, "metric many%u\nformula e%u", metric, metric * nr);
		for (i = 1; i < nr; i++)
			fprintf(out, " + e%u", metric * nr + i);
		fprintf(out, "\n");
	}
}

static bool write_groups(void)
{
	FILE *out;

	mkdir(CONFIG, 0755);
	mkdir(CONFIG "/pmudev", 0755);
	mkdir(CONFIG "/pmudev/groups", 0755);
	out = fopen(CONFIG "/pmudev/groups/own.txt", "w");
	if (!out)
		return false;
	fprintf(out,
		"group own\nevent n %s\nevent faults page-faults:u\nevent none no-such-event\n",
		event);
	fprintf(out, "metric twice\nunit insn\nformula 2 * n\n");
	fprintf(out, "metric per-zero\nformula n / (faults - faults)\n");
	fprintf(out, "metric absent\nformula none\n");
	write_many(out);
	return !fclose(out) && !setenv("XDG_CONFIG_HOME", CONFIG, true);
}

/* ------------------------------------------------------------------------- output -- */

/*
 * Of a report of -x: the number that ends field @at of the line with this word at the end of field
 * @of. NaN: there is none.
 */
static double number_of(const char *word, unsigned int of, unsigned int at)
{
	const char *line = output.text, *fields[16], *end;
	unsigned int nr;

	for (; line && *line; line = strchr(line, '\n'), line += !!line) {
		fields[0] = line;
		for (nr = 1; nr < 16; nr++) {
			end = fields[nr - 1] + strcspn(fields[nr - 1], ",\n");
			if (*end != ',')
				break;
			fields[nr] = end + 1;
		}
		if (nr <= of || nr <= at)
			continue;
		end = fields[of] + strcspn(fields[of], ",\n");
		if (end - fields[of] < (long)strlen(word) ||
		    strncmp(end - strlen(word), word, strlen(word)))
			continue;
		if (fields[at][strspn(fields[at], "-")] >= '0' &&
		    fields[at][strspn(fields[at], "-")] <= '9')
			return strtod(fields[at], NULL);
	}
	return NAN;
}

static double metric(const char *name)
{
	return number_of(name, 6, 5);
}

static double count_of(const char *name)
{
	return number_of(name, 2, 0);
}

/* The same of an event of write_many(). */
static double many_of(unsigned int i)
{
	char name[32];

	snprintf(name, sizeof(name), "n%u@0-%u:u", i, most() - 1);
	return count_of(name);
}

/* -------------------------------------------------------------------------- tests -- */

TEST_F(interval, installed)
{
	double instructions, cycles, ipc;

	run(&output, "pmudev list metrics");
	EXPECT_EQ(0, output.status);
	EXPECT_EQ(1, times_in(&output, "\n  IPC  ")) TH_LOG("%s", output.text);
	run(&output, "pmudev stat -x , -M ipc,frequency -- %s --play loop %d", program, FEW);
	EXPECT_EQ(0, output.status) TH_LOG("%s", output.text);
	instructions = count_of("instructions");
	cycles = count_of("cycles");
	ipc = metric("IPC");
	EXPECT_GE(instructions, FEW) TH_LOG("%s", output.text);
	EXPECT_TRUE(fabs(ipc - instructions / cycles) < 0.000001) TH_LOG("%s", output.text);
	EXPECT_GT(metric("frequency"), 0) TH_LOG("%s", output.text);
	/* An event of two metrics is counted once. */
	EXPECT_EQ(1, times_in(&output, ",cycles,")) TH_LOG("%s", output.text);
	run(&output, "pmudev stat --metric-only -x , -M IPC -- true");
	EXPECT_EQ(1, times_in(&output, "insn/cycle  IPC,\n")) TH_LOG("%s", output.text);
}

TEST_F(interval, own)
{
	double few, many;

	ASSERT_TRUE(write_groups());
	run(&output, "pmudev list metrics own");
	EXPECT_EQ(1, times_in(&output, "\n  twice ")) TH_LOG("%s", output.text);
	run(&output, "pmudev stat -x , -M twice -- %s --play loop %d", program, FEW);
	few = metric("twice");
	EXPECT_EQ(2 * count_of(event), few) TH_LOG("%s", output.text);
	run(&output, "pmudev stat -x , -M twice -- %s --play loop %d", program, MANY);
	many = metric("twice");
	if (exact_programs())
		EXPECT_EQ(2.0 * MORE, many - few) TH_LOG("%s", output.text);
	/* Of several runs it is made of the means. */
	run(&output, "pmudev stat -r 3 -x , -M twice -- %s --play loop %d", program, FEW);
	EXPECT_EQ(2 * count_of(event), number_of("twice", 7, 6)) TH_LOG("%s", output.text);
}

TEST_F(interval, no_value)
{
	ASSERT_TRUE(write_groups());
	run(&output, "pmudev stat -M per-zero -- true");
	EXPECT_EQ(0, output.status);
	EXPECT_EQ(1, times_in(&output, "<no value>")) TH_LOG("%s", output.text);
	EXPECT_EQ(1, times_in(&output, "(its divisor is 0)")) TH_LOG("%s", output.text);
	run(&output, "pmudev stat -M absent -- true");
	EXPECT_EQ(2, output.status);
	EXPECT_EQ(1, times_in(&output, "does not have its event no-such-event"))
	TH_LOG("%s", output.text);
	run(&output, "pmudev stat -M nonsense -- true");
	EXPECT_EQ(2, output.status);
	EXPECT_EQ(1, times_in(&output, "there is no metric 'nonsense'"))
	TH_LOG("%s", output.text);
}

/* Each fits, both do not: nothing is multiplexed unless that is asked for. */
TEST_F(interval, all_or_none)
{
	double first, second;

	ASSERT_TRUE(write_groups());
	ASSERT_GT(most(), 1);
	run(&output, "pmudev stat -x , -M many0 -- %s --play loop %d", program, FEW);
	EXPECT_EQ(0, output.status) TH_LOG("%s", output.text);
	first = metric("many0");
	EXPECT_EQ(most() * many_of(0), first) TH_LOG("%s", output.text);
	run(&output, "pmudev stat -x , -M many -- %s --play loop %d", program, FEW);
	EXPECT_EQ(126, output.status) TH_LOG("%s", output.text);
	EXPECT_EQ(1, times_in(&output, "do not fit on the counters together"))
	TH_LOG("%s", output.text);
	run(&output, "pmudev stat --multiplex -x , -M many -- %s --play loop %d", program,
	    10 * MANY);
	EXPECT_EQ(0, output.status) TH_LOG("%s", output.text);
	first = metric("many0");
	second = metric("many1");
	EXPECT_GT(first, most() * 9.0 * MANY) TH_LOG("%s", output.text);
	EXPECT_TRUE(fabs(first / second - 1) < 0.2) TH_LOG("%s", output.text);
	/* What is counted together is the same to the unit. */
	EXPECT_EQ(many_of(0), many_of(1)) TH_LOG("%s", output.text);
	EXPECT_EQ(most() * many_of(0), first) TH_LOG("%s", output.text);
}

int main(int argc, char **argv)
{
	if (argc > 1 && !strcmp(argv[1], "--play"))
		return play(argc - 1, argv + 1);
	return test_harness_run(argc, argv);
}
