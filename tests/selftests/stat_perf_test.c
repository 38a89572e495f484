// SPDX-License-Identifier: GPL-2.0
/*
 * perf's ways to count, by `pmudev stat`: each thread by itself, several processes, when --control
 * says so, the kernel's software events, CPUs by core and socket. Where the machine is exact, of
 * two runs the difference is known.
 */
#include "common.h"
#include "kselftest_harness.h"
#include "server.h"
#include "stat_loop.h"

#include <fcntl.h>
#include <sched.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>

#define CTL "/tmp/stat.ctl"
#define ACK "/tmp/stat.ack"

/* ------------------------------------------------------------------------- parts -- */

static int tell(int ctl, int ack, const char *command)
{
	const ssize_t len = strlen(command);
	char answer[4];

	return write(ctl, command, len) == len && read(ack, answer, 4) == 4 ? 0 : 1;
}

/*
 * Only the loop is counted. Both processes are on one CPU: the one that is told waits until this
 * one sleeps in read(2).
 */
static int play_toggle(long rounds)
{
	const struct sched_param first = { .sched_priority = 1 };
	int ctl = open(CTL, O_WRONLY), ack = open(ACK, O_RDONLY);

	if (ctl < 0 || ack < 0 || sched_setscheduler(0, SCHED_FIFO, &first))
		return 1;
	loop(FEW);
	if (tell(ctl, ack, "enable\n"))
		return 1;
	loop(rounds);
	if (tell(ctl, ack, "disable\n"))
		return 1;
	loop(FEW);
	return 0;
}

/* Touches so many pages, each for the first time. */
static int play_touch(long pages)
{
	const size_t size = getpagesize();
	char *memory = mmap(NULL, pages * size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS,
			    -1, 0);

	if (memory == MAP_FAILED)
		return 1;
	madvise(memory, pages * size, MADV_NOHUGEPAGE);
	while (pages--)
		__atomic_store_n(&memory[pages * size], 1, __ATOMIC_RELAXED);
	return 0;
}

static int play_naps(long naps)
{
	while (naps--)
		usleep(1000);
	return 0;
}

static int play_part(int argc, char **argv)
{
	const long n = argc > 2 ? number(argv[2]) : 0;
	int i;

	if (!strcmp(argv[1], "toggle"))
		return play_toggle(n);
	if (!strcmp(argv[1], "touch"))
		return play_touch(n);
	if (!strcmp(argv[1], "naps"))
		return play_naps(n);
	if (strcmp(argv[1], "ask"))
		return play(argc, argv);
	for (i = 3; i < argc; i++)
		if (ask_server(atoi(argv[i]), n))
			return 1;
	return 0;
}

/* ------------------------------------------------------------------------- output -- */

/* The nth field between commas; empty if there is none. */
static void field(const char *line, unsigned int n, char *buf, size_t size)
{
	for (; n && *line && *line != '\n'; line++)
		n -= *line == ',';
	snprintf(buf, size, "%.*s", n ? 0 : (int)strcspn(line, ",\n"), line);
}

/* Of the lines of -x , whose first field ends so: the value in field @at. -1: there is none. */
static long long value_of(const char *end, unsigned int at)
{
	const char *line = output.text;
	char first[64], value[64];

	for (; line; line = strchr(line, '\n')) {
		line += *line == '\n';
		field(line, 0, first, sizeof(first));
		if (strlen(first) < strlen(end) || strcmp(first + strlen(first) - strlen(end), end))
			continue;
		field(line, at, value, sizeof(value));
		if (*value >= '0' && *value <= '9')
			return strtoll(value, NULL, 10);
	}
	return -1;
}

/* The number in front of an event's name, in a report of -x with one event. */
static double only_value(void)
{
	return strtod(output.text, NULL);
}

/* ------------------------------------------------------------------------ threads -- */

/* Of each thread what the server's loops count more when they are longer. */
struct threads {
	unsigned int nr;
	int ids[16];
	long long few[16];
	long long more[16];
};

static void find_threads(int pid, struct threads *threads)
{
	char path[64];
	int id;

	threads->nr = 0;
	for (id = pid; id < pid + 64 && threads->nr < 16; id++) {
		snprintf(path, sizeof(path), "/proc/%d/task/%d", pid, id);
		if (!access(path, F_OK))
			threads->ids[threads->nr++] = id;
	}
}

static bool ask_threads(const char *options, int pid, struct threads *threads)
{
	const long rounds[] = { FEW, MANY };
	char end[16];
	unsigned int i, t;

	for (i = 0; i < 2; i++) {
		run(&output, "pmudev stat --per-thread %s %d -x , -e %s -- %s --play ask %ld %d",
		    options, pid, event, program, rounds[i], pid);
		if (output.status)
			return false;
		for (t = 0; t < threads->nr; t++) {
			snprintf(end, sizeof(end), "-%d", threads->ids[t]);
			threads->more[t] = value_of(end, 1) - (i ? threads->few[t] : 0);
			if (!i)
				threads->few[t] = threads->more[t];
		}
	}
	return true;
}

/* All but the main thread. */
static long long workers(const struct threads *threads)
{
	long long more = 0;
	unsigned int t;

	for (t = 1; t < threads->nr; t++)
		more += threads->more[t];
	return more;
}

TEST_F(interval, each_thread)
{
	struct threads threads;

	self->server = start_server();
	ASSERT_GT(self->server, 0);
	find_threads(self->server, &threads);
	ASSERT_EQ(SERVER_THREADS + 1, threads.nr);
	/* The main thread makes a child that loops. The others share the loops among them. */
	ASSERT_TRUE(ask_threads("-p", self->server, &threads)) TH_LOG("%s", output.text);
	EXPECT_GE(threads.more[0], (long long)(MANY - FEW)) TH_LOG("%s", output.text);
	EXPECT_GE(workers(&threads), SERVER_THREADS * (long long)(MANY - FEW));
	if (!exact_programs())
		SKIP(return, "instructions are not counted exactly here (PMUDEV_EXACT)");
	EXPECT_EQ((long long)MORE, threads.more[0]) TH_LOG("%s", output.text);
	EXPECT_EQ(SERVER_THREADS * (long long)MORE, workers(&threads)) TH_LOG("%s", output.text);
	ASSERT_TRUE(ask_threads("-i -p", self->server, &threads)) TH_LOG("%s", output.text);
	EXPECT_EQ(0, threads.more[0]) TH_LOG("%s", output.text);
	EXPECT_EQ(SERVER_THREADS * (long long)MORE, workers(&threads)) TH_LOG("%s", output.text);
	/* Of one thread that was named, the same. */
	ASSERT_TRUE(ask_threads("-t", self->server, &threads)) TH_LOG("%s", output.text);
	EXPECT_EQ((long long)MORE, threads.more[0]) TH_LOG("%s", output.text);
}

TEST_F(interval, several_processes)
{
	const long rounds[] = { FEW, MANY };
	long long value[2];
	int other, i;

	self->server = start_server();
	other = start_server();
	ASSERT_GT(self->server, 0);
	ASSERT_GT(other, 0);
	for (i = 0; i < 2; i++) {
		run(&output, "pmudev stat -p %d,%d -x , -e %s -- %s --play ask %ld %d %d",
		    self->server, other, event, program, rounds[i], self->server, other);
		EXPECT_EQ(0, output.status);
		value[i] = only_value();
	}
	EXPECT_GE(value[1] - value[0], 2LL * (SERVER_THREADS + 1) * (MANY - FEW));
	if (exact_programs())
		EXPECT_EQ(2LL * (SERVER_THREADS + 1) * (long long)MORE, value[1] - value[0])
	TH_LOG("%s", output.text);
	run(&output, "pmudev stat -p %d,%d -e %s -- true", self->server, other, event);
	EXPECT_EQ(1, times_in(&output, "for 'processes ")) TH_LOG("%s", output.text);
	stop_child(other);
}

/* ------------------------------------------------------------------------ control -- */

static long long toggled(const char *shell, const char *control, long rounds)
{
	run(&output, "%s pmudev stat -D -1 --control %s -x , -e %s -- %s --play toggle %ld", shell,
	    control, event, program, rounds);
	return output.status ? -1 : (long long)only_value();
}

TEST_F(interval, control)
{
	const char *const fifos = "fifo:" CTL "," ACK, *const fds = "fd:8,9";
	const char *const opened = "exec 8<>" CTL " 9<>" ACK ";";
	long long few, many, again;

	ASSERT_EQ(0, pin_to(0));
	unlink(CTL);
	unlink(ACK);
	ASSERT_EQ(0, mkfifo(CTL, 0600));
	ASSERT_EQ(0, mkfifo(ACK, 0600));
	few = toggled("", fifos, FEW);
	EXPECT_GE(few, (long long)FEW) TH_LOG("%s", output.text);
	many = toggled("", fifos, MANY);
	EXPECT_GE(many, (long long)MANY) TH_LOG("%s", output.text);
	again = toggled(opened, fds, MANY);
	EXPECT_GE(again, (long long)MANY) TH_LOG("%s", output.text);
	if (!exact_programs())
		SKIP(return, "instructions are not counted exactly here (PMUDEV_EXACT)");
	EXPECT_EQ((long long)MORE, many - few);
	EXPECT_EQ(many, again);
	/* What is around the loop is not counted: two loops of FEW rounds. */
	EXPECT_LT(few, (long long)(FEW + FEW / 2) * LOOP_INSTRUCTIONS);
}

/* Nobody says enable: nothing is known, which is not 0. */
TEST_F(interval, never_enabled)
{
	unlink(CTL);
	ASSERT_EQ(0, mkfifo(CTL, 0600));
	run(&output, "pmudev stat -D -1 --control fifo:" CTL " -e %s,page-faults -- true", event);
	EXPECT_EQ(0, output.status);
	EXPECT_EQ(2, times_in(&output, "<not counted>")) TH_LOG("%s", output.text);
}

/* Nor is it in intervals during all of which counting was off. */
TEST_F(interval, disabled_for_intervals)
{
	unlink(CTL);
	ASSERT_EQ(0, mkfifo(CTL, 0600));
	run(&output,
	    "exec 8<>" CTL "; echo disable >&8;"
	    " pmudev stat -I 100 --interval-count 3 --control fd:8 -e %s,page-faults -- sleep 1",
	    event);
	EXPECT_EQ(0, output.status);
	EXPECT_EQ(4, times_in(&output, "<not counted>")) TH_LOG("%s", output.text);
}

/* Stop ends one run; the next is counted. */
TEST_F(interval, stopped_and_repeated)
{
	unlink(CTL);
	ASSERT_EQ(0, mkfifo(CTL, 0600));
	run(&output,
	    "exec 8<>" CTL
	    "; echo stop >&8; pmudev stat -r 2 --control fd:8 -x , -e %s -- %s --play loop %d",
	    event, program, 4 * MANY);
	EXPECT_EQ(0, output.status) TH_LOG("%s", output.text);
	/* The mean of it and of what the first counted until it was stopped. */
	EXPECT_GE(only_value(), 2.0 * MANY * LOOP_INSTRUCTIONS) TH_LOG("%s", output.text);
}

/* ---------------------------------------------------------------- software events -- */

static double counted(const char *events, const char *part, long n)
{
	run(&output, "pmudev stat -x , -e %s -- %s --play %s %ld", events, program, part, n);
	return output.status ? -1 : only_value();
}

#define PAGES 500

TEST_F(interval, page_faults)
{
	double few = counted("page-faults", "touch", PAGES);
	double many = counted("page-faults", "touch", 3 * PAGES);

	EXPECT_GE(few, PAGES) TH_LOG("%s", output.text);
	EXPECT_EQ(2 * PAGES, many - few) TH_LOG("%s", output.text);
	/* Beside an event of the PMU's, too. */
	run(&output, "pmudev stat -x , -e page-faults,%s -- %s --play touch %d", event, program,
	    3 * PAGES);
	EXPECT_EQ(many, only_value()) TH_LOG("%s", output.text);
}

TEST_F(interval, context_switches)
{
	double few = counted("context-switches", "naps", 10);
	double many = counted("cs", "naps", 60);

	EXPECT_GE(few, 10) TH_LOG("%s", output.text);
	EXPECT_GE(many, 60) TH_LOG("%s", output.text);
	EXPECT_LT(many - few, 100) TH_LOG("%s", output.text);
}

/* An instruction is a nanosecond. */
TEST_F(interval, cpu_time)
{
	/* A debug kernel's start of a program varies by as much as the loops take. */
	const int times = debug_kernel() ? 50 : 1;
	const double ms = times * MORE / 1e6;
	char events[64];
	double few, many;

	if (!exact_instructions())
		SKIP(return, "time is not instructions here (PMUDEV_EXACT)");
	/* From the set that counts, and from the kernel. */
	snprintf(events, sizeof(events), "task-clock,%s", event);
	few = counted(events, "loop", times * FEW);
	many = counted(events, "loop", times * MANY);
	EXPECT_GE(many - few, 0.95 * ms) TH_LOG("%s", output.text);
	EXPECT_LT(many - few, 1.2 * ms) TH_LOG("%s", output.text);
	EXPECT_EQ(1, times_in(&output, "CPUs utilized")) TH_LOG("%s", output.text);
	few = counted("task-clock", "loop", times * FEW);
	many = counted("task-clock", "loop", times * MANY);
	EXPECT_GE(many - few, 0.95 * ms) TH_LOG("%s", output.text);
	EXPECT_LT(many - few, 1.2 * ms) TH_LOG("%s", output.text);
}

TEST_F(interval, by_default)
{
	run(&output, "pmudev stat -- %s --play loop %d", program, FEW);
	EXPECT_EQ(0, output.status);
	EXPECT_EQ(1, times_in(&output, " msec task-clock ")) TH_LOG("%s", output.text);
	EXPECT_EQ(1, times_in(&output, "CPUs utilized"));
	EXPECT_EQ(1, times_in(&output, "context-switches"));
	EXPECT_EQ(1, times_in(&output, "cpu-migrations"));
	EXPECT_EQ(1, times_in(&output, "page-faults"));
	EXPECT_EQ(1, times_in(&output, "insn per cycle"));
	EXPECT_EQ(1, times_in(&output, " GHz"));
	/* Counted, or named as missing. */
	EXPECT_EQ(1, times_in(&output, "branch-misses")) TH_LOG("%s", output.text);
}

/* --------------------------------------------------------------------------- CPUs -- */

TEST_F(interval, by_topology)
{
	static const char *const options[] = { "core", "cluster", "die", "socket", "node" };
	long long cpus, value;
	const char *line;
	char text[64];
	size_t i;

	for (i = 0; i < ARRAY_SIZE(options); i++) {
		run(&output, "pmudev stat -a --per-%s -x , -e %s,page-faults -- %s --play loop %d",
		    options[i], event, program, MANY);
		EXPECT_EQ(0, output.status) TH_LOG("%s", output.text);
		cpus = 0;
		value = 0;
		for (line = output.text; *line; line += strcspn(line, "\n") + 1) {
			field(line, 4, text, sizeof(text));
			if (!strcmp(text, "page-faults"))
				continue;
			field(line, 1, text, sizeof(text));
			cpus += atoi(text);
			field(line, 2, text, sizeof(text));
			value += strtoll(text, NULL, 10);
		}
		EXPECT_EQ(cpus_online(), cpus) TH_LOG("%s: %s", options[i], output.text);
		EXPECT_GE(value, (long long)MANY);
	}
}

/* -------------------------------------------------------------------- small things -- */

TEST_F(interval, around_the_command)
{
	__u64 value;

	run(&output,
	    "pmudev stat --pre 'echo before' --post 'echo behind' -n --quiet -- echo between");
	EXPECT_EQ(0, strcmp(output.text, "before\nbetween\nbehind\n")) TH_LOG("%s", output.text);
	run(&output, "pmudev stat --pre 'exit 3' -n -- echo between");
	EXPECT_EQ(3, output.status);
	EXPECT_EQ(0, times_in(&output, "between\n"));
	run(&output,
	    "ulimit -Sn 100; pmudev stat --pre 'ulimit -n' --post 'ulimit -n' -r 2 -n --quiet -- sh -c 'ulimit -n'");
	EXPECT_EQ(0, strcmp(output.text, "100\n100\n100\n100\n100\n100\n"))
	TH_LOG("%s", output.text);
	run(&output, "pmudev stat --log-fd 3 -n -- true 3>/tmp/log; cat /tmp/log");
	EXPECT_EQ(1, times_in(&output, "seconds time elapsed")) TH_LOG("%s", output.text);
	run(&output, "pmudev stat --quiet -e %s -- true", event);
	EXPECT_EQ('\0', *output.text) TH_LOG("%s", output.text);
	run(&output, "pmudev stat --all-user -x , -e %.*s -- %s --play loop %d",
	    (int)strcspn(event, ":"), event, program, MANY);
	EXPECT_EQ(1, times_in(&output, event)) TH_LOG("%s", output.text);
	value = only_value();
	if (exact_programs())
		EXPECT_EQ(counted_once(MANY), value);
	run(&output, "pmudev stat --metric-only -x ';' -e instructions,cycles -- true");
	EXPECT_EQ(1, times_in(&output, "insn per cycle;")) TH_LOG("%s", output.text);
	run(&output, "pmudev stat -r 3 --table -n -- true");
	EXPECT_EQ(1, times_in(&output, "# Final result:")) TH_LOG("%s", output.text);
}

int main(int argc, char **argv)
{
	if (argc > 2 && !strcmp(argv[1], "--play"))
		return play_part(argc - 1, argv + 1);
	return test_harness_run(argc, argv);
}
