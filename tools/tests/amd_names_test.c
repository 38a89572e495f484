// SPDX-License-Identifier: MIT
/*
 * AMD's events by libpfm4's names and by perf's: the codes are those of the manuals (BKDG of family
 * 10H, PPR of 17H and 19H). The CPUs need not be this machine's.
 */
#include <errno.h>

#include "describe.h"
#include "sysfs.h"

static const struct fake_file fake_amd[] = {
	{ "cpumask", "0-3" },
	{ "caps/arch", "amd" },
	{ "caps/counters", "0-5" },
	{ "caps/cpu_id", "0x0000000000800f12" },
	{ "caps/generic", "0x000000000000007b" },
	{ "caps/width", "48" },
	{ "caps/threshold_max", "0x0000007f" },
	{ "format/event", "config:0-7,32-35" },
	{ "format/umask", "config:8-15" },
	{ "format/edge", "config:18" },
	{ "format/inv", "config:23" },
	{ "format/cmask", "config:24-30" },
	{ NULL, NULL },
};

static const struct fake_file fake_old[] = {
	{ "cpumask", "0" },
	{ "caps/arch", "amd" },
	{ "caps/counters", "0-3" },
	{ "caps/cpu_id", "0x0000000000100f23" },
	{ "caps/generic", "0x000000000000007b" },
	{ "caps/width", "48" },
	{ "format/event", "config:0-7,32-35" },
	{ "format/umask", "config:8-15" },
	{ "format/edge", "config:18" },
	{ "format/inv", "config:23" },
	{ "format/cmask", "config:24-30" },
	{ NULL, NULL },
};

static struct pmudev_pmus *load(const char *name, const struct fake_file *files)
{
	char root[] = "/tmp/pmudev-test-XXXXXX", remove[96];
	struct pmudev_pmus *pmus;

	ok(mkdtemp(root), "a temporary folder");
	fake_pmu(root, name, files);
	ok(!pmudev_pmus_load(&pmus, root), "  a machine's PMU is read from it");
	snprintf(remove, sizeof(remove), "rm -r %s", root);
	ok(!system(remove), "  and it is removed");
	return pmus;
}

static int no_name(const struct pmudev_name_info *info, void *arg)
{
	(void)info;
	(void)arg;
	return 1;
}

static void test_names(const struct pmudev_pmus *zen, const struct pmudev_pmus *old)
{
	expect_meaning(zen, "amd64_fam17h_zen1::RETIRED_INSTRUCTIONS:u", "0:1/c0/6");
	expect_meaning(zen, "amd64_fam17h_zen1::CYCLES_NOT_IN_HALT", "0:1/76/0");
	expect_meaning(zen, "amd64_fam17h_zen1::RETIRED_BRANCH_INSTRUCTIONS", "0:1/c2/0");
	expect_meaning(zen, "amd64_fam17h_zen1::RETIRED_BRANCH_INSTRUCTIONS_MISPREDICTED",
		       "0:1/c3/0");
	expect_meaning(zen, "amd64_fam17h_zen1::RETIRED_CONDITIONAL_BRANCH_INSTRUCTIONS",
		       "0:1/d1/0");
	expect_meaning(zen, "amd64_fam17h_zen1::RETIRED_INSTRUCTIONS:c=2:i=1", "0:1/28000c0/0");
	expect_meaning(old, "amd64_fam10h_barcelona::RETIRED_INSTRUCTIONS:u", "0:1/c0/6");
	expect_meaning(old, "amd64_fam10h_barcelona::CPU_CLK_UNHALTED", "0:1/76/0");
	expect_meaning(old, "amd64_fam10h_barcelona::RETIRED_BRANCH_INSTRUCTIONS", "0:1/c2/0");
	expect_meaning(old, "amd64_fam10h_barcelona::RETIRED_MISPREDICTED_BRANCH_INSTRUCTIONS",
		       "0:1/c3/0");
	/* 12 bits of event */
	expect_meaning(old, "amd64_fam10h_barcelona::L3_CACHE_MISSES:ANY_READ:ALL_CORES",
		       "0:1/40000f7e1/0");
}

int main(void)
{
	struct pmudev_pmus *zen, *old;

	setenv("LIBPFM_ENCODE_INACTIVE", "1", 1);
	unsetenv("LIBPFM_FORCE_PMU");
	zen = load("amd", fake_amd);
	old = load("amd", fake_old);
	expect_meaning(zen, "L1-dcache-loads,dTLB-load-misses", "0:1/40/0 1:1/f045/0");
	expect_meaning(zen, "branch-loads:u,branch-load-misses", "0:1/c2/6 1:1/c3/0");
	expect_meaning(old, "L1-dcache-load-misses,LLC-loads", "0:1/141/0 1:1/37d/0");
	expect_meaning(zen, "amd/event=0x1d6,umask=1/", "0:1/1000001d6/0");
	if (pmudev_names_each(zen, 0, no_name, NULL) == -EOPNOTSUPP)
		printf("ok %d - # SKIP the library was built without libpfm4\n", ++tap_nr);
	else
		test_names(zen, old);
	pmudev_pmus_free(zen);
	pmudev_pmus_free(old);
	return tap_end();
}
