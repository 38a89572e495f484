/* SPDX-License-Identifier: MIT */
/*
 * pmudev.h - libpmudev, the library for /dev/pmudev
 *
 * What can be counted, what is refused and why stands in <linux/pmudev.h>; this library makes the
 * calls, remembers why the last one was refused, and reads counters directly where it can.
 *
 *	struct pmudev set;
 *	uint64_t count;
 *
 *	if (pmudev_open(&set) || pmudev_start(&set, events, nr, NULL))
 *		... pmudev_explain(&set, text, sizeof(text)) ...
 *	pmudev_read_count(&set, 0, &count);
 *	pmudev_close(&set);
 *
 * Functions return 0 or a negative errno unless they say otherwise. Different sets can be used by
 * different threads at once, and one set by several threads as long as no other is in
 * pmudev_open(), pmudev_map(), pmudev_unmap() or pmudev_close() of it. The read functions may be
 * called from signal handlers, and leave errno alone.
 *
 * Called wrongly: NULL where something is needed is -EFAULT, a set that is not open -EBADF (all
 * zeroes is not open), and what the module refuses has its errno. Functions that return bool say
 * false. What is inline, and pmudev_read_counts*() and pmudev_try_*(), take pointers as they are.
 */
#ifndef PMUDEV_H
#define PMUDEV_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include <linux/pmudev.h>
#include <pmudev_direct.h>
#include <pmudev_read.h>
#include <pmudev_reader.h>

#ifdef __cplusplus
extern "C" {
#endif

#define PMUDEV_LIB_VERSION	"0.1.0"

/* How many holders of counters a set remembers from a refusal. */
#define PMUDEV_MAX_HOLDERS	16

/**
 * struct pmudev - one event set
 * @fd: the open file, -1 when there is none
 * @error: the library's; pmudev_why() reads it
 * @page: the user page, NULL while not mapped
 * @page_size: bytes mapped there
 * @refusal: the library's
 * @holders: the library's
 * @lock: the library's
 * @opened: the library's
 * @reserved: for later versions of the library
 *
 * pmudev_open() fills it. @fd and @page may be read; it must not be copied while it is open.
 */
struct pmudev {
	int fd;
	int error;
	const struct pmudev_page *page;
	size_t page_size;
	struct pmudev_refusal refusal;
	struct pmudev_holder holders[PMUDEV_MAX_HOLDERS];
	uint32_t lock;
	uint32_t opened;
	uint32_t reserved[14];
};

/* ------------------------------------------------------------------- making a set -- */

/*
 * Opens /dev/pmudev. The file is closed by exec. After a failure @set is closed, and
 * pmudev_explain() tells what is missing.
 */
int pmudev_open(struct pmudev *set);

/* Unmaps and closes; counting ends with the last file and mapping. Harmless if not open. */
void pmudev_close(struct pmudev *set);

/* Gives the set its target, once. Flags: PMUDEV_BIND_*. */
int pmudev_bind_self(struct pmudev *set);
int pmudev_bind_task(struct pmudev *set, pid_t tid, unsigned int flags);
int pmudev_bind_process(struct pmudev *set, pid_t pid, unsigned int flags);
int pmudev_bind_cpu(struct pmudev *set, unsigned int cpu, unsigned int flags);

/*
 * Where CPUs are of several kinds (struct pmudev_query.nr_pmus): a set on a thread or process names
 * the PMU on whose CPUs it counts.
 */
int pmudev_bind_pmu(struct pmudev *set, enum pmudev_target target, pid_t id, unsigned int pmu,
		    unsigned int flags);

/*
 * Adds events, all of them or none. @slots: where to put the slots they got, or NULL; a new set's
 * events get 0, 1, 2 ... in order.
 */
int pmudev_add(struct pmudev *set, const struct pmudev_event_attr *attrs, unsigned int nr,
	       uint32_t *slots);

/*
 * The same, and they count at once, all of them or none: their groups are enabled whole. A set
 * without a target gets the calling thread, whatever comes of the events.
 */
int pmudev_start(struct pmudev *set, const struct pmudev_event_attr *attrs, unsigned int nr,
		 uint32_t *slots);

/*
 * Which counters events would get, without taking them. @nr == 0: the events in the set; then
 * @counters needs an element for each slot, else @nr of them.
 */
int pmudev_place(struct pmudev *set, const struct pmudev_event_attr *attrs, unsigned int nr,
		 int32_t *counters);

/* @group: its number, or PMUDEV_ALL for all groups of the set. */
int pmudev_enable(struct pmudev *set, uint32_t group);
int pmudev_disable(struct pmudev *set, uint32_t group);
int pmudev_remove(struct pmudev *set, uint32_t group);

/* Sets counts to @value: of one event, or of a whole group (or PMUDEV_ALL). */
int pmudev_reset_slot(struct pmudev *set, uint32_t slot, uint64_t value);
int pmudev_reset_group(struct pmudev *set, uint32_t group, uint64_t value);

/* What PMU number @pmu is, and its state now. Needs no target; @query is filled in whole. */
int pmudev_query(struct pmudev *set, unsigned int pmu, struct pmudev_query *query);

/* The same for the PMU of a CPU. */
int pmudev_query_cpu(struct pmudev *set, unsigned int cpu, struct pmudev_query *query);

/* ---------------------------------------------------------------- reading counters -- */

/*
 * Maps the user page, after which the counted thread reads its counters directly. Some event must
 * have PMUDEV_USER_READ, and the gate must be open. Without it everything works through read(2).
 */
int pmudev_map(struct pmudev *set);
void pmudev_unmap(struct pmudev *set);

/* The bytes of a record with @n counts; a union that takes any record. */
#define PMUDEV_RECORD_SIZE(n) (sizeof(struct pmudev_record) + (n) * sizeof(struct pmudev_count))

union pmudev_record_buffer {
	struct pmudev_record record;
	unsigned char bytes[PMUDEV_RECORD_SIZE(PMUDEV_MAX_EVENTS)];
};

/* One moment of the whole set, by read(2). @size: bytes at @record. */
int pmudev_read(struct pmudev *set, struct pmudev_record *record, size_t size);

/* What is left to do when the direct read did not succeed. */
int pmudev_read_count_slow(struct pmudev *set, unsigned int slot, uint64_t *value);

/*
 * The count of one event: directly if that is possible now, else by read(2). -EINVAL: no event
 * there. (That @slot is below PMUDEV_MAX_EVENTS costs nothing to see where it is a constant.)
 */
static inline __attribute__((__always_inline__)) int
pmudev_read_count(struct pmudev *set, unsigned int slot, uint64_t *value)
{
	const struct pmudev_page *page = set->page;

	if (__builtin_expect(page && slot < PMUDEV_MAX_EVENTS, 1) &&
	    __builtin_expect(pmudev_page_count(page, slot, value), 1))
		return 0;
	return pmudev_read_count_slow(set, slot, value);
}

/* The counts of slots 0..@n - 1, of one moment; empty slots give 0. -EINVAL: fewer slots. */
int pmudev_read_counts(struct pmudev *set, uint64_t *values, unsigned int n);

/* The same with the set's times at that moment. */
int pmudev_read_counts_times(struct pmudev *set, uint64_t *values, unsigned int n,
			     struct pmudev_times *times);

/*
 * The same, but only directly: true with the values, or false when the calling thread cannot read
 * them so just now (not its own set, not mapped, gate closed, not on a counter). @times may be
 * NULL.
 */
bool pmudev_try_count(struct pmudev *set, unsigned int slot, uint64_t *value);
bool pmudev_try_counts(struct pmudev *set, uint64_t *values, unsigned int n,
		       struct pmudev_times *times);

/*
 * The estimate of the whole for a multiplexed event: @value * @enabled / @running, rounded to the
 * nearest; @value if it was on a counter all the time; UINT64_MAX if it is more than that. Numbers
 * as in struct pmudev_count. False, and @whole as it was, if it was never on a counter (@running
 * is 0): then nothing is known, not even that it is 0.
 */
bool pmudev_scale(uint64_t value, uint64_t enabled, uint64_t running, uint64_t *whole);

/* ------------------------------------------------------------------------ refusals -- */

/*
 * Why the set's last failed call failed: its negative errno, 0 if none failed yet. @why may be
 * NULL; its @holders points into @set and holds until the next failure. -EAGAIN: another thread, or
 * what this signal handler interrupted, is just writing it.
 */
int pmudev_why(struct pmudev *set, struct pmudev_refusal *why);

/* A few words for an enum pmudev_reason; never NULL. */
const char *pmudev_strreason(unsigned int code);

/*
 * A sentence in English: why the last failed call failed, and what to do about it. Writes at most
 * @len bytes, zero-terminated. Returns the length of the whole sentence, as snprintf() does.
 */
int pmudev_explain(struct pmudev *set, char *buf, size_t len);

/*
 * The same for a negative errno and a refusal of one's own (NULL: none is known); which event it
 * is about is left to the caller.
 */
int pmudev_explain_refusal(int error, const struct pmudev_refusal *why, char *buf, size_t len);

#ifdef __cplusplus
}
#endif

#endif /* PMUDEV_H */
