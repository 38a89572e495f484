// SPDX-License-Identifier: GPL-2.0
/*
 * Functions of perf's driver (struct arm_pmu) with ours in front, from the first reservation of a
 * PMU to the end of the last. perf calls them with interrupts disabled on the CPU concerned, in an
 * NMI too, except that get_event_idx is also called with a made-up struct pmu_hw_events when an
 * event is opened.
 *
 * stop		 stops all counters, ours too: not if a set has the PMU to itself
 * start	 rewrites PMUSERENR_EL0 and (FEAT_PMUv3p9) PMUACR_EL1: add what our thread needs
 * handle_irq	 is called for overflows of ours, too; ends with start
 * reset	 clears all counters' registers: they differ from their shadow
 * get_event_idx chooses a counter: give perf what no set needs, keep what a set waits for
 *
 * A pointer is replaced with one store, and each function works before and after that on any CPU:
 * on CPUs that are not owned it only calls the driver's. So nobody needs to wait but the module's
 * exit, which waits until no CPU and no preempted task is in one of them. (Kernels with kprobes and
 * preemption have CONFIG_TASKS_RCU.)
 */
#include <linux/mutex.h>
#include <linux/perf_event.h>

#include <asm/irq_regs.h>

#include "../compat.h"
#include "../hooks.h"
#include "perf_bits.h"
#include "regs.h"

/* One of perf's drivers. Several kinds of CPUs may have the same. */
struct driver {
	struct arm_pmu *pmu; /* NULL: this entry is free; never changes afterwards */
	unsigned int users;  /* kinds that use it; under drivers_mutex, like the next */
	bool stuck;	     /* another module calls our functions: they stay where they are */
	/* The driver's own functions */
	void (*start)(struct arm_pmu *pmu);
	void (*stop)(struct arm_pmu *pmu);
	void (*reset)(void *pmu);
	irqreturn_t (*handle_irq)(struct arm_pmu *pmu);
	int (*get_event_idx)(struct pmu_hw_events *hw_events, struct perf_event *event);
};

static struct driver drivers[PMUDEV_MAX_PMUS];
/*
 * The table, and the list of hooks: kinds share drivers, and pmu->lock is of one kind. Nests in
 * pmu->lock; hooks_lock nests in it.
 */
static DEFINE_MUTEX(drivers_mutex);

static struct driver *driver_of(const struct arm_pmu *pmu)
{
	unsigned int i;

	for (i = 0; i < PMUDEV_MAX_PMUS; i++)
		/* Pairs with find_driver(): who sees the pmu sees its functions. */
		if (smp_load_acquire(&drivers[i].pmu) == pmu)
			return &drivers[i];
	return NULL;
}

/* This CPU's kind, or NULL while pmudev does not use the CPU. */
static struct pmuv3_kind *kind_here(const struct pmuv3_cpu *cpuc)
{
	return cpuc->info ? &pmuv3_kinds[cpuc->info->index] : NULL;
}

/*
 * Newer drivers look at the event of each bit, and ours have none: hide them while the driver runs.
 * Returns what to show again. Only this CPU changes its bits there; see pmuv3_take_bits().
 */
static u64 hide_ours(struct pmu_hw_events *hw, const struct pmuv3_cpu *cpuc)
{
	const struct pmuv3_kind *kind = kind_here(cpuc);
	u64 rest, hidden = 0;

	if (!PMUDEV_PERF_UEN || !kind || !pmuv3_looks_at_events(kind))
		return 0;
	for (rest = READ_ONCE(cpuc->ours) | READ_ONCE(cpuc->taking); rest; rest &= rest - 1) {
		unsigned int c = __ffs64(rest), index = pmudev_perf_index(c);

		/* An NMI in the middle of another call finds them hidden already. */
		if (!hw->events[index] && test_and_clear_bit(index, hw->used_mask))
			hidden |= BIT_ULL(c);
	}
	return hidden;
}

static void show_ours(struct pmu_hw_events *hw, u64 hidden)
{
	for (; hidden; hidden &= hidden - 1)
		set_bit(pmudev_perf_index(__ffs64(hidden)), hw->used_mask);
}

/*
 * Older drivers (6.1) write the register although KVM has it, which restores what it had found: it
 * stays KVM's, so that nobody takes what is in it for the driver's wish.
 */
static void keep_kvms(u64 before)
{
	if (unlikely(before & PMUSERENR_EN) && !(read_pmuserenr() & PMUSERENR_EN))
		write_pmuserenr(before);
}

/* perf's driver has written the user access registers. Irqs disabled, maybe in an NMI. */
static void add_user_access(struct pmuv3_cpu *cpuc)
{
	u64 now = read_pmuserenr();

	/* A thread may read perf's counters, now or after KVM: it must not see what ours showed. */
	if (now && !cpuc->hides && !in_nmi())
		pmuv3_upcalls->clear_residue();
	/* KVM has the register, and restores what perf's driver wants when it gives it back. */
	if (now & PMUSERENR_EN) {
		if (!in_nmi())
			pmuv3_upcalls->user_access_lost();
		return;
	}
	cpuc->perf_userenr = now;
	if (cpuc->hides)
		cpuc->perf_shown = now ? read_pmuacr() : 0;
	if (cpuc->user)
		pmuv3_write_user_access(cpuc);
}

/* If perf has no counter there is nothing for it to stop the PMU for. */
static void wrapped_stop(struct arm_pmu *pmu)
{
	struct pmuv3_cpu *cpuc = this_cpu_ptr(&pmuv3_cpus);

	if (cpuc->owned) {
		if (READ_ONCE(kind_here(cpuc)->exclusive) && !pmuv3_perf_counters_here(cpuc))
			return;
		WRITE_ONCE(cpuc->stops, cpuc->stops + 1);
	}
	driver_of(pmu)->stop(pmu);
}

static void wrapped_start(struct arm_pmu *pmu)
{
	struct pmu_hw_events *hw = this_cpu_ptr(pmu->hw_events);
	struct pmuv3_cpu *cpuc = this_cpu_ptr(&pmuv3_cpus);
	u64 before = cpuc->owned ? read_pmuserenr() : 0, hidden;

	/* An NMI meanwhile leaves the registers to us: what it writes is not the driver's wish. */
	WRITE_ONCE(cpuc->starting, true);
	hidden = hide_ours(hw, cpuc);
	driver_of(pmu)->start(pmu);
	show_ours(hw, hidden);
	keep_kvms(before);
	if (cpuc->owned)
		add_user_access(cpuc);
	WRITE_ONCE(cpuc->starting, false);
}

/*
 * Overflows of our counters that interrupt, as PMOVSCLR_EL0 has them. @others: out: there are
 * overflows of others, too
 */
static u64 find_overflows(const struct pmuv3_cpu *cpuc, bool *others)
{
	u64 found, ours;

	*others = true;
	if (!cpuc->owned || !cpuc->interrupts)
		return 0;
	found = read_pmovsclr();
	ours = found & pmuv3_enable_bits(cpuc->interrupts);
	*others = !ours || found & ~pmuv3_enable_bits(READ_ONCE(cpuc->ours));
	return ours;
}

/* The driver's handler, which takes overflows of ours away, too. */
static irqreturn_t handle_others(struct arm_pmu *pmu, struct pmuv3_cpu *cpuc)
{
	struct pmu_hw_events *hw = this_cpu_ptr(pmu->hw_events);
	u64 before = cpuc->owned ? read_pmuserenr() : 0, hidden = hide_ours(hw, cpuc);
	irqreturn_t ret = driver_of(pmu)->handle_irq(pmu);

	show_ours(hw, hidden);
	keep_kvms(before);
	if (!cpuc->owned || ret != IRQ_HANDLED)
		return ret;
	WRITE_ONCE(cpuc->stops, cpuc->stops + 1);
	if (!READ_ONCE(cpuc->starting))
		add_user_access(cpuc);
	return ret;
}

static irqreturn_t wrapped_handle_irq(struct arm_pmu *pmu)
{
	struct pmuv3_cpu *cpuc = this_cpu_ptr(&pmuv3_cpus);
	irqreturn_t ret = IRQ_HANDLED;
	bool others;
	u64 ours = find_overflows(cpuc, &others);

	if (others)
		ret = handle_others(pmu, cpuc);
	if (ours) {
		/* Before counters are read: what overflows after that interrupts again. */
		write_pmovsclr(ours);
		isb();
		pmuv3_upcalls->overflowed(true, pmuv3_counters(ours), get_irq_regs());
		return IRQ_HANDLED;
	}
	if (cpuc->owned && cpuc->interrupts)
		pmuv3_upcalls->overflowed(false, 0, NULL);
	return ret;
}

static void wrapped_reset(void *pmu)
{
	struct pmuv3_cpu *cpuc = this_cpu_ptr(&pmuv3_cpus);

	driver_of(pmu)->reset(pmu);
	if (!cpuc->owned)
		return;
	pmuv3_forget_shadow(cpuc, cpuc->info->counters);
	cpuc->interrupts = 0;
	/* The CPU lost power: PMUACR_EL1 may show anything. */
	pmuv3_hide(cpuc);
}

/* The counters of an index that perf got; a chained event has the odd one's. */
static u64 counters_of(const struct pmu_hw_events *hw, const struct pmuv3_cpu *cpuc, int idx)
{
	u64 counters = pmudev_perf_counters(BIT_ULL(idx)), low = counters >> 1;

	if (!(counters & 0xaaaaaaaaULL) || !(pmuv3_used_counters(hw) & low) ||
	    (READ_ONCE(cpuc->ours) & low) || hw->events[pmudev_perf_index(__ffs64(low))])
		return counters;
	return counters | low;
}

/* perf's event got these counters on this CPU. */
static void perf_got(struct pmuv3_cpu *cpuc, u64 counters)
{
	pmuv3_forget_shadow(cpuc, counters);
	cpuc->perf_left |= counters;
	if (cpuc->interrupts & counters) {
		write_pmintenclr(pmuv3_enable_bits(cpuc->interrupts & counters));
		cpuc->interrupts &= ~counters;
	}
	/* An overflow of ours must not interrupt as one of its. */
	write_pmovsclr(pmuv3_enable_bits(counters));
}

static int wrapped_get_event_idx(struct pmu_hw_events *hw, struct perf_event *event)
{
	struct arm_pmu *pmu = to_arm_pmu(event->pmu);
	struct pmuv3_cpu *cpuc = raw_cpu_ptr(&pmuv3_cpus);
	struct driver *driver = driver_of(pmu);
	struct pmuv3_kind *kind;
	u64 wanted;
	int idx;

	if (hw != raw_cpu_ptr(pmu->hw_events) || !cpuc->owned)
		return driver->get_event_idx(hw, event);
	kind = kind_here(cpuc);
	wanted = READ_ONCE(kind->wanted);
	/* A pinned event that finds no counter has failed for good: it is not made to wait. */
	if (unlikely(wanted) && !event->group_leader->attr.pinned)
		pmuv3_take_bits_here(kind, wanted);
	idx = driver->get_event_idx(hw, event);
	/* While a set wants some, perf's events make room, and the others have a cause to wait. */
	if (idx < 0 && (!wanted || event->group_leader->attr.pinned)) {
		if (pmuv3_give_spare(kind))
			idx = driver->get_event_idx(hw, event);
		if (idx < 0)
			pmuv3_upcalls->perf_waits(kind->info);
	}
	if (idx >= 0)
		perf_got(cpuc, counters_of(hw, cpuc, idx));
	return idx;
}

static struct pmudev_hook hooks[] = {
	{ .name = "arm_pmu->start" },	      { .name = "arm_pmu->stop" },
	{ .name = "arm_pmu->reset" },	      { .name = "arm_pmu->handle_irq" },
	{ .name = "arm_pmu->get_event_idx" },
};

static void list_hooks(void)
{
	unsigned int i, users = 0;

	for (i = 0; i < PMUDEV_MAX_PMUS; i++)
		users += drivers[i].users;
	for (i = 0; i < ARRAY_SIZE(hooks); i++)
		pmudev_hook_note(&hooks[i], users);
}

/* Each returns true if the pointer was as expected, and is replaced. */
static bool put_back(struct driver *driver)
{
	struct arm_pmu *pmu = driver->pmu;
	bool done = true;

	done &= cmpxchg(&pmu->start, wrapped_start, driver->start) == wrapped_start;
	done &= cmpxchg(&pmu->stop, wrapped_stop, driver->stop) == wrapped_stop;
	done &= cmpxchg(&pmu->reset, wrapped_reset, driver->reset) == wrapped_reset;
	done &= cmpxchg(&pmu->handle_irq, wrapped_handle_irq, driver->handle_irq) ==
		wrapped_handle_irq;
	done &= cmpxchg(&pmu->get_event_idx, wrapped_get_event_idx, driver->get_event_idx) ==
		wrapped_get_event_idx;
	return done;
}

static bool put_in_front(struct driver *driver)
{
	struct arm_pmu *pmu = driver->pmu;
	bool done = true;

	done &= cmpxchg(&pmu->start, driver->start, wrapped_start) == driver->start;
	done &= cmpxchg(&pmu->stop, driver->stop, wrapped_stop) == driver->stop;
	done &= cmpxchg(&pmu->reset, driver->reset, wrapped_reset) == driver->reset;
	done &= cmpxchg(&pmu->handle_irq, driver->handle_irq, wrapped_handle_irq) ==
		driver->handle_irq;
	done &= cmpxchg(&pmu->get_event_idx, driver->get_event_idx, wrapped_get_event_idx) ==
		driver->get_event_idx;
	return done;
}

/* drivers_mutex held. NULL: there is no room. */
static struct driver *find_driver(struct arm_pmu *pmu)
{
	struct driver *driver = driver_of(pmu);

	if (driver)
		return driver;
	for (driver = drivers; driver < drivers + PMUDEV_MAX_PMUS; driver++) {
		if (driver->pmu)
			continue;
		driver->start = pmu->start;
		driver->stop = pmu->stop;
		driver->reset = pmu->reset;
		driver->handle_irq = pmu->handle_irq;
		driver->get_event_idx = pmu->get_event_idx;
		/* Pairs with driver_of(). */
		smp_store_release(&driver->pmu, pmu);
		return driver;
	}
	return NULL;
}

int pmuv3_wrap(struct arm_pmu *pmu)
{
	struct driver *driver;
	int ret = 0;

	mutex_lock(&drivers_mutex);
	driver = find_driver(pmu);
	if (!driver) {
		ret = -EBUSY;
	} else if (!driver->users && !driver->stuck && !put_in_front(driver)) {
		/* Another module has put its own there since: ours would not be called. */
		put_back(driver);
		ret = -EBUSY;
	} else {
		driver->users++;
		list_hooks();
	}
	mutex_unlock(&drivers_mutex);
	return ret;
}

void pmuv3_unwrap(struct arm_pmu *pmu)
{
	struct driver *driver;

	mutex_lock(&drivers_mutex);
	driver = find_driver(pmu);
	if (!--driver->users && !driver->stuck && !put_back(driver)) {
		driver->stuck = true;
		pr_warn("pmudev: another module calls pmudev in place of perf's driver: pmudev cannot be unloaded any more\n");
		__module_get(THIS_MODULE);
	}
	list_hooks();
	mutex_unlock(&drivers_mutex);
}

void pmuv3_wrap_exit(void)
{
	synchronize_rcu();
	/* get_event_idx is called by threads that may be preempted. */
	synchronize_rcu_tasks();
}
