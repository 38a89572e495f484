/* SPDX-License-Identifier: MIT */
/*
 * pmudev.h - libpmudev, the library for /dev/pmudev
 *
 * <linux/pmudev.h> is the contract: what can be counted, and what is refused why. This library
 * makes the calls, remembers why the last one was refused, and reads counters directly where it
 * can.
 *
 *	struct pmudev set;
 *	uint64_t count;
 *
 *	if (pmudev_open(&set) || pmudev_start(&set, events, nr, NULL))
 *		... pmudev_explain(&set, text, sizeof(text)) ...
 *	pmudev_read_count(&set, 0, &count);
 *	pmudev_close(&set);
 *
 * Functions return 0 or a negative errno unless they say otherwise. Threads can use different sets
 * at the same time. Several threads can use one set as long as none of them is in pmudev_open(),
 * pmudev_map(), pmudev_unmap() or pmudev_close() of it. You can call the read functions from signal
 * handlers; they do not change errno.
 *
 * Wrong calls: NULL where a pointer is needed is -EFAULT. A set that is not open is -EBADF (all
 * zeroes is not open). A call that the module refuses has the module's errno. Functions that return
 * bool return false. Inline functions, pmudev_read_counts*() and pmudev_try_*() do not check their
 * pointers.
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

/* The number of counter holders that a set remembers from a refusal. */
#define PMUDEV_MAX_HOLDERS	16

/**
 * struct pmudev - one event set
 * @fd: the open file, -1 if not open
 * @error: private; use pmudev_why()
 * @page: the user page, NULL while not mapped
 * @page_size: size of the mapping in bytes
 * @refusal: private
 * @holders: private
 * @lock: private
 * @opened: private
 * @reserved: for later versions of the library
 *
 * pmudev_open() fills it in. You may read @fd and @page. Do not copy the structure while it is
 * open.
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
 * Opens /dev/pmudev, close-on-exec. After a failure @set is closed, and pmudev_explain() says why.
 */
int pmudev_open(struct pmudev *set);

/* Unmaps and closes. Counting ends with the last file and mapping. No effect if not open. */
void pmudev_close(struct pmudev *set);

/*
 * The same for languages that do not know the structure: returns an open set, or NULL with errno
 * set (pmudev_explain_refusal() has a sentence for it). pmudev_free() closes it and frees its
 * memory; NULL is allowed.
 */
struct pmudev *pmudev_new(void);
void pmudev_free(struct pmudev *set);

/* Its @fd and its @page: -EBADF and NULL if it is not open. */
int pmudev_fd(const struct pmudev *set);
const struct pmudev_page *pmudev_user_page(const struct pmudev *set);

/* Gives the set its target, once. Flags: PMUDEV_BIND_*. */
int pmudev_bind_self(struct pmudev *set);
int pmudev_bind_task(struct pmudev *set, pid_t tid, unsigned int flags);
int pmudev_bind_process(struct pmudev *set, pid_t pid, unsigned int flags);
int pmudev_bind_cpu(struct pmudev *set, unsigned int cpu, unsigned int flags);
/* @cgroup: a descriptor of its directory; not needed any more afterwards */
int pmudev_bind_cgroup(struct pmudev *set, int cgroup, unsigned int cpu, unsigned int flags);

/*
 * For machines with CPUs of several kinds (nr_pmus of struct pmudev_query is above 1): binds the
 * set to a thread or process on the CPUs of PMU number @pmu.
 */
int pmudev_bind_pmu(struct pmudev *set, enum pmudev_target target, pid_t id, unsigned int pmu,
		    unsigned int flags);

/*
 * Adds events, all of them or none. @slots: receives the events' slots, or NULL. A new set's events
 * get 0, 1, 2 ... in order.
 */
int pmudev_add(struct pmudev *set, const struct pmudev_event_attr *attrs, unsigned int nr,
	       uint32_t *slots);

/*
 * Adds events and enables their groups, all of them or none. A set without a target is first bound
 * to the calling thread, and stays bound even if the events are refused.
 */
int pmudev_start(struct pmudev *set, const struct pmudev_event_attr *attrs, unsigned int nr,
		 uint32_t *slots);

/*
 * Dry run: which counters the events would get. @nr == 0: the events of the set. @counters has @nr
 * elements, or with @nr == 0 one per slot.
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

/* Describes PMU number @pmu and its current state. Needs no target. Fills in all of @query. */
int pmudev_query(struct pmudev *set, unsigned int pmu, struct pmudev_query *query);

/* The same for the PMU of a CPU. */
int pmudev_query_cpu(struct pmudev *set, unsigned int cpu, struct pmudev_query *query);

/* ---------------------------------------------------------------- reading counters -- */

/*
 * Maps the user page; the counted thread then reads its counters directly. At least one event must
 * have PMUDEV_USER_READ, and user access must be enabled. Without the page all functions use
 * read(2).
 */
int pmudev_map(struct pmudev *set);
void pmudev_unmap(struct pmudev *set);

/* The size of a record with @n counts, and a union that holds any record. */
#define PMUDEV_RECORD_SIZE(n) (sizeof(struct pmudev_record) + (n) * sizeof(struct pmudev_count))

union pmudev_record_buffer {
	struct pmudev_record record;
	unsigned char bytes[PMUDEV_RECORD_SIZE(PMUDEV_MAX_EVENTS)];
};

/* One moment of the whole set, by read(2). @size: bytes at @record. */
int pmudev_read(struct pmudev *set, struct pmudev_record *record, size_t size);

/*
 * The records of @nr sets, each of a moment of its own. Those that count on the same other CPU are
 * read there in one interrupt, as long as they have 64 slots together; pmudev_read() takes one for
 * each. On error the set that failed has the reason, and no record is valid.
 */
int pmudev_read_sets(struct pmudev *sets, unsigned int nr, union pmudev_record_buffer *records);

/*
 * Estimates the total of a multiplexed event: @value * @enabled / @running, rounded to the nearest;
 * @value if it was on a counter all the time; UINT64_MAX if the result is larger. The arguments are
 * those of struct pmudev_count. Returns false and leaves @whole alone if the event was never on a
 * counter (@running is 0): then nothing is known, not even that it is 0.
 */
bool pmudev_scale(uint64_t value, uint64_t enabled, uint64_t running, uint64_t *whole);

/* ------------------------------------------------------------------------ refusals -- */

/*
 * Returns the negative errno of the set's last failed call, 0 if none failed yet. @why may be NULL;
 * its @holders points into @set and is valid until the next failure. -EAGAIN: another thread, or
 * the code that this signal handler interrupted, is writing the refusal now.
 */
int pmudev_why(struct pmudev *set, struct pmudev_refusal *why);

/* A few words for an enum pmudev_reason; never NULL. */
const char *pmudev_strreason(unsigned int code);

/*
 * Writes a sentence in English: why the last failed call failed, and what to do about it. Writes at
 * most @len bytes, zero-terminated. Returns the length of the whole sentence, as snprintf() does.
 */
int pmudev_explain(struct pmudev *set, char *buf, size_t len);

/*
 * The same for a given negative errno and refusal (NULL: unknown). It does not name the event.
 */
int pmudev_explain_refusal(int error, const struct pmudev_refusal *why, char *buf, size_t len);

#ifdef __cplusplus
}
#endif

#include <pmudev_set_read.h>

#endif /* PMUDEV_H */
