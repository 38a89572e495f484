// SPDX-License-Identifier: MIT
/* What stands between slashes, as sysfs has it; events and PMUs by name. */
#include "describe.h"
#include "sysfs.h"

static struct pmudev_pmus *pmus[NR_MACHINES];

static const struct {
	enum machine machine;
	const char *text;
	const char *meaning;
} good[] = {
	/* the CPU's own codes, field by field */
	{ INTEL, "cpu/event=0xc0/", "0:1/c0/0" },
	{ INTEL, "cpu/event=192,umask=0/", "0:1/c0/0" },
	{ INTEL, "cpu/event=0x2e,umask=0x41/u", "0:1/412e/6" },
	{ INTEL, "cpu/umask=0x41,event=0x2e/:k", "0:1/412e/5" },
	{ INTEL, "cpu/event=0xc0,cmask=1,inv,edge/", "0:1/18400c0/0" },
	{ INTEL, "cpu/event=1,cmask=0xff,inv=1,edge=0/,cycles", "0:1/ff800001/0 1:0/0/0" },
	{ INTEL, "{cpu/event=1/,cpu/event=2,edge/}:u", "0:1/1/6 0:1/40002/6" },
	{ INTEL, "cpu/event=0x3c/@3:k", "0:1/3c/405@3" },
	{ INTEL, "cpu/event=1,umask=0xabcd/", "0:1/ab000000cd01/0" },
	{ LITTLE, "cpu/event=0x4004/", "0:1/4004/0" },
	/* perf's term for all of them */
	{ INTEL, "cpu/config=0x1c0/", "0:1/1c0/0" },
	{ INTEL, "cpu/config=192,cmask=1,name=x/u", "0:1/10000c0/6" },
	{ INTEL, "intel_core/config=0xffffffffffffffff/", "0:1/ffffffffffffffff/0" },
	{ BIG_LITTLE, "armv8_pmuv3/config=0x11,long/", "0:1/11/20#1" },
	/* a PMU's name, a mask of its counters, flags */
	{ INTEL, "intel_core/event=0xc0/", "0:1/c0/0" },
	{ INTEL, "intel_core/event=0xc0,counters=0x5,user_read/G", "0:1/c0/48&5" },
	{ INTEL, "cpu/event=1,counters=0xffffffffffffffff/", "0:1/1/0&ffffffffffffffff" },
	{ BIG_LITTLE, "armv8_pmuv3/event=0x11,long/", "0:1/11/20#1" },
	{ BIG_LITTLE, "armv8_pmuv3_1/event=0x11,threshold=2/,cycles", "0:1/11/0~2.2#2 1:0/0/0" },
	{ BIG_LITTLE, "cpu/event=0x11,counters=1/", "0:1/11/0&1" },
	/* events by name */
	{ INTEL, "slots", "0:1/1a4/0" },
	{ INTEL, "stalls@2:uH", "0:1/48000a2/416@2" },
	{ INTEL, "slots/cmask=2/k", "0:1/20001a4/5" },
	{ INTEL, "intel_core/slots/", "0:1/1a4/0" },
	{ INTEL, "intel_core/cmask=2,slots/", "0:1/20001a4/0" },
	{ INTEL, "cpu/slots,name=wide/", "0:1/1a4/0" },
	/* a generic event is not the PMU's of the same name */
	{ INTEL, "instructions,intel_core/instructions/", "0:0/1/0 1:1/c0/0" },
	{ LITTLE, "stall_slot/threshold=2,threshold_compare=2/", "0:1/3f/0~2.2" },
	{ BIG_LITTLE, "stall_slot,inst_retired:u", "0:1/3f/0 1:1/8/6" },
	/* what one of them has is counted there */
	{ BIG_LITTLE, "stall_frontend", "0:1/23/0#1" },
	{ BIG_LITTLE, "stall_frontend/long/u", "0:1/23/26#1" },
	{ BIG_LITTLE, "cpu/stall_frontend,long/", "0:1/23/20#1" },
	{ BIG_LITTLE, "armv8_pmuv3_1/stall_slot,threshold=3/", "0:1/3f/0~3.2#2" },
	{ BIG_LITTLE, "armv8_pmuv3/odd_one/,armv8_pmuv3_1/odd_one/", "0:1/70/0#1 1:1/71/0#2" },
	/* thresholds: 0 not equal, 1 equal, 2 greater or equal, 3 less */
	{ INTEL, "instructions/threshold=2/", "0:0/1/0~2.2" },
	{ INTEL, "cpu/event=0xc2,threshold=2/", "0:1/c2/0~2.2" },
	{ INTEL, "slots/threshold=1,threshold_compare=lt,threshold_count/", "0:1/1a4/800~1.3" },
	{ INTEL, "instructions/threshold=255,threshold_compare=ne/u", "0:0/1/6~255.0" },
	{ INTEL, "cycles/threshold_compare=eq,threshold=1,threshold_count=0/", "0:0/0/0~1.1" },
	{ INTEL, "r1,cycles/threshold=1,threshold_compare=3,threshold_count=1/@2",
	  "0:1/1/0 1:0/0/c00@2~1.3" },
	{ INTEL, "cycles/threshold_count/", "0:0/0/800" },
	{ INTEL, "cycles/threshold=0,threshold_compare=lt/", "0:0/0/0" },
	/* any PMU */
	{ BIG_LITTLE, "r3f:u,cycles/name=c/", "0:1/3f/6 1:0/0/0" },
};

#define INTEL_TERMS                                                                \
	"cmask, counters, edge, event, frobs, inv, threshold, threshold_compare, " \
	"threshold_count, umask, user_read and name"
#define BIG_TERMS    "counters, event, long and name"
#define THRESHOLDS   "threshold, threshold_compare, threshold_count and name"
#define LITTLE_TERMS "counters, event, long, " THRESHOLDS
#define DIFFERS	     "differs between armv8_pmuv3 and armv8_pmuv3_1: name one, as in armv8_pmuv3/.../"
#define MEANT_SLOT   "did you mean stall_slot? Its terms are "
#define MEANT_PMU    "did you mean armv8_pmuv3_1, armv8_pmuv3? `pmudev list` shows all"
#define NO_ROOT	     "/sys/class/pmudev"

static const struct {
	enum machine machine;
	const char *text;
	size_t position;
	const char *error;
} bad[] = {
	{ INTEL, "cpu/event=0xc0", 3, "this '/' is not closed" },
	{ INTEL, "{cpu/event=1}", 4, "this '/' is not closed" },
	{ INTEL, "r3c/event=1/", 3, "a comma is expected here, not '/'" },
	{ INTEL, "stalls:uH@2", 9, "a comma is expected here, not '@'" },
	/* terms */
	{ BIG_LITTLE, "armv8_pmuv3//", 12, "a term is missing here; there are " BIG_TERMS },
	{ LITTLE, "cpu/event=1,/", 12, "a term is missing here; there are " LITTLE_TERMS },
	{ LITTLE, "cpu/event=1,any/", 12,
	  "armv8_pmuv3 has no term or event 'any'; its terms are " LITTLE_TERMS },
	{ BIG_LITTLE, "cycles,armv8_pmuv3/event=1,umask=2/", 27,
	  "armv8_pmuv3 has no term or event 'umask'; its terms are " BIG_TERMS },
	{ LITTLE, "cycles/u", 7,
	  "armv8_pmuv3 has no term 'u'; its terms are counters, long, " THRESHOLDS },
	{ LITTLE, "cpu/stal_slot/", 4,
	  "armv8_pmuv3 has no term or event 'stal_slot'; " MEANT_SLOT LITTLE_TERMS },
	{ INTEL, "cycles/umask=1/", 7, "umask is part of an event's code: intel_core/event=.../" },
	{ INTEL, "cpu/event=1,event=2/", 12, "event is given twice" },
	{ INTEL, "intel_core/slots,umask=2/", 17, "umask is given twice" },
	{ INTEL, "stalls/edge,cmask=2/", 12, "cmask is given twice" },
	{ INTEL, "intel_core/slots,instructions/", 17, "event is given twice" },
	{ INTEL, "cycles/name=a,name=b/", 14, "name is given twice" },
	{ INTEL, "cpu/config=1,event=2/", 13, "event is given twice" },
	{ INTEL, "cpu/config/", 10, "config needs a value: config=..." },
	{ INTEL, "cpu/config=/", 10, "config needs a value: config=..." },
	{ INTEL, "cpu/config=0x10000000000000000/", 11,
	  "config is a number up to 0xffffffffffffffff" },
	{ INTEL, "cpu/umask=1/", 4, "the event is missing: its name, or event=..." },
	{ INTEL, "cpu/name=x/", 4, "the event is missing: its name, or event=..." },
	/* values */
	{ INTEL, "cpu/event/", 9, "event needs a value: event=..." },
	{ INTEL, "cpu/event=/", 10, "event is a number up to 0xff" },
	{ INTEL, "cpu/event=0x/", 10, "event is a number up to 0xff" },
	{ INTEL, "cpu/event=c0/", 10, "event is a number up to 0xff" },
	{ INTEL, "cpu/event=0x100/", 10, "event is a number up to 0xff" },
	{ LITTLE, "cpu/event=0x10000/", 10, "event is a number up to 0xffff" },
	{ INTEL, "cpu/event=18446744073709551617/", 10, "event is a number up to 0xff" },
	{ INTEL, "cpu/event=1,umask=65536/", 18, "umask is a number up to 0xffff" },
	{ INTEL, "cpu/event=1,edge=2/", 17, "edge is 0 or 1" },
	{ INTEL, "cpu/event=1,counters=0x10000000000000000/", 21,
	  "counters is a number up to 0xffffffffffffffff" },
	{ INTEL, "cycles/threshold/", 16, "threshold needs a value: threshold=..." },
	{ INTEL, "cycles/threshold=256/", 17, "the highest threshold is 255" },
	{ INTEL, "cycles/threshold=1,threshold_compare=gt/", 37,
	  "threshold_compare is ge, lt, eq or ne" },
	{ INTEL, "cycles/threshold=1,threshold_compare=4/", 37,
	  "threshold_compare is ge, lt, eq or ne" },
	{ INTEL, "cycles/name/", 11, "name needs a value: name=..." },
	{ INTEL, "slots=3/", 5, "a comma is expected here, not '='" },
	{ INTEL, "intel_core/slots=3/", 16, "slots is an event, which has no value" },
	{ INTEL, "intel_core/event=1,u/", 19,
	  "intel_core has no term or event 'u'; its terms are " INTEL_TERMS },
	{ INTEL, "cpu/event=1,counters=3/@0-3", 24,
	  "counters= already says which ones it may be on" },
	/* thresholds that this CPU has not, or one of them */
	{ BIG_LITTLE, "armv8_pmuv3/event=1,threshold=2/", 20,
	  "armv8_pmuv3 has no thresholds (threshold_max is 0)" },
	{ BIG_LITTLE, "stall_slot/threshold_count/", 11,
	  "armv8_pmuv3 has no thresholds (threshold_max is 0)" },
	{ BIG_LITTLE, "cycles/long/", 7, "'long' " DIFFERS },
	{ BIG_LITTLE, "cycles,odd_one", 7, "'odd_one' " DIFFERS },
	{ BIG_LITTLE, "armv8_pmuv3_1/stall_frontend/", 14,
	  "armv8_pmuv3_1 has no term or event 'stall_frontend'; its terms are " LITTLE_TERMS },
	/* events */
	{ INTEL, "foobar", 0, "unknown event 'foobar'; `pmudev list` shows all" },
	{ INTEL, "cycles,slot/edge/", 7,
	  "unknown event or PMU 'slot'; did you mean slots? `pmudev list` shows all" },
	{ BIG_LITTLE, "STALL_SLOT", 0,
	  "unknown event 'STALL_SLOT'; did you mean stall_slot? `pmudev list` shows all" },
	{ BIG_LITTLE, "instruction", 0,
	  "unknown event 'instruction'; did you mean instructions? `pmudev list` shows all" },
	{ BIG_LITTLE, "retired", 0,
	  "unknown event 'retired'; did you mean inst_retired? `pmudev list` shows all" },
	{ BIG_LITTLE, "cpu-cycle", 0,
	  "unknown event 'cpu-cycle'; did you mean cpu_cycles? `pmudev list` shows all" },
	{ INTEL, "broken", 0,
	  NO_ROOT "/intel_core/events/broken is not valid: 'event=0xa2,frobs=4'" },
	{ BIG_LITTLE, "armv8_pmuv3_2/event=1/", 0,
	  "unknown event or PMU 'armv8_pmuv3_2'; " MEANT_PMU },
	{ BIG_LITTLE, "armv8_pmuv3_1", 0,
	  "armv8_pmuv3_1 is a PMU; an event of it is armv8_pmuv3_1/NAME/" },
	/* without the module */
	{ NO_SYSFS, "cycles/threshold=2/", 6,
	  "what may stand here is in " NO_ROOT ", which is not there: is the module loaded?" },
	{ NO_SYSFS, "cpu/event=1/", 0,
	  "unknown event 'cpu'; is the module loaded? There is no " NO_ROOT },
	{ NO_SYSFS, "foo", 0, "unknown event 'foo'; is the module loaded? There is no " NO_ROOT },
};

static void test_good(void)
{
	size_t i;

	for (i = 0; i < sizeof(good) / sizeof(*good); i++)
		expect_meaning(pmus[good[i].machine], good[i].text, good[i].meaning);
}

static void test_bad(void)
{
	size_t i;

	for (i = 0; i < sizeof(bad) / sizeof(*bad); i++)
		expect_wrong(pmus[bad[i].machine], bad[i].text, bad[i].position, bad[i].error);
}

static void test_names(void)
{
	struct pmudev_events_error error;
	struct event_list list;

	parse_events("cpu/event=1/u,cpu/event=2,name=two/k,cycles/name=c/@2:k,intel_core/slots/",
		     pmus[INTEL], &list, &error);
	is(list.events[0].name, "cpu/event=1/:u", "a ':' is put behind the slash");
	is(list.events[1].name, "two:k", "an event is called what name= says");
	is(list.events[2].name, "c@2:k", "  with its counter");
	is(list.events[3].name, "intel_core/slots/", "else as it was written");
	event_user_only(&list, 3);
	is(list.events[3].name, "intel_core/slots/:u", "restricted to user mode behind a slash");
	ok(!event_count_cycles(&list, 3), "without a threshold there are no cycles to count");
	parse_events("slots/threshold=2/@1:u,cycles/threshold=2,name=two/", pmus[INTEL], &list,
		     &error);
	ok(event_count_cycles(&list, 0), "cycles that pass, instead of the events in them");
	is(list.events[0].name, "slots/threshold=2,threshold_count/@1:u", "  so it is called");
	is_number(list.attrs[0].flags & PMUDEV_THRESHOLD_COUNT, PMUDEV_THRESHOLD_COUNT,
		  "  and counted");
	ok(!event_count_cycles(&list, 0), "  once is enough");
	ok(event_count_cycles(&list, 1), "one that has a name");
	is(list.events[1].name, "two", "  keeps it");
}

int main(void)
{
	int i;

	fake_machines(pmus);
	is_number(pmudev_pmus_nr(pmus[NO_SYSFS]), 0, "no PMU without sysfs");
	is_number(pmudev_pmus_nr(pmus[BIG_LITTLE]), 2, "two PMUs");
	test_good();
	test_bad();
	test_names();
	for (i = 0; i < NR_MACHINES; i++)
		pmudev_pmus_free(pmus[i]);
	return tap_end();
}
