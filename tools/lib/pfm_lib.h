/* SPDX-License-Identifier: MIT */
/* What the files that call libpfm4 share. All but the first two are called with the lock. */
#ifndef PFM_LIB_H
#define PFM_LIB_H

#include <perfmon/pfmlib.h>

#include "pmus.h"

/* caps/arch of the PMUs that libpfm4, built for this machine, can have tables of. */
#if !defined(__aarch64__) && !defined(__arm__)
#define OWN_ARCH "intel"
#else
#define OWN_ARCH "arm64"
#endif

/* False, and no lock, if libpfm4 does not work. */
HIDDEN bool pmudev_pfm_lock(void);
HIDDEN void pmudev_pfm_unlock(void);

/* One of libpfm4's tables of events; false if it is not in this build of it. */
HIDDEN bool pmudev_pfm_table(pfm_pmu_t number, pfm_pmu_info_t *info);

/* The table that a prefix names, whether it is this machine's or not. */
HIDDEN bool pmudev_pfm_named(const char *at, size_t len, pfm_pmu_info_t *table);

/* Has the table this PMU's events? */
HIDDEN bool pmudev_pfm_fits(const struct pmudev_pmus *pmus, const struct pmu *pmu,
			    const pfm_pmu_info_t *table);

/* The next table with events of this PMU behind *@at, which begins with -1. */
HIDDEN bool pmudev_pfm_next_table(const struct pmudev_pmus *pmus, const struct pmu *pmu, int *at,
				  pfm_pmu_info_t *table);

#endif /* PFM_LIB_H */
