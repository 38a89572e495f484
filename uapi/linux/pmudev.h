/* SPDX-License-Identifier: GPL-2.0 WITH Linux-syscall-note */
/*
 * pmudev - the CPU's performance counters through /dev/pmudev
 *
 * One open file is one event set. You bind it to a target (a thread, a process, a CPU, a cgroup on
 * a CPU) and add events in groups. All events of a group are on counters together. You can map a
 * user page, from which the counted thread reads its counters without a system call.
 *
 *	fd = open("/dev/pmudev", O_RDWR | O_CLOEXEC);
 *	ioctl(fd, PMUDEV_IOC_BIND, &bind);	the calling thread
 *	ioctl(fd, PMUDEV_IOC_ADD, &add);	events, all of them or none
 *	ioctl(fd, PMUDEV_IOC_ENABLE, &ctl);	placed on counters, or refused
 *	read(fd, record, size);			struct pmudev_record
 *
 * Conventions
 *   - Every structure begins with its size as the caller knows it. A newer module accepts older,
 *     shorter structures. An older module accepts longer ones if the part that it does not know is
 *     zero (else E2BIG). Reserved fields must be zero.
 *   - The layout is the same for 32-bit and 64-bit programs.
 *   - Every ioctl's structure contains a struct pmudev_refusal. The module fills it in when the
 *     call fails and the structure could be read: the reason, the event concerned, the counters
 *     that could take it and their holders. Calls without a structure (mmap, read) store the
 *     refusal for PMUDEV_IOC_WHY.
 *
 * The errno contract
 *   EFAULT      a pointer does not point to the caller's memory
 *   EINVAL      the call itself is wrong (a size, a flag, a field, the order of calls): it would
 *               fail on every machine and at any time; or this machine does not have the counter
 *               (COUNTER), the bits of the raw event's code (CONFIG), or so high a threshold
 *   E2BIG       the structure is longer than this module knows, and not zero there
 *   EOPNOTSUPP  valid, but this machine or this version of the module does not support it
 *   ENOENT      this CPU does not implement the event
 *   ENOSPC      no placement exists: more is asked for than there are counters; or read(2)'s
 *               buffer is shorter than the record
 *   EBUSY       a placement exists, but others hold the counters; or the state forbids the call
 *               (already bound, group enabled)
 *   EPERM       the caller lacks a capability, does not own the target, is not the process that may
 *               map the page, or has reached its RLIMIT_MEMLOCK
 *   EACCES      user access is disabled (sysctl dev.pmudev.user_access)
 *   EDQUOT      the user has the maximum number of sets (sysctl dev.pmudev.max_sets_per_user)
 *   ESRCH       no such task, or the target has ended
 *   ENODEV      no such PMU, no such CPU, or the CPU is offline
 *   ENOMEM      out of memory; nothing was changed
 *   EBADF       not a descriptor of a cgroup (BIND), or of a set (READ_SETS)
 *   EAGAIN      the ring of samples is full (CONTINUE)
 *   EINTR       a signal has killed the caller
 *   ENOTTY      no such ioctl
 * A call that fails changes nothing, unless its description says otherwise.
 */
#ifndef _UAPI_LINUX_PMUDEV_H
#define _UAPI_LINUX_PMUDEV_H

#include <linux/ioctl.h>
#include <linux/types.h>

#define PMUDEV_ABI_VERSION	1
#define PMUDEV_DEVICE		"/dev/pmudev"

/* The most events of a set, and the number of group numbers: 0..63. */
#define PMUDEV_MAX_EVENTS	64
#define PMUDEV_MAX_GROUPS	64
/*
 * All counters of a CPU share one index space. Programmable counters are 0..31; fixed counters are
 * 32 and above (Intel: fixed counter 0 is 32; arm64: the cycle counter PMCCNTR_EL0 is 32,
 * PMICNTR_EL0 is 33). Masks of counters use the same index.
 */
#define PMUDEV_FIXED_BASE	32

/* ------------------------------------------------------------ refusals -- */

/**
 * enum pmudev_reason - why a call was refused
 *
 * Numbers are never reused. A reason sets @limit of the refusal if its comment says so.
 */
enum pmudev_reason {
	PMUDEV_OK = 0,
	/* the call itself (EINVAL, E2BIG, EFAULT) */
	PMUDEV_WHY_SIZE = 1,	      /* size too small; limit: the minimum */
	PMUDEV_WHY_TAIL = 2,	      /* not zero beyond the known size; limit: that size */
	PMUDEV_WHY_POINTER = 3,	      /* memory cannot be read or written */
	PMUDEV_WHY_FLAGS = 4,	      /* unknown flags; limit: the known flags */
	PMUDEV_WHY_RESERVED = 5,      /* a reserved field is not zero */
	PMUDEV_WHY_NUMBER = 6,	      /* too many events or sets, or none; limit: the maximum */
	PMUDEV_WHY_GROUP = 7,	      /* no such group; limit: the highest number */
	PMUDEV_WHY_SLOT = 8,	      /* no such event in the set */
	PMUDEV_WHY_UNBOUND = 9,	      /* bind the set first */
	PMUDEV_WHY_BOUND = 10,	      /* already bound */
	PMUDEV_WHY_ENABLED = 11,      /* the group is enabled: disable it first */
	PMUDEV_WHY_COUNTER = 12,      /* no such counter, or the counter is not allowed */
	PMUDEV_WHY_GROUP_FLAGS = 13,  /* all events of a group share MULTIPLEX */
	PMUDEV_WHY_COMBINATION = 14,  /* these flags exclude each other */
	PMUDEV_WHY_BUFFER = 15,	      /* buffer too short; limit: bytes needed */
	PMUDEV_WHY_MAPPING = 16,      /* map one page: MAP_SHARED, PROT_READ, offset 0 */
	PMUDEV_WHY_NO_USER_READ = 17, /* no event of the set has USER_READ */
	PMUDEV_WHY_INHERITED = 18,    /* (EOPNOTSUPP) inheritance excludes user reads */
	PMUDEV_WHY_EVENTFD = 19,      /* not a descriptor of an eventfd */
	/* what can be counted (EINVAL, ENOENT, EOPNOTSUPP) */
	PMUDEV_WHY_TYPE = 20,	      /* no such event type; limit: the highest */
	PMUDEV_WHY_CONFIG = 21,	      /* not an encoding of this PMU; limit: mask of valid bits */
	PMUDEV_WHY_EVENT = 22,	      /* this CPU does not implement the event */
	PMUDEV_WHY_THRESHOLD = 23,    /* (EINVAL) threshold too high; limit: the maximum, */
				      /* 0: (EOPNOTSUPP) the event cannot have one */
	PMUDEV_WHY_COMPARE = 24,      /* this PMU does not have the comparison */
	PMUDEV_WHY_WIDTH = 25,	      /* LONG, DIRECT: no such counter; limit: bits available */
	PMUDEV_WHY_ALL_EXCLUDED = 26, /* every level is excluded: nothing to count */
	PMUDEV_WHY_HARDWARE = 27,     /* the hardware cannot; limit: the flag */
	PMUDEV_WHY_MODULE = 28,	      /* this version cannot yet; limit: the flag */
	PMUDEV_WHY_SEVERAL_PMUS = 29, /* (EOPNOTSUPP) CPUs of several kinds; limit: the flag */
				      /* that is not possible there, 0: name the PMU */
	/* where (ESRCH, ENODEV) */
	PMUDEV_WHY_NO_TASK = 30,
	PMUDEV_WHY_NO_CPU = 31, /* limit: the highest number */
	PMUDEV_WHY_CPU_OFFLINE = 32,
	PMUDEV_WHY_NO_PMU = 33,	  /* limit: the highest number */
	PMUDEV_WHY_ENDED = 34,	  /* the target and its children exited, or gained rights */
	PMUDEV_WHY_NO_GUEST = 35, /* (EOPNOTSUPP) EXCLUDE_HOST, but no guest can run here */
	PMUDEV_WHY_CGROUP = 36,	  /* (EBADF) not a descriptor of a cgroup v2 directory */
	PMUDEV_WHY_NOT_A_SET = 37, /* (EBADF) not a descriptor of a set that is open for reading */
	/* permission (EPERM, EACCES, EDQUOT) */
	PMUDEV_WHY_CAP_KERNEL = 40,  /* counting the kernel needs CAP_PERFMON */
	PMUDEV_WHY_CAP_CPU = 41,     /* counting a CPU needs CAP_PERFMON */
	PMUDEV_WHY_CAP_TASK = 42,    /* counting another user's task needs CAP_PERFMON */
	PMUDEV_WHY_USER_ACCESS = 43, /* sysctl dev.pmudev.user_access is 0 */
	PMUDEV_WHY_NOT_OWNER = 44,   /* only the counted process can map the page */
	PMUDEV_WHY_LIMIT = 45,	     /* (EDQUOT) the user has too many sets; limit: the maximum */
	PMUDEV_WHY_CAP_EXCLUSIVE = 46, /* keeping perf off the PMU needs CAP_PERFMON */
	PMUDEV_WHY_ATTACH = 47,	     /* sysctl dev.pmudev.attach is 0: needs CAP_PERFMON */
	PMUDEV_WHY_CAP_SIGNAL = 48,  /* the caller may not send the counted thread a signal */
	/* counters (ENOSPC, EBUSY) */
	PMUDEV_WHY_NO_COUNTER = 50,    /* more events than counters that can take them */
	PMUDEV_WHY_HELD = 51,	       /* others hold the counters: see @holder */
	PMUDEV_WHY_PMU_HELD = 52,      /* someone else is using the PMU: see @holder */
	PMUDEV_WHY_USER_READABLE = 53, /* would be readable by (or read) a task with user reads */
	/* machine (ENOMEM) */
	PMUDEV_WHY_MEMORY = 60,
	PMUDEV_WHY_PERF_REFUSED = 61, /* perf would not yield the PMU */
	/* deadlines (EINVAL) */
	PMUDEV_WHY_DEADLINE = 70, /* out of range, or in the list twice; limit: the highest value */
	PMUDEV_WHY_SAMPLES = 71,  /* a deadline with SAMPLE needs the set's ring: map it first */
	PMUDEV_WHY_RING = 72,	  /* the ring: its size; limit: most bytes. Full: EAGAIN, 0 */
	PMUDEV_WHY_MEMLOCK = 73,  /* (EPERM) mmap() of the ring: RLIMIT_MEMLOCK; limit: its bytes */
};

/**
 * enum pmudev_holder_kind - what kind of user holds a counter, or the PMU
 */
enum pmudev_holder_kind {
	PMUDEV_HOLDER_NONE = 0,
	PMUDEV_HOLDER_SET = 1,	       /* an event of the same set */
	PMUDEV_HOLDER_TASK_SET = 2,    /* a set that counts a task */
	PMUDEV_HOLDER_CPU_SET = 3,     /* a set that counts a CPU */
	PMUDEV_HOLDER_PERF = 4,	       /* perf is counting */
	PMUDEV_HOLDER_WATCHDOG = 5,    /* the NMI watchdog */
	PMUDEV_HOLDER_HYPERVISOR = 6,  /* KVM, or the hypervisor or firmware below */
};

/**
 * struct pmudev_holder - the holder of one counter
 * @counter: index of the counter
 * @kind: enum pmudev_holder_kind
 * @pid: the process that opened the set, in the caller's pid namespace; 0 if unknown, not visible
 *	there, or withheld (with CAP_PERFMON you see all, without it only your own)
 * @cpu: the CPU counted, -1 for a task
 */
struct pmudev_holder {
	__u32 counter;
	__u32 kind;
	__s32 pid;
	__s32 cpu;
};

/**
 * struct pmudev_refusal - why a call failed
 * @code: enum pmudev_reason; PMUDEV_OK after success, then all other fields are meaningless
 * @event: the event concerned: its index in the caller's array (ADD, PLACE) or its slot in the
 *	set (other calls); -1 if none
 * @allowed: the counters that could take the event, both counters of a chained event; 0 when
 *	counters are not the reason
 * @busy: the counters of @allowed that others hold
 * @limit: a bound, as the reason's comment says
 * @holder: the holder of one of @busy, or of the PMU
 * @nr_holders: in: the room at @holders; out: the number of holders (0 if the list could not be
 *	written)
 * @reserved: zero
 * @holders: user pointer to struct pmudev_holder[], one entry per counter held; may be 0
 */
struct pmudev_refusal {
	__u32 code;
	__s32 event;
	__u64 allowed;
	__u64 busy;
	__u64 limit;
	struct pmudev_holder holder;
	__u32 nr_holders;
	__u32 reserved;
	__aligned_u64 holders;
};

/* --------------------------------------------------------------- events -- */

enum pmudev_event_type {
	PMUDEV_TYPE_GENERIC = 0, /* config: enum pmudev_generic */
	PMUDEV_TYPE_RAW = 1,	 /* config: the PMU's own encoding, see below */
};

/*
 * Raw encodings
 *   arm64: the event number, 16 bits (PMEVTYPER<n>_EL0.evtCount)
 *   Intel: the layout of IA32_PERFEVTSELx: bits 7:0 event, 15:8 unit mask, 18 edge, 23 invert
 *          (ignored without a counter mask), 31:24 counter mask. Where the CPU has them (CPUID leaf
 *          23H): 36 equal, 47:40 second unit mask. An event that compares by these bits cannot
 *          have a threshold too.
 *   AMD: the layout of PERF_CTL<n>: bits 35:32 and 7:0 event, 15:8 unit mask, 18 edge, 23 invert,
 *          30:24 counter mask. Thresholds as on Intel.
 */

/* Generic events: they have the same meaning on every CPU. */
enum pmudev_generic {
	PMUDEV_CYCLES = 0,
	PMUDEV_INSTRUCTIONS = 1,
	PMUDEV_REF_CYCLES = 2,	     /* unhalted cycles at a constant rate */
	PMUDEV_CACHE_REFERENCES = 3, /* last level */
	PMUDEV_CACHE_MISSES = 4,
	PMUDEV_BRANCHES = 5, /* retired */
	PMUDEV_BRANCH_MISSES = 6,
	PMUDEV_GENERIC_MAX,
};

/* struct pmudev_event_attr.flags; the first five: see "Levels and guests" below */
#define PMUDEV_EXCLUDE_USER	(1U << 0)	/* user mode of the host and of guests */
#define PMUDEV_EXCLUDE_KERNEL	(1U << 1)	/* the kernel and below: implies EXCLUDE_HV */
#define PMUDEV_EXCLUDE_HV	(1U << 2)	/* a hypervisor that is not the kernel */
#define PMUDEV_EXCLUDE_HOST	(1U << 3)
#define PMUDEV_EXCLUDE_GUEST	(1U << 4)
#define PMUDEV_LONG		(1U << 5)	/* 64 bits in hardware, see "Widths" below */
#define PMUDEV_USER_READ	(1U << 6)	/* the counted thread can read it directly */
#define PMUDEV_DIRECT		(1U << 7)	/* see "DIRECT events" below */
#define PMUDEV_CHAIN_READ	(1U << 8)	/* user reads can take two counters, see "Widths" */
#define PMUDEV_MULTIPLEX	(1U << 9)	/* the group may share counters over time */
#define PMUDEV_COUNTER		(1U << 10)	/* on counter @counter only */
#define PMUDEV_THRESHOLD_COUNT	(1U << 11)	/* count 1 for each cycle, see "Thresholds" */
#define PMUDEV_EVENT_FLAGS	((1U << 12) - 1)

/* struct pmudev_event_attr.threshold_compare: count if the increment is ... the threshold */
enum pmudev_compare {
	PMUDEV_NOT_EQUAL = 0,
	PMUDEV_EQUAL = 1,
	PMUDEV_GREATER_EQUAL = 2,
	PMUDEV_LESS = 3,
};

#define PMUDEV_MAX_THRESHOLD	4095

/**
 * struct pmudev_event_attr - what one event of a set counts
 * @type: enum pmudev_event_type
 * @flags: PMUDEV_EXCLUDE_* ... PMUDEV_THRESHOLD_COUNT
 * @config: the event
 * @allowed: mask of the counters it may run on; 0: all that can count it (on Intel, of an event
 *	that CPUID does not describe: those that its model is known to count it on, else counters
 *	0 to 3; only PMUDEV_COUNTER names others). A chained event needs both of its counters in
 *	the mask.
 * @tag: the caller's own; returned in records, the module ignores it
 * @group: 0..63: the events of a set with the same number are a group: all of them are on counters,
 *	or none
 * @counter: with PMUDEV_COUNTER: the counter to use, for a chained event the even one; else 0
 * @threshold: 0: off; else the increment per cycle to compare with, see "Thresholds" below
 * @threshold_compare: enum pmudev_compare; ignored without a threshold
 * @reserved: zero
 */
struct pmudev_event_attr {
	__u32 type;
	__u32 flags;
	__u64 config;
	__u64 allowed;
	__u64 tag;
	__u32 group;
	__u32 counter;
	__u16 threshold;
	__u8 threshold_compare;
	__u8 reserved[5];
};

/*
 * Levels and guests
 * USER, KERNEL and HV are privilege levels. HOST is this kernel and its programs; GUEST is the
 * guests that KVM runs on it. An event counts where neither the level nor the host or guest is
 * excluded. Excluding both HOST and GUEST, or everything that is left, is EINVAL (ALL_EXCLUDED).
 *			arm64, kernel at EL2	arm64, kernel at EL1	Intel, AMD
 *			(VHE)			(nVHE)
 *   USER		EL0			EL0			rings 1 to 3
 *   KERNEL		host EL2, guest EL1	EL1			ring 0
 *   HV			-			EL2			-
 *   - EXCLUDE_KERNEL also excludes HV, because code below the kernel is not user mode. So on every
 *     machine EXCLUDE_KERNEL alone leaves user mode, which needs no capability. With EXCLUDE_USER
 *     it leaves nothing. To count EL2 alone, subtract an event with EXCLUDE_HV from one without it
 *     in the same group.
 *   - A hypervisor's level belongs to the host: EXCLUDE_HOST also excludes EL2.
 *   - Where a kernel at EL1 has no EL2 below it (it may be a guest), HV and EXCLUDE_GUEST have no
 *     effect and EXCLUDE_HOST is EOPNOTSUPP (NO_GUEST).
 *   - Under protected KVM, and in a virtual machine whose hypervisor drops AMD's bits for them,
 *     the two cannot be told apart: EXCLUDE_HOST and EXCLUDE_GUEST are EOPNOTSUPP (HARDWARE).
 *   - A guest's events count for its vcpu thread, and for the CPU. docs/exactness.md says how exact
 *     the filter is at guest entry and exit.
 */

/*
 * Widths
 * Every count has 64 bits, whatever the width of its counter. With LONG the hardware must have 64
 * bits too. An event with LONG gets
 *   - a counter of 64 bits, if one of the counters it may be on has them (arm64: all counters from
 *     PMUv3p5 on, before that the cycle counter);
 *   - else (arm64 with the event CHAIN) two chained counters: an even one for the low half and the
 *     next, odd one for the high half. The event is named by its even counter: in COUNTER (an odd
 *     one is EINVAL, COUNTER), in PLACE's answer and in the user page. Masks of counters contain
 *     both;
 *   - else EOPNOTSUPP, WIDTH.
 * So cycles without COUNTER or a mask get the cycle counter, and a second such event gets nothing.
 * For a chained event, name counters other than the cycle counter.
 *
 * One instruction cannot read a chained event. With USER_READ it is refused (EOPNOTSUPP, WIDTH)
 * unless CHAIN_READ says that the reader supports PMUDEV_SLOT_CHAIN. CHAIN_READ changes nothing
 * where a counter has 64 bits. DIRECT events are never chained.
 *
 * Without LONG an event may be on a counter of any width. Its slot in the user page says how many
 * low bits are valid (64 - shift); this can differ each time the event is placed. The bits that the
 * read instruction returns above them are UNKNOWN, even where the hardware has more bits.
 */

/*
 * Thresholds
 * The increment of an event is the number of times it happens in one CPU cycle. With a threshold,
 * only cycles whose increment passes the comparison threshold_compare are counted: by their
 * increments, or with THRESHOLD_COUNT by 1 each. A threshold of 0 means no threshold;
 * threshold_compare and THRESHOLD_COUNT are then ignored.
 *   - arm64 with FEAT_PMUv3_TH: only event counters have thresholds, so cycles and instructions
 *     with one are not on their dedicated counters (COUNTER: EINVAL, COUNTER). In a chained event
 *     the even counter's event is compared.
 *   - Intel: only programmable counters have thresholds, and they can only count cycles: without
 *     THRESHOLD_COUNT it is EOPNOTSUPP, HARDWARE. EQUAL and NOT_EQUAL need a newer CPU (CPUID leaf
 *     23H), else EOPNOTSUPP, COMPARE.
 * The maximum is threshold_max of struct pmudev_query. It never exceeds PMUDEV_MAX_THRESHOLD.
 */

/*
 * DIRECT events
 * The counter of a DIRECT event holds the thread's count modulo 2^width (64 - the slot's shift),
 * and nothing above. So the owner thread, and only that thread, reads it with the bare instruction
 * and no check. Take differences modulo 2^width. Two reads are two moments. Context switches and
 * migrations do not matter, even between the instructions of a read.
 *
 * The counter stays the same while the group is enabled: nothing that comes later moves it. You
 * know it in advance with COUNTER, otherwise from the slot's operand or from PLACE. You may enable
 * the group before you map the page, but you must map the page before you read; until you unmap
 * it, the instruction does not fault (but see struct pmudev_page about the exceptions).
 *
 * These end the validity of bare reads and change the page's generation: disabling the group,
 * RESET, REMOVE (of any event of the set), disabling user access, and running on a CPU where
 * nothing is counted. Closing the file ends nothing while the page is mapped. A long measurement
 * checks the page
 *	before	generation, then that owner is its own thread id and the slot has an index, in
 *		this order; if not, the event cannot be read directly now
 *	after	that generation is unchanged; if not, the reads in between are invalid
 *
 * DIRECT needs a counter that can be loaded with a whole count. arm64: all counters with PMUv3p5,
 * otherwise the cycle counter. Intel: fixed counters, and programmable ones with full-width
 * writes. On other counters it is EOPNOTSUPP, WIDTH (@allowed of the refusal: the counters that
 * would do). DIRECT excludes multiplexing, inheritance and CPU sets.
 */

/*
 * MULTIPLEX groups
 * The multiplexed groups of a set rotate on a pool of counters. Each time the target has run for
 * about 1.116 ms, the next inactive group becomes active as a whole, and the group that has been
 * active longest makes room. A group counts for time_running / time_enabled of the time;
 * value * time_enabled / time_running estimates the total. Compute it in 128 bits.
 *
 * The pool is the counters that others do not hold. Non-multiplexed groups are never displaced and
 * have precedence: one that is enabled later may take counters out of a pool. It is refused if some
 * group of the pool would then not fit at all. Counters that become free join the pools.
 */

/* --------------------------------------------------------------- ioctls -- */

#define PMUDEV_IOC_TYPE		0xDE
#define PMUDEV_IOC_QUERY	_IO(PMUDEV_IOC_TYPE, 0x40)	/* struct pmudev_query */
#define PMUDEV_IOC_BIND		_IO(PMUDEV_IOC_TYPE, 0x41)	/* struct pmudev_bind */
#define PMUDEV_IOC_ADD		_IO(PMUDEV_IOC_TYPE, 0x42)	/* struct pmudev_add */
#define PMUDEV_IOC_PLACE	_IO(PMUDEV_IOC_TYPE, 0x43)	/* struct pmudev_place */
#define PMUDEV_IOC_ENABLE	_IO(PMUDEV_IOC_TYPE, 0x44)	/* struct pmudev_ctl */
#define PMUDEV_IOC_DISABLE	_IO(PMUDEV_IOC_TYPE, 0x45)	/* struct pmudev_ctl */
#define PMUDEV_IOC_RESET	_IO(PMUDEV_IOC_TYPE, 0x46)	/* struct pmudev_ctl */
#define PMUDEV_IOC_REMOVE	_IO(PMUDEV_IOC_TYPE, 0x47)	/* struct pmudev_ctl */
#define PMUDEV_IOC_WHY		_IO(PMUDEV_IOC_TYPE, 0x48)	/* struct pmudev_why */
#define PMUDEV_IOC_DEADLINE	_IO(PMUDEV_IOC_TYPE, 0x49)	/* struct pmudev_deadlines */
#define PMUDEV_IOC_REPORT	_IO(PMUDEV_IOC_TYPE, 0x4a)	/* struct pmudev_reports */
#define PMUDEV_IOC_CONTINUE	_IO(PMUDEV_IOC_TYPE, 0x4b)	/* struct pmudev_ctl */
#define PMUDEV_IOC_READ_SETS	_IO(PMUDEV_IOC_TYPE, 0x4c)	/* struct pmudev_read_sets */

enum pmudev_arch {
	PMUDEV_ARCH_ARM64 = 1, /* also 32-bit kernels; arch_version: PMUVer */
	PMUDEV_ARCH_INTEL = 2, /* arch_version: architectural perfmon version */
	PMUDEV_ARCH_AMD = 3,   /* also Hygon; arch_version: 2 with PerfMonV2, else 1 */
};

/* struct pmudev_query.features: what the PMU and this module can do */
#define PMUDEV_HAS_LONG		(1ULL << 0)	/* 64-bit programmable counters */
#define PMUDEV_HAS_CHAIN	(1ULL << 1)	/* LONG by two chained ones */
#define PMUDEV_HAS_THRESHOLD	(1ULL << 2)
#define PMUDEV_HAS_USER_READ	(1ULL << 3)
#define PMUDEV_HAS_DIRECT	(1ULL << 4)	/* on at least some counters */
#define PMUDEV_HAS_OTHER_TASKS	(1ULL << 5)	/* targets other than the caller */
#define PMUDEV_HAS_INHERIT	(1ULL << 6)
#define PMUDEV_HAS_MULTIPLEX	(1ULL << 7)
#define PMUDEV_HAS_GUEST	(1ULL << 8)	/* EXCLUDE_HOST and EXCLUDE_GUEST */
/*
 * The read instruction returns only counters of the reader's own events with USER_READ. CPU sets
 * and readers do not exclude each other. (docs/security.md, "What a reader can see".)
 */
#define PMUDEV_HAS_HIDING	(1ULL << 9)
#define PMUDEV_HAS_DEADLINE	(1ULL << 10)	/* PMUDEV_IOC_DEADLINE */
#define PMUDEV_HAS_CGROUP	(1ULL << 11)	/* PMUDEV_TARGET_CGROUP */

/* struct pmudev_query.state */
#define PMUDEV_STATE_USER_ACCESS	(1U << 0)	/* sysctl dev.pmudev.user_access is 1 */
#define PMUDEV_STATE_RESERVED	(1U << 1)	/* a set uses the PMU; on x86, perf does not */
#define PMUDEV_STATE_HOOKS	(1U << 2)	/* fork, exec or exit hooks are installed */
#define PMUDEV_STATE_GUEST	(1U << 3)	/* KVM entry and exit hooks are installed */

/* struct pmudev_query.flags */
#define PMUDEV_QUERY_CPU	(1U << 0)	/* @pmu is a CPU number: query that CPU's PMU */
#define PMUDEV_QUERY_FLAGS	((1U << 1) - 1)

/**
 * struct pmudev_query - a PMU and its current state
 * @size: of this structure
 * @flags: PMUDEV_QUERY_*
 * @refusal: why it failed
 * @pmu: in: number of the PMU, 0..@nr_pmus - 1, or with PMUDEV_QUERY_CPU of a CPU; out: of the PMU
 * @nr_pmus: out, as is everything below: the number of PMUs
 * @abi: PMUDEV_ABI_VERSION of the module
 * @arch: enum pmudev_arch
 * @arch_version: the architecture's version of the PMU
 * @state: PMUDEV_STATE_*
 * @cpu_id: arm64: MIDR_EL1; Intel and AMD: CPUID.01H:EAX
 * @features: PMUDEV_HAS_*
 * @counters: mask of the counters that exist
 * @available: the counters of @counters that sets can get
 * @busy: the counters of @available that some set holds
 * @user: the counters of @available that user reads can read
 * @generic: mask of the generic events that can be counted (by enum pmudev_generic)
 * @width: bits of a programmable counter
 * @width_fixed: bits of a fixed counter
 * @threshold_max: the highest threshold, 0 without thresholds
 * @nr_cpus: the number of CPUs that have this PMU
 * @reservations: how often sets began to use the PMU since the module was loaded
 * @perf_stops: how often perf stopped a CPU's PMU for a moment while a set used it. Counts of the
 *	kernel lose some instructions of perf's each time, counts of user mode none.
 * @clock_hz: ticks per second of the clock behind the user page's times
 * @name: as in /sys/class/pmudev/, zero-terminated
 * @user_access_lost: how often a thread with user reads was found without the right to read, which
 *	root took away by a file of perf's, or which KVM has now: it uses read(2) meanwhile
 * @overflows: how often a counter of a deadline interrupted
 * @unexpected: of these, how often no deadline was reached: it was found before the interrupt came,
 *	or is further away than the counter is wide
 * @late: on AMD, interrupts that came after their overflow was dealt with; not in @overflows.
 *     Another driver's NMI in the 0.1 s after an overflow is counted here, too (perf's IBS)
 */
struct pmudev_query {
	__u32 size;
	__u32 flags;
	struct pmudev_refusal refusal;
	__u32 pmu;
	__u32 nr_pmus;
	__u32 abi;
	__u32 arch;
	__u32 arch_version;
	__u32 state;
	__u64 cpu_id;
	__u64 features;
	__u64 counters;
	__u64 available;
	__u64 busy;
	__u64 user;
	__u64 generic;
	__u32 width;
	__u32 width_fixed;
	__u32 threshold_max;
	__u32 nr_cpus;
	__u64 reservations;
	__u64 perf_stops;
	__u64 clock_hz;
	char name[32];
	__u64 user_access_lost;
	__u64 overflows;
	__u64 unexpected;
	__u64 late;
};

enum pmudev_target {
	PMUDEV_TARGET_TASK = 0,	   /* id: thread id, 0: the calling thread */
	PMUDEV_TARGET_CPU = 1,	   /* id: CPU number */
	PMUDEV_TARGET_PROCESS = 2, /* id: process id, 0: the calling process */
	PMUDEV_TARGET_CGROUP = 3,  /* id: CPU number; cgroup: descriptor of its directory */
};

/*
 * Targets
 *   - Permission. A thread can count the threads of its own process. With CAP_PERFMON it can count
 *     any thread. Otherwise the target must be dumpable, its real, effective and saved user and
 *     group ids must be the caller's, it must be in the same user namespace, and it must have no
 *     capability that the caller lacks; CAP_SYS_PTRACE in the target's user namespace replaces all
 *     of these but dumpable (ptrace's rules; Yama and other security modules are not asked).
 *     Counting a CPU or a cgroup needs CAP_PERFMON. Here and everywhere, CAP_PERFMON (or
 *     CAP_SYS_ADMIN) means the capability in the initial user namespace.
 *   - Lifetime. A set counts its target whoever has the file: after the opener exits, after the
 *     file is passed over a socket, from any thread. It ends with the last descriptor and mapping.
 *   - End of the target. When the target exits, its counts stay and can be read and removed; the
 *     record says ENDED. Calls that would make it count (ADD, ENABLE, mmap) return ESRCH. The same
 *     happens when the target gains privileges by exec (set-uid, file capabilities, a program it
 *     may not read): that ends every set on it.
 *   - A process target counts all threads that the process has and will have. None is missed, none
 *     is counted twice.
 *   - A cgroup target counts the threads of the cgroup, and of cgroups below it, while they run on
 *     one CPU: one set for each CPU counts them everywhere. A thread that enters or leaves while it
 *     runs is counted, or not, from an interrupt on, which is on its way when the move returns. The
 *     idle thread is not counted. The times of a record advance while such a thread runs. The set
 *     holds counters as a CPU set does. Counts stay when the cgroup is removed.
 *   - INHERIT also counts the threads and processes that the target creates from then on, and
 *     their children.
 *   - With either, a record is a sum. Live threads are read where they run; the counts of ended
 *     ones are kept. Each thread's part is one moment; the sum is not. time_enabled and
 *     time_running are sums too. A set-uid exec of one thread ends that thread's part. User reads
 *     are not possible (EOPNOTSUPP). If a child could not be counted (no memory, the user has the
 *     maximum number of sets, or another set was bound to the child before it ran), the record
 *     says INCOMPLETE from then on.
 *   - ON_EXEC: ENABLE places the groups and holds their counters, but they begin to count when the
 *     target (with INHERIT, also a child of it) next executes a program. Until then the record says
 *     ENABLED and ARMED. After the exec ENABLE acts at once.
 *   - One thread can have 64 sets that are inherited or wait for an exec (else EBUSY, NUMBER);
 *     twice as many with CAP_PERFMON.
 *   - Quota. A user can have max_sets_per_user bound sets and children (threads too) that are
 *     counted by them, a child once per set (else EDQUOT, LIMIT). They count for the real user id
 *     that binds, or for the creator of its user namespace. CAP_SYS_RESOURCE has no limit. A child
 *     beyond the limit is not counted, and the record says INCOMPLETE. A set counts towards the
 *     limit until its last descriptor and mapping are gone, even when its target has ended; a child
 *     until it ends.
 *   - Binding during an exec. When a thread is bound after it got the new program's rights and
 *     before the program's first instruction, these rights decide. ON_EXEC takes that exec for the
 *     one it waits for; a set-uid exec ends the set.
 *   - A thread that another thread counts is found at its context switches. Instructions between
 *     BIND and ENABLE are not counted; instructions after ENABLE has returned are.
 *   - CPUs of several kinds (nr_pmus of struct pmudev_query is above 1). A set that counts tasks
 *     must name its PMU with PMUDEV_BIND_PMU (else EOPNOTSUPP, SEVERAL_PMUS). It counts while they
 *     run on that PMU's CPUs; on others time_enabled advances and time_running does not. A CPU
 *     target has its CPU's PMU. User reads are possible for raw events on counters that all PMUs
 *     have, without DIRECT. On another PMU's CPU the page has no owner, and readers fall back.
 */

/* struct pmudev_bind.flags */
#define PMUDEV_BIND_INHERIT	(1U << 0)	/* count children too */
#define PMUDEV_BIND_ON_EXEC	(1U << 1)	/* enabled groups count from the next exec on */
/* User readers may see the CPU's counts; with PMUDEV_HAS_HIDING they still do not. */
#define PMUDEV_BIND_SHARED	(1U << 2)
#define PMUDEV_BIND_PMU		(1U << 3)	/* @pmu names the PMU; else the target decides */
/* (CAP_PERFMON) perf has no counter of the PMU, and never stops it, while the set is enabled. */
#define PMUDEV_BIND_EXCLUSIVE	(1U << 4)
#define PMUDEV_BIND_FLAGS	((1U << 5) - 1)

/**
 * struct pmudev_bind - give the set its target, once
 * @size: of this structure
 * @flags: PMUDEV_BIND_*
 * @refusal: why it failed
 * @target: enum pmudev_target
 * @id: see enum pmudev_target
 * @pmu: number of the PMU with PMUDEV_BIND_PMU; else 0
 * @cgroup: with PMUDEV_TARGET_CGROUP the descriptor of a directory of cgroup v2; else 0
 */
struct pmudev_bind {
	__u32 size;
	__u32 flags;
	struct pmudev_refusal refusal;
	__u32 target;
	__s32 id;
	__u32 pmu;
	__s32 cgroup;
};

/* struct pmudev_add.flags */
#define PMUDEV_ADD_ENABLE	(1U << 0)	/* enable the groups: see struct pmudev_add */
#define PMUDEV_ADD_FLAGS	((1U << 1) - 1)

/**
 * struct pmudev_add - add events, all of them or none
 * @size: of this structure
 * @flags: PMUDEV_ADD_*
 * @refusal: why it failed
 * @nr: number of events, 1..PMUDEV_MAX_EVENTS
 * @event_size: sizeof(struct pmudev_event_attr)
 * @events: user pointer to the events, each of @event_size bytes
 * @slots: user pointer to __u32[@nr] for the slots of the events, or 0; meaningless after a failure
 *
 * ADD refuses events that no state of the machine would allow; ENABLE refuses events whose counters
 * others hold. Slots are assigned in order, the lowest free one first: a new set's first event gets
 * slot 0. You cannot add events to an enabled group.
 *
 * With PMUDEV_ADD_ENABLE the events' groups are enabled at once, all of them together, as by
 * ENABLE. If that is refused, the events are not added. A set without a target is first bound to
 * the calling thread, as by BIND with an @id of 0 and no flags, if this structure and @events could
 * be read. It stays bound even if the events are refused. So two calls, open() and this one, count
 * a thread.
 *
 * If another thread unmaps the memory at @slots during the call, the call returns EFAULT although
 * the events are added.
 */
struct pmudev_add {
	__u32 size;
	__u32 flags;
	struct pmudev_refusal refusal;
	__u32 nr;
	__u32 event_size;
	__aligned_u64 events;
	__aligned_u64 slots;
};

/**
 * struct pmudev_place - which counters events would get (a dry run)
 * @size: of this structure
 * @flags: zero
 * @refusal: why it would be refused
 * @nr: number of events; 0: the events of the set
 * @event_size: sizeof(struct pmudev_event_attr); 0 when @nr is
 * @events: as in struct pmudev_add: tried together with the enabled events of the set
 * @counters: user pointer to __s32[]: the counter each event would get (or has), for a
 *	chained event the even one. With @nr = 0 one entry per slot of the set, -1 for empty
 *	slots. For a multiplexed event: the counter it gets when its group is first active.
 */
struct pmudev_place {
	__u32 size;
	__u32 flags;
	struct pmudev_refusal refusal;
	__u32 nr;
	__u32 event_size;
	__aligned_u64 events;
	__aligned_u64 counters;
};

#define PMUDEV_ALL		0xffffffffU

/**
 * struct pmudev_ctl - enable, disable, reset or remove
 * @size: of this structure
 * @flags: zero
 * @refusal: why it failed
 * @group: the group, or PMUDEV_ALL
 * @slot: RESET: one event instead of a group (@group is PMUDEV_ALL then); else PMUDEV_ALL
 * @value: RESET: the new count; else 0
 *
 * ENABLE places the named groups on counters, all of them or none. It does nothing for groups that
 * are already enabled. Active events stay where they are unless moving them makes room.
 * DISABLE takes the groups off their counters and keeps the counts. RESET sets counts (not times),
 * in the hardware too (modulo 2^width). REMOVE deletes the events of disabled groups from the set.
 */
struct pmudev_ctl {
	__u32 size;
	__u32 flags;
	struct pmudev_refusal refusal;
	__u32 group;
	__u32 slot;
	__u64 value;
};

/**
 * struct pmudev_why - the refusal of this file's last failed call
 * @size: of this structure
 * @flags: zero
 * @refusal: of the last mmap(2), read(2) or ioctl(2) that was refused; without pid
 * @error: its errno, 0 if none was refused yet
 * @reserved: zero
 */
struct pmudev_why {
	__u32 size;
	__u32 flags;
	struct pmudev_refusal refusal;
	__u32 error;
	__u32 reserved;
};

/*
 * Deadlines
 * A deadline is a count of one event. When the event's count reaches it, that is reported: once,
 * never before, and it is never lost, whatever the thread does meanwhile. The counter interrupts
 * there; the count is also compared at each context switch, read(2), RESET and REPORT.
 *   - A report makes the set's descriptor readable for poll(2) and epoll until PMUDEV_IOC_REPORT
 *     has read it. As requested, it also adds 1 to an eventfd, or sends the counted thread a
 *     signal with si_code SI_SIGIO, si_fd the @id of the deadline, si_errno the event's slot and
 *     si_band the count (for 32-bit programs its low 32 bits).
 *   - poll(2) of a set that never had a deadline says POLLERR. When the target has ended it says
 *     POLLHUP.
 *   - How late. The count of the report tells: it is the deadline's, plus what the CPU counts until
 *     its interrupt arrives (skid). When a CPU has taken max_overflows interrupts (sysctl
 *     dev.pmudev.max_overflows) within a tick of the kernel, the next one disables them. Deadlines
 *     are then reported at the next tick, or when the thread is switched, with PMUDEV_REPORT_LATE.
 *   - A periodic deadline is reported again every @period events. Of those that pass before one is
 *     reported, only one is reported; @overruns of the report counts the others.
 *   - RESET to a count at or beyond a deadline reaches it. A periodic deadline moves with the
 *     count: it keeps its distance.
 *   - A deadline stays when its group is disabled, and at a program's execution (but a set ends
 *     when its target gains privileges). It goes with its event. A deadline of a target that has
 *     ended is never reached.
 *   - An event with a deadline, reached or not, cannot be read directly until that is removed: its
 *     slot has no index. It is read by read(2). DIRECT events cannot have a deadline (EINVAL,
 *     COMBINATION).
 *   - In a set that is inherited or counts a process each thread has the deadline for itself: new
 *     threads too, at @value events of their own. Reports add up what all threads reached; the
 *     report's @tid is the thread of the last one. SIGNAL and STOP concern the thread that reached
 *     it, CONTINUE all that are stopped. A thread that could not get it, for lack of memory or
 *     because it was made at that moment, makes the record INCOMPLETE.
 *   - TOTAL: a deadline of the sum that the record shows, reached once. It is never early. Threads
 *     count in steps: of a quarter of what is left, divided among them, but not below 10,000 events
 *     (a single thread: all that is left). So it is late by less than 10,000 events for each
 *     thread, and by what they count while a worker of the kernel looks at them, which it does each
 *     time that it could have been reached unseen. Not with PERIODIC, SIGNAL, STOP or multiplexing
 *     (EINVAL, COMBINATION). In a set of one thread it has no effect.
 *   - A thread that is stopped executes no more instructions in user mode until
 *     PMUDEV_IOC_CONTINUE (@group and @slot PMUDEV_ALL, @value 0; no effect if it is not stopped),
 *     or until the set is closed. It can be killed; other signals, and debuggers, wait. A set that
 *     only the stopped thread has open stops it for ever.
 *   - SIGNAL and STOP need the right to send the counted thread a signal, as kill(2) does, by
 *     whoever sets the deadline (EPERM, CAP_SIGNAL); when the target of an inherited set has ended,
 *     any one that goes on. Threads that inherit it are neither signalled nor stopped if they
 *     belong to another user, unless root has set it. Events of a CPU have no thread, and kernel
 *     threads neither stop nor take signals (EINVAL, COMBINATION). A real-time signal is lost if
 *     the thread has as many pending as it may; the report is not.
 */

/* struct pmudev_deadline.flags */
#define PMUDEV_DEADLINE_RELATIVE (1U << 0)	/* @value is added to the count now */
#define PMUDEV_DEADLINE_PERIODIC (1U << 1)	/* and again every @period events */
#define PMUDEV_DEADLINE_EVENTFD	(1U << 2)	/* add 1 to @eventfd */
#define PMUDEV_DEADLINE_SIGNAL	(1U << 3)	/* send the counted thread @signal */
#define PMUDEV_DEADLINE_REMOVE	(1U << 4)	/* the event has no deadline from now on */
#define PMUDEV_DEADLINE_STOP	(1U << 5)	/* stop the counted thread */
#define PMUDEV_DEADLINE_TOTAL	(1U << 6)	/* of the sum that an inherited set counts */
#define PMUDEV_DEADLINE_SAMPLE	(1U << 7)	/* write a sample, see "Samples" */
#define PMUDEV_DEADLINE_FLAGS	((1U << 8) - 1)

/* The highest @value (with RELATIVE: of the sum) and @period of a deadline. */
#define PMUDEV_DEADLINE_MAX	0x7fffffffffffffffULL

/**
 * struct pmudev_deadline - a deadline of one event
 * @slot: the event
 * @flags: PMUDEV_DEADLINE_*
 * @value: the count, or how far it is away; at or below the count it is reached at once
 * @period: with PERIODIC, at least 1; else 0
 * @eventfd: with EVENTFD: the descriptor; else 0
 * @signal: with SIGNAL: its number; else 0
 * @id: with SIGNAL: the caller's own, such as the set's descriptor; else 0
 * @reserved: zero
 *
 * With REMOVE all but @slot is 0. A report that was not read yet stays.
 */
struct pmudev_deadline {
	__u32 slot;
	__u32 flags;
	__u64 value;
	__u64 period;
	__s32 eventfd;
	__u32 signal;
	__s32 id;
	__u32 reserved;
};

/**
 * struct pmudev_deadlines - set, change and remove deadlines, all of them or none
 * @size: of this structure
 * @flags: zero
 * @refusal: why it failed; its event is an index of @deadlines
 * @nr: number of deadlines, 1..PMUDEV_MAX_EVENTS, each of another event
 * @deadline_size: sizeof(struct pmudev_deadline)
 * @deadlines: user pointer to the deadlines, each of @deadline_size bytes
 *
 * All of them are set at one moment of the target. One that replaces another is set after what the
 * other has reached was reported.
 */
struct pmudev_deadlines {
	__u32 size;
	__u32 flags;
	struct pmudev_refusal refusal;
	__u32 nr;
	__u32 deadline_size;
	__aligned_u64 deadlines;
};

/* struct pmudev_report.flags */
#define PMUDEV_REPORT_LATE	(1U << 0)	/* max_overflows delayed one of them */

/**
 * struct pmudev_report - what an event's deadlines have reached since the last call
 * @slot: the event
 * @flags: PMUDEV_REPORT_*
 * @value: the last deadline that was reached
 * @count: the count when that was reported
 * @reached: how many were reached
 * @overruns: of these, how many were not reported on their own
 * @tid: the thread that reached the last one, in the pid namespace of who set the set's first
 *	deadline; 0: a CPU, or a thread outside of that namespace. Of a total any of the threads
 * @reserved: zero
 */
struct pmudev_report {
	__u32 slot;
	__u32 flags;
	__u64 value;
	__u64 count;
	__u64 reached;
	__u64 overruns;
	__s32 tid;
	__u32 reserved;
};

/**
 * struct pmudev_reports - read and clear reports
 * @size: of this structure
 * @flags: zero
 * @refusal: why it failed
 * @nr: in: the room at @reports, 1..PMUDEV_MAX_EVENTS; out: how many were written, in the order of
 *	their slots. Those that find no room stay.
 * @report_size: sizeof(struct pmudev_report)
 * @reports: user pointer to struct pmudev_report[], each of @report_size bytes
 *
 * If another thread unmaps the memory at @reports during the call, it returns EFAULT although the
 * reports are cleared.
 */
struct pmudev_reports {
	__u32 size;
	__u32 flags;
	struct pmudev_refusal refusal;
	__u32 nr;
	__u32 report_size;
	__aligned_u64 reports;
};

/* --------------------------------------------------------- perf's layout -- */

/*
 * Pages in perf's layout
 * mmap() at PMUDEV_PERF_PAGE_OFFSET + slot * PMUDEV_PERF_PAGE_STEP maps a page of one event in the
 * layout of struct perf_event_mmap_page (linux/perf_event.h), for programs that have a reader for
 * that. What is said of struct pmudev_page about access, other threads, fork and errors holds here,
 * too, but nothing in the page names its thread: one that reads another's page gets a wrong count,
 * as with perf.
 *   - cap_user_rdpmc is 1 while @offset and the counter @index - 1 make the count, and, with @index
 *     0, while the event is disabled and @offset is the count. @pmc_width may be one more than the
 *     counter has bits.
 *   - It is 0, and read(2) tells, while the thread does not run; the event is enabled and has no
 *     counter, is chained, has a deadline, or is on arm64's instruction counter, which perf's
 *     readers do not know; and with counters of 31 bits for a quarter of their range. @offset is
 *     then the count when that began, and @index 0.
 *   - cap_user_time is 1 with an @index, if the machine has a clock that user mode reads.
 */
#define PMUDEV_PERF_PAGE_OFFSET 0x2000000
#define PMUDEV_PERF_PAGE_STEP	0x10000

/* --------------------------------------------------------------- samples -- */

/*
 * Samples
 * A deadline with SAMPLE writes where the thread was, and what its events had counted, into the
 * set's ring. mmap() at PMUDEV_SAMPLES_OFFSET makes the ring: shared, one page for struct
 * pmudev_samples_page and a power of two of pages for data, at most PMUDEV_SAMPLES_MAX bytes of
 * them. It is locked memory of the caller's user (RLIMIT_MEMLOCK) until the set is closed. When it
 * is mapped again it must have the same size.
 *   - The kernel writes samples at @head and never over those that were not read: at @tail, which
 *     the reader writes, writable mapping provided. Both count bytes modulo 2^32; the data is at
 *     that modulo @data_size. A sample may continue at the data's begin.
 *   - A reader loads @head with acquire semantics, reads samples from @tail on, and stores @tail
 *     with release semantics.
 *   - When there is no room a sample is dropped, and counted.
 *   - poll(2) says POLLIN while half of the ring is used. An eventfd is written when it comes to
 *     that, not if it was so before. A sample is no report to wait for; REPORT returns how many
 *     deadlines were reached.
 *   - STOP with SAMPLE: a thread stops behind its sample when the ring has no room for one of each
 *     thread and CPU, and poll(2) says POLLIN. The reader makes room and calls PMUDEV_IOC_CONTINUE,
 *     which fails (EAGAIN, RING) if the ring is full again. Of events of user mode nothing is
 *     dropped if all of that fits into the ring, unless threads are made while it is full.
 *   - SIGNAL and TOTAL have no samples (EINVAL, COMBINATION).
 *   - The ring has user addresses only, unless the event counts the kernel.
 */

#define PMUDEV_SAMPLES_OFFSET	0x1000000
#define PMUDEV_SAMPLES_MAX	0x1000000

/**
 * struct pmudev_samples_page - the first page of the ring
 * @version: PMUDEV_ABI_VERSION
 * @size: of this structure
 * @data_offset: where the data begins, in bytes
 * @data_size: bytes of data, a power of two
 * @head: where the kernel writes next
 * @tail: where the reader reads next; written by the reader
 * @dropped: samples that had no room
 */
struct pmudev_samples_page {
	__u32 version;
	__u32 size;
	__u32 data_offset;
	__u32 data_size;
	__u32 head;
	__u32 tail;
	__u64 dropped;
};

/* struct pmudev_sample.flags */
#define PMUDEV_SAMPLE_KERNEL	(1U << 0)	/* @ip is in the kernel */
/*
 * The deadline was found when the thread was in the kernel, not by its interrupt, or that came in
 * the kernel: @ip is where the thread entered the kernel.
 */
#define PMUDEV_SAMPLE_ENTRY	(1U << 1)

/**
 * struct pmudev_sample - where a thread was when it reached a deadline
 * @size: bytes, with its counts; a multiple of 8
 * @flags: PMUDEV_SAMPLE_*
 * @time: CLOCK_MONOTONIC, in ns
 * @ip: the instruction that was next; 0: unknown
 * @pid: the process, in the pid namespace of who set the set's first deadline
 * @tid: the thread, likewise
 * @cpu: the CPU; ~0: the deadline was found when the thread ran nowhere
 * @slot: the event whose deadline it was
 * @value: the deadline
 * @present: mask of the slots that have an event
 * @dropped: samples dropped before this one, since the ring was made
 * @counts: of each event of @present, in ascending order, at one moment; of an inherited set those
 *	of the thread alone
 */
struct pmudev_sample {
	__u32 size;
	__u32 flags;
	__u64 time;
	__u64 ip;
	__s32 pid;
	__s32 tid;
	__u32 cpu;
	__u32 slot;
	__u64 value;
	__u64 present;
	__u64 dropped;

	__extension__ __u64 counts[];
};

/* --------------------------------------------------------------- read(2) -- */

/* struct pmudev_record.flags */
#define PMUDEV_RECORD_ENABLED	(1U << 0)	/* some group is enabled */
#define PMUDEV_RECORD_ENDED	(1U << 1)	/* the target has ended: counts are final */
#define PMUDEV_RECORD_OFFLINE	(1U << 2)	/* not counting: the CPU is offline */
#define PMUDEV_RECORD_NO_USER_ACCESS	(1U << 3)	/* not counting: user access is disabled */
#define PMUDEV_RECORD_ARMED	(1U << 4)	/* some group waits for the target's next exec */
#define PMUDEV_RECORD_INCOMPLETE (1U << 5)	/* some child could not be counted */

/**
 * struct pmudev_count - one event in a record
 * @value: events counted; never scaled
 * @time_enabled: ns its group was enabled while the target ran and the machine was not suspended
 *	to RAM or disk
 * @time_running: ns of @time_enabled on counters; less than @time_enabled if the event did not
 *	count all the time
 * @tag: as given with the event
 */
struct pmudev_count {
	__u64 value;
	__u64 time_enabled;
	__u64 time_running;
	__u64 tag;
};

/**
 * struct pmudev_record - what read(2) returns: one moment of the whole set
 * @size: bytes of the record, counts included
 * @nr: number of counts that follow: the slots of the set, empty ones included
 * @flags: PMUDEV_RECORD_*
 * @generation: as in the user page
 * @time: CLOCK_MONOTONIC of the reading, ns
 * @time_enabled: ns some group was enabled while the target ran
 * @time_running: ns of @time_enabled with all enabled groups on counters
 * @present: mask of the slots with an event
 * @multiplexed: mask of the slots whose group shares counters over time
 * @reserved: zero
 * @counts: by slot
 *
 * pread(2) is the same, whatever the position: one without data in any other file does no harm to
 * a file that has the descriptor's number by mistake.
 * The buffer must take the whole record (else ENOSPC). No migration, context switch or rotation
 * happens between any two of its numbers (with INHERIT: between the parts of one thread).
 */
struct pmudev_record {
	__u32 size;
	__u32 nr;
	__u32 flags;
	__u32 generation;
	__u64 time;
	__u64 time_enabled;
	__u64 time_running;
	__u64 present;
	__u64 multiplexed;
	__u64 reserved;

	__extension__ struct pmudev_count counts[];
};

/* The maximum number of sets that one call reads */
#define PMUDEV_MAX_READ_SETS	64

/**
 * struct pmudev_read_sets - read several sets at once
 * @size: of this structure
 * @flags: zero
 * @refusal: why it failed; its event is an index of @fds
 * @nr: number of sets, 1..PMUDEV_MAX_READ_SETS
 * @record_size: bytes from one record to the next, enough for the largest (else ENOSPC: limit is
 *	what would be). What a record does not take of them is left as it is.
 * @fds: user pointer to __s32[], the sets' descriptors; a set may be there more than once
 * @records: user pointer to the records, of @record_size bytes each, in the order of @fds
 *
 * Each record is what read(2) of its set returns, of a moment of its own. Sets that count on the
 * same other CPU are read there in one interrupt, where read(2) takes one for each; in one more for
 * each PMUDEV_MAX_EVENTS slots that they have. Inherited sets are read one after the other. The
 * call may be made on any set, whether it is read or not; that one remembers the refusal. On error
 * no record is to be relied on.
 */
struct pmudev_read_sets {
	__u32 size;
	__u32 flags;
	struct pmudev_refusal refusal;
	__u32 nr;
	__u32 record_size;
	__aligned_u64 fds;
	__aligned_u64 records;
};

/* ------------------------------------------------------------ user page -- */

/* struct pmudev_page.flags */
#define PMUDEV_PAGE_TIMES	(1U << 0)	/* times can be read without a call, see below */
#define PMUDEV_PAGE_GROUP_TIMES	(1U << 1)	/* so can the times of groups */

/* struct pmudev_slot.flags */
#define PMUDEV_SLOT_USED	(1U << 0)	/* the slot has an event */
#define PMUDEV_SLOT_MULTIPLEX	(1U << 1)	/* its group shares counters over time */
#define PMUDEV_SLOT_DIRECT	(1U << 2)	/* bare reads are valid while it has an index */
#define PMUDEV_SLOT_CHAIN	(1U << 3)	/* chained: operand (low), operand + 1 (high) */

/**
 * struct pmudev_slot - one event in the user page, 16 bytes
 * @count: the count when the slot was last written
 * @operand: operand of the read instruction. Intel: RDPMC's ECX. arm64: 0..30
 *	PMEVCNTR<n>_EL0, 31 PMCCNTR_EL0, 32 PMICNTR_EL0
 * @index: counter + 1; 0: not readable directly now
 * @shift: 64 - width; the count is in the low width bits of the counter
 * @group: number of its group
 * @flags: PMUDEV_SLOT_*
 */
struct pmudev_slot {
	__u64 count;
	__u32 operand;
	__u8 index;
	__u8 shift;
	__u8 group;
	__u8 flags;
};

/**
 * struct pmudev_group_times - a group's times in the user page, in clock ticks
 * @enabled: like struct pmudev_page.time_enabled
 * @running: like struct pmudev_page.time_running
 */
struct pmudev_group_times {
	__u64 enabled;
	__u64 running;
};

/**
 * struct pmudev_page - the user page of a set
 * @seq: changes with everything that the owner could read; odd in the middle of a change. Only
 *	@owner can become 0 without it.
 * @owner: thread id (gettid) of the owner thread while it runs and its page is valid, 0 otherwise
 * @clock: see "Times"
 * @time_enabled: see "Times"
 * @time_running: see "Times"
 * @flags: PMUDEV_PAGE_*
 * @generation: changes when bare reads of DIRECT events become invalid: see "DIRECT events"
 * @time_mult: ns = ticks * time_mult >> time_shift, in 128 bits
 * @time_shift: see @time_mult
 * @nr_slots: slots in use, empty ones between them included
 * @version: PMUDEV_ABI_VERSION
 * @size: bytes of this structure
 * @reserved: zero
 * @slots: the events
 * @times: of each group
 *
 * The reader's algorithm. The kernel writes on the reader's own CPU, or while the reader does not
 * run, so a compiler barrier is enough.
 *
 *	do {
 *		seq = READ_ONCE(page->seq);
 *		if (READ_ONCE(page->owner) != my_tid)	// kept in thread-local storage
 *			return read(2);
 *		barrier();
 *		index = page->slots[i].index;
 *		shift = page->slots[i].shift;
 *		count = page->slots[i].count;
 *		if (!index)
 *			return read(2);
 *		raw = counter(page->slots[i].operand);	// rdpmc, mrs
 *		barrier();
 *	} while (READ_ONCE(page->seq) != seq || READ_ONCE(page->owner) != my_tid);
 *	value = count + (((raw - count) << shift) >> shift);
 *
 * For a slot with PMUDEV_SLOT_CHAIN, which only events with CHAIN_READ have, replace the one read
 * by these, in this order (arm64: with an isb between any two):
 *
 *	high = counter(operand + 1);
 *	low = counter(operand);
 *	high_after = counter(operand + 1);
 *	low_after = counter(operand);
 *	raw = high_after << 32 | (high == high_after ? low : low_after);	// 32 bits each
 *
 * The counter carries the count modulo 2^width. The slot is rewritten long before 2^width events
 * have passed, so the difference is the events since @count was written. Several events read
 * between the same two loads of @seq belong together: no context switch or migration happens
 * between them.
 *
 * A counter that the page has once shown can be read until the page is unmapped. By then it may
 * hold something else, or be hidden (then @seq has changed), but the instruction does not fault.
 * Exceptions: while the thread runs on a CPU where nothing is counted, because it came online when
 * perf held its counters, or is of a kind that was absent when the module was loaded; and after
 * root has written 0 to perf's file rdpmc (Intel, AMD) or to kernel.perf_user_access (arm64), which
 * a check notices once the thread was switched out and in.
 *
 * @owner names a thread, so no other thread's check succeeds. A fork's child sees zeroes instead
 * of this page. A child that shares its parent's memory and thread-local storage (vfork) must not
 * read: it cannot tell itself from the parent. A 32-bit program on a CPU whose counters it cannot
 * read whole (arm64) gets no page: USER_READ is refused.
 *
 * Times. With PMUDEV_PAGE_TIMES, read now = the clock (arm64: CNTVCT_EL0, Intel: TSC) between the
 * two loads of @seq. Then (time_enabled + clock + now) and (time_running + clock + now), modulo
 * 2^64, are the record's times in ticks, while some event of the set is on a counter (has an
 * index). The flag is clear while an enabled group has no counters; use read(2) for the times
 * then. With PMUDEV_PAGE_GROUP_TIMES the same holds for @times of a group while its events have
 * indices.
 */
struct pmudev_page {
	__u32 seq;
	__u32 owner;
	__u64 clock;
	__u64 time_enabled;
	__u64 time_running;
	__u32 flags;
	__u32 generation;
	__u32 time_mult;
	__u32 time_shift;
	__u32 nr_slots;
	__u32 version;
	__u32 size;
	__u32 reserved;
	struct pmudev_slot slots[PMUDEV_MAX_EVENTS];
	struct pmudev_group_times times[PMUDEV_MAX_GROUPS];
};

#endif /* _UAPI_LINUX_PMUDEV_H */
