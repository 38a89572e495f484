// SPDX-License-Identifier: GPL-2.0
/*
 * Bugs, one for each checker of the debug kernels. scripts/build-module --broken links this file
 * into the module. tests/checker/run writes the name of a bug to the parameter "bug", which
 * triggers it, and expects its report.
 */
#include <linux/module.h>
#include <linux/slab.h>
#include <linux/workqueue.h>

#include "compat.h"
#include "set/inherit.h"
#include "set/set.h"

/* A value that the compiler cannot analyze: it would warn about the bug, or remove it. */
#define HIDDEN(value)						\
	({							\
		typeof(value) hidden = (value);			\
								\
		OPTIMIZER_HIDE_VAR(hidden);			\
		hidden;						\
	})

static struct pmudev_ctx *some_ctx(void)
{
	return &per_cpu_ptr(&pmudev_cpus, 0)->ctx;
}

static void use_after_free(struct pmudev_set *set)
{
	struct pmudev_set *gone = kmemdup(set, sizeof(*set), GFP_KERNEL);

	kfree(gone);
	READ_ONCE(HIDDEN(gone)->used);
}

/* The set is a part of the allocated object. */
static void out_of_bounds(struct pmudev_set *set)
{
	READ_ONCE(*(u8 *)HIDDEN(pmudev_open_set(set) + 1));
}

static void double_free(struct pmudev_set *set)
{
	struct pmudev_set *gone = kmemdup(set, sizeof(*set), GFP_KERNEL);

	kfree(gone);
	kfree(HIDDEN(gone));
}

/* Many: kmemleak misses an object if some memory happens to contain its address. */
static void leak(struct pmudev_set *set)
{
	int i;

	for (i = 0; i < 200; i++)
		HIDDEN(kmemdup(set, sizeof(*set), GFP_KERNEL));
}

/* inherit->lock nests inside ctx->lock, not outside. */
static void lock_inversion(struct pmudev_set *set)
{
	unsigned long flags;

	if (pmudev_inherit_create(set, false))
		return;
	raw_spin_lock_irqsave(&set->inherit->lock, flags);
	raw_spin_lock(&some_ctx()->lock);
	raw_spin_unlock(&some_ctx()->lock);
	raw_spin_unlock_irqrestore(&set->inherit->lock, flags);
	pmudev_inherit_destroy(set);
}

/* On PREEMPT_RT kernels a spinlock may sleep, so it cannot nest inside a raw one. */
static void wait_context(struct pmudev_set *set)
{
	spinlock_t *lock = &pmudev_open_set(set)->last.lock;
	unsigned long flags;

	raw_spin_lock_irqsave(&some_ctx()->lock, flags);
	spin_lock(lock);
	spin_unlock(lock);
	raw_spin_unlock_irqrestore(&some_ctx()->lock, flags);
}

static void sleep_in_atomic(struct pmudev_set *set)
{
	unsigned long flags;

	raw_spin_lock_irqsave(&some_ctx()->lock, flags);
	might_sleep();
	raw_spin_unlock_irqrestore(&some_ctx()->lock, flags);
}

static void which_cpu(struct pmudev_set *set)
{
	READ_ONCE(this_cpu_ptr(&pmudev_cpus)->ready);
}

static void outside_rcu(struct pmudev_set *set)
{
	static struct pmudev_set __rcu *pointer;

	HIDDEN(rcu_dereference(pointer));
}

static void refcount(struct pmudev_set *set)
{
	struct pmudev_child *child = kzalloc(sizeof(*child), GFP_KERNEL);

	if (!child)
		return;
	refcount_set(&child->ref.refcount, 0);
	kref_get(&child->ref);
	kfree(child);
}

static void double_unlink(struct pmudev_set *set)
{
	struct list_head *node = &set->alloc->node;
	LIST_HEAD(list);

	list_add(node, &list);
	list_del(node);
	list_del(node);
	INIT_LIST_HEAD(node);
}

static enum hrtimer_restart tick(struct hrtimer *timer)
{
	return HRTIMER_NORESTART;
}

static void active_timer(struct pmudev_set *set)
{
	struct pmudev_cpu *cpuc = kzalloc(sizeof(*cpuc), GFP_KERNEL);

	if (!cpuc)
		return;
	pmudev_hrtimer_setup(&cpuc->fold_timer, tick);
	hrtimer_start(&cpuc->fold_timer, ns_to_ktime(NSEC_PER_SEC * 3600ULL), HRTIMER_MODE_REL);
	kfree(cpuc);
}

static void shift(struct pmudev_set *set)
{
	static int result;

	WRITE_ONCE(result, 1 << HIDDEN(32));
}

/* Two CPUs write it without a lock. */
static u64 raced;

static void race_here(struct work_struct *work)
{
	int i;

	for (i = 0; i < 20000; i++) {
		raced++;
		barrier();
	}
}

static void race(struct pmudev_set *set)
{
	struct work_struct work[2];
	int cpu;

	for (cpu = 0; cpu < 2; cpu++) {
		INIT_WORK_ONSTACK(&work[cpu], race_here);
		schedule_work_on(cpu, &work[cpu]);
	}
	for (cpu = 0; cpu < 2; cpu++) {
		flush_work(&work[cpu]);
		destroy_work_on_stack(&work[cpu]);
	}
}

static const struct {
	const char *name;
	void (*make)(struct pmudev_set *set);
} bugs[] = {
	{ "use-after-free", use_after_free },
	{ "out-of-bounds", out_of_bounds },
	{ "double-free", double_free },
	{ "leak", leak },
	{ "lock-inversion", lock_inversion },
	{ "wait-context", wait_context },
	{ "sleep-in-atomic", sleep_in_atomic },
	{ "which-cpu", which_cpu },
	{ "outside-rcu", outside_rcu },
	{ "refcount", refcount },
	{ "double-unlink", double_unlink },
	{ "active-timer", active_timer },
	{ "shift", shift },
	{ "race", race },
};

static int make_bug(const char *name, const struct kernel_param *param)
{
	struct pmudev_set *set;
	int i;

	for (i = 0; i < ARRAY_SIZE(bugs); i++) {
		if (!sysfs_streq(name, bugs[i].name))
			continue;
		set = pmudev_set_create();
		if (!set)
			return -ENOMEM;
		bugs[i].make(set);
		pmudev_set_destroy(set);
		return 0;
	}
	return -EINVAL;
}

static const struct kernel_param_ops ops = {
	.set = make_bug,
};
module_param_cb(bug, &ops, NULL, 0200);
