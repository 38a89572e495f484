// SPDX-License-Identifier: GPL-2.0
/*
 * Borrowed counters and perf. When perf has an event without a counter, multiplexing sets give up
 * what they borrow; perf finds it at its next rotation. After a while they look again: what perf
 * does not use by then is lent.
 */
#include <linux/irq_work.h>
#include <linux/workqueue.h>

#include "../cpu/counters.h"
#include "../worker.h"
#include "rotation.h"

/* For how long nothing is lent; also how often it is checked whether perf still uses counters */
#define PAUSE HZ

/* One PMU */
struct lending {
	struct irq_work waits; /* perf waits: queues @give_up, which its caller cannot */
	struct work_struct give_up;
	struct delayed_work again; /* looks again */
};

static struct lending lendings[PMUDEV_MAX_PMUS];

static bool lends(const struct pmudev_pmu *pmu)
{
	const struct pmudev_pmu_alloc *all = pmudev_pmu_alloc(pmu);

	return READ_ONCE(all->task_borrowed) | READ_ONCE(all->cpu_borrowed);
}

/* Upcall. */
static void perf_waits(struct pmudev_pmu_info *info)
{
	if (lends(&pmudev_pmus[info->index]))
		irq_work_queue(&lendings[info->index].waits);
}

static void queue_give_up(struct irq_work *work)
{
	queue_work(pmudev_urgent, &container_of(work, struct lending, waits)->give_up);
}

static void give_up(struct work_struct *work)
{
	struct lending *lending = container_of(work, struct lending, give_up);

	pmudev_rotation_share(&pmudev_pmus[lending - lendings], false);
	queue_delayed_work(pmudev_urgent, &lending->again, PAUSE);
}

static void look_again(struct work_struct *work)
{
	struct lending *lending = container_of(to_delayed_work(work), struct lending, again);

	if (pmudev_rotation_share(&pmudev_pmus[lending - lendings], true))
		queue_delayed_work(pmudev_urgent, &lending->again, PAUSE);
}

void pmudev_lend_init(void)
{
	unsigned int i;

	for (i = 0; i < PMUDEV_MAX_PMUS; i++) {
		init_irq_work(&lendings[i].waits, queue_give_up);
		INIT_WORK(&lendings[i].give_up, give_up);
		INIT_DELAYED_WORK(&lendings[i].again, look_again);
	}
	pmudev_upcalls.perf_waits = perf_waits;
}

/* No set is left, so perf's functions are its own again: nothing is queued any more. */
void pmudev_lend_exit(void)
{
	unsigned int i;

	for (i = 0; i < PMUDEV_MAX_PMUS; i++) {
		irq_work_sync(&lendings[i].waits);
		cancel_work_sync(&lendings[i].give_up);
		cancel_delayed_work_sync(&lendings[i].again);
	}
}
