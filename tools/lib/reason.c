// SPDX-License-Identifier: MIT
/*
 * One sentence per reason: the fact, and what to do about it.
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
		"load a newer module, or clear the fields that this one does not know",
		MOST,
	},
	[PMUDEV_WHY_POINTER] = {
		"a pointer does not point to memory of this program",
		"check the arrays that you pass",
		NOTHING,
	},
	[PMUDEV_WHY_FLAGS] = {
		"the module does not know one of the flags",
		"use only flags of <linux/pmudev.h>",
		MASK,
	},
	[PMUDEV_WHY_RESERVED] = {
		"a reserved field is not zero",
		"clear the structure before you fill it in",
		NOTHING,
	},
	[PMUDEV_WHY_NUMBER] = {
		"the number of events of the set, or of inherited sets of the thread, is zero or too high",
		"use several sets for the events, or close sets of the thread",
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
		"bind it to a thread, a process or a CPU first",
		NOTHING,
	},
	[PMUDEV_WHY_BOUND] = {
		"the set already has a target",
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
		"some events of the group have PMUDEV_MULTIPLEX, others do not",
		"give it to all of them, or to none",
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
		"no event of the set allows user reads",
		"add one with PMUDEV_USER_READ",
		NOTHING,
	},
	[PMUDEV_WHY_INHERITED] = {
		"a set that counts children or a whole process has no user reads",
		"use read(2), or count one thread without PMUDEV_BIND_INHERIT",
		NOTHING,
	},
	[PMUDEV_WHY_TYPE] = {
		"there is no such event type",
		"use PMUDEV_TYPE_GENERIC or PMUDEV_TYPE_RAW",
		HIGHEST,
	},
	[PMUDEV_WHY_CONFIG] = {
		"this CPU has no such event code",
		"set only the valid bits",
		MASK,
	},
	[PMUDEV_WHY_EVENT] = {
		"this CPU does not implement the event",
		"`pmudev list` shows those it has",
		NOTHING,
	},
	[PMUDEV_WHY_THRESHOLD] = {
		"the threshold is too high",
		"choose a lower one",
		HIGHEST,
	},
	[PMUDEV_WHY_COMPARE] = {
		"this CPU does not have that threshold comparison",
		"use greater-or-equal (ge) or less (lt)",
		NOTHING,
	},
	[PMUDEV_WHY_WIDTH] = {
		"no counter that could take the event is wide enough for PMUDEV_LONG or PMUDEV_DIRECT",
		"leave out PMUDEV_LONG (counts have 64 bits anyway); for PMUDEV_DIRECT choose an event with a 64-bit counter, such as cycles",
		BITS,
	},
	[PMUDEV_WHY_ALL_EXCLUDED] = {
		"the flags exclude everything",
		"count user mode or the kernel, of the host or of guests",
		NOTHING,
	},
	[PMUDEV_WHY_NO_GUEST] = {
		"the event counts guests only, and this kernel cannot run any",
		"leave out PMUDEV_EXCLUDE_HOST (:G)",
		NOTHING,
	},
	[PMUDEV_WHY_NOT_A_SET] = {
		"that descriptor is not one of a set, or was not opened for reading",
		"give descriptors that open(\"/dev/pmudev\", O_RDWR) or O_RDONLY returned",
		NOTHING,
	},
	[PMUDEV_WHY_CGROUP] = {
		"that descriptor is not one of a cgroup's directory",
		"open a directory where cgroup v2 is mounted, such as /sys/fs/cgroup/user.slice",
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
		"this machine has CPUs of several kinds, and that works on one kind only",
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
		"bring it online, or choose one of /sys/devices/system/cpu/online",
		NOTHING,
	},
	[PMUDEV_WHY_NO_PMU] = {
		"there is no such PMU",
		"`pmudev info` shows all PMUs",
		HIGHEST,
	},
	[PMUDEV_WHY_ENDED] = {
		"the target has exited, or gained privileges by exec",
		"you can still read its last counts",
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
		"counting another user's process, or one with more privileges or that is not dumpable, needs CAP_PERFMON",
		"run this as root",
		NOTHING,
	},
	[PMUDEV_WHY_ATTACH] = {
		"on this system, counting another process needs CAP_PERFMON",
		"run this as root; `sysctl dev.pmudev.attach=1` allows it for one's own processes",
		NOTHING,
	},
	[PMUDEV_WHY_CAP_EXCLUSIVE] = {
		"keeping perf off the counters needs CAP_PERFMON",
		"leave out PMUDEV_BIND_EXCLUSIVE: perf then counts beside the set",
		NOTHING,
	},
	[PMUDEV_WHY_CAP_SIGNAL] = {
		"you may not send the counted thread a signal",
		"leave the signal out, or set the deadline as that thread's user",
		NOTHING,
	},
	[PMUDEV_WHY_USER_ACCESS] = {
		"user access is disabled",
		"`sysctl dev.pmudev.user_access=1` enables it",
		NOTHING,
	},
	[PMUDEV_WHY_NOT_OWNER] = {
		"only the counted process can map the user page",
		"other processes can use read(2)",
		NOTHING,
	},
	[PMUDEV_WHY_LIMIT] = {
		"this user has the maximum number of sets, counted children included, also those that have just ended",
		"close some, or ask root to raise `sysctl dev.pmudev.max_sets_per_user`",
		MOST,
	},
	[PMUDEV_WHY_NO_COUNTER] = {
		"there are more events than counters for them",
		"count fewer events at a time",
		COUNTERS,
	},
	[PMUDEV_WHY_HELD] = {
		"every counter that could take the event is in use",
		"wait until one is free, or count fewer events",
		HOLDERS,
	},
	[PMUDEV_WHY_PMU_HELD] = {
		"someone else is using the performance counters",
		"stop that first, then try again",
		HOLDERS,
	},
	[PMUDEV_WHY_USER_READABLE] = {
		"a program with user reads could see the counts of a CPU",
		"wait until it unmaps its user page or ends, or bind the CPU with PMUDEV_BIND_SHARED",
		HOLDERS,
	},
	[PMUDEV_WHY_MEMORY] = {
		"the machine or the control group is out of memory",
		"try again later, or raise the group's memory.max",
		NOTHING,
	},
	[PMUDEV_WHY_PERF_REFUSED] = {
		"perf did not release the performance counters",
		"try again when nothing counts with perf",
		NOTHING,
	},
	[PMUDEV_WHY_EVENTFD] = {
		"the descriptor is not an eventfd",
		"pass what eventfd(2) returned",
		NOTHING,
	},
	[PMUDEV_WHY_DEADLINE] = {
		"the deadline, its period or its signal is out of range, or the event has two in the call",
		"pass one deadline per event, below 2^63",
		MOST,
	},
	[PMUDEV_WHY_SAMPLES] = {
		"the set has no ring for samples",
		"make it before the deadline, with pmudev_samples_open() or mmap()",
		NOTHING,
	},
	[PMUDEV_WHY_RING] = {
		"the ring for samples cannot be mapped like that",
		"map a page and a power of two of them, MAP_SHARED, as many as before if it exists",
		MOST,
	},
	[PMUDEV_WHY_MEMLOCK] = {
		"the ring for samples is more memory than the process may lock",
		"make it smaller, or raise RLIMIT_MEMLOCK (ulimit -l)",
		MOST,
	},
};

/* Reasons for which the limit or the holder's kind allows a more exact sentence. */
static const struct {
	uint32_t code;
	bool holder;
	uint64_t value;
	struct pmudev_sentence sentence;
} special[] = {
	{ PMUDEV_WHY_THRESHOLD,
	  false,
	  0,
	  { "this CPU has no thresholds for the event",
	    "leave the threshold out, or choose another event", NOTHING } },
	{ PMUDEV_WHY_RING,
	  false,
	  0,
	  { "the ring has no room for a sample of each thread", "read the samples, then continue",
	    NOTHING } },
	{ PMUDEV_WHY_HARDWARE,
	  false,
	  PMUDEV_THRESHOLD_COUNT,
	  { "this CPU counts the cycles that pass the threshold, not the events in them",
	    "add threshold_count (PMUDEV_THRESHOLD_COUNT) to count cycles", NOTHING } },
	{ PMUDEV_WHY_HARDWARE,
	  false,
	  PMUDEV_EXCLUDE_HOST,
	  { "under protected KVM host and guests cannot be told apart", "count both together",
	    NOTHING } },
	{ PMUDEV_WHY_HARDWARE,
	  false,
	  PMUDEV_EXCLUDE_GUEST,
	  { "under protected KVM host and guests cannot be told apart", "count both together",
	    NOTHING } },
	{ PMUDEV_WHY_SEVERAL_PMUS,
	  false,
	  0,
	  { "this machine has CPUs of several kinds",
	    "name the PMU (PMUDEV_BIND_PMU), and use one set per PMU", NOTHING } },
	{ PMUDEV_WHY_SEVERAL_PMUS,
	  false,
	  PMUDEV_USER_READ,
	  { "this machine has CPUs of several kinds, and their generic events differ",
	    "use a raw code of the set's PMU, or leave out PMUDEV_USER_READ", NOTHING } },
	{ PMUDEV_WHY_COMBINATION,
	  false,
	  0,
	  { "the event's code already compares with a counter mask",
	    "leave out the threshold, or cmask and inv", NOTHING } },
	{ PMUDEV_WHY_PMU_HELD,
	  true,
	  PMUDEV_HOLDER_PERF,
	  { "someone else is using the performance counters",
	    "stop the perf events, then try again", HOLDERS } },
	{ PMUDEV_WHY_PMU_HELD,
	  true,
	  PMUDEV_HOLDER_WATCHDOG,
	  { "someone else is using the performance counters",
	    "`sysctl kernel.nmi_watchdog=0` stops it (1: undo; boot: /etc/sysctl.d/pmudev.conf)",
	    HOLDERS } },
	/* What it uses is remembered once none of the CPUs is taken. */
	{ PMUDEV_WHY_PMU_HELD,
	  true,
	  PMUDEV_HOLDER_HYPERVISOR,
	  { "someone else is using the performance counters",
	    "close all sets and try again, or end KVM's guests that have the PMU", HOLDERS } },
	/* Here it wants a CPU's counts. */
	{ PMUDEV_WHY_USER_READABLE,
	  true,
	  PMUDEV_HOLDER_PERF,
	  { "perf's own readers could see the counts of a CPU (kernel.perf_user_access is 1)",
	    "`sysctl kernel.perf_user_access=0`, or bind the set with PMUDEV_BIND_SHARED",
	    NOTHING } },
	/* Here the caller wants user reads. */
	{ PMUDEV_WHY_USER_READABLE,
	  true,
	  PMUDEV_HOLDER_CPU_SET,
	  { "with user reads this program could see the counts of a CPU",
	    "use read(2), or wait until that set is disabled or bound with PMUDEV_BIND_SHARED",
	    HOLDERS } },
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
	/* Its other events make room. */
	{ PMUDEV_WHY_HELD,
	  true,
	  PMUDEV_HOLDER_PERF,
	  { "every counter that could take the event is in use",
	    "stop perf's pinned events, or count fewer events", HOLDERS } },
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
