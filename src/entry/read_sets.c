// SPDX-License-Identifier: GPL-2.0
/*
 * PMUDEV_IOC_READ_SETS: the records of several sets. Those that count on the same other CPU are
 * read in one interrupt.
 */
#include <linux/file.h>
#include <linux/mm.h>
#include <linux/sched/signal.h>
#include <linux/sizes.h>
#include <linux/slab.h>
#include <linux/smp.h>
#include <linux/uaccess.h>
#include <linux/vmalloc.h>

#include "../context/context.h"
#include "../memory.h"
#include "../set/set.h"
#include "entry.h"
#include "reading.h"

/*
 * An interrupt goes through at most so many slots, as many as one set can have: irqs are off, no
 * longer than for read(2).
 */
#define MOST_SLOTS PMUDEV_MAX_EVENTS

/* One of the sets; its file is referred to */
struct one {
	struct file *file;
	struct pmudev_reading reading;
};

/**
 * struct many - a call
 * @nr: number of sets
 * @left: bits of those that were not read yet
 * @here: of these, those that an interrupt finds on its CPU, as it seems
 * @sets: the sets; room for their records follows
 */
struct many {
	unsigned int nr;
	u64 left;
	u64 here;
	struct one sets[];
};

/* Read those that are loaded on this CPU. Irqs are off. */
static void read_here(void *info)
{
	struct many *many = info;
	unsigned int i, slots = 0;
	struct pmudev_set *set;
	struct pmudev_ctx *ctx;
	u64 rest;

	for (rest = many->here; rest && slots <= MOST_SLOTS; rest &= rest - 1) {
		i = __ffs64(rest);
		set = many->sets[i].reading.set;
		ctx = set->ctx;
		raw_spin_lock(&ctx->lock);
		slots += set->nr_slots;
		if (slots <= MOST_SLOTS && ctx->cpu == smp_processor_id()) {
			pmudev_reading_own(ctx, &many->sets[i].reading);
			many->left &= ~BIT_ULL(i);
		}
		raw_spin_unlock(&ctx->lock);
	}
}

/* Those that are loaded on @cpu, at least a moment ago. */
static u64 loaded_on(const struct many *many, int cpu)
{
	u64 rest, loaded = 0;

	for (rest = many->left; rest; rest &= rest - 1)
		if (READ_ONCE(many->sets[__ffs64(rest)].reading.set->ctx->cpu) == cpu)
			loaded |= rest & -rest;
	return loaded;
}

/*
 * Read sets without children. A target may move between the look and the interrupt: then look
 * again.
 */
static void read_own(struct many *many)
{
	struct pmudev_reading *reading;
	struct pmudev_ctx *ctx;
	unsigned int i;
	int cpu;

	while (many->left) {
		i = __ffs64(many->left);
		reading = &many->sets[i].reading;
		ctx = reading->set->ctx;
		if (pmudev_ctx_call_here(ctx, pmudev_reading_own, reading)) {
			many->left &= ~BIT_ULL(i);
			continue;
		}
		cpu = READ_ONCE(ctx->cpu);
		many->here = loaded_on(many, cpu);
		/* This waits until it has returned there: @left has one owner at a time. */
		if (cpu >= 0)
			smp_call_function_single(cpu, read_here, many, true);
		cond_resched();
	}
}

static int refuse(struct pmudev_refusal *why, unsigned int i, int error, enum pmudev_reason code,
		  u64 limit)
{
	why->event = i;
	return pmudev_refuse(why, error, code, limit);
}

/* Read sets with children: one walk after the other. */
static int read_inherited(struct many *many, struct pmudev_refusal *why)
{
	struct pmudev_reading *reading;
	unsigned int i;

	for (i = 0; i < many->nr; i++) {
		reading = &many->sets[i].reading;
		if (!reading->set->inherit)
			continue;
		if (fatal_signal_pending(current))
			return -EINTR;
		if (pmudev_reading_inherited(reading))
			return refuse(why, i, -ENOMEM, PMUDEV_WHY_MEMORY, 0);
		many->left &= ~BIT_ULL(i);
	}
	return 0;
}

/* Does each record find room? The refusal has the first that does not, and what would be enough. */
static int check_room(const struct many *many, struct pmudev_refusal *why)
{
	const struct pmudev_reading *reading;
	unsigned int i, first = many->nr;
	size_t need = 0;

	for (i = 0; i < many->nr; i++) {
		reading = &many->sets[i].reading;
		need = max(need, reading->need);
		if (reading->need > reading->room && first == many->nr)
			first = i;
	}
	return first == many->nr ? 0 : refuse(why, first, -ENOSPC, PMUDEV_WHY_BUFFER, need);
}

static int read_all(struct many *many, struct pmudev_refusal *why)
{
	unsigned int i;
	int ret;

	for (i = 0; i < many->nr; i++)
		/* May just be bound, see bind.c. */
		if (!smp_load_acquire(&many->sets[i].reading.set->ctx))
			return refuse(why, i, -EINVAL, PMUDEV_WHY_UNBOUND, 0);
	ret = read_inherited(many, why);
	if (ret)
		return ret;
	read_own(many);
	return check_room(many, why);
}

/* Is it one of the device, whose private_data is a set? */
static bool can_be_read(const struct file *file)
{
	return file->f_op->read == pmudev_dev_read && file->f_mode & FMODE_READ;
}

/* Get the sets' files. On error those that it has stay in @many. @room: bytes of a record */
static int get_files(struct many *many, const s32 *fds, unsigned int nr, size_t room,
		     struct pmudev_refusal *why)
{
	void *records = many->sets + nr;
	struct file *file;

	for (; many->nr < nr; many->nr++) {
		file = fget(fds[many->nr]);
		if (!file)
			return refuse(why, many->nr, -EBADF, PMUDEV_WHY_NOT_A_SET, 0);
		if (!can_be_read(file)) {
			fput(file);
			return refuse(why, many->nr, -EBADF, PMUDEV_WHY_NOT_A_SET, 0);
		}
		many->left |= BIT_ULL(many->nr);
		many->sets[many->nr] = (struct one){
			.file = file,
			.reading = {
				.set = file->private_data,
				.record = records + many->nr * room,
				.room = room,
			},
		};
	}
	return 0;
}

static int copy_all(const struct many *many, const struct pmudev_read_sets *call,
		    struct pmudev_refusal *why)
{
	unsigned int i;
	u64 to = call->records;

	for (i = 0; i < many->nr; i++, to += call->record_size)
		if (pmudev_reading_copy(u64_to_user_ptr(to), many->sets[i].reading.record))
			return refuse(why, i, -EFAULT, PMUDEV_WHY_POINTER, 0);
	return 0;
}

static int read_files(struct many *many, const struct pmudev_read_sets *call, size_t room,
		      struct pmudev_refusal *why)
{
	s32 fds[PMUDEV_MAX_READ_SETS];
	int ret;

	if (copy_from_user(fds, u64_to_user_ptr(call->fds), call->nr * sizeof(*fds)))
		return pmudev_refuse(why, -EFAULT, PMUDEV_WHY_POINTER, 0);
	ret = get_files(many, fds, call->nr, room, why);
	if (!ret)
		ret = read_all(many, why);
	if (!ret)
		ret = copy_all(many, call, why);
	while (many->nr)
		fput(many->sets[--many->nr].file);
	return ret;
}

/*
 * Writing the records may fault, and take any time: what is much is charged. Not kvmalloc(), which
 * with these flags would try hard to find pages in a row.
 */
static struct many *allocate(size_t size)
{
	if (size > SZ_32K)
		return __vmalloc(size, PMUDEV_GFP);
	return kmalloc(size, size > SZ_4K ? PMUDEV_GFP : GFP_KERNEL);
}

int pmudev_ioctl_read_sets(struct pmudev_set *set, const struct pmudev_read_sets *call,
			   struct pmudev_refusal *why)
{
	const size_t most =
		sizeof(struct pmudev_record) + PMUDEV_MAX_EVENTS * sizeof(struct pmudev_count);
	struct many *many;
	size_t room, size;
	int ret;

	if (!call->nr || call->nr > PMUDEV_MAX_READ_SETS)
		return pmudev_refuse(why, -EINVAL, PMUDEV_WHY_NUMBER, PMUDEV_MAX_READ_SETS);
	if (call->record_size < sizeof(struct pmudev_record))
		return pmudev_refuse(why, -EINVAL, PMUDEV_WHY_SIZE, sizeof(struct pmudev_record));
	/* What does not fit before the next record is no room. */
	room = round_down(min_t(size_t, call->record_size, most), 8);
	size = struct_size(many, sets, call->nr) + call->nr * room;
	many = allocate(size);
	if (!many)
		return pmudev_refuse(why, -ENOMEM, PMUDEV_WHY_MEMORY, 0);
	many->nr = 0;
	many->left = 0;
	many->here = 0;
	ret = read_files(many, call, room, why);
	kvfree(many);
	return ret;
}
