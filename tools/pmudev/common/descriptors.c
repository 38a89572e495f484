// SPDX-License-Identifier: GPL-2.0
#include <stdbool.h>
#include <sys/resource.h>

#include "descriptors.h"

static struct rlimit before;
static bool raised;

unsigned long descriptors_raise(void)
{
	struct rlimit limit;

	if (getrlimit(RLIMIT_NOFILE, &limit))
		return 1024;
	if (!raised) {
		before = limit;
		limit.rlim_cur = limit.rlim_max;
		raised = !setrlimit(RLIMIT_NOFILE, &limit);
	}
	return raised ? limit.rlim_cur : before.rlim_cur;
}

void descriptors_restore(void)
{
	if (raised)
		setrlimit(RLIMIT_NOFILE, &before);
	raised = false;
}
