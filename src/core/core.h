/* SPDX-License-Identifier: GPL-2.0 */
/* What the core's files offer each other. */
#ifndef _PMUDEV_CORE_H
#define _PMUDEV_CORE_H

#include <linux/smp.h>

#include <pmudev/event.h>

#include "memory.h"
#include "tasks.h"
#include "worker.h"

struct file;
struct vm_area_struct;

/*
 * Most often nobody has it: then without what mutex_lock() begins with, a look at whether to give
 * way. Lockdep learns the order of locks from those who may have to wait. May sleep.
 */
static inline void pmudev_lock(struct mutex *mutex)
{
	might_sleep_if(IS_ENABLED(CONFIG_DEBUG_ATOMIC_SLEEP));
	if (IS_ENABLED(CONFIG_PROVE_LOCKING) || !mutex_trylock(mutex))
		mutex_lock(mutex);
}

/* A call on the set is under way: by whoever holds its mutex, or a worker for him. */
static inline void pmudev_assert_call(struct pmudev_set *set)
{
	lockdep_assert(pmudev_in_worker() || lockdep_is_held(&set->mutex));
}

/* Where there may be thousands: a worker lets others run. Who is not to be preempted does not. */
static inline void pmudev_cond_resched(void)
{
	if (pmudev_in_worker())
		cond_resched();
}

/* Nothing was refused yet. Field by field: some compilers call memset() for the rest. */
static inline void pmudev_no_refusal(struct pmudev_refusal *why)
{
	why->code = PMUDEV_OK;
	why->event = -1;
	why->allowed = 0;
	why->busy = 0;
	why->limit = 0;
	why->holder.counter = 0;
	why->holder.kind = 0;
	why->holder.pid = 0;
	why->holder.cpu = -1;
	why->nr_holders = 0;
	why->reserved = 0;
	why->holders = 0;
}

/* --------------------------------------------------------------- sched.c -- */

void pmudev_ctx_init(struct pmudev_ctx *ctx);

/* The same as pmudev_ctx_call(), of a context that was not here. */
void pmudev_ctx_call_away(struct pmudev_ctx *ctx, pmudev_ctx_fn fn, void *arg);

/* The same if it is here, or nowhere: the caller himself runs @fn. Else false, and nothing done. */
static __always_inline bool pmudev_ctx_call_here(struct pmudev_ctx *ctx, pmudev_ctx_fn fn,
						 void *arg)
{
	unsigned long flags;
	bool here;

	raw_spin_lock_irqsave(&ctx->lock, flags);
	here = ctx->cpu < 0 || ctx->cpu == smp_processor_id();
	if (here)
		fn(ctx, arg);
	raw_spin_unlock_irqrestore(&ctx->lock, flags);
	return here;
}

/**
 * pmudev_ctx_call - run @fn on a context, wherever it is
 * @ctx: referenced by the caller
 * @fn: what to run
 * @arg: its argument
 *
 * Returns when it has run. Process context, irqs on; does not sleep but may
 * wait for another CPU.
 */
static __always_inline void pmudev_ctx_call(struct pmudev_ctx *ctx, pmudev_ctx_fn fn, void *arg)
{
	if (!pmudev_ctx_call_here(ctx, fn, arg))
		pmudev_ctx_call_away(ctx, fn, arg);
}

/* Load, unload: ctx->lock held, irqs off, on the CPU concerned. */
void pmudev_ctx_load(struct pmudev_ctx *ctx);
void pmudev_ctx_unload(struct pmudev_ctx *ctx);

/* Bring the counts of all events forward, and the pages of narrow counters. */
void pmudev_ctx_fold(struct pmudev_ctx *ctx);

/* The same for one set's events, of a context with others', without the pages. ctx->lock held. */
void pmudev_set_update_some(struct pmudev_ctx *ctx, struct pmudev_set *set);

/**
 * struct pmudev_clocks - a context's clocks at one moment, in ticks
 * @enabled: runs while the target does
 * @running: runs while it does on a CPU whose counters are ours
 */
struct pmudev_clocks {
	u64 enabled;
	u64 running;
};

/* The clocks now. ctx->lock held. */
static __always_inline struct pmudev_clocks pmudev_ctx_clocks(const struct pmudev_ctx *ctx)
{
	u64 now = ctx->cpu < 0 ? 0 : pmudev_clock();
	struct pmudev_clocks clocks = { .enabled = ctx->clock + now };

	/* On a CPU that is not ours lost runs as well, and the running clock stands. */
	if (unlikely(ctx->cpu >= 0 && !ctx->ready))
		clocks.running = ctx->clock - ctx->lost;
	else
		clocks.running = clocks.enabled - ctx->lost;
	return clocks;
}

/* Is it loaded, on a CPU that is ours? ctx->lock held. */
static inline bool pmudev_ctx_counting(const struct pmudev_ctx *ctx)
{
	return ctx->cpu >= 0 && ctx->ready;
}

/* Bring the counts of a set's events forward, without the pages. ctx->lock held. */
static __always_inline void pmudev_set_update(struct pmudev_ctx *ctx, struct pmudev_set *set)
{
	lockdep_assert_held(&ctx->lock);
	if (!set->active || !pmudev_ctx_counting(ctx))
		return;
	/* By how much the counts in the pages lag behind now nobody knows. */
	if (ctx->maps)
		ctx->stale |= PMUDEV_STALE_COUNTS;
	/* Of one set: what is on is its. */
	if (ctx->nr_sets == 1)
		pmudev_backend_read(ctx->active, ctx->nr);
	else
		pmudev_set_update_some(ctx, set);
}

/* The events of slots, in ascending order; how many. */
unsigned int pmudev_slots_hw(struct pmudev_set *set, u64 slots, struct pmudev_hw **hw);

/* Their counters. */
u64 pmudev_slots_counters(struct pmudev_set *set, u64 slots);

/*
 * Put events on their counters; false, and nothing done, if another of the context's has one of
 * them. Take events off theirs: nobody reads them there any more. ctx->lock held, the target here
 * or not running.
 */
bool pmudev_slots_activate(struct pmudev_ctx *ctx, struct pmudev_set *set, u64 slots);
void pmudev_slots_deactivate(struct pmudev_ctx *ctx, struct pmudev_set *set, u64 slots);

/* -------------------------------------------------------------- change.c -- */

/**
 * struct pmudev_change - an argument of the functions below
 * @set: a set of the context; pmudev_set_call() fills it in
 * @slots: slots concerned
 * @user: for slots: the new mask
 * @mux: for slots: the new mask
 * @value: for reset
 * @rotation: for turns
 * @data: for others
 * @total: for the reading of counts: the sum of the children
 * @reset: slots whose children' counts are taken back
 * @forget: slots whose children' times are taken back
 * @reading: nothing is changed: who is started meanwhile need not be reached
 * @placed: for enable: the events know where they are placed
 * @error: out: 0 or -ESRCH if the context is dead
 */
struct pmudev_change {
	struct pmudev_set *set;
	u64 slots;
	union {
		struct {
			u64 user;
			u64 mux;
		};
		u64 value;
		const struct pmudev_rotation *rotation;
		void *data;
	};
	struct pmudev_sum *total;
	u64 reset;
	u64 forget;
	bool reading;
	bool placed;
	int error;
};

/* Of these slots, and nothing else. Field by field: some compilers call memset() for the whole. */
static __always_inline void pmudev_change_init(struct pmudev_change *change, u64 slots)
{
	change->slots = slots;
	change->user = 0;
	change->mux = 0;
	change->total = NULL;
	change->reset = 0;
	change->forget = 0;
	change->reading = false;
	change->placed = false;
	change->error = 0;
}

/**
 * pmudev_set_call - a change of a set, and of each of its children
 * @set: with a file
 * @fn: what to do, with a copy of @change for each
 * @change: its argument; its set is filled in
 *
 * Each is reached once. To an child that is started meanwhile, of one that was not reached yet, it is
 * done at birth: so there are no more to visit than there were at the beginning. May sleep if the
 * set is inherited, else as pmudev_ctx_call().
 */
static __always_inline void pmudev_set_call(struct pmudev_set *set, pmudev_ctx_fn fn,
					    struct pmudev_change *change)
{
	change->set = set;
	if (set->inherit)
		pmudev_for_each_child(set, fn, change);
	else
		pmudev_ctx_call(set->ctx, fn, change);
}

/* pmudev_ctx_fn with a struct pmudev_change */
void pmudev_change_slots(struct pmudev_ctx *ctx, void *arg);  /* have these in use */
void pmudev_change_enable(struct pmudev_ctx *ctx, void *arg); /* placed, not enabled */
void pmudev_change_disable(struct pmudev_ctx *ctx, void *arg);
void pmudev_change_reset(struct pmudev_ctx *ctx, void *arg);
void pmudev_change_rotation(struct pmudev_ctx *ctx, void *arg);
void pmudev_change_user_access_off(struct pmudev_ctx *ctx,
				   void *arg); /* off counters, still enabled */
void pmudev_change_user_access_on(struct pmudev_ctx *ctx, void *arg);

/* A set that rests, ctx->lock held; false: it takes more than that. */
bool pmudev_enable_again(struct pmudev_ctx *ctx, struct pmudev_set *set);
bool pmudev_disable_again(struct pmudev_ctx *ctx, struct pmudev_set *set);

/* pmudev_ctx_fn with the sets of the context that move, as pmudev_place_moves() returned them */
void pmudev_change_places(struct pmudev_ctx *ctx, void *arg);

/* Have on counters what a set's image says. ctx->lock held. */
void pmudev_rotation_apply(struct pmudev_ctx *ctx, struct pmudev_set *set);

/* Show the next images of all sets. ctx->lock held. */
void pmudev_ctx_rotate(struct pmudev_ctx *ctx);

/* The thread executes a program: what waited for that is enabled. ctx->lock held. */
void pmudev_ctx_exec(struct pmudev_ctx *ctx);

/* ----------------------------------------------------------------- cpu.c -- */

/**
 * pmudev_reserve_pmu - have all CPUs' counters, taking them if need be
 * @set: for whom
 * @pmu: its lock is held, and the CPUs stay (cpus_read_lock). In a kernel thread.
 * @why: filled in on error
 *
 * Return: 0, or -EBUSY with the holder, -ENOMEM; -EAGAIN: after pmudev_reserve_check().
 */
int pmudev_reserve_pmu(struct pmudev_set *set, struct pmudev_pmu *pmu, struct pmudev_refusal *why);

/**
 * pmudev_reserve_check - does anybody else use the counters that a claim for the set would take?
 * @set: its mutex held, by the caller
 * @why: filled in if so
 *
 * Before a worker makes the claim: what perf counts of the caller, who waits for that, or of
 * whoever was where the worker runs, is on no counter then.
 *
 * Return: 0, or -EBUSY with the holder.
 */
int pmudev_reserve_check(struct pmudev_set *set, struct pmudev_refusal *why);

/* If that was the reason, say more exactly who has the PMU. May sleep; without pmu->lock. */
void pmudev_explain_holder(int error, struct pmudev_refusal *why);
void pmudev_release_pmu(struct pmudev_pmu *pmu);

/*
 * The same two where others have it, too, and nothing is done to any CPU: then these need not stay.
 * False: it takes the long way, and nothing was done.
 */
bool pmudev_reserve_join(struct pmudev_pmu *pmu);
bool pmudev_reserve_leave(struct pmudev_pmu *pmu);

/**
 * pmudev_reserve_others - have the counters of all other PMUs' CPUs, too
 * @set: has events that user mode may read: its thread has the right on all CPUs, where perf
 *	would take it away, and would show what it counts
 * @why: filled in on error
 *
 * Once a set, until pmudev_release_others(). The CPUs stay (cpus_read_lock). Takes their locks.
 */
int pmudev_reserve_others(struct pmudev_set *set, struct pmudev_refusal *why);
void pmudev_release_others(struct pmudev_set *set);

/* See struct pmudev_upcalls. */
bool pmudev_clear_residue(void);

/* Clear them on all CPUs: somebody could see them from now on. Waits for the other CPUs. */
void pmudev_clear_residue_all(void);

/* Have the fold timer run at least this often. Irqs off. */
void pmudev_fold_timer(struct pmudev_cpu *cpuc, u64 period_ns);

/* Load what belongs on this CPU, for counting or (not @ready) for its lost time. */
void pmudev_cpu_load(struct pmudev_cpu *cpuc, bool ready);

int pmudev_cpu_init(void);
void pmudev_cpu_exit(void);

/* --------------------------------------------------------------- power.c -- */

int pmudev_power_init(void);
void pmudev_power_exit(void);

/* ----------------------------------------------------------------- set.c -- */

struct pmudev_set *pmudev_set_create(void);
void pmudev_set_destroy(struct pmudev_set *set);

/* The target has ended, and all that inherited from it. */
static inline bool pmudev_set_ended(struct pmudev_set *set)
{
	/* Ended first, and then no children: one that was started before is seen. */
	return smp_load_acquire(&set->ctx->dead) && !pmudev_has_children(set);
}

int pmudev_set_bind(struct pmudev_set *set, const struct pmudev_bind *bind,
		    struct pmudev_refusal *why);

/* ----------------------------------------------------------------- add.c -- */

/* A call about so many events, as most are, asks for no memory: they fit on the stack. */
#define PMUDEV_FEW 8

/**
 * pmudev_set_add - add events
 * @set: the set
 * @attr: the events
 * @nr: how many
 * @slot: out: the slots they got
 * @why: filled in on error
 */
int pmudev_set_add(struct pmudev_set *set, const struct pmudev_event_attr *attr, unsigned int nr,
		   u32 *slot, struct pmudev_refusal *why);
int pmudev_set_remove(struct pmudev_set *set, u32 group, struct pmudev_refusal *why);

/* Add them to a set, the calling thread's if it has no target, and enable their groups, or not. */
int pmudev_set_begin(struct pmudev_set *set, const struct pmudev_event_attr *attr, unsigned int nr,
		     u32 *slots, struct pmudev_refusal *why);

/* -EBUSY with the first of these sets as the holder: pmudev_readers.granted or .private. */
int pmudev_refuse_readable(struct list_head *sets, struct pmudev_refusal *why);

/**
 * pmudev_check_events - all checks of events that no moment changes
 * @set: bound, its mutex held
 * @attr: the events
 * @nr: how many
 * @code: out: their encodings
 * @why: filled in on error
 */
int pmudev_check_events(struct pmudev_set *set, const struct pmudev_event_attr *attr,
			unsigned int nr, struct pmudev_code *code, struct pmudev_refusal *why);

/* -------------------------------------------------------------- enable.c -- */

int pmudev_set_enable(struct pmudev_set *set, u32 group, struct pmudev_refusal *why);

/* The same of these slots: whole groups. */
int pmudev_slots_enable(struct pmudev_set *set, u64 slots, struct pmudev_refusal *why);
int pmudev_set_disable(struct pmudev_set *set, u32 group, struct pmudev_refusal *why);

/* All of it, and no counter is kept: the set is being destroyed. */
void pmudev_set_end(struct pmudev_set *set);
int pmudev_set_reset(struct pmudev_set *set, u32 group, u32 slot, u64 value,
		     struct pmudev_refusal *why);

/* The slots of a group, or of all. Set's mutex held. -EINVAL if there are none. */
int pmudev_find_group(struct pmudev_set *set, u32 group, u64 *slots, struct pmudev_refusal *why);

static inline int pmudev_group_slots(struct pmudev_set *set, u32 group, u64 *slots,
				     struct pmudev_refusal *why)
{
	if (unlikely(group != PMUDEV_ALL || !set->ctx || !set->used))
		return pmudev_find_group(set, group, slots, why);
	*slots = set->used;
	return 0;
}

/* ---------------------------------------------------------------- rest.c -- */

/**
 * pmudev_toggle - enable or disable all of a set that rests
 * @set: its mutex is not needed
 * @active: enable it
 *
 * Return: done; false: not this way. Does not sleep.
 */
bool pmudev_toggle(struct pmudev_set *set, bool on);

/* It rests no more: what is disabled stays so while the set's mutex is held. Takes pmu->lock. */
void pmudev_rest_over(struct pmudev_set *set);

static inline void pmudev_rest_not(struct pmudev_set *set)
{
	pmudev_assert_call(set);
	/* Who holds the mutex begins it; others only end it. */
	if (READ_ONCE(set->rests))
		pmudev_rest_over(set);
}

/* -------------------------------------------------------------- dryrun.c -- */

int pmudev_set_place(struct pmudev_set *set, const struct pmudev_event_attr *attr, unsigned int nr,
		     s32 *counter, unsigned int *nr_out, struct pmudev_refusal *why);

/* ---------------------------------------------------------------- read.c -- */

/* file_operations.read: one record. Return: its bytes, or an error, remembered. May sleep. */
ssize_t pmudev_read(struct file *file, char __user *buf, size_t size, loff_t *pos);

/* ---------------------------------------------------------------- mmap.c -- */

int pmudev_page_mmap(struct pmudev_set *set, struct vm_area_struct *vma,
		     struct pmudev_refusal *why);

/* Take the page from the context and free it: the set is being destroyed. */
void pmudev_page_detach(struct pmudev_set *set);

int pmudev_page_init(void);
void pmudev_page_exit(void);

/* ------------------------------------------------------------ userpage.c -- */

/* Rewrite a set's page, if it has one. ctx->lock held, the target here or not running. */
void pmudev_page_rewrite(struct pmudev_ctx *ctx, struct pmudev_set *set);

static inline void pmudev_page_publish(struct pmudev_ctx *ctx, struct pmudev_set *set)
{
	if (set->page)
		pmudev_page_rewrite(ctx, set);
}

/* The same for the counts alone of all pages that have counters. */
void pmudev_pages_refresh(struct pmudev_ctx *ctx);

/* Rewrite what is stale of them, for a thread that is loaded. ctx->lock held. */
void pmudev_pages_renew(struct pmudev_ctx *ctx);

/* Slots are about to be removed: nothing of their groups is to stay. ctx->lock held. */
void pmudev_page_forget(struct pmudev_set *set, u64 slots);

/* The context was loaded, is about to be unloaded. As pmudev_ctx_load(). */
void pmudev_pages_in(struct pmudev_ctx *ctx);
void pmudev_pages_out(struct pmudev_ctx *ctx);

/* The right may be gone already: have readers fall back. ctx->lock held. */
void pmudev_pages_lost(struct pmudev_ctx *ctx);

/* See struct pmudev_upcalls. */
void pmudev_user_access_lost(void);

/* The right to read ends: the thread runs another program, or has ended. ctx->lock held. */
void pmudev_pages_revoke(struct pmudev_ctx *ctx);

/* --------------------------------------------------------------- guest.c -- */

/* Have KVM's guests entered and left under our eyes, until put: once a set. May sleep. */
int pmudev_kvm_hooks_get(void);
void pmudev_kvm_hooks_put(void);

/* Are the probes installed? */
bool pmudev_kvm_hooked(void);

/* See struct pmudev_upcalls. */
void pmudev_guest_entered(void);
void pmudev_guest_left(void);

/* The probe of kvm_userspace_exit. */
void pmudev_kvm_userspace_exit(void *data, u32 reason, int error);

int pmudev_kvm_init(void);
void pmudev_kvm_exit(void);

/* ---------------------------------------------------------------- gate.c -- */

bool pmudev_user_access_enabled(void);
int pmudev_user_access_init(void);
void pmudev_user_access_exit(void);

/* -------------------------------------------------------------- quota.c -- */

/**
 * pmudev_quota_get - the calling process pays for one part: a set, or an child
 * @owner: out: who pays from now on; NULL: nobody does, nothing is bounded
 *
 * Return: 0, -EDQUOT, -ENOMEM. May sleep.
 */
int pmudev_quota_get(struct pmudev_quota_owner **owner);

/* One part more for who pays already; false: he has as many as he may. Any context. */
bool pmudev_quota_charge(struct pmudev_quota_owner *owner);

/* One part less. Task context. */
void pmudev_quota_put(struct pmudev_quota_owner *owner);

/*
 * The two halves of it: another may have the part from now on; and its memory is free. A user has
 * no more parts than the limit, and no more than that (or 256) wait to be freed.
 */
void pmudev_quota_uncharge(struct pmudev_quota_owner *owner);
void pmudev_quota_put_memory(struct pmudev_quota_owner *owner);

/* How many parts a user can have. */
unsigned int pmudev_quota_limit(void);

int pmudev_quota_init(void);
void pmudev_quota_exit(void);

/* --------------------------------------------------------------- query.c -- */

/* Fill in of @query what the PMU is. No lock is taken: anybody may ask, as often as he likes. */
void pmudev_describe(struct pmudev_pmu *pmu, struct pmudev_query *query);

/* And its state now. Takes pmu->lock. */
void pmudev_describe_now(struct pmudev_pmu *pmu, struct pmudev_query *query);

/*
 * Is a CPU of that PMU? Where there is one PMU, those that have never been online are taken to be
 * as all others are.
 */
bool pmudev_pmu_has_cpu(const struct pmudev_pmu *pmu, int cpu);

/* --------------------------------------------------------------- sysfs.c -- */

/* When all CPUs and the gate are there. */
int pmudev_sysfs_init(void);

/* Waits for those who are reading a file; later readers get ENODEV. */
void pmudev_sysfs_exit(void);

/* --------------------------------------------------------------- ioctl.c -- */

long pmudev_ioctl(struct file *file, unsigned int cmd, unsigned long arg);

/* Keep a refusal for PMUDEV_IOC_WHY. May sleep: no; any context with irqs on. */
void pmudev_save_refusal(struct pmudev_set *set, const struct pmudev_refusal *why, int error);

/* ------------------------------------------------------------- chardev.c -- */

int pmudev_chardev_init(void);
void pmudev_chardev_exit(void);

#endif /* _PMUDEV_CORE_H */
