// SPDX-License-Identifier: GPL-2.0
/* The ioctls: one table, and all copies from and to user space. */
#include <linux/cpumask.h>
#include <linux/fs.h>
#include <linux/nospec.h>
#include <linux/slab.h>
#include <linux/uaccess.h>

#include "../alloc/conflict.h"
#include "../set/deadline.h"
#include "../set/set.h"
#include "entry.h"

/* Calls with at most this many events keep them on the stack. */
#define FEW_EVENTS 8

/* The beginning of every ioctl's structure. */
struct head {
	__u32 size; /* of the structure in the caller's version of the ABI */
	__u32 flags;
	struct pmudev_refusal refusal; /* out */
};

/* The structure of any ioctl. */
union args {
	struct head head;
	struct pmudev_query query;
	struct pmudev_bind bind;
	struct pmudev_add add;
	struct pmudev_place place;
	struct pmudev_ctl ctl;
	struct pmudev_why why;
	struct pmudev_deadlines deadlines;
	struct pmudev_reports reports;
	struct pmudev_read_sets read_sets;
};

/* Describe a PMU, named by its number or by a CPU. */
static int ioctl_query(struct pmudev_set *set, union args *args, struct pmudev_refusal *why)
{
	struct pmudev_query *query = &args->query;
	struct pmudev_pmu *pmu;
	u32 cpu = query->pmu;

	if (query->flags & PMUDEV_QUERY_CPU) {
		if (cpu >= nr_cpu_ids || !cpu_possible(cpu))
			return pmudev_refuse(why, -ENODEV, PMUDEV_WHY_NO_CPU, nr_cpu_ids - 1);
		cpu = array_index_nospec(cpu, nr_cpu_ids);
		pmu = READ_ONCE(per_cpu(pmudev_cpus, cpu).pmu);
	} else {
		pmu = pmudev_pmu_numbered(query->pmu);
	}
	if (!pmu)
		return pmudev_refuse(why, -ENODEV, PMUDEV_WHY_NO_PMU, pmudev_nr_pmus - 1);
	pmudev_describe(pmu, query);
	pmudev_describe_state(pmu, query);
	return 0;
}

static int ioctl_bind(struct pmudev_set *set, union args *args, struct pmudev_refusal *why)
{
	int ret;

	mutex_lock(&pmudev_open_set(set)->mutex);
	ret = pmudev_set_bind(set, &args->bind, why);
	mutex_unlock(&pmudev_open_set(set)->mutex);
	return ret;
}

/* Free what copy_events() allocated. */
static void free_events(struct pmudev_event_attr *attr, const struct pmudev_event_attr *few)
{
	if (attr != few)
		kfree(attr);
}

/* Copy a call's events from user space, into @few if there are at most FEW_EVENTS. */
static struct pmudev_event_attr *
copy_events(u64 user, u32 nr, u32 size, struct pmudev_event_attr *few, struct pmudev_refusal *why)
{
	struct pmudev_event_attr *attr = few;
	int ret = pmudev_check_list(nr, size, sizeof(*attr), why);

	if (ret)
		return ERR_PTR(ret);
	if (nr > FEW_EVENTS)
		attr = kmalloc_array(nr, sizeof(*attr), GFP_KERNEL);
	if (!attr)
		return ERR_PTR(pmudev_refuse(why, -ENOMEM, PMUDEV_WHY_MEMORY, 0));
	ret = pmudev_copy_list(attr, sizeof(*attr), user, nr, size, why);
	if (!ret)
		return attr;
	free_events(attr, few);
	return ERR_PTR(ret);
}

static int ioctl_add(struct pmudev_set *set, union args *args, struct pmudev_refusal *why)
{
	struct pmudev_add *add = &args->add;
	struct pmudev_event_attr few[FEW_EVENTS], *attr;
	u32 slots[PMUDEV_MAX_EVENTS];
	int ret;

	attr = copy_events(add->events, add->nr, add->event_size, few, why);
	if (IS_ERR(attr))
		return PTR_ERR(attr);
	/* Find a bad pointer before anything changes, as far as possible. */
	if (add->slots && clear_user(u64_to_user_ptr(add->slots), add->nr * sizeof(*slots))) {
		ret = pmudev_refuse(why, -EFAULT, PMUDEV_WHY_POINTER, 0);
		goto out;
	}
	mutex_lock(&pmudev_open_set(set)->mutex);
	if (add->flags & PMUDEV_ADD_ENABLE)
		ret = pmudev_set_add_enable(set, attr, add->nr, slots, why);
	else
		ret = pmudev_set_add(set, attr, add->nr, slots, why);
	mutex_unlock(&pmudev_open_set(set)->mutex);
	if (!ret && add->slots &&
	    copy_to_user(u64_to_user_ptr(add->slots), slots, add->nr * sizeof(*slots)))
		ret = pmudev_refuse(why, -EFAULT, PMUDEV_WHY_POINTER, 0);
out:
	free_events(attr, few);
	return ret;
}

static int ioctl_place(struct pmudev_set *set, union args *args, struct pmudev_refusal *why)
{
	struct pmudev_place *place = &args->place;
	struct pmudev_event_attr few[FEW_EVENTS], *attr = few;
	s32 counter[PMUDEV_MAX_EVENTS];
	unsigned int nr;
	int ret;

	if (place->nr) {
		attr = copy_events(place->events, place->nr, place->event_size, few, why);
		if (IS_ERR(attr))
			return PTR_ERR(attr);
	} else if (place->events || place->event_size) {
		return pmudev_refuse(why, -EINVAL, PMUDEV_WHY_NUMBER, PMUDEV_MAX_EVENTS);
	}
	mutex_lock(&pmudev_open_set(set)->mutex);
	ret = pmudev_set_place(set, attr, place->nr, counter, &nr, why);
	mutex_unlock(&pmudev_open_set(set)->mutex);
	free_events(attr, few);
	if (!ret && place->counters &&
	    copy_to_user(u64_to_user_ptr(place->counters), counter, nr * sizeof(*counter)))
		ret = pmudev_refuse(why, -EFAULT, PMUDEV_WHY_POINTER, 0);
	return ret;
}

/* Enable, disable or remove a group, or all groups. */
static int ctl_group(struct pmudev_set *set, union args *args, struct pmudev_refusal *why,
		     int (*fn)(struct pmudev_set *set, u32 group, struct pmudev_refusal *why))
{
	int ret;

	if (args->ctl.value || args->ctl.slot != PMUDEV_ALL)
		return pmudev_refuse(why, -EINVAL, PMUDEV_WHY_RESERVED, 0);
	mutex_lock(&pmudev_open_set(set)->mutex);
	ret = fn(set, args->ctl.group, why);
	mutex_unlock(&pmudev_open_set(set)->mutex);
	return ret;
}

static int ioctl_reset(struct pmudev_set *set, union args *args, struct pmudev_refusal *why)
{
	int ret;

	mutex_lock(&pmudev_open_set(set)->mutex);
	ret = pmudev_set_reset(set, args->ctl.group, args->ctl.slot, args->ctl.value, why);
	mutex_unlock(&pmudev_open_set(set)->mutex);
	return ret;
}

static int ioctl_why(struct pmudev_set *set, union args *args, struct pmudev_refusal *why)
{
	struct pmudev_last_refusal *last = &pmudev_open_set(set)->last;

	/* The call succeeds, and fills in the refusal of an earlier call. */
	spin_lock(&last->lock);
	*why = last->why;
	args->why.error = last->error;
	spin_unlock(&last->lock);
	args->why.reserved = 0;
	return 0;
}

static int ioctl_deadline(struct pmudev_set *set, union args *args, struct pmudev_refusal *why)
{
	return pmudev_ioctl_deadline(set, &args->deadlines, why);
}

static int ioctl_report(struct pmudev_set *set, union args *args, struct pmudev_refusal *why)
{
	return pmudev_ioctl_report(set, &args->reports, why);
}

static int ioctl_read_sets(struct pmudev_set *set, union args *args, struct pmudev_refusal *why)
{
	return pmudev_ioctl_read_sets(set, &args->read_sets, why);
}

static int ioctl_continue(struct pmudev_set *set, union args *args, struct pmudev_refusal *why)
{
	if (args->ctl.group != PMUDEV_ALL || args->ctl.slot != PMUDEV_ALL || args->ctl.value)
		return pmudev_refuse(why, -EINVAL, PMUDEV_WHY_RESERVED, 0);
	if (pmudev_set_continue(set))
		return 0;
	return pmudev_refuse(why, -EAGAIN, PMUDEV_WHY_RING, 0);
}

/* Copy the list of holders to the caller's buffer. @room: the caller's pointer and size. */
static void copy_holders(struct pmudev_set *set, const struct pmudev_refusal *room,
			 struct pmudev_refusal *why)
{
	struct pmudev_holder *holder;
	unsigned int nr;

	why->holders = room->holders;
	why->nr_holders = 0;
	/* Pairs with set_ctx(). */
	if (why->code != PMUDEV_WHY_HELD || !smp_load_acquire(&set->ctx))
		return;
	holder = kcalloc(PMUDEV_COUNTERS, sizeof(*holder), GFP_KERNEL);
	/* Without memory for the list, return the refusal without one. */
	if (!holder)
		return;
	/* No thread of the user's walks over children meanwhile: the worker has pmu->lock. */
	mutex_lock(&pmudev_open_set(set)->mutex);
	why->nr_holders = pmudev_list_holders(set, why->busy, holder);
	mutex_unlock(&pmudev_open_set(set)->mutex);
	nr = min(room->nr_holders, why->nr_holders);
	if (nr && room->holders &&
	    copy_to_user(u64_to_user_ptr(room->holders), holder, nr * sizeof(*holder)))
		why->nr_holders = 0;
	kfree(holder);
}

struct ioctl {
	u32 size;  /* of its structure */
	u32 flags; /* that it takes, or that its handler checks */
	int (*handler)(struct pmudev_set *set, union args *args, struct pmudev_refusal *why);
	int (*group)(struct pmudev_set *set, u32 group, struct pmudev_refusal *why); /* instead */
	bool outputs;	    /* it writes more of the structure than the refusal */
	bool keeps_refusal; /* its own failure is not recorded; it reports an earlier one */
};

#define FIRST_IOCTL 0x40
#define INDEX(cmd) (_IOC_NR(PMUDEV_IOC_##cmd) - FIRST_IOCTL)

static const struct ioctl ioctls[] = {
	[INDEX(QUERY)] = { sizeof(struct pmudev_query), PMUDEV_QUERY_FLAGS, ioctl_query,
			   .outputs = true },
	[INDEX(BIND)] = { sizeof(struct pmudev_bind), ~0, ioctl_bind },
	[INDEX(ADD)] = { sizeof(struct pmudev_add), PMUDEV_ADD_FLAGS, ioctl_add },
	[INDEX(PLACE)] = { sizeof(struct pmudev_place), 0, ioctl_place },
	[INDEX(ENABLE)] = { sizeof(struct pmudev_ctl), .group = pmudev_set_enable },
	[INDEX(DISABLE)] = { sizeof(struct pmudev_ctl), .group = pmudev_set_disable },
	[INDEX(RESET)] = { sizeof(struct pmudev_ctl), 0, ioctl_reset },
	[INDEX(REMOVE)] = { sizeof(struct pmudev_ctl), .group = pmudev_set_remove },
	[INDEX(WHY)] = { sizeof(struct pmudev_why), 0, ioctl_why, .outputs = true,
			 .keeps_refusal = true },
	[INDEX(DEADLINE)] = { sizeof(struct pmudev_deadlines), 0, ioctl_deadline },
	[INDEX(CONTINUE)] = { sizeof(struct pmudev_ctl), 0, ioctl_continue },
	[INDEX(REPORT)] = { sizeof(struct pmudev_reports), 0, ioctl_report, .outputs = true },
	[INDEX(READ_SETS)] = { sizeof(struct pmudev_read_sets), 0, ioctl_read_sets },
};

/*
 * Copy and check the caller's structure. Write to its refusal first: a call whose refusal cannot be
 * written must not take effect.
 */
static int get_args(struct head __user *user, u32 known, union args *args,
		    struct pmudev_refusal *why)
{
	u32 size;
	int ret;

	if (get_user(size, &user->size))
		return pmudev_refuse(why, -EFAULT, PMUDEV_WHY_POINTER, 0);
	if (size > PAGE_SIZE)
		return pmudev_refuse(why, -E2BIG, PMUDEV_WHY_SIZE, known);
	if (size >= sizeof(*user) && put_user(PMUDEV_OK, &user->refusal.code))
		return pmudev_refuse(why, -EFAULT, PMUDEV_WHY_POINTER, 0);
	if (size < known)
		return pmudev_refuse(why, -EINVAL, PMUDEV_WHY_SIZE, known);
	ret = copy_struct_from_user(args, known, user, size);
	if (ret == -E2BIG)
		return pmudev_refuse(why, ret, PMUDEV_WHY_TAIL, known);
	if (ret)
		return pmudev_refuse(why, ret, PMUDEV_WHY_POINTER, 0);
	if (args->head.refusal.reserved)
		return pmudev_refuse(why, -EINVAL, PMUDEV_WHY_RESERVED, 0);
	return 0;
}

/* Write the refusal of a structure that was not accepted, if the structure has room for it. */
static void put_refusal(struct head __user *user, struct pmudev_refusal *why)
{
	u32 size;

	/* If this fails, the caller has the errno only. */
	if (get_user(size, &user->size) || size < sizeof(*user) ||
	    copy_to_user(&user->refusal, why, offsetof(struct pmudev_refusal, nr_holders)))
		return;
}

static long call(struct pmudev_set *set, const struct ioctl *ioctl, void __user *user)
{
	struct pmudev_refusal why = pmudev_no_refusal();
	union args args;
	int ret;

	ret = get_args(user, ioctl->size, &args, &why);
	if (ret) {
		put_refusal(user, &why);
		goto out;
	}
	if (args.head.flags & ~ioctl->flags)
		ret = pmudev_refuse(&why, -EINVAL, PMUDEV_WHY_FLAGS, ioctl->flags);
	else if (ioctl->group)
		ret = ctl_group(set, &args, &why, ioctl->group);
	else
		ret = ioctl->handler(set, &args, &why);
	/* get_args() has written that there is no refusal. */
	if (!ret && !ioctl->outputs)
		return 0;
	if (!ret && !ioctl->keeps_refusal)
		why = pmudev_no_refusal();
	copy_holders(set, &args.head.refusal, &why);
	args.head.refusal = why;
	if (copy_to_user(user, &args, ioctl->outputs ? ioctl->size : sizeof(args.head)))
		ret = pmudev_refuse(&why, -EFAULT, PMUDEV_WHY_POINTER, 0);
out:
	if (ret && !ioctl->keeps_refusal)
		pmudev_save_refusal(set, &why, ret);
	return ret;
}

long pmudev_dev_ioctl(struct file *file, unsigned int cmd, unsigned long arg)
{
	unsigned int nr = _IOC_NR(cmd) - FIRST_IOCTL;

	if (nr >= ARRAY_SIZE(ioctls) || cmd != _IO(PMUDEV_IOC_TYPE, nr + FIRST_IOCTL))
		return -ENOTTY;
	return call(file->private_data, &ioctls[array_index_nospec(nr, ARRAY_SIZE(ioctls))],
		    (void __user *)arg);
}
