// SPDX-License-Identifier: GPL-2.0
/*
 * RDPMC in user mode, which CR4.PCE allows.
 *
 * The kernel sets CR4.PCE whenever it switches to an address space with
 * mm->context.perf_rdpmc_allowed above 0. perf's event_mapped() and event_unmapped() change that
 * count, and update CR4.PCE on the CPUs where the address space is loaded.
 *
 * When the kernel switches to such an address space, perf clears the counters that it used earlier
 * on that CPU ("dirty" ones), once. So x86_empty_dirty() has them cleared when a CPU is reserved,
 * and perf has none until it is given back.
 *
 * perf_rdpmc_allowed is copied by fork, but a child has no mapping. pmudev takes the right from
 * children of its own readers at the fork, and from those of perf's earlier readers when it
 * reserves the PMU. So while it is reserved, only pmudev's readers can read.
 *
 * Writing 0 to perf's sysfs file `rdpmc` clears CR4.PCE on all CPUs at once. A reader in the middle
 * of a read faults, as perf's own readers do. The page loses its owner at the thread's next switch.
 */
#include <linux/kprobes.h>
#include <linux/mm_types.h>
#include <linux/perf_event.h>
#include <linux/sched/mm.h>
#include <linux/sched/signal.h>
#include <linux/sched/task.h>
#include <linux/spinlock.h>
#include <linux/static_call.h>

#include <asm/mmu.h>

#include "x86.h"
#include "regs.h"

/* Argument of perf's event_mapped() and event_unmapped(), which read only these flags */
static struct perf_event reader = {
	.hw.flags = PERF_EVENT_FLAG_USER_READ_CNT,
};

static struct pmu *perf;

/*
 * perf's function, which it does not export. A direct call, because the CPU may forbid indirect
 * calls to a function whose address the kernel never takes (IBT).
 */
DEFINE_STATIC_CALL_NULL(clear_dirty, perf_clear_dirty_counters);

/*
 * Not a mutex: a caller that gets no CPU time delays nobody. Its holder waits for other CPUs, so
 * whoever waits for it has irqs on, and no lock that others wait for with irqs off.
 */
static DEFINE_RAW_SPINLOCK(rights_lock);
static unsigned int nr_granted; /* pmudev's grants in force; under rights_lock */
static bool leftovers;		/* address spaces may have a right that perf left; likewise */

/* Returns false if @mm may have a grant of pmudev. */
static bool withdraw_leftover(struct mm_struct *mm)
{
	bool none;

	raw_spin_lock(&rights_lock);
	none = !nr_granted;
	if (none && atomic_read(&mm->context.perf_rdpmc_allowed)) {
		/*
		 * As if this was the last reader: updates CR4.PCE where the address space is
		 * loaded.
		 */
		atomic_set(&mm->context.perf_rdpmc_allowed, 1);
		perf->event_unmapped(&reader, mm);
	}
	leftovers |= !none;
	raw_spin_unlock(&rights_lock);
	return none;
}

/*
 * Return: the task's address space, to be dropped; NULL if there is none. Its lock is not kept: the
 * kernel takes it where it holds tasklist_lock, for which others wait with irqs off.
 */
static struct mm_struct *grab_mm(struct task_struct *task)
{
	struct mm_struct *mm;

	task_lock(task);
	mm = task->mm;
	if (mm)
		mmgrab(mm);
	task_unlock(task);
	return mm;
}

/*
 * Withdraw all rights to read unless pmudev has granted some: perf has no events, and so no
 * readers, but their children got a copy of the right. With a grant in force, do it after the last
 * one: until then counters are cleared whenever they are left.
 */
static void withdraw_leftovers(void)
{
	struct task_struct *process, *task;
	struct mm_struct *mm;
	bool go_on;

	raw_spin_lock(&rights_lock);
	go_on = leftovers && !nr_granted;
	if (go_on)
		leftovers = false;
	raw_spin_unlock(&rights_lock);
	if (!go_on)
		return;
	rcu_read_lock();
	for_each_process(process) {
		/* for_each_thread() names tasklist_lock, which is not exported, with PROVE_RCU. */
		list_for_each_entry_rcu(task, &process->signal->thread_head, thread_node) {
			mm = go_on ? grab_mm(task) : NULL;
			if (mm) {
				go_on = withdraw_leftover(mm);
				mmdrop(mm);
			}
		}
	}
	rcu_read_unlock();
}

void x86_user_reserved(bool reserved)
{
	if (!perf)
		return;
	raw_spin_lock(&rights_lock);
	leftovers = reserved;
	raw_spin_unlock(&rights_lock);
	withdraw_leftovers();
}

void x86_grant(struct mm_struct *mm)
{
	raw_spin_lock(&rights_lock);
	nr_granted++;
	perf->event_mapped(&reader, mm);
	raw_spin_unlock(&rights_lock);
}

void x86_revoke(struct mm_struct *mm)
{
	raw_spin_lock(&rights_lock);
	perf->event_unmapped(&reader, mm);
	nr_granted--;
	raw_spin_unlock(&rights_lock);
	withdraw_leftovers();
}

void x86_forked(struct mm_struct *mm)
{
	if (!atomic_read(&mm->context.perf_rdpmc_allowed))
		return;
	/*
	 * fork copies the count, but no mapping of perf or pmudev. The child's process can be
	 * found already: withdraw_leftover() may be at it, and would count down from here.
	 */
	raw_spin_lock(&rights_lock);
	atomic_set(&mm->context.perf_rdpmc_allowed, 0);
	raw_spin_unlock(&rights_lock);
}

bool pmudev_backend_user_readable(void)
{
	return read_pce();
}

/*
 * The selectors, not @counters, say what user mode can read. The kernel sets and clears CR4.PCE;
 * here it is only read.
 */
bool pmudev_backend_user_access_enable(u64 counters)
{
	return read_pce();
}

bool pmudev_backend_user_access_disable(void)
{
	return true;
}

void x86_empty_dirty(void)
{
	static_call_cond(clear_dirty)();
}

static int find_clear_dirty(void)
{
	struct kprobe there = {
		.symbol_name = "perf_clear_dirty_counters",
		.flags = KPROBE_FLAG_DISABLED, /* patches nothing */
	};
	int ret = register_kprobe(&there);

	if (ret)
		return ret;
	static_call_update(clear_dirty, (void (*)(void))there.addr);
	unregister_kprobe(&there);
	return 0;
}

int x86_user_init(struct pmu *pmu)
{
	int ret;

	if (!pmu || !pmu->event_mapped || !pmu->event_unmapped)
		return -EOPNOTSUPP;
	ret = find_clear_dirty();
	if (ret)
		return ret;
	perf = pmu;
	return 0;
}
