// SPDX-License-Identifier: MIT
/* What `pmudev list` shows of a made-up sysfs. */
#include "../pmudev/info/list.h"
#include "sysfs.h"

static struct pmudev_pmus *pmus[NR_MACHINES];
static char text[1 << 20];
static bool has_names; /* libpfm4's, of Skylake */
static unsigned int rows;

static const char *show(enum machine machine, const struct list_how *how)
{
	FILE *out = fmemopen(text, sizeof(text), "w");

	memset(text, 0, sizeof(text));
	rows = list_show(out, pmus[machine], how);
	fclose(out);
	return text;
}

static const char *list(enum machine machine, const char *pattern)
{
	const struct list_how how = { .pattern = pattern };

	return show(machine, &how);
}

static const char more[] =
	"\n"
	"libpfm4 has more names: `pmudev list WORD` searches them, `pmudev list -v` shows all.\n";

static const char whole[] =
	"intel_core: CPUs 0-3, intel, counters 0-3, fixed 0-2\n"
	"\n"
	"  GENERIC EVENT             COUNTS\n"
	"  cycles                    cycles in which the CPU was not halted\n"
	"  instructions              instructions executed\n"
	"  ref-cycles                time while the CPU was not halted, in cycles of a constant clock\n"
	"  cache-references          accesses to the last level of cache\n"
	"  cache-misses              accesses that missed the last level of cache\n"
	"  branches                  branches executed\n"
	"  branch-misses             branches that were mispredicted\n"
	"\n"
	"  EVENT OF THIS CPU         IS THE SAME AS\n"
	"  branch-misses             intel_core/event=0xc5,umask=0x00/\n"
	"  broken                    intel_core/event=0xa2,frobs=4/\n"
	"  instructions              intel_core/event=0xc0,umask=0x00/\n"
	"  slots                     intel_core/event=0xa4,umask=0x01/\n"
	"  stalls                    intel_core/event=0xa2,cmask=4,inv/\n"
	"\n"
	"  TERM                      VALUES          MEANS\n"
	"  event                     0 to 0xff       the event's number\n"
	"  umask                     0 to 0xffff     which part of the event\n"
	"  cmask                     0 to 0xff       count cycles with at least this many events\n"
	"  inv                       no value        with cmask: count cycles with fewer\n"
	"  edge                      no value        count how often the event begins\n"
	"  threshold                 0 to 0xff       count only in cycles with at least this many events\n"
	"  threshold_compare         ge, lt, eq, ne  ge: at least (if not given), lt: less, eq: equal, ne: not\n"
	"  threshold_count           no value        with threshold: count the cycles instead of the events\n"
	"  counters                  a mask          the counters that the event may use\n"
	"  user_read                 no value        the counted thread may read it without a system call\n"
	"  frobs                     0 to 0x3\n";

static void test_whole(void)
{
	list(INTEL, NULL);
	if (has_names && ok(strstr(text, more), "that there are more names is told"))
		*strstr(text, more) = '\0';
	is(text, whole, "all of a PMU");
	is_number(rows, 7 + 5 + 11, "  so many rows");
	is(list(NO_SYSFS, NULL), "", "nothing without sysfs");
	list(BIG_LITTLE, NULL);
	ok(strstr(text,
		  "armv8_pmuv3: CPUs 0,2, arm64, counters 1-5, fixed 0 (not available: 0)\n") ==
		   text,
	   "each PMU has a title");
	ok(strstr(text, "\n\narmv8_pmuv3_1: CPUs 1,3, arm64, counters 0-3, fixed 0\n"),
	   "  the second too");
	ok(!strstr(text, "ref-cycles"), "generic events that it has, no others");
}

static void test_some(void)
{
	is(list(BIG_LITTLE, "frontend"),
	   "armv8_pmuv3: CPUs 0,2, arm64, counters 1-5, fixed 0 (not available: 0)\n"
	   "\n"
	   "  EVENT OF THIS CPU         IS THE SAME AS\n"
	   "  stall_frontend            armv8_pmuv3/event=0x0023/\n",
	   "a part of a name, which one PMU has");
	is(list(BIG_LITTLE, "*D"),
	   "armv8_pmuv3: CPUs 0,2, arm64, counters 1-5, fixed 0 (not available: 0)\n"
	   "\n"
	   "  EVENT OF THIS CPU         IS THE SAME AS\n"
	   "  inst_retired              armv8_pmuv3/event=0x0008/\n"
	   "  stall_frontend            armv8_pmuv3/event=0x0023/\n"
	   "\n"
	   "armv8_pmuv3_1: CPUs 1,3, arm64, counters 0-3, fixed 0\n"
	   "\n"
	   "  EVENT OF THIS CPU         IS THE SAME AS\n"
	   "  inst_retired              armv8_pmuv3_1/event=0x0008/\n"
	   "\n"
	   "  TERM                      VALUES          MEANS\n"
	   "  threshold                 0 to 0xff       count only in cycles with at least this many events\n",
	   "a pattern, whatever the case");
	is_number(rows, 4, "  so many rows");
	list(INTEL, "F-CYCLE");
	is_number(rows, 1, "a part of a name, whatever the case");
	is(list(INTEL, "nonsense"), "", "nothing");
	is_number(rows, 0, "  and said so");
}

/* Descriptions are libpfm4's and may change: rows are looked for by their beginnings. */
static void test_names(void)
{
	struct list_how how = { .pattern = "mem_load_retired:l1" };
	unsigned int brief;

	list(INTEL, "l1_miss");
	ok(strstr(text, "\n  NAME OF LIBPFM4  "), "a word that libpfm4 knows");
	ok(strstr(text, "\n  MEM_LOAD_RETIRED:L1_MISS  "), "  has the event with its mask");
	ok(!strstr(text, "\n  MEM_LOAD_RETIRED:L1_HIT  "), "  and not its other masks");
	list(INTEL, "mem_load_retired");
	ok(strstr(text, "\n  MEM_LOAD_RETIRED          "), "an event's name");
	ok(!strstr(text, "\n  MEM_LOAD_RETIRED:L1_MISS  "), "  is not shown with each mask");
	brief = rows;
	list(INTEL, "mem_load_retired:*");
	ok(rows > brief, "a pattern may ask for its masks");
	list(INTEL, "page walk");
	ok(strstr(text, "\n  DTLB_LOAD_MISSES:"), "a word of the description");
	how.all = true;
	show(INTEL, &how);
	is_number(rows, 2, "all about some");
	ok(strstr(text, "\n  NAME OF LIBPFM4           IS THE SAME AS  COUNTS\n"), "  is told");
	ok(strstr(text, "\n  MEM_LOAD_RETIRED:L1_MISS  r8d1            "), "  with its code");
	how.pattern = "OFFCORE_RESPONSE_0:DMND_DATA_RD";
	show(INTEL, &how);
	ok(strstr(text, "\n  OFFCORE_RESPONSE_0:DMND_DATA_RD  -  "), "  if pmudev can count it");
	how.json = true;
	how.pattern = "mem_load_retired:l1_m*";
	show(INTEL, &how);
	is_number(rows, 1, "a line of JSON");
	ok(strstr(text, "{\"pmu\": \"intel_core\", \"kind\": \"libpfm4\", "
			"\"name\": \"MEM_LOAD_RETIRED:L1_MISS\", \"same_as\": \"r8d1\", "
			"\"description\": \"") == text,
	   "  for a name");
	ok(strchr(text, '\n') == text + strlen(text) - 1, "  one, and its end");
	how.pattern = NULL;
	show(INTEL, &how);
	ok(rows > 300, "all names with all masks");
}

static void test_json(void)
{
	const struct list_how how = { .pattern = "?talls", .all = true, .json = true };

	is(show(INTEL, &how),
	   "{\"pmu\": \"intel_core\", \"kind\": \"event\", \"name\": \"stalls\", "
	   "\"same_as\": \"intel_core/event=0xa2,cmask=4,inv/\"}\n",
	   "events as JSON");
	is(show(LITTLE, &(struct list_how){ .pattern = "threshold_c*t", .json = true }),
	   "{\"pmu\": \"armv8_pmuv3\", \"kind\": \"term\", \"name\": \"threshold_count\", "
	   "\"values\": \"no value\", "
	   "\"description\": \"with threshold: count the cycles instead of the events\"}\n",
	   "a term as JSON");
}

static int any(const struct pmudev_name_info *info, void *arg)
{
	(void)info;
	(void)arg;
	return 1;
}

int main(void)
{
	int i;

	/* The same on every machine that the tests run on, if it is an x86 one. */
	setenv("LIBPFM_FORCE_PMU", "skl", 1);
	fake_machines(pmus);
	has_names = pmudev_names_each(pmus[INTEL], 0, any, NULL) == 1;
	test_whole();
	test_some();
	test_json();
	if (has_names)
		test_names();
	else
		printf("ok %d - # SKIP libpfm4 of this build does not know Intel's CPUs\n",
		       ++tap_nr);
	for (i = 0; i < NR_MACHINES; i++)
		pmudev_pmus_free(pmus[i]);
	return tap_end();
}
