// SPDX-License-Identifier: MIT
/*
 * libpfm4's tables of events, and which table belongs to which PMU. libpfm4 initializes global
 * state and is not documented as thread-safe: one thread at a time calls it.
 */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "pfm.h"
#include "pfm_lib.h"

static pthread_once_t pfm_once = PTHREAD_ONCE_INIT;
static pthread_mutex_t pfm_mutex = PTHREAD_MUTEX_INITIALIZER;
static bool pfm_ready;

static void initialize(void)
{
	pfm_ready = pfm_initialize() == PFM_SUCCESS;
}

bool pmudev_pfm_lock(void)
{
	pthread_once(&pfm_once, initialize);
	if (!pfm_ready)
		return false;
	pthread_mutex_lock(&pfm_mutex);
	return true;
}

void pmudev_pfm_unlock(void)
{
	pthread_mutex_unlock(&pfm_mutex);
}

/* ------------------------------------------------------------- tables of a PMU -- */

bool pmudev_pfm_table(pfm_pmu_t number, pfm_pmu_info_t *info)
{
	memset(info, 0, sizeof(*info));
	info->size = sizeof(*info);
	return pfm_get_pmu_info(number, info) == PFM_SUCCESS;
}

/* The table of all Intel CPUs; it has few names. */
static bool is_general(const pfm_pmu_info_t *table)
{
	return table->is_dfl && table->type == PFM_PMU_TYPE_CORE;
}

/* On Arm libpfm4 has looked at CPU 0: is this PMU of the same kind, ignoring revisions? */
static bool like_first_cpu(const struct pmudev_pmus *pmus, const struct pmu *pmu)
{
	const __u64 kind = 0xff00fff0; /* MIDR_EL1.Implementer, PartNum */
	unsigned int i;

	for (i = 0; i < pmus->nr; i++)
		if (!atoi(pmus->pmu[i].cpus))
			return !((pmus->pmu[i].cpu_id ^ pmu->cpu_id) & kind);
	return true;
}

/* Hybrids: libpfm4 has a table for each kind of core. */
bool pmudev_pfm_fits(const struct pmudev_pmus *pmus, const struct pmu *pmu,
		     const pfm_pmu_info_t *table)
{
	const bool core = strstr(table->name, "_glc"), atom = strstr(table->name, "_grt");

	if (!pmudev_pfm_has_arch(pmu->arch) || table->type != PFM_PMU_TYPE_CORE ||
	    !table->is_present)
		return false;
	if (!strcmp(pmu->arch, "arm64"))
		return like_first_cpu(pmus, pmu);
	return !(core && strstr(pmu->name, "atom")) && !(atom && strstr(pmu->name, "core"));
}

bool pmudev_pfm_next_table(const struct pmudev_pmus *pmus, const struct pmu *pmu, int *at,
			   pfm_pmu_info_t *table)
{
	int n;

	/* The general table comes last. */
	for (n = *at + 1; n < 2 * PFM_PMU_MAX; n++) {
		if (!pmudev_pfm_table(n % PFM_PMU_MAX, table) || !pmudev_pfm_fits(pmus, pmu, table))
			continue;
		if (is_general(table) ? n < PFM_PMU_MAX : n >= PFM_PMU_MAX)
			continue;
		*at = n;
		return true;
	}
	return false;
}

bool pmudev_pfm_named(const char *at, size_t len, pfm_pmu_info_t *table)
{
	int n;

	for (n = 0; n < PFM_PMU_MAX; n++)
		if (pmudev_pfm_table(n, table) && strlen(table->name) == len &&
		    !strncasecmp(table->name, at, len))
			return true;
	return false;
}

const char *pmudev_pfm_remark(const struct pmudev_pmus *pmus)
{
	const char *remark = " (libpfm4, which knows more names, does not know this CPU)";
	pfm_pmu_info_t table;
	unsigned int i;
	int at;

	if (!pmudev_pfm_lock())
		return " (libpfm4, which knows more names, does not work here)";
	for (i = 0; i < pmus->nr; i++) {
		at = -1;
		if (pmudev_pfm_next_table(pmus, &pmus->pmu[i], &at, &table) && !is_general(&table))
			remark = "";
	}
	pmudev_pfm_unlock();
	return remark;
}
