// SPDX-License-Identifier: GPL-2.0
/*
 * The user page: mapping, the right to read, publishing.
 *
 * The right belongs to the address space in which pages are mapped, and is exercised by the
 * counted threads alone: only they have an owner word that matches.
 */
#include <linux/mm.h>
#include <linux/pid_namespace.h>
#include <linux/sched/signal.h>
#include <linux/timex.h>

#include "compat.h"
#include "core.h"

/* What a fork's child finds in place of its parent's page: zeroes. */
static struct page *blank;

/* ----------------------------------------------------------- publishing -- */

/*
 * The reader runs on the CPU that writes, or is not running and will see all this by
 * the switch to it: compiler barriers keep the fields between the two steps of seq.
 */
static void page_begin(struct pmudev_page *page)
{
	WRITE_ONCE(page->seq, page->seq + 1);
	barrier();
}

static void page_end(struct pmudev_page *page)
{
	barrier();
	WRITE_ONCE(page->seq, page->seq + 1);
}

/* The owner word of a page that is written now: for a reader, whether to look further. */
static u32 page_owner(const struct pmudev_ctx *ctx, const struct pmudev_set *set)
{
	if (!ctx->user || set->map_mm != ctx->user_mm || !(set->on & set->user))
		return 0;
	return set->owner_tid;
}

/* Only pages that a switch has to touch are listed: no more than there are counters. */
static void list_page(struct pmudev_ctx *ctx, struct pmudev_set *set)
{
	bool listed = !hlist_unhashed(&set->page_node);
	bool list = set->page && (set->on & set->user);

	if (list && !listed)
		hlist_add_head(&set->page_node, &ctx->pages);
	else if (!list && listed)
		hlist_del_init(&set->page_node);
}

static void publish_slot(struct pmudev_page *page, struct pmudev_set *set, unsigned int slot,
			 u64 lost)
{
	struct pmudev_event *event = pmudev_slot_event(set, slot);
	struct pmudev_group_times *times = &page->times[event->group];

	if (set->on & set->user & BIT_ULL(slot))
		pmudev_page_slot(&page->slots[slot], event->hw.value, event->hw.counter,
				 pmudev_backend.operand(event->hw.counter), event->hw.width,
				 event->group);
	else
		pmudev_page_slot_off(&page->slots[slot], event->hw.value, event->group);
	times->enabled = event->time_enabled;
	times->running = event->time_running - lost;
}

/* The sequence has changed: what selects a counter starts anew, too. */
static void restart_selection(struct pmudev_ctx *ctx)
{
	if (ctx->user && !pmudev_backend.user_access(true))
		pmudev_pages_lost(ctx);
}

static void publish(struct pmudev_ctx *ctx, struct pmudev_set *set)
{
	struct pmudev_page *page = set->page;
	unsigned int slot, old;

	page_begin(page);
	old = page->nr_slots;
	for (slot = 0; slot < max(set->nr_slots, old); slot++) {
		if (set->used & BIT_ULL(slot))
			publish_slot(page, set, slot, ctx->lost);
		else
			memset(&page->slots[slot], 0, sizeof(page->slots[slot]));
	}
	page->nr_slots = set->nr_slots;
	page->clock = ctx->clock;
	page->time_enabled = set->time_enabled;
	page->time_running = set->time_running - ctx->lost;
	page->generation = set->generation;
	WRITE_ONCE(page->owner, page_owner(ctx, set));
	page_end(page);
}

void pmudev_page_publish(struct pmudev_ctx *ctx, struct pmudev_set *set)
{
	lockdep_assert_held(&ctx->lock);
	if (!set->page)
		return;
	list_page(ctx, set);
	publish(ctx, set);
	restart_selection(ctx);
}

/* What changes while a set's events stay where they are: counts, clock, owner. */
static void refresh(struct pmudev_ctx *ctx, struct pmudev_set *set)
{
	struct pmudev_page *page = set->page;
	unsigned int slot;
	u64 rest;

	page_begin(page);
	pmudev_for_each_slot(slot, rest, set->on & set->user)
		page->slots[slot].count = pmudev_slot_event(set, slot)->hw.value;
	page->clock = ctx->clock;
	WRITE_ONCE(page->owner, page_owner(ctx, set));
	page_end(page);
}

void pmudev_pages_refresh(struct pmudev_ctx *ctx)
{
	struct pmudev_set *set;

	lockdep_assert_held(&ctx->lock);
	hlist_for_each_entry(set, &ctx->pages, page_node)
		refresh(ctx, set);
	restart_selection(ctx);
}

void pmudev_page_forget(struct pmudev_set *set, u64 slots)
{
	unsigned int slot;
	u64 rest;

	if (!set->page)
		return;
	pmudev_for_each_slot(slot, rest, slots)
		memset(&set->page->times[pmudev_slot_event(set, slot)->group], 0,
		       sizeof(set->page->times[0]));
}

static void page_fixed_fields(struct pmudev_page *page, const struct pmudev_pmu *pmu)
{
	page->version = PMUDEV_ABI_VERSION;
	page->size = sizeof(*page);
	page->time_mult = pmu->mult;
	page->time_shift = pmu->shift;
	if (pmu->info.clock_hz)
		page->flags = PMUDEV_PAGE_TIMES;
}

/* -------------------------------------------------- loading, unloading -- */

void pmudev_pages_in(struct pmudev_ctx *ctx)
{
	struct pmudev_cpu *pc = this_cpu_ptr(&pmudev_cpus);
	u64 others = pc->dirty & ~(ctx->mask | pc->ctx.mask);
	struct pmudev_set *set;

	lockdep_assert_held(&ctx->lock);
	if (others) {
		pmudev_backend.clear(others);
		pc->dirty &= ~others;
	}
	/* Another has the register that allows it (KVM, a vcpu is loaded): readers fall back. */
	if (!pmudev_backend.user_access(true))
		return;
	ctx->user = true;
	hlist_for_each_entry(set, &ctx->pages, page_node) {
		if (ctx->stale)
			publish(ctx, set);
		else
			refresh(ctx, set);
	}
	ctx->stale = false;
}

static void disown_pages(struct pmudev_ctx *ctx)
{
	struct pmudev_set *set;

	hlist_for_each_entry(set, &ctx->pages, page_node)
		WRITE_ONCE(set->page->owner, 0);
	ctx->user = false;
}

void pmudev_pages_out(struct pmudev_ctx *ctx)
{
	lockdep_assert_held(&ctx->lock);
	disown_pages(ctx);
	/* If another has the register, what it puts back is withdrawn at the next switch. */
	ctx->owed = !pmudev_backend.user_access(false);
}

void pmudev_pages_lost(struct pmudev_ctx *ctx)
{
	lockdep_assert_held(&ctx->lock);
	if (!ctx->user)
		return;
	disown_pages(ctx);
	ctx->owed = true;
}

void pmudev_pages_revoke(struct pmudev_ctx *ctx)
{
	lockdep_assert_held(&ctx->lock);
	if (ctx->user)
		pmudev_pages_out(ctx);
	ctx->user_mm = NULL;
	ctx->maps = 0;
}

/* The backend's word: on this CPU user mode may not be able to read. Irqs off. */
void pmudev_user_access_lost(void)
{
	struct pmudev_ctx *ctx = this_cpu_ptr(&pmudev_cpus)->task;

	lockdep_assert_irqs_disabled();
	if (!ctx)
		return;
	raw_spin_lock(&ctx->lock);
	pmudev_pages_lost(ctx);
	raw_spin_unlock(&ctx->lock);
}

/* -------------------------------------------------------------- mapping -- */

struct mapping {
	struct pmudev_set *set;
	struct mm_struct *mm;
	struct task_struct *caller;
	struct page *page;
	struct pmudev_refusal *why;
	int error;
};

/* Count the set among those that could be seen. Under ctx->lock. */
static int grant(struct pmudev_set *set, struct pmudev_refusal *why)
{
	struct pmudev_pmu *pmu = set->pmu;
	int ret = 0;

	raw_spin_lock(&pmu->visible_lock);
	if (pmu->nr_private) {
		why->holder.kind = PMUDEV_HOLDER_CPU_SET;
		why->holder.cpu = -1;
		ret = pmudev_refuse(why, -EBUSY, PMUDEV_WHY_VISIBLE, 0);
	} else if (!set->granted) {
		set->granted = true;
		pmu->nr_granted++;
	}
	raw_spin_unlock(&pmu->visible_lock);
	return ret;
}

static void ungrant(struct pmudev_set *set)
{
	raw_spin_lock(&set->pmu->visible_lock);
	if (set->granted)
		set->pmu->nr_granted--;
	set->granted = false;
	raw_spin_unlock(&set->pmu->visible_lock);
}

static void count_mapping(struct pmudev_ctx *ctx, struct pmudev_set *set, struct mm_struct *mm)
{
	/* Another address space than before: the thread has run another program since. */
	if (set->map_mm != mm)
		set->maps = 0;
	set->map_mm = mm;
	set->maps++;
	if (ctx->user_mm != mm)
		ctx->maps = 0;
	ctx->user_mm = mm;
	ctx->maps++;
}

static void map_page(struct pmudev_ctx *ctx, void *arg)
{
	struct mapping *map = arg;
	struct pmudev_set *set = map->set;

	if (ctx->dead) {
		map->error = pmudev_refuse(map->why, -ESRCH, PMUDEV_WHY_ENDED, 0);
		return;
	}
	/* Looked at again: it may have been closed since. */
	if (!pmudev_gate_open()) {
		map->error = pmudev_refuse(map->why, -EACCES, PMUDEV_WHY_GATE, 0);
		return;
	}
	/* Not dead: the thread cannot get past its exit hook, which takes our lock. */
	if (!same_thread_group(ctx->task, map->caller)) {
		map->error = pmudev_refuse(map->why, -EPERM, PMUDEV_WHY_NOT_OWNER, 0);
		return;
	}
	map->error = grant(set, map->why);
	if (map->error)
		return;
	count_mapping(ctx, set, map->mm);
	set->owner_tid = task_pid_nr_ns(ctx->task, task_active_pid_ns(ctx->task));
	if (!set->page) {
		set->page = page_address(map->page);
		map->page = NULL;
		page_fixed_fields(set->page, set->pmu);
	}
	if (ctx->cpu >= 0 && ctx->ready && !ctx->user)
		pmudev_pages_in(ctx);
	pmudev_page_publish(ctx, set);
}

static void vma_opened(struct pmudev_ctx *ctx, void *arg)
{
	struct mapping *map = arg;
	struct pmudev_set *set = map->set;

	/* mremap, not fork: a child's mapping shows the blank page and grants nothing. */
	if (map->mm != set->map_mm)
		return;
	set->maps++;
	if (map->mm == ctx->user_mm)
		ctx->maps++;
}

static void vma_closed(struct pmudev_ctx *ctx, void *arg)
{
	struct mapping *map = arg;
	struct pmudev_set *set = map->set;

	if (map->mm == ctx->user_mm && map->mm == set->map_mm && !--ctx->maps)
		pmudev_pages_revoke(ctx);
	if (map->mm == set->map_mm && !--set->maps) {
		set->map_mm = NULL;
		ungrant(set);
	}
	pmudev_page_publish(ctx, set);
}

static void vm_open(struct vm_area_struct *vma)
{
	struct mapping map = { .set = vma->vm_private_data, .mm = vma->vm_mm };

	pmudev_ctx_call(map.set->ctx, vma_opened, &map);
}

static void vm_close(struct vm_area_struct *vma)
{
	struct mapping map = { .set = vma->vm_private_data, .mm = vma->vm_mm };

	pmudev_ctx_call(map.set->ctx, vma_closed, &map);
}

static vm_fault_t vm_fault(struct vm_fault *vmf)
{
	struct pmudev_set *set = vmf->vma->vm_private_data;

	if (vmf->pgoff)
		return VM_FAULT_SIGBUS;
	/* map_mm changes only while there is no mapping, or by its own mmap. */
	vmf->page = READ_ONCE(set->map_mm) == vmf->vma->vm_mm ? virt_to_page(set->page) : blank;
	get_page(vmf->page);
	return 0;
}

static const struct vm_operations_struct vm_ops = {
	.open = vm_open,
	.close = vm_close,
	.fault = vm_fault,
};

static int check_mmap(struct pmudev_set *set, struct vm_area_struct *vma,
		      struct pmudev_refusal *why)
{
	struct pmudev_ctx *ctx = smp_load_acquire(&set->ctx); /* bound meanwhile, or not */

	/* VM_MAYSHARE: what MAP_SHARED becomes if the file is open for reading only. */
	if (!(vma->vm_flags & VM_MAYSHARE) || (vma->vm_flags & (VM_WRITE | VM_EXEC)) ||
	    vma->vm_pgoff || vma->vm_end - vma->vm_start != PAGE_SIZE)
		return pmudev_refuse(why, -EINVAL, PMUDEV_WHY_MAPPING, PAGE_SIZE);
	if (!ctx)
		return pmudev_refuse(why, -EINVAL, PMUDEV_WHY_UNBOUND, 0);
	if (!ctx->task)
		return pmudev_refuse(why, -EOPNOTSUPP, PMUDEV_WHY_HARDWARE, PMUDEV_USER_READ);
	if (!READ_ONCE(set->user))
		return pmudev_refuse(why, -EINVAL, PMUDEV_WHY_NO_USER_READ, 0);
	if (!pmudev_gate_open())
		return pmudev_refuse(why, -EACCES, PMUDEV_WHY_GATE, 0);
	return 0;
}

int pmudev_page_mmap(struct pmudev_set *set, struct vm_area_struct *vma, struct pmudev_refusal *why)
{
	struct mapping map = {
		.set = set,
		.mm = vma->vm_mm,
		.caller = current,
		.why = why,
	};
	int ret;

	BUILD_BUG_ON(sizeof(struct pmudev_page) > PAGE_SIZE);
	ret = check_mmap(set, vma, why);
	if (ret)
		return ret;
	map.page = alloc_page(GFP_KERNEL_ACCOUNT | __GFP_ZERO);
	if (!map.page)
		return pmudev_refuse(why, -ENOMEM, PMUDEV_WHY_MEMORY, 0);
	pmudev_ctx_call(set->ctx, map_page, &map);
	if (map.page)
		__free_page(map.page);
	if (map.error)
		return map.error;
	vma->vm_private_data = set;
	vma->vm_ops = &vm_ops;
	pmudev_vm_flags(vma, VM_DONTEXPAND | VM_DONTDUMP, VM_MAYWRITE | VM_MAYEXEC);
	return 0;
}

static void detach(struct pmudev_ctx *ctx, void *arg)
{
	struct pmudev_set *set = arg;

	hlist_del_init(&set->page_node);
}

void pmudev_page_detach(struct pmudev_set *set)
{
	if (!set->page)
		return;
	pmudev_ctx_call(set->ctx, detach, set);
	free_page((unsigned long)set->page);
	set->page = NULL;
}

int pmudev_page_init(void)
{
	blank = alloc_page(GFP_KERNEL | __GFP_ZERO);
	return blank ? 0 : -ENOMEM;
}

void pmudev_page_exit(void)
{
	__free_page(blank);
}
