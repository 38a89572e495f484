/* SPDX-License-Identifier: GPL-2.0 */
/* Records of read(2), into user memory. */
#ifndef _PMUDEV_PUT_H
#define _PMUDEV_PUT_H

#include <linux/uaccess.h>

#include "core.h"

/* A record is some of these: its head is two, each count one. */
struct part {
	u64 word[4];
};

static_assert(sizeof(struct pmudev_record) == 2 * sizeof(struct part));
static_assert(sizeof(struct pmudev_count) == sizeof(struct part));

/* What is left to copy: it could not be written there. */
static __always_inline size_t put_parts(void __user *to, const void *from, size_t size)
{
#ifdef uaccess_mask_ptr
	/* Each pointer is masked where a word is put, and for a copy one is. */
	if (!access_ok(to, size))
		return size;
	return raw_copy_to_user(to, from, size);
#else
	const struct part *part = from, *end = from + size;
	struct part __user *put = to;

	/* They are few: what copies any number of bytes begins at a greater cost. */
	if (!user_write_access_begin(to, size))
		return size;
	for (; part < end; part++, put++) {
		unsafe_put_user(part->word[0], &put->word[0], fault);
		unsafe_put_user(part->word[1], &put->word[1], fault);
		unsafe_put_user(part->word[2], &put->word[2], fault);
		unsafe_put_user(part->word[3], &put->word[3], fault);
	}
fault:
	user_write_access_end();
	return (const void *)end - (const void *)part;
#endif
}

/* copy_to_user(), but for the question whether there is so much of it: the module made it. */
static __always_inline int pmudev_put_record(void __user *to, const void *from, size_t size)
{
	might_fault();
	instrument_copy_to_user(to, from, size);
	return put_parts(to, from, size) ? -EFAULT : 0;
}

/**
 * struct pmudev_moment - what events that are alike have in common in a record
 * @time: CLOCK_MONOTONIC, ns
 * @enabled: ns
 * @running: ns
 */
struct pmudev_moment {
	u64 time;
	u64 enabled;
	u64 running;
};

/*
 * Can a record be put into user memory as it is made? Not where each access masks its pointer:
 * copying it takes less there.
 */
#ifdef uaccess_mask_ptr
#define PMUDEV_PUTS_AT_ONCE false
#else
#define PMUDEV_PUTS_AT_ONCE true
#endif

/**
 * pmudev_put_alike - the record of a set whose events are alike, at once
 * @set: brought forward; its ctx->lock is held, so page faults are not served. By the caller of
 *	read(2) himself: it is his address space.
 * @to: where
 * @size: of the record: there is so much room
 * @at: now
 *
 * Return: false: not all could be written, some may have been.
 */
static __always_inline bool pmudev_put_alike(const struct pmudev_set *set,
					     struct pmudev_record __user *to, size_t size,
					     struct pmudev_moment at)
{
	struct pmudev_count __user *count = to->counts, *end = count + set->nr_slots;
	struct pmudev_event *const *chunk = set->chunk;
	bool done = false;

	WARN_ON_ONCE(IS_ENABLED(CONFIG_PROVE_LOCKING) && !in_task());
	pagefault_disable();
	if (!user_write_access_begin(to, size))
		goto out;
	unsafe_put_user(size, &to->size, fault);
	unsafe_put_user(set->nr_slots, &to->nr, fault);
	unsafe_put_user(PMUDEV_RECORD_ENABLED, &to->flags, fault);
	unsafe_put_user(set->generation, &to->generation, fault);
	unsafe_put_user(at.time, &to->time, fault);
	unsafe_put_user(at.enabled, &to->time_enabled, fault);
	unsafe_put_user(at.running, &to->time_running, fault);
	unsafe_put_user(set->used, &to->present, fault);
	unsafe_put_user(set->mux, &to->multiplexed, fault);
	unsafe_put_user(0, &to->reserved, fault);
	for (; count < end; chunk++) {
		const struct pmudev_event *event = *chunk, *behind = event + PMUDEV_CHUNK;

		for (; event < behind && count < end; event++, count++) {
			unsafe_put_user(event->hw.value, &count->value, fault);
			unsafe_put_user(at.enabled, &count->time_enabled, fault);
			unsafe_put_user(at.running, &count->time_running, fault);
			unsafe_put_user(event->tag, &count->tag, fault);
		}
	}
	done = true;
fault:
	user_write_access_end();
out:
	pagefault_enable();
	return done;
}

#endif /* _PMUDEV_PUT_H */
