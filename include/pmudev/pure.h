/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What src/pure offers: functions of their arguments and nothing else. No locks,
 * no allocation, no registers, no per-CPU data; any context.
 */
#ifndef _PMUDEV_PURE_H
#define _PMUDEV_PURE_H

#include <pmudev/types.h>

/**
 * pmudev_refuse - fill in a refusal
 * @why: what to fill in; the caller's room for holders in it is kept
 * @error: the errno, negative
 * @code: the reason
 * @limit: the bound that goes with the reason, else 0
 *
 * Return: @error, so that a check reads "return pmudev_refuse(...)".
 */
int pmudev_refuse(struct pmudev_refusal *why, int error, enum pmudev_reason code, u64 limit);

/* ------------------------------------------------------------- attr.c -- */

/**
 * pmudev_attr_check - is an event well-formed, on whatever machine?
 * @attr: the event as the user gave it
 * @why: filled in on error
 *
 * Return: 0, or -EINVAL with the reason.
 */
int pmudev_attr_check(const struct pmudev_event_attr *attr, struct pmudev_refusal *why);

/**
 * pmudev_attr_threshold - is an event's threshold one that its counters can have?
 * @attr: the event
 * @highest: the highest threshold, 0 where there are none
 * @why: filled in on error
 *
 * A threshold of 0 is none, and always is.
 *
 * Return: 0; -EOPNOTSUPP where there are none, -EINVAL above the highest, with the reason.
 */
int pmudev_attr_threshold(const struct pmudev_event_attr *attr, u32 highest,
			  struct pmudev_refusal *why);

/**
 * pmudev_group_check - do events of one group agree on what a group shares?
 * @attr: the events, all of the call
 * @nr: how many
 * @bad: set to the place of the first that disagrees
 * @why: filled in on error
 *
 * Return: 0, or -EINVAL with PMUDEV_WHY_GROUP_FLAGS.
 */
int pmudev_group_check(const struct pmudev_event_attr *attr, unsigned int nr, unsigned int *bad,
		       struct pmudev_refusal *why);

/**
 * struct pmudev_able - the counters that can count an event
 * @any: all of them
 * @wide: those of @any that have 64 bits
 * @pairs: even ones of @any that have 64 bits together with the next
 * @direct: those of @any whose bare value is a thread's: PMUDEV_DIRECT
 * @width: bits of the count that others of @any carry
 */
struct pmudev_able {
	u64 any;
	u64 wide;
	u64 pairs;
	u64 direct;
	unsigned int width;
};

/**
 * enum pmudev_guest_filter - where an event counts that counts otherwise in guests than in the host
 * @PMUDEV_FILTER_NONE: what the selector says is right in both
 * @PMUDEV_FILTER_HOST: not in guests
 * @PMUDEV_FILTER_GUEST: not in the host
 */
enum pmudev_guest_filter {
	PMUDEV_FILTER_NONE,
	PMUDEV_FILTER_HOST,
	PMUDEV_FILTER_GUEST,
};

/**
 * struct pmudev_code - an event as the hardware takes it
 * @config: value of the counter's selector, in the host; its meaning is the backend's
 * @allowed: the counters that can count it, the caller's wishes included; of a pair the even ones
 * @filter: enum pmudev_guest_filter: what has to be done at a guest's kvm_hook_point
 * @chained: it takes a pair of counters
 * @privileged: counts something that is not user mode, of the host or of guests
 */
struct pmudev_code {
	u64 config;
	u64 allowed;
	u8 filter;
	bool chained;
	bool privileged;
};

/**
 * pmudev_attr_counters - the counters that an event may be on, as its caller wishes
 * @attr: the event
 * @able: those that can count it
 * @code: out: @allowed, which is not empty, and @chained: only if no single counter will do
 * @why: filled in on error
 *
 * Return: 0; -ENOSPC, -EOPNOTSUPP or -EINVAL with the reason.
 */
int pmudev_attr_counters(const struct pmudev_event_attr *attr, const struct pmudev_able *able,
			 struct pmudev_code *code, struct pmudev_refusal *why);

/* -------------------------------------------------- names_<family>.c -- */

/**
 * struct pmudev_term - a part of a raw event's config that has a name
 * @name: lower case, as in sysfs
 * @bits: of config, as far as the PMU has them; the lowest is the value's lowest
 * @select: it tells events from each other: an event with a name is written with all of these
 */
struct pmudev_term {
	const char *name;
	u64 bits;
	bool select;
};

/**
 * struct pmudev_name - a raw event that has a name
 * @name: lower case, as in sysfs
 * @config: see struct pmudev_event_attr
 */
struct pmudev_name {
	const char *name;
	u64 config;
};

/* The value of a term: its bits of @config, moved together. */
static inline u64 pmudev_term_value(u64 config, u64 bits)
{
	u64 value = 0;
	unsigned int i;

	for (i = 0; bits; bits &= bits - 1, i++)
		if (config >> __ffs64(bits) & 1)
			value |= BIT_ULL(i);
	return value;
}

/* The terms of a family end with one without a name. */
extern const struct pmudev_term pmuv3_terms[];
extern const struct pmudev_term intel_terms[];

/* The common events that PMCEID<n>_EL0 can speak of, CHAIN aside. */
extern const struct pmudev_name pmuv3_events[];
extern const unsigned int pmuv3_nr_events;

/* The architectural events by their number in CPUID.0AH:EBX. */
#define INTEL_NR_EVENTS 13
extern const struct pmudev_name intel_events[INTEL_NR_EVENTS];

/* ------------------------------------------------- encode_<family>.c -- */

/**
 * enum pmuv3_shape - where the kernel runs, and what is below it
 * @PMUV3_EL1: at EL1 and no hypervisor of our own below: a guest, or a machine
 *	without EL2. EL2 is never counted.
 * @PMUV3_NVHE: at EL1, KVM's hypervisor code at EL2
 * @PMUV3_VHE: at EL2 (FEAT_VHE); guests run at EL1
 */
enum pmuv3_shape {
	PMUV3_EL1,
	PMUV3_NVHE,
	PMUV3_VHE,
};

/**
 * struct pmuv3_caps - what a PMUv3 can do
 * @version: ID_AA64DFR0_EL1.PMUVer, or what it would be
 * @threshold_max: the highest threshold (FEAT_PMUv3_TH), 0: there are none
 * @narrow: in AArch32: of whatever version, 32 bits of an event counter can be reached, and it
 *	cannot be hidden
 * @shape: enum pmuv3_shape
 * @guestless: the kernel can have no guests, whatever its shape: it has no KVM
 * @protected_kvm: how guests are counted cannot be changed: KVM is of its protected kind
 * @smt: cores have several hardware threads. PMCCNTR_EL0 may count while any of them is awake (Arm
 *	ARM, PMCCNTR_EL0), where CPU_CYCLES on an event counter is one thread's.
 * @counters: the counters that can be used, cycle counter (32) included, and instruction
 *	counter (33, FEAT_PMUv3_ICNTR)
 * @pmceid: common events 0x0000..0x003f (PMCEID0/1_EL0 bits 31:0)
 * @pmceid_ext: common events 0x4000..0x403f (PMCEID0/1_EL0 bits 63:32)
 */
struct pmuv3_caps {
	u32 version;
	u32 threshold_max;
	bool narrow;
	enum pmuv3_shape shape;
	bool guestless;
	bool protected_kvm;
	bool smt;
	u64 counters;
	u64 pmceid;
	u64 pmceid_ext;
};

#define PMUV3_CYCLE_COUNTER	32
#define PMUV3_INSTRUCTION_COUNTER 33

/*
 * PMEVTYPER<n>_EL0, PMCCFILTR_EL0 and PMICFILTR_EL0, Arm ARM D24.5. The last two have neither TH
 * nor TC: those bits are reserved there.
 */
#define PMUV3_TYPER_TC		GENMASK_ULL(63, 61) /* comparison (2:1), count cycles (0) */
#define PMUV3_TYPER_TH		GENMASK_ULL(43, 32) /* threshold */
#define PMUV3_TYPER_P		BIT_ULL(31)	/* do not count EL1 */
#define PMUV3_TYPER_U		BIT_ULL(30)	/* do not count EL0 */
#define PMUV3_TYPER_NSH		BIT_ULL(27)	/* count Non-secure EL2 */
#define PMUV3_TYPER_EVENT	GENMASK_ULL(15, 0)

#define PMUV3_CHAIN		0x1e	/* counts overflows of the even counter below */

/**
 * pmuv3_long_counters - are the event counters 64 bits wide (FEAT_PMUv3p5)?
 * @caps: of the PMU
 *
 * Decided by PMUVer: PMCR_EL0.LP reads back as 1 on some cores without them.
 */
bool pmuv3_long_counters(const struct pmuv3_caps *caps);

/**
 * pmuv3_chained - are 64-bit counts made of two counters, the odd one counting CHAIN?
 * @caps: of the PMU
 */
bool pmuv3_chained(const struct pmuv3_caps *caps);

/**
 * pmuv3_can_hide - can EL0 be given each counter by itself (FEAT_PMUv3p9, PMUACR_EL1)?
 * @caps: of the PMU
 */
bool pmuv3_can_hide(const struct pmuv3_caps *caps);

/**
 * pmuv3_has_pmmir - is there PMMIR_EL1 (FEAT_PMUv3p4)?
 * @caps: of the PMU
 */
bool pmuv3_has_pmmir(const struct pmuv3_caps *caps);

/**
 * pmuv3_threshold_max - the highest threshold
 * @pmmir: PMMIR_EL1
 *
 * Return: the highest value of PMEVTYPER<n>_EL0.TH, 0 without FEAT_PMUv3_TH
 */
u32 pmuv3_threshold_max(u64 pmmir);

/**
 * pmuv3_enable_bits - counters as PMCNTENSET_EL0, PMOVSCLR_EL0, PMUACR_EL1 and their like have them
 * @counters: by our index
 *
 * The fixed counters lie one bit lower there: the cycle counter at 31, the instruction counter at
 * 32.
 */
static inline u64 pmuv3_enable_bits(u64 counters)
{
	return (counters & GENMASK_ULL(30, 0)) | (counters & GENMASK_ULL(33, 32)) >> 1;
}

/**
 * pmuv3_generic - the PMUv3 event that a generic event is
 * @caps: of the PMU
 * @generic: enum pmudev_generic
 *
 * Return: the event number, or -ENOENT if the CPU implements none that counts it.
 */
int pmuv3_generic(const struct pmuv3_caps *caps, u64 generic);

/**
 * pmuv3_encode - an event as PMUv3 registers take it
 * @caps: of the PMU
 * @attr: well-formed by pmudev_attr_check()
 * @code: the result
 * @why: filled in on error
 *
 * Return: 0; -EINVAL, -ENOENT, -ENOSPC or -EOPNOTSUPP with the reason.
 */
int pmuv3_encode(const struct pmuv3_caps *caps, const struct pmudev_event_attr *attr,
		 struct pmudev_code *code, struct pmudev_refusal *why);

/**
 * pmuv3_guest_config - the selector while a guest runs
 * @caps: of the PMU
 * @config: struct pmudev_code.config
 * @filter: struct pmudev_code.side
 *
 * On VHE the guest's EL0 is the host's, and the selector is changed for it at the guest's kvm_hook_point. On
 * nVHE selectors stay, and what is not for both sides is started and stopped there.
 */
u64 pmuv3_guest_config(const struct pmuv3_caps *caps, u64 config, enum pmudev_guest_filter filter);

/* ------------------------------------- caps_intel.c, encode_intel.c -- */

/* Bits of IA32_PERFEVTSELx, SDM volume 3B, "Architectural Performance Monitoring" */
#define INTEL_EVTSEL_EVENT	GENMASK_ULL(7, 0)
#define INTEL_EVTSEL_UMASK	GENMASK_ULL(15, 8)
#define INTEL_EVTSEL_USR	BIT_ULL(16)	/* count rings 1 to 3 */
#define INTEL_EVTSEL_OS		BIT_ULL(17)	/* count ring 0 */
#define INTEL_EVTSEL_EDGE	BIT_ULL(18)
#define INTEL_EVTSEL_INT	BIT_ULL(20)	/* interrupt on overflow */
#define INTEL_EVTSEL_EN		BIT_ULL(22)
#define INTEL_EVTSEL_INV	BIT_ULL(23)
#define INTEL_EVTSEL_CMASK	GENMASK_ULL(31, 24)
#define INTEL_EVTSEL_EQ		BIT_ULL(36)	/* with intel_caps.eq */
#define INTEL_EVTSEL_HIDDEN	BIT_ULL(37)	/* RDPMC in user mode gives 0; intel_caps.hiding */
#define INTEL_EVTSEL_UMASK2	GENMASK_ULL(47, 40)	/* with intel_caps.umask2 */

/* The highest threshold: CMASK has 8 bits. */
#define INTEL_THRESHOLD_MAX	255

/**
 * struct intel_cpuid - what CPUID says of the PMU; each row is EAX, EBX, ECX, EDX
 * @leaf0a: leaf 0AH
 * @leaf23: leaf 23H, subleaves 0 to 3; zero where the CPU has no such leaf
 */
struct intel_cpuid {
	u32 leaf0a[4];
	u32 leaf23[4][4];
};

/**
 * struct intel_caps - what an Intel PMU can do
 * @version: of architectural performance monitoring, CPUID.0AH:EAX[7:0]
 * @width: the low bits of a programmable counter that carry a count: all of them with
 *	full-width writes, else 31, because a write sign-extends bit 31. A read gives all
 *	@width_hw bits either way.
 * @width_fixed: bits of a fixed counter; 0 if there is none
 * @width_hw: bits that a programmable counter has; 0 if there is none
 * @full_width: programmable counters can be written whole, as IA32_A_PMCx
 *	(IA32_PERF_CAPABILITIES.FW_WRITE)
 * @eq: IA32_PERFEVTSELx has EQ
 * @umask2: IA32_PERFEVTSELx has UMASK2
 * @hiding: each counter can be hidden from user mode ("RDPMC user disable")
 * @counters: the counters that exist: bits 0..31 programmable, 32..47 fixed
 * @declared: how many of the architectural events the CPU speaks of, be they there or not: those
 *	with lower numbers. Of the others, what their encodings count is the model's affair.
 * @missing: the architectural events that the CPU does not have, by their number in
 *	CPUID.0AH:EBX: those declared unavailable, and of the first seven, which every
 *	version knows, also those that the declaration is too short for. Leaf 23H, where
 *	it lists the events, has a bit for each.
 */
struct intel_caps {
	u32 version;
	u32 width;
	u32 width_fixed;
	u32 width_hw;
	bool full_width;
	bool eq;
	bool umask2;
	bool hiding;
	u64 counters;
	u32 declared;
	u32 missing;
};

/**
 * intel_enumerate - what the PMU is, by what it says of itself
 * @caps: the result: all of its bytes, so that memcmp() compares; on failure @version only
 * @id: what CPUID says
 * @perf_capabilities: IA32_PERF_CAPABILITIES; 0 where it does not exist
 * @hypervisor: CPUID.01H:ECX[31]: what CPUID says is a hypervisor's word
 *
 * Return: 0, or -ENODEV: no version from 2 on (IA32_PERF_GLOBAL_CTRL), no counters, or
 * numbers that cannot be.
 */
int intel_enumerate(struct intel_caps *caps, const struct intel_cpuid *id, u64 perf_capabilities,
		    bool hypervisor);

/**
 * intel_generic_events - the generic events that can be counted
 * @caps: of the PMU
 *
 * Return: a mask, by enum pmudev_generic.
 */
u64 intel_generic_events(const struct intel_caps *caps);

/**
 * intel_encode - an event as IA32_PERFEVTSELx takes it
 * @caps: of the PMU
 * @attr: well-formed by pmudev_attr_check()
 * @code: the result: @config has EN, and USR and OS as asked for; HIDDEN where that exists and
 *	the event is not for user reads; never INT. For a fixed counter see intel_fixed_bits().
 * @why: filled in on error
 *
 * Return: 0; -EINVAL, -ENOENT, -ENOSPC or -EOPNOTSUPP with the reason.
 */
int intel_encode(const struct intel_caps *caps, const struct pmudev_event_attr *attr,
		 struct pmudev_code *code, struct pmudev_refusal *why);

/**
 * intel_fixed_bits - a fixed counter's bits of IA32_FIXED_CTR_CTRL
 * @n: number of the fixed counter
 * @config: as intel_encode() made it, or HIDDEN alone
 *
 * Return: in its field of four bits: count ring 0 (bit 0), count rings 1 to 3 (bit 1), no
 * interrupt. And its bit to hide it, 33 above the field's first.
 */
u64 intel_fixed_bits(unsigned int n, u64 config);

/* ----------------------------------------------------------- assign.c -- */

/* Counters have indices 0..63; more events than that cannot be on at once. */
#define PMUDEV_ASSIGN_MAX	64

#define PMUDEV_NO_COUNTER		0xff

/**
 * struct pmudev_constraint - what an event wants of a placement
 * @allowed: the counters that can take it and are to be had; of a pair the even ones, where the
 *	next, odd one is to be had as well. An event that must not move has @now only.
 * @now: the counter (of a pair: the even one) that it is on, or PMUDEV_NO_COUNTER for a newcomer
 * @chained: it takes two counters, an even one and the next
 */
struct pmudev_constraint {
	u64 allowed;
	u8 now;
	bool chained;
};

/**
 * pmudev_places - where an event can be
 * @allowed: the counters that can take it; of a pair the even ones
 * @chained: it takes a pair
 * @free: the counters that are to be had
 */
static inline u64 pmudev_places(u64 allowed, bool chained, u64 free)
{
	return allowed & free & (chained ? free >> 1 : ~0ULL);
}

/* The counters that make up these places. */
static inline u64 pmudev_places_counters(u64 places, bool chained)
{
	return chained ? places | places << 1 : places;
}

/* Those of an event that is on @counter, of a pair the even one. */
static inline u64 pmudev_place_counters(unsigned int counter, bool chained)
{
	return pmudev_places_counters(1ULL << counter, chained);
}

/**
 * pmudev_assign - put events on counters, each on one or two of its own
 * @constraint: what each event wants
 * @nr: how many events, up to PMUDEV_ASSIGN_MAX
 * @counter: the result, by event: the counter, of a pair the even one; undefined on failure
 *
 * Exact: finds a placement whenever one exists. An event that is on a counter it may use stays
 * there if there is a placement in which all of these stay; otherwise as few of them
 * move as is cheap.
 *
 * Return: -1, or the index of an event that does not fit beside those before it. First come the
 * events that are on, then those that may not stay where they are, then newcomers, each by index.
 */
int pmudev_assign(const struct pmudev_constraint *constraint, unsigned int nr, u8 *counter);

/* ------------------------------------------------------------ delta.c -- */

/**
 * pmudev_width_mask - the bits of a counter
 * @width: 1..64
 */
static inline u64 pmudev_width_mask(unsigned int width)
{
	/* 64 - width, as CPUs shift */
	return ~0ULL >> (-width & 63);
}

/* The low @width bits, 1..64: in loops a mask would take a register more. */
static inline u64 pmudev_low_bits(u64 value, unsigned int width)
{
	return value << (-width & 63) >> (-width & 63);
}

/**
 * pmudev_advance - a count, brought forward to what the counter shows
 * @count: the count at an earlier moment, which the counter then held modulo 2^width
 * @raw: the counter now
 * @width: bits of the counter, 1..64
 *
 * Exact as long as fewer than 2^width events lie between.
 */
static inline u64 pmudev_advance(u64 count, u64 raw, unsigned int width)
{
	return count + pmudev_low_bits(raw - count, width);
}

/**
 * pmudev_chained_raw - what a pair of 32-bit counters that go on counting shows
 * @high: the odd one
 * @low: the even one, read after it
 * @high_after: the odd one, read after that
 * @low_after: the even one, read last
 */
static inline u64 pmudev_chained_raw(u32 high, u32 low, u32 high_after, u32 low_after)
{
	/* If the even one went round meanwhile it will not do so again soon. */
	return (u64)high_after << 32 | (high == high_after ? low : low_after);
}

/**
 * pmudev_fold_ns - how often a counter has to be folded into its 64-bit count
 * @width: bits of the counter, 31..64
 *
 * Return: nanoseconds in which no CPU counts a quarter of 2^width events (2^36
 * a second are allowed for), at most a minute; 0: never (64 bits).
 */
u64 pmudev_fold_ns(unsigned int width);

/**
 * pmudev_ticks_to_ns - ticks * mult >> shift, without overflow in between
 * @ticks: of the clock
 * @mult: see struct pmudev_page
 * @shift: 0..63
 */
static inline u64 pmudev_ticks_to_ns(u64 ticks, u32 mult, u32 shift)
{
#ifdef __SIZEOF_INT128__
	return (__uint128_t)ticks * mult >> (shift & 63);
#else
	/* (high * 2^32 + low) * mult, kept as two words that overlap by 32 bits */
	u64 low = (ticks & 0xffffffff) * mult;
	u64 high = (ticks >> 32) * mult + (low >> 32);

	low &= 0xffffffff;
	if (shift >= 32)
		return high >> (shift - 32);
	return (high << (32 - shift)) | (low >> shift);
#endif
}

/* ------------------------------------------------------------- page.c -- */

/**
 * pmudev_page_slot - the image of a slot that can be read directly
 * @slot: what to fill in
 * @count: the count, which the counter holds modulo 2^width
 * @counter: index of the counter
 * @operand: what the read instruction takes
 * @width: bits of the counter
 * @group: number of its group
 */
void pmudev_page_slot(struct pmudev_slot *slot, u64 count, unsigned int counter, u32 operand,
		      unsigned int width, unsigned int group);

/**
 * pmudev_page_slot_inactive - the image of a slot whose event is not on a counter
 * @slot: what to fill in
 * @count: the count
 * @group: number of its group
 */
void pmudev_page_slot_inactive(struct pmudev_slot *slot, u64 count, unsigned int group);

/**
 * pmudev_slot_value - the reader's arithmetic
 * @slot: as found in the page, with an index
 * @raw: the counter
 *
 * Return: the count.
 */
u64 pmudev_slot_value(const struct pmudev_slot *slot, u64 raw);

#endif /* _PMUDEV_PURE_H */
