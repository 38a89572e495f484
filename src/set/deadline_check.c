// SPDX-License-Identifier: GPL-2.0
/* Deadlines that programs ask for, checked. */
#include <linux/eventfd.h>
#include <linux/pid.h>
#include <linux/sched/signal.h>

#include "../compat.h"
#include "../context/context.h"
#include "deadline.h"
#include "inherit.h"

/* The counted thread's pid, referenced; NULL if it has ended. @kernel: out: it is the kernel's */
static struct pid *counted_pid(struct pmudev_ctx *ctx, bool *kernel)
{
	struct pid *pid = NULL;
	unsigned long flags;

	/* The exit hook takes the lock, and the task is freed by RCU after that. */
	rcu_read_lock();
	raw_spin_lock_irqsave(&ctx->lock, flags);
	if (!ctx->dead) {
		pid = get_pid(task_pid(ctx->link.task));
		*kernel = ctx->link.task->flags & PMUDEV_PF_KERNEL;
	}
	raw_spin_unlock_irqrestore(&ctx->lock, flags);
	rcu_read_unlock();
	return pid;
}

/* What asking for the right to signal found */
struct asked {
	int ret;     /* 0; -EPERM; -ESRCH: nobody is left */
	bool kernel; /* the target is a thread of the kernel's */
};

/*
 * A caller that may send the thread a signal may also stop it. The kernel decides this as for
 * kill(2), security modules included: it checks signal 0 and does not send it. Return: 1: yes.
 */
static int ask_to_signal(struct pmudev_set *set, void *arg)
{
	struct asked *asked = arg;
	struct pid *pid;
	bool kernel;
	int ret;

	do {
		pid = counted_pid(set->ctx, &kernel);
		if (!pid)
			return 0;
		ret = kill_pid(pid, 0, 0);
		put_pid(pid);
		/* It has got its process's pid by an exec; or ends, and then has none. */
	} while (ret == -ESRCH);
	/* A child's creator is asked as well. */
	if (kernel && pmudev_set_is_child(set))
		return 0;
	asked->kernel = kernel;
	asked->ret = ret;
	return !ret;
}

static int check_signal(struct pmudev_set *set, const struct pmudev_deadline *entry,
			struct pmudev_refusal *why)
{
	bool signal = entry->flags & PMUDEV_DEADLINE_SIGNAL;
	struct asked asked = { .ret = -ESRCH };

	if (!signal && (entry->signal || entry->id))
		return pmudev_refuse(why, -EINVAL, PMUDEV_WHY_RESERVED, 0);
	if (!signal && !(entry->flags & PMUDEV_DEADLINE_STOP))
		return 0;
	if (set->cpu >= 0)
		return pmudev_refuse(why, -EINVAL, PMUDEV_WHY_COMBINATION,
				     PMUDEV_DEADLINE_SIGNAL | PMUDEV_DEADLINE_STOP);
	if (signal && (!entry->signal || !valid_signal(entry->signal)))
		return pmudev_refuse(why, -EINVAL, PMUDEV_WHY_DEADLINE, _NSIG);
	ask_to_signal(set, &asked);
	/* The target has ended: one that goes on is enough, for each is asked when it is told. */
	if (asked.ret == -ESRCH)
		pmudev_children_each(set, ask_to_signal, &asked);
	/* It has no way to user mode, on which it could be stopped. */
	if (asked.kernel)
		return pmudev_refuse(why, -EINVAL, PMUDEV_WHY_COMBINATION,
				     PMUDEV_DEADLINE_SIGNAL | PMUDEV_DEADLINE_STOP);
	if (asked.ret == -ESRCH)
		return pmudev_refuse(why, -ESRCH, PMUDEV_WHY_ENDED, 0);
	return asked.ret ? pmudev_refuse(why, -EPERM, PMUDEV_WHY_CAP_SIGNAL, 0) : 0;
}

static int check_numbers(const struct pmudev_deadline *entry, struct pmudev_refusal *why)
{
	u32 flags = entry->flags;

	if (flags & ~PMUDEV_DEADLINE_FLAGS)
		return pmudev_refuse(why, -EINVAL, PMUDEV_WHY_FLAGS, PMUDEV_DEADLINE_FLAGS);
	if (flags & PMUDEV_DEADLINE_REMOVE && flags != PMUDEV_DEADLINE_REMOVE)
		return pmudev_refuse(why, -EINVAL, PMUDEV_WHY_COMBINATION, flags);
	if (entry->reserved || (!(flags & PMUDEV_DEADLINE_PERIODIC) && entry->period) ||
	    (!(flags & PMUDEV_DEADLINE_EVENTFD) && entry->eventfd) ||
	    (flags & PMUDEV_DEADLINE_REMOVE && entry->value))
		return pmudev_refuse(why, -EINVAL, PMUDEV_WHY_RESERVED, 0);
	if (flags & PMUDEV_DEADLINE_SAMPLE &&
	    flags & (PMUDEV_DEADLINE_SIGNAL | PMUDEV_DEADLINE_TOTAL))
		return pmudev_refuse(why, -EINVAL, PMUDEV_WHY_COMBINATION, flags);
	/* A total is reached once, by nobody in particular. */
	if (flags & PMUDEV_DEADLINE_TOTAL &&
	    flags & (PMUDEV_DEADLINE_PERIODIC | PMUDEV_DEADLINE_SIGNAL | PMUDEV_DEADLINE_STOP))
		return pmudev_refuse(why, -EINVAL, PMUDEV_WHY_COMBINATION, flags);
	if (entry->value > PMUDEV_DEADLINE_MAX || entry->period > PMUDEV_DEADLINE_MAX ||
	    (flags & PMUDEV_DEADLINE_PERIODIC && !entry->period))
		return pmudev_refuse(why, -EINVAL, PMUDEV_WHY_DEADLINE, PMUDEV_DEADLINE_MAX);
	return 0;
}

static int check_entry(struct pmudev_set *set, const struct pmudev_deadline *entry, u64 *slots,
		       struct pmudev_refusal *why)
{
	int ret = check_numbers(entry, why);

	if (ret)
		return ret;
	if (entry->slot >= PMUDEV_MAX_EVENTS || !(set->used & BIT_ULL(entry->slot)))
		return pmudev_refuse(why, -EINVAL, PMUDEV_WHY_SLOT, 0);
	if (*slots & BIT_ULL(entry->slot))
		return pmudev_refuse(why, -EINVAL, PMUDEV_WHY_DEADLINE, 0);
	*slots |= BIT_ULL(entry->slot);
	if (entry->flags & PMUDEV_DEADLINE_SAMPLE && !READ_ONCE(pmudev_open_set(set)->ring))
		return pmudev_refuse(why, -EINVAL, PMUDEV_WHY_SAMPLES, 0);
	/* Each of its threads counts a part of the time. */
	if (entry->flags & PMUDEV_DEADLINE_TOTAL && set->mux & BIT_ULL(entry->slot))
		return pmudev_refuse(why, -EINVAL, PMUDEV_WHY_COMBINATION, PMUDEV_MULTIPLEX);
	/* Its bare reads rely on the count being in the counter. */
	if (pmudev_slot_event(set, entry->slot)->flags & PMUDEV_DIRECT)
		return pmudev_refuse(why, -EINVAL, PMUDEV_WHY_COMBINATION, PMUDEV_DIRECT);
	return check_signal(set, entry, why);
}

int pmudev_check_deadline_set(struct pmudev_set *set, struct pmudev_refusal *why)
{
	if (!set->ctx)
		return pmudev_refuse(why, -EINVAL, PMUDEV_WHY_UNBOUND, 0);
	if (!set->pmu->info.interrupt)
		return pmudev_refuse(why, -EOPNOTSUPP, PMUDEV_WHY_HARDWARE, 0);
	if (pmudev_set_ended(set))
		return pmudev_refuse(why, -ESRCH, PMUDEV_WHY_ENDED, 0);
	return 0;
}

int pmudev_check_deadline_list(struct pmudev_set *set, const struct pmudev_deadline *entry,
			       unsigned int nr, struct eventfd_ctx **eventfd,
			       struct pmudev_refusal *why)
{
	unsigned int i;
	u64 slots = 0;
	int ret;

	for (i = 0; i < nr; i++) {
		why->event = i;
		ret = check_entry(set, &entry[i], &slots, why);
		if (ret)
			return ret;
		if (!(entry[i].flags & PMUDEV_DEADLINE_EVENTFD))
			continue;
		eventfd[i] = eventfd_ctx_fdget(entry[i].eventfd);
		if (IS_ERR(eventfd[i])) {
			eventfd[i] = NULL;
			return pmudev_refuse(why, -EINVAL, PMUDEV_WHY_EVENTFD, 0);
		}
	}
	why->event = -1;
	return 0;
}
