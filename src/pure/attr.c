// SPDX-License-Identifier: GPL-2.0
/* Checks of event attributes that need nothing but the attributes. */
#include <pmudev/assign.h>
#include <pmudev/attr.h>

static int check_flags(const struct pmudev_event_attr *attr, struct pmudev_refusal *why)
{
	u32 flags = attr->flags;

	if (flags & ~PMUDEV_EVENT_FLAGS)
		return pmudev_refuse(why, -EINVAL, PMUDEV_WHY_FLAGS, PMUDEV_EVENT_FLAGS);
	/* DIRECT needs one counter all the time; CHAIN_READ is about user reads of 64 bits. */
	if ((flags & PMUDEV_DIRECT) && (flags & PMUDEV_MULTIPLEX))
		return pmudev_refuse(why, -EINVAL, PMUDEV_WHY_COMBINATION,
				     PMUDEV_DIRECT | PMUDEV_MULTIPLEX);
	if ((flags & PMUDEV_DIRECT) && !(flags & PMUDEV_USER_READ))
		return pmudev_refuse(why, -EINVAL, PMUDEV_WHY_COMBINATION,
				     PMUDEV_DIRECT | PMUDEV_USER_READ);
	if ((flags & PMUDEV_CHAIN_READ) &&
	    (flags & (PMUDEV_LONG | PMUDEV_USER_READ)) != (PMUDEV_LONG | PMUDEV_USER_READ))
		return pmudev_refuse(why, -EINVAL, PMUDEV_WHY_COMBINATION,
				     PMUDEV_CHAIN_READ | PMUDEV_LONG | PMUDEV_USER_READ);
	if ((flags & PMUDEV_EXCLUDE_HOST) && (flags & PMUDEV_EXCLUDE_GUEST))
		return pmudev_refuse(why, -EINVAL, PMUDEV_WHY_ALL_EXCLUDED, 0);
	return 0;
}

static int check_counter(const struct pmudev_event_attr *attr, struct pmudev_refusal *why)
{
	if (!(attr->flags & PMUDEV_COUNTER))
		return attr->counter ? pmudev_refuse(why, -EINVAL, PMUDEV_WHY_COUNTER, 0) : 0;
	if (attr->counter > 63)
		return pmudev_refuse(why, -EINVAL, PMUDEV_WHY_COUNTER, 63);
	if (attr->allowed && !(attr->allowed & BIT_ULL(attr->counter)))
		return pmudev_refuse(why, -EINVAL, PMUDEV_WHY_COUNTER, 0);
	return 0;
}

int pmudev_attr_check(const struct pmudev_event_attr *attr, struct pmudev_refusal *why)
{
	unsigned int i;
	int ret;

	if (attr->type > PMUDEV_TYPE_RAW)
		return pmudev_refuse(why, -EINVAL, PMUDEV_WHY_TYPE, PMUDEV_TYPE_RAW);
	if (attr->type == PMUDEV_TYPE_GENERIC && attr->config >= PMUDEV_GENERIC_MAX)
		return pmudev_refuse(why, -EINVAL, PMUDEV_WHY_CONFIG, PMUDEV_GENERIC_MAX - 1);
	for (i = 0; i < ARRAY_SIZE(attr->reserved); i++)
		if (attr->reserved[i])
			return pmudev_refuse(why, -EINVAL, PMUDEV_WHY_RESERVED, 0);
	if (attr->group >= PMUDEV_MAX_GROUPS)
		return pmudev_refuse(why, -EINVAL, PMUDEV_WHY_GROUP, PMUDEV_MAX_GROUPS - 1);
	if (attr->threshold > PMUDEV_MAX_THRESHOLD)
		return pmudev_refuse(why, -EINVAL, PMUDEV_WHY_THRESHOLD, PMUDEV_MAX_THRESHOLD);
	if (attr->threshold_compare > PMUDEV_LESS)
		return pmudev_refuse(why, -EINVAL, PMUDEV_WHY_COMPARE, PMUDEV_LESS);
	ret = check_flags(attr, why);
	return ret ? ret : check_counter(attr, why);
}

int pmudev_attr_threshold(const struct pmudev_event_attr *attr, u32 highest,
			  struct pmudev_refusal *why)
{
	if (attr->threshold <= highest)
		return 0;
	return pmudev_refuse(why, highest ? -EINVAL : -EOPNOTSUPP, PMUDEV_WHY_THRESHOLD, highest);
}

int pmudev_group_check(const struct pmudev_event_attr *attr, unsigned int nr, unsigned int *bad,
		       struct pmudev_refusal *why)
{
	u64 checked = 0, multiplexed = 0;
	unsigned int i;

	for (i = 0; i < nr; i++) {
		u64 group = BIT_ULL(attr[i].group);
		bool multiplex = attr[i].flags & PMUDEV_MULTIPLEX;

		if ((checked & group) && multiplex != !!(multiplexed & group)) {
			*bad = i;
			return pmudev_refuse(why, -EINVAL, PMUDEV_WHY_GROUP_FLAGS, 0);
		}
		checked |= group;
		if (multiplex)
			multiplexed |= group;
	}
	return 0;
}

int pmudev_attr_counters(const struct pmudev_event_attr *attr,
			 const struct pmudev_candidates *candidates, struct pmudev_code *code,
			 struct pmudev_refusal *why)
{
	u64 wish = attr->allowed ? attr->allowed : ~0ULL;
	u64 one = attr->flags & PMUDEV_COUNTER ? BIT_ULL(attr->counter) : ~0ULL;
	u64 single = candidates->any, chained = 0;

	if (!candidates->any)
		return pmudev_refuse(why, -ENOSPC, PMUDEV_WHY_NO_COUNTER, 0);
	if (attr->flags & PMUDEV_LONG) {
		single = candidates->wide;
		chained = candidates->chained;
	}
	/* One instruction cannot read two counters: chained user reads need PMUDEV_CHAIN_READ. */
	if ((attr->flags & PMUDEV_USER_READ) && !(attr->flags & PMUDEV_CHAIN_READ))
		chained = 0;
	if (attr->flags & PMUDEV_DIRECT) {
		single &= candidates->direct;
		chained = 0;
	}
	if (!(single | chained))
		return pmudev_refuse(why, -EOPNOTSUPP, PMUDEV_WHY_WIDTH, candidates->width);
	code->chained = !(single & wish & one);
	code->allowed =
		code->chained ? pmudev_places(chained & one, true, wish) : single & wish & one;
	if (code->allowed)
		return 0;
	why->allowed = single | pmudev_places_counters(chained, true);
	/* PMUDEV_COUNTER names the odd counter: a chained event is named by its even one. */
	if ((attr->flags & PMUDEV_COUNTER) && (chained << 1 & one))
		return pmudev_refuse(why, -EINVAL, PMUDEV_WHY_COUNTER, 0);
	/* The counters would do for an event that asks for less width. */
	if (candidates->any & wish & one)
		return pmudev_refuse(why, -EOPNOTSUPP, PMUDEV_WHY_WIDTH, candidates->width);
	return pmudev_refuse(why, -EINVAL, PMUDEV_WHY_COUNTER, 0);
}
