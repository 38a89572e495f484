/* SPDX-License-Identifier: MIT */
/* libpfm4's names: pfm.c, or where the library is built without it pfm_none.c. */
#ifndef PFM_H
#define PFM_H

#include "parser.h"

enum pfm_answer {
	PFM_UNKNOWN, /* no error was reported yet */
	PFM_WRONG,   /* the error was reported */
	PFM_FOUND,
};

/*
 * Makes @what libpfm4's event for the text between @where and @end, "NAME:MASK:c=2" or "pmu::NAME",
 * on the PMUs of @what that have it.
 */
HIDDEN enum pfm_answer pmudev_pfm_event(struct parser *p, const char *where, const char *end,
					struct what *what);

/* terms.c. The same; terms must not set its parts again. */
HIDDEN enum pfm_answer pmudev_use_pfm(struct parser *p, const char *where, const char *end,
				      struct what *what);

/*
 * Why libpfm4's names are not available, to append to a sentence: " (...)"; empty if they are.
 */
HIDDEN const char *pmudev_pfm_remark(const struct pmudev_pmus *pmus);

/* Calls @take for each event's name on these PMUs. */
HIDDEN void pmudev_pfm_each(const struct pmudev_pmus *pmus, __u32 some,
			    void (*take)(void *to, const char *name), void *to);

#endif /* PFM_H */
