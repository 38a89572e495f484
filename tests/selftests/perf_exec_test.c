// SPDX-License-Identifier: GPL-2.0
/*
 * `pmudev exec`: the programs of tests/perf, which use perf, do the same with pmudev. Here they are
 * judged by their exit status, and shown if something failed.
 */
#include "command.h"
#include "common.h"
#include "deadline.h"
#include "perf.h"
#include "kselftest_harness.h"

static struct output output;

FIXTURE(perf_exec)
{
	bool served;	 /* perf counts, while pmudev does not */
	long perf_right; /* what PERF_RIGHT_FILE said */
};

FIXTURE_VARIANT(perf_exec)
{
	const char *program;
};

FIXTURE_VARIANT_ADD(perf_exec, events)
{
	.program = "/bin/perf_abi",
};

FIXTURE_VARIANT_ADD(perf_exec, groups)
{
	.program = "/bin/perf_abi_groups",
};

FIXTURE_VARIANT_ADD(perf_exec, give)
{
	.program = "/bin/perf_abi_give",
};

FIXTURE_VARIANT_ADD(perf_exec, pages)
{
	.program = "/bin/perf_abi_pages",
};

FIXTURE_VARIANT_ADD(perf_exec, signals)
{
	.program = "/bin/perf_abi_signals",
};

FIXTURE_VARIANT_ADD(perf_exec, files)
{
	.program = "/bin/perf_abi_files",
};

FIXTURE_SETUP(perf_exec)
{
	int fd;

	if (!have_command())
		SKIP(return, "there is no `pmudev` command in PATH");
	if (access("/bin/perf_abi", X_OK))
		SKIP(return, "tests/perf was not built for this machine");
	fd = perf_open(EVENT_INSTRUCTIONS, 0, 0, -1);
	self->served = fd >= 0;
	if (self->served)
		close(fd);
	/* Where interrupts take as long as there perf stops events that have too many. */
	if (debug_kernel())
		setenv("PMUDEV_THROTTLED", "1", 1);
	ASSERT_EQ(0, set_user_access(true));
	/* There is no such file where perf has no user reads. */
	self->perf_right = read_number(PERF_RIGHT_FILE);
	write_file(PERF_RIGHT_FILE, "1");
}

FIXTURE_TEARDOWN(perf_exec)
{
	set_user_access(false);
	if (self->perf_right == 0)
		write_file(PERF_RIGHT_FILE, "0");
}

TEST_F(perf_exec, with_perf)
{
	if (!self->served)
		SKIP(return, "perf counts nothing here");
	run(&output, variant->program);
	EXPECT_EQ(0, output.status) TH_LOG("%s", output.text);
}

/* A machine with user reads serves perf's page, too. */
TEST_F(perf_exec, with_pmudev)
{
	run(&output, "%s %s pmudev exec --explain -- %s", user_reads() ? "PMUDEV_PAGES=1" : "",
	    overflows_interrupt() && !debug_kernel() ? "PMUDEV_INTERRUPTS=1" : "",
	    variant->program);
	EXPECT_EQ(0, output.status) TH_LOG("%s", output.text);
}

/* What a line of perf_abi_cost's says; 0: there is none. */
static unsigned long cost(const char *name)
{
	const char *at = strstr(output.text, name);

	return at ? strtoul(at + strlen(name), NULL, 10) : 0;
}

/* In instructions: a read(2) of an event, of a group, and of a file that is none. */
TEST(cost_of_reads)
{
	static const char *const names[] = { "event ", "group ", "other " };
	static const unsigned int percent[] = { 110, 110, 120 };
	unsigned long perf[3], ours;
	unsigned int i;

	if (!have_command() || access("/bin/perf_abi_cost", X_OK))
		SKIP(return, "tests/perf was not built for this machine");
	if (!exact_instructions() || debug_kernel())
		SKIP(return, "instructions are not what is to be paid here");
	run(&output, "/bin/perf_abi_cost");
	ASSERT_EQ(0, output.status) TH_LOG("%s", output.text);
	for (i = 0; i < 3; i++)
		perf[i] = cost(names[i]);
	run(&output, "pmudev exec --strict -- /bin/perf_abi_cost");
	ASSERT_EQ(0, output.status) TH_LOG("%s", output.text);
	for (i = 0; i < 3; i++) {
		ours = cost(names[i]);
		TH_LOG("%s: %lu with perf, %lu with pmudev", names[i], perf[i], ours);
		EXPECT_LT(0, ours);
		EXPECT_LE(100 * ours, percent[i] * perf[i]);
	}
}

/* Nothing takes turns: what does not fit is refused, and why is told. */
TEST(strict)
{
	if (!have_command() || access("/bin/perf_abi_groups", X_OK))
		SKIP(return, "tests/perf was not built for this machine");
	run(&output, "pmudev exec --strict --explain -- /bin/perf_abi_groups");
	EXPECT_EQ(1, output.status);
	EXPECT_EQ(3, times_in(&output, "\nnot ok")) TH_LOG("%s", output.text);
	EXPECT_LE(1, times_in(&output, "pmudev exec: perf_event_open(): "))
	TH_LOG("%s", output.text);
}

TEST(what_is_wrong)
{
	if (!have_command() || access("/bin/perf_abi", X_OK))
		SKIP(return, "tests/perf was not built for this machine");
	run(&output, "pmudev exec");
	EXPECT_EQ(2, output.status);
	run(&output, "pmudev exec --nosuch -- true");
	EXPECT_EQ(2, output.status);
	run(&output, "pmudev exec -- /nosuch");
	EXPECT_EQ(127, output.status);
	/* The begin of a 32-bit program, and a script for it */
	run(&output, "printf '\\177ELF\\1\\1\\1%%060d' 0 >/tmp/narrow; chmod 755 /tmp/narrow;"
		     "pmudev exec -- /tmp/narrow");
	EXPECT_EQ(126, output.status);
	EXPECT_EQ(1, times_in(&output, "is no 64-bit program")) TH_LOG("%s", output.text);
	run(&output, "printf '#! /tmp/narrow x\\n' >/tmp/script; chmod 755 /tmp/script;"
		     "pmudev exec -- /tmp/script; rm /tmp/narrow /tmp/script");
	EXPECT_EQ(1, times_in(&output, "'/tmp/script' is no 64-bit program"))
	TH_LOG("%s", output.text);
	/* The machine's shell */
	run(&output, "pmudev exec --explain -- /bin/sh -c 'exit 3'");
	EXPECT_EQ(3, output.status);
	EXPECT_EQ(1, times_in(&output, "'/bin/sh' is linked statically")) TH_LOG("%s", output.text);
	run(&output, "PMUDEV_PERF_LIBRARY=/nosuch pmudev exec --explain -- /bin/perf_abi");
	EXPECT_EQ(126, output.status) TH_LOG("%s", output.text);
}

TEST_HARNESS_MAIN
