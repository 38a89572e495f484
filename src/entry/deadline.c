// SPDX-License-Identifier: GPL-2.0
/* DEADLINE and REPORT: their lists, copied from and to user space. */
#include <linux/slab.h>
#include <linux/uaccess.h>

#include "../set/deadline.h"
#include "entry.h"

int pmudev_ioctl_deadline(struct pmudev_set *set, const struct pmudev_deadlines *call,
			  struct pmudev_refusal *why)
{
	struct pmudev_deadline *entry;
	int ret = pmudev_check_list(call->nr, call->deadline_size, sizeof(*entry), why);

	if (ret)
		return ret;
	entry = kmalloc_array(call->nr, sizeof(*entry), GFP_KERNEL);
	if (!entry)
		return pmudev_refuse(why, -ENOMEM, PMUDEV_WHY_MEMORY, 0);
	ret = pmudev_copy_list(entry, sizeof(*entry), call->deadlines, call->nr,
			       call->deadline_size, why);
	if (!ret) {
		mutex_lock(&pmudev_open_set(set)->mutex);
		ret = pmudev_set_deadlines(set, entry, call->nr, why);
		mutex_unlock(&pmudev_open_set(set)->mutex);
	}
	kfree(entry);
	return ret;
}

int pmudev_ioctl_report(struct pmudev_set *set, struct pmudev_reports *call,
			struct pmudev_refusal *why)
{
	void __user *user = u64_to_user_ptr(call->reports);
	struct pmudev_report *report;
	int ret = pmudev_check_list(call->nr, call->report_size, sizeof(*report), why), i;

	if (ret)
		return ret;
	report = kmalloc_array(call->nr, sizeof(*report), GFP_KERNEL);
	if (!report)
		return pmudev_refuse(why, -ENOMEM, PMUDEV_WHY_MEMORY, 0);
	/* Find a bad pointer before anything is read, as far as possible. */
	if (clear_user(user, (size_t)call->nr * call->report_size)) {
		ret = pmudev_refuse(why, -EFAULT, PMUDEV_WHY_POINTER, 0);
		goto out;
	}
	ret = pmudev_set_reports(set, report, call->nr, why);
	if (ret < 0)
		goto out;
	call->nr = ret;
	for (i = 0, ret = 0; i < call->nr && !ret; i++)
		if (copy_to_user(user + (size_t)i * call->report_size, &report[i], sizeof(*report)))
			ret = pmudev_refuse(why, -EFAULT, PMUDEV_WHY_POINTER, 0);
out:
	kfree(report);
	return ret;
}
