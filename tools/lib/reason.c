// SPDX-License-Identifier: MIT
/*
 * What each reason means, and what to do about it.
 */
#include "reason.h"

static const struct pmudev_sentence sentences[] = {
	[PMUDEV_OK] = {
		"nothing was refused",
		NULL,
		NOTHING,
	},
	[PMUDEV_WHY_SIZE] = {
		"the structure is too short",
		"set its size to sizeof(it), as in <linux/pmudev.h>",
		LEAST,
	},
	[PMUDEV_WHY_TAIL] = {
		"the structure asks for more than this module knows",
		"load a newer module, or leave zeroes there",
		MOST,
	},
	[PMUDEV_WHY_POINTER] = {
		"a pointer does not point to memory of this program",
		"check the arrays that are passed",
		NOTHING,
	},
	[PMUDEV_WHY_FLAGS] = {
		"there is a flag that the module does not know",
		"compare with the flags of <linux/pmudev.h>",
		MASK,
	},
	[PMUDEV_WHY_RESERVED] = {
		"a reserved field is not zero",
		"clear the structure before it is filled in",
		NOTHING,
	},
	[PMUDEV_WHY_NUMBER] = {
		"the set has too many events, or none, or the thread too many inherited sets",
		"use several sets for many events, or close sets that count the thread",
		MOST,
	},
	[PMUDEV_WHY_GROUP] = {
		"there is no such group",
		"use a group that an event of the set is in",
		HIGHEST,
	},
	[PMUDEV_WHY_SLOT] = {
		"there is no such event in the set",
		"use a slot that adding the events returned",
		NOTHING,
	},
	[PMUDEV_WHY_UNBOUND] = {
		"the set has no target yet",
		"bind it to a thread or to a CPU first",
		NOTHING,
	},
	[PMUDEV_WHY_BOUND] = {
		"the set has its target already",
		"open another set for another target",
		NOTHING,
	},
	[PMUDEV_WHY_ENABLED] = {
		"the group is enabled",
		"disable it first",
		NOTHING,
	},
	[PMUDEV_WHY_COUNTER] = {
		"there is no such counter, or the event cannot be on it",
		"see `pmudev info` for the counters",
		COUNTERS,
	},
	[PMUDEV_WHY_GROUP_FLAGS] = {
		"the events of a group do not agree on sharing counters",
		"give all of them PMUDEV_MULTIPLEX, or none",
		NOTHING,
	},
	[PMUDEV_WHY_COMBINATION] = {
		"two of the flags exclude each other",
		"see their comments in <linux/pmudev.h>",
		NOTHING,
	},
	[PMUDEV_WHY_BUFFER] = {
		"the buffer is shorter than the record",
		"use a larger one",
		LEAST,
	},
	[PMUDEV_WHY_MAPPING] = {
		"the user page cannot be mapped like that",
		"map one page, MAP_SHARED, PROT_READ, at offset 0",
		NOTHING,
	},
	[PMUDEV_WHY_NO_USER_READ] = {
		"no event of the set asked for user reads",
		"add one with PMUDEV_USER_READ",
		NOTHING,
	},
	[PMUDEV_WHY_INHERITED] = {
		"what counts children too cannot be read by the counted thread itself",
		"leave out PMUDEV_USER_READ and use read(2), or PMUDEV_BIND_INHERIT",
		NOTHING,
	},
	[PMUDEV_WHY_TYPE] = {
		"there is no such type of event",
		"use PMUDEV_TYPE_GENERIC or PMUDEV_TYPE_RAW",
		HIGHEST,
	},
	[PMUDEV_WHY_CONFIG] = {
		"that is no event code of this CPU",
		"set only bits that its event codes have",
		MASK,
	},
	[PMUDEV_WHY_EVENT] = {
		"this CPU does not implement the event",
		"see `pmudev list` for those it has",
		NOTHING,
	},
	[PMUDEV_WHY_THRESHOLD] = {
		"the threshold is too high",
		"choose a lower one",
		HIGHEST,
	},
	[PMUDEV_WHY_COMPARE] = {
		"this CPU does not offer that comparison with the threshold",
		"use greater-or-equal (ge) or less (lt)",
		NOTHING,
	},
	[PMUDEV_WHY_WIDTH] = {
		"no counter that could take the event is wide enough for PMUDEV_LONG or PMUDEV_DIRECT",
		"leave out PMUDEV_LONG (counts have 64 bits anyway); for PMUDEV_DIRECT choose an event with a 64-bit counter, such as cycles",
		BITS,
	},
	[PMUDEV_WHY_ALL_EXCLUDED] = {
		"all that could be counted is excluded",
		"leave something in: user mode or the kernel; of the host, or of guests",
		NOTHING,
	},
	[PMUDEV_WHY_NO_GUEST] = {
		"only guests would be counted, and this kernel can have none",
		"leave out PMUDEV_EXCLUDE_HOST (:G)",
		NOTHING,
	},
	[PMUDEV_WHY_HARDWARE] = {
		"the hardware cannot do that",
		"see `pmudev info`",
		FLAG,
	},
	[PMUDEV_WHY_MODULE] = {
		"this version of the module cannot do that yet",
		"leave it out, or load a newer module",
		FLAG,
	},
	[PMUDEV_WHY_SEVERAL_PMUS] = {
		"the CPUs of this machine are of several kinds, and it would hold on one of them only",
		"see \"Targets\" in <linux/pmudev.h>",
		FLAG,
	},
	[PMUDEV_WHY_NO_TASK] = {
		"there is no such thread or process",
		"it may have ended",
		NOTHING,
	},
	[PMUDEV_WHY_NO_CPU] = {
		"there is no such CPU",
		"choose one of /sys/devices/system/cpu/online",
		HIGHEST,
	},
	[PMUDEV_WHY_CPU_OFFLINE] = {
		"that CPU is offline",
		"switch it on or choose one of /sys/devices/system/cpu/online",
		NOTHING,
	},
	[PMUDEV_WHY_NO_PMU] = {
		"there is no such PMU",
		"see `pmudev info` for those there are",
		HIGHEST,
	},
	[PMUDEV_WHY_ENDED] = {
		"what was counted has exited, or gained privileges by exec",
		"its last counts can still be read",
		NOTHING,
	},
	[PMUDEV_WHY_CAP_KERNEL] = {
		"counting the kernel needs CAP_PERFMON",
		"add :u (PMUDEV_EXCLUDE_KERNEL) to count user mode only",
		NOTHING,
	},
	[PMUDEV_WHY_CAP_CPU] = {
		"counting a CPU needs CAP_PERFMON",
		"count a program instead, or run this as root",
		NOTHING,
	},
	[PMUDEV_WHY_CAP_TASK] = {
		"counting a process needs CAP_PERFMON if it is another user's, has more rights, or is not dumpable",
		"run this as root",
		NOTHING,
	},
	[PMUDEV_WHY_USER_ACCESS] = {
		"user reads are switched off",
		"`sysctl dev.pmudev.user_access=1` allows them",
		NOTHING,
	},
	[PMUDEV_WHY_NOT_OWNER] = {
		"only the counted process can map the user page",
		"read(2) works for everybody who has the file",
		NOTHING,
	},
	[PMUDEV_WHY_LIMIT] = {
		"this user has as many sets as he may, counted children included, also those that have just ended",
		"close some, or have root raise `sysctl dev.pmudev.max_sets_per_user`",
		MOST,
	},
	[PMUDEV_WHY_NO_COUNTER] = {
		"more is asked for than there are counters for it",
		"count fewer events at a time",
		COUNTERS,
	},
	[PMUDEV_WHY_HELD] = {
		"every counter that could take the event is in use",
		"wait until one is given back, or count fewer events",
		HOLDERS,
	},
	[PMUDEV_WHY_PMU_HELD] = {
		"someone else is using the performance counters",
		"stop that first, then try again",
		HOLDERS,
	},
	[PMUDEV_WHY_USER_READABLE] = {
		"counts of a CPU would be visible to a program that has the right to user reads",
		"wait until it unmaps its user page or ends, or bind the CPU with PMUDEV_BIND_SHARED",
		WHO,
	},
	[PMUDEV_WHY_MEMORY] = {
		"there is no memory for it, in the machine or in the control group",
		"try again later, or have the group's memory.max raised",
		NOTHING,
	},
	[PMUDEV_WHY_PERF_REFUSED] = {
		"perf would not hand over the performance counters",
		"try again when nothing counts with perf",
		NOTHING,
	},
};

/* Reasons that can be told more exactly by what comes with them: the limit or the holder's kind. */
static const struct {
	uint32_t code;
	bool holder;
	uint64_t value;
	struct pmudev_sentence sentence;
} special[] = {
	{ PMUDEV_WHY_THRESHOLD,
	  false,
	  0,
	  { "there are no thresholds for it on this CPU",
	    "leave the threshold out, or choose another event", NOTHING } },
	{ PMUDEV_WHY_HARDWARE,
	  false,
	  PMUDEV_THRESHOLD_COUNT,
	  { "this CPU counts the cycles that pass the threshold, not the events in them",
	    "add threshold_count (PMUDEV_THRESHOLD_COUNT) if that is what you want", NOTHING } },
	{ PMUDEV_WHY_HARDWARE,
	  false,
	  PMUDEV_EXCLUDE_HOST,
	  { "KVM is in its protected mode, where host and guests cannot be told apart",
	    "count both together", NOTHING } },
	{ PMUDEV_WHY_HARDWARE,
	  false,
	  PMUDEV_EXCLUDE_GUEST,
	  { "KVM is in its protected mode, where host and guests cannot be told apart",
	    "count both together", NOTHING } },
	{ PMUDEV_WHY_SEVERAL_PMUS,
	  false,
	  0,
	  { "the CPUs of this machine are of several kinds",
	    "name the PMU (PMUDEV_BIND_PMU), with one set for each", NOTHING } },
	{ PMUDEV_WHY_SEVERAL_PMUS,
	  false,
	  PMUDEV_USER_READ,
	  { "the CPUs of this machine are of several kinds, whose generic events differ",
	    "use the raw code of the PMU that is named, or leave out PMUDEV_USER_READ", NOTHING } },
	{ PMUDEV_WHY_COMBINATION,
	  false,
	  0,
	  { "the event's code compares with a counter mask already",
	    "leave out the threshold, or cmask and inv", NOTHING } },
	{ PMUDEV_WHY_PMU_HELD,
	  true,
	  PMUDEV_HOLDER_PERF,
	  { "someone else is using the performance counters",
	    "end what counts with perf, then try again", HOLDERS } },
	{ PMUDEV_WHY_PMU_HELD,
	  true,
	  PMUDEV_HOLDER_WATCHDOG,
	  { "someone else is using the performance counters",
	    "`sysctl kernel.nmi_watchdog=0` stops it", HOLDERS } },
	/* What it uses is remembered once none of the CPUs is taken. */
	{ PMUDEV_WHY_PMU_HELD,
	  true,
	  PMUDEV_HOLDER_HYPERVISOR,
	  { "someone else is using the performance counters",
	    "close all sets and try again: pmudev then leaves those counters alone", HOLDERS } },
	/* Here it is the caller who wants the right. */
	{ PMUDEV_WHY_USER_READABLE,
	  true,
	  PMUDEV_HOLDER_CPU_SET,
	  { "with the right to user reads this program would see the counts of a CPU",
	    "use read(2), or wait until that set is disabled or bound with PMUDEV_BIND_SHARED",
	    WHO } },
	/* Both are of bindings, not of events, whose flags have the same numbers. */
	{ PMUDEV_WHY_MODULE,
	  false,
	  0,
	  { "this kernel does not let the module follow threads", "`dmesg | grep pmudev` tells why",
	    NOTHING } },
	{ PMUDEV_WHY_MODULE,
	  false,
	  PMUDEV_BIND_INHERIT,
	  { "sets cannot be inherited on this kernel (PREEMPT_RT before Linux 7.2)",
	    "leave out PMUDEV_BIND_INHERIT, and count each thread with a set of its own",
	    NOTHING } },
	{ PMUDEV_WHY_TYPE,
	  false,
	  PMUDEV_TARGET_PROCESS,
	  { "there is no such kind of target",
	    "use PMUDEV_TARGET_TASK, PMUDEV_TARGET_CPU or PMUDEV_TARGET_PROCESS", NOTHING } },
	/* What pmudev keeps for itself nobody gives back. */
	{ PMUDEV_WHY_HELD,
	  true,
	  PMUDEV_HOLDER_PLACEHOLDER,
	  { "every counter that could take the event is in use",
	    "count fewer events at a time, or let them have any counter", HOLDERS } },
};

static const struct pmudev_sentence *general(unsigned int code)
{
	if (code >= ARRAY_SIZE(sentences) || !sentences[code].why)
		return NULL;
	return &sentences[code];
}

const struct pmudev_sentence *pmudev_sentence(const struct pmudev_refusal *why)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(special); i++)
		if (special[i].code == why->code &&
		    special[i].value == (special[i].holder ? why->holder.kind : why->limit))
			return &special[i].sentence;
	return general(why->code);
}

const char *pmudev_strreason(unsigned int code)
{
	const struct pmudev_sentence *s = general(code);

	return s ? s->why : "a reason that this version of the library does not know";
}
