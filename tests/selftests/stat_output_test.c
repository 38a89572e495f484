// SPDX-License-Identifier: GPL-2.0
/*
 * What `pmudev stat` writes: reports, compared character by character where counts are exact; more
 * events than usual; files, which are whole whenever they are read; and why it refuses.
 */
#include "common.h"
#include "kselftest_harness.h"
#include "stat_loop.h"

#include <dirent.h>
#include <fcntl.h>

TEST_F(interval, what_is_refused)
{
	static const char *const calls[][2] = {
		{ "-r 2 -I 10 -- true", "-r excludes -I" },
		{ "-r 2 -C 0", "-r repeats a command" },
		{ "-A -- true", "-A shows each CPU" },
		{ "-a -p 1 -- true", "only one of -C, -a, -t and -p" },
		{ "-I 0 -- true", "'0' is not a number of milliseconds" },
		{ "-r x -- true", "'x' is not a number of runs" },
		{ "--summary -- true", "need -I MS" },
		{ "--json --csv -- true", "only one of --json" },
		{ "--openmetrics -I 10 -- true", "name it with -o FILE" },
		{ "--per-core -- true", "they need -C CPUS or -a" },
		{ "--per-thread -a -- true", "it needs -p PIDS or -t TIDS" },
		{ "-A --per-core -a -- true", "only one of -A, --per-thread" },
		{ "--per-cache -a -- true", "stat does not have perf's --per-cache" },
		{ "-M nosuch -- true", "there is no metric 'nosuch'" },
		{ "-e cycles:p -- true", "perf's :p is for precise samples" },
		{ "-e sched:sched_switch -- true", "if GROUP:NAME is a tracepoint" },
		{ "-e user_time -- true", "user_time: perf's event" },
		{ "-D -1 -- true", "-D -1 waits for \"enable\"" },
		{ "--control x -- true", "--control takes fd:CTL[,ACK]" },
		{ "-o x --log-fd 3 -- true", "only one of -o and --log-fd" },
		{ "-o /nowhere/x -- true", "cannot write '/nowhere/x'" },
		{ "--openmetrics -o /nowhere/x -- true", "cannot write '/nowhere/x'" },
	};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(calls); i++) {
		run(&output, "pmudev stat %s", calls[i][0]);
		EXPECT_NE(0, output.status) TH_LOG("%s", calls[i][0]);
		EXPECT_EQ(1, times_in(&output, calls[i][1])) TH_LOG("%s", output.text);
	}
}

/* More events, as far as there are any; a ratio is of two in one group. */
TEST_F(interval, more_events)
{
	struct pmudev_query query;
	int branches;

	ASSERT_EQ(0, pm_query(&query));
	run(&output, "pmudev stat -d -- %s --play loop %d", program, FEW);
	EXPECT_EQ(0, output.status) TH_LOG("%s", output.text);
	EXPECT_EQ(1, times_in(&output, " insn per cycle"));
	branches = query.generic >> PMUDEV_BRANCHES & 1;
	EXPECT_EQ(branches, times_in(&output, "  branches ")) TH_LOG("%s", output.text);
	if (!branches)
		EXPECT_EQ(1, times_in(&output, "This CPU does not have: branches"));
	/* As counts, or among those that the CPU does not have. */
	EXPECT_EQ(1, times_in(&output, " L1-dcache-loads")) TH_LOG("%s", output.text);
	if (query.arch != PMUDEV_ARCH_ARM64)
		EXPECT_EQ(1, times_in(&output, "  L1-dcache-load-misses"))
	TH_LOG("%s", output.text);
}

/* On all counters for any event but one, of AMD two, as the command takes events. */
static void on_all_but_one(char *events, size_t size, const struct pmudev_query *query)
{
	__u64 counters = query->available & 0x7fffffff;
	size_t used = 0;

	/* There is no other for cycles, or for instructions. */
	if (query->arch == PMUDEV_ARCH_AMD)
		counters &= counters - 1;
	for (counters &= counters - 1; counters; counters &= counters - 1)
		used += snprintf(events + used, size - used, "%sinstructions@%d", used ? "," : "",
				 __builtin_ctzll(counters));
}

#define HOLDER "/tmp/stat.holder"

/* Runs are added up by event: one that cannot have those of the first ends with the reason. */
TEST_F(interval, fewer_counters_in_a_later_run)
{
	struct pmudev_query query;
	char events[512];

	ASSERT_EQ(0, pm_query(&query));
	if (~query.generic & (1ULL << PMUDEV_BRANCHES | 1ULL << PMUDEV_BRANCH_MISSES))
		SKIP(return, "no event here that can be left out by default");
	on_all_but_one(events, sizeof(events), &query);
	unlink(HOLDER);
	run(&output,
	    "pmudev stat -r 2 --post '[ -e " HOLDER " ] || {"
	    " pmudev stat -a -e %s </dev/null >/dev/null 2>&1 & echo $! >" HOLDER ";"
	    " until pmudev info | grep -qE \"^ *in use +[^n ]\"; do kill -0 $! && sleep 0.1 || exit 9; done; }' -- true",
	    events);
	EXPECT_EQ(126, output.status);
	EXPECT_EQ(0, times_in(&output, "task-clock")) TH_LOG("%s", output.text);
	run(&output, "pmudev stat -- true; kill $(cat " HOLDER ")");
	/* By itself such a run leaves them out. */
	EXPECT_EQ(1, times_in(&output, "not enough counters for: branches"))
	TH_LOG("%s", output.text);
	EXPECT_TRUE(WAIT_FOR(!pm_query(&query) && !query.busy));
}

/* --------------------------------------------------------------------- formats -- */

/* Is it that text? In @wanted '?' stands for a number, with a point or without. */
static bool is_like(const char *text, const char *wanted)
{
	for (; *wanted; wanted++) {
		if (*wanted != '?') {
			if (*text++ != *wanted)
				return false;
			continue;
		}
		if (*text < '0' || *text > '9')
			return false;
		text += strspn(text, "0123456789.");
	}
	return !*text;
}

/* 1234567 -> "1,234,567" */
static void with_commas(__u64 value, char *text, size_t size)
{
	if (value < 1000000)
		snprintf(text, size, "%llu,%03llu", value / 1000, value % 1000);
	else
		snprintf(text, size, "%llu,%03llu,%03llu", value / 1000000, value / 1000 % 1000,
			 value % 1000);
}

#define JSON_ROW \
	"{\"event\": \"%s\", \"pmu\": \"%s\", \"counter-value\": %llu, \"estimated\": false, \"unit\": \"\", \"event-runtime\": ?, \"pcnt-running\": 100.00}\n"
#define JSON_END \
	"{\"target\": \"command\", \"command\": [\"%s\", \"--play\", \"loop\", \"%d\"], \"elapsed-seconds\": ?, \"user-seconds\": ?, \"sys-seconds\": ?, \"runs\": 1, \"exit-status\": 0, \"notes\": []}\n"
#define CSV_HEADER \
	"stretch,seconds,cpu,event,pmu,value,why,estimated,running_ns,running_percent,variance_percent,metric,metric_unit,unit,group,cgroup\n"
#define CSV_ROW "total,?,,%s,%s,%llu,,0,?,100.00,,,,,,\n"

/* Does the command tell an erratum of this CPU about it? */
static bool has_erratum(const char *event)
{
	run(&output, "pmudev explain -e %s -j", event);
	return !times_in(&output, "\"errata\": []");
}

/* The count is known: that of a shorter loop, and the difference. */
TEST_F(interval, written)
{
	char number[64], wanted[4096], labels[512];
	struct pmudev_query query;
	__u64 value;

	if (!exact_programs())
		SKIP(return, "instructions are not counted exactly here (PMUDEV_EXACT)");
	if (has_erratum(event))
		SKIP(return, "a note says how this CPU miscounts the event");
	if (debug_kernel())
		SKIP(return, "a note says what CPU time went by before: an exec takes long");
	ASSERT_EQ(0, pm_query(&query));
	value = counted_once(FEW) + MORE;
	with_commas(value, number, sizeof(number));

	run(&output, "pmudev stat -e %s -- %s --play loop %d", event, program, MANY);
	snprintf(wanted, sizeof(wanted),
		 "\n Performance counter stats for '%s --play loop %d':\n\n%18s      %s\n\n"
		 "      ? seconds time elapsed\n\n      ? seconds user\n      ? seconds sys\n\n",
		 program, MANY, number, event);
	EXPECT_TRUE(is_like(output.text, wanted)) TH_LOG("%s: %s", wanted, output.text);

	run(&output, "pmudev stat --json -e %s -- %s --play loop %d", event, program, MANY);
	snprintf(wanted, sizeof(wanted), JSON_ROW JSON_END, event, query.name, value, program,
		 MANY);
	EXPECT_TRUE(is_like(output.text, wanted)) TH_LOG("%s: %s", wanted, output.text);

	run(&output, "pmudev stat --csv -e %s -- %s --play loop %d", event, program, MANY);
	snprintf(wanted, sizeof(wanted), CSV_HEADER CSV_ROW, event, query.name, value);
	EXPECT_TRUE(is_like(output.text, wanted)) TH_LOG("%s: %s", wanted, output.text);

	run(&output, "pmudev stat -x ';' -e %s -- %s --play loop %d", event, program, MANY);
	snprintf(wanted, sizeof(wanted), "%llu;;%s;?;100.00;;\n", value, event);
	EXPECT_TRUE(is_like(output.text, wanted)) TH_LOG("%s: %s", wanted, output.text);

	run(&output,
	    "pmudev stat --openmetrics -e %s -- %s --play loop %d 2>&1 | grep -v '^# [TUH]'", event,
	    program, MANY);
	snprintf(labels, sizeof(labels), "target=\"command\",comm=\"%s\"",
		 strrchr(program, '/') ? strrchr(program, '/') + 1 : program);
	snprintf(wanted, sizeof(wanted),
		 "pmudev_events{event=\"%s\",pmu=\"%s\",%s} %llu\n"
		 "pmudev_running_ratio{event=\"%s\",pmu=\"%s\",%s} 1.0000\n"
		 "pmudev_elapsed_seconds{%s} ?\n"
		 "pmudev_cpu_seconds{mode=\"user\",%s} ?\n"
		 "pmudev_cpu_seconds{mode=\"system\",%s} ?\n"
		 "# EOF\n",
		 event, query.name, labels, value, event, query.name, labels, labels, labels,
		 labels);
	EXPECT_TRUE(is_like(output.text, wanted)) TH_LOG("%s: %s", wanted, output.text);
}

/* How many files there are whose names begin so. */
static int files_like(const char *folder, const char *name)
{
	DIR *dir = opendir(folder);
	struct dirent *entry;
	int nr = 0;

	while (dir && (entry = readdir(dir)))
		nr += !strncmp(entry->d_name, name, strlen(name));
	if (dir)
		closedir(dir);
	return nr;
}

/* Whoever reads the file finds a whole report, whenever that is. */
TEST_F(interval, replaced_at_once)
{
	static char text[4096];
	struct running running;
	int reads = 0, len, fd;

	unlink("/tmp/stat.prom");
	running = start("pmudev stat -C 0 -I 1 --timeout 200 --openmetrics -o /tmp/stat.prom -e %s",
			event);
	ASSERT_TRUE(WAIT_FOR(!access("/tmp/stat.prom", R_OK)));
	while (files_like("/tmp", "stat.prom.") || reads < 50) {
		fd = open("/tmp/stat.prom", O_RDONLY);
		ASSERT_GE(fd, 0);
		len = read(fd, text, sizeof(text) - 1);
		close(fd);
		ASSERT_GT(len, 6);
		text[len] = '\0';
		ASSERT_EQ(0, strncmp(text, "# TYPE ", 7)) TH_LOG("%s", text);
		ASSERT_EQ(0, strcmp(text + len - 6, "# EOF\n")) TH_LOG("%s", text);
		reads++;
	}
	finish(running, &output);
	EXPECT_EQ(0, output.status) TH_LOG("%s", output.text);
	EXPECT_EQ(1, files_like("/tmp", "stat.prom"));
	/* -o and --append of the others. */
	run(&output, "pmudev stat --json -o /tmp/stat.json -- true");
	run(&output, "pmudev stat --json --append -o /tmp/stat.json -- true");
	run(&output, "grep -c elapsed /tmp/stat.json");
	EXPECT_EQ(0, strcmp(output.text, "2\n")) TH_LOG("%s", output.text);
}

int main(int argc, char **argv)
{
	if (argc > 2 && !strcmp(argv[1], "--play"))
		return play(argc - 1, argv + 1);
	return test_harness_run(argc, argv);
}
