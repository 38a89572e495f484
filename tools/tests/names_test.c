// SPDX-License-Identifier: MIT
/* Events by libpfm4's names, of CPUs that this machine need not have. */
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>

#include "describe.h"
#include "names.h"
#include "sysfs.h"

static struct pmudev_pmus *pmus[NR_MACHINES];

#if !defined(__aarch64__) && !defined(__arm__)
#define HERE INTEL
#else
#define HERE LITTLE
#endif

/* The one event that @name is; false if it is none. */
static bool parse(const char *name, struct pmudev_event_attr *attr)
{
	struct pmudev_events *events;

	if (pmudev_events_parse(name, pmus[HERE], &events, NULL))
		return false;
	*attr = pmudev_events_attrs(events)[0];
	pmudev_events_free(events);
	return true;
}

static void test_table(const char *table)
{
	unsigned int right = 0, same = 0, i;
	struct pmudev_event_attr attr;
	char name[128], what[160];
	uint64_t config;

	for (i = 0; i < NR_NAMES; i++) {
		snprintf(name, sizeof(name), "%s::%s", table, known_names[i].name);
		if (parse(name, &attr) && attr.type == PMUDEV_TYPE_RAW &&
		    attr.config == known_names[i].config)
			right++;
		else
			printf("# %s is wrong\n", name);
		if (asked_of_libpfm(name, &config) && config == attr.config)
			same++;
		else
			printf("# %s is something else to libpfm4\n", name);
	}
	snprintf(what, sizeof(what), "%s: names are the manual's codes", table);
	is_number(right, NR_NAMES, what);
	is_number(same, NR_NAMES, "  and libpfm4's");
}

#if !defined(__aarch64__) && !defined(__arm__)

static const struct {
	const char *text;
	const char *meaning;
} good[] = {
	/* each way to spell it */
	{ "skl::MEM_LOAD_RETIRED:L1_MISS", "0:1/8d1/0" },
	{ "skl::MEM_LOAD_RETIRED.L1_MISS", "0:1/8d1/0" },
	{ "skl::mem_load_retired.l1_miss", "0:1/8d1/0" },
	{ "SKL::Mem_Load_Retired:l1_miss", "0:1/8d1/0" },
	{ "intel_core/skl::MEM_LOAD_RETIRED:L1_MISS/", "0:1/8d1/0" },
	{ "cpu/skl::MEM_LOAD_RETIRED:L1_MISS,name=miss/:u", "0:1/8d1/6" },
	/* the mask that is meant where none is given, two of them, one as a number */
	{ "skl::INST_RETIRED", "0:1/c0/0" },
	{ "skl::FP_ARITH_INST_RETIRED:SCALAR_DOUBLE:SCALAR_SINGLE", "0:1/3c7/0" },
	{ "skl::UOPS_ISSUED:0x1", "0:1/10e/0" },
	/* modifiers: ours in one piece or several, libpfm4's */
	{ "skl::UOPS_ISSUED:ANY:u", "0:1/10e/6" },
	{ "skl::UOPS_ISSUED:ANY:uk", "0:1/10e/4" },
	{ "skl::UOPS_ISSUED:ANY:u:k", "0:1/10e/4" },
	{ "skl::UOPS_ISSUED:ANY:G", "0:1/10e/8" },
	{ "skl::UOPS_ISSUED:ANY:c=1:i", "0:1/180010e/0" },
	{ "skl::UOPS_ISSUED:ANY:c=2:e:u", "0:1/204010e/6" },
	{ "{skl::UOPS_ISSUED:ANY,skl::INST_RETIRED:ANY_P}:u", "0:1/10e/6 0:1/c0/6" },
	/* with what else there is */
	{ "skl::UOPS_ISSUED:ANY@2:u", "0:1/10e/406@2" },
	{ "skl::UOPS_ISSUED:ANY/threshold=2,threshold_count/u", "0:1/10e/806~2.2" },
	{ "skl::UOPS_ISSUED:ANY/inv,cmask=1/,cycles", "0:1/180010e/0 1:0/0/0" },
	{ "intel_core/cmask=1,inv,skl::UOPS_ISSUED:ANY/", "0:1/180010e/0" },
	{ "intel_core/inv,skl::UOPS_ISSUED:ANY:c=1/", "0:1/180010e/0" },
	/* Event 0, mask 3 is the fixed counter's. */
	{ "skl::UNHALTED_REFERENCE_CYCLES", "0:0/2/0" },
};

#define MASKS "L1_HIT, L2_HIT, L3_HIT, L1_MISS, L2_MISS, L3_MISS, HIT_LFB, FB_HIT"
#define SECOND                                                                           \
	" needs a second register (offcore response, load latency or front end), which " \
	"pmudev does not set"
#define NOT_CPU " is not an event of a CPU's own counters, which are all that pmudev has"
#define LAST	"comes last and has no value: NAME:MASK:u"

static const struct {
	const char *text;
	int error;
	size_t position;
	const char *sentence;
} bad[] = {
	{ "cycles,skl::NO_SUCH:L1_MISS", ENOENT, 7, "skl has no event 'NO_SUCH'" },
	{ "no_such_table::X", ENOENT, 0, "libpfm4 has no PMU 'no_such_table'" },
	{ "skl::MEM_LOAD_RETIRED:L9", ENOENT, 22,
	  "MEM_LOAD_RETIRED has no unit mask or modifier 'L9'; it has " MASKS },
	{ "skl::MEM_LOAD_RETIRED", EINVAL, 0, "MEM_LOAD_RETIRED needs a unit mask: one of " MASKS },
	{ "skl::UOPS_ISSUED:c=300", EINVAL, 0,
	  "libpfm4 does not accept skl::UOPS_ISSUED:c=300: invalid event attribute value" },
	{ "intel_core/skl::UOPS_ISSUED:c=1,cmask=2/", EINVAL, 32, "cmask is given twice" },
	{ "intel_core/event=1,skl::UOPS_ISSUED/", EINVAL, 19, "event is given twice" },
	{ "intel_core/cmask=2,skl::UOPS_ISSUED:c=1/", EINVAL, 19, "cmask is given twice" },
	{ "intel_core/umask=1,skl::UOPS_ISSUED/", EINVAL, 19, "umask is given twice" },
	{ "intel_core/inv,skl::UNHALTED_REFERENCE_CYCLES/", EINVAL, 15,
	  "'skl::UNHALTED_REFERENCE_CYCLES' is a fixed counter's, and takes no bits of a code" },
	{ "cpu/skl::UOPS_ISSUED:u/", EOPNOTSUPP, 21, "'u' " LAST },
	{ "skl::UOPS_ISSUED:u=1", EOPNOTSUPP, 17, "'u' " LAST },
	{ "skl::UOPS_ISSUED:t", EOPNOTSUPP, 17,
	  "'t' counts for the core's other thread too; pmudev counts for one" },
	{ "skl::UOPS_ISSUED:intx:u", EOPNOTSUPP, 17,
	  "'intx' counts inside transactions only, which pmudev cannot select" },
	{ "skl::UOPS_ISSUED:precise=1", EOPNOTSUPP, 17,
	  "'precise' is for sampling; pmudev only counts" },
	{ "skl::FRONTEND_RETIRED:L1I_MISS", EOPNOTSUPP, 0,
	  "skl::FRONTEND_RETIRED:L1I_MISS" SECOND },
	{ "skl::OFFCORE_RESPONSE_0:DMND_DATA_RD", EOPNOTSUPP, 0,
	  "skl::OFFCORE_RESPONSE_0:DMND_DATA_RD" SECOND },
	{ "skx_unc_imc0::UNC_M_CAS_COUNT:RD", EOPNOTSUPP, 0,
	  "skx_unc_imc0::UNC_M_CAS_COUNT:RD" NOT_CPU },
	{ "perf::PERF_COUNT_HW_CPU_CYCLES", EOPNOTSUPP, 0,
	  "perf::PERF_COUNT_HW_CPU_CYCLES" NOT_CPU },
};

static void test_spellings(void)
{
	struct pmudev_events_error error;
	struct pmudev_events *events;
	size_t i;

	for (i = 0; i < sizeof(good) / sizeof(*good); i++)
		expect_meaning(pmus[HERE], good[i].text, good[i].meaning);
	for (i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
		expect_wrong(pmus[HERE], bad[i].text, bad[i].position, bad[i].sentence);
		is_number(-pmudev_events_parse(bad[i].text, pmus[HERE], &events, &error),
			  bad[i].error, "  its errno");
	}
	/* Tables are those of the machine that the program is for. */
	ok(pmudev_events_parse("skl::INST_RETIRED", pmus[LITTLE], &events, &error) == -ENOENT,
	   "not on an Arm PMU");
}

#else
static void test_spellings(void)
{
}
#endif

#define THREADS 8
#define ROUNDS	20

static void *parse_all(void *wrong)
{
	unsigned int *count = wrong, round, i;
	struct pmudev_event_attr attr;
	char name[128];

	for (round = 0; round < ROUNDS; round++) {
		for (i = 0; i < NR_NAMES; i++) {
			snprintf(name, sizeof(name), "%s::%s:u", name_tables[i % NR_TABLES],
				 known_names[i].name);
			if (!parse(name, &attr) || attr.config != known_names[i].config)
				++*count;
		}
	}
	return NULL;
}

static void test_threads(void)
{
	unsigned int wrong[THREADS] = {}, sum = 0, i;
	pthread_t threads[THREADS];

	for (i = 0; i < THREADS; i++)
		if (pthread_create(&threads[i], NULL, parse_all, &wrong[i]))
			exit(1);
	for (i = 0; i < THREADS; i++) {
		pthread_join(threads[i], NULL);
		sum += wrong[i];
	}
	is_number(sum, 0, "eight threads at once");
}

static int no_name(const struct pmudev_name_info *info, void *arg)
{
	(void)info;
	(void)arg;
	return 1;
}

int main(void)
{
	size_t i;

	setenv("LIBPFM_ENCODE_INACTIVE", "1", 1);
	unsetenv("LIBPFM_FORCE_PMU");
	fake_machines(pmus);
	if (pmudev_names_each(pmus[HERE], 0, no_name, NULL) == -EOPNOTSUPP) {
		printf("ok %d - # SKIP the library was built without libpfm4\n", ++tap_nr);
	} else {
		/* First, so that they meet where libpfm4 is initialized. */
		test_threads();
		for (i = 0; i < NR_TABLES; i++)
			test_table(name_tables[i]);
		test_spellings();
	}
	for (i = 0; i < NR_MACHINES; i++)
		pmudev_pmus_free(pmus[i]);
	return tap_end();
}
