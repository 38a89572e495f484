// SPDX-License-Identifier: MIT
/* The sentences about refusals. */
#include <errno.h>
#include <stdlib.h>

#include <pmudev.h>

#include "tap.h"

static const struct {
	int error;
	struct pmudev_refusal why;
	const char *text, *detail, *advice;
} cases[] = {
	{ 0, { .event = -1 }, "nothing was refused", "", "" },
	{ -EACCES,
	  { .code = PMUDEV_WHY_USER_ACCESS, .event = -1 },
	  "user access is disabled",
	  "",
	  ": `sysctl dev.pmudev.user_access=1` enables it" },
	{ -EPERM,
	  { .code = PMUDEV_WHY_CAP_KERNEL, .event = 0 },
	  "counting the kernel needs CAP_PERFMON",
	  "",
	  ": add :u (PMUDEV_EXCLUDE_KERNEL) to count user mode only" },
	{ -EINVAL,
	  { .code = PMUDEV_WHY_SIZE, .event = -1, .limit = 104 },
	  "the structure is too short",
	  " (at least 104)",
	  ": set its size to sizeof(it), as in <linux/pmudev.h>" },
	{ -EINVAL,
	  { .code = PMUDEV_WHY_CONFIG, .event = 1, .limit = 0xffff },
	  "this CPU has no such event code",
	  " (valid bits: 0xffff)",
	  ": set only the valid bits" },
	{ -EOPNOTSUPP,
	  { .code = PMUDEV_WHY_MODULE, .event = 0, .limit = PMUDEV_MULTIPLEX },
	  "this version of the module cannot do that yet",
	  " (PMUDEV_MULTIPLEX)",
	  ": leave it out, or load a newer module" },
	{ -EOPNOTSUPP,
	  { .code = PMUDEV_WHY_MODULE, .event = -1, .limit = PMUDEV_BIND_INHERIT },
	  "sets cannot be inherited on this kernel (PREEMPT_RT before Linux 7.2)",
	  "",
	  ": leave out PMUDEV_BIND_INHERIT, and count each thread with a set of its own" },
	{ -EOPNOTSUPP,
	  { .code = PMUDEV_WHY_MODULE, .event = -1 },
	  "this kernel does not let the module follow threads",
	  "",
	  ": `dmesg | grep pmudev` tells why" },
	{ -ENOSPC,
	  { .code = PMUDEV_WHY_NO_COUNTER, .event = 6, .allowed = 0x10000003f },
	  "there are more events than counters for them",
	  " (counters 0-5, fixed 0)",
	  ": count fewer events at a time" },
	{ -ENOSPC,
	  { .code = PMUDEV_WHY_NO_COUNTER,
	    .event = 5,
	    .allowed = 0x3f,
	    .busy = 0x1,
	    .holder = { .counter = 0, .kind = PMUDEV_HOLDER_HYPERVISOR, .cpu = -1 } },
	  "there are more events than counters for them",
	  " (counters 0-5, of these counter 0: held by the hypervisor)",
	  ": count fewer events at a time" },
	{ -EBUSY,
	  { .code = PMUDEV_WHY_HELD,
	    .event = 0,
	    .allowed = 0x3,
	    .busy = 0x3,
	    .holder = { .counter = 1, .kind = PMUDEV_HOLDER_CPU_SET, .pid = 123, .cpu = 2 } },
	  "every counter that could take the event is in use",
	  " (counters 0-1: counter 1 is held by process 123, which counts CPU 2)",
	  ": wait until one is free, or count fewer events" },
	{ -EBUSY,
	  { .code = PMUDEV_WHY_HELD,
	    .event = 0,
	    .allowed = 0x300000001,
	    .busy = 0x300000001,
	    .holder = { .counter = 33, .kind = PMUDEV_HOLDER_CPU_SET, .pid = 123, .cpu = 2 } },
	  "every counter that could take the event is in use",
	  " (counter 0, fixed 0-1: fixed 1 is held by process 123, which counts CPU 2)",
	  ": wait until one is free, or count fewer events" },
	{ -EBUSY,
	  { .code = PMUDEV_WHY_HELD,
	    .event = 0,
	    .allowed = 0x10,
	    .busy = 0x10,
	    .holder = { .counter = 4, .kind = PMUDEV_HOLDER_TASK_SET, .cpu = -1 } },
	  "every counter that could take the event is in use",
	  " (counter 4: held by another process, which counts a thread)",
	  ": wait until one is free, or count fewer events" },
	{ -EBUSY,
	  { .code = PMUDEV_WHY_HELD,
	    .event = 0,
	    .allowed = 0x1,
	    .busy = 0x1,
	    .holder = { .counter = 0, .kind = PMUDEV_HOLDER_PERF, .cpu = 3 } },
	  "every counter that could take the event is in use",
	  " (counter 0: held by perf on CPU 3)",
	  ": stop perf's pinned events, or count fewer events" },
	{ -EBUSY,
	  { .code = PMUDEV_WHY_PMU_HELD,
	    .event = -1,
	    .holder = { .kind = PMUDEV_HOLDER_PERF, .cpu = 3 } },
	  "someone else is using the performance counters",
	  " (in use by perf on CPU 3)",
	  ": stop the perf events, then try again" },
	{ -EBUSY,
	  { .code = PMUDEV_WHY_PMU_HELD,
	    .event = -1,
	    .holder = { .kind = PMUDEV_HOLDER_PERF, .cpu = -1 } },
	  "someone else is using the performance counters",
	  " (in use by perf)",
	  ": stop the perf events, then try again" },
	{ -EBUSY,
	  { .code = PMUDEV_WHY_PMU_HELD,
	    .event = -1,
	    .holder = { .kind = PMUDEV_HOLDER_WATCHDOG, .cpu = -1 } },
	  "someone else is using the performance counters",
	  " (in use by the NMI watchdog)",
	  ": `sysctl kernel.nmi_watchdog=0` stops it (1: undo; boot: /etc/sysctl.d/pmudev.conf)" },
	{ -EBUSY,
	  { .code = PMUDEV_WHY_PMU_HELD,
	    .event = -1,
	    .holder = { .kind = PMUDEV_HOLDER_HYPERVISOR, .cpu = -1 } },
	  "someone else is using the performance counters",
	  " (in use by the hypervisor)",
	  ": close all sets and try again, or end KVM's guests that have the PMU" },
	{ -EBUSY,
	  { .code = PMUDEV_WHY_PMU_HELD, .event = -1 },
	  "someone else is using the performance counters",
	  "",
	  ": stop that first, then try again" },
	/* Two sides: a CPU is to be counted, or a page mapped. */
	{ -EBUSY,
	  { .code = PMUDEV_WHY_USER_READABLE,
	    .event = -1,
	    .holder = { .kind = PMUDEV_HOLDER_TASK_SET, .pid = 123, .cpu = -1 } },
	  "a program with user reads could see the counts of a CPU",
	  " (in use by process 123, which counts a thread)",
	  ": wait until it unmaps its user page or ends, or bind the CPU with PMUDEV_BIND_SHARED" },
	{ -EBUSY,
	  { .code = PMUDEV_WHY_USER_READABLE,
	    .event = -1,
	    .holder = { .kind = PMUDEV_HOLDER_CPU_SET, .cpu = 2 } },
	  "with user reads this program could see the counts of a CPU",
	  " (in use by another process, which counts CPU 2)",
	  ": use read(2), or wait until that set is disabled or bound with PMUDEV_BIND_SHARED" },
	{ -EBUSY,
	  { .code = PMUDEV_WHY_USER_READABLE, .event = -1 },
	  "a program with user reads could see the counts of a CPU",
	  "",
	  ": wait until it unmaps its user page or ends, or bind the CPU with PMUDEV_BIND_SHARED" },
	{ -ENOENT,
	  { .code = PMUDEV_WHY_EVENT, .event = 0 },
	  "this CPU does not implement the event",
	  "",
	  ": `pmudev list` shows those it has" },
	{ -EINVAL,
	  { .code = PMUDEV_WHY_THRESHOLD, .event = 0, .limit = 255 },
	  "the threshold is too high",
	  " (the highest is 255)",
	  ": choose a lower one" },
	{ -EOPNOTSUPP,
	  { .code = PMUDEV_WHY_THRESHOLD, .event = 0 },
	  "this CPU has no thresholds for the event",
	  "",
	  ": leave the threshold out, or choose another event" },
	{ -EOPNOTSUPP,
	  { .code = PMUDEV_WHY_COMPARE, .event = 0 },
	  "this CPU does not have that threshold comparison",
	  "",
	  ": use greater-or-equal (ge) or less (lt)" },
	{ -EOPNOTSUPP,
	  { .code = PMUDEV_WHY_HARDWARE, .event = 0, .limit = PMUDEV_THRESHOLD_COUNT },
	  "this CPU counts the cycles that pass the threshold, not the events in them",
	  "",
	  ": add threshold_count (PMUDEV_THRESHOLD_COUNT) to count cycles" },
	{ -EOPNOTSUPP,
	  { .code = PMUDEV_WHY_HARDWARE, .event = 0, .limit = PMUDEV_USER_READ },
	  "the hardware cannot do that",
	  " (PMUDEV_USER_READ)",
	  ": see `pmudev info`" },
	{ -EINVAL,
	  { .code = PMUDEV_WHY_COMBINATION, .event = 0 },
	  "the event's code already compares with a counter mask",
	  "",
	  ": leave out the threshold, or cmask and inv" },
	{ -EINVAL,
	  { .code = PMUDEV_WHY_COMBINATION, .event = 0, .limit = PMUDEV_DIRECT | PMUDEV_MULTIPLEX },
	  "two of the flags exclude each other",
	  "",
	  ": see their comments in <linux/pmudev.h>" },
	{ -EINVAL,
	  { .code = 9999, .event = -1 },
	  "a reason that this version of the library does not know",
	  " (9999)",
	  ": a newer library may" },
	/* Without a reason the errno decides. */
	{ -ENOENT,
	  { .event = -1 },
	  "there is no /dev/pmudev",
	  "",
	  ": load the module, `modprobe pmudev` or `insmod pmudev.ko`" },
	{ -EBADF, { .event = -1 }, "the set is not open", "", ": open it first" },
};

static void test_sentences(void)
{
	char text[512], wanted[512], name[64];
	size_t i;

	for (i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		snprintf(name, sizeof(name), "reason %u, error %d", cases[i].why.code,
			 cases[i].error);
		pmudev_explain_refusal(cases[i].error, &cases[i].why, text, sizeof(text));
		snprintf(wanted, sizeof(wanted), "%s%s%s", cases[i].text, cases[i].detail,
			 cases[i].advice);
		is(text, wanted, name);
	}
}

/* Every reason of the ABI has a sentence of its own, with something to do about it. */
static void test_all(void)
{
	static const unsigned int last[] = { 18, 28, 34, 44, 53, 61 };
	static const unsigned int first[] = { 1, 20, 30, 40, 50, 60 };
	struct pmudev_refusal why = { .event = -1 };
	bool known = true, advice = true;
	char text[512];
	size_t i;

	for (i = 0; i < sizeof(first) / sizeof(*first); i++) {
		for (why.code = first[i]; why.code <= last[i]; why.code++) {
			known &= !strstr(pmudev_strreason(why.code), "of the library");
			pmudev_explain_refusal(-EINVAL, &why, text, sizeof(text));
			advice &= strstr(text, ": ") && !strstr(text, "()");
		}
	}
	ok(known, "every reason is known");
	ok(advice, "every sentence says what to do, and has no empty brackets");
}

static void test_buffer(void)
{
	struct pmudev_refusal why = { .code = PMUDEV_WHY_USER_ACCESS, .event = -1 };
	char small[12] = "", text[128];
	int len = pmudev_explain_refusal(-EACCES, &why, text, sizeof(text));

	is_number(len, strlen(text), "the length is that of the sentence");
	is_number(pmudev_explain_refusal(-EACCES, &why, small, sizeof(small)), len,
		  "also when the buffer is too short");
	is(small, "user access", "which gets what fits");
	is_number(pmudev_explain_refusal(-EACCES, &why, NULL, 0), len, "even nothing");
}

static void test_closed(void)
{
	struct pmudev set;
	char text[256];

	memset(&set, 0, sizeof(set));
	set.fd = -1;
	is_number(-pmudev_enable(&set, PMUDEV_ALL), EBADF, "a set that is not open");
	pmudev_explain(&set, text, sizeof(text));
	is(text, "the set is not open: open it first", "  is explained");
	pmudev_close(&set);
	ok(set.fd == -1, "and can be closed once more");
}

int main(void)
{
	test_sentences();
	test_all();
	test_buffer();
	test_closed();
	return tap_end();
}
