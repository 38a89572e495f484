/* SPDX-License-Identifier: GPL-2.0 */
/* The code of an event: what a backend's encode makes of its attributes. */
#ifndef _PMUDEV_CODE_H
#define _PMUDEV_CODE_H

#include <pmudev/types.h>

/**
 * enum pmudev_guest_filter - restricts an event to the host or to KVM guests
 * @PMUDEV_FILTER_NONE: nothing changes at a guest's entry: the selector alone is right
 * @PMUDEV_FILTER_HOST: counts in the host only; stops while a guest runs
 * @PMUDEV_FILTER_GUEST: counts in guests only; stops while the host runs
 */
enum pmudev_guest_filter {
	PMUDEV_FILTER_NONE,
	PMUDEV_FILTER_HOST,
	PMUDEV_FILTER_GUEST,
};

/**
 * struct pmudev_code - an encoded event
 * @config: value of the counter's selector while the host runs. PMUv3: PMEVTYPER<n>_EL0.
 *	Intel: IA32_PERFEVTSELx.
 * @allowed: counters that can count the event and that its attributes allow, by index. Of a
 *	chained event: the even counters.
 * @filter: enum pmudev_guest_filter
 * @chained: the event takes two counters: an even one and the next
 * @privileged: the event counts more than user mode, in the host or in guests. The caller needs
 *	CAP_PERFMON.
 */
struct pmudev_code {
	u64 config;
	u64 allowed;
	u8 filter;
	bool chained;
	bool privileged;
};

#endif /* _PMUDEV_CODE_H */
