// SPDX-License-Identifier: GPL-2.0
/* User access: sets that could read each other's counters, and residue in counters. */
#include <linux/smp.h>

#include "user_access.h"

int pmudev_user_access;

struct pmudev_readers pmudev_readers = {
	.lock = __RAW_SPIN_LOCK_UNLOCKED(pmudev_readers.lock),
	.granted = LIST_HEAD_INIT(pmudev_readers.granted),
	.private = LIST_HEAD_INIT(pmudev_readers.private),
};

bool pmudev_readers_add_private(struct pmudev_set *set)
{
	bool refused;

	lockdep_assert_held(&set->pmu->lock);
	raw_spin_lock_irq(&pmudev_readers.lock);
	refused = pmudev_readers.nr_granted;
	if (!refused) {
		pmudev_readers.nr_private++;
		list_add_tail(&set->mapping.readers_node, &pmudev_readers.private);
		set->mapping.private = true;
	}
	raw_spin_unlock_irq(&pmudev_readers.lock);
	return !refused;
}

void pmudev_readers_remove_private(struct pmudev_set *set)
{
	lockdep_assert_held(&set->pmu->lock);
	raw_spin_lock_irq(&pmudev_readers.lock);
	pmudev_readers.nr_private--;
	list_del(&set->mapping.readers_node);
	set->mapping.private = false;
	raw_spin_unlock_irq(&pmudev_readers.lock);
}

bool pmudev_readers_add_mapping(struct pmudev_set *set, bool *first)
{
	bool refused;

	raw_spin_lock_irq(&pmudev_readers.lock);
	*first = !pmudev_readers.nr_granted;
	refused = pmudev_readers.nr_private;
	if (!refused) {
		WRITE_ONCE(pmudev_readers.nr_granted, pmudev_readers.nr_granted + 1);
		if (!set->mapping.nr_granted++)
			list_add_tail(&set->mapping.readers_node, &pmudev_readers.granted);
	}
	raw_spin_unlock_irq(&pmudev_readers.lock);
	return !refused;
}

void pmudev_readers_remove_mapping(struct pmudev_set *set)
{
	raw_spin_lock_irq(&pmudev_readers.lock);
	WRITE_ONCE(pmudev_readers.nr_granted, pmudev_readers.nr_granted - 1);
	if (!--set->mapping.nr_granted)
		list_del(&set->mapping.readers_node);
	raw_spin_unlock_irq(&pmudev_readers.lock);
}

void pmudev_clear_residue_but(struct pmudev_cpu *cpuc, u64 loaded)
{
	u64 others = cpuc->residue & ~loaded;

	lockdep_assert_irqs_disabled();
	if (others) {
		pmudev_backend_clear(others);
		cpuc->residue &= ~others;
	}
}

static void clear_here(void *unused)
{
	struct pmudev_cpu *cpuc = this_cpu_ptr(&pmudev_cpus);

	if (cpuc->ready)
		pmudev_backend_clear(cpuc->residue);
	cpuc->residue = 0;
}

void pmudev_clear_residue(void)
{
	if (unlikely(this_cpu_read(pmudev_cpus.residue)))
		clear_here(NULL);
}

void pmudev_clear_residue_all(void)
{
	/* A CPU that has not seen nr_granted yet answers after what it is doing now. */
	on_each_cpu(clear_here, NULL, true);
}
