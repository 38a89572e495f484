// SPDX-License-Identifier: GPL-2.0
#include <stdio.h>

#include "holders.h"

/* Is it one of the counters that the caller allowed for the event? */
static bool chosen(const struct pmudev_event_attr *attr, unsigned int counter)
{
	if (attr->flags & PMUDEV_COUNTER)
		return attr->counter == counter;
	return !attr->allowed || attr->allowed >> counter & 1;
}

enum counter_state counter_state(struct pmudev *set, const struct pmudev_event_attr *attr,
				 unsigned int counter, struct pmudev_holder *holder)
{
	struct pmudev_event_attr alone = *attr;
	struct pmudev_refusal why;
	int32_t got;

	*holder = (struct pmudev_holder){ .kind = PMUDEV_HOLDER_NONE, .cpu = -1 };
	if (!chosen(attr, counter))
		return COUNTER_UNFIT;
	alone.group = 0;
	alone.flags &= ~(PMUDEV_COUNTER | PMUDEV_MULTIPLEX);
	alone.counter = 0;
	alone.allowed = 1ULL << counter;
	if (!pmudev_place(set, &alone, 1, &got))
		return COUNTER_FREE;
	if (!pmudev_why(set, &why) || !(why.allowed >> counter & 1))
		return COUNTER_UNFIT;
	*holder = why.holder;
	return COUNTER_HELD;
}

static const char *owner_text(const struct pmudev_holder *holder, char *buf, size_t len)
{
	if (holder->pid <= 0)
		return "a process of another user";
	snprintf(buf, len, "process %d", holder->pid);
	return buf;
}

void holder_text(const struct pmudev_holder *holder, char *buf, size_t len)
{
	char owner[32];

	switch (holder->kind) {
	case PMUDEV_HOLDER_NONE:
		snprintf(buf, len, "an unknown holder");
		break;
	case PMUDEV_HOLDER_PERF:
		if (holder->cpu >= 0)
			snprintf(buf, len, "perf, on CPU %d", holder->cpu);
		else
			snprintf(buf, len, "perf");
		break;
	case PMUDEV_HOLDER_WATCHDOG:
		snprintf(buf, len, "the NMI watchdog");
		break;
	case PMUDEV_HOLDER_HYPERVISOR:
		snprintf(buf, len, "the hypervisor");
		break;
	case PMUDEV_HOLDER_CPU_SET:
		snprintf(buf, len, "%s, counting CPU %d", owner_text(holder, owner, sizeof(owner)),
			 holder->cpu);
		break;
	default:
		snprintf(buf, len, "%s, counting a thread",
			 owner_text(holder, owner, sizeof(owner)));
		break;
	}
}

const char *holder_kind(const struct pmudev_holder *holder)
{
	static const char *const kinds[] = {
		[PMUDEV_HOLDER_NONE] = "unknown",
		[PMUDEV_HOLDER_SET] = "task-set",
		[PMUDEV_HOLDER_TASK_SET] = "task-set",
		[PMUDEV_HOLDER_CPU_SET] = "cpu-set",
		[PMUDEV_HOLDER_PERF] = "perf",
		[PMUDEV_HOLDER_WATCHDOG] = "nmi-watchdog",
		[PMUDEV_HOLDER_HYPERVISOR] = "hypervisor",
	};

	return holder->kind < sizeof(kinds) / sizeof(*kinds) ? kinds[holder->kind] : kinds[0];
}
