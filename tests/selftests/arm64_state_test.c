// SPDX-License-Identifier: GPL-2.0
/*
 * What pmudev changes of perf's driver, and that nothing of it stays: neither after the last set,
 * nor after the module. tests/modules/perf_state.c tells the state.
 */
#include "subject.h"
#include "perf.h"
#include "kselftest_harness.h"

#include <string.h>

#if defined(__aarch64__)

#define STATE_KO "/modules/perf_state.ko"
#define STATE	 "/proc/perf_state"

FIXTURE(state)
{
	char before[8192], now[8192];
	struct pmudev_query query; /* of CPU 0's PMU, on which the sets count */
};

static bool read_state(char *text, size_t size)
{
	FILE *f = fopen(STATE, "re");
	size_t n;

	if (!f)
		return false;
	n = fread(text, 1, size - 1, f);
	text[n] = 0;
	fclose(f);
	return n;
}

static int times_in_text(const char *text, const char *what)
{
	int n = 0;

	for (; (text = strstr(text, what)); text++)
		n++;
	return n;
}

/* Looked at again and again: a mask or a register may be on its way back. */
static bool as_before(struct _test_data_state *self)
{
	return WAIT_FOR(read_state(self->now, sizeof(self->now)) &&
			!strcmp(self->before, self->now));
}

FIXTURE_SETUP(state)
{
	if (access(STATE_KO, R_OK))
		SKIP(return, "needs " STATE_KO " (tests/modules), which the test machine has");
	unload_module_named("perf_state");
	ASSERT_EQ(0, load_module_file(STATE_KO));
	ASSERT_EQ(0, pin_to(0));
	ASSERT_EQ(0, pm_query_pmu(0, PMUDEV_QUERY_CPU, &self->query));
	ASSERT_EQ(0, unload_module());
	ASSERT_TRUE(read_state(self->before, sizeof(self->before)));
	EXPECT_EQ(cpus_online(), times_in_text(self->before, " used 0"));
	ASSERT_EQ(0, load_module());
	ASSERT_EQ(0, set_user_access(true));
}

FIXTURE_TEARDOWN(state)
{
	if (access(PMUDEV_DEVICE, F_OK))
		EXPECT_EQ(0, load_module());
	set_user_access(false);
	unload_module_named("perf_state");
}

static int many_events(struct _test_data_state *self, int tid)
{
	struct pmudev_event_attr events[] = {
		raw_event(EVENT_INSTRUCTIONS, DIRECT_READ),
		raw_event(EVENT_CYCLES, USER_ONLY),
		in_group(raw_event(EVENT_INSTRUCTIONS, USER_ONLY | PMUDEV_MULTIPLEX), 1),
		in_group(raw_event(EVENT_INSTRUCTIONS, USER_ONLY | PMUDEV_MULTIPLEX), 2),
	};

	return pm_attach_pmu(tid, self->query.pmu, 0, events, ARRAY_SIZE(events));
}

/*
 * Nothing is changed before a set needs it; then perf's functions are ours on each PMU; and back.
 */
TEST_F(state, of_a_set)
{
	struct pmudev_page *page;
	int fd;

	EXPECT_TRUE(as_before(self)) TH_LOG("%s\n%s", self->before, self->now);
	fd = pm_open();
	ASSERT_GE(fd, 0);
	ASSERT_EQ(0, pm_bind_pmu(fd, PMUDEV_TARGET_TASK, 0, PMUDEV_BIND_PMU, self->query.pmu));
	EXPECT_TRUE(as_before(self)) TH_LOG("%s\n%s", self->before, self->now);
	close(fd);
	fd = many_events(self, 0);
	ASSERT_GE(fd, 0);
	page = pm_map(fd);
	ASSERT_NE(NULL, page);
	ASSERT_TRUE(read_state(self->now, sizeof(self->now)));
	EXPECT_EQ(cpus_online(), times_in_text(self->now, " [pmudev] stop "));
	EXPECT_EQ(0, times_in_text(self->now, " used 0 "));
	loop(1000000);
	pm_unmap(page);
	close(fd);
	EXPECT_TRUE(as_before(self)) TH_LOG("%s\n%s", self->before, self->now);
	ASSERT_EQ(0, unload_module());
	EXPECT_TRUE(as_before(self)) TH_LOG("%s\n%s", self->before, self->now);
}

/* With perf's events beside, of which some come and some go meanwhile. */
TEST_F(state, beside_perf)
{
	int fd, perf[3], i;

	for (i = 0; i < 2; i++) {
		perf[i] = perf_open(EVENT_CYCLES, 0, -1, i ? cpus_online() - 1 : 0);
		ASSERT_GE(perf[i], 0);
	}
	fd = many_events(self, 0);
	ASSERT_GE(fd, 0);
	close(perf[0]);
	perf[2] = perf_open(EVENT_INSTRUCTIONS, 0, -1, 0);
	ASSERT_GE(perf[2], 0);
	loop(1000000);
	close(fd);
	close(perf[1]);
	close(perf[2]);
	EXPECT_TRUE(as_before(self)) TH_LOG("%s\n%s", self->before, self->now);
	ASSERT_EQ(0, unload_module());
	EXPECT_TRUE(as_before(self)) TH_LOG("%s\n%s", self->before, self->now);
}

/* Of another thread, which goes on, and with a CPU that was offline at the end. */
TEST_F(state, of_another_thread)
{
	struct subject s;
	int fd;

	ASSERT_EQ(0, subject_fork(&s));
	fd = many_events(self, s.pid);
	ASSERT_GE(fd, 0);
	ASSERT_EQ(0, subject_work(&s, 100000));
	if (cpus_online() > 1 && !set_cpu_online(1, false)) {
		close(fd);
		ASSERT_EQ(0, set_cpu_online(1, true));
	} else {
		close(fd);
	}
	EXPECT_TRUE(as_before(self)) TH_LOG("%s\n%s", self->before, self->now);
	subject_end(&s);
	EXPECT_TRUE(as_before(self)) TH_LOG("%s\n%s", self->before, self->now);
}

#else

TEST(arm64)
{
	SKIP(return, "another architecture");
}

#endif

TEST_HARNESS_MAIN
