// SPDX-License-Identifier: MIT
/* Deadlines: set them, hear that they were reached, let go on who was stopped there. */
#include <errno.h>
#include <poll.h>

#include <pmudev_deadline.h>

#include "lib.h"

int pmudev_deadline_set(struct pmudev *set, const struct pmudev_deadline *deadlines,
			unsigned int nr)
{
	struct pmudev_deadlines call = {
		.size = sizeof(call),
		.nr = nr,
		.deadline_size = sizeof(*deadlines),
		.deadlines = (uintptr_t)deadlines,
	};

	return pmudev_call(set, PMUDEV_IOC_DEADLINE, &call, &call.refusal);
}

int pmudev_deadline_remove(struct pmudev *set, uint32_t slot)
{
	struct pmudev_deadline none = { .slot = slot, .flags = PMUDEV_DEADLINE_REMOVE };

	return pmudev_deadline_set(set, &none, 1);
}

int pmudev_deadline_continue(struct pmudev *set)
{
	struct pmudev_ctl ctl = {
		.size = sizeof(ctl),
		.group = PMUDEV_ALL,
		.slot = PMUDEV_ALL,
	};

	return pmudev_call(set, PMUDEV_IOC_CONTINUE, &ctl, &ctl.refusal);
}

int pmudev_deadline_reports(struct pmudev *set, struct pmudev_report *reports, unsigned int nr)
{
	struct pmudev_reports call = {
		.size = sizeof(call),
		.nr = nr,
		.report_size = sizeof(*reports),
		.reports = (uintptr_t)reports,
	};
	int error = pmudev_call(set, PMUDEV_IOC_REPORT, &call, &call.refusal);

	return error ? error : (int)call.nr;
}

int pmudev_deadline_wait(struct pmudev *set, struct pmudev_report *reports, unsigned int nr,
			 int timeout)
{
	int error = pmudev_usable(set), found;
	struct pollfd fd;

	if (error)
		return error;
	fd = (struct pollfd){ .fd = set->fd, .events = POLLIN };
	if (poll(&fd, 1, timeout) < 0)
		return pmudev_fail(set, -errno, PMUDEV_OK);
	/* What was reached before the target ended is still told. */
	found = pmudev_deadline_reports(set, reports, nr);
	if (found)
		return found;
	if (fd.revents & POLLHUP)
		return pmudev_fail(set, -ESRCH, PMUDEV_WHY_ENDED);
	if (fd.revents & POLLERR)
		return pmudev_fail(set, -EINVAL, PMUDEV_WHY_DEADLINE);
	return 0;
}
