// SPDX-License-Identifier: GPL-2.0
/*
 * Mapping the user page.
 *
 * User access belongs to the address space in which pages are mapped. Each mapping holds it; the
 * copy of a mapping that fork makes does not. Only the counted thread can do checked reads, because
 * the owner word of a page matches no other thread.
 */
#include <linux/compat.h>
#include <linux/mm.h>
#include <linux/pid_namespace.h>
#include <linux/sched/signal.h>
#include <linux/slab.h>

#include "../alloc/conflict.h"
#include "../compat.h"
#include "../context/context.h"
#include "../context/perf_page.h"
#include "../context/user_page.h"
#include "../memory.h"
#include "../set/ring.h"
#include "../set/set.h"
#include "entry.h"

/* After a fork the child has this page of zeroes in place of its parent's user page. */
static struct page *blank;

/* A mapping that is made, copied or removed; @caller and below: made. */
struct mapping {
	struct pmudev_set *set;
	struct mm_struct *mm;	    /* its address space */
	struct task_struct *caller; /* the thread that calls mmap() */
	u32 slot; /* whose page in perf's layout is mapped; PMUDEV_ALL: the user page */
	/* In: for pages that the set does not have yet; out: NULL if used: */
	struct page *page;		/* the user page */
	struct page *perf_page;		/* the slot's, charged to @user */
	struct user_struct *user;
	struct pmudev_perf_pages *perf; /* those of all slots */
	struct pmudev_refusal *why; /* filled in on error */
	int error;		    /* out: 0 or an error */
};

/* One grant at a time: later ones wait until the first has cleared residue on all CPUs. */
static DEFINE_RAW_SPINLOCK(grant_lock);

static int grant(struct pmudev_set *set, struct mm_struct *mm, struct pmudev_refusal *why)
{
	bool first, added;

	raw_spin_lock(&grant_lock);
	added = pmudev_readers_add_mapping(set, &first);
	/* Irqs are on in waiters for the lock, so they answer the call to all CPUs. */
	if (added && first && pmudev_backend.grant)
		pmudev_clear_residue_all();
	raw_spin_unlock(&grant_lock);
	if (!added)
		return pmudev_refuse_readable(&pmudev_readers.private, why);
	if (pmudev_backend.grant)
		pmudev_backend.grant(mm);
	return 0;
}

static void revoke(struct pmudev_set *set, struct mm_struct *mm)
{
	if (pmudev_backend.revoke)
		pmudev_backend.revoke(mm);
	pmudev_readers_remove_mapping(set);
}

static void count_mapping(struct pmudev_ctx *ctx, struct pmudev_set *set, struct mm_struct *mm)
{
	/* The address space changed: the thread has executed another program. */
	if (set->mapping.mm != mm)
		set->mapping.maps = 0;
	set->mapping.mm = mm;
	set->mapping.maps++;
	if (ctx->reads.mm != mm)
		ctx->reads.maps = 0;
	ctx->reads.mm = mm;
	ctx->reads.maps++;
}

/* What may change until ctx->lock is held; some of it was checked before. */
static int check_locked(const struct pmudev_ctx *ctx, const struct mapping *map)
{
	if (ctx->dead)
		return pmudev_refuse(map->why, -ESRCH, PMUDEV_WHY_ENDED, 0);
	if (!pmudev_user_access_enabled())
		return pmudev_refuse(map->why, -EACCES, PMUDEV_WHY_USER_ACCESS, 0);
	/* The context is not dead, and the exit hook takes ctx->lock: the task cannot be freed. */
	if (!same_thread_group(ctx->link.task, map->caller))
		return pmudev_refuse(map->why, -EPERM, PMUDEV_WHY_NOT_OWNER, 0);
	return 0;
}

/* The set has the user page also if only pages in perf's layout are mapped. */
static void keep_user_page(struct mapping *map)
{
	struct pmudev_set *set = map->set;
	struct pmudev_page *page;

	if (set->mapping.page)
		return;
	page = page_address(map->page);
	map->page = NULL;
	page->version = PMUDEV_ABI_VERSION;
	page->size = sizeof(*page);
	page->time_mult = set->pmu->mult;
	page->time_shift = set->pmu->shift;
	set->mapping.page = page;
}

static void keep_perf_page(struct mapping *map)
{
	struct pmudev_mapping *mapping = &map->set->mapping;
	struct perf_event_mmap_page *page;

	if (!mapping->perf) {
		mapping->perf = map->perf;
		map->perf = NULL;
	}
	if (mapping->perf->page[map->slot])
		return;
	page = page_address(map->perf_page);
	map->perf_page = NULL;
	page->size = offsetof(struct perf_event_mmap_page, __reserved);
	mapping->perf->page[map->slot] = page;
	mapping->perf->user[map->slot] = map->user;
	mapping->perf->mapped |= BIT_ULL(map->slot);
}

static void map_page(struct pmudev_ctx *ctx, void *arg)
{
	struct mapping *map = arg;
	struct pmudev_set *set = map->set;

	map->error = check_locked(ctx, map);
	if (map->error)
		return;
	count_mapping(ctx, set, map->mm);
	set->mapping.owner_tid = task_pid_nr_ns(ctx->link.task, task_active_pid_ns(ctx->link.task));
	keep_user_page(map);
	if (map->slot != PMUDEV_ALL)
		keep_perf_page(map);
	if (ctx->cpu >= 0 && !ctx->reads.enabled)
		pmudev_pages_in(ctx);
	pmudev_page_publish(ctx, set);
}

static void vma_opened(struct pmudev_ctx *ctx, void *arg)
{
	struct mapping *map = arg;
	struct pmudev_set *set = map->set;

	if (map->mm != set->mapping.mm)
		return;
	set->mapping.maps++;
	if (map->mm == ctx->reads.mm)
		ctx->reads.maps++;
}

static void vma_closed(struct pmudev_ctx *ctx, void *arg)
{
	struct mapping *map = arg;
	struct pmudev_set *set = map->set;

	if (map->mm == ctx->reads.mm && map->mm == set->mapping.mm && !--ctx->reads.maps)
		pmudev_pages_revoke(ctx);
	if (map->mm == set->mapping.mm && !--set->mapping.maps)
		set->mapping.mm = NULL;
	pmudev_page_publish(ctx, set);
}

static vm_fault_t show(struct vm_fault *vmf, struct page *page)
{
	if (vmf->pgoff != vmf->vma->vm_pgoff)
		return VM_FAULT_SIGBUS;
	get_page(page);
	vmf->page = page;
	return 0;
}

static vm_fault_t blank_fault(struct vm_fault *vmf)
{
	return show(vmf, blank);
}

/* A copy that fork made: zeroes, and no user access. */
static const struct vm_operations_struct copy_ops = { .fault = blank_fault };

static void vm_open(struct vm_area_struct *vma)
{
	struct mapping map = { .set = vma->vm_private_data, .mm = vma->vm_mm };
	bool first;

	/* fork() calls this in the parent, mremap() in the process itself. */
	if (vma->vm_mm != current->mm) {
		vma->vm_ops = &copy_ops;
		return;
	}
	/* The mapping that is moved has access, so there are no private sets. */
	WARN_ON_ONCE(!pmudev_readers_add_mapping(map.set, &first));
	if (pmudev_backend.grant)
		pmudev_backend.grant(vma->vm_mm);
	pmudev_ctx_call(map.set->ctx, vma_opened, &map);
}

static void vm_close(struct vm_area_struct *vma)
{
	struct mapping map = { .set = vma->vm_private_data, .mm = vma->vm_mm };

	pmudev_ctx_call(map.set->ctx, vma_closed, &map);
	revoke(map.set, vma->vm_mm);
}

/* The slot whose page in perf's layout is mapped; PMUDEV_ALL: none. */
static u32 mapped_slot(const struct vm_area_struct *vma)
{
	const unsigned long begin = PMUDEV_PERF_PAGE_OFFSET >> PAGE_SHIFT;
	const unsigned long step = PMUDEV_PERF_PAGE_STEP >> PAGE_SHIFT;
	const unsigned long at = vma->vm_pgoff - begin;

	BUILD_BUG_ON(PMUDEV_PERF_PAGE_STEP % PAGE_SIZE);
	if (vma->vm_pgoff < begin || at % step || at / step >= PMUDEV_MAX_EVENTS)
		return PMUDEV_ALL;
	return at / step;
}

static vm_fault_t vm_fault(struct vm_fault *vmf)
{
	struct pmudev_set *set = vmf->vma->vm_private_data;
	const u32 slot = mapped_slot(vmf->vma);
	const void *page;

	/* mapping.mm changes only while there is no mapping, or in the mmap() of this one. */
	if (READ_ONCE(set->mapping.mm) != vmf->vma->vm_mm)
		return blank_fault(vmf);
	page = slot == PMUDEV_ALL ? (void *)set->mapping.page : set->mapping.perf->page[slot];
	return show(vmf, virt_to_page(page));
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
	const u32 slot = mapped_slot(vma);

	/* VM_MAYSHARE: MAP_SHARED of a file that is open for reading only sets only this. */
	if (!(vma->vm_flags & VM_MAYSHARE) || (vma->vm_flags & (VM_WRITE | VM_EXEC)) ||
	    (vma->vm_pgoff && slot == PMUDEV_ALL) || vma->vm_end - vma->vm_start != PAGE_SIZE)
		return pmudev_refuse(why, -EINVAL, PMUDEV_WHY_MAPPING, PAGE_SIZE);
	if (!ctx)
		return pmudev_refuse(why, -EINVAL, PMUDEV_WHY_UNBOUND, 0);
	if (!ctx->link.task)
		return pmudev_refuse(why, -EOPNOTSUPP, PMUDEV_WHY_HARDWARE, PMUDEV_USER_READ);
	if (!(READ_ONCE(set->user) & (slot == PMUDEV_ALL ? U64_MAX : BIT_ULL(slot))))
		return pmudev_refuse(why, -EINVAL, PMUDEV_WHY_NO_USER_READ, 0);
	/* ADD checks this, too, but another program may have called it. */
	if (in_compat_syscall() && !set->pmu->info.compat_reads)
		return pmudev_refuse(why, -EOPNOTSUPP, PMUDEV_WHY_HARDWARE, PMUDEV_USER_READ);
	if (!pmudev_user_access_enabled())
		return pmudev_refuse(why, -EACCES, PMUDEV_WHY_USER_ACCESS, 0);
	return 0;
}

/* All that the set may not have yet; what is not needed is freed again. */
static int allocate_pages(struct mapping *map)
{
	map->page = alloc_page(PMUDEV_GFP | __GFP_ZERO);
	if (!map->page)
		return pmudev_refuse(map->why, -ENOMEM, PMUDEV_WHY_MEMORY, 0);
	if (map->slot == PMUDEV_ALL)
		return 0;
	if (!pmudev_charge_locked(1, &map->user))
		return pmudev_refuse(map->why, -EPERM, PMUDEV_WHY_MEMLOCK, rlimit(RLIMIT_MEMLOCK));
	map->perf_page = alloc_page(PMUDEV_GFP | __GFP_ZERO);
	map->perf = kzalloc(sizeof(*map->perf), PMUDEV_GFP);
	if (!map->perf_page)
		pmudev_uncharge_locked(map->user, 1);
	if (!map->perf_page || !map->perf)
		return pmudev_refuse(map->why, -ENOMEM, PMUDEV_WHY_MEMORY, 0);
	return 0;
}

/* Was it mapped before? With a page in perf's layout there is a user page, too. */
static bool has_pages(const struct pmudev_set *set, u32 slot)
{
	const struct pmudev_perf_pages *perf = READ_ONCE(set->mapping.perf);

	if (slot == PMUDEV_ALL)
		return READ_ONCE(set->mapping.page);
	return perf && READ_ONCE(perf->page[slot]);
}

static void free_pages_left(const struct mapping *map)
{
	if (map->page)
		__free_page(map->page);
	if (map->perf_page) {
		__free_page(map->perf_page);
		pmudev_uncharge_locked(map->user, 1);
	}
	kfree(map->perf);
}

static int map_set(struct pmudev_set *set, struct vm_area_struct *vma, struct pmudev_refusal *why)
{
	struct mapping map = { .set = set, .mm = vma->vm_mm, .caller = current, .why = why };
	int ret = check_mmap(set, vma, why);

	BUILD_BUG_ON(sizeof(struct pmudev_page) > PAGE_SIZE);
	if (ret)
		return ret;
	map.slot = mapped_slot(vma);
	/* They stay until the set is closed. */
	if (!has_pages(set, map.slot))
		ret = allocate_pages(&map);
	if (!ret)
		ret = grant(set, map.mm, why);
	if (ret)
		goto out;
	pmudev_ctx_call(set->ctx, map_page, &map);
	ret = map.error;
	if (ret) {
		revoke(set, map.mm);
		goto out;
	}
	vma->vm_private_data = set;
	vma->vm_ops = &vm_ops;
	pmudev_vm_flags(vma, VM_DONTEXPAND | VM_DONTDUMP, VM_MAYWRITE | VM_MAYEXEC);
out:
	free_pages_left(&map);
	return ret;
}

/* The ring of samples. Its mapping keeps the file, and so the set. */
static int map_ring(struct pmudev_set *set, struct vm_area_struct *vma, struct pmudev_refusal *why)
{
	struct pmudev_ring *ring;
	int error = 0;

	if (!(vma->vm_flags & VM_MAYSHARE) || (vma->vm_flags & VM_EXEC))
		return pmudev_refuse(why, -EINVAL, PMUDEV_WHY_RING, PMUDEV_SAMPLES_MAX);
	ring = pmudev_ring_get(pmudev_open_set(set), vma_pages(vma), &error, why);
	if (!ring)
		return error;
	/* Not in a child: what is read there would be gone here. */
	pmudev_vm_flags(vma, VM_DONTEXPAND | VM_DONTDUMP | VM_DONTCOPY, VM_MAYEXEC);
	if (vm_map_pages_zero(vma, ring->pages, ring->nr))
		return pmudev_refuse(why, -ENOMEM, PMUDEV_WHY_MEMORY, 0);
	return 0;
}

int pmudev_dev_mmap(struct file *file, struct vm_area_struct *vma)
{
	struct pmudev_refusal why = pmudev_no_refusal();
	int ret;

	if (vma->vm_pgoff == PMUDEV_SAMPLES_OFFSET >> PAGE_SHIFT)
		ret = map_ring(file->private_data, vma, &why);
	else
		ret = map_set(file->private_data, vma, &why);
	if (ret)
		pmudev_save_refusal(file->private_data, &why, ret);
	return ret;
}

int pmudev_mmap_init(void)
{
	blank = alloc_page(GFP_KERNEL | __GFP_ZERO);
	return blank ? 0 : -ENOMEM;
}

void pmudev_mmap_exit(void)
{
	__free_page(blank);
}
