// SPDX-License-Identifier: GPL-2.0
/* Locked memory of users */
#include <linux/capability.h>
#include <linux/mm.h>
#include <linux/sched/signal.h>
#include <linux/sched/user.h>

#include "memory.h"

static bool charge(struct user_struct *user, unsigned long nr)
{
	unsigned long limit = rlimit(RLIMIT_MEMLOCK) >> PAGE_SHIFT;
	long locked = atomic_long_read(&user->locked_vm);

	do {
		if (locked + nr > limit)
			return false;
	} while (!atomic_long_try_cmpxchg(&user->locked_vm, &locked, locked + nr));
	return true;
}

bool pmudev_charge_locked(unsigned long nr, struct user_struct **user)
{
	*user = capable(CAP_IPC_LOCK) ? NULL : get_current_user();
	if (!*user || charge(*user, nr))
		return true;
	free_uid(*user);
	*user = NULL;
	return false;
}

void pmudev_uncharge_locked(struct user_struct *user, unsigned long nr)
{
	if (!user)
		return;
	atomic_long_sub(nr, &user->locked_vm);
	free_uid(user);
}
