/* SPDX-License-Identifier: GPL-2.0 */
/*
 * AMD's core PMUs without registers: enumeration, encodings and names. Sources: AMD64 Architecture
 * Programmer's Manual volume 2, "Performance Monitoring Counters", and volume 3, CPUID functions
 * 8000_0001H and 8000_0022H; for events the manuals of the families (BKDG, PPR).
 */
#ifndef _PMUDEV_AMD_H
#define _PMUDEV_AMD_H

#include <pmudev/code.h>
#include <pmudev/names.h>

/* PERF_CTLx */
#define AMD_CTL_EVENT		(GENMASK_ULL(35, 32) | GENMASK_ULL(7, 0))
#define AMD_CTL_UMASK		GENMASK_ULL(15, 8)
#define AMD_CTL_USR		BIT_ULL(16)	/* count rings 1 to 3 */
#define AMD_CTL_OS		BIT_ULL(17)	/* count ring 0 */
#define AMD_CTL_EDGE		BIT_ULL(18)
#define AMD_CTL_INT		BIT_ULL(20)	/* interrupt on overflow */
#define AMD_CTL_EN		BIT_ULL(22)
#define AMD_CTL_INV		BIT_ULL(23)
#define AMD_CTL_CMASK		GENMASK_ULL(30, 24) /* 80H and more are reserved */
#define AMD_CTL_GUEST		BIT_ULL(40)	/* count in guests only, if EFER.SVME */
#define AMD_CTL_HOST		BIT_ULL(41)	/* in the host only, if EFER.SVME; else never */

/* Highest threshold: values of CMASK that are not reserved. */
#define AMD_THRESHOLD_MAX	127

/* The first with the bits HOST and GUEST, and with events of 12 bits */
#define AMD_FAMILY_K10		0x10

/* Zen and later, and Hygon's (18H) */
#define AMD_FAMILY_ZEN		0x17

/* Bits of a counter, all of which can be written. */
#define AMD_WIDTH		48

/* Core counters at most: RDPMC has other counters from index 6 on. */
#define AMD_MAX_COUNTERS	6

/* CPUID functions that describe the PMU; those that the CPU does not have are 0. */
struct amd_cpuid {
	u32 signature;	/* function 1, EAX */
	u32 features;	/* 8000_0001H, ECX */
	u32 perfmon[4];	/* 8000_0022H: EAX, EBX, ECX, EDX */
};

/* Capabilities of an AMD PMU. CPUs of equal capabilities are compared by memcmp(). */
struct amd_caps {
	u32 version;	/* 1: no global registers; 2: PerfMonV2 */
	u32 family;
	u64 counters;	/* existing counters by index */
	bool extended;
	bool svm;	/* guests can run */
	bool filters;	/* AMD_CTL_GUEST and AMD_CTL_HOST work */
};

/*
 * Find out what the PMU can do. Sets every byte of @caps. Return: 0, or -ENODEV: a family without
 * counters (before K7).
 */
int amd_enumerate(struct amd_caps *caps, const struct amd_cpuid *id);

/* Generic events that the PMU can count, a mask by enum pmudev_generic */
u64 amd_generic_events(const struct amd_caps *caps);

/*
 * Encode an event that is valid by pmudev_attr_check(). Sets @code: its config has EN, USR and OS,
 * HOST and GUEST as requested; never INT. Return: 0; -EINVAL, -ENOENT, -ENOSPC or -EOPNOTSUPP and
 * @why.
 */
int amd_encode(const struct amd_caps *caps, const struct pmudev_event_attr *attr,
	       struct pmudev_code *code, struct pmudev_refusal *why);

/*
 * What PERF_CTLx must have for a config to count as required, where EFER.SVME is @svme: without it
 * a counter that is for the host only does not count, although nothing but the host runs.
 */
static inline u64 amd_ctl(u64 config, bool svme)
{
	return svme ? config : config & ~AMD_CTL_HOST;
}

/* Names: fields of config (ended by one without a name), and events. */
extern const struct pmudev_term amd_terms[];

/* Named events of this PMU; sets *@nr to their number. */
const struct pmudev_name *amd_events(const struct amd_caps *caps, unsigned int *nr);

#endif /* _PMUDEV_AMD_H */
