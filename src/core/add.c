// SPDX-License-Identifier: GPL-2.0
/* Adding events to a set and taking them out: all checks that no moment changes. */
#include <linux/capability.h>
#include <linux/compat.h>
#include <linux/slab.h>

#include "ledger.h"

static int check_user_read(struct pmudev_set *set, const struct pmudev_event_attr *attr,
			   struct pmudev_code *code, struct pmudev_refusal *why)
{
	const struct pmudev_pmu_info *info = &set->pmu->info;
	u32 flags = attr->flags;

	if (!(flags & PMUDEV_USER_READ))
		return 0;
	if (set->inherit)
		return pmudev_refuse(why, -EOPNOTSUPP, PMUDEV_WHY_INHERITED, 0);
	code->allowed = pmudev_places(code->allowed, code->chained, info->user);
	if (set->cpu >= 0 || !(info->features & PMUDEV_HAS_USER_READ) || !code->allowed)
		return pmudev_refuse(why, -EOPNOTSUPP, PMUDEV_WHY_HARDWARE, PMUDEV_USER_READ);
	/* What it is on the CPU where it is read the caller would not know. */
	if (pmudev_nr_pmus > 1 && (attr->type == PMUDEV_TYPE_GENERIC || (flags & PMUDEV_DIRECT)))
		return pmudev_refuse(why, -EOPNOTSUPP, PMUDEV_WHY_SEVERAL_PMUS,
				     flags & PMUDEV_DIRECT ? PMUDEV_DIRECT : PMUDEV_USER_READ);
	if (in_compat_syscall() && !info->compat_reads)
		return pmudev_refuse(why, -EOPNOTSUPP, PMUDEV_WHY_HARDWARE, PMUDEV_USER_READ);
	if (!pmudev_user_access_enabled())
		return pmudev_refuse(why, -EACCES, PMUDEV_WHY_USER_ACCESS, 0);
	return 0;
}

/* Errors that no machine accepts come first, then what this one cannot, then missing rights. */
static int check_attrs(const struct pmudev_event_attr *attr, unsigned int nr,
		       struct pmudev_refusal *why)
{
	unsigned int i;
	int ret;

	for (i = 0; i < nr; i++) {
		why->event = i;
		ret = pmudev_attr_check(&attr[i], why);
		if (ret)
			return ret;
	}
	ret = pmudev_group_check(attr, nr, &i, why);
	if (ret)
		why->event = i;
	return ret;
}

/* What is in the set already and what comes share what a group shares. */
static int check_agreement(struct pmudev_set *set, const struct pmudev_event_attr *attr,
			   unsigned int nr, struct pmudev_refusal *why)
{
	unsigned int i, slot;
	u64 rest;

	if (!set->used)
		return 0;
	for (i = 0; i < nr; i++) {
		bool mux = attr[i].flags & PMUDEV_MULTIPLEX;

		pmudev_for_each_slot(slot, rest, set->used) {
			if (pmudev_slot_event(set, slot)->group != attr[i].group ||
			    !!(set->mux & BIT_ULL(slot)) == mux)
				continue;
			why->event = i;
			return pmudev_refuse(why, -EINVAL, PMUDEV_WHY_GROUP_FLAGS, 0);
		}
	}
	return 0;
}

static int check_event(struct pmudev_set *set, const struct pmudev_event_attr *attr,
		       struct pmudev_code *code, struct pmudev_refusal *why)
{
	int ret;

	ret = pmudev_backend.encode(&set->pmu->info, attr, code, why);
	if (ret)
		return ret;
	if (code->privileged && !perfmon_capable())
		return pmudev_refuse(why, -EPERM, PMUDEV_WHY_CAP_KERNEL, 0);
	return check_user_read(set, attr, code, why);
}

/* Can the group that @attr[i] belongs to be on counters at all, new and old together? */
static int check_group_fits(struct pmudev_set *set, const struct pmudev_event_attr *attr,
			    const struct pmudev_code *code, unsigned int nr, unsigned int i,
			    struct pmudev_refusal *why)
{
	struct pmudev_constraint constraint[PMUDEV_MAX_EVENTS] PMUDEV_UNSET;
	u64 rest;
	unsigned int n = 0, j, slot;
	u8 place[PMUDEV_MAX_EVENTS] PMUDEV_UNSET;
	int ret;

	for (j = 0; j < i; j++)
		if (attr[j].group == attr[i].group)
			return 0;
	pmudev_for_each_slot(slot, rest, set->used)
		if (pmudev_slot_event(set, slot)->group == attr[i].group)
			constraint[n++] = pmudev_event_constraint(pmudev_slot_event(set, slot));
	slot = n;
	for (j = i; j < nr; j++) {
		if (attr[j].group != attr[i].group)
			continue;
		/* More than a set can hold are more than any PMU has counters for. */
		if (n == PMUDEV_MAX_EVENTS) {
			why->event = j;
			return pmudev_refuse(why, -ENOSPC, PMUDEV_WHY_NO_COUNTER, 0);
		}
		place[n] = j;
		constraint[n++] = (struct pmudev_constraint){
			.allowed = code[j].allowed,
			.now = PMUDEV_NO_COUNTER,
			.chained = code[j].chained,
		};
	}
	ret = pmudev_place_ever(set->pmu, constraint, n, why);
	/* Events of the set come first and fitted before: a new one is to blame. */
	if (ret)
		why->event = why->event >= (int)slot ? place[why->event] : i;
	return ret;
}

static bool has_at_least(u64 mask, unsigned int nr)
{
	while (mask && --nr)
		mask &= mask - 1;
	return mask;
}

/* At a glance: all can have as many counters as there are events, so one is left for each. */
static bool surely_fit(const struct pmudev_set *set, const struct pmudev_code *code,
		       unsigned int nr)
{
	/* More are reserved under pmu->lock, not held here. */
	u64 counters = set->pmu->info.counters & ~READ_ONCE(set->pmu->info.unavailable);
	bool pairs = false;
	unsigned int i;

	for (i = 0; i < nr; i++) {
		counters &= code[i].allowed;
		pairs |= code[i].chained;
	}
	return !set->used && !pairs && has_at_least(counters, nr);
}

int pmudev_check_events(struct pmudev_set *set, const struct pmudev_event_attr *attr,
			unsigned int nr, struct pmudev_code *code, struct pmudev_refusal *why)
{
	unsigned int i;
	int ret;

	ret = check_attrs(attr, nr, why);
	if (!ret)
		ret = check_agreement(set, attr, nr, why);
	if (ret)
		return ret;
	for (i = 0; i < nr; i++) {
		why->event = i;
		code[i] = (struct pmudev_code){};
		ret = check_event(set, &attr[i], &code[i], why);
		if (ret)
			return ret;
	}
	for (i = surely_fit(set, code, nr) ? nr : 0; i < nr; i++) {
		ret = check_group_fits(set, attr, code, nr, i, why);
		if (ret) {
			pmudev_refusal_complete(set, why);
			return ret;
		}
	}
	why->event = -1;
	return 0;
}

/* Enabled, or at the next exec, which may be now: of one moment. */
static u64 enabled_slots(struct pmudev_set *set)
{
	unsigned long flags;
	u64 slots;

	raw_spin_lock_irqsave(&set->ctx->lock, flags);
	slots = set->enabled | set->armed;
	raw_spin_unlock_irqrestore(&set->ctx->lock, flags);
	return slots;
}

static int check_disabled(struct pmudev_set *set, const struct pmudev_event_attr *attr,
			  unsigned int nr, struct pmudev_refusal *why)
{
	unsigned int i, slot;
	u64 rest, enabled;

	if (!set->used)
		return 0;
	enabled = enabled_slots(set);
	for (i = 0; i < nr; i++) {
		pmudev_for_each_slot(slot, rest, enabled) {
			if (pmudev_slot_event(set, slot)->group != attr[i].group)
				continue;
			why->event = i;
			return pmudev_refuse(why, -EBUSY, PMUDEV_WHY_ENABLED, 0);
		}
	}
	return 0;
}

static int make_room(struct pmudev_set *set, unsigned int slot)
{
	struct pmudev_event **chunk = &set->chunk[slot / PMUDEV_CHUNK];

	if (!*chunk)
		*chunk = kcalloc(PMUDEV_CHUNK, sizeof(**chunk), PMUDEV_GFP);
	return *chunk ? 0 : -ENOMEM;
}

/* For as long as the set lives, or until it is empty. */
static int hook_guests(struct pmudev_set *set, const struct pmudev_code *code, unsigned int nr,
		       struct pmudev_refusal *why)
{
	unsigned int i;

	for (i = 0; i < nr && !set->guests; i++) {
		if (!code[i].filter)
			continue;
		if (pmudev_kvm_hooks_get())
			return pmudev_refuse(why, -ENOMEM, PMUDEV_WHY_MEMORY, 0);
		set->guests = true;
	}
	return 0;
}

/* Not yet in use: nobody looks at it. Field by field: compilers call memset() for the rest. */
static __always_inline void fill_in(struct pmudev_event *event,
				    const struct pmudev_event_attr *attr,
				    const struct pmudev_code *code)
{
	event->hw.config = code->config;
	event->hw.value = 0;
	event->hw.counter = 0;
	event->hw.width = 0;
	event->hw.chained = code->chained;
	event->hw.filter = code->filter;
	event->time_enabled = 0;
	event->time_running = 0;
	event->allowed = code->allowed;
	event->tag = attr->tag;
	event->flags = attr->flags;
	event->group = attr->group;
}

/* Slots for the events, and what they are. All of it may be forgotten: they are not in use yet. */
static int take_slots(struct pmudev_set *set, const struct pmudev_event_attr *attr,
		      const struct pmudev_code *code, unsigned int nr, u32 *slots,
		      struct pmudev_change *use)
{
	u64 free = ~set->used, user = 0, mux = 0;
	unsigned int i;

	for (i = 0; i < nr; i++, free &= free - 1) {
		unsigned int slot = __ffs64(free);
		u64 bit = free & -free;

		if (make_room(set, slot))
			return -ENOMEM;
		fill_in(pmudev_slot_event(set, slot), &attr[i], &code[i]);
		slots[i] = slot;
		if (attr[i].flags & PMUDEV_USER_READ)
			user |= bit;
		if (attr[i].flags & PMUDEV_MULTIPLEX)
			mux |= bit;
	}
	use->slots = ~free;
	use->user = set->user | user;
	use->mux = set->mux | mux;
	return 0;
}

int pmudev_set_add(struct pmudev_set *set, const struct pmudev_event_attr *attr, unsigned int nr,
		   u32 *slots, struct pmudev_refusal *why)
{
	struct pmudev_code few[PMUDEV_FEW] PMUDEV_UNSET, *code = few;
	struct pmudev_change use PMUDEV_UNSET;
	int ret;

	lockdep_assert_held(&set->mutex);
	if (!set->ctx)
		return pmudev_refuse(why, -EINVAL, PMUDEV_WHY_UNBOUND, 0);
	if (pmudev_set_ended(set))
		return pmudev_refuse(why, -ESRCH, PMUDEV_WHY_ENDED, 0);
	if (set->used && nr > hweight64(~set->used))
		return pmudev_refuse(why, -EINVAL, PMUDEV_WHY_NUMBER, PMUDEV_MAX_EVENTS);
	if (nr > PMUDEV_FEW)
		code = kmalloc_array(nr, sizeof(*code), GFP_KERNEL);
	if (!code)
		return pmudev_refuse(why, -ENOMEM, PMUDEV_WHY_MEMORY, 0);

	pmudev_rest_not(set);
	ret = pmudev_check_events(set, attr, nr, code, why);
	if (!ret)
		ret = check_disabled(set, attr, nr, why);
	if (!ret)
		ret = hook_guests(set, code, nr, why);
	pmudev_change_init(&use, 0);
	if (!ret && take_slots(set, attr, code, nr, slots, &use))
		ret = pmudev_refuse(why, -ENOMEM, PMUDEV_WHY_MEMORY, 0);
	if (!ret)
		pmudev_set_call(set, pmudev_change_slots, &use);
	if (code != few)
		kfree(code);
	return ret;
}

/* Slots that are neither enabled nor armed. */
static void take_out(struct pmudev_set *set, u64 slots)
{
	struct pmudev_change use = {
		.slots = set->used & ~slots,
		.user = set->user & ~slots,
		.mux = set->mux & ~slots,
		.reset = slots,
		.forget = slots,
	};

	set->removed = true;
	pmudev_set_call(set, pmudev_change_slots, &use);
	if (!set->used && set->guests) {
		set->guests = false;
		pmudev_kvm_hooks_put();
	}
}

int pmudev_set_remove(struct pmudev_set *set, u32 group, struct pmudev_refusal *why)
{
	u64 slots;
	int ret;

	lockdep_assert_held(&set->mutex);
	ret = pmudev_group_slots(set, group, &slots, why);
	if (ret)
		return ret;
	pmudev_rest_not(set);
	if (slots & enabled_slots(set))
		return pmudev_refuse(why, -EBUSY, PMUDEV_WHY_ENABLED, 0);
	take_out(set, slots);
	return 0;
}

/* All slots of the groups that some are in. */
static u64 whole_groups(struct pmudev_set *set, u64 slots)
{
	u64 rest, groups = 0, all = 0;
	unsigned int slot;

	if (slots == set->used)
		return slots;
	pmudev_for_each_slot(slot, rest, slots)
		groups |= BIT_ULL(pmudev_slot_event(set, slot)->group);
	pmudev_for_each_slot(slot, rest, set->used)
		if (groups & BIT_ULL(pmudev_slot_event(set, slot)->group))
			all |= BIT_ULL(slot);
	return all;
}

int pmudev_set_begin(struct pmudev_set *set, const struct pmudev_event_attr *attr, unsigned int nr,
		     u32 *slots, struct pmudev_refusal *why)
{
	static const struct pmudev_bind self = { .target = PMUDEV_TARGET_TASK };
	u64 before = set->used, added;
	unsigned int i;
	int ret = 0;

	if (!set->ctx)
		ret = pmudev_set_bind(set, &self, why);
	if (!ret)
		ret = pmudev_set_add(set, attr, nr, slots, why);
	if (ret)
		return ret;
	added = set->used & ~before;
	ret = pmudev_slots_enable(set, whole_groups(set, added), why);
	if (!ret)
		return 0;
	/* By the caller's number; of an event that was there before there is none. */
	for (i = 0; i < nr && why->event != (s32)slots[i]; i++)
		;
	why->event = i < nr ? (s32)i : -1;
	take_out(set, added);
	return ret;
}
