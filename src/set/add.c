// SPDX-License-Identifier: GPL-2.0
/* Adding events to a set, with all checks that do not depend on the moment, and removing them. */
#include <linux/capability.h>
#include <linux/compat.h>
#include <linux/slab.h>

#include "../alloc/conflict.h"
#include "../alloc/place.h"
#include "../context/user_access.h"
#include "../memory.h"
#include "deadline.h"
#include "set.h"

/* Most calls are about few events: their encodings fit on the stack. */
#define FEW_EVENTS 8

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
	/* The caller would not know what it is on the CPU where it is read. */
	if (pmudev_nr_pmus > 1 && (attr->type == PMUDEV_TYPE_GENERIC || (flags & PMUDEV_DIRECT)))
		return pmudev_refuse(why, -EOPNOTSUPP, PMUDEV_WHY_SEVERAL_PMUS,
				     flags & PMUDEV_DIRECT ? PMUDEV_DIRECT : PMUDEV_USER_READ);
	if (in_compat_syscall() && !info->compat_reads)
		return pmudev_refuse(why, -EOPNOTSUPP, PMUDEV_WHY_HARDWARE, PMUDEV_USER_READ);
	if (!pmudev_user_access_enabled())
		return pmudev_refuse(why, -EACCES, PMUDEV_WHY_USER_ACCESS, 0);
	return 0;
}

/* New events and those of the set agree on what a group shares. */
static int check_agreement(struct pmudev_set *set, const struct pmudev_event_attr *attr,
			   unsigned int nr, struct pmudev_refusal *why)
{
	unsigned int i;
	u64 group;

	for (i = 0; i < nr; i++) {
		why->event = i;
		group = pmudev_groups_slots(set, set->used, BIT_ULL(attr[i].group));
		if (group & (attr[i].flags & PMUDEV_MULTIPLEX ? ~set->mux : set->mux))
			return pmudev_refuse(why, -EINVAL, PMUDEV_WHY_GROUP_FLAGS, 0);
	}
	return 0;
}

/* What this machine cannot, and then what the caller may not. */
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

/* Can the group of @attr[i] be on counters at all, new and old events together? */
static int check_group_fits(struct pmudev_set *set, const struct pmudev_event_attr *attr,
			    const struct pmudev_code *code, unsigned int nr, unsigned int i,
			    struct pmudev_refusal *why)
{
	struct pmudev_constraint constraint[PMUDEV_MAX_EVENTS];
	unsigned int n = 0, nr_old, j, slot;
	u8 event[PMUDEV_MAX_EVENTS];
	u64 rest, old;
	int ret;

	for (j = 0; j < i; j++)
		if (attr[j].group == attr[i].group)
			return 0;
	old = pmudev_groups_slots(set, set->used, BIT_ULL(attr[i].group));
	pmudev_for_each_slot(slot, rest, old)
		constraint[n++] = pmudev_event_constraint(pmudev_slot_event(set, slot));
	nr_old = n;
	for (j = i; j < nr; j++) {
		if (attr[j].group != attr[i].group)
			continue;
		/* No PMU has counters for more events than a set can hold. */
		if (n == PMUDEV_MAX_EVENTS) {
			why->event = j;
			return pmudev_refuse(why, -ENOSPC, PMUDEV_WHY_NO_COUNTER, 0);
		}
		event[n] = j;
		constraint[n++] = (struct pmudev_constraint){
			.allowed = code[j].allowed,
			.now = PMUDEV_NO_COUNTER,
			.chained = code[j].chained,
		};
	}
	ret = pmudev_place_ever(set->pmu, constraint, n, why);
	/* The set's events come first and fitted before: a new one is to blame. */
	if (ret)
		why->event = why->event >= (int)nr_old ? event[why->event] : i;
	return ret;
}

int pmudev_check_events(struct pmudev_set *set, const struct pmudev_event_attr *attr,
			unsigned int nr, struct pmudev_code *code, struct pmudev_refusal *why)
{
	unsigned int i, culprit;
	int ret = 0;

	/* What no machine would accept. */
	for (i = 0; i < nr && !ret; i++) {
		why->event = i;
		ret = pmudev_attr_check(&attr[i], why);
	}
	if (!ret) {
		ret = pmudev_group_check(attr, nr, &culprit, why);
		if (ret)
			why->event = culprit;
	}
	if (!ret)
		ret = check_agreement(set, attr, nr, why);
	for (i = 0; i < nr && !ret; i++) {
		why->event = i;
		code[i] = (struct pmudev_code){};
		ret = check_event(set, &attr[i], &code[i], why);
	}
	for (i = 0; i < nr && !ret; i++) {
		ret = check_group_fits(set, attr, code, nr, i, why);
		if (ret)
			pmudev_refusal_complete(set, why);
	}
	if (!ret)
		why->event = -1;
	return ret;
}

/* Slots that are enabled, or will be at the next exec, at one moment. */
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
	u64 groups = pmudev_slots_groups(set, enabled_slots(set));
	unsigned int i;

	for (i = 0; i < nr; i++) {
		if (groups & BIT_ULL(attr[i].group)) {
			why->event = i;
			return pmudev_refuse(why, -EBUSY, PMUDEV_WHY_ENABLED, 0);
		}
	}
	return 0;
}

/* Hold KVM's hooks for as long as the set lives, or until it is empty. */
static int hook_guests(struct pmudev_open_set *open, const struct pmudev_code *code,
		       unsigned int nr, struct pmudev_refusal *why)
{
	unsigned int i;

	for (i = 0; i < nr && !open->kvm_hooked; i++) {
		if (!code[i].filter)
			continue;
		if (pmudev_set_hooks.kvm_get())
			return pmudev_refuse(why, -ENOMEM, PMUDEV_WHY_MEMORY, 0);
		open->kvm_hooked = true;
	}
	return 0;
}

/* Put events into free slots. They are not in use yet: all of it may be forgotten. */
static int fill_slots(struct pmudev_set *set, const struct pmudev_event_attr *attr,
		      const struct pmudev_code *code, unsigned int nr, u32 *slots,
		      struct pmudev_slots_arg *change)
{
	struct pmudev_event **chunk;
	unsigned int i, slot;

	for (i = 0; i < nr; i++) {
		slot = __ffs64(~change->used);
		chunk = &set->chunk[slot / PMUDEV_CHUNK];
		if (!*chunk)
			*chunk = kcalloc(PMUDEV_CHUNK, sizeof(**chunk), PMUDEV_GFP);
		if (!*chunk)
			return -ENOMEM;
		*pmudev_slot_event(set, slot) = (struct pmudev_event){
			.hw.config = code[i].config,
			.hw.chained = code[i].chained,
			.hw.filter = code[i].filter,
			.allowed = code[i].allowed,
			.tag = attr[i].tag,
			.flags = attr[i].flags,
			.group = attr[i].group,
		};
		slots[i] = slot;
		change->used |= BIT_ULL(slot);
		if (attr[i].flags & PMUDEV_USER_READ)
			change->user |= BIT_ULL(slot);
		if (attr[i].flags & PMUDEV_MULTIPLEX)
			change->mux |= BIT_ULL(slot);
	}
	return 0;
}

/* Add events whose encodings fit into @code. */
static int add(struct pmudev_set *set, const struct pmudev_event_attr *attr,
	       struct pmudev_code *code, unsigned int nr, u32 *slots, struct pmudev_refusal *why)
{
	struct pmudev_slots_arg change = { .used = set->used, .user = set->user, .mux = set->mux };
	int ret = pmudev_check_events(set, attr, nr, code, why);

	if (!ret)
		ret = check_disabled(set, attr, nr, why);
	if (!ret)
		ret = hook_guests(pmudev_open_set(set), code, nr, why);
	if (ret)
		return ret;
	if (fill_slots(set, attr, code, nr, slots, &change))
		return pmudev_refuse(why, -ENOMEM, PMUDEV_WHY_MEMORY, 0);
	pmudev_set_call(set, pmudev_change_slots, &change);
	return 0;
}

int pmudev_set_add(struct pmudev_set *set, const struct pmudev_event_attr *attr, unsigned int nr,
		   u32 *slots, struct pmudev_refusal *why)
{
	struct pmudev_code few[FEW_EVENTS], *code = few;
	int ret;

	lockdep_assert_held(&pmudev_open_set(set)->mutex);
	if (!set->ctx)
		return pmudev_refuse(why, -EINVAL, PMUDEV_WHY_UNBOUND, 0);
	if (pmudev_set_ended(set))
		return pmudev_refuse(why, -ESRCH, PMUDEV_WHY_ENDED, 0);
	if (nr > hweight64(~set->used))
		return pmudev_refuse(why, -EINVAL, PMUDEV_WHY_NUMBER, PMUDEV_MAX_EVENTS);
	if (nr > FEW_EVENTS)
		code = kmalloc_array(nr, sizeof(*code), GFP_KERNEL);
	if (!code)
		return pmudev_refuse(why, -ENOMEM, PMUDEV_WHY_MEMORY, 0);
	ret = add(set, attr, code, nr, slots, why);
	if (code != few)
		kfree(code);
	return ret;
}

/* Take out slots that are neither enabled nor armed. */
static void take_out(struct pmudev_set *set, u64 slots)
{
	struct pmudev_open_set *open = pmudev_open_set(set);
	struct pmudev_slots_arg change = { .used = set->used & ~slots,
					   .user = set->user & ~slots,
					   .mux = set->mux & ~slots };
	struct pmudev_walk walk = {
		.fn = pmudev_change_slots, .arg = &change, .reset = slots, .forget = slots
	};

	pmudev_set_walk(set, &walk);
	pmudev_set_deadlines_drop(set);
	if (!set->used && open->kvm_hooked) {
		open->kvm_hooked = false;
		pmudev_set_hooks.kvm_put();
	}
}

int pmudev_set_remove(struct pmudev_set *set, u32 group, struct pmudev_refusal *why)
{
	u64 slots;
	int ret = pmudev_group_slots(set, group, &slots, why);

	if (ret)
		return ret;
	if (slots & enabled_slots(set))
		return pmudev_refuse(why, -EBUSY, PMUDEV_WHY_ENABLED, 0);
	take_out(set, slots);
	return 0;
}

int pmudev_set_add_enable(struct pmudev_set *set, const struct pmudev_event_attr *attr,
			  unsigned int nr, u32 *slots, struct pmudev_refusal *why)
{
	static const struct pmudev_bind self = { .target = PMUDEV_TARGET_TASK };
	u64 before = set->used, added, groups;
	unsigned int i;
	int ret;

	ret = set->ctx ? 0 : pmudev_set_bind(set, &self, why);
	if (!ret)
		ret = pmudev_set_add(set, attr, nr, slots, why);
	if (ret)
		return ret;
	added = set->used & ~before;
	groups = pmudev_slots_groups(set, added);
	ret = pmudev_slots_enable(set, pmudev_groups_slots(set, set->used, groups), why);
	if (!ret)
		return 0;
	/* Name the event by the caller's number; one that was in the set before has none. */
	for (i = 0; i < nr && why->event != (s32)slots[i]; i++)
		;
	why->event = i < nr ? (s32)i : -1;
	take_out(set, added);
	return ret;
}
