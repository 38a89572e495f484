// SPDX-License-Identifier: GPL-2.0
/* Descriptions of PMUs and their state, for QUERY and sysfs. */
#include <linux/cpumask.h>

#include "../alloc/allocation.h"
#include "../compat.h"
#include "../context/user_access.h"
#include "../cpu/reserve.h"
#include "../worker.h"
#include "entry.h"

static u32 pmu_state(struct pmudev_pmu *pmu)
{
	return (pmudev_user_access_enabled() ? PMUDEV_STATE_USER_ACCESS : 0) |
	       (pmudev_reservation(pmu)->users ? PMUDEV_STATE_RESERVED : 0) |
	       (pmudev_task_hooked() ? PMUDEV_STATE_HOOKS : 0) |
	       (pmudev_kvm_hooked() ? PMUDEV_STATE_GUEST : 0);
}

bool pmudev_pmu_has_cpu(const struct pmudev_pmu *pmu, int cpu)
{
	return pmudev_nr_pmus == 1 || READ_ONCE(per_cpu(pmudev_cpus, cpu).pmu) == pmu;
}

void pmudev_describe(struct pmudev_pmu *pmu, struct pmudev_query *query)
{
	int cpu;

	query->pmu = pmu->info.index;
	query->nr_pmus = pmudev_nr_pmus;
	query->abi = PMUDEV_ABI_VERSION;
	query->arch = pmu->info.arch;
	query->arch_version = pmu->info.arch_version;
	query->cpu_id = pmu->info.cpu_id;
	query->features = pmu->info.features | PMUDEV_HAS_OTHER_TASKS | PMUDEV_HAS_MULTIPLEX |
			  (PMUDEV_FORK_ALLOCATES ? PMUDEV_HAS_INHERIT : 0) |
			  (pmu->info.interrupt ? PMUDEV_HAS_DEADLINE : 0) |
			  (IS_ENABLED(CONFIG_CGROUPS) ? PMUDEV_HAS_CGROUP : 0);
	/* On a CPU of another PMU, a bare read would return a counter of that PMU. */
	if (pmudev_nr_pmus > 1)
		query->features &= ~PMUDEV_HAS_DIRECT;
	query->counters = pmu->info.counters;
	query->generic = pmu->info.generic;
	query->width = pmu->info.width;
	query->width_fixed = pmu->info.width_fixed;
	query->threshold_max = pmu->info.threshold_max;
	query->nr_cpus = 0;
	for_each_possible_cpu(cpu)
		query->nr_cpus += pmudev_pmu_has_cpu(pmu, cpu);
	query->perf_stops =
		pmudev_backend.shared ? pmudev_backend.shared->perf_stops(&pmu->info) : 0;
	query->user_access_lost = atomic64_read(&pmu->info.user_access_lost);
	query->overflows = atomic64_read(&pmu->info.overflows);
	query->unexpected = atomic64_read(&pmu->info.unexpected);
	query->late = atomic64_read(&pmu->info.late);
	query->clock_hz = pmu->info.clock_hz;
	memcpy(query->name, pmu->info.name, sizeof(query->name));
	/* A reservation may find more counters unavailable. */
	query->available = pmudev_pmu_available(pmu);
	query->user = pmu->info.user & query->available;
}

/* A call of pmudev_describe_state(). */
struct describing {
	struct pmudev_pmu *pmu;
	struct pmudev_query *query; /* out: its state */
};

/* With more sets than this, a worker looks through them. */
#define FEW_SETS 32

static bool describe_state(void *arg)
{
	struct describing *describing = arg;
	struct pmudev_query *query = describing->query;
	struct pmudev_pmu *pmu = describing->pmu;

	if (pmudev_pmu_alloc(pmu)->nr_sets > FEW_SETS && !pmudev_in_worker())
		return false;
	query->state = pmu_state(pmu);
	query->busy = pmudev_alloc_busy(pmu);
	query->reservations = pmudev_reservation(pmu)->nr_taken;
	return true;
}

void pmudev_describe_state(struct pmudev_pmu *pmu, struct pmudev_query *query)
{
	struct describing describing = { .pmu = pmu, .query = query };

	pmudev_locked(pmudev_urgent, &pmu->lock, describe_state, &describing);
}
