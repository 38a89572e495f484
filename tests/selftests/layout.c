// SPDX-License-Identifier: GPL-2.0
/*
 * The ABI's layout, pinned: no structure may change its size, no field its place. Holds for every
 * compiler and every ABI; to see that for 32-bit programs it is enough to compile this file:
 *
 *	gcc -m32 -fsyntax-only -Iuapi -idirafter /usr/include/$(gcc -print-multiarch) FILE
 */
#include <linux/pmudev.h>

/* An array of -1 bytes, if it does not hold. */
#define HOLDS(condition)	   ((void)sizeof(char[(condition) ? 1 : -1]))
#define SIZE(type, bytes)	   HOLDS(sizeof(struct type) == (bytes))
#define FIELD(type, field, offset) HOLDS(__builtin_offsetof(struct type, field) == (offset))
#define VALUE(name, number)	   HOLDS((name) == (number))

static void __attribute__((unused)) layout(void)
{
	SIZE(pmudev_holder, 16);
	FIELD(pmudev_holder, counter, 0);
	FIELD(pmudev_holder, kind, 4);
	FIELD(pmudev_holder, pid, 8);
	FIELD(pmudev_holder, cpu, 12);

	SIZE(pmudev_refusal, 64);
	FIELD(pmudev_refusal, code, 0);
	FIELD(pmudev_refusal, event, 4);
	FIELD(pmudev_refusal, allowed, 8);
	FIELD(pmudev_refusal, busy, 16);
	FIELD(pmudev_refusal, limit, 24);
	FIELD(pmudev_refusal, holder, 32);
	FIELD(pmudev_refusal, nr_holders, 48);
	FIELD(pmudev_refusal, reserved, 52);
	FIELD(pmudev_refusal, holders, 56);

	SIZE(pmudev_event_attr, 48);
	FIELD(pmudev_event_attr, type, 0);
	FIELD(pmudev_event_attr, flags, 4);
	FIELD(pmudev_event_attr, config, 8);
	FIELD(pmudev_event_attr, allowed, 16);
	FIELD(pmudev_event_attr, tag, 24);
	FIELD(pmudev_event_attr, group, 32);
	FIELD(pmudev_event_attr, counter, 36);
	FIELD(pmudev_event_attr, threshold, 40);
	FIELD(pmudev_event_attr, threshold_compare, 42);
	FIELD(pmudev_event_attr, reserved, 43);

	SIZE(pmudev_query, 256);
	FIELD(pmudev_query, size, 0);
	FIELD(pmudev_query, flags, 4);
	FIELD(pmudev_query, refusal, 8);
	FIELD(pmudev_query, pmu, 72);
	FIELD(pmudev_query, nr_pmus, 76);
	FIELD(pmudev_query, abi, 80);
	FIELD(pmudev_query, arch, 84);
	FIELD(pmudev_query, arch_version, 88);
	FIELD(pmudev_query, state, 92);
	FIELD(pmudev_query, cpu_id, 96);
	FIELD(pmudev_query, features, 104);
	FIELD(pmudev_query, counters, 112);
	FIELD(pmudev_query, available, 120);
	FIELD(pmudev_query, busy, 128);
	FIELD(pmudev_query, user, 136);
	FIELD(pmudev_query, generic, 144);
	FIELD(pmudev_query, width, 152);
	FIELD(pmudev_query, width_fixed, 156);
	FIELD(pmudev_query, threshold_max, 160);
	FIELD(pmudev_query, nr_cpus, 164);
	FIELD(pmudev_query, reservations, 168);
	FIELD(pmudev_query, perf_stops, 176);
	FIELD(pmudev_query, clock_hz, 184);
	FIELD(pmudev_query, name, 192);
	FIELD(pmudev_query, user_access_lost, 224);
	FIELD(pmudev_query, overflows, 232);
	FIELD(pmudev_query, unexpected, 240);
	FIELD(pmudev_query, late, 248);

	SIZE(pmudev_bind, 88);
	FIELD(pmudev_bind, size, 0);
	FIELD(pmudev_bind, flags, 4);
	FIELD(pmudev_bind, refusal, 8);
	FIELD(pmudev_bind, target, 72);
	FIELD(pmudev_bind, id, 76);
	FIELD(pmudev_bind, pmu, 80);
	FIELD(pmudev_bind, cgroup, 84);

	SIZE(pmudev_add, 96);
	FIELD(pmudev_add, size, 0);
	FIELD(pmudev_add, flags, 4);
	FIELD(pmudev_add, refusal, 8);
	FIELD(pmudev_add, nr, 72);
	FIELD(pmudev_add, event_size, 76);
	FIELD(pmudev_add, events, 80);
	FIELD(pmudev_add, slots, 88);

	SIZE(pmudev_place, 96);
	FIELD(pmudev_place, size, 0);
	FIELD(pmudev_place, flags, 4);
	FIELD(pmudev_place, refusal, 8);
	FIELD(pmudev_place, nr, 72);
	FIELD(pmudev_place, event_size, 76);
	FIELD(pmudev_place, events, 80);
	FIELD(pmudev_place, counters, 88);

	SIZE(pmudev_ctl, 88);
	FIELD(pmudev_ctl, size, 0);
	FIELD(pmudev_ctl, flags, 4);
	FIELD(pmudev_ctl, refusal, 8);
	FIELD(pmudev_ctl, group, 72);
	FIELD(pmudev_ctl, slot, 76);
	FIELD(pmudev_ctl, value, 80);

	SIZE(pmudev_why, 80);
	FIELD(pmudev_why, size, 0);
	FIELD(pmudev_why, flags, 4);
	FIELD(pmudev_why, refusal, 8);
	FIELD(pmudev_why, error, 72);
	FIELD(pmudev_why, reserved, 76);

	SIZE(pmudev_deadline, 40);
	FIELD(pmudev_deadline, slot, 0);
	FIELD(pmudev_deadline, flags, 4);
	FIELD(pmudev_deadline, value, 8);
	FIELD(pmudev_deadline, period, 16);
	FIELD(pmudev_deadline, eventfd, 24);
	FIELD(pmudev_deadline, signal, 28);
	FIELD(pmudev_deadline, id, 32);
	FIELD(pmudev_deadline, reserved, 36);

	SIZE(pmudev_deadlines, 88);
	FIELD(pmudev_deadlines, size, 0);
	FIELD(pmudev_deadlines, flags, 4);
	FIELD(pmudev_deadlines, refusal, 8);
	FIELD(pmudev_deadlines, nr, 72);
	FIELD(pmudev_deadlines, deadline_size, 76);
	FIELD(pmudev_deadlines, deadlines, 80);

	SIZE(pmudev_report, 48);
	FIELD(pmudev_report, slot, 0);
	FIELD(pmudev_report, flags, 4);
	FIELD(pmudev_report, value, 8);
	FIELD(pmudev_report, count, 16);
	FIELD(pmudev_report, reached, 24);
	FIELD(pmudev_report, overruns, 32);
	FIELD(pmudev_report, tid, 40);
	FIELD(pmudev_report, reserved, 44);

	SIZE(pmudev_samples_page, 32);
	FIELD(pmudev_samples_page, version, 0);
	FIELD(pmudev_samples_page, size, 4);
	FIELD(pmudev_samples_page, data_offset, 8);
	FIELD(pmudev_samples_page, data_size, 12);
	FIELD(pmudev_samples_page, head, 16);
	FIELD(pmudev_samples_page, tail, 20);
	FIELD(pmudev_samples_page, dropped, 24);

	SIZE(pmudev_sample, 64);
	FIELD(pmudev_sample, size, 0);
	FIELD(pmudev_sample, flags, 4);
	FIELD(pmudev_sample, time, 8);
	FIELD(pmudev_sample, ip, 16);
	FIELD(pmudev_sample, pid, 24);
	FIELD(pmudev_sample, tid, 28);
	FIELD(pmudev_sample, cpu, 32);
	FIELD(pmudev_sample, slot, 36);
	FIELD(pmudev_sample, value, 40);
	FIELD(pmudev_sample, present, 48);
	FIELD(pmudev_sample, dropped, 56);
	FIELD(pmudev_sample, counts, 64);

	SIZE(pmudev_reports, 88);
	FIELD(pmudev_reports, size, 0);
	FIELD(pmudev_reports, flags, 4);
	FIELD(pmudev_reports, refusal, 8);
	FIELD(pmudev_reports, nr, 72);
	FIELD(pmudev_reports, report_size, 76);
	FIELD(pmudev_reports, reports, 80);

	SIZE(pmudev_read_sets, 96);
	FIELD(pmudev_read_sets, size, 0);
	FIELD(pmudev_read_sets, flags, 4);
	FIELD(pmudev_read_sets, refusal, 8);
	FIELD(pmudev_read_sets, nr, 72);
	FIELD(pmudev_read_sets, record_size, 76);
	FIELD(pmudev_read_sets, fds, 80);
	FIELD(pmudev_read_sets, records, 88);

	SIZE(pmudev_count, 32);
	FIELD(pmudev_count, value, 0);
	FIELD(pmudev_count, time_enabled, 8);
	FIELD(pmudev_count, time_running, 16);
	FIELD(pmudev_count, tag, 24);

	SIZE(pmudev_record, 64);
	FIELD(pmudev_record, size, 0);
	FIELD(pmudev_record, nr, 4);
	FIELD(pmudev_record, flags, 8);
	FIELD(pmudev_record, generation, 12);
	FIELD(pmudev_record, time, 16);
	FIELD(pmudev_record, time_enabled, 24);
	FIELD(pmudev_record, time_running, 32);
	FIELD(pmudev_record, present, 40);
	FIELD(pmudev_record, multiplexed, 48);
	FIELD(pmudev_record, reserved, 56);
	FIELD(pmudev_record, counts, 64);

	SIZE(pmudev_slot, 16);
	FIELD(pmudev_slot, count, 0);
	FIELD(pmudev_slot, operand, 8);
	FIELD(pmudev_slot, index, 12);
	FIELD(pmudev_slot, shift, 13);
	FIELD(pmudev_slot, group, 14);
	FIELD(pmudev_slot, flags, 15);

	SIZE(pmudev_group_times, 16);
	FIELD(pmudev_group_times, enabled, 0);
	FIELD(pmudev_group_times, running, 8);

	/* Header, 64 slots, 64 groups; a read of up to four events touches two cache lines. */
	SIZE(pmudev_page, 64 + 64 * 16 + 64 * 16);
	FIELD(pmudev_page, seq, 0);
	FIELD(pmudev_page, owner, 4);
	FIELD(pmudev_page, clock, 8);
	FIELD(pmudev_page, time_enabled, 16);
	FIELD(pmudev_page, time_running, 24);
	FIELD(pmudev_page, flags, 32);
	FIELD(pmudev_page, generation, 36);
	FIELD(pmudev_page, time_mult, 40);
	FIELD(pmudev_page, time_shift, 44);
	FIELD(pmudev_page, nr_slots, 48);
	FIELD(pmudev_page, version, 52);
	FIELD(pmudev_page, size, 56);
	FIELD(pmudev_page, reserved, 60);
	FIELD(pmudev_page, slots, 64);
	FIELD(pmudev_page, times, 64 + 64 * 16);

	/* Numbers that programs have compiled in. */
	VALUE(PMUDEV_IOC_QUERY, 0xde40);
	VALUE(PMUDEV_IOC_BIND, 0xde41);
	VALUE(PMUDEV_IOC_ADD, 0xde42);
	VALUE(PMUDEV_IOC_PLACE, 0xde43);
	VALUE(PMUDEV_IOC_ENABLE, 0xde44);
	VALUE(PMUDEV_IOC_DISABLE, 0xde45);
	VALUE(PMUDEV_IOC_RESET, 0xde46);
	VALUE(PMUDEV_IOC_REMOVE, 0xde47);
	VALUE(PMUDEV_IOC_WHY, 0xde48);
	VALUE(PMUDEV_IOC_DEADLINE, 0xde49);
	VALUE(PMUDEV_IOC_REPORT, 0xde4a);
	VALUE(PMUDEV_EXCLUDE_USER, 0x1);
	VALUE(PMUDEV_EXCLUDE_KERNEL, 0x2);
	VALUE(PMUDEV_EXCLUDE_HV, 0x4);
	VALUE(PMUDEV_EXCLUDE_HOST, 0x8);
	VALUE(PMUDEV_EXCLUDE_GUEST, 0x10);
	VALUE(PMUDEV_LONG, 0x20);
	VALUE(PMUDEV_USER_READ, 0x40);
	VALUE(PMUDEV_DIRECT, 0x80);
	VALUE(PMUDEV_CHAIN_READ, 0x100);
	VALUE(PMUDEV_MULTIPLEX, 0x200);
	VALUE(PMUDEV_COUNTER, 0x400);
	VALUE(PMUDEV_THRESHOLD_COUNT, 0x800);
	VALUE(PMUDEV_STATE_USER_ACCESS, 0x1);
	VALUE(PMUDEV_STATE_RESERVED, 0x2);
	VALUE(PMUDEV_STATE_HOOKS, 0x4);
	VALUE(PMUDEV_STATE_GUEST, 0x8);
	VALUE(PMUDEV_BIND_INHERIT, 0x1);
	VALUE(PMUDEV_BIND_SHARED, 0x4);
	VALUE(PMUDEV_BIND_ON_EXEC, 0x2);
	VALUE(PMUDEV_BIND_PMU, 0x8);
	VALUE(PMUDEV_BIND_EXCLUSIVE, 0x10);
	VALUE(PMUDEV_RECORD_ENABLED, 0x1);
	VALUE(PMUDEV_RECORD_ENDED, 0x2);
	VALUE(PMUDEV_RECORD_OFFLINE, 0x4);
	VALUE(PMUDEV_RECORD_NO_USER_ACCESS, 0x8);
	VALUE(PMUDEV_PAGE_TIMES, 0x1);
	VALUE(PMUDEV_PAGE_GROUP_TIMES, 0x2);
	VALUE(PMUDEV_SLOT_USED, 0x1);
	VALUE(PMUDEV_SLOT_MULTIPLEX, 0x2);
	VALUE(PMUDEV_SLOT_DIRECT, 0x4);
	VALUE(PMUDEV_SLOT_CHAIN, 0x8);
	VALUE(PMUDEV_EVENT_FLAGS, 0xfff);
	VALUE(PMUDEV_BIND_FLAGS, 0x1f);
	VALUE(PMUDEV_MAX_EVENTS, 64);
	VALUE(PMUDEV_MAX_GROUPS, 64);
	VALUE(PMUDEV_GENERIC_MAX, 7);
}
