// SPDX-License-Identifier: GPL-2.0
#include <stdlib.h>

#include "../common/proc_stat.h"
#include "refused.h"

/* 0: there is no such process. */
static uint64_t start_of(int pid)
{
	unsigned long long start;

	return proc_stat(pid, PROC_START, &start) ? start : 0;
}

static int by_number(const void *a, const void *b)
{
	const struct refusal *one = a, *other = b;

	return one->pid < other->pid ? -1 : one->pid > other->pid;
}

const char *refused_before(struct refused *refused, int pid, uint64_t now)
{
	const struct refusal key = { .pid = pid };
	struct refusal *found = NULL;

	if (refused->sorted)
		found = bsearch(&key, refused->all, refused->sorted, sizeof(key), by_number);
	if (!found || now >= found->again || start_of(pid) != found->start)
		return NULL;
	found->seen = true;
	return found->why;
}

void refused_add(struct refused *refused, int pid, const char *why, uint64_t now)
{
	const uint64_t start = start_of(pid);
	struct refusal *all;

	if (!start)
		return;
	if (refused->nr == refused->room) {
		all = reallocarray(refused->all, 2 * refused->room + 64, sizeof(*all));
		if (!all)
			return;
		refused->all = all;
		refused->room = 2 * refused->room + 64;
	}
	refused->all[refused->nr++] = (struct refusal){
		.pid = pid,
		.start = start,
		.again = now + REFUSED_AGAIN,
		.why = why,
		.seen = true,
	};
}

void refused_tidy(struct refused *refused)
{
	unsigned int i, nr = 0;

	for (i = 0; i < refused->nr; i++) {
		if (!refused->all[i].seen)
			continue;
		refused->all[nr] = refused->all[i];
		refused->all[nr++].seen = false;
	}
	refused->nr = nr;
	refused->sorted = nr;
	if (nr)
		qsort(refused->all, nr, sizeof(*refused->all), by_number);
}

void refused_free(struct refused *refused)
{
	free(refused->all);
	*refused = (struct refused){ .nr = 0 };
}
