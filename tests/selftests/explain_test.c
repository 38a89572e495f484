// SPDX-License-Identifier: GPL-2.0
/*
 * `pmudev explain` word for word: what it prints is made up here from what the ABI says of the
 * machine, and compared.
 */
#include "command.h"
#include "common.h"
#include "json_valid.h"
#include "kselftest_harness.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* An event that all programmable counters take, and its name for the command. */
static char event_name[16];

static struct output output;
static char wanted[16384];

static __attribute__((__format__(printf, 1, 2))) void want(const char *format, ...)
{
	size_t used = strlen(wanted);
	va_list args;

	va_start(args, format);
	vsnprintf(wanted + used, sizeof(wanted) - used, format, args);
	va_end(args);
}

static const char *name_of(int counter)
{
	static char names[4][24];
	static int next;
	char *name = names[next++ % 4];

	if (counter < 0)
		return "none";
	snprintf(name, sizeof(names[0]), counter < 32 ? "counter %d" : "fixed %d", counter % 32);
	return name;
}

FIXTURE(explain)
{
	struct pmudev_query query;
	__u64 programmable; /* that sets can get */
	unsigned int nr;
	int first;
	int fd;
};

FIXTURE_SETUP(explain)
{
	self->fd = -1;
	if (!have_command())
		SKIP(return, "there is no `pmudev` command in PATH");
	ASSERT_EQ(0, pm_query(&self->query));
	self->programmable = self->query.available & 0xffffffff;
	self->nr = __builtin_popcountll(self->programmable);
	self->first = __builtin_ctzll(self->programmable);
	/* Of cycles: the fixed counter may take it, too; pinned by '@' it does not. */
	snprintf(event_name, sizeof(event_name), "r%x", EVENT_CYCLES);
	wanted[0] = '\0';
}

FIXTURE_TEARDOWN(explain)
{
	if (self->fd >= 0)
		close(self->fd);
}

/* All of them, one a counter. */
TEST_F(explain, all_fit)
{
	int width = strlen(event_name) + 2 > strlen("event") ? strlen(event_name) + 2 : 5;
	char list[1024] = "";
	unsigned int c;

	if (self->programmable & ~0x3ffULL)
		SKIP(return, "written for counters 0-9, has %#llx", self->programmable);
	want("%-*s  would get   may be on\n", width, "event");
	for (c = 0; c < 32; c++) {
		char event[32];

		if (!(self->programmable >> c & 1))
			continue;
		snprintf(event, sizeof(event), "%s@%u", event_name, c);
		snprintf(list + strlen(list), sizeof(list) - strlen(list), "%s%s", *list ? "," : "",
			 event);
		want("%-*s  %-10s  %u\n", width, event, name_of(c), c);
	}
	want("\nAll %u fit.\n", self->nr);
	run(&output, "pmudev explain -e %s", list);
	EXPECT_EQ(0, output.status);
	EXPECT_STREQ(wanted, output.text);
}

TEST_F(explain, two_want_the_same)
{
	char a[32], b[32];
	int width;

	snprintf(a, sizeof(a), "%s@%d", event_name, self->first);
	snprintf(b, sizeof(b), "%s@%d:u", event_name, self->first);
	width = strlen(b);
	want("%-*s  would get   may be on\n", width, "event");
	want("%-*s  %-10s  %d\n", width, a, name_of(self->first), self->first);
	want("%-*s  %-10s  %d\n", width, b, "none", self->first);
	want("\n1 of 2 does not fit. The counters it may be on have:\n");
	want("  %-10s  %s, in this list\n", name_of(self->first), a);
	want("\nEvents are counted all or none: this list is refused.\n");
	want("With `pmudev stat --multiplex` they would share the counters over time.\n");
	run(&output, "pmudev explain -e %s,%s", a, b);
	EXPECT_EQ(1, output.status);
	EXPECT_STREQ(wanted, output.text);
	/* In one group they cannot take turns. */
	run(&output, "pmudev explain -e '{%s,%s}'", a, b);
	EXPECT_EQ(1, output.status);
	EXPECT_EQ(0, times_in(&output, "--multiplex")) TH_LOG("%s", output.text);
}

/* Somebody else's set on a CPU, and whose it is. */
TEST_F(explain, held_by_a_set)
{
	struct pmudev_event_attr event = event_on(self->first, USER_ONLY);
	char name[32];
	int width;

	self->fd = pm_cpu_set(0, 0, &event, 1);
	ASSERT_GE(self->fd, 0);
	snprintf(name, sizeof(name), "%s@%d", event_name, self->first);
	width = strlen(name);
	want("%-*s  would get   may be on\n", width, "event");
	want("%-*s  %-10s  %d\n", width, name, "none", self->first);
	want("\n1 of 1 does not fit. The counters it may be on have:\n");
	want("  %-10s  process %d, counting CPU 0\n", name_of(self->first), getpid());
	want("\nEvents are counted all or none: this list is refused.\n");
	run(&output, "pmudev explain -e %s", name);
	EXPECT_EQ(1, output.status);
	EXPECT_STREQ(wanted, output.text);
	/* CPU sets are beside each other only on other CPUs. */
	run(&output, "pmudev explain -C 0 -e %s", name);
	EXPECT_EQ(1, output.status);
	if (cpus_online() > 1) {
		run(&output, "pmudev explain -C 1 -e %s", name);
		EXPECT_EQ(0, output.status) TH_LOG("%s", output.text);
		run(&output, "pmudev explain -C 0,1 -e %s", name);
		EXPECT_EQ(1, output.status);
		EXPECT_EQ(1, times_in(&output, "CPU 0:\n")) TH_LOG("%s", output.text);
		EXPECT_EQ(1, times_in(&output, "CPU 1:\n"));
	}
}

/* The same for programs: with an event of its own list, and with somebody else's set. */
TEST_F(explain, json)
{
	struct pmudev_event_attr event = event_on(self->first, USER_ONLY);
	char text[256];

	run(&output, "pmudev explain --json -e %s@%d", event_name, self->first);
	EXPECT_EQ(0, output.status);
	ASSERT_TRUE(json_lines_valid(output.text)) TH_LOG("%s", output.text);
	snprintf(wanted, sizeof(wanted),
		 "{\"pmu\": \"%s\", \"cpu\": null, \"alike\": 1, \"fits\": true, \"events\": "
		 "[{\"event\": \"%s@%d\", \"fits\": true, \"counter\": \"%d\", "
		 "\"may-be-on\": [\"%d\"]}], \"taken\": []}\n",
		 self->query.name, event_name, self->first, self->first, self->first);
	if (self->query.nr_pmus == 1)
		EXPECT_EQ(1, times_in(&output, wanted)) TH_LOG("%s", output.text);
	EXPECT_EQ(1, times_in(&output, "{\"fits\": true, \"multiplexed\": false, "
				       "\"multiplex-helps\": false, \"user-only\": false, "
				       "\"threshold-cycles\": false, \"errata\": ["))
	TH_LOG("%s", output.text);
	run(&output, "pmudev explain --json -e %s@%d,%s@%d:u", event_name, self->first, event_name,
	    self->first);
	EXPECT_EQ(1, output.status);
	ASSERT_TRUE(json_lines_valid(output.text)) TH_LOG("%s", output.text);
	snprintf(text, sizeof(text), "\"taken\": [{\"counter\": \"%d\", \"event\": \"%s@%d\"}]}",
		 self->first, event_name, self->first);
	EXPECT_LE(1, times_in(&output, text)) TH_LOG("%s", output.text);
	EXPECT_EQ(1, times_in(&output, "\"multiplex-helps\": true")) TH_LOG("%s", output.text);
	self->fd = pm_cpu_set(0, 0, &event, 1);
	ASSERT_GE(self->fd, 0);
	run(&output, "pmudev explain --json -C 0 -e %s@%d", event_name, self->first);
	EXPECT_EQ(1, output.status);
	ASSERT_TRUE(json_lines_valid(output.text)) TH_LOG("%s", output.text);
	snprintf(text, sizeof(text),
		 "\"counter\": null, \"may-be-on\": [\"%d\"]}], \"taken\": [{\"counter\": \"%d\", "
		 "\"event\": null, \"kind\": \"cpu-set\", \"pid\": %d, \"cpu\": 0}]}",
		 self->first, self->first, getpid());
	EXPECT_EQ(1, times_in(&output, text)) TH_LOG("%s", output.text);
	EXPECT_EQ(1, times_in(&output, "\"cpu\": 0, \"alike\": 1, \"fits\": false"));
	EXPECT_EQ(1, times_in(&output, "\n{\"fits\": false, "));
}

/* A set that counts a thread holds counters for that thread, and for CPUs. */
TEST_F(explain, held_by_a_thread)
{
	struct pmudev_event_attr event = event_on(self->first, USER_ONLY);
	char holder[64];

	self->fd = pm_set(&event, 1, true);
	ASSERT_GE(self->fd, 0);
	run(&output, "pmudev explain -e %s@%d", event_name, self->first);
	EXPECT_EQ(0, output.status) TH_LOG("%s", output.text);
	snprintf(holder, sizeof(holder), "  process %d, counting a thread\n", getpid());
	run(&output, "pmudev explain -C 0 -e %s@%d", event_name, self->first);
	EXPECT_EQ(1, output.status);
	EXPECT_EQ(1, times_in(&output, holder)) TH_LOG("%s", output.text);
	run(&output, "pmudev explain -t %d -e %s@%d", getpid(), event_name, self->first);
	EXPECT_EQ(1, output.status);
	EXPECT_EQ(1, times_in(&output, holder)) TH_LOG("%s", output.text);
	run(&output, "pmudev explain -p %d -e %s@%d", getpid(), event_name, self->first);
	EXPECT_EQ(1, output.status);
	EXPECT_EQ(1, times_in(&output, holder)) TH_LOG("%s", output.text);
}

/* What is printed can be written. */
TEST_F(explain, fixed_counters)
{
	static const char *const ways[] = { "@fixed 0", "@fixed0", "@fixed0-0" };
	unsigned int i;

	if (!self->query.width_fixed)
		SKIP(return, NO_FIXED_COUNTER);
	for (i = 0; i < 3; i++) {
		run(&output, "pmudev explain -e 'r%x%s'", FIXED_EVENT, ways[i]);
		EXPECT_EQ(0, output.status);
		EXPECT_EQ(1, times_in(&output, "  fixed 0     fixed 0\n"))
		TH_LOG("%s", output.text);
	}
}

/* More than there are: each of the rest is told once, and every counter that it may be on. */
TEST_F(explain, more_than_there_are)
{
	char list[1024] = "", wanted_line[64];
	unsigned int i, extra = 3;

	for (i = 0; i < self->nr + extra; i++)
		snprintf(list + strlen(list), sizeof(list) - strlen(list), "%s%s@0-31",
			 i ? "," : "", event_name);
	run(&output, "pmudev explain -e %s", list);
	EXPECT_EQ(1, output.status);
	snprintf(wanted_line, sizeof(wanted_line), "\n%u of %u do not fit. ", extra,
		 self->nr + extra);
	EXPECT_EQ(1, times_in(&output, wanted_line)) TH_LOG("%s", output.text);
	EXPECT_EQ(extra, times_in(&output, "  none  "));
	EXPECT_EQ(self->nr, times_in(&output, ", in this list\n"));
	run(&output, "pmudev explain --multiplex -e %s", list);
	EXPECT_EQ(0, output.status);
	EXPECT_EQ(1, times_in(&output, " fit, multiplexed.\n")) TH_LOG("%s", output.text);
}

/* Nothing is placed by it, whoever it is told for. */
TEST_F(explain, changes_nothing)
{
	struct pmudev_query query;

	run(&output, "pmudev explain; pmudev explain -C 0; pmudev explain -p %d", getpid());
	EXPECT_EQ(3, times_in(&output, " fit.\n")) TH_LOG("%s", output.text);
	ASSERT_EQ(0, pm_query(&query));
	EXPECT_EQ(self->query.busy, query.busy);
	EXPECT_EQ(self->query.reservations, query.reservations);
}

/* The words of `pmudev stat`. */
TEST_F(explain, options_of_stat)
{
	char heading[16];

	run(&output, "pmudev explain -a -e %s@%d", event_name, self->first);
	EXPECT_EQ(0, output.status) TH_LOG("%s", output.text);
	run(&output, "pmudev explain -M IPC -C 0");
	EXPECT_EQ(0, output.status) TH_LOG("%s", output.text);
	EXPECT_EQ(1, times_in(&output, "\ninstructions ")) TH_LOG("%s", output.text);
	/* Each has a part, with its number above; another one may end with a 1, too. */
	run(&output, "echo; pmudev explain -t 1,%d -e %s@%d", getpid(), event_name, self->first);
	EXPECT_EQ(0, output.status) TH_LOG("%s", output.text);
	EXPECT_EQ(1, times_in(&output, "\n1:\n")) TH_LOG("%s", output.text);
	snprintf(heading, sizeof(heading), "\n%d:\n", getpid());
	EXPECT_EQ(1, times_in(&output, heading)) TH_LOG("%s", output.text);
	run(&output, "pmudev explain -e task-clock,%s@%d", event_name, self->first);
	EXPECT_EQ(0, output.status);
	EXPECT_EQ(1, times_in(&output, "No counter is needed for task-clock.\nIt fits.\n"))
	TH_LOG("%s", output.text);
	run(&output, "pmudev explain --all-user -e %s", event_name);
	EXPECT_EQ(1, times_in(&output, ":u ")) TH_LOG("%s", output.text);
}

/* Default events that do not fit are no reason for a refusal. */
TEST_F(explain, default_events)
{
	struct pmudev_event_attr events[PMUDEV_MAX_EVENTS];
	unsigned int c, nr = 0;

	run(&output, "pmudev explain --json");
	EXPECT_EQ(0, output.status) TH_LOG("%s", output.text);
	EXPECT_EQ(1, times_in(&output, "\"software\": [\"task-clock\", \"context-switches\", "
				       "\"cpu-migrations\", \"page-faults\"], \"left-out\": "))
	TH_LOG("%s", output.text);
	if (!(self->query.generic >> PMUDEV_BRANCHES & 1) || self->query.nr_pmus > 1)
		SKIP(return, "no branches on all CPUs");
	/* Two programmable counters are left. */
	for (c = 0; c < 32; c++)
		if (self->programmable >> c & 1 && nr + 2 < self->nr)
			events[nr++] = event_on(c, USER_ONLY);
	self->fd = nr ? pm_cpu_set(0, 0, events, nr) : -1;
	if (self->fd < 0)
		SKIP(return, "too few counters");
	run(&output, "pmudev explain -C 0");
	EXPECT_EQ(0, output.status) TH_LOG("%s", output.text);
	run(&output, "pmudev explain -C 0 -e instructions,cycles,branches,branch-misses,%s@%d",
	    event_name, self->first);
	EXPECT_EQ(1, output.status) TH_LOG("%s", output.text);
}

TEST_F(explain, what_is_wrong)
{
	run(&output, "pmudev explain -e cycles -p 1 -C 0");
	EXPECT_EQ(2, output.status);
	run(&output, "pmudev explain -e bicycles");
	EXPECT_EQ(2, output.status);
	EXPECT_EQ(1, times_in(&output, "unknown event 'bicycles'"));
	run(&output, "pmudev explain -C 4000");
	EXPECT_EQ(2, output.status);
	EXPECT_EQ(1, times_in(&output, "CPU 4000: there is no such CPU")) TH_LOG("%s", output.text);
	run(&output, "pmudev explain -p 2147483647");
	EXPECT_EQ(2, output.status);
	EXPECT_EQ(1, times_in(&output, "there is no such thread or process"))
	TH_LOG("%s", output.text);
	/* This is not about counters: no table, but the reason. */
	run(&output, "pmudev explain -e cycles@63");
	EXPECT_EQ(2, output.status);
	EXPECT_EQ(1, times_in(&output, "cycles@63: there is no such counter"))
	TH_LOG("%s", output.text);
	run(&output, "pmudev explain --json -e cycles@63");
	EXPECT_EQ(2, output.status);
	EXPECT_EQ(1, times_in(&output, "{\"fits\": null}\n")) TH_LOG("%s", output.text);
}

TEST_HARNESS_MAIN
