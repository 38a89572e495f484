/* SPDX-License-Identifier: MIT */
/*
 * perf's events as events of pmudev's sets.
 *
 * An event that leads a group is a set, and its descriptor is the set's. The other events of the
 * group are events of the same set, and their descriptors are duplicates. Each event has a pmudev
 * group of its own, so that it can be enabled alone; without MULTIPLEX all of them count all the
 * time, as a group of perf's does while it counts.
 *
 * When there are no counters left, all groups that count the same, and are not pinned, move into
 * one set, where each is a multiplexed group: they take turns. Their descriptors become that set's.
 */
#ifndef EVENT_H
#define EVENT_H

#include <linux/perf_event.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>
#include <unistd.h>

#include <pmudev.h>

struct group;

/* A count and its times, as read(2) has them */
struct count {
	uint64_t value;
	uint64_t enabled;
	uint64_t running;
};

/*
 * What fcntl(2) has set. @tid: 0: nobody, -1: not one thread. @owner: 0: nobody, else of that type
 * (F_OWNER_*). @signal: 0: SIGIO. @fd: of F_SETFL
 */
struct overflow {
	bool async;
	pid_t tid;
	int owner_type;
	pid_t owner;
	int signal;
	int fd;
};

/* Samples in this process's memory. @begin: NULL: none. @lost: since there was no room */
struct ring {
	void *begin;
	size_t size;
	uint64_t lost;
};

/**
 * struct event - one that perf_event_open() has made here
 * @group: whose set it is in; constant until the last descriptor is closed
 * @id: what PERF_EVENT_IOC_ID tells
 * @given: it is perf's by now, which has this identifier for it; 0: it is ours
 * @read_format: PERF_FORMAT_*
 * @perf: as it was opened, all of it
 * @attr: as pmudev knows it
 * @dummy: perf's event that counts nothing, which is in no set
 * @period: of overflows; 0: none
 * @overflow: who is told of them
 * @signals: it has a deadline, and stays in its slot
 * @refreshed: this library hears of overflows before the program does (refresh.c)
 * @limit: after so many more it is off; 0: never
 * @due: the count of the slot at which the next one comes; 0: a period from now on
 * @round: of its deadlines: signals of those before are late
 * @ring: which this library writes
 * @lost: samples that it had no room for, since the event was opened
 * @owner: the thread that has opened it
 * @slot: of the set
 * @base: counted before @slot; under the group's lock, and its @changes
 * @on: it was enabled, and counts if its leader is
 * @counting: it does, or waits for an exec
 * @failed: a pinned event for which there was no counter
 * @refs: its descriptors
 * @next: of those that are free
 */
struct event {
	struct group *group;
	uint64_t id;
	atomic_ullong given;
	uint64_t read_format;
	struct perf_event_attr perf;
	struct pmudev_event_attr attr;
	bool dummy;
	uint64_t period;
	struct overflow overflow;
	bool signals;
	bool refreshed;
	unsigned int limit;
	uint64_t due;
	unsigned int round;
	struct ring ring;
	uint64_t lost;
	pid_t owner;
	atomic_uint slot;
	struct count base;
	bool on;
	bool counting;
	atomic_bool failed;
	atomic_uint refs;
	struct event *next;
};

/* Whom a set counts, as pmudev knows it */
struct target {
	uint32_t kind;
	int32_t id;
	uint32_t flags;
};

/**
 * struct group - the events of a group of perf's
 * @lock: all but what is said to be read without; signals are blocked meanwhile
 * @changes: odd while slots and bases change
 * @leader: NULL: it was closed, and each of the others counts for itself
 * @nr: how many events
 * @events: in the order in which they were added
 * @counted: some event of it was enabled, and perf cannot take it over any more
 * @told: an identifier of its events: perf has others
 * @multiplexed: they are a group of a set that others are in, too
 * @in_turns: which counts, or waits for an exec
 * @number: of that group
 * @target: constant, but that one stops waiting for an exec
 * @process: that has made it; a child's copies of its descriptors change nothing. Constant.
 * @next: of all groups, or of those that are free
 */
struct group {
	pthread_mutex_t lock;
	atomic_uint changes;
	struct event *leader;
	unsigned int nr;
	struct event *events[PMUDEV_MAX_EVENTS];
	bool counted;
	atomic_bool told;
	bool multiplexed;
	bool in_turns;
	unsigned int number;
	struct target target;
	pid_t process;
	struct group *next;
};

/*
 * PMUDEV_PERF=strict: what does not fit is refused. explain: refusals are told, on stderr or, if
 * PMUDEV_EXPLAIN names one, at the end of a file.
 */
struct settings {
	bool strict;
	bool explain;
	const char *file;
};

extern struct settings perf_settings;

/* How many events this process has opened: pmudev counts them, or perf does. */
struct opened {
	atomic_uint pmudev;
	atomic_uint perf;
};

extern struct opened perf_opened;

/*
 * encode.c: Is the event one for pmudev? @attr: all of it, what the caller has not is 0. @dummy:
 * out: it counts nothing.
 */
bool perf_encode(const struct perf_event_attr *attr, struct pmudev_event_attr *to, bool *dummy);

/* pool.c: this process; what it has made is its own. */
extern pid_t perf_process;

/* A child of vfork(2) has descriptors of its own, and this memory of its parent's. */
static inline bool perf_is_borrowed(void)
{
	return getpid() != perf_process;
}

/* What was when a lock was taken: no signal and no cancellation comes while it is held. */
struct held {
	sigset_t signals;
	int cancel;
};

/*
 * The group of an event of that descriptor, to be changed. NULL: another thread has closed it, or
 * it is perf's now; callers return -ESTALE, and calls.c begins anew.
 */
struct group *event_lock(struct event *event, int fd, struct held *held);
/* The same, also of one that is perf's and keeps its identifier */
struct group *event_lock_any(struct event *event, int fd, struct held *held);
/* As event_lock(), for those who have locked the list */
struct group *event_lock_listed(struct event *event, int fd, struct held *held);
/* Is the file one of the event's, as far as that can be seen without a read? */
bool event_is_there(const struct event *event, int fd);
/* A group, to be changed; also for its descriptors. */
void group_lock(struct group *group, struct held *held);
void group_unlock(struct group *group, const struct held *held);

/* A read beside a change of its group is tried so often, and then waits for the group's lock. */
#define PERF_TRIES 16

/* A descriptor of one of the group's events, -1: there is none any more */
int perf_find_fd(const struct group *group);
/* All of them are the set's of @to from now on. */
void perf_replace(const struct group *group, int to);
/* Has the event a descriptor? */
bool perf_is_known(const struct event *event);
/* Those of each event are perf's of the same place in @fds; @known: and stay in the table. */
void perf_release(const struct group *group, const int *fds, bool known);

/* calls.c: a line, for the user */
void perf_tell(const char *line, size_t length);

/* calls.c: if that is wanted. @what: was refused; @why: in words */
void perf_explain_why(const char *what, const char *why);

/* If that is wanted. @what: was refused */
void perf_explain(const char *what, int error, const struct pmudev_refusal *why);

#endif /* EVENT_H */
