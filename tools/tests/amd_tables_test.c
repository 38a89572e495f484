// SPDX-License-Identifier: GPL-2.0
/*
 * Each event that libpfm4 has for AMD's core counters, with each of its unit masks, reaches the
 * selector as libpfm4 has it: by the library's name, then by the module's encoder. What is refused
 * is what the encoder's manual says (src/pure/encode_amd.c). The CPUs need not be this machine's.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <sys/mman.h>
#include <sys/wait.h>

#include <pmudev/amd.h>

#include "describe.h"
#include "sysfs.h"

#define EXTENDED    0x800000 /* 8000_0001H, ECX */
#define LEVELS	    (AMD_CTL_USR | AMD_CTL_OS | AMD_CTL_EN)
#define NORTHBRIDGE 0xe0
#define FLOPS	    0x003

/* libpfm4's tables, and CPUs that have these events. */
static const struct table {
	const char *name;
	struct amd_cpuid cpu;
} tables[] = {
	{ "amd64_k7", { .signature = 0x000006a0 } },
	{ "amd64_k8_revf", { .signature = 0x00040f33 } },
	{ "amd64_fam10h_barcelona", { .signature = 0x00100f23 } },
	{ "amd64_fam10h_shanghai", { .signature = 0x00100f42 } },
	{ "amd64_fam10h_istanbul", { .signature = 0x00100f80 } },
	{ "amd64_fam11h_turion", { .signature = 0x00200f31 } },
	{ "amd64_fam12h_llano", { .signature = 0x00300f10 } },
	{ "amd64_fam14h_bobcat", { .signature = 0x00500f10 } },
	{ "amd64_fam15h_interlagos", { .signature = 0x00600f12, .features = EXTENDED } },
	{ "amd64_fam16h", { .signature = 0x00700f01 } },
	{ "amd64_fam17h_zen1", { .signature = 0x00800f12, .features = EXTENDED } },
	{ "amd64_fam17h_zen2", { .signature = 0x00830f10, .features = EXTENDED } },
	{ "amd64_fam19h_zen3", { .signature = 0x00a00f11, .features = EXTENDED } },
	{ "amd64_fam19h_zen4",
	  { .signature = 0x00a10f11, .features = EXTENDED, .perfmon = { 0x3, 0x104106 } } },
	{ "amd64_fam1ah_zen5",
	  { .signature = 0x00b40f40, .features = EXTENDED, .perfmon = { 0x7, 0x84106 } } },
};

static const struct fake_file fake_amd[] = {
	{ "cpumask", "0" },
	{ "caps/arch", "amd" },
	{ "caps/counters", "0-5" },
	{ "caps/generic", "0x000000000000007b" },
	{ "caps/width", "48" },
	{ "format/event", "config:0-7,32-35" },
	{ "format/umask", "config:8-15" },
	{ "format/edge", "config:18" },
	{ "format/inv", "config:23" },
	{ "format/cmask", "config:24-30" },
	{ NULL, NULL },
};

/* What a child finds out about a table. */
struct found {
	bool no_libpfm4;
	unsigned int same;    /* events that are encoded as they are */
	unsigned int refused; /* refused, and rightly so */
	unsigned int wrong;
};

/* Of a child */
static struct {
	const struct table *table;
	const struct pmudev_pmus *pmus;
	struct amd_caps caps;
	struct found *found;
} job;

/* What one counter of a core cannot count: of the northbridge, or more than 15 in a cycle. */
static bool is_refused(__u64 config)
{
	const unsigned int number = (config & 0xff) | (config >> 24 & 0xf00);

	if (job.caps.family < AMD_FAMILY_ZEN)
		return (config & NORTHBRIDGE) == NORTHBRIDGE;
	return number == FLOPS;
}

static void judge(const char *name, const struct pmudev_event_attr *attr)
{
	struct pmudev_refusal why = {};
	struct pmudev_code code = {};
	int ret = amd_encode(&job.caps, attr, &code, &why);

	if (is_refused(attr->config) && ret == -EOPNOTSUPP && why.code == PMUDEV_WHY_HARDWARE) {
		job.found->refused++;
	} else if (!is_refused(attr->config) && !ret && code.config == (attr->config | LEVELS) &&
		   code.allowed && !(code.allowed & ~job.caps.counters)) {
		job.found->same++;
	} else {
		job.found->wrong++;
		printf("# %s: code %#llx, %d, reason %u, selector %#llx, counters %#llx\n", name,
		       (unsigned long long)attr->config, ret, why.code,
		       (unsigned long long)code.config, (unsigned long long)code.allowed);
	}
}

static int try_name(const struct pmudev_name_info *info, void *arg)
{
	struct pmudev_events_error error;
	struct event_list list;
	char name[300];

	(void)arg;
	/* Of a machine's own tables only this one counts. */
	if (strcmp(info->table, job.table->name))
		return 0;
	snprintf(name, sizeof(name), "%s::%s", info->table, info->name);
	if (parse_events(name, job.pmus, &list, &error)) {
		judge(name, &list.attrs[0]);
	} else if (info->mask || !strstr(error.text, "needs a unit mask")) {
		job.found->wrong++;
		printf("# %s: %s\n", name, error.text);
	}
	return 0;
}

static void run_job(const struct table *table, const struct pmudev_pmus *pmus, struct found *found)
{
	job.table = table;
	job.pmus = pmus;
	job.found = found;
	/* libpfm4 believes that this is the machine. */
	setenv("LIBPFM_FORCE_PMU", table->name, 1);
	if (amd_enumerate(&job.caps, &table->cpu)) {
		found->wrong++;
		return;
	}
	found->no_libpfm4 = pmudev_names_each(pmus, 0, try_name, NULL) == -EOPNOTSUPP;
	fflush(stdout);
}

static void test_table(const struct table *table, const struct pmudev_pmus *pmus,
		       struct found *found)
{
	char what[120];
	int status = -1;
	pid_t child;

	memset(found, 0, sizeof(*found));
	fflush(stdout);
	child = fork();
	if (!child) {
		run_job(table, pmus, found);
		_exit(0);
	}
	waitpid(child, &status, 0);
	snprintf(what, sizeof(what), "%s: %u events are encoded as they are, %u are refused",
		 table->name, found->same, found->refused);
	if (!status && !found->wrong && !found->same)
		printf("ok %d - %s # SKIP %s\n", ++tap_nr, table->name,
		       found->no_libpfm4 ? "the library was built without libpfm4" :
					   "libpfm4 has no such table");
	else
		ok(!status && !found->wrong && found->same + found->refused >= 20, what);
}

int main(void)
{
	char root[] = "/tmp/pmudev-test-XXXXXX", remove[96];
	struct pmudev_pmus *pmus;
	struct found *found;
	unsigned int i;

	found = mmap(NULL, sizeof(*found), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1,
		     0);
	if (!ok(found != MAP_FAILED && mkdtemp(root), "a temporary folder"))
		return tap_end();
	fake_pmu(root, "amd", fake_amd);
	ok(!pmudev_pmus_load(&pmus, root), "a machine's PMU is read from it");
	snprintf(remove, sizeof(remove), "rm -r %s", root);
	ok(!system(remove), "  and it is removed");
	for (i = 0; i < ARRAY_SIZE(tables); i++)
		test_table(&tables[i], pmus, found);
	pmudev_pmus_free(pmus);
	munmap(found, sizeof(*found));
	return tap_end();
}
