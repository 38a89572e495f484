/* SPDX-License-Identifier: GPL-2.0 */
/* Differences between the kernels that pmudev builds for. Only this file checks versions. */
#ifndef _PMUDEV_COMPAT_H
#define _PMUDEV_COMPAT_H

#include <linux/device.h>
#include <linux/eventfd.h>
#include <linux/hrtimer.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/perf_event.h>
#include <linux/sched/coredump.h>
#include <linux/sched/task.h>
#include <linux/syscore_ops.h>
#include <linux/sysctl.h>
#include <linux/version.h>

/* Flags of tasks that never are in user mode. Workers of vhost are no kernel threads since 6.4. */
#ifndef PF_USER_WORKER
#define PF_USER_WORKER 0
#endif
#define PMUDEV_PF_KERNEL (PF_KTHREAD | PF_IO_WORKER | PF_USER_WORKER)

/* The arguments of a sched_process_exit probe; p is the task. */
#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 16, 0)
#define PMUDEV_PROBE_EXIT_ARGS void *data, struct task_struct *p, bool group_dead
#else
#define PMUDEV_PROBE_EXIT_ARGS void *data, struct task_struct *p
#endif

/* The arguments of a task_newtask probe; child is the new task. */
#ifdef PMUDEV_HAVE_U64_CLONE_FLAGS
#define PMUDEV_PROBE_FORK_ARGS void *data, struct task_struct *child, u64 clone_flags
#else
#define PMUDEV_PROBE_FORK_ARGS void *data, struct task_struct *child, unsigned long clone_flags
#endif

/* The arguments of a kvm_entry probe on x86. No kernel installs that tracepoint's header. */
#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 9, 0)
#define PMUDEV_PROBE_KVM_ENTRY_ARGS void *data, struct kvm_vcpu *vcpu, bool force_immediate_exit
#else
#define PMUDEV_PROBE_KVM_ENTRY_ARGS void *data, struct kvm_vcpu *vcpu
#endif
struct kvm_vcpu;
typedef void pmudev_probe_kvm_entry(PMUDEV_PROBE_KVM_ENTRY_ARGS);

static inline void pmudev_hrtimer_setup(struct hrtimer *timer,
					enum hrtimer_restart (*fn)(struct hrtimer *))
{
#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 13, 0)
	hrtimer_setup(timer, fn, CLOCK_MONOTONIC, HRTIMER_MODE_REL_PINNED_HARD);
#else
	hrtimer_init(timer, CLOCK_MONOTONIC, HRTIMER_MODE_REL_PINNED_HARD);
	timer->function = fn;
#endif
}

static inline void pmudev_vm_flags(struct vm_area_struct *vma, unsigned long set,
				   unsigned long clear)
{
#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 3, 0)
	vm_flags_mod(vma, set, clear);
#else
	vma->vm_flags = (vma->vm_flags | set) & ~clear;
#endif
}

/* Add 1 to an eventfd. Any context but an NMI. */
#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 8, 0)
#define pmudev_eventfd_signal(eventfd) eventfd_signal(eventfd)
#else
#define pmudev_eventfd_signal(eventfd) eventfd_signal(eventfd, 1)
#endif

static inline struct class *pmudev_class_create(const char *name)
{
#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 4, 0)
	return class_create(name);
#else
	return class_create(THIS_MODULE, name);
#endif
}

/* Since 6.11 sysctl handlers take a const table; before, a table ended with an empty entry. */
#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 11, 0)
typedef const struct ctl_table pmudev_ctl_table;
#else
typedef struct ctl_table pmudev_ctl_table;
#endif
#define PMUDEV_CTL_TABLE_END (LINUX_VERSION_CODE < KERNEL_VERSION(6, 11, 0))

/* For file_operations.llseek: 6.12 removed no_llseek, and NULL means the same. */
#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 12, 0)
#define pmudev_no_llseek NULL
#else
#define pmudev_no_llseek no_llseek
#endif

/*
 * Functions int suspend(PMUDEV_SYSCORE_ARG) and void resume(PMUDEV_SYSCORE_ARG) that are called on
 * the last CPU, irqs off, before and after a system sleep.
 */
#ifdef PMUDEV_HAVE_SYSCORE /* set by Kbuild: some stable kernels have the change */
#define PMUDEV_SYSCORE_ARG void *data
#define PMUDEV_SYSCORE(name, on_suspend, on_resume)			\
	static const struct syscore_ops name##_ops = {			\
		.suspend = on_suspend,					\
		.resume = on_resume,					\
	};								\
	static struct syscore name = { .ops = &name##_ops }
#define pmudev_register_syscore register_syscore
#define pmudev_unregister_syscore unregister_syscore
#else
#define PMUDEV_SYSCORE_ARG void
#define PMUDEV_SYSCORE(name, on_suspend, on_resume)			\
	static struct syscore_ops name = {				\
		.suspend = on_suspend,					\
		.resume = on_resume,					\
	}
#define pmudev_register_syscore register_syscore_ops
#define pmudev_unregister_syscore unregister_syscore_ops
#endif

/*
 * The number of times that perf's core has disabled a PMU on this CPU. While it is not 0, perf does
 * not touch the PMU. Irqs off.
 */
static inline int *pmudev_perf_disables(struct pmu *pmu)
{
#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 15, 0)
	return &(*this_cpu_ptr(pmu->cpu_pmu_context))->pmu_disable_count;
#else
	return this_cpu_ptr(pmu->pmu_disable_count);
#endif
}

/* May another task of the same user inspect this one? False for kernel threads. */
#ifdef PMUDEV_HAVE_EXEC_STATE
#include <linux/sched/exec_state.h>
static inline bool pmudev_task_dumpable(struct task_struct *task)
{
	struct task_exec_state *state;
	bool dumpable;

	rcu_read_lock();
	state = rcu_dereference(task->exec_state);
	dumpable = state && READ_ONCE(state->dumpable) == TASK_DUMPABLE_OWNER;
	/* Without a lock: a thread that is exiting loses it at any time. */
	dumpable = dumpable && READ_ONCE(task->mm);
	rcu_read_unlock();
	return dumpable;
}
#else
static inline bool pmudev_task_dumpable(struct task_struct *task)
{
	bool dumpable;

	task_lock(task);
	dumpable = task->mm && get_dumpable(task->mm) == SUID_DUMP_USER;
	task_unlock(task);
	return dumpable;
}
#endif

/* Can the fork hook allocate memory? Before 7.2 PREEMPT_RT kernels cannot. */
#define PMUDEV_FORK_ALLOCATES \
	(LINUX_VERSION_CODE >= KERNEL_VERSION(7, 2, 0) || !IS_ENABLED(CONFIG_PREEMPT_RT))

/* Does perf's PMUv3 driver know PMUACR_EL1, and PMICNTR_EL0? Else EL2 may trap them. */
#define PMUDEV_PERF_UEN __is_defined(PMUDEV_PERF_HAS_UEN)
#define PMUDEV_PERF_ICNTR __is_defined(PMUDEV_PERF_HAS_ICNTR)

/* Counters, a mask by index, of a mask of arm_pmu. Until 6.11 the cycle counter came first. */
static inline u64 pmudev_perf_counters(u64 mask)
{
	if (LINUX_VERSION_CODE < KERNEL_VERSION(6, 12, 0))
		return (mask >> 1 & GENMASK_ULL(30, 0)) | (mask & 1) << 32;
	return (mask & GENMASK_ULL(30, 0)) | (mask & GENMASK_ULL(32, 31)) << 1;
}

/* The index of a counter there. */
static inline unsigned int pmudev_perf_index(unsigned int counter)
{
	if (LINUX_VERSION_CODE < KERNEL_VERSION(6, 12, 0))
		return counter == 32 ? 0 : counter + 1;
	return counter >= 32 ? counter - 1 : counter;
}

#endif /* _PMUDEV_COMPAT_H */
