/* SPDX-License-Identifier: MIT */
/* Shared by the files that call libpfm4. All but the first two need the lock. */
#ifndef PFM_LIB_H
#define PFM_LIB_H

#include <string.h>

#include <perfmon/pfmlib.h>

#include "pmus.h"

/* Can this build of libpfm4 have tables for PMUs with this caps/arch? */
static inline bool pmudev_pfm_has_arch(const char *arch)
{
#if !defined(__aarch64__) && !defined(__arm__)
	return !strcmp(arch, "intel") || !strcmp(arch, "amd");
#else
	return !strcmp(arch, "arm64");
#endif
}

/* Returns false without the lock if libpfm4 does not work. */
HIDDEN bool pmudev_pfm_lock(void);
HIDDEN void pmudev_pfm_unlock(void);

/* One of libpfm4's tables; false if this build lacks it. */
HIDDEN bool pmudev_pfm_table(pfm_pmu_t number, pfm_pmu_info_t *info);

/* The table with this prefix, of this machine or another. */
HIDDEN bool pmudev_pfm_named(const char *at, size_t len, pfm_pmu_info_t *table);

/* Does the table have this PMU's events? */
HIDDEN bool pmudev_pfm_fits(const struct pmudev_pmus *pmus, const struct pmu *pmu,
			    const pfm_pmu_info_t *table);

/* The next table after *@at with events of this PMU; start with -1. */
HIDDEN bool pmudev_pfm_next_table(const struct pmudev_pmus *pmus, const struct pmu *pmu, int *at,
				  pfm_pmu_info_t *table);

#endif /* PFM_LIB_H */
