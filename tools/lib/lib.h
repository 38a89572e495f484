/* SPDX-License-Identifier: MIT */
/* Shared by the library's files; not installed. */
#ifndef PMUDEV_LIB_H
#define PMUDEV_LIB_H

#include <pmudev_set_array.h>

#define ARRAY_SIZE(a) (sizeof(a) / sizeof((a)[0]))

#define HIDDEN __attribute__((__visibility__("hidden")))

/*
 * Guards the last refusal. Gives up instead of waiting for ever, because the lock's holder may be
 * the thread that the calling signal handler interrupted. Then only the refusal is lost.
 */
HIDDEN bool pmudev_lock(struct pmudev *set);
HIDDEN void pmudev_unlock(struct pmudev *set);

/* Checks that the set is open: 0, -EFAULT (NULL) or -EBADF, which it remembers. */
HIDDEN int pmudev_usable(struct pmudev *set);

/* Remember why a call failed, and return @error: with @code, or with the module's refusal. */
HIDDEN int pmudev_fail(struct pmudev *set, int error, uint32_t code);
HIDDEN int pmudev_fail_why(struct pmudev *set, int error);

/* Makes an ioctl whose structure @arg has its refusal at @why: 0, or -errno, which it remembers. */
HIDDEN int pmudev_call(struct pmudev *set, unsigned long request, void *arg,
		       struct pmudev_refusal *why);

/* Sets pmudev_cached_tid; returns whether it has changed. */
HIDDEN bool pmudev_learn_tid(void);

/*
 * Whether to retry the direct read: the thread's id was unknown, and is now the page owner's. Makes
 * no system call while the owner does not run.
 */
HIDDEN bool pmudev_learnt_owner(const struct pmudev_page *page);

/*
 * Two chained counters, as <linux/pmudev.h> says: if the upper half has changed, the second lower
 * one belongs to it.
 */
static inline uint64_t pmudev_counter_chained(uint32_t low)
{
	uint32_t high, lower, high_after, lower_after;

	high = (uint32_t)pmudev_counter(low + 1);
	pmudev_isb();
	lower = (uint32_t)pmudev_counter(low);
	pmudev_isb();
	high_after = (uint32_t)pmudev_counter(low + 1);
	pmudev_isb();
	lower_after = (uint32_t)pmudev_counter(low);
	return (uint64_t)high_after << 32 | (high == high_after ? lower : lower_after);
}

/* @a * @b / @by, rounded to the nearest; UINT64_MAX if it is more than that. @by is not 0. */
HIDDEN uint64_t pmudev_muldiv(uint64_t a, uint64_t b, uint64_t by);

/**
 * struct pmudev_member - one set of an array
 * @pmu: the number of its PMU
 * @groups: mask of its groups
 * @slots: the array's slot by the set's slot
 */
struct pmudev_member {
	uint32_t pmu;
	uint64_t groups;
	uint8_t slots[PMUDEV_MAX_EVENTS];
};

/*
 * The sum of records (total.c): start with zeroes, add each record, then finish. @known: ns enabled
 * of the sets on which the slot was ever on a counter. @parts: all records belong to one target,
 * whose time advances while only one of them counts. @sets: number of parts; @with: number of parts
 * that have the slot.
 */
struct pmudev_adding {
	struct pmudev_total *total;
	uint64_t known[PMUDEV_MAX_EVENTS];
	unsigned int with[PMUDEV_MAX_EVENTS];
	unsigned int sets;
	bool parts;
	bool any;
};

/* Subtracts the counts and times of @before. */
HIDDEN void pmudev_record_since(struct pmudev_record *record, const struct pmudev_record *before);

/* @slots: the total's slot by the record's; NULL: the same */
HIDDEN void pmudev_total_add(struct pmudev_adding *adding, const struct pmudev_record *record,
			     const uint8_t *slots);
HIDDEN void pmudev_total_end(struct pmudev_adding *adding);

#endif /* PMUDEV_LIB_H */
