// SPDX-License-Identifier: GPL-2.0
/*
 * `pmudev stat` over time: intervals, whose sum is the whole to the unit, repeated runs, delays and
 * ends.
 */
#include "common.h"
#include "kselftest_harness.h"
#include "server.h"
#include "stat_loop.h"

#include <signal.h>
#include <stdlib.h>

/* A loop of this many rounds takes longer than an interval. */
#define INTERVAL_MS 2

/* ----------------------------------------------------------------------- intervals -- */

/* What the lines of -x ' ' say: "SECONDS [CPU] COUNT  EVENT ..." */
struct lines {
	unsigned int intervals; /* of one CPU */
	unsigned int uncounted; /* of all of them */
	double last;		/* seconds */
	double late[64];	/* seconds behind the end of its interval */
	__u64 sum[8];		/* by CPU */
	__u64 summary[8];
};

static void read_line(const char *line, bool cpus, struct lines *lines)
{
	char when[32] = "", count[32] = "";
	const char *rest;
	int cpu = 0, used = 0;
	__u64 value;

	if (sscanf(line, "%31s %n", when, &used) < 1)
		return;
	rest = line + used;
	if (cpus && sscanf(rest, "CPU%d %n", &cpu, &used) == 1)
		rest += used;
	if (cpu < 0 || cpu > 7 || sscanf(rest, "%31s", count) < 1)
		return;
	value = strtoull(count, NULL, 10);
	if (!strcmp(when, "summary")) {
		lines->summary[cpu] = value;
		return;
	}
	lines->uncounted += !strncmp(count, "<not", 4);
	lines->sum[cpu] += value;
	lines->last = strtod(when, NULL);
	if (cpu)
		return;
	if (lines->intervals < ARRAY_SIZE(lines->late))
		lines->late[lines->intervals] =
			lines->last - (__u64)(lines->last * 1e3 / INTERVAL_MS) * INTERVAL_MS / 1e3;
	lines->intervals++;
}

static struct lines read_lines(bool cpus)
{
	struct lines lines = { 0 };
	char *text = output.text, *line;

	while ((line = strsep(&text, "\n")))
		read_line(line, cpus, &lines);
	return lines;
}

static struct lines run_intervals(const char *target, long rounds)
{
	run(&output, "pmudev stat %s -x ' ' -I %d --summary -e %s -- %s --play loop %ld", target,
	    INTERVAL_MS, event, program, rounds);
	return read_lines(strstr(target, "-A"));
}

TEST_F(interval, sum_of_all_is_the_whole)
{
	struct lines few = run_intervals("", FEW), many;

	EXPECT_EQ(0, output.status);
	many = run_intervals("", MANY);
	EXPECT_EQ(0, output.status);
	EXPECT_GE(many.intervals, 3U) TH_LOG("%u intervals", many.intervals);
	EXPECT_EQ(few.summary[0], few.sum[0]);
	EXPECT_EQ(many.summary[0], many.sum[0]);
	EXPECT_GT(many.sum[0], few.sum[0]);
	if (!exact_programs())
		SKIP(return, "instructions are not counted exactly here (PMUDEV_EXACT)");
	EXPECT_EQ(MORE, many.sum[0] - few.sum[0]);
}

static double least(const double *numbers, unsigned int nr)
{
	double found = numbers[0];

	while (nr--)
		found = numbers[nr] < found ? numbers[nr] : found;
	return found;
}

/* Who is late once is so once: later intervals begin when they should. */
TEST_F(interval, no_drift)
{
	struct lines lines;
	double first, second;

	if (!exact_instructions())
		SKIP(return, "time is not instructions here (PMUDEV_EXACT)");
	if (cpus_online() > 1)
		SKIP(return, "several CPUs: each runs for a while, timers are late");
	if (debug_kernel())
		SKIP(return, "a debug kernel: it is not late by the same each time");
	lines = run_intervals("", 10 * FEW);
	ASSERT_GE(lines.intervals, 8U) TH_LOG("%s", output.text);
	ASSERT_LE(lines.intervals, ARRAY_SIZE(lines.late));
	/* The last one ends whenever that is. */
	first = least(lines.late, 4);
	second = least(&lines.late[4], lines.intervals - 5);
	EXPECT_LT(second, first + 0.000005)
	TH_LOG("%.9f s, then %.9f s late", first, second);
}

TEST_F(interval, each_cpu)
{
	int cpus = cpus_online() < 8 ? cpus_online() : 8, i;
	struct lines lines = run_intervals("-a -A", MANY);
	__u64 all = 0;

	EXPECT_EQ(0, output.status);
	EXPECT_GE(lines.intervals, 3U);
	for (i = 0; i < cpus; i++) {
		EXPECT_EQ(lines.summary[i], lines.sum[i]) TH_LOG("CPU %d", i);
		all += lines.sum[i];
	}
	EXPECT_GE(all, (__u64)MANY);
}

#define MIB    1048576
#define GAP    "/tmp/stat.gap"
#define ONLINE "/sys/devices/system/cpu/cpu1/online"
#define FAULTS ((double)MIB / sysconf(_SC_PAGESIZE))

/* A CPU that goes offline drops its software events; from the next interval on they count. */
TEST_F(interval, a_cpu_comes_back)
{
	if (cpus_online() < 2 || set_cpu_online(1, true))
		SKIP(return, "no CPU that can go offline");
	unlink(GAP);
	run(&output, "pmudev stat -C 1 -x ' ' -I 50 --summary -o " GAP " -e page-faults -- sh -c '"
		     "echo 0 >" ONLINE "; echo 1 >" ONLINE "; n=$(wc -l <" GAP ");"
		     "until [ $(wc -l <" GAP ") -gt $((n + 1)) ]; do sleep 0.01; done;"
		     "taskset 2 dd if=/dev/zero of=/dev/null bs=1M count=1 2>/dev/null';"
		     "sed -n 's/^summary //p' " GAP);
	EXPECT_EQ(0, output.status);
	EXPECT_GE(atof(output.text), FAULTS) TH_LOG("%s", output.text);
	run(&output,
	    "pmudev stat -C 1 -e page-faults -- sh -c 'echo 0 >" ONLINE "; echo 1 >" ONLINE "'");
	EXPECT_EQ(1, times_in(&output, "went offline")) TH_LOG("%s", output.text);
	run(&output, "pmudev stat -C 1 -e page-faults -- true");
	EXPECT_EQ(0, times_in(&output, "went offline")) TH_LOG("%s", output.text);
}

/* Its line of each event, as it were without -I. */
#define THIRD                                                                                   \
	" -I 100 --interval-count 3 -- %s --play loop 200000000 2>&1 | grep '^ *0[.]30' | sed " \
	"'s,^ *[0-9.]* *,,'"

/* A group that takes turns: an interval's estimate is of that interval. */
TEST_F(interval, estimates)
{
	struct pmudev_query query;
	char list[1024] = "";
	unsigned int i, nr;
	__u64 value, truth;
	double percent;
	size_t used = 0;

	if (!exact_instructions())
		SKIP(return, "instructions are not counted exactly here (PMUDEV_EXACT)");
	ASSERT_EQ(0, pm_query(&query));
	nr = __builtin_popcountll(query.available & 0xffffffff) + 2;
	for (i = 0; i < nr; i++)
		used += snprintf(list + used, sizeof(list) - used, "%s%.*s@0-31:u", i ? "," : "",
				 (int)strcspn(event, ":"), event);
	/*
	 * The third interval is of the loop alone. It is long beside a time slice of the
	 * scheduler's, by which a report may be late.
	 */
	run(&output, "pmudev stat %s -e %s" THIRD, "", event, program);
	ASSERT_TRUE(stat_value(&output, event, &truth, NULL)) TH_LOG("%s", output.text);
	run(&output, "pmudev stat %s -e %s" THIRD, "--multiplex", list, program);
	snprintf(list, sizeof(list), "%.*s@0-31:u", (int)strcspn(event, ":"), event);
	for (i = 0; i < nr; i++) {
		ASSERT_TRUE(stat_nth_value(&output, list, i, &value, &percent))
		TH_LOG("%s", output.text);
		EXPECT_LT(percent, 100);
		/* Where turns take long an interval has fewer rounds than without them. */
		EXPECT_TRUE(debug_kernel() ||
			    llabs((long long)(value - truth)) < (long long)(truth / 10))
		TH_LOG("%llu, estimated %llu (%.2f %%)", truth, value, percent);
	}
}

/* Whatever takes milliseconds. */
#define SLOW (debug_kernel() ? 10 : 1)

/* Nothing runs: that is not a count of 0. The last interval is shorter. */
TEST_F(interval, nothing_runs)
{
	struct lines lines;

	self->server = start_server();
	ASSERT_GT(self->server, 0);
	run(&output, "pmudev stat -p %d -x ' ' -I %d --timeout %d -e %s", self->server, 2 * SLOW,
	    5 * SLOW, event);
	EXPECT_EQ(0, output.status);
	lines = read_lines(false);
	EXPECT_EQ(3U, lines.intervals);
	/* What slept has a count: none. */
	EXPECT_EQ(0U, lines.uncounted);
	EXPECT_EQ(0ULL, lines.sum[0]);
	EXPECT_GE(lines.last, 0.005 * SLOW);
}

TEST_F(interval, so_many)
{
	struct lines lines;

	run(&output, "pmudev stat -C 0 -x ' ' -I %d --interval-count 3 --summary -e %s",
	    INTERVAL_MS, event);
	EXPECT_EQ(0, output.status);
	lines = read_lines(false);
	EXPECT_EQ(3U, lines.intervals);
	EXPECT_EQ(lines.summary[0], lines.sum[0]);
}

/* The command goes on uncounted; its status is the status. */
TEST_F(interval, so_many_of_a_command)
{
	run(&output,
	    "pmudev stat -x ' ' -I 2 --interval-count 1 -e %s -- sh -c '%s --play loop %d; exit 5'",
	    event, program, MANY);
	EXPECT_EQ(5, output.status);
	EXPECT_EQ(1U, read_lines(false).intervals);
}

TEST_F(interval, a_signal_ends_it)
{
	struct lines lines;

	run(&output,
	    "pmudev stat -C 0 -x ' ' -I 1000000 --summary -e %s & until pmudev info | grep -q 'process'; do :; done; %s --play loop %d; kill -TERM $!; wait $!",
	    event, program, FEW);
	EXPECT_EQ(0, output.status);
	lines = read_lines(false);
	EXPECT_EQ(1U, lines.intervals);
	EXPECT_EQ(lines.summary[0], lines.sum[0]);
	EXPECT_LT(lines.last, 1000);
}

/* -------------------------------------------------------------- how often, how long -- */

TEST_F(interval, repeated)
{
	__u64 once = counted_once(FEW), value;
	char line[64];

	run(&output, "pmudev stat -r 3 -e %s -- %s --play loop %d", event, program, FEW);
	EXPECT_EQ(0, output.status);
	EXPECT_EQ(1, times_in(&output, "' (3 runs):")) TH_LOG("%s", output.text);
	ASSERT_TRUE(stat_value(&output, event, &value, NULL));
	if (!exact_programs())
		SKIP(return, "instructions are not counted exactly here (PMUDEV_EXACT)");
	EXPECT_EQ(once, value) TH_LOG("%s", output.text);
	snprintf(line, sizeof(line), "      %-25s  ( +-  0.00%% )\n", event);
	EXPECT_EQ(1, times_in(&output, line)) TH_LOG("%s", output.text);
}

TEST_F(interval, repeated_and_failed)
{
	unlink("/tmp/runs");
	run(&output,
	    "pmudev stat -r 3 -- sh -c 'echo x >>/tmp/runs; [ $(wc -l </tmp/runs) != 2 ]'");
	EXPECT_EQ(1, output.status);
	EXPECT_EQ(1, times_in(&output, "Run 2 of 3 ended with status 1")) TH_LOG("%s", output.text);
	unlink("/tmp/runs");
	run(&output, "pmudev stat -r 3 -- /nowhere");
	EXPECT_EQ(127, output.status);
	EXPECT_EQ(1, times_in(&output, "nowhere")) TH_LOG("%s", output.text);
}

/* A signal that comes between two runs takes nothing with it. */
TEST_F(interval, told_between_runs)
{
	static const char *const lines[] = { "kill -TERM $PPID", "kill -INT $$" };
	static const int status[] = { 0, 130 };
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(lines); i++) {
		run(&output, "pmudev stat -r 3 --post '%s' -e %s -- true", lines[i], event);
		EXPECT_EQ(status[i], output.status);
		EXPECT_EQ(1, times_in(&output, "Interrupted: 1 of 3 runs"))
		TH_LOG("%s", output.text);
	}
	run(&output, "pmudev stat -r 3 --pre 'kill -TERM $PPID' -e %s -- true", event);
	EXPECT_EQ(128 + SIGTERM, output.status);
	EXPECT_EQ(0, times_in(&output, "runs")) TH_LOG("%s", output.text);
}

/* Each run has its own report, until a signal ends the last. */
TEST_F(interval, repeated_for_ever)
{
	unlink("/tmp/runs");
	run(&output,
	    "pmudev stat -r 0 --json -e %s -- sh -c 'echo x >>/tmp/runs; [ $(wc -l </tmp/runs) = 1 ] && exit 3; kill -INT $PPID' 2>&1",
	    event);
	EXPECT_EQ(3, output.status) TH_LOG("%s", output.text);
	EXPECT_EQ(1, times_in(&output, "\"exit-status\": 3")) TH_LOG("%s", output.text);
	EXPECT_EQ(1, times_in(&output, "\"exit-status\": 0")) TH_LOG("%s", output.text);
	unlink("/tmp/runs");
}

/* What runs before is not counted, what is started then is. */
TEST_F(interval, delayed)
{
	__u64 value;

	run(&output, "pmudev stat -D %d -e %s -- sh -c '%s --play loop %d; %s --play loop %d'",
	    debug_kernel() ? 100 : 5, event, program, MANY * 10, program, FEW);
	EXPECT_EQ(0, output.status);
	ASSERT_TRUE(stat_value(&output, event, &value, NULL)) TH_LOG("%s", output.text);
	EXPECT_GE(value, (__u64)FEW);
	EXPECT_LT(value, counted_once(MANY * 10));
	/* It has ended before that. */
	run(&output, "pmudev stat -D 60000 -e %s -- sh -c 'exit 4'", event);
	EXPECT_EQ(4, output.status);
	EXPECT_EQ(1, times_in(&output, "<not counted>")) TH_LOG("%s", output.text);
}

TEST_F(interval, timed_out)
{
	run(&output, "pmudev stat --timeout 5 -e %s -- sleep 100000", event);
	EXPECT_EQ(128 + SIGTERM, output.status) TH_LOG("%s", output.text);
	run(&output, "pmudev stat --timeout 5 -C 0 -e %s", event);
	EXPECT_EQ(0, output.status) TH_LOG("%s", output.text);
}

int main(int argc, char **argv)
{
	if (argc > 2 && !strcmp(argv[1], "--play"))
		return play(argc - 1, argv + 1);
	return test_harness_run(argc, argv);
}
