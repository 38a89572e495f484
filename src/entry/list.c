// SPDX-License-Identifier: GPL-2.0
/* Lists of structures that ioctls take: checked, and copied from user space. */
#include <linux/uaccess.h>

#include "../set/set.h"
#include "entry.h"

int pmudev_check_list(u32 nr, u32 size, size_t known, struct pmudev_refusal *why)
{
	if (!nr || nr > PMUDEV_MAX_EVENTS)
		return pmudev_refuse(why, -EINVAL, PMUDEV_WHY_NUMBER, PMUDEV_MAX_EVENTS);
	if (size < known || size > PAGE_SIZE)
		return pmudev_refuse(why, size < known ? -EINVAL : -E2BIG, PMUDEV_WHY_SIZE, known);
	return 0;
}

int pmudev_copy_list(void *list, size_t known, u64 user, u32 nr, u32 size,
		     struct pmudev_refusal *why)
{
	u32 i;
	int ret;

	for (i = 0; i < nr; i++, list += known, user += size) {
		ret = copy_struct_from_user(list, known, u64_to_user_ptr(user), size);
		if (!ret)
			continue;
		why->event = i;
		if (ret == -E2BIG)
			return pmudev_refuse(why, ret, PMUDEV_WHY_TAIL, known);
		return pmudev_refuse(why, ret, PMUDEV_WHY_POINTER, 0);
	}
	return 0;
}
