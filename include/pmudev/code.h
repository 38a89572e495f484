/* SPDX-License-Identifier: GPL-2.0 */
/* What a backend's encode makes of an event's attributes: a code, or a refusal. */
#ifndef _PMUDEV_CODE_H
#define _PMUDEV_CODE_H

#include <pmudev/types.h>

/* Restricts an event to the host or to KVM guests */
enum pmudev_guest_filter {
	PMUDEV_FILTER_NONE,  /* nothing changes at a guest's entry: the selector alone is right */
	PMUDEV_FILTER_HOST,  /* counts in the host only; stops while a guest runs */
	PMUDEV_FILTER_GUEST, /* counts in guests only; stops while the host runs */
};

/* An encoded event */
struct pmudev_code {
	/* The selector while the host runs: PMEVTYPER<n>_EL0, IA32_PERFEVTSELx or PERF_CTLx */
	u64 config;
	/*
	 * Counters that can count the event and that its attributes allow, by index. Of a chained
	 * event: the even counters.
	 */
	u64 allowed;
	u8 filter;	 /* enum pmudev_guest_filter */
	bool chained;	 /* the event takes two counters: an even one and the next */
	bool privileged; /* counts more than user mode, in the host or in guests: CAP_PERFMON */
};

/**
 * pmudev_refuse - record why a call fails
 * @why: the refusal; only @code and @limit of it are written
 * @error: negative errno
 * @code: the reason
 * @limit: the bound that goes with the reason (see enum pmudev_reason), else 0
 *
 * Return: @error, so that a check can end with "return pmudev_refuse(...)".
 */
static inline int pmudev_refuse(struct pmudev_refusal *why, int error, enum pmudev_reason code,
				u64 limit)
{
	why->code = code;
	why->limit = limit;
	return error;
}

#endif /* _PMUDEV_CODE_H */
