/* SPDX-License-Identifier: MIT */
/* What the library's files share; not installed. */
#ifndef PMUDEV_LIB_H
#define PMUDEV_LIB_H

#include <pmudev_set_array.h>

#define ARRAY_SIZE(a) (sizeof(a) / sizeof((a)[0]))

#define HIDDEN __attribute__((__visibility__("hidden")))

/*
 * Guards the last refusal. Gives up instead of waiting for ever, because the holder may be the
 * very thread that was interrupted by the signal handler that asks; then the refusal is lost, and
 * nothing else.
 */
HIDDEN bool pmudev_lock(struct pmudev *set);
HIDDEN void pmudev_unlock(struct pmudev *set);

/* Whether calls can be made of it: 0, -EFAULT (NULL) or -EBADF, which is remembered. */
HIDDEN int pmudev_usable(struct pmudev *set);

/* Remember why a call failed, and return @error: with @code, or with what the module says. */
HIDDEN int pmudev_fail(struct pmudev *set, int error, uint32_t code);
HIDDEN int pmudev_fail_why(struct pmudev *set, int error);

/* Sets pmudev_cached_tid; whether it was something else before. */
HIDDEN bool pmudev_learn_tid(void);

/*
 * Whether the direct read is worth another try: the thread's id was not known, and now is that of
 * the page's owner. Nothing is asked of the kernel while the owner does not run.
 */
HIDDEN bool pmudev_learnt_owner(const struct pmudev_page *page);

/* @a * @b / @by, rounded to the nearest; UINT64_MAX if it is more than that. @by is not 0. */
HIDDEN uint64_t pmudev_muldiv(uint64_t a, uint64_t b, uint64_t by);

/**
 * struct pmudev_member - what a array knows of a set of its
 * @pmu: the number of its PMU
 * @groups: mask of those that it has
 * @slots: the array's slots by its own
 */
struct pmudev_member {
	uint32_t pmu;
	uint64_t groups;
	uint8_t slots[PMUDEV_MAX_EVENTS];
};

/*
 * The sum of records: total.c. All zeroes, then each record, then the end. @known: ns that those
 * were enabled on which the slot was on a counter at all. @parts: all are of one target, whose time
 * goes on while only one of them counts. @sets: how many parts there are; @with: how many have the
 * slot.
 */
struct pmudev_adding {
	struct pmudev_total *total;
	uint64_t known[PMUDEV_MAX_EVENTS];
	unsigned int with[PMUDEV_MAX_EVENTS];
	unsigned int sets;
	bool parts;
	bool any;
};

/* Takes away what was counted, and the times that had passed, @before. */
HIDDEN void pmudev_record_since(struct pmudev_record *record, const struct pmudev_record *before);

/* @slots: where the record's slots are added; NULL: they are the same */
HIDDEN void pmudev_total_add(struct pmudev_adding *adding, const struct pmudev_record *record,
			     const uint8_t *slots);
HIDDEN void pmudev_total_end(struct pmudev_adding *adding);

#endif /* PMUDEV_LIB_H */
