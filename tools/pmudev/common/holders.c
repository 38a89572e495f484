// SPDX-License-Identifier: GPL-2.0
#define _GNU_SOURCE
#include <sched.h>
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
	alone.flags &= ~PMUDEV_MULTIPLEX;
	/* To name one is more than to allow one. */
	if (!(alone.flags & PMUDEV_COUNTER))
		alone.allowed = 1ULL << counter;
	if (!pmudev_place(set, &alone, 1, &got))
		return COUNTER_FREE;
	if (!pmudev_why(set, &why) || !(why.allowed >> counter & 1))
		return COUNTER_UNFIT;
	*holder = why.holder;
	return COUNTER_HELD;
}

/* Some counters take instructions only. */
static bool find_holder(struct pmudev *set, unsigned int counter, struct pmudev_holder *holder)
{
	struct pmudev_event_attr attr = {
		.type = PMUDEV_TYPE_GENERIC,
		.flags = PMUDEV_EXCLUDE_KERNEL | PMUDEV_EXCLUDE_HV,
	};

	for (attr.config = PMUDEV_CYCLES; attr.config <= PMUDEV_INSTRUCTIONS; attr.config++)
		if (counter_state(set, &attr, counter, holder) == COUNTER_HELD &&
		    holder->kind != PMUDEV_HOLDER_NONE)
			return true;
	return false;
}

unsigned int holders_find(const struct pmudev_query *q, struct pmudev_holder holders[MAX_HELD])
{
	const __u64 held = q->busy | (q->counters & ~q->available);
	struct pmudev thread, cpu;
	unsigned int i, nr = 0;

	if (!held)
		return 0;
	/* If one of them cannot be bound, its dry runs fail without a holder. */
	if (!pmudev_open(&thread))
		pmudev_bind_self(&thread);
	if (!pmudev_open(&cpu))
		pmudev_bind_cpu(&cpu, sched_getcpu(), 0);
	for (i = 0; i < MAX_HELD; i++) {
		if (!(held >> i & 1) ||
		    (!find_holder(&thread, i, &holders[nr]) && !find_holder(&cpu, i, &holders[nr])))
			continue;
		holders[nr++].counter = i;
	}
	pmudev_close(&thread);
	pmudev_close(&cpu);
	return nr;
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

/* Try a placement on a CPU: a refusal names the watchdog only if it can have the PMU. */
bool holders_watchdog(struct pmudev *set)
{
	const struct pmudev_event_attr attr = {
		.type = PMUDEV_TYPE_GENERIC,
		.config = PMUDEV_INSTRUCTIONS,
		.flags = PMUDEV_EXCLUDE_KERNEL | PMUDEV_EXCLUDE_HV,
	};
	struct pmudev_refusal why;
	int32_t got;

	return !pmudev_bind_cpu(set, sched_getcpu(), 0) && pmudev_place(set, &attr, 1, &got) &&
	       !pmudev_why(set, &why) && why.holder.kind == PMUDEV_HOLDER_WATCHDOG;
}
