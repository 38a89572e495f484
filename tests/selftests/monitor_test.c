// SPDX-License-Identifier: GPL-2.0
/*
 * Two counters that count the same event agree: what `pmudev verify-counters` shows. On CPU 3,
 * instructions and cycles on two counters each, all chosen by hand and in one group.
 */
#include "common.h"
#include "kselftest_harness.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#define CPU    3
#define READS  10
#define ROUNDS 100000

/* Readings: events 0 and 1 are instructions, 2 and 3 cycles. */
#define EVENTS 4

/* Those of the command */
#if defined(__x86_64__)
/* Intel: programmable counters 2 and 3, fixed counters 0 and 1. AMD has no fixed ones. */
static const __u32 intel[EVENTS] = { 2, 32, 3, 33 };
static const __u32 amd[EVENTS] = { 2, 3, 0, 1 };

static const __u32 *chosen(void)
{
	return is_amd ? amd : intel;
}
#else
static const __u32 *chosen(void)
{
	/* Event counters; the cycle counter. */
	static const __u32 counters[EVENTS] = { 2, 4, 3, 32 };

	return counters;
}
#endif

/*
 * The group's counters are started by one register write (of AMD's before PerfMonV2: one after
 * another) and read one after another with interrupts off, the two readings of an event right
 * behind each other. So there is one reading between them: from the pointer to an event over the
 * read instruction to its new count, some 30 instructions. Kernels that check everything take some
 * more.
 */
#define APART 60

static long instructions_apart(void)
{
	if (kcsan_kernel())
		return 100 * APART;
	return debug_kernel() ? 3 * APART : APART;
}

/* On silicon reading a counter takes some ten cycles, and memory may be far away. */
static long cycles_apart(void)
{
	return instructions_apart() * (emulated() ? EMULATED_CYCLES : 50);
}

FIXTURE(monitor)
{
	int fd;
	int load; /* a child that runs on the CPU now and then */
};

static int run_load(void)
{
	int child = fork_bound();

	if (!child) {
		pin_to(CPU);
		for (;;) {
			loop(20000);
			pause_ns(30000);
		}
	}
	return child;
}

FIXTURE_SETUP(monitor)
{
	struct pmudev_event_attr events[EVENTS];
	struct pmudev_query query;
	__u64 wanted = 0;
	int i;

	self->fd = -1;
	self->load = -1;
	for (i = 0; i < EVENTS; i++) {
		events[i] = raw_event(i < 2 ? EVENT_INSTRUCTIONS : EVENT_CYCLES, PMUDEV_COUNTER);
		events[i].counter = chosen()[i];
		wanted |= 1ULL << chosen()[i];
	}
	if (cpus_online() <= CPU)
		SKIP(return, "needs CPU 3");
	ASSERT_EQ(0, pm_query(&query));
	if (wanted & ~query.counters)
		SKIP(return, "needs counters %#llx, has %#llx", wanted, query.counters);
	ASSERT_EQ(0, pin_to(0));
	self->load = run_load();
	self->fd = pm_cpu_set(CPU, 0, events, EVENTS);
	ASSERT_GE(self->fd, 0) TH_LOG("refused: reason %u, event %d", why.code, why.event);
}

FIXTURE_TEARDOWN(monitor)
{
	if (self->load > 0)
		stop_child(self->load);
	if (self->fd >= 0)
		close(self->fd);
}

TEST_F(monitor, on_the_counters_chosen)
{
	__s32 got[EVENTS];
	int i;

	ASSERT_EQ(0, pm_place(self->fd, NULL, 0, got));
	for (i = 0; i < EVENTS; i++)
		EXPECT_EQ((__s32)chosen()[i], got[i]);
}

static long apart(const union record *r, int first)
{
	return r->r.counts[first + 1].value - r->r.counts[first].value;
}

/* Reads when the CPU has executed some more. */
static bool read_later(int fd, const union record *before, union record *after)
{
	return WAIT_FOR(!pm_read(fd, after) &&
			after->r.counts[0].value > before->r.counts[0].value + 2 * ROUNDS);
}

/* The kernel does the same each time: where counts are exact, readings stay as far apart. */
static void compare(struct __test_metadata *_metadata, int fd)
{
	union record before, after;
	long first = 0;
	int i, n;

	ASSERT_EQ(0, pm_read(fd, &before));
	for (n = 0; n < READS; n++) {
		ASSERT_TRUE(read_later(fd, &before, &after));
		TH_LOG("%llu instructions, apart by %ld; %llu cycles, apart by %ld",
		       after.r.counts[0].value - before.r.counts[0].value, apart(&after, 0),
		       after.r.counts[2].value - before.r.counts[2].value, apart(&after, 2));
		if (!n)
			first = apart(&after, 0);
		if (exact_instructions() && !kcsan_kernel())
			EXPECT_EQ(first, apart(&after, 0));
		EXPECT_LE(labs(apart(&after, 0)), instructions_apart());
		EXPECT_LE(labs(apart(&after, 2)), cycles_apart());
		for (i = 0; i < EVENTS; i++) {
			EXPECT_GT(after.r.counts[i].value, before.r.counts[i].value);
			EXPECT_EQ(after.r.counts[i].time_enabled, after.r.counts[i].time_running);
		}
		before = after;
	}
}

TEST_F(monitor, agree_read_from_another_cpu)
{
	compare(_metadata, self->fd);
}

TEST_F(monitor, agree_read_from_the_cpu)
{
	ASSERT_EQ(0, pin_to(CPU));
	compare(_metadata, self->fd);
}

/* ------------------------------------------------------------- the command -- */

#define LINES	5
#define COMMAND "pmudev verify-counters --cpu 3 --interval 0.1 --lines 5 2>&1"

struct line {
	double seconds;
	unsigned long long count[EVENTS];
	long difference[2];
	char remark[64];
};

/* A line of numbers, and what may follow them. */
static bool parse_line(const char *text, struct line *line)
{
	memset(line, 0, sizeof(*line));
	return sscanf(text, "%lf %llu %llu %ld %llu %llu %ld %63[^\n]", &line->seconds,
		      &line->count[0], &line->count[1], &line->difference[0], &line->count[2],
		      &line->count[3], &line->difference[1], line->remark) >= 7;
}

static bool differences_hold(const struct line *line)
{
	return line->difference[0] == (long)(line->count[1] - line->count[0]) &&
	       line->difference[1] == (long)(line->count[3] - line->count[2]) &&
	       labs(line->difference[0]) <= instructions_apart() &&
	       labs(line->difference[1]) <= cycles_apart();
}

/* What `pmudev verify-counters` prints is that, too. */
TEST_F(monitor, the_command)
{
	struct line line, total = { 0 };
	int lines = 0, status, i;
	bool sum = false;
	char text[512];
	FILE *output;

	/* Its counters are those of the fixture's set. */
	close(self->fd);
	self->fd = -1;
	output = popen(COMMAND, "r");
	ASSERT_NE(NULL, output);
	while (fgets(text, sizeof(text), output)) {
		TH_LOG("%.*s", (int)strcspn(text, "\n"), text);
		if (*text == '#' || !parse_line(text, &line))
			continue;
		EXPECT_TRUE(differences_hold(&line));
		EXPECT_FALSE(sum);
		sum = !strcmp(line.remark, "# sum");
		lines += !sum;
		EXPECT_GE(line.seconds, total.seconds);
		EXPECT_GE(line.seconds, 0.1 * lines - 0.01);
		total.seconds = line.seconds;
		for (i = 0; i < EVENTS && !sum; i++) {
			EXPECT_GT(line.count[i], 0ULL);
			total.count[i] += line.count[i];
		}
	}
	status = pclose(output);
	if (WIFEXITED(status) && WEXITSTATUS(status) == 127)
		SKIP(return, "there is no `pmudev` command in PATH");
	EXPECT_EQ(0, status);
	EXPECT_EQ(LINES, lines);
	ASSERT_TRUE(sum);
	for (i = 0; i < EVENTS; i++)
		EXPECT_GE(line.count[i], total.count[i]);
}

TEST_HARNESS_MAIN
