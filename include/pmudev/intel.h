/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Intel PMUs without registers: enumeration, encodings and names. Source: Intel SDM volume 3B,
 * "Architectural Performance Monitoring", and volume 2A, CPUID leaves 0AH and 23H.
 */
#ifndef _PMUDEV_INTEL_H
#define _PMUDEV_INTEL_H

#include <pmudev/code.h>
#include <pmudev/names.h>

/* IA32_PERFEVTSELx */
#define INTEL_EVTSEL_EVENT	GENMASK_ULL(7, 0)
#define INTEL_EVTSEL_UMASK	GENMASK_ULL(15, 8)
#define INTEL_EVTSEL_USR	BIT_ULL(16)	/* count rings 1 to 3 */
#define INTEL_EVTSEL_OS		BIT_ULL(17)	/* count ring 0 */
#define INTEL_EVTSEL_EDGE	BIT_ULL(18)
#define INTEL_EVTSEL_INT	BIT_ULL(20)	/* interrupt on overflow */
#define INTEL_EVTSEL_EN		BIT_ULL(22)
#define INTEL_EVTSEL_INV	BIT_ULL(23)
#define INTEL_EVTSEL_CMASK	GENMASK_ULL(31, 24)
#define INTEL_EVTSEL_EQ		BIT_ULL(36)	/* if intel_caps.eq */
#define INTEL_EVTSEL_HIDDEN	BIT_ULL(37)	/* user mode reads 0; if intel_caps.hiding */
#define INTEL_EVTSEL_UMASK2	GENMASK_ULL(47, 40)	/* if intel_caps.umask2 */

/* Highest threshold: CMASK has 8 bits. */
#define INTEL_THRESHOLD_MAX	255

/* CPUID.1AH:EAX[31:24] */
#define INTEL_TYPE_ATOM		0x20
#define INTEL_TYPE_CORE		0x40

/* Architectural events, numbered as in CPUID.0AH:EBX. */
#define INTEL_NR_EVENTS		13

/* CPUID leaves that describe the PMU; each row is EAX, EBX, ECX, EDX */
struct intel_cpuid {
	u32 signature; /* leaf 01H, EAX: family, model and stepping */
	u8 type;       /* leaf 1AH, EAX[31:24], if the machine is hybrid; else 0 */
	bool smt;      /* cores have several threads, or may get them */
	u32 leaf0a[4];
	u32 leaf23[4][4]; /* subleaves 0 to 3; zero if the CPU has no leaf 23H */
};

/* Capabilities of an Intel PMU. CPUs of equal capabilities are compared by memcmp(). */
struct intel_caps {
	u32 version;	 /* CPUID.0AH:EAX[7:0], version of architectural performance monitoring */
	/*
	 * Low bits of a programmable counter that can hold a count. Without full-width writes 31,
	 * because a write sign-extends bit 31; a read still returns width_hw bits.
	 */
	u32 width;
	u32 width_fixed; /* bits of a fixed counter, 32..64; 0 if there is none */
	u32 width_hw;	 /* bits of a programmable counter, 32..64; 0 if there is none */
	bool full_width; /* IA32_A_PMCx exist (IA32_PERF_CAPABILITIES.FW_WRITE) */
	bool eq;	 /* IA32_PERFEVTSELx has EQ */
	bool umask2;	 /* IA32_PERFEVTSELx has UMASK2 */
	bool hiding;	 /* every counter can be hidden from user mode ("RDPMC user disable") */
	u64 counters;	 /* existing counters by index: 0..31 programmable, 32..47 fixed */
	/*
	 * Number of architectural events that the CPU describes, as available or not: those with
	 * lower numbers. The meaning of the other encodings depends on the model.
	 */
	u32 declared;
	u16 model;	 /* family in the upper byte, model in the lower one */
	u8 type;	 /* INTEL_TYPE_* of a hybrid machine's core; 0: it is none */
	bool smt;	 /* cores have several threads, or may get them */
	/*
	 * Mask of architectural events that the CPU does not have: those described as not
	 * available, and those of the first seven that the description is too short for.
	 */
	u32 missing;
};

/*
 * Find out what the PMU can do. Sets every byte of @caps; on error only its version is valid.
 * @perf_capabilities: IA32_PERF_CAPABILITIES; 0 if it does not exist
 * @hypervisor: CPUID.01H:ECX[31]: a hypervisor made up these values
 * Return: 0, or -ENODEV: version below 2 (no IA32_PERF_GLOBAL_CTRL), no counters, or impossible
 * values.
 */
int intel_enumerate(struct intel_caps *caps, const struct intel_cpuid *id, u64 perf_capabilities,
		    bool hypervisor);

/* Generic events that the PMU can count, a mask by enum pmudev_generic */
u64 intel_generic_events(const struct intel_caps *caps);

/*
 * Encode an event that is valid by pmudev_attr_check(). Sets @code: its config has EN, USR and OS
 * as requested, and HIDDEN if @caps has hiding and the event lacks PMUDEV_USER_READ; never INT.
 * Fixed counters: see intel_fixed_bits(). Return: 0; -EINVAL, -ENOENT, -ENOSPC or -EOPNOTSUPP and
 * @why.
 */
int intel_encode(const struct intel_caps *caps, const struct pmudev_event_attr *attr,
		 struct pmudev_code *code, struct pmudev_refusal *why);

/*
 * Programmable counters that count an event which is not architectural, whether they exist or not:
 * what is known of the model, and else the first four. @named: the caller names the counter:
 * those that are not known to be wrong.
 */
u64 intel_model_counters(const struct intel_caps *caps, u64 config, bool named);

/*
 * Errata AAK100, AAP53, BD53 (Nehalem, Westmere): a programmable counter may count nothing, or the
 * core's cycles, after its event select was written, unless all four were written in an order that
 * perf knows. A hypervisor's perf does that for its guests.
 */
bool intel_fixed_only(u16 model);

/*
 * Bits of fixed counter @n, 0..15, in IA32_FIXED_CTR_CTRL: its field of four bits (bit 0: count
 * ring 0; bit 1: count rings 1 to 3; bit 3: interrupt on overflow), and the bit that hides it, 33
 * above the field's lowest. @config: as intel_encode() sets it, maybe with INT, or HIDDEN alone
 */
u64 intel_fixed_bits(unsigned int n, u64 config);

/* Names: fields of config (ended by one without a name), and the architectural events. */
extern const struct pmudev_term intel_terms[];
extern const struct pmudev_name intel_events[INTEL_NR_EVENTS];

#endif /* _PMUDEV_INTEL_H */
