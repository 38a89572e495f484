/* SPDX-License-Identifier: GPL-2.0 */
/* What the core's files offer each other. */
#ifndef _PMUDEV_CORE_H
#define _PMUDEV_CORE_H

#include <pmudev/event.h>

struct file;
struct vm_area_struct;

/* --------------------------------------------------------------- sched.c -- */

/**
 * typedef pmudev_ctx_fn - work on a context
 *
 * Runs with ctx->lock held and irqs off: on ctx->cpu if that is not negative, else
 * anywhere, and then the target cannot run.
 */
typedef void (*pmudev_ctx_fn)(struct pmudev_ctx *ctx, void *arg);

void pmudev_ctx_init(struct pmudev_ctx *ctx);

/**
 * pmudev_ctx_call - run @fn on a context, wherever it is
 * @ctx: referenced by the caller
 * @fn: what to run
 * @arg: its argument
 *
 * Returns when it has run. Process context, irqs on; does not sleep but may
 * wait for another CPU.
 */
void pmudev_ctx_call(struct pmudev_ctx *ctx, pmudev_ctx_fn fn, void *arg);

/* Load, unload: ctx->lock held, irqs off, on the CPU concerned. */
void pmudev_ctx_load(struct pmudev_ctx *ctx, int cpu);
void pmudev_ctx_unload(struct pmudev_ctx *ctx);

/* Bring the counts of all events forward, and the pages of narrow counters. */
void pmudev_ctx_fold(struct pmudev_ctx *ctx);

/* The same for one set's events, without the pages. ctx->lock held. */
void pmudev_set_bring_forward(struct pmudev_ctx *ctx, struct pmudev_set *set);

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
struct pmudev_clocks pmudev_ctx_clocks(const struct pmudev_ctx *ctx);

/**
 * struct pmudev_change - an argument of the functions below
 * @set: a set of the context
 * @slots: slots concerned
 * @value: for reset
 * @error: out: 0 or -ESRCH if the context is dead
 */
struct pmudev_change {
	struct pmudev_set *set;
	u64 slots;
	u64 value;
	int error;
};

/* pmudev_ctx_fn with a struct pmudev_change */
void pmudev_change_enable(struct pmudev_ctx *ctx, void *arg);	/* placed, not enabled */
void pmudev_change_disable(struct pmudev_ctx *ctx, void *arg);
void pmudev_change_reset(struct pmudev_ctx *ctx, void *arg);
void pmudev_change_gate(struct pmudev_ctx *ctx, void *arg);	/* off counters, still enabled */
void pmudev_change_ungate(struct pmudev_ctx *ctx, void *arg);

/* ---------------------------------------------------------------- task.c -- */

/**
 * pmudev_task_self - the context of the calling thread
 *
 * Return: a reference, or an ERR_PTR. May sleep.
 */
struct pmudev_ctx *pmudev_task_self(void);

/* Drop the reference that a set has. Any process context. */
void pmudev_task_put(struct pmudev_ctx *ctx);

bool pmudev_task_hooked(void);
void pmudev_task_exit(void);

/* ----------------------------------------------------------------- cpu.c -- */

/**
 * pmudev_claim_get - have all CPUs' counters, taking them if need be
 * @pmu: its lock is held, and the CPUs stay (cpus_read_lock)
 * @why: filled in on error
 *
 * Return: 0, or -EBUSY with the holder, -ENOMEM.
 */
int pmudev_claim_get(struct pmudev_pmu *pmu, struct pmudev_refusal *why);
void pmudev_claim_put(struct pmudev_pmu *pmu);

/**
 * pmudev_counters_left - counters were saved and stopped
 * @pc: this CPU
 * @counters: what was loaded there shows in them still, but is not to
 *
 * They are cleared by the time somebody could see them. Irqs off.
 */
void pmudev_counters_left(struct pmudev_cpu *pc, u64 counters);

/* Clear them on all CPUs: somebody could see them from now on. Waits for the other CPUs. */
void pmudev_counters_clean(void);

/* Have the fold timer run at least this often. Irqs off. */
void pmudev_fold_timer(struct pmudev_cpu *pc, u64 period_ns);

int pmudev_cpu_init(void);
void pmudev_cpu_exit(void);

/* --------------------------------------------------------------- place.c -- */

/**
 * pmudev_place - find counters for events of a set
 * @set: bound; pmu->lock held
 * @allowed: by event: the counters that can take it
 * @nr: how many events
 * @counter: out: by event
 * @why: filled in on error; its event is the index into @allowed
 *
 * Return: 0, -ENOSPC if no state of the ledger would do, -EBUSY with the holders.
 */
int pmudev_place(struct pmudev_set *set, const u64 *allowed, unsigned int nr, u8 *counter,
		 struct pmudev_refusal *why);

/* Could these events be on counters together, if nobody else had any? */
int pmudev_place_ever(struct pmudev_pmu *pmu, const u64 *allowed, unsigned int nr,
		      struct pmudev_refusal *why);

/* Enter and leave the ledger. pmu->lock held. */
void pmudev_ledger_take(struct pmudev_set *set, u64 slots);
void pmudev_ledger_give(struct pmudev_set *set, u64 slots);

/* Counters that some set holds, those of ended threads given back. pmu->lock held. */
u64 pmudev_ledger_busy(struct pmudev_pmu *pmu);

/**
 * pmudev_list_holders - who has each of these counters
 * @set: the set that was refused; bound
 * @busy: the counters
 * @holder: out: room for as many as @busy has bits
 *
 * Return: how many were found. May sleep.
 */
unsigned int pmudev_list_holders(struct pmudev_set *set, u64 busy, struct pmudev_holder *holder);

/* ----------------------------------------------------------------- set.c -- */

struct pmudev_set *pmudev_set_create(void);
void pmudev_set_destroy(struct pmudev_set *set);
int pmudev_set_bind(struct pmudev_set *set, const struct pmudev_bind *bind,
		    struct pmudev_refusal *why);

/* ----------------------------------------------------------------- add.c -- */

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

int pmudev_set_place(struct pmudev_set *set, const struct pmudev_event_attr *attr, unsigned int nr,
		     s32 *counter, unsigned int *nr_out, struct pmudev_refusal *why);
int pmudev_set_enable(struct pmudev_set *set, u32 group, struct pmudev_refusal *why);
int pmudev_set_disable(struct pmudev_set *set, u32 group, struct pmudev_refusal *why);
int pmudev_set_reset(struct pmudev_set *set, u32 group, u32 slot, u64 value,
		     struct pmudev_refusal *why);

/* The slots of a group, or of all. Set's mutex held. -EINVAL if there are none. */
int pmudev_group_slots(struct pmudev_set *set, u32 group, u64 *slots, struct pmudev_refusal *why);

/* ---------------------------------------------------------------- read.c -- */

ssize_t pmudev_set_read(struct pmudev_set *set, char __user *buf, size_t size,
			struct pmudev_refusal *why);

/* ---------------------------------------------------------------- mmap.c -- */

int pmudev_page_mmap(struct pmudev_set *set, struct vm_area_struct *vma,
		     struct pmudev_refusal *why);

/* Take the page from the context and free it: the set is being destroyed. */
void pmudev_page_detach(struct pmudev_set *set);

int pmudev_page_init(void);
void pmudev_page_exit(void);

/* ------------------------------------------------------------ userpage.c -- */

/* Rewrite a set's page, if it has one. ctx->lock held, the target here or not running. */
void pmudev_page_publish(struct pmudev_ctx *ctx, struct pmudev_set *set);

/* The same for the counts alone of all pages that have counters. */
void pmudev_pages_refresh(struct pmudev_ctx *ctx);

/* Slots are about to be removed: nothing of their groups is to stay. ctx->lock held. */
void pmudev_page_forget(struct pmudev_set *set, u64 slots);

/* The context was loaded, is about to be unloaded. As pmudev_ctx_load(). */
void pmudev_pages_in(struct pmudev_ctx *ctx);
void pmudev_pages_out(struct pmudev_ctx *ctx);

/* The right may be gone already: have readers fall back. ctx->lock held. */
void pmudev_pages_lost(struct pmudev_ctx *ctx);

/* The right to read ends: the thread runs another program, or has ended. ctx->lock held. */
void pmudev_pages_revoke(struct pmudev_ctx *ctx);

/* ---------------------------------------------------------------- gate.c -- */

bool pmudev_gate_open(void);
int pmudev_gate_init(void);
void pmudev_gate_exit(void);

/* --------------------------------------------------------------- ioctl.c -- */

long pmudev_ioctl(struct file *file, unsigned int cmd, unsigned long arg);

/* Keep a refusal for PMUDEV_IOC_WHY. May sleep: no; any context with irqs on. */
void pmudev_remember(struct pmudev_set *set, const struct pmudev_refusal *why, int error);

/* ------------------------------------------------------------- chardev.c -- */

int pmudev_chardev_init(void);
void pmudev_chardev_exit(void);

#endif /* _PMUDEV_CORE_H */
