// SPDX-License-Identifier: GPL-2.0
/* What the fuzzer's calls are given: mostly what is right, at times not quite, seldom nonsense. */
#include "fuzz.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>

/* ----------------------------------------------------------------------- events -- */

static __u64 raw_config(struct fuzz *f)
{
#if defined(__aarch64__) || defined(__arm__)
	static const __u64 known[] = { 0x08, 0x11, 0x00, 0x23, 0x24, 0x3c, 0x1e, 0x1d, 0x1b, 0x10 };
#else
	static const __u64 known[] = { 0xc0,  0x3c,   0x13c,  0xc4,	 0xc5,
				       0x1a4, 0x412e, 0x4f2e, 0x10000c0, 0x10400c0 };
#endif
	if (fuzz_rarely(f, 30))
		return fuzz_random(f) >> fuzz_pick(f, 64);
	/* The first two count in all machines. */
	return fuzz_rarely(f, 4) ? FUZZ_ONE_OF(f, known) : known[fuzz_pick(f, 2)];
}

static __u32 event_flags(struct fuzz *f)
{
	static const __u32 usual[] = {
		0,
		USER_ONLY,
		USER_ONLY,
		USER_ONLY,
		DIRECT_READ,
		DIRECT_READ,
		DIRECT_READ | PMUDEV_DIRECT,
		USER_ONLY | PMUDEV_MULTIPLEX,
		DIRECT_READ | PMUDEV_MULTIPLEX,
		USER_ONLY | PMUDEV_LONG,
		DIRECT_READ | PMUDEV_LONG | PMUDEV_CHAIN_READ,
		PMUDEV_EXCLUDE_GUEST,
		PMUDEV_EXCLUDE_HOST | PMUDEV_EXCLUDE_HV,
		PMUDEV_EXCLUDE_USER,
	};
	__u32 flags = FUZZ_ONE_OF(f, usual);

	if (f->careful)
		return flags;
	if (fuzz_rarely(f, 20))
		flags ^= 1U << fuzz_pick(f, 12);
	if (fuzz_rarely(f, 100))
		flags ^= 1U << fuzz_pick(f, 32);
	return flags;
}

static __u64 some_counters(struct fuzz *f)
{
	switch (fuzz_pick(f, 4)) {
	case 0:
		return 1ULL << fuzz_pick(f, 8);
	case 1:
		return fuzz_random(f);
	case 2:
		return fuzz_pick(f, 256) | (__u64)fuzz_pick(f, 8) << PMUDEV_FIXED_BASE;
	default:
		return 3ULL << 2 * fuzz_pick(f, 4);
	}
}

void fuzz_attr(struct fuzz *f, struct pmudev_event_attr *attr)
{
	*attr = (struct pmudev_event_attr){
		.type = fuzz_rarely(f, 3) ? PMUDEV_TYPE_GENERIC : PMUDEV_TYPE_RAW,
		.flags = event_flags(f),
		.group = fuzz_rarely(f, 4) ? fuzz_pick(f, 4) : 0,
		.tag = fuzz_random(f),
	};
	attr->config = fuzz_pick(f, fuzz_rarely(f, 20) ? 8 : 2);
	if (attr->type == PMUDEV_TYPE_RAW)
		attr->config = raw_config(f);
	if (attr->flags & PMUDEV_MULTIPLEX)
		attr->group += 8 + fuzz_pick(f, 4);
	if (f->careful || fuzz_rarely(f, 2))
		return;
	if (fuzz_rarely(f, 4))
		attr->allowed = some_counters(f);
	if ((attr->flags & PMUDEV_COUNTER) || fuzz_rarely(f, 12)) {
		attr->flags |= PMUDEV_COUNTER;
		attr->counter =
			fuzz_rarely(f, 3) ? PMUDEV_FIXED_BASE + fuzz_pick(f, 3) : fuzz_pick(f, 8);
	}
	if (fuzz_rarely(f, 8)) {
		attr->threshold = fuzz_pick(f, fuzz_rarely(f, 4) ? 5000 : 3);
		attr->threshold_compare = fuzz_pick(f, fuzz_rarely(f, 8) ? 256 : 4);
		if (fuzz_rarely(f, 2))
			attr->flags |= PMUDEV_THRESHOLD_COUNT;
	}
	if (fuzz_rarely(f, 40))
		((__u8 *)attr)[fuzz_pick(f, sizeof(*attr))] ^= 1 << fuzz_pick(f, 8);
}

/* Events as ADD and PLACE take them. */
struct events {
	unsigned int nr;
	unsigned int size;
	void *at;
};

static struct events some_events(struct fuzz *f)
{
	static __thread char room[8192];
	struct events events = { .nr = 1 + fuzz_pick(f, 3) };
	struct pmudev_event_attr attr;
	unsigned int i;

	events.size = sizeof(attr);
	if (!f->careful && fuzz_rarely(f, 20))
		events.nr = fuzz_pick(f, 66);
	if (fuzz_rarely(f, 16))
		events.size += 8 * fuzz_pick(f, 4);
	memset(room, 0, sizeof(room));
	for (i = 0; i < events.nr && (i + 1) * events.size <= FUZZ_ARENA_PAGE; i++) {
		fuzz_attr(f, &attr);
		/* A crowd is refused as a whole for one that is wrong. */
		if (i > 3)
			attr = raw_event(EVENT_CYCLES, USER_ONLY | PMUDEV_MULTIPLEX);
		memcpy(room + i * events.size, &attr, sizeof(attr));
	}
	events.at = fuzz_put(f, FUZZ_ARENA_PAGE, room, events.nr * events.size);
	if (f->careful)
		return events;
	if (fuzz_rarely(f, 60))
		events.size = fuzz_random(f) >> fuzz_pick(f, 64);
	if (fuzz_rarely(f, 60))
		events.nr = fuzz_random(f) >> fuzz_pick(f, 64);
	return events;
}

/* ---------------------------------------------------------------------- targets -- */

int fuzz_someone(struct fuzz *f, const char **name)
{
	static const char *const names[] = { "self", "thread", "kid", "init", "nobody" };
	unsigned int who = fuzz_pick(f, 12), which = fuzz_random(f) >> 40;

	if (who < 7) {
		*name = names[0];
		return 0;
	}
	if (who < 9) {
		*name = names[1];
		return READ_ONCE(f->s->tid[which % ARRAY_SIZE(f->s->tid)]);
	}
	if (who < 11) {
		*name = names[2];
		return READ_ONCE(f->s->kid[which % ARRAY_SIZE(f->s->kid)]);
	}
	*name = names[which % 2 ? 3 : 4];
	return which % 2 ? (int)(1 + which % 40) : (int)(fuzz_random(f) >> 32);
}

static void bind_to(struct fuzz *f, struct pmudev_bind *bind)
{
	unsigned int what = fuzz_pick(f, 16);
	const char *name;

	bind->target = what < 12 ? PMUDEV_TARGET_TASK :
		       what < 14 ? PMUDEV_TARGET_PROCESS :
		       what < 15 ? PMUDEV_TARGET_CPU :
				   PMUDEV_TARGET_CGROUP;
	bind->id = fuzz_someone(f, &name);
	if (bind->target == PMUDEV_TARGET_CGROUP)
		bind->cgroup = fuzz_rarely(f, 8) ? (int)fuzz_pick(f, 20) - 1 : f->s->cgroup;
	if (bind->target == PMUDEV_TARGET_CPU || bind->target == PMUDEV_TARGET_CGROUP)
		bind->id = (int)fuzz_pick(f, f->s->cpus + fuzz_rarely(f, 10)) - fuzz_rarely(f, 20);
	if (f->careful && what < 10)
		bind->id = 0;
	if (fuzz_rarely(f, 4))
		bind->flags = fuzz_pick(f, 4);
	if (bind->target == PMUDEV_TARGET_CPU || bind->target == PMUDEV_TARGET_CGROUP)
		bind->flags = fuzz_pick(f, 2) * PMUDEV_BIND_SHARED;
	if (fuzz_rarely(f, 2)) {
		bind->flags |= PMUDEV_BIND_PMU;
		bind->pmu = !f->careful && fuzz_rarely(f, 8) ? fuzz_pick(f, 3) : 0;
	}
	if (!f->careful && fuzz_rarely(f, 8))
		bind->flags |= PMUDEV_BIND_EXCLUSIVE;
	if (!f->careful && fuzz_rarely(f, 20))
		bind->flags ^= 1U << fuzz_pick(f, 32);
}

/* ----------------------------------------------------------------------- ioctls -- */

union fuzz_args {
	struct {
		__u32 size;
		__u32 flags;
		struct pmudev_refusal refusal;
	} head;
	struct pmudev_query query;
	struct pmudev_bind bind;
	struct pmudev_add add;
	struct pmudev_place place;
	struct pmudev_ctl ctl;
	struct pmudev_why why;
	struct pmudev_deadlines deadlines;
	struct pmudev_reports reports;
	struct pmudev_read_sets read_sets;
	__u8 bytes[1024];
};

static __u64 address(void *at)
{
	return (uintptr_t)at;
}

/* An array of @bytes to be filled in, or none. */
static __u64 some_room(struct fuzz *f, unsigned int offset, unsigned int bytes)
{
	static const char zeroes[4096];

	return fuzz_rarely(f, 4) ? 0 : address(fuzz_put(f, offset, zeroes, bytes));
}

static void fill_ctl(struct fuzz *f, struct pmudev_ctl *ctl, bool reset)
{
	ctl->group = fuzz_rarely(f, 4) ? fuzz_pick(f, fuzz_rarely(f, 4) ? 13 : 2) : PMUDEV_ALL;
	ctl->slot = PMUDEV_ALL;
	if (!reset)
		return;
	ctl->value =
		fuzz_rarely(f, 2) ? fuzz_random(f) >> fuzz_pick(f, 64) : ~0ULL - fuzz_pick(f, 2000);
	if (fuzz_rarely(f, 2)) {
		ctl->group = PMUDEV_ALL;
		ctl->slot = fuzz_pick(f, fuzz_rarely(f, 4) ? 70 : 4);
	}
}

static __u64 some_count(struct fuzz *f)
{
	return fuzz_rarely(f, 2) ? fuzz_random(f) >> fuzz_pick(f, 64) : fuzz_pick(f, 100000);
}

/* Signals that a worker handles or that do nothing. */
static void fuzz_deadline(struct fuzz *f, struct pmudev_deadline *deadline)
{
	*deadline = (struct pmudev_deadline){
		.slot = fuzz_pick(f, fuzz_rarely(f, 8) ? 70 : 4),
		.flags = fuzz_pick(f, 2) * PMUDEV_DEADLINE_RELATIVE +
			 fuzz_rarely(f, 4) * PMUDEV_DEADLINE_TOTAL +
			 fuzz_rarely(f, 4) * PMUDEV_DEADLINE_SAMPLE,
		.value = some_count(f),
	};
	if (fuzz_rarely(f, 8)) {
		*deadline = (struct pmudev_deadline){ .slot = deadline->slot,
						      .flags = PMUDEV_DEADLINE_REMOVE };
		return;
	}
	if (fuzz_rarely(f, 2)) {
		deadline->flags |= PMUDEV_DEADLINE_PERIODIC;
		deadline->period = some_count(f);
	}
	if (fuzz_rarely(f, 4)) {
		deadline->flags |= PMUDEV_DEADLINE_SIGNAL;
		deadline->signal = SIGURG;
		deadline->id = fuzz_pick(f, 100);
	}
	if (fuzz_rarely(f, 4)) {
		deadline->flags |= PMUDEV_DEADLINE_EVENTFD;
		deadline->eventfd = FUZZ_EVENT_FD + fuzz_rarely(f, 8);
	}
	if (!f->careful && fuzz_rarely(f, 20))
		deadline->flags ^= 1U << fuzz_pick(f, 32);
	/* Nobody would continue a worker. */
	deadline->flags &= ~PMUDEV_DEADLINE_STOP;
}

static void fill_deadlines(struct fuzz *f, struct pmudev_deadlines *deadlines)
{
	struct pmudev_deadline some[4];
	unsigned int i;

	deadlines->nr = 1 + (fuzz_rarely(f, 4) ? fuzz_pick(f, ARRAY_SIZE(some)) : 0);
	for (i = 0; i < ARRAY_SIZE(some); i++)
		fuzz_deadline(f, &some[i]);
	deadlines->deadline_size = sizeof(some[0]);
	deadlines->deadlines = address(fuzz_put(f, FUZZ_ARENA_PAGE, some, sizeof(some)));
	if (!f->careful && fuzz_rarely(f, 30))
		deadlines->nr = fuzz_random(f) >> fuzz_pick(f, 64);
}

static void fill_read_sets(struct fuzz *f, struct pmudev_read_sets *call)
{
	__s32 fds[8];
	unsigned int i;

	call->nr = 1 + fuzz_pick(f, fuzz_rarely(f, 16) ? 70 : 3);
	for (i = 0; i < ARRAY_SIZE(fds); i++)
		fds[i] = fuzz_rarely(f, 30) ? (__s32)fuzz_random(f) :
					      FUZZ_FD + (int)fuzz_pick(f, FUZZ_SLOTS);
	call->record_size = fuzz_rarely(f, 16) ? fuzz_pick(f, 200) : 64 + 32 * fuzz_pick(f, 8);
	call->fds = address(fuzz_put(f, FUZZ_ARENA_PAGE, fds, sizeof(fds)));
	call->records = some_room(f, 2 * FUZZ_ARENA_PAGE, 8 * 288);
}

/* What the ioctl takes. Returns its size. */
static unsigned int fill(struct fuzz *f, unsigned int nr, union fuzz_args *args)
{
	struct events events;

	memset(args, 0, sizeof(*args));
	switch (nr) {
	case 0:
		args->query.flags = fuzz_pick(f, 2);
		args->query.pmu = fuzz_rarely(f, 3) ? fuzz_pick(f, 10) : 0;
		return sizeof(args->query);
	case 1:
		bind_to(f, &args->bind);
		return sizeof(args->bind);
	case 2:
		events = some_events(f);
		args->add.flags = fuzz_rarely(f, 3) ? PMUDEV_ADD_ENABLE : 0;
		args->add.nr = events.nr;
		args->add.event_size = events.size;
		args->add.events = address(events.at);
		args->add.slots = some_room(f, 2 * FUZZ_ARENA_PAGE, 256);
		return sizeof(args->add);
	case 3:
		if (!fuzz_rarely(f, 4)) {
			events = some_events(f);
			args->place.nr = events.nr;
			args->place.event_size = events.size;
			args->place.events = address(events.at);
		}
		args->place.counters = some_room(f, 2 * FUZZ_ARENA_PAGE, 256);
		return sizeof(args->place);
	case 8:
		return sizeof(args->why);
	case 9:
		fill_deadlines(f, &args->deadlines);
		return sizeof(args->deadlines);
	case 10:
		args->reports.nr = 1 + fuzz_pick(f, fuzz_rarely(f, 8) ? 70 : 8);
		args->reports.report_size = sizeof(struct pmudev_report);
		args->reports.reports =
			some_room(f, 2 * FUZZ_ARENA_PAGE, 8 * sizeof(struct pmudev_report));
		return sizeof(args->reports);
	case 11:
		args->ctl.group = fuzz_rarely(f, 8) ? fuzz_pick(f, 4) : PMUDEV_ALL;
		args->ctl.slot = PMUDEV_ALL;
		return sizeof(args->ctl);
	case 12:
		fill_read_sets(f, &args->read_sets);
		return sizeof(args->read_sets);
	default:
		fill_ctl(f, &args->ctl, nr == 6);
		return sizeof(args->ctl);
	}
}

/* Not quite. */
static unsigned int spoil(struct fuzz *f, union fuzz_args *args, unsigned int size)
{
	static const unsigned int sizes[] = { 0, 4, 8, 71, 72, 200, 1024, 4095, 4096, 4097, ~0U };

	switch (fuzz_pick(f, 5)) {
	case 0:
		args->bytes[fuzz_pick(f, size)] ^= 1 << fuzz_pick(f, 8);
		break;
	case 1:
		args->head.size = FUZZ_ONE_OF(f, sizes);
		break;
	case 2:
		/* Longer, and zero or not. */
		args->head.size = size + 8 * fuzz_pick(f, 20);
		if (fuzz_rarely(f, 2))
			args->bytes[size + fuzz_pick(f, args->head.size - size + 1)] = 1;
		break;
	case 3:
		args->head.size = size - 8 + fuzz_pick(f, 16);
		break;
	case 4:
		args->head.flags ^= 1U << fuzz_pick(f, 32);
		break;
	}
	return args->head.size > size && args->head.size <= sizeof(*args) ? args->head.size : size;
}

/* An allocation that fails, if the kernel can do that: 0 lets none. */
static void fail_allocation(struct fuzz *f, unsigned int nth)
{
	char text[12];

	snprintf(text, sizeof(text), "%u", nth);
	if (!write_file("/proc/thread-self/fail-nth", text) && nth)
		__atomic_fetch_add(&f->s->no_memory, 1, __ATOMIC_RELAXED);
}

void fuzz_ioctl(struct fuzz *f, int fd, unsigned int nr)
{
	unsigned int size, nth = !f->careful && fuzz_rarely(f, 16) ? 1 + fuzz_pick(f, 6) : 0;
	union fuzz_args args;
	void *at;
	long ret;

	size = fill(f, nr, &args);
	args.head.size = size;
	if (fuzz_rarely(f, 3)) {
		args.head.refusal.nr_holders = fuzz_rarely(f, 8) ? ~0U : fuzz_pick(f, 20);
		args.head.refusal.holders = some_room(f, 3 * FUZZ_ARENA_PAGE, 16 * 16);
	}
	if (!f->careful && fuzz_rarely(f, 12))
		size = spoil(f, &args, size);
	at = fuzz_put(f, 64 * fuzz_pick(f, 8), &args, size);
	fuzz_begin(f, FUZZ_QUERY + nr, "%s(%d) size %u flags %#x %x %x %x %x%s",
		   fuzz_kinds[FUZZ_QUERY + nr], fd - FUZZ_FD, args.head.size, args.head.flags,
		   args.ctl.group, nr == 1 ? 0 : args.ctl.slot, (__u32)args.ctl.value,
		   (__u32)(args.ctl.value >> 32), fuzz_is_good(f, at) ? "" : " bad");
	if (nth)
		fail_allocation(f, nth);
	ret = fuzz_result(ioctl(fd, PMUDEV_IOC_QUERY + nr, at));
	if (nth)
		fail_allocation(f, 0);
	fuzz_end(f, ret);
	fuzz_check_errno(f, ret);
	if (fuzz_is_good(f, at) && size <= 1024 && args.head.size >= sizeof(args.head) &&
	    ret != -EBADF && nr != 8) {
		memcpy(&args, at, sizeof(args.head));
		fuzz_check_refusal(f, ret, &args.head.refusal);
	}
}
