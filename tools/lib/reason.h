/* SPDX-License-Identifier: MIT */
/* The reasons in English; not installed. */
#ifndef PMUDEV_REASON_H
#define PMUDEV_REASON_H

#include "lib.h"

/* What of the refusal is worth saying. */
enum pmudev_detail {
	NOTHING,
	LEAST, /* limit is a number of ... */
	MOST,
	HIGHEST, /* limit is a number that there is */
	MASK, /* limit is a mask of valid bits */
	BITS,
	FLAG, /* limit is an event's flag */
	COUNTERS, /* allowed, and busy if some are */
	HOLDERS, /* busy, holder */
	WHO, /* holder, who has no counter that is asked for */
};

struct pmudev_sentence {
	const char *why;
	const char *next;
	enum pmudev_detail detail;
};

/* NULL: a code that is not known here. */
HIDDEN const struct pmudev_sentence *pmudev_sentence(const struct pmudev_refusal *why);

#endif /* PMUDEV_REASON_H */
