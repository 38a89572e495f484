// SPDX-License-Identifier: GPL-2.0
/*
 * Sizes and offsets of the ABI, checked when the module is compiled. Changing one breaks existing
 * programs. tests/selftests/layout.c checks every field, for 32-bit and 64-bit programs.
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

SIZE(pmudev_event_attr, 48);
AT(pmudev_event_attr, config, 8);
AT(pmudev_event_attr, tag, 24);

/* All arguments of ioctls have the refusal at the same offset. */
AT(pmudev_query, refusal, 8);
AT(pmudev_bind, refusal, 8);
AT(pmudev_add, refusal, 8);
AT(pmudev_place, refusal, 8);
AT(pmudev_ctl, refusal, 8);
AT(pmudev_why, refusal, 8);
AT(pmudev_deadlines, refusal, 8);
AT(pmudev_reports, refusal, 8);

SIZE(pmudev_query, 256);
SIZE(pmudev_bind, 88);
SIZE(pmudev_add, 96);
SIZE(pmudev_place, 96);
SIZE(pmudev_ctl, 88);
SIZE(pmudev_why, 80);
SIZE(pmudev_deadlines, 88);
SIZE(pmudev_reports, 88);
SIZE(pmudev_read_sets, 96);

SIZE(pmudev_deadline, 40);
AT(pmudev_deadline, value, 8);
AT(pmudev_deadline, eventfd, 24);
SIZE(pmudev_report, 48);
SIZE(pmudev_samples_page, 32);
SIZE(pmudev_sample, 64);
AT(pmudev_sample, counts, 64);
AT(pmudev_report, value, 8);

SIZE(pmudev_count, 32);
SIZE(pmudev_record, 64);
AT(pmudev_record, counts, 64);

SIZE(pmudev_slot, 16);
/* The header and every four slots take one cache line. */
SIZE(pmudev_page, 2112);
AT(pmudev_page, owner, 4);
AT(pmudev_page, clock, 8);
AT(pmudev_page, time_enabled, 16);
AT(pmudev_page, flags, 32);
AT(pmudev_page, generation, 36);
AT(pmudev_page, nr_slots, 48);
AT(pmudev_page, slots, 64);
AT(pmudev_page, times, 1088);
