// SPDX-License-Identifier: GPL-2.0
/* Intel's events in sysfs: those of the architectural ones that the CPU says it has. */
#include "sysfs.h"
#include "kselftest_harness.h"

#include <string.h>

#if defined(__x86_64__)

#include <cpuid.h>

/* By their number in CPUID.0AH:EBX: SDM volume 3B, "Architectural Performance Monitoring". */
static const struct {
	const char *name;
	__u8 event, umask;
} events[] = {
	{ "cpu-cycles", 0x3c, 0x00 },	    { "instructions", 0xc0, 0x00 },
	{ "bus-cycles", 0x3c, 0x01 },	    { "cache-references", 0x2e, 0x4f },
	{ "cache-misses", 0x2e, 0x41 },	    { "branch-instructions", 0xc4, 0x00 },
	{ "branch-misses", 0xc5, 0x00 },    { "slots", 0xa4, 0x01 },
	{ "topdown-be-bound", 0xa4, 0x02 }, { "topdown-bad-spec", 0x73, 0x00 },
	{ "topdown-fe-bound", 0x9c, 0x01 }, { "topdown-retiring", 0xc2, 0x02 },
	{ "lbr-inserts", 0xe4, 0x01 },
};

/* As the CPU on which this runs says, a mask by number. */
static __u64 events_here(void)
{
	unsigned int a, b, c, d;

	if (__get_cpuid_count(0x23, 0, &a, &b, &c, &d) && (a & 8)) {
		__cpuid_count(0x23, 3, a, b, c, d);
		return a;
	}
	__cpuid(0x0a, a, b, c, d);
	return ((1ULL << (a >> 24)) - 1) & ~(__u64)b;
}

TEST(events_are_those_that_there_are)
{
	char file[64], line[128], wanted[128];
	unsigned int i, nr;
	struct pmudev_query q;
	struct names names;
	cpu_set_t cpus;
	bool is_listed;
	__u64 here;

	for_each_pmu(&q) {
		ASSERT_EQ(0, sysfs_cpus(&q, &cpus));
		ASSERT_EQ(0, sched_setaffinity(0, sizeof(cpus), &cpus));
		here = events_here();
		TH_LOG("%s: %#llx", q.name, here);
		ASSERT_EQ(0, sysfs_list(q.name, "events", &names));
		for (i = nr = 0; i < ARRAY_SIZE(events); i++) {
			is_listed = names_have(&names, events[i].name);
			EXPECT_EQ(here >> i & 1, is_listed) TH_LOG("%s", events[i].name);
			if (!is_listed)
				continue;
			nr++;
			snprintf(file, sizeof(file), "events/%s", events[i].name);
			snprintf(wanted, sizeof(wanted), "event=0x%02x,umask=0x%02x",
				 events[i].event, events[i].umask);
			ASSERT_EQ(0, sysfs_read(q.name, file, line, sizeof(line)));
			EXPECT_STREQ(wanted, line);
		}
		EXPECT_EQ(nr, names.nr);
	}
}

#else

TEST(intel)
{
	SKIP(return, "another architecture");
}

#endif

TEST_HARNESS_MAIN
