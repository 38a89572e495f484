// SPDX-License-Identifier: GPL-2.0
/*
 * What sysfs says of events: format/ and events/ of every PMU, compared with what the device takes
 * and refuses, and with counting.
 */
#include "sysfs.h"
#include "kselftest_harness.h"

#include <string.h>

#define N 1000

/* -------------------------------------------------------------- format -- */

/* Parts of a config; those that newer CPUs have are as QUERY's refusal says. */
static const struct {
	__u32 arch;
	const char *name;
	__u64 bits;
} config_terms[] = {
	{ PMUDEV_ARCH_ARM64, "event", 0xffff },
	{ PMUDEV_ARCH_INTEL, "event", 0xff },
	{ PMUDEV_ARCH_INTEL, "umask", 0xff000000ff00 },
	{ PMUDEV_ARCH_INTEL, "edge", 1 << 18 },
	{ PMUDEV_ARCH_INTEL, "inv", 1 << 23 },
	{ PMUDEV_ARCH_INTEL, "cmask", 0xff000000 },
	{ PMUDEV_ARCH_INTEL, "eq", 1ULL << 36 },
	{ PMUDEV_ARCH_AMD, "event", 0xf000000ff },
	{ PMUDEV_ARCH_AMD, "umask", 0xff00 },
	{ PMUDEV_ARCH_AMD, "edge", 1 << 18 },
	{ PMUDEV_ARCH_AMD, "inv", 1 << 23 },
	{ PMUDEV_ARCH_AMD, "cmask", 0x7f000000 },
};

/* As wanted, or not there if no bits are. How many files that are. */
static unsigned int expect_term(struct __test_metadata *_metadata, const struct pmudev_query *q,
				const char *name, const char *field, __u64 bits)
{
	char line[256] = "", wanted[256], file[64];
	int ret;

	snprintf(file, sizeof(file), "format/%s", name);
	snprintf(wanted, sizeof(wanted), "%s:%s", field, list_of(bits));
	ret = sysfs_read(q->name, file, line, sizeof(line));
	EXPECT_EQ(bits ? 0 : -ENOENT, ret) TH_LOG("%s", file);
	if (bits)
		EXPECT_STREQ(wanted, line) TH_LOG("%s", file);
	return !!bits;
}

TEST(formats)
{
	unsigned int i, nr;
	struct pmudev_query q;
	struct names names;
	__u64 valid, all;
	__u32 max;
	bool chain;

	for_each_pmu(&q) {
		EXPECT_REFUSED(EINVAL, PMUDEV_WHY_CONFIG,
			       sysfs_try(&q, raw_event(~0ULL, USER_ONLY)));
		valid = why.limit;
		all = 0;
		nr = 0;
		for (i = 0; i < ARRAY_SIZE(config_terms); i++) {
			if (config_terms[i].arch != q.arch)
				continue;
			nr += expect_term(_metadata, &q, config_terms[i].name, "config",
					  config_terms[i].bits & valid);
			all |= config_terms[i].bits & valid;
		}
		/* Whatever a raw event can have has a name. */
		EXPECT_EQ(valid, all);
		max = q.threshold_max;
		chain = q.features & PMUDEV_HAS_CHAIN;
		nr += expect_term(_metadata, &q, "threshold", "threshold",
				  max ? (2ULL << (31 - __builtin_clz(max))) - 1 : 0);
		nr += expect_term(_metadata, &q, "threshold_compare", "threshold_compare",
				  max ? 3 : 0);
		nr += expect_term(_metadata, &q, "threshold_count", "flags", max ? 1 << 11 : 0);
		nr += expect_term(_metadata, &q, "long", "flags",
				  q.width == 64 || q.width_fixed == 64 || chain ? 1 << 5 : 0);
		nr += expect_term(_metadata, &q, "user_read", "flags",
				  q.features & PMUDEV_HAS_USER_READ ? 1 << 6 : 0);
		nr += expect_term(_metadata, &q, "direct", "flags",
				  q.features & PMUDEV_HAS_DIRECT ? 1 << 7 : 0);
		nr += expect_term(_metadata, &q, "chain_read", "flags",
				  chain && q.features & PMUDEV_HAS_USER_READ ? 1 << 8 : 0);
		nr += expect_term(_metadata, &q, "counters", "allowed", ~0ULL);
		ASSERT_EQ(0, sysfs_list(q.name, "format", &names));
		EXPECT_EQ(nr, names.nr);
	}
}

/* A term that is there is taken with a fixed counter's event; one that is not the ABI refuses. */
static void expect_taken(struct __test_metadata *_metadata, const struct pmudev_query *q,
			 const char *terms, __u32 flag, int error)
{
	struct pmudev_event_attr attr = raw_event(FIXED_EVENT, USER_ONLY);
	int ret = sysfs_apply(q->name, terms, &attr);

	if (ret == -ENOENT) {
		attr = raw_event(FIXED_EVENT, USER_ONLY | flag);
		EXPECT_EQ(-error, sysfs_try(q, attr)) TH_LOG("%s is not there", terms);
		return;
	}
	ASSERT_EQ(0, ret) TH_LOG("%s", terms);
	EXPECT_EQ(0, sysfs_try(q, attr)) TH_LOG("%s", terms);
}

TEST(terms_are_taken)
{
	struct pmudev_event_attr attr;
	struct pmudev_query q;
	char terms[128];

	ASSERT_EQ(0, set_user_access(true));
	for_each_pmu(&q) {
		expect_taken(_metadata, &q, "long", PMUDEV_LONG, EOPNOTSUPP);
		expect_taken(_metadata, &q, "user_read", PMUDEV_USER_READ, EOPNOTSUPP);
		expect_taken(_metadata, &q, "user_read,direct", PMUDEV_USER_READ | PMUDEV_DIRECT,
			     EOPNOTSUPP);
		snprintf(terms, sizeof(terms), "counters=0x%llx",
			 (unsigned long long)cycle_counters(q.available));
		expect_taken(_metadata, &q, terms, 0, 0);
		if (q.features & PMUDEV_HAS_CHAIN && q.features & PMUDEV_HAS_USER_READ)
			expect_taken(_metadata, &q, "long,user_read,chain_read", 0, 0);
	}
	for_each_pmu(&q) {
		if (!q.threshold_max)
			continue;
		/* What the term has room for is what is taken. */
		snprintf(terms, sizeof(terms), "threshold=%u,threshold_compare=2,threshold_count",
			 q.threshold_max);
		expect_taken(_metadata, &q, terms, 0, 0);
		attr = raw_event(EVENT_CYCLES, USER_ONLY);
		snprintf(terms, sizeof(terms), "threshold=%u", q.threshold_max + 1);
		EXPECT_EQ(-ERANGE, sysfs_apply(q.name, terms, &attr));
	}
	ASSERT_EQ(0, set_user_access(false));
}

/* -------------------------------------------------------------- events -- */

/* Each can be added as it is written, and counts. */
TEST(events_can_be_counted)
{
	struct pmudev_event_attr attr;
	struct pmudev_query q;
	struct names names;
	cpu_set_t cpus;
	unsigned int i;
	__u64 count;
	int fd;

	for_each_pmu(&q) {
		ASSERT_EQ(0, sysfs_cpus(&q, &cpus));
		ASSERT_EQ(0, sched_setaffinity(0, sizeof(cpus), &cpus));
		ASSERT_EQ(0, sysfs_list(q.name, "events", &names));
		TH_LOG("%s: %u events", q.name, names.nr);
		EXPECT_GT(names.nr, 1U);
		for (i = 0; i < names.nr; i++) {
			attr = raw_event(0, USER_ONLY);
			ASSERT_EQ(0, sysfs_event(q.name, names.name[i], &attr));
			EXPECT_EQ((__u32)USER_ONLY, attr.flags);
			fd = sysfs_set(&q);
			ASSERT_GE(fd, 0);
			EXPECT_EQ(0, pm_add(fd, &attr, 1)) TH_LOG("%s", names.name[i]);
			EXPECT_EQ(0, pm_enable(fd, PMUDEV_ALL)) TH_LOG("%s", names.name[i]);
			EXPECT_EQ(0, measure_read(fd, 0, N, &count));
			close(fd);
		}
	}
}

/* The two that every machine of the tests has, to the unit. */
TEST(names_count_what_they_say)
{
	struct pmudev_event_attr events[2] = { raw_event(0, USER_ONLY), raw_event(0, USER_ONLY) };
	static const char *const of_arm64[] = { "inst_retired", "cpu_cycles" };
	static const char *const of_intel[] = { "instructions", "cpu-cycles" };
	const char *const *names = PMU_ARCH == PMUDEV_ARCH_ARM64 ? of_arm64 : of_intel;
	union record before, after;
	__u64 instructions, cycles;
	struct pmudev_query q;
	cpu_set_t cpus;
	int fd, i;

	for_each_pmu(&q) {
		events[0].config = 0;
		events[1].config = 0;
		for (i = 0; i < 2; i++)
			ASSERT_EQ(0, sysfs_event(q.name, names[i], &events[i]));
		EXPECT_EQ((__u64)EVENT_INSTRUCTIONS, events[0].config);
		EXPECT_EQ((__u64)EVENT_CYCLES, events[1].config);
		ASSERT_EQ(0, sysfs_cpus(&q, &cpus));
		ASSERT_EQ(0, sched_setaffinity(0, sizeof(cpus), &cpus));
		fd = sysfs_set(&q);
		ASSERT_GE(fd, 0);
		ASSERT_EQ(0, pm_add(fd, events, 2));
		ASSERT_EQ(0, pm_enable(fd, PMUDEV_ALL));
		raw_read(fd, &before);
		loop(N);
		raw_read(fd, &after);
		close(fd);
		instructions = after.r.counts[0].value - before.r.counts[0].value;
		cycles = after.r.counts[1].value - before.r.counts[1].value;
		EXPECT_GE(instructions, (__u64)LOOP_INSTRUCTIONS * N);
		if (!exact_cycles())
			continue;
		EXPECT_LE(instructions, (__u64)LOOP_INSTRUCTIONS * N + 40);
		/* Of two kinds of CPUs one has another clock. */
		if (q.nr_pmus == 1)
			EXPECT_EQ(instructions * EMULATED_CYCLES, cycles);
	}
}

/* Generic events are among them where they are raw ones by another name. */
TEST(generic_events_have_names)
{
	static const struct {
		__u32 arch, generic;
		const char *name;
		const char *or_name;
	} rows[] = {
		{ PMUDEV_ARCH_ARM64, PMUDEV_CYCLES, "cpu_cycles", "" },
		{ PMUDEV_ARCH_ARM64, PMUDEV_INSTRUCTIONS, "inst_retired", "" },
		{ PMUDEV_ARCH_ARM64, PMUDEV_REF_CYCLES, "cnt_cycles", "" },
		{ PMUDEV_ARCH_ARM64, PMUDEV_CACHE_REFERENCES, "ll_cache", "ll_cache_rd" },
		{ PMUDEV_ARCH_ARM64, PMUDEV_CACHE_MISSES, "ll_cache_miss", "ll_cache_miss_rd" },
		{ PMUDEV_ARCH_ARM64, PMUDEV_BRANCHES, "br_retired", "" },
		{ PMUDEV_ARCH_ARM64, PMUDEV_BRANCH_MISSES, "br_mis_pred_retired", "" },
		{ PMUDEV_ARCH_INTEL, PMUDEV_CYCLES, "cpu-cycles", "" },
		{ PMUDEV_ARCH_INTEL, PMUDEV_INSTRUCTIONS, "instructions", "" },
		{ PMUDEV_ARCH_INTEL, PMUDEV_CACHE_REFERENCES, "cache-references", "" },
		{ PMUDEV_ARCH_INTEL, PMUDEV_CACHE_MISSES, "cache-misses", "" },
		{ PMUDEV_ARCH_INTEL, PMUDEV_BRANCHES, "branch-instructions", "" },
		{ PMUDEV_ARCH_INTEL, PMUDEV_BRANCH_MISSES, "branch-misses", "" },
		{ PMUDEV_ARCH_AMD, PMUDEV_CYCLES, "cpu-cycles", "" },
		{ PMUDEV_ARCH_AMD, PMUDEV_INSTRUCTIONS, "instructions", "" },
		{ PMUDEV_ARCH_AMD, PMUDEV_CACHE_REFERENCES, "cache-references", "" },
		{ PMUDEV_ARCH_AMD, PMUDEV_CACHE_MISSES, "cache-misses", "" },
		{ PMUDEV_ARCH_AMD, PMUDEV_BRANCHES, "branch-instructions", "" },
		{ PMUDEV_ARCH_AMD, PMUDEV_BRANCH_MISSES, "branch-misses", "" },
	};
	struct pmudev_query q;
	struct names names;
	unsigned int i;
	bool has;

	for_each_pmu(&q) {
		ASSERT_EQ(0, sysfs_list(q.name, "events", &names));
		for (i = 0; i < ARRAY_SIZE(rows); i++) {
			has = names_have(&names, rows[i].name) ||
			      names_have(&names, rows[i].or_name);
			if (rows[i].arch == q.arch)
				EXPECT_EQ(q.generic >> rows[i].generic & 1, has)
			TH_LOG("%s", rows[i].name);
		}
	}
}

/* What tests/vm/boot says of these machines. */
TEST(kinds_differ)
{
	struct names names[2], formats[2];
	struct pmudev_query q[2];
	int i;

	ASSERT_EQ(0, pm_query(&q[0]));
	if (q[0].nr_pmus < 2)
		SKIP(return, "needs CPUs of two kinds");
	ASSERT_EQ(0, pm_query_pmu(1, 0, &q[1]));
	for (i = 0; i < 2; i++) {
		ASSERT_EQ(0, sysfs_list(q[i].name, "events", &names[i]));
		ASSERT_EQ(0, sysfs_list(q[i].name, "format", &formats[i]));
	}
	EXPECT_NE(q[0].counters, q[1].counters);
	if (!strcmp(machine_name(), "kinds")) {
		EXPECT_TRUE(names_have(&names[0], "stall_backend"));
		EXPECT_FALSE(names_have(&names[1], "stall_backend"));
		EXPECT_EQ(names[0].nr, names[1].nr + 1);
	} else if (!strcmp(machine_name(), "kinds32")) {
		EXPECT_TRUE(names_have(&formats[0], "chain_read"));
		EXPECT_FALSE(names_have(&formats[1], "chain_read"));
		EXPECT_FALSE(names_have(&names[0], "chain"));
	}
}

TEST_HARNESS_MAIN
