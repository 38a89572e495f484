// SPDX-License-Identifier: GPL-2.0
/* arm64's events in sysfs: those of the common ones that the CPU's PMCEID registers tell of. */
#include "sysfs.h"
#include "kselftest_harness.h"

#include <string.h>

/*
 * Numbers in the ranges of the common events that have no names (Arm ARM, D13): a CPU may tell of
 * them even so.
 */
static bool is_reserved(__u64 config)
{
	return config == 0x4007 || config == 0x4008 || (config >= 0x4014 && config < 0x4018) ||
	       (config >= 0x401c && config < 0x4020) || config == 0x4023 || config > 0x4026;
}

/* The numbers of the events with names, by 0..0x3f and 0x4000..0x403f; each as it is written. */
static void find_listed(struct __test_metadata *_metadata, const struct pmudev_query *q,
			__u64 *listed)
{
	char file[64], line[128], wanted[128];
	struct pmudev_event_attr attr;
	struct names names;
	unsigned int i;

	ASSERT_EQ(0, sysfs_list(q->name, "events", &names));
	listed[0] = 0;
	listed[1] = 0;
	for (i = 0; i < names.nr; i++) {
		attr = raw_event(0, 0);
		ASSERT_EQ(0, sysfs_event(q->name, names.name[i], &attr));
		ASSERT_EQ(0ULL, attr.config & ~0x403fULL);
		listed[attr.config >> 14] |= 1ULL << (attr.config & 0x3f);
		snprintf(file, sizeof(file), "events/%s", names.name[i]);
		snprintf(wanted, sizeof(wanted), "event=0x%02llx", attr.config);
		ASSERT_EQ(0, sysfs_read(q->name, file, line, sizeof(line)));
		EXPECT_STREQ(wanted, line);
	}
}

/* Those that are not listed are refused, all others are taken. */
TEST(events_are_those_that_there_are)
{
	__u64 config, listed[2];
	struct pmudev_query q;
	bool is_listed;
	int i, ret;

	for_each_pmu(&q) {
		find_listed(_metadata, &q, listed);
		for (i = 0; i < 128; i++) {
			config = i / 64 * 0x4000 + i % 64;
			is_listed = listed[i / 64] >> i % 64 & 1;
			ret = sysfs_try(&q, raw_event(config, USER_ONLY));
			if (ret || !is_reserved(config))
				EXPECT_EQ(!ret, is_listed) TH_LOG("event %#llx: %d", config, ret);
		}
	}
}

TEST_HARNESS_MAIN
