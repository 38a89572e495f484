// SPDX-License-Identifier: GPL-2.0
/*
 * PMUDEV_IOC_READ_SETS: the records of several sets. Those that count on the same other CPU are
 * read in one interrupt.
 */
#include <linux/file.h>
#include <linux/mm.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include <linux/smp.h>
#include <linux/uaccess.h>

#include "../context/context.h"
#include "../memory.h"
#include "../set/set.h"
#include "entry.h"
#include "reading.h"

/* An interrupt reads sets until it has gone through so many slots: irqs are off meanwhile. */
#define MOST_SLOTS 256

/* One of the sets; its file is referred to */
struct one {
	struct file *file;
	struct pmudev_reading reading;
};

/**
 * struct many - a call
 * @nr: number of sets
 * @left: bits of those that were not read yet
 * @sets: the sets; room for their records follows
 */
struct many {
	unsigned int nr;
	u64 left;
	struct one sets[];
};

/* Read those that are loaded on this CPU. Irqs are off. */
static void read_here(void *info)
{
	struct many *many = info;
	unsigned int i, slots = 0;
	struct pmudev_ctx *ctx;
	u64 rest;

	for (rest = many->left; rest && slots < MOST_SLOTS; rest &= rest - 1) {
		i = __ffs64(rest);
		ctx = many->sets[i].reading.set->ctx;
		if (READ_ONCE(ctx->cpu) != smp_processor_id())
			continue;
		raw_spin_lock(&ctx->lock);
		if (ctx->cpu == smp_processor_id()) {
			pmudev_reading_own(ctx, &many->sets[i].reading);
			slots += many->sets[i].reading.set->nr_slots;
			many->left &= ~BIT_ULL(i);
		}
		raw_spin_unlock(&ctx->lock);
	}
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

static int read_all(struct many *many, struct pmudev_refusal *why)
{
	struct pmudev_reading *reading;
	unsigned int i;

	for (i = 0; i < many->nr; i++) {
		reading = &many->sets[i].reading;
		/* May just be bound, see bind.c. */
		if (!smp_load_acquire(&reading->set->ctx))
			return refuse(why, i, -EINVAL, PMUDEV_WHY_UNBOUND, 0);
		if (!reading->set->inherit)
			continue;
		if (pmudev_reading_inherited(reading))
			return refuse(why, i, -ENOMEM, PMUDEV_WHY_MEMORY, 0);
		many->left &= ~BIT_ULL(i);
	}
	read_own(many);
	for (i = 0; i < many->nr; i++) {
		reading = &many->sets[i].reading;
		if (reading->need > reading->room)
			return refuse(why, i, -ENOSPC, PMUDEV_WHY_BUFFER, reading->need);
	}
	return 0;
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
	if (call->record_size < sizeof(struct pmudev_record) || call->record_size % 8)
		return pmudev_refuse(why, -EINVAL, PMUDEV_WHY_SIZE, sizeof(struct pmudev_record));
	room = min_t(size_t, call->record_size, most);
	size = struct_size(many, sets, call->nr) + call->nr * room;
	/* Writing the records may fault, and take any time: what is much is charged. */
	many = kvmalloc(size, size > PAGE_SIZE ? PMUDEV_GFP : GFP_KERNEL);
	if (!many)
		return pmudev_refuse(why, -ENOMEM, PMUDEV_WHY_MEMORY, 0);
	many->nr = 0;
	many->left = 0;
	ret = read_files(many, call, room, why);
	kvfree(many);
	return ret;
}
