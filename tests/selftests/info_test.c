// SPDX-License-Identifier: GPL-2.0
/*
 * `pmudev info` word for word, made up here from what the ABI says of the machine; and its JSON.
 */
#include "command.h"
#include "common.h"
#include "json_valid.h"
#include "kselftest_harness.h"
#include "perf.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define NOBODY "su -s /bin/sh nobody -c "

static struct output output;

FIXTURE(info)
{
	struct pmudev_query query;
	int fd;
};

FIXTURE_SETUP(info)
{
	self->fd = -1;
	if (!have_command())
		SKIP(return, "there is no `pmudev` command in PATH");
	ASSERT_EQ(0, pm_query(&self->query));
}

FIXTURE_TEARDOWN(info)
{
	if (self->fd >= 0)
		close(self->fd);
	chmod(PMUDEV_DEVICE, 0600);
}

/* Is this a line of it? */
static bool has_line(const char *line)
{
	char text[256];

	snprintf(text, sizeof(text), "\n%s\n", line);
	return strstr(output.text, text);
}

#define EXPECT_LINE(line) EXPECT_TRUE(has_line(line))

/* As behind '@'. */
static const char *name_of(int counter, char name[16])
{
	snprintf(name, 16, counter < 32 ? "%d" : "fixed %d", counter % 32);
	return name;
}

TEST_F(info, nobody_counts)
{
	const bool kept = self->query.counters & ~self->query.available;
	char title[64];

	run(&output, "pmudev info");
	EXPECT_EQ(0, output.status);
	EXPECT_EQ(0, strncmp(output.text, "pmudev 0.", strlen("pmudev 0.")));
	EXPECT_EQ(0U, times_in(&output, "\033"));
	EXPECT_EQ(1U, times_in(&output, "/dev/pmudev, mode 0600, root:"));
	EXPECT_EQ(1U, times_in(&output, ": only its owner can use it\n"));
	EXPECT_LINE("  you may count     CPUs, the kernel, and any thread (CAP_PERFMON)");
	EXPECT_LINE("  event sets        none");
	EXPECT_LINE("  perf events       none");
	snprintf(title, sizeof(title), "\n%s (PMU 0)\n", self->query.name);
	EXPECT_EQ(1U, times_in(&output, title));
	EXPECT_LINE("  in use            none");
	EXPECT_EQ(kept, times_in(&output, " (not available: ") > 0) TH_LOG("%s", output.text);
	if (self->query.width_fixed)
		EXPECT_LE(self->query.nr_pmus, times_in(&output, ", fixed 0"));
	EXPECT_EQ(0U, times_in(&output, "fixed 32"));
	run(&output, "pmudev list cycles");
	EXPECT_EQ(kept, times_in(&output, " (not available: ") > 0) TH_LOG("%s", output.text);
	EXPECT_EQ(0U, times_in(&output, ",32"));
	run(&output, "pmudev info");
	EXPECT_LINE("  held by           no set; perf can use it");
}

TEST_F(info, who_counts)
{
	struct pmudev_event_attr event = raw_event(EVENT_CYCLES, USER_ONLY);
	char line[96], name[16], label[24];
	__s32 counter;

	self->fd = pm_cpu_set(0, 0, &event, 1);
	ASSERT_GE(self->fd, 0);
	ASSERT_EQ(0, pm_place(self->fd, NULL, 0, &counter));
	run(&output, "pmudev info");
	snprintf(line, sizeof(line), "  event sets        process %d (info_test)", getpid());
	EXPECT_LINE(line);
	name_of(counter, name);
	snprintf(line, sizeof(line), "  in use            %s", name);
	EXPECT_LINE(line);
	snprintf(label, sizeof(label), "%s%s", counter < 32 ? "counter " : "", name);
	snprintf(line, sizeof(line), "%20s%-12s process %d, counting CPU 0", "", label, getpid());
	EXPECT_LINE(line);
	EXPECT_EQ(1U,
		  times_in(&output,
			   BESIDE_PERF ? "  held by           sets, some counters;" :
					 "  held by           pmudev, until its sets are closed;"));
	run(&output, "pmudev info --json");
	EXPECT_TRUE(json_lines_valid(output.text)) TH_LOG("%s", output.text);
	snprintf(line, sizeof(line), "{\"counter\": \"%s\", \"kind\": \"cpu-set\", \"pid\": %d, ",
		 name, getpid());
	EXPECT_EQ(1U, times_in(&output, line)) TH_LOG("%s", output.text);
	EXPECT_EQ(1U, times_in(&output, "\"held\": true"));
}

TEST_F(info, perf_counts)
{
	char line[128];

	self->fd = perf_open_clock();
	ASSERT_GE(self->fd, 0);
	run(&output, "pmudev info");
	snprintf(line, sizeof(line), "  perf events       process %d (info_test); %s", getpid(),
		 BESIDE_PERF ? "those of hardware have the counters that sets leave" :
			       "those of hardware do not count while pmudev holds the PMU");
	EXPECT_LINE(line);
}

TEST_F(info, without_the_right)
{
	run(&output, NOBODY "'pmudev info'");
	EXPECT_EQ(1, output.status);
	EXPECT_EQ(1U, times_in(&output, "this user may not use /dev/pmudev"));
	EXPECT_EQ(1U, times_in(&output, "its mode is 0600, root:"));
	EXPECT_EQ(0U, times_in(&output, "(PMU 0)"));
	ASSERT_EQ(0, chmod(PMUDEV_DEVICE, 0666));
	run(&output, NOBODY "'pmudev info'");
	EXPECT_EQ(0, output.status);
	EXPECT_EQ(1U, times_in(&output, ": all users can use it\n"));
	EXPECT_LINE("  you may count     your own threads in user mode; "
		    "everything else needs CAP_PERFMON");
	EXPECT_LINE("  event sets        none of your processes");
}

TEST_F(info, json)
{
	char text[256];

	run(&output, "pmudev info --json");
	EXPECT_EQ(0, output.status);
	EXPECT_TRUE(json_lines_valid(output.text)) TH_LOG("%s", output.text);
	EXPECT_EQ(1U, times_in(&output, "\n"));
	EXPECT_EQ(1U, times_in(&output, "\"may-count-all\": true, \"set-users\": [], "));
	snprintf(text, sizeof(text), "\"pmus\": [{\"name\": \"%s\", \"number\": 0, ",
		 self->query.name);
	EXPECT_EQ(1U, times_in(&output, text)) TH_LOG("%s", output.text);
	snprintf(text, sizeof(text), "\"width\": %u, \"width-fixed\": %u, ", self->query.width,
		 self->query.width_fixed);
	EXPECT_LE(1U, times_in(&output, text));
	EXPECT_LE(1U, times_in(&output, "\"in-use\": [], \"holders\": ["));
	snprintf(text, sizeof(text),
		 "\"reservations\": %llu, \"perf_stops\": %llu, "
		 "\"user_access_lost\": %llu, \"overflows\": %llu, \"unexpected\": %llu, "
		 "\"late\": %llu}",
		 self->query.reservations, self->query.perf_stops, self->query.user_access_lost,
		 self->query.overflows, self->query.unexpected, self->query.late);
	EXPECT_EQ(1U, times_in(&output, text)) TH_LOG("%s", output.text);
}

TEST_F(info, options)
{
	run(&output, "pmudev info --color");
	EXPECT_EQ(1U, times_in(&output, "\033[1mpmudev\033[0m "));
	run(&output, "NO_COLOR=1 pmudev info --color=auto");
	EXPECT_EQ(0U, times_in(&output, "\033"));
	run(&output, "pmudev info --color=sometimes");
	EXPECT_EQ(2, output.status);
	run(&output, "pmudev info --bogus");
	EXPECT_EQ(2, output.status);
	EXPECT_EQ(1U, times_in(&output, "unknown option '--bogus'"));
	run(&output, "pmudev info 0");
	EXPECT_EQ(2, output.status);
}

/* The validator itself is one. */
TEST(the_validator)
{
	EXPECT_TRUE(json_valid("{\"a\": [1, -2.50, 3e-7, \"\\u00e9\\n\", true, null, {}]} "));
	EXPECT_TRUE(json_valid("0"));
	EXPECT_FALSE(json_valid(""));
	EXPECT_FALSE(json_valid("01"));
	EXPECT_FALSE(json_valid("1."));
	EXPECT_FALSE(json_valid("[1,]"));
	EXPECT_FALSE(json_valid("{\"a\" 1}"));
	EXPECT_FALSE(json_valid("{a: 1}"));
	EXPECT_FALSE(json_valid("\"\\x\""));
	EXPECT_FALSE(json_valid("\"a\nb\""));
	EXPECT_FALSE(json_valid("\"open"));
	EXPECT_FALSE(json_valid("nan"));
	EXPECT_FALSE(json_valid("{} {}"));
	EXPECT_TRUE(json_lines_valid("{}\n[]\n"));
	EXPECT_FALSE(json_lines_valid("{}\n[]"));
	EXPECT_FALSE(json_lines_valid("{}\n\n"));
	EXPECT_FALSE(json_lines_valid(""));
}

TEST_HARNESS_MAIN
