// SPDX-License-Identifier: GPL-2.0
/*
 * The ABI's layout, pinned: a change of any of these breaks programs that exist. Compiles to
 * nothing, in the kernel and hosted, for 32 and for 64 bits.
 */
#include <pmudev/types.h>

#ifdef __KERNEL__
#include <linux/build_bug.h>
#include <linux/stddef.h>
#endif

#define SIZE(type, bytes) _Static_assert(sizeof(struct type) == (bytes), #type " size")
#define AT(type, field, bytes) \
	_Static_assert(offsetof(struct type, field) == (bytes), #type "." #field " offset")

SIZE(pmudev_holder, 16);
SIZE(pmudev_refusal, 64);
AT(pmudev_refusal, allowed, 8);
AT(pmudev_refusal, holder, 32);
AT(pmudev_refusal, nr_holders, 48);
AT(pmudev_refusal, holders, 56);

SIZE(pmudev_event_attr, 48);
AT(pmudev_event_attr, config, 8);
AT(pmudev_event_attr, allowed, 16);
AT(pmudev_event_attr, tag, 24);
AT(pmudev_event_attr, group, 32);
AT(pmudev_event_attr, counter, 36);
AT(pmudev_event_attr, threshold, 40);
AT(pmudev_event_attr, threshold_compare, 42);

/* The refusal stands at the same place in all of them. */
AT(pmudev_query, refusal, 8);
AT(pmudev_bind, refusal, 8);
AT(pmudev_add, refusal, 8);
AT(pmudev_place, refusal, 8);
AT(pmudev_ctl, refusal, 8);
AT(pmudev_why, refusal, 8);

SIZE(pmudev_query, 224);
AT(pmudev_query, pmu, 72);
AT(pmudev_query, cpu_id, 96);
AT(pmudev_query, width, 152);
AT(pmudev_query, claims, 168);
AT(pmudev_query, name, 192);
SIZE(pmudev_bind, 88);
AT(pmudev_bind, target, 72);
SIZE(pmudev_add, 96);
AT(pmudev_add, nr, 72);
AT(pmudev_add, events, 80);
AT(pmudev_add, slots, 88);
SIZE(pmudev_place, 96);
AT(pmudev_place, events, 80);
AT(pmudev_place, counters, 88);
SIZE(pmudev_ctl, 88);
AT(pmudev_ctl, group, 72);
AT(pmudev_ctl, slot, 76);
AT(pmudev_ctl, value, 80);
SIZE(pmudev_why, 80);
AT(pmudev_why, error, 72);

SIZE(pmudev_count, 32);
AT(pmudev_count, tag, 24);
SIZE(pmudev_record, 64);
AT(pmudev_record, generation, 12);
AT(pmudev_record, time, 16);
AT(pmudev_record, present, 40);
AT(pmudev_record, counts, 64);

SIZE(pmudev_slot, 16);
AT(pmudev_slot, operand, 8);
AT(pmudev_slot, index, 12);
AT(pmudev_slot, shift, 13);
AT(pmudev_slot, group, 14);
AT(pmudev_slot, flags, 15);
/* One cache line of header, one for every four slots. */
SIZE(pmudev_page, 2112);
AT(pmudev_page, owner, 4);
AT(pmudev_page, clock, 8);
AT(pmudev_page, time_enabled, 16);
AT(pmudev_page, flags, 32);
AT(pmudev_page, generation, 36);
AT(pmudev_page, nr_slots, 48);
AT(pmudev_page, slots, 64);
AT(pmudev_page, times, 1088);
