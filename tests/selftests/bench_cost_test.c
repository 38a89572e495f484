// SPDX-License-Identifier: GPL-2.0
/*
 * `pmudev bench` in the emulator, where its instructions are exact: what reads take is what
 * read_cost_test says of them, and a bit of storing.
 */
#include "command.h"
#include "common.h"
#include "json_valid.h"
#include "kselftest_harness.h"

#include <stdio.h>
#include <string.h>

static struct output output;

FIXTURE(bench)
{
	bool exact;
};

FIXTURE_SETUP(bench)
{
	if (!have_command())
		SKIP(return, "there is no `pmudev` command in PATH");
	self->exact = exact_instructions();
}

FIXTURE_TEARDOWN(bench)
{
	set_user_access(false);
}

/* What the row says of pmudev; false if it could not be measured. */
static bool row(const char *path, int events, double *ns, double *instructions)
{
	char begin[96], *at;
	double spread;

	snprintf(begin, sizeof(begin), "{\"path\": \"%s\", \"events\": %d, ", path, events);
	at = strstr(output.text, begin);
	at = at ? strstr(at, "\"pmudev\": {") : NULL;
	return at &&
	       sscanf(at, "\"pmudev\": {\"ns\": %lf, \"spread-ns\": %lf, \"instructions\": %lf", ns,
		      &spread, instructions) == 3;
}

#define ESTIMATE "\"estimate\": "
#define INTERVAL \
	ESTIMATE "{\"kind\": \"model, not measured\", \"of\": \"%*[^\"]\", \"cycles\": [%lf"

/* Does the row tell what the model says: a CPU and an interval, or nothing? */
static bool has_estimate(const char *path, int events)
{
	char begin[96], *at, *end;
	double low;

	snprintf(begin, sizeof(begin), "{\"path\": \"%s\", \"events\": %d, ", path, events);
	at = strstr(output.text, begin);
	end = at ? strchr(at, '\n') : NULL;
	at = at ? strstr(at, ESTIMATE) : NULL;
	if (!at || !end || at > end)
		return false;
	return !strncmp(at, ESTIMATE "null}", strlen(ESTIMATE "null}")) ||
	       sscanf(at, INTERVAL, &low) == 1;
}

static const struct {
	const char *path;
	int events;
	double least;
	double most;
} paths[] = {
	{ "empty system call", 0, 100, 2000 },
	{ "direct read", 1, 1, 9 },
	{ "reader read", 1, 16, 24 },
	{ "reader read", 4, 36, 58 },
	{ "page read", 1, 23, 33 },
	{ "page read", 4, 60, 80 },
	{ "read(2)", 1, 500, 10000 },
	{ "read(2)", 4, 500, 10000 },
	{ "disable and enable", 1, 1000, 50000 },
	{ "open, add, enable, close", 1, 5000, 200000 },
	{ "map and unmap", 1, 2000, 200000 },
	{ "context switch", 0, 1000, 50000 },
};

TEST_F(bench, instructions)
{
	double ns, instructions;
	struct pmudev_query q;
	unsigned int i;

	ASSERT_EQ(0, set_user_access(true));
	ASSERT_EQ(0, pm_query(&q));
	run(&output, "pmudev bench --json -C 0");
	EXPECT_EQ(0, output.status);
	ASSERT_TRUE(json_lines_valid(output.text)) TH_LOG("%s", output.text);
	for (i = 0; i < ARRAY_SIZE(paths); i++) {
		/* On narrow counters nothing is DIRECT. */
		if (!strcmp(paths[i].path, "direct read") && q.width <= 32)
			continue;
		EXPECT_TRUE(row(paths[i].path, paths[i].events, &ns, &instructions))
		TH_LOG("no %s (%d) in %s", paths[i].path, paths[i].events, output.text);
		TH_LOG("%s (%d): %.2f ns, %.2f instructions", paths[i].path, paths[i].events, ns,
		       instructions);
		EXPECT_LT(0, ns);
		EXPECT_TRUE(has_estimate(paths[i].path, paths[i].events));
		if (!self->exact || debug_kernel())
			continue;
		EXPECT_LE(paths[i].least, instructions + 0.1);
		EXPECT_GE(paths[i].most, instructions);
	}
}

TEST_F(bench, says_what_it_could_not)
{
	run(&output, "pmudev bench");
	EXPECT_EQ(0, output.status);
	EXPECT_EQ(1U, times_in(&output, "page read, map and unmap: user access is disabled"))
	TH_LOG("%s", output.text);
	EXPECT_EQ(1U, times_in(&output, "Estimate (model, not measured) for ") +
			      times_in(&output, "No estimate (model) for this CPU: "));
	run(&output, "su -s /bin/sh nobody -c 'pmudev bench'");
	EXPECT_EQ(1, output.status);
	EXPECT_EQ(1U, times_in(&output, "this user may not use /dev/pmudev"))
	TH_LOG("%s", output.text);
	run(&output, "pmudev bench -C x");
	EXPECT_EQ(2, output.status);
}

TEST_HARNESS_MAIN
