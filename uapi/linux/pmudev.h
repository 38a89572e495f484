/* SPDX-License-Identifier: GPL-2.0 WITH Linux-syscall-note */
/*
 * pmudev - the CPU's performance counters through /dev/pmudev
 *
 * One open file is one event set: it is bound to a target (a thread or a CPU),
 * gets events, which are on counters together by group, and may be mapped as a
 * user page from which the counted thread reads its counters itself.
 *
 *	fd = open("/dev/pmudev", O_RDWR | O_CLOEXEC);
 *	ioctl(fd, PMUDEV_IOC_BIND, &bind);	the calling thread
 *	ioctl(fd, PMUDEV_IOC_ADD, &add);	events, all of them or none
 *	ioctl(fd, PMUDEV_IOC_ENABLE, &ctl);	placed on counters, or refused
 *	read(fd, record, size);			struct pmudev_record
 *
 * Conventions
 *   - Every structure begins with its size as the caller knows it. A newer
 *     module accepts older, shorter structures; an older module accepts longer
 *     ones if what it does not know is zero (else E2BIG). Anything marked
 *     reserved must be zero.
 *   - The layout is the same for 32- and 64-bit programs.
 *   - Next stands struct pmudev_refusal, filled in by the module whenever the
 *     call fails and the structure could be read: why, for which event, which
 *     counters would do and who has them. The calls that carry no structure
 *     (mmap, read) leave it for PMUDEV_IOC_WHY.
 *
 * The errno contract
 *   EFAULT      a pointer does not point to memory of the caller
 *   EINVAL      the call itself is wrong (a size, a flag, a field, an order of
 *               calls): no machine and no moment would accept it; or a threshold is
 *               above the highest that there is
 *   E2BIG       the structure is longer than this module knows, and not zero there
 *   EOPNOTSUPP  right, but this machine or this version of the module cannot
 *   ENOENT      this CPU does not implement the event
 *   ENOSPC      no placement: more is asked for than there are counters, or
 *               read(2)'s buffer is shorter than the record
 *   EBUSY       a placement exists, but others hold the counters; or the state
 *               forbids the call (bound already, group enabled)
 *   EPERM       lacks a capability, or is not the owner of the target
 *   EACCES      the gate for user reads (sysctl dev.pmudev.user_access) is closed
 *   EDQUOT      the user has as many sets as he may (sysctl dev.pmudev.max_sets_per_user)
 *   ESRCH       no such task, or the target has ended
 *   ENODEV      no such PMU, no such CPU, or the CPU is offline
 *   ENOMEM      memory; nothing was changed
 *   ENOTTY      no such ioctl
 * A call that fails changes nothing, unless its description says otherwise.
 */
#ifndef _UAPI_LINUX_PMUDEV_H
#define _UAPI_LINUX_PMUDEV_H

#include <linux/ioctl.h>
#include <linux/types.h>

#define PMUDEV_ABI_VERSION	1
#define PMUDEV_DEVICE		"/dev/pmudev"

/* Events a set can hold, and the numbers that a group of it can have: 0..63. */
#define PMUDEV_MAX_EVENTS	64
#define PMUDEV_MAX_GROUPS	64
/*
 * Counters of a CPU have one index space: 0..31 programmable ones, 32 and
 * above fixed ones (Intel: fixed counter 0 is 32; arm64: PMCCNTR_EL0, the cycle
 * counter, is 32 and PMICNTR_EL0 is 33). Masks of counters are by this index.
 */
#define PMUDEV_FIXED_BASE	32

/* ------------------------------------------------------------ refusals -- */

/**
 * enum pmudev_reason - why a call was refused
 *
 * Numbers are never reused. @limit of the refusal is given where it is named.
 */
enum pmudev_reason {
	PMUDEV_OK = 0,
	/* the call itself (EINVAL, E2BIG, EFAULT) */
	PMUDEV_WHY_SIZE = 1,	      /* size too small; limit: the least */
	PMUDEV_WHY_TAIL = 2,	      /* not zero beyond what is known; limit: known size */
	PMUDEV_WHY_POINTER = 3,	      /* cannot be read or written */
	PMUDEV_WHY_FLAGS = 4,	      /* unknown flags; limit: those known */
	PMUDEV_WHY_RESERVED = 5,      /* a reserved field is not zero */
	PMUDEV_WHY_NUMBER = 6,	      /* too many events or sets, or none; limit: the most */
	PMUDEV_WHY_GROUP = 7,	      /* no such group; limit: the highest number */
	PMUDEV_WHY_SLOT = 8,	      /* no such event in the set */
	PMUDEV_WHY_UNBOUND = 9,	      /* bind the set first */
	PMUDEV_WHY_BOUND = 10,	      /* bound already */
	PMUDEV_WHY_ENABLED = 11,      /* the group is enabled: disable it first */
	PMUDEV_WHY_COUNTER = 12,      /* no such counter, or one that is not allowed */
	PMUDEV_WHY_GROUP_FLAGS = 13,  /* all events of a group share MULTIPLEX */
	PMUDEV_WHY_COMBINATION = 14,  /* these flags exclude each other */
	PMUDEV_WHY_BUFFER = 15,	      /* buffer too short; limit: bytes needed */
	PMUDEV_WHY_MAPPING = 16,      /* the page is MAP_SHARED, PROT_READ, one page, offset 0 */
	PMUDEV_WHY_NO_USER_READ = 17, /* no event of the set asked for user reads */
	PMUDEV_WHY_INHERITED = 18,    /* (EOPNOTSUPP) children cannot have user reads */
	/* what can be counted (EINVAL, ENOENT, EOPNOTSUPP) */
	PMUDEV_WHY_TYPE = 20,	      /* no such type of event; limit: the highest */
	PMUDEV_WHY_CONFIG = 21,	      /* not an encoding of this PMU; limit: mask of valid bits */
	PMUDEV_WHY_EVENT = 22,	      /* this CPU does not implement the event */
	PMUDEV_WHY_THRESHOLD = 23,    /* (EINVAL) threshold too high; limit: the highest, */
				      /* 0: (EOPNOTSUPP) there are none for the event */
	PMUDEV_WHY_COMPARE = 24,      /* the comparison is not offered here */
	PMUDEV_WHY_WIDTH = 25,	      /* LONG, DIRECT: no such counter; limit: bits there are */
	PMUDEV_WHY_ALL_EXCLUDED = 26, /* every level is excluded: nothing to count */
	PMUDEV_WHY_HARDWARE = 27,     /* the hardware cannot; limit: the flag concerned */
	PMUDEV_WHY_MODULE = 28,	      /* this version cannot yet; limit: the flag concerned */
	PMUDEV_WHY_SEVERAL_PMUS = 29, /* (EOPNOTSUPP) CPUs of several kinds; limit: the flag */
				      /* that cannot be then, 0: the PMU is to be named */
	/* where (ESRCH, ENODEV) */
	PMUDEV_WHY_NO_TASK = 30,
	PMUDEV_WHY_NO_CPU = 31, /* limit: the highest number */
	PMUDEV_WHY_CPU_OFFLINE = 32,
	PMUDEV_WHY_NO_PMU = 33,	  /* limit: the highest number */
	PMUDEV_WHY_ENDED = 34,	  /* the target, and its family, exited or gained rights */
	PMUDEV_WHY_NO_GUEST = 35, /* (EOPNOTSUPP) EXCLUDE_HOST: there are no guests */
	/* who may (EPERM, EACCES, EDQUOT) */
	PMUDEV_WHY_CAP_KERNEL = 40,  /* counting the kernel needs CAP_PERFMON */
	PMUDEV_WHY_CAP_CPU = 41,     /* counting a CPU needs CAP_PERFMON */
	PMUDEV_WHY_CAP_TASK = 42,    /* counting another user's task needs CAP_PERFMON */
	PMUDEV_WHY_USER_ACCESS = 43, /* sysctl dev.pmudev.user_access is 0 */
	PMUDEV_WHY_NOT_OWNER = 44,   /* only the counted process maps the page */
	PMUDEV_WHY_LIMIT = 45,	     /* (EDQUOT) too many sets of this user; limit: the most */
	/* counters (ENOSPC, EBUSY) */
	PMUDEV_WHY_NO_COUNTER = 50,    /* more events than counters that can take them */
	PMUDEV_WHY_HELD = 51,	       /* others hold the counters: see holder */
	PMUDEV_WHY_PMU_HELD = 52,      /* someone else is using the PMU: see holder */
	PMUDEV_WHY_USER_READABLE = 53, /* would be readable by (or read) a task with user reads */
	/* machine (ENOMEM) */
	PMUDEV_WHY_MEMORY = 60,
	PMUDEV_WHY_PERF_REFUSED = 61, /* perf would not yield the PMU */
};

/**
 * enum pmudev_holder_kind - who has a counter, or the PMU
 */
enum pmudev_holder_kind {
	PMUDEV_HOLDER_NONE = 0,
	PMUDEV_HOLDER_SET = 1,	       /* an event of this very set */
	PMUDEV_HOLDER_TASK_SET = 2,    /* a set that counts a task */
	PMUDEV_HOLDER_CPU_SET = 3,     /* a set that counts a CPU */
	PMUDEV_HOLDER_PERF = 4,	       /* perf is counting */
	PMUDEV_HOLDER_WATCHDOG = 5,    /* the NMI watchdog */
	PMUDEV_HOLDER_HYPERVISOR = 6,  /* KVM, or the hypervisor below */
	PMUDEV_HOLDER_PLACEHOLDER = 7, /* given up so that perf leaves the others alone */
};

/**
 * struct pmudev_holder - who has one counter
 * @counter: index of the counter
 * @kind: enum pmudev_holder_kind
 * @pid: the process that opened the set, in the caller's pid namespace; 0 when
 *	not known, not visible there, or withheld (CAP_PERFMON shows all,
 *	without it only the caller's own)
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
 * @code: enum pmudev_reason; PMUDEV_OK after success, and nothing else here means anything then
 * @event: the event concerned: its place in the caller's array (ADD, PLACE) or
 *	its slot in the set (other calls); -1 if none
 * @allowed: the counters that could take it, of a pair both; 0 when that is not the question
 * @busy: those of @allowed that others hold
 * @limit: a bound, as the reason's comment says
 * @holder: who has one of @busy, or the PMU
 * @nr_holders: in: the room at @holders; out: how many holders there are (0 if the list could
 *	not be written)
 * @reserved: zero
 * @holders: user pointer to struct pmudev_holder[], one for each counter held;
 *	may be 0
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
 *   Intel: IA32_PERFEVTSELx bits 7:0 event, 15:8 unit mask, 18 edge, 23 invert (which means
 *          nothing without a counter mask), 31:24 counter mask; where the CPU has them (leaf 23H
 *          of CPUID) 36 equal, 47:40 second unit mask. What is compared by these bits cannot
 *          have a threshold as well.
 */

/* Generic events: what they count is the same notion on every CPU. */
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

/* struct pmudev_event_attr.flags; the first five: see "Levels and sides" below */
#define PMUDEV_EXCLUDE_USER	(1U << 0)	/* user mode of the host, and of guests */
#define PMUDEV_EXCLUDE_KERNEL	(1U << 1)	/* and what is below it: implies EXCLUDE_HV */
#define PMUDEV_EXCLUDE_HV	(1U << 2)	/* a hypervisor that is not the kernel */
#define PMUDEV_EXCLUDE_HOST	(1U << 3)
#define PMUDEV_EXCLUDE_GUEST	(1U << 4)
#define PMUDEV_LONG		(1U << 5)	/* 64 bits in hardware, see "Widths" below */
#define PMUDEV_USER_READ	(1U << 6)	/* the counted thread may read it directly */
#define PMUDEV_DIRECT		(1U << 7)	/* see "DIRECT events" below */
#define PMUDEV_CHAIN_READ	(1U << 8)	/* user reads may take two counters, see "Widths" */
#define PMUDEV_MULTIPLEX	(1U << 9)	/* the group may share counters over time */
#define PMUDEV_COUNTER		(1U << 10)	/* on counter @counter, and no other */
#define PMUDEV_THRESHOLD_COUNT	(1U << 11)	/* count 1 for each cycle, see "Thresholds" */
#define PMUDEV_EVENT_FLAGS	((1U << 12) - 1)

/* struct pmudev_event_attr.threshold_compare: the cycle's increment is ... the threshold */
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
 * @allowed: mask of the counters it may run on; 0: all that can count it. A pair needs both.
 * @tag: the caller's own; comes back in records, means nothing to the module
 * @group: 0..63: the events of a set with the same number form a group: they
 *	are on counters all together or not at all
 * @counter: with PMUDEV_COUNTER: the one counter, of a pair the even one; else 0
 * @threshold: 0: off; else the increment per cycle to compare with, see "Thresholds" below
 * @threshold_compare: enum pmudev_compare; means nothing without a threshold
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
 * Levels and sides
 * USER, KERNEL and HV are levels of privilege; HOST and GUEST are sides: this kernel and its
 * programs, and the guests that KVM runs on it. What is on a level and a side neither of which is
 * excluded counts. Excluding both sides, or all that is left, is EINVAL (ALL_EXCLUDED).
 *			arm64, kernel at EL2	arm64, kernel at EL1	Intel
 *			(VHE)			(nVHE)
 *   USER		EL0			EL0			rings 1 to 3
 *   KERNEL		host EL2, guest EL1	EL1			ring 0
 *   HV			-			EL2			-
 * EXCLUDE_KERNEL excludes HV, too: what is below the kernel is not user mode. So on every machine
 * EXCLUDE_KERNEL alone leaves user mode, and that takes no capability; with EXCLUDE_USER it leaves
 * nothing. EL2 by itself is what an event has more than another one of its group with EXCLUDE_HV.
 * A hypervisor's level is the host's: EL2 is not counted with EXCLUDE_HOST. Where a kernel at EL1
 * has no EL2 below it (it is a guest, perhaps) HV and EXCLUDE_GUEST have no effect and EXCLUDE_HOST
 * is EOPNOTSUPP (NO_GUEST). Below protected KVM both sides together is all there is: EOPNOTSUPP
 * (HARDWARE). A guest's count is the vcpu thread's, or the CPU's. How exact a door is:
 * docs/exactness.md.
 */

/*
 * Widths
 * Every count has 64 bits, whatever its counter has. LONG asks that the hardware has them, too:
 *   - a counter of 64 bits, if any that the event may be on has (arm64: all from PMUv3p5 on, before
 *     that the cycle counter);
 *   - else (arm64 with the event CHAIN) a pair: an even counter for the low half and the next, odd
 *     one for the high half. It is called by the even one: in COUNTER (an odd one is EINVAL,
 *     COUNTER), in what PLACE answers, in the user page. In masks of counters it is both;
 *   - else EOPNOTSUPP, WIDTH. So for cycles without COUNTER or a mask it is the cycle counter, and
 *     for a second such event nothing: name counters that do not include it to have a pair.
 * A pair cannot be read at once. With USER_READ it is refused (EOPNOTSUPP, WIDTH) unless CHAIN_READ
 * says that the reader knows pairs (PMUDEV_SLOT_CHAIN); where a counter has 64 bits that changes
 * nothing. DIRECT never is on a pair.
 * Without LONG an event may be on a counter of any width. The page's slot says how many of the low
 * bits count (64 - shift), which may be another number each time the event is placed; what the
 * instruction shows above them is UNKNOWN, also where the hardware has more bits.
 */

/*
 * Thresholds
 * In each cycle of the CPU an event happens some number of times: its increment. With a threshold
 * only the cycles are counted whose increment compares with it as threshold_compare says: their
 * increments, or with THRESHOLD_COUNT 1 for each. A threshold of 0 is none, and comparison and
 * THRESHOLD_COUNT are ignored then.
 *   - arm64 with FEAT_PMUv3_TH: event counters alone have them, so neither cycles nor instructions
 *     are on the counter that is made for them (COUNTER: EINVAL, COUNTER). Of a pair it is the even
 *     one's event that is compared.
 *   - Intel: programmable counters, and they can only count cycles: without THRESHOLD_COUNT it is
 *     EOPNOTSUPP, HARDWARE. EQUAL and NOT_EQUAL need a newer CPU (leaf 23H of CPUID), else
 *     EOPNOTSUPP, COMPARE.
 * How high they can be is threshold_max of struct pmudev_query, on no machine more than
 * PMUDEV_MAX_THRESHOLD.
 */

/*
 * DIRECT events
 * The counter of a DIRECT event carries the thread's count, modulo 2^width (64 - the slot's shift),
 * and nothing above: so the owner thread, and it alone, reads it by the bare instruction, with no
 * check. Differences are to be taken modulo 2^width; two reads are two moments. Switches and
 * migrations are of no account, also between the instructions of a read.
 *
 * The counter stays the same as long as the group is enabled: nothing that comes later moves it. It
 * is known beforehand with COUNTER, else by the slot's operand or PLACE. The group may be enabled
 * before the page is mapped; to be read the page has to be mapped, and until it is unmapped the
 * instruction does not fault (but see struct pmudev_page for CPUs whose counters perf holds).
 *
 * Disabling, RESET, REMOVE (of any event of the set), and the gate end what can be relied on, and
 * change the page's generation; the same does a CPU on which nothing is counted. Closing the file
 * ends nothing while the page is mapped. A long measurement looks at the page
 *	before	generation, then whether owner is its own thread id and the slot has an index,
 *		in this order; if not, the event cannot be read directly now
 *	after	whether generation is still the same; if not, the reads between mean nothing
 *
 * Where: counters that the hardware can be given a whole count for. arm64: all with PMUv3p5, else
 * the cycle counter. Intel: fixed counters; programmable ones with full-width writes. On others
 * EOPNOTSUPP, WIDTH (allowed: where else). Not multiplexed, not inherited, not of a CPU.
 */

/*
 * MULTIPLEX groups
 * The multiplexed groups of a set take turns on a pool of counters: each time the target has run
 * for about a millisecond, the next group that is off comes on, whole, and the one that has been
 * on longest makes room. A group counts for (time_running / time_enabled) of the time; value *
 * time_enabled / time_running estimates the whole, to be computed in 128 bits.
 * The pool is what others leave. Strict groups (those without the flag) are never displaced, and
 * have precedence: one that is enabled later may take counters out of a pool, but never so many
 * that some group of it would not fit at all; then it is refused. Counters that come free
 * go into the pools.
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

enum pmudev_arch {
	PMUDEV_ARCH_ARM64 = 1, /* of 32-bit kernels, too; arch_version: PMUVer */
	PMUDEV_ARCH_INTEL = 2, /* arch_version: architectural perfmon version */
};

/* struct pmudev_query.features: what the PMU and this module can do */
#define PMUDEV_HAS_LONG		(1ULL << 0)	/* 64-bit programmable counters */
#define PMUDEV_HAS_CHAIN	(1ULL << 1)	/* LONG by pairs of them */
#define PMUDEV_HAS_THRESHOLD	(1ULL << 2)
#define PMUDEV_HAS_USER_READ	(1ULL << 3)
#define PMUDEV_HAS_DIRECT	(1ULL << 4)	/* on some counters, at least */
#define PMUDEV_HAS_OTHER_TASKS	(1ULL << 5)	/* targets other than the caller */
#define PMUDEV_HAS_INHERIT	(1ULL << 6)
#define PMUDEV_HAS_MULTIPLEX	(1ULL << 7)
#define PMUDEV_HAS_GUEST	(1ULL << 8)	/* EXCLUDE_HOST and EXCLUDE_GUEST */
/*
 * The read instruction shows no counters but those of the reader's own events with USER_READ; CPU
 * sets and readers do not exclude each other. (docs/security.md, "What a reader can see".)
 */
#define PMUDEV_HAS_HIDING	(1ULL << 9)

/* struct pmudev_query.state */
#define PMUDEV_STATE_USER_ACCESS	(1U << 0)	/* sysctl dev.pmudev.user_access is 1 */
#define PMUDEV_STATE_RESERVED	(1U << 1)	/* pmudev holds the PMU, perf does not count */
#define PMUDEV_STATE_HOOKS	(1U << 2)	/* fork, exec or exit hooks are installed */
#define PMUDEV_STATE_GUEST	(1U << 3)	/* probes are where KVM enters and leaves guests */

/* struct pmudev_query.flags */
#define PMUDEV_QUERY_CPU	(1U << 0)	/* @pmu is the number of a CPU: that one's PMU */
#define PMUDEV_QUERY_FLAGS	((1U << 1) - 1)

/**
 * struct pmudev_query - what a PMU is, and its state now
 * @size: of this structure
 * @flags: PMUDEV_QUERY_*
 * @refusal: why it failed
 * @pmu: in: number of the PMU, 0..@nr_pmus - 1, or with PMUDEV_QUERY_CPU of a CPU; out: of the PMU
 * @nr_pmus: out: how many there are, as all below is out
 * @abi: PMUDEV_ABI_VERSION of the module
 * @arch: enum pmudev_arch
 * @arch_version: the architecture's version of the PMU
 * @state: PMUDEV_STATE_*
 * @cpu_id: arm64: MIDR_EL1; Intel: CPUID.01H:EAX
 * @features: PMUDEV_HAS_*
 * @counters: mask of the counters that exist
 * @available: those of @counters that sets can get
 * @busy: those of @available that some set holds
 * @user: those of @available that can be read by user reads
 * @generic: mask of the generic events that can be counted (by enum pmudev_generic)
 * @width: bits of a programmable counter
 * @width_fixed: bits of a fixed counter
 * @threshold_max: the highest threshold, 0 without thresholds
 * @nr_cpus: how many CPUs are of this PMU
 * @reservations: times the PMU was taken from perf since the module was loaded
 * @perf_restores: times perf stopped or changed the PMU while claimed, and what is ours was put back
 * @clock_hz: ticks a second of the clock behind the user page's times
 * @name: as in /sys/class/pmudev/, zero-terminated
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
	__u64 perf_restores;
	__u64 clock_hz;
	char name[32];
};

enum pmudev_target {
	PMUDEV_TARGET_TASK = 0,	   /* id: thread id, 0: the calling thread */
	PMUDEV_TARGET_CPU = 1,	   /* id: CPU number */
	PMUDEV_TARGET_PROCESS = 2, /* id: process id, 0: the calling process */
};

/*
 * Targets
 *   - Who may count a thread: the threads of its process; who has CAP_PERFMON; and whose user and
 *     group id are the real, effective and saved ones of a target that is dumpable, in the same
 *     user namespace and without capabilities that the caller lacks (as ptrace asks; Yama and
 *     other security modules are not). CAP_PERFMON (or CAP_SYS_ADMIN) is that of the initial user
 *     namespace, here and everywhere. Counting a CPU takes it.
 *   - A set counts its target whoever has the file: after the opener's exit, after it was passed
 *     over a socket, from any thread. It ends with the last descriptor and mapping.
 *   - When the target exits, its counts stay and can be read and removed; the record says ENDED.
 *     Calls that would make it count (ADD, ENABLE, mmap) say ESRCH. The same when it gains
 *     privileges by exec (set-uid, file capabilities, a program it may not read): that ends every
 *     set on it.
 *   - A process: all threads that it has, and those that it gets, none missed and none twice.
 *   - INHERIT: threads and processes that the target makes from then on, and theirs, are counted
 *     as well.
 *   - With either, a record is the sum: those that live are read where they are, what those counted
 *     that have ended is kept. Each thread's part is one stretch, the sum of several is not.
 *     time_enabled and time_running are sums too. A set-uid exec of one of them ends that one's
 *     part. There are no user reads then (EOPNOTSUPP). When a child could not be counted (there
 *     was no memory, the user has as many sets as he may, or somebody bound a set to the child
 *     before it ran) the record says INCOMPLETE, from then on.
 *   - ON_EXEC: ENABLE places the groups and holds their counters, but they begin to count when
 *     the target (with INHERIT, a child of it) next executes a program; the record says ENABLED
 *     and ARMED until then. After the exec ENABLE acts at once.
 *   - One thread can have 64 sets that are inherited or wait for an exec (EBUSY, NUMBER); with
 *     CAP_PERFMON twice as many.
 *   - A user can have max_sets_per_user sets that are bound and children (threads, too) that are
 *     counted by them, a child once for each (EDQUOT, LIMIT). The real user id that binds counts,
 *     or that of whoever made the user namespace; CAP_SYS_RESOURCE has no limit. A child beyond
 *     it is not counted, and the record says INCOMPLETE. A set is one of them until its last
 *     descriptor and mapping are gone, also when its target has ended; a child until it ends.
 *   - Who is bound in the midst of an exec, after the program's rights have become the thread's and
 *     before its first instruction, is judged by these rights; ON_EXEC takes that exec for the one
 *     that it waits for, and one that is set-uid ends the set.
 *   - A thread that another one counts is found at its switches; what it executes between BIND and
 *     ENABLE is not counted, what it does after ENABLE has returned is.
 *   - Where CPUs are of several kinds (nr_pmus of struct pmudev_query is above 1) a set that counts
 *     tasks names its PMU: PMUDEV_BIND_PMU (else EOPNOTSUPP, SEVERAL_PMUS). It counts while they
 *     run on that PMU's CPUs; elsewhere time_enabled goes on and time_running stands. A CPU has
 *     the PMU that it has. User reads are for raw events on counters that all PMUs have, without
 *     DIRECT; on another PMU's CPUs the page has no owner, and readers fall back.
 */

/* struct pmudev_bind.flags */
#define PMUDEV_BIND_INHERIT	(1U << 0)	/* children are counted too */
#define PMUDEV_BIND_ON_EXEC	(1U << 1)	/* what is enabled counts from the next exec on */
/* User readers may see the counts of the CPU; with PMUDEV_HAS_HIDING they do not all the same. */
#define PMUDEV_BIND_SHARED	(1U << 2)
#define PMUDEV_BIND_PMU		(1U << 3)	/* @pmu names the PMU; else the target decides */
#define PMUDEV_BIND_FLAGS	((1U << 4) - 1)

/**
 * struct pmudev_bind - give the set its target, once
 * @size: of this structure
 * @flags: PMUDEV_BIND_*
 * @refusal: why it failed
 * @target: enum pmudev_target
 * @id: see enum pmudev_target
 * @pmu: number of the PMU with PMUDEV_BIND_PMU; else 0
 * @reserved: zero
 */
struct pmudev_bind {
	__u32 size;
	__u32 flags;
	struct pmudev_refusal refusal;
	__u32 target;
	__s32 id;
	__u32 pmu;
	__u32 reserved;
};

/* struct pmudev_add.flags */
#define PMUDEV_ADD_ENABLE	(1U << 0)	/* have them count: see struct pmudev_add */
#define PMUDEV_ADD_FLAGS	((1U << 1) - 1)

/**
 * struct pmudev_add - add events, all of them or none
 * @size: of this structure
 * @flags: PMUDEV_ADD_*
 * @refusal: why it failed
 * @nr: how many events, 1..PMUDEV_MAX_EVENTS
 * @event_size: sizeof(struct pmudev_event_attr)
 * @events: user pointer to the events, each of @event_size bytes
 * @slots: user pointer to __u32[@nr] for the slots they got, or 0; what is there after a failure
 *	means nothing
 *
 * What no state of the machine would allow is refused here, what others hold is
 * refused by ENABLE. Slots are given in order, the lowest free one first: a new
 * set's first event is in slot 0. A group that is enabled takes no events.
 *
 * With PMUDEV_ADD_ENABLE the groups that they are in are enabled at once, as by ENABLE, all of them
 * together; if that is refused the events are not added. A set that has no target yet gets the
 * calling thread before, as by BIND with an @id of 0 and no flags, if this structure and @events
 * could be read, and keeps it whatever comes of the events. So two calls, open() and this one, and
 * a thread is counted.
 *
 * If memory at @slots is taken away by another thread during the call that is EFAULT, and yet they
 * are added.
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
 * @nr: how many events; 0: those in the set
 * @event_size: sizeof(struct pmudev_event_attr); 0 when @nr is
 * @events: as in struct pmudev_add: they are tried beside those enabled in the set
 * @counters: user pointer to __s32[]: the counter each event gets (or has), of a pair the even
 *	one; for @nr = 0 as many as the set has slots, -1 in those that are empty. Of a
 *	multiplexed event: the one it gets when it is its group's turn first.
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
 * @slot: RESET: one event instead of a group (@group is PMUDEV_ALL then); else
 *	PMUDEV_ALL
 * @value: RESET: the new count; else 0
 *
 * ENABLE puts the groups named on counters, all of them or none; enabling what is
 * enabled does nothing. Events that are on stay where they are unless moving them makes room.
 * DISABLE takes them off and keeps the counts. RESET sets counts (not times), in the hardware
 * too (modulo 2^width). REMOVE takes disabled groups' events out of the set.
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

/* --------------------------------------------------------------- read(2) -- */

/* struct pmudev_record.flags */
#define PMUDEV_RECORD_ENABLED	(1U << 0)	/* some group is enabled */
#define PMUDEV_RECORD_ENDED	(1U << 1)	/* the target has ended: counts are final */
#define PMUDEV_RECORD_OFFLINE	(1U << 2)	/* the CPU is offline: not counting now */
#define PMUDEV_RECORD_NO_USER_ACCESS	(1U << 3)	/* stopped: the gate for user reads is closed */
#define PMUDEV_RECORD_ARMED	(1U << 4)	/* some group waits for the target's next exec */
#define PMUDEV_RECORD_INCOMPLETE (1U << 5)	/* some child could not be counted */

/**
 * struct pmudev_count - one event in a record
 * @value: events counted; whole, never scaled
 * @time_enabled: ns its group was enabled while the target ran and the machine was not suspended
 *	to RAM or disk
 * @time_running: ns of that on counters; less than @time_enabled if it did not
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
 * @nr: how many counts follow: the slots of the set, also the empty ones
 * @flags: PMUDEV_RECORD_*
 * @generation: as in the user page
 * @time: CLOCK_MONOTONIC of the reading, ns
 * @time_enabled: ns some group was enabled while the target ran
 * @time_running: ns of that with all enabled groups on counters
 * @present: mask of the slots with an event
 * @multiplexed: mask of the slots whose group shares counters over time
 * @reserved: zero
 * @counts: by slot
 *
 * The buffer must take the whole record (ENOSPC). No migration, switch or rotation
 * lies between any two of its numbers (with INHERIT: of its numbers' parts of one thread).
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

/* ------------------------------------------------------------ user page -- */

/* struct pmudev_page.flags */
#define PMUDEV_PAGE_TIMES	(1U << 0)	/* times can be read without a call, see below */
#define PMUDEV_PAGE_GROUP_TIMES	(1U << 1)	/* those of groups can, likewise */

/* struct pmudev_slot.flags */
#define PMUDEV_SLOT_USED	(1U << 0)	/* an event is here */
#define PMUDEV_SLOT_MULTIPLEX	(1U << 1)	/* its group shares counters over time */
#define PMUDEV_SLOT_DIRECT	(1U << 2)	/* with an index: bare reads are good */
#define PMUDEV_SLOT_CHAIN	(1U << 3)	/* a pair: operand (low half), operand + 1 (high) */

/**
 * struct pmudev_slot - one event in the user page, 16 bytes
 * @count: the count when the slot was last written
 * @operand: what the read instruction takes. Intel: RDPMC's ECX. arm64: 0..30
 *	PMEVCNTR<n>_EL0, 31 PMCCNTR_EL0, 32 PMICNTR_EL0
 * @index: counter + 1; 0: not readable directly now
 * @shift: 64 - width: the low bits of the counter that carry the count
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
 * @seq: changes whenever the module writes the page; odd while it does
 * @owner: thread id (gettid) of the owner thread while it runs and its page holds,
 *	0 otherwise
 * @clock: see "Times"
 * @time_enabled: see "Times"
 * @time_running: see "Times"
 * @flags: PMUDEV_PAGE_*
 * @generation: changes when what DIRECT reads rely on ends: see "DIRECT events"
 * @time_mult: ns = ticks * time_mult >> time_shift, in 128 bits
 * @time_shift: see @time_mult
 * @nr_slots: slots in use, also the empty ones between them
 * @version: PMUDEV_ABI_VERSION
 * @size: bytes of this structure
 * @reserved: zero
 * @slots: the events
 * @times: of each group
 *
 * The reader's algorithm. The writer is the kernel on the reader's own CPU, so
 * the compiler's barrier is enough.
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
 * Of a slot with PMUDEV_SLOT_CHAIN, which only events with CHAIN_READ have, in place of the one
 * read (isb between any two: they have to be done in this order):
 *
 *	high = counter(operand + 1);
 *	low = counter(operand);
 *	high_after = counter(operand + 1);
 *	low_after = counter(operand);
 *	raw = high_after << 32 | (high == high_after ? low : low_after);	// 32 bits each
 *
 * The counter carries the count modulo 2^width and the slot is rewritten
 * long before 2^width events have passed, so the difference is the
 * events since @count was written. Several events read between the same two
 * loads of @seq are one stretch: no switch or migration lies between them.
 *
 * A counter once seen in the page can be read until the page is unmapped: it may
 * hold something else by then, or be hidden (then @seq has changed), but the instruction does not
 * fault. (One exception: while the thread runs on a CPU that came online when perf held its
 * counters; nothing is counted there.) @owner names a thread, so no other thread's check
 * passes. A fork's child finds zeroes instead of this page. A child that shares the memory and the
 * thread-local storage of its parent (vfork) must not read: it cannot tell itself from the parent.
 * The page of a 32-bit program on a CPU whose counters it cannot read whole (arm64) does not come
 * to be: USER_READ is refused.
 *
 * Times, with PMUDEV_PAGE_TIMES and now = the clock (arm64: CNTVCT_EL0, Intel: TSC)
 * read between the two loads of @seq: (time_enabled + clock + now) and
 * (time_running + clock + now), modulo 2^64, are the ticks that the record has
 * in ns, while some event of the set is on a counter (has an index). The flag is not there while a
 * group that is enabled has no counters: read(2) knows the times then. With
 * PMUDEV_PAGE_GROUP_TIMES the same holds for @times of a group while its events have indices.
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
