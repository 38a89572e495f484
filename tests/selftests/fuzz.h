/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The fuzzer: processes that do everything to the device that they can think of, with each other's
 * descriptors, while the machine changes under them. What they do follows from a seed alone, never
 * from what a call returned: descriptors, mappings and memory are at fixed places, there or not.
 *
 * A round begins with new processes and ends with none; fuzz_test.c looks then whether anything
 * of it is left.
 */
#ifndef PMUDEV_TEST_FUZZ_H
#define PMUDEV_TEST_FUZZ_H

#include <signal.h>
#include <stdint.h>

#include "common.h"

/* The numbers of descriptors, open or not. */
#define FUZZ_SLOTS   7
#define FUZZ_PERFS   4
#define FUZZ_WORKERS 6
enum {
	FUZZ_SHARED_FD = 90,
	FUZZ_SOCKET_FD = 91, /* two of them */
	FUZZ_EVENT_FD = 93, /* an eventfd; the next one is not open */
	FUZZ_FD = 100,
	FUZZ_PERF_FD = FUZZ_FD + FUZZ_SLOTS,
	FUZZ_OWN_FD = FUZZ_PERF_FD + FUZZ_PERFS, /* by worker; nobody else's */
};

/* Where pages are mapped, or not: each has room to be moved and grown in. */
#define FUZZ_PAGES     4
#define FUZZ_PAGE_BASE 0x50000000UL
#define FUZZ_PAGE_ROOM 0x10000UL
/* What calls are given, by thread: see fuzz_put(). */
#define FUZZ_ARENA_BASE 0x60000000UL
#define FUZZ_ARENA_ROOM 0x10000UL
#define FUZZ_ARENA_PAGE 4096UL
#define FUZZ_THREADS	3

/* ------------------------------------------------------------- what was done -- */

#define FUZZ_MARK "PMUFUZZ1"
#define FUZZ_RING 2048

/*
 * One call. It is written before the call is made, so that what killed the machine is there:
 * tests/vm/fuzz-calls finds these in the memory of a machine that is no more.
 */
struct fuzz_entry {
	char mark[8];
	__u64 nr;
	__u64 time;
	__s32 tid;
	__u32 returned;
	__s64 ret;
	char text[88];
};

enum fuzz_kind {
	FUZZ_OPEN,
	FUZZ_CLOSE,
	FUZZ_PASS,
	FUZZ_QUERY,
	FUZZ_BIND,
	FUZZ_ADD,
	FUZZ_PLACE,
	FUZZ_ENABLE,
	FUZZ_DISABLE,
	FUZZ_RESET,
	FUZZ_REMOVE,
	FUZZ_WHY,
	FUZZ_DEADLINE,
	FUZZ_REPORT,
	FUZZ_CONTINUE,
	FUZZ_READ_SETS,
	FUZZ_OTHER_IOCTL,
	FUZZ_READ,
	FUZZ_POLL,
	FUZZ_MMAP,
	FUZZ_MUNMAP,
	FUZZ_MREMAP,
	FUZZ_MPROTECT,
	FUZZ_LOOK,
	FUZZ_FORK,
	FUZZ_THREAD,
	FUZZ_EXEC,
	FUZZ_RIGHTS,
	FUZZ_SIGNAL,
	FUZZ_PTRACE,
	FUZZ_MOVE,
	FUZZ_HOTPLUG,
	FUZZ_USER_ACCESS,
	FUZZ_RMMOD,
	FUZZ_PERF,
	FUZZ_PERF_RIGHT,
	FUZZ_SYSFS,
	FUZZ_OWN,
	FUZZ_KINDS,
};

struct fuzz_shared {
	__u64 calls;
	__u64 nr;	 /* of the ring's next entry */
	__u64 no_memory; /* calls that were made while an allocation failed */
	__u64 direct;	 /* counts read from pages */
	__u64 done[FUZZ_KINDS];
	__u64 good[FUZZ_KINDS];
	__u64 reason[64];
	__s32 tid[16]; /* the workers', and some threads' that there are, or were */
	int cgroup;    /* a descriptor of the root cgroup, -1: there is none */
	__s32 kid[16]; /* some children's */
	__u32 nr_tids;
	__u32 nr_kids;
	__u32 stop;    /* the round is over */
	__u32 hotplug; /* somebody is at it */
	__u32 limit;   /* of calls; 0: none */
	int cpus;
	int paths;
	char path[64][96]; /* below /sys */
	char failure[256]; /* the first */
	struct fuzz_entry ring[FUZZ_RING] __attribute__((aligned(4096)));
};

/* A thread of the fuzzer's. */
struct fuzz {
	struct fuzz_shared *s;
	struct fuzz_entry *entry;
	__u64 random;
	int worker;
	int depth;    /* 0: a worker; else its child, or a thread */
	bool careful; /* what it gives is right */
	bool child;   /* not a worker's process */
	int arena;
	bool alone; /* the only one: the same seed is the same calls */
	enum fuzz_kind kind;
};

extern const char *const fuzz_kinds[FUZZ_KINDS];

__u64 fuzz_random(struct fuzz *f);
/* 0..@below - 1 */
static inline __u32 fuzz_pick(struct fuzz *f, __u32 below)
{
	return (fuzz_random(f) >> 32) * below >> 32;
}

/* Once in @n times. */
static inline bool fuzz_rarely(struct fuzz *f, __u32 n)
{
	return !fuzz_pick(f, n);
}

/* One of an array. */
#define FUZZ_ONE_OF(f, array) ((array)[fuzz_pick(f, ARRAY_SIZE(array))])

/* Before and after a call. @ret is what it returned, or -errno; fuzz_end() passes it on. */
void fuzz_begin(struct fuzz *f, enum fuzz_kind kind, const char *format, ...)
	__attribute__((format(printf, 3, 4)));
long fuzz_end(struct fuzz *f, long ret);
/* What must not be. The first ends the round. */
void fuzz_fail(struct fuzz *f, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* The last calls. */
void fuzz_print_calls(struct fuzz_shared *s, unsigned int nr);

static inline long fuzz_result(long ret)
{
	return ret < 0 ? -errno : ret;
}

/* ------------------------------------------------------------ what it is given -- */

/* fuzz_memory.c: makes this thread's memory. */
void fuzz_arena(struct fuzz *f);
/*
 * Where @bytes at @data are for a call: mostly at @offset of the memory (several pages), at times
 * where they end with it, or go beyond, or where nothing may be written, or nothing is.
 */
void *fuzz_put(struct fuzz *f, unsigned int offset, const void *data, unsigned int bytes);
/* Whether fuzz_put() found a good place: what it returned can be looked at. */
bool fuzz_is_good(struct fuzz *f, const void *at);
/* fuzz_data.c */
void fuzz_attr(struct fuzz *f, struct pmudev_event_attr *attr);
/* Some thread of the fuzzer's, or none. @name: as it is to be called. */
int fuzz_someone(struct fuzz *f, const char **name);
/* An ioctl of the device by its number from QUERY on, with what it takes. */
void fuzz_ioctl(struct fuzz *f, int fd, unsigned int nr);

/* ---------------------------------------------------------------- what is done -- */

/* The errno contract. */
void fuzz_check_errno(struct fuzz *f, long ret);
void fuzz_check_refusal(struct fuzz *f, long ret, const struct pmudev_refusal *refusal);
void fuzz_read(struct fuzz *f, int fd);
/* fuzz_page.c */
void fuzz_mmap(struct fuzz *f, int fd);
void fuzz_munmap(struct fuzz *f);
void fuzz_mremap(struct fuzz *f);
void fuzz_mprotect(struct fuzz *f);
void fuzz_look(struct fuzz *f);
/* No page that is mapped is being written for long. */
void fuzz_pages_even(struct fuzz *f);
/* fuzz_task.c */
void fuzz_fork(struct fuzz *f);
void fuzz_thread(struct fuzz *f);
void fuzz_exec(struct fuzz *f);
void fuzz_rights(struct fuzz *f);
void fuzz_signal(struct fuzz *f);
void fuzz_ptrace(struct fuzz *f);
void fuzz_move(struct fuzz *f);
void fuzz_reap(void);
/* The process that FUZZ_EXEC made; does not return if this is one. */
void fuzz_executed(void);
/* A program of ours that runs as root, whoever executes it. */
#define FUZZ_SUID "/tmp/pmudev-fuzz-suid"
/* fuzz_machine.c */
void fuzz_hotplug(struct fuzz *f);
void fuzz_user_access(struct fuzz *f);
void fuzz_rmmod(struct fuzz *f);
void fuzz_perf(struct fuzz *f);
void fuzz_perf_right(struct fuzz *f);
void fuzz_sysfs(struct fuzz *f);
void fuzz_find_sysfs(struct fuzz_shared *s);

#if defined(__aarch64__) || defined(__arm__)
#define FUZZ_PERF_RIGHT_FILE "/proc/sys/kernel/perf_user_access"
#else
#define FUZZ_PERF_RIGHT_FILE "/sys/bus/event_source/devices/cpu/rdpmc"
#endif

/* One thing after another: so many, or until the round is over (0). */
void fuzz_go_on(struct fuzz *f, unsigned int nr);
/* A worker of the calling process's: does not return. */
void fuzz_work(struct fuzz *f);
/*
 * fuzz_round.c: so many workers come, make @s->limit calls, and are gone when it returns. 0: as
 * many as follow from the seed.
 */
void fuzz_round(struct fuzz_shared *s, __u64 seed, int workers);

#endif /* PMUDEV_TEST_FUZZ_H */
