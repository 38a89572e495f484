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

/* ------------------------------------------------- encode_<family>.c -- */

/**
 * struct pmudev_code - an event as the hardware takes it
 * @config: value of the counter's selector; its meaning is the backend's
 * @allowed: the counters that can count it, the caller's wishes included
 * @privileged: counts something outside the host's user mode
 */
struct pmudev_code {
	u64 config;
	u64 allowed;
	bool privileged;
};

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
 * @version: ID_AA64DFR0_EL1.PMUVer
 * @shape: enum pmuv3_shape
 * @counters: the counters that exist, cycle counter (32) included
 * @pmceid: common events 0x0000..0x003f (PMCEID0/1_EL0 bits 31:0)
 * @pmceid_ext: common events 0x4000..0x403f (PMCEID0/1_EL0 bits 63:32)
 */
struct pmuv3_caps {
	u32 version;
	enum pmuv3_shape shape;
	u64 counters;
	u64 pmceid;
	u64 pmceid_ext;
};

#define PMUV3_CYCLE_COUNTER	32

/* PMEVTYPER<n>_EL0 and PMCCFILTR_EL0, Arm ARM D24.5 */
#define PMUV3_TYPER_P		BIT_ULL(31)	/* do not count EL1 */
#define PMUV3_TYPER_U		BIT_ULL(30)	/* do not count EL0 */
#define PMUV3_TYPER_NSH		BIT_ULL(27)	/* count Non-secure EL2 */
#define PMUV3_TYPER_EVENT	GENMASK_ULL(15, 0)

/**
 * pmuv3_long_counters - are the event counters 64 bits wide (FEAT_PMUv3p5)?
 * @caps: of the PMU
 *
 * Decided by PMUVer: PMCR_EL0.LP reads back as 1 on some cores without them.
 */
bool pmuv3_long_counters(const struct pmuv3_caps *caps);

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

/* ----------------------------------------------------------- assign.c -- */

/* Counters have indices 0..63; more events than that cannot be on at once. */
#define PMUDEV_ASSIGN_MAX	64

/**
 * pmudev_assign - put events on counters, each on one of its own
 * @allowed: for each event the mask of counters that can take it
 * @nr: how many events, up to PMUDEV_ASSIGN_MAX
 * @counter: the result, by event; undefined on failure
 *
 * Exact: finds a placement whenever one exists. Among free counters the highest index is
 * tried first, so that fixed counters are used up before programmable ones.
 *
 * Return: -1, or the index of an event that does not fit beside those before it.
 */
int pmudev_assign(const u64 *allowed, unsigned int nr, u8 *counter);

/* ------------------------------------------------------------ delta.c -- */

/**
 * pmudev_width_mask - the bits of a counter
 * @width: 1..64
 */
static inline u64 pmudev_width_mask(unsigned int width)
{
	return ~0ULL >> (64 - width);
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
	return count + ((raw - count) & pmudev_width_mask(width));
}

/**
 * pmudev_fold_ns - how often a counter has to be folded into its 64-bit count
 * @width: bits of the counter, 32..64
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
u64 pmudev_ticks_to_ns(u64 ticks, u32 mult, u32 shift);

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
 * pmudev_page_slot_off - the image of a slot whose event is not on a counter
 * @slot: what to fill in
 * @count: the count
 * @group: number of its group
 */
void pmudev_page_slot_off(struct pmudev_slot *slot, u64 count, unsigned int group);

/**
 * pmudev_slot_value - the reader's arithmetic
 * @slot: as found in the page, with an index
 * @raw: the counter
 *
 * Return: the count.
 */
u64 pmudev_slot_value(const struct pmudev_slot *slot, u64 raw);

#endif /* _PMUDEV_PURE_H */
