// SPDX-License-Identifier: GPL-2.0
/* What sysfs says of every PMU: caps/ and cpumask, compared with what the device answers. */
#include "sysfs.h"
#include "kselftest_harness.h"

#include <fcntl.h>
#include <string.h>

TEST(a_directory_for_each)
{
	static const char *const folders[] = { "caps", "cpumask", "events", "format", "hooks" };
	struct pmudev_query q;
	struct names names;
	unsigned int i;

	ASSERT_EQ(0, sysfs_list("", "", &names));
	ASSERT_EQ(0, pm_query(&q));
	EXPECT_EQ(q.nr_pmus, names.nr);
	for_each_pmu(&q)
		EXPECT_TRUE(names_have(&names, q.name)) TH_LOG("%s", q.name);
	for_each_pmu(&q) {
		ASSERT_EQ(0, sysfs_list(q.name, "", &names));
		EXPECT_EQ(ARRAY_SIZE(folders), names.nr);
		for (i = 0; i < ARRAY_SIZE(folders); i++)
			EXPECT_TRUE(names_have(&names, folders[i])) TH_LOG("%s", folders[i]);
	}
}

/* ---------------------------------------------------------------- caps -- */

static const char *features_of(__u64 features)
{
	static const struct {
		__u64 bit;
		const char *word;
	} words[] = {
		{ PMUDEV_HAS_LONG, "long" },	       { PMUDEV_HAS_CHAIN, "chain" },
		{ PMUDEV_HAS_THRESHOLD, "threshold" }, { PMUDEV_HAS_USER_READ, "user_read" },
		{ PMUDEV_HAS_DIRECT, "direct" },       { PMUDEV_HAS_OTHER_TASKS, "other_tasks" },
		{ PMUDEV_HAS_INHERIT, "inherit" },     { PMUDEV_HAS_MULTIPLEX, "multiplex" },
		{ PMUDEV_HAS_GUEST, "guest" },	       { PMUDEV_HAS_HIDING, "hiding" },
		{ PMUDEV_HAS_DEADLINE, "deadline" },   { PMUDEV_HAS_CGROUP, "cgroup" },
	};
	static char text[256];
	unsigned int i;

	text[0] = 0;
	for (i = 0; i < ARRAY_SIZE(words); i++) {
		if (!(features & words[i].bit))
			continue;
		strcat(text, text[0] ? " " : "");
		strcat(text, words[i].word);
		features &= ~words[i].bit;
	}
	return features ? "a feature without a word" : text;
}

static void expect_cap(struct __test_metadata *_metadata, const struct pmudev_query *q,
		       const char *name, const char *wanted)
{
	char line[256] = "", file[64];

	snprintf(file, sizeof(file), "caps/%s", name);
	EXPECT_EQ(0, sysfs_read(q->name, file, line, sizeof(line))) TH_LOG("%s", file);
	EXPECT_STREQ(wanted, line) TH_LOG("%s", file);
}

static void expect_number(struct __test_metadata *_metadata, const struct pmudev_query *q,
			  const char *name, const char *format, unsigned long long number)
{
	char wanted[64];

	snprintf(wanted, sizeof(wanted), format, number);
	expect_cap(_metadata, q, name, wanted);
}

static void expect_caps(struct __test_metadata *_metadata)
{
	struct pmudev_query q;
	struct names names;

	for_each_pmu(&q) {
		expect_cap(_metadata, &q, "arch",
			   PMU_ARCH == PMUDEV_ARCH_ARM64 ? "arm64" :
			   PMU_ARCH == PMUDEV_ARCH_AMD	 ? "amd" :
							   "intel");
		expect_number(_metadata, &q, "arch_version", "%llu", q.arch_version);
		expect_number(_metadata, &q, "cpu_id", "0x%016llx", q.cpu_id);
		expect_cap(_metadata, &q, "counters", list_of(q.counters));
		expect_cap(_metadata, &q, "available", list_of(q.available));
		expect_cap(_metadata, &q, "user", list_of(q.user));
		expect_number(_metadata, &q, "generic", "0x%016llx", q.generic);
		expect_number(_metadata, &q, "width", "%llu", q.width);
		expect_number(_metadata, &q, "width_fixed", "%llu", q.width_fixed);
		expect_number(_metadata, &q, "threshold_max", "0x%08llx", q.threshold_max);
		expect_cap(_metadata, &q, "features", features_of(q.features));
		expect_number(_metadata, &q, "user_access", "%llu",
			      !!(q.state & PMUDEV_STATE_USER_ACCESS));
		expect_number(_metadata, &q, "clock_hz", "%llu", q.clock_hz);
		ASSERT_EQ(0, sysfs_list(q.name, "caps", &names));
		EXPECT_EQ(13U, names.nr);
	}
}

TEST(caps_are_what_query_says)
{
	struct pmudev_event_attr event = raw_event(EVENT_CYCLES, USER_ONLY);
	struct pmudev_query q;
	int fd;

	ASSERT_EQ(0, set_user_access(false));
	expect_caps(_metadata);
	ASSERT_EQ(0, set_user_access(true));
	expect_caps(_metadata);
	/* And while the counters are taken from perf. */
	for_each_pmu(&q) {
		fd = sysfs_set(&q);
		ASSERT_GE(fd, 0);
		ASSERT_EQ(0, pm_add(fd, &event, 1));
		ASSERT_EQ(0, pm_enable(fd, PMUDEV_ALL));
		expect_caps(_metadata);
		close(fd);
	}
	ASSERT_EQ(0, set_user_access(false));
}

TEST(user_access_as_it_is_now)
{
	struct pmudev_query q;
	int i;

	for (i = 0; i < 3; i++) {
		ASSERT_EQ(0, set_user_access(i & 1));
		for_each_pmu(&q)
			expect_cap(_metadata, &q, "user_access", i & 1 ? "1" : "0");
	}
}

/* ---------------------------------------------------------------- CPUs -- */

TEST(cpus)
{
	cpu_set_t cpus, all, both, possible;
	struct pmudev_query q, of_cpu;
	char line[4096];
	int cpu, fd;
	ssize_t got;

	CPU_ZERO(&all);
	for_each_pmu(&q) {
		ASSERT_EQ(0, sysfs_cpus(&q, &cpus));
		EXPECT_EQ(q.nr_cpus, (__u32)CPU_COUNT(&cpus));
		CPU_AND(&both, &all, &cpus);
		EXPECT_EQ(0, CPU_COUNT(&both));
		CPU_OR(&all, &all, &cpus);
		for (cpu = 0; cpu < CPU_SETSIZE; cpu++)
			if (!pm_query_pmu(cpu, PMUDEV_QUERY_CPU, &of_cpu))
				EXPECT_EQ(of_cpu.pmu == q.pmu, !!CPU_ISSET(cpu, &cpus));
	}
	fd = open("/sys/devices/system/cpu/possible", O_RDONLY | O_CLOEXEC);
	ASSERT_GE(fd, 0);
	got = read(fd, line, sizeof(line) - 1);
	close(fd);
	ASSERT_GT(got, 0);
	line[got - 1] = 0;
	ASSERT_EQ(0, cpus_of(line, &possible));
	EXPECT_TRUE(CPU_EQUAL(&possible, &all));
}

/* docs/hooks.md has these names. */
TEST(hooks_are_listed_while_installed)
{
	static const char *const of_tasks[] = { "task_newtask", "sched_process_exit",
						"sched_process_exec" };
	struct pmudev_query q;
	char text[4096];
	unsigned int i;
	int fd;

	/* They stay from the first bound thread on. */
	fd = pm_open();
	ASSERT_GE(fd, 0);
	ASSERT_EQ(0, pm_bind_pmu(fd, PMUDEV_TARGET_TASK, 0, PMUDEV_BIND_PMU, 0));
	ASSERT_EQ(0, pm_query(&q));
	EXPECT_TRUE(q.state & PMUDEV_STATE_HOOKS);
	ASSERT_EQ(0, sysfs_text(q.name, "hooks", text, sizeof(text)));
	for (i = 0; i < ARRAY_SIZE(of_tasks); i++)
		EXPECT_NE(NULL, strstr(text, of_tasks[i])) TH_LOG("%s in %s", of_tasks[i], text);
	EXPECT_EQ(!!(q.state & PMUDEV_STATE_GUEST), !!strstr(text, "kvm_entry"));
	close(fd);
}

TEST(cpus_that_are_away_stay_in_the_list)
{
	char before[4096], after[4096];
	int cpu = cpus_online() - 1;
	struct pmudev_query q;

	if (cpu < 1 || set_cpu_online(cpu, false))
		SKIP(return, "needs a CPU that can go offline");
	ASSERT_EQ(0, pm_query_pmu(cpu, PMUDEV_QUERY_CPU, &q));
	ASSERT_EQ(0, sysfs_read(q.name, "cpumask", after, sizeof(after)));
	ASSERT_EQ(0, set_cpu_online(cpu, true));
	ASSERT_EQ(0, sysfs_read(q.name, "cpumask", before, sizeof(before)));
	EXPECT_STREQ(before, after);
}

TEST_HARNESS_MAIN
