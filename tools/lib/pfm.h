/* SPDX-License-Identifier: MIT */
/* libpfm4's names: pfm.c, or where the library is built without it pfm_none.c. */
#ifndef PFM_H
#define PFM_H

#include "parser.h"

enum pfm_answer {
	PFM_UNKNOWN, /* nobody has told anything yet */
	PFM_WRONG,   /* why has been told */
	PFM_FOUND,
};

/*
 * Makes @what the event that libpfm4 knows by what stands between @where and @end, "NAME:MASK:c=2"
 * or "pmu::NAME", on those PMUs of @what that have it.
 */
HIDDEN enum pfm_answer pmudev_pfm_event(struct parser *p, const char *where, const char *end,
					struct what *what);

/* terms.c. The same, and its parts are not told a second time by terms. */
HIDDEN enum pfm_answer pmudev_use_pfm(struct parser *p, const char *where, const char *end,
				      struct what *what);

/*
 * Why libpfm4's names are no help here, to stand behind a sentence: " (...)"; empty if they are.
 */
HIDDEN const char *pmudev_pfm_remark(const struct pmudev_pmus *pmus);

/* Calls @take for each event's name on these PMUs. */
HIDDEN void pmudev_pfm_each(const struct pmudev_pmus *pmus, __u32 some,
			    void (*take)(void *to, const char *name), void *to);

#endif /* PFM_H */
