/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What the test programs share: the ABI's calls without a library between, one reader of the user
 * page as the ABI describes it, and the state of the machine that tests change.
 *
 * Every call returns 0 (or a descriptor) or -errno, and leaves the refusal in `why`: from the
 * call's own structure, or from PMUDEV_IOC_WHY where the call has none.
 */
#ifndef PMUDEV_TEST_COMMON_H
#define PMUDEV_TEST_COMMON_H

#include <errno.h>
#include <sched.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/syscall.h>
#include <unistd.h>
#include <linux/pmudev.h>
#include "arch.h"

#define ARRAY_SIZE(a)	 (sizeof(a) / sizeof((a)[0]))
#define READ_ONCE(x)	 __atomic_load_n(&(x), __ATOMIC_RELAXED)
#define WRITE_ONCE(x, v) __atomic_store_n(&(x), v, __ATOMIC_RELAXED)

/* What needs no capability. */
#define USER_ONLY   (PMUDEV_EXCLUDE_KERNEL | PMUDEV_EXCLUDE_HV)
#define DIRECT_READ (USER_ONLY | PMUDEV_USER_READ)

#define PAGE_BYTES sysconf(_SC_PAGESIZE)

/* A record with room for all events a set can have. */
union record {
	struct pmudev_record r;
	char room[sizeof(struct pmudev_record) + PMUDEV_MAX_EVENTS * sizeof(struct pmudev_count)];
};

extern __thread struct pmudev_refusal why;

int pm_open(void);
int pm_query(struct pmudev_query *query);
/* PMU @number, or with PMUDEV_QUERY_CPU that of the CPU @number. */
int pm_query_pmu(__u32 number, __u32 flags, struct pmudev_query *query);
int pm_bind(int fd, __u32 target, __s32 id, __u32 flags);
/* To one PMU of several: with PMUDEV_BIND_PMU. */
int pm_bind_pmu(int fd, __u32 target, __s32 id, __u32 flags, __u32 pmu);
int pm_add(int fd, const struct pmudev_event_attr *events, unsigned int nr);
int pm_place(int fd, const struct pmudev_event_attr *events, unsigned int nr, __s32 *counters);
int pm_ctl(int fd, unsigned long request, __u32 group, __u32 slot, __u64 value);
/* ENABLE, and who holds each counter if it is refused: *nr is the room, then how many there are. */
int pm_enable_holders(int fd, __u32 group, struct pmudev_holder *holders, unsigned int *nr);
int pm_read(int fd, union record *record);
int pm_why(int fd, struct pmudev_why *answer);
/* The page, or NULL with errno. */
struct pmudev_page *pm_map(int fd);
/* An event's page in perf's layout; NULL and errno if it fails. */
void *pm_map_perf(int fd, unsigned int slot);
void pm_unmap(struct pmudev_page *page);
/* A set on the calling thread (or a CPU) with these events, enabled if so wished: a descriptor. */
int pm_set(const struct pmudev_event_attr *events, unsigned int nr, bool enable);
int pm_cpu_set(int cpu, __u32 bind_flags, const struct pmudev_event_attr *events, unsigned int nr);
/* The same on a task, with PMUDEV_BIND_* flags. */
int pm_attach(int tid, __u32 bind_flags, const struct pmudev_event_attr *events, unsigned int nr,
	      bool enable);
/* The same on the CPUs of a PMU, where there may be several; enabled. */
int pm_attach_pmu(int tid, __u32 pmu, __u32 bind_flags, const struct pmudev_event_attr *events,
		  unsigned int nr);
/* The count in a slot, ~0 if it cannot be read. */
__u64 pm_value(int fd, unsigned int slot);

static inline int pm_enable(int fd, __u32 group)
{
	return pm_ctl(fd, PMUDEV_IOC_ENABLE, group, PMUDEV_ALL, 0);
}

static inline int pm_disable(int fd, __u32 group)
{
	return pm_ctl(fd, PMUDEV_IOC_DISABLE, group, PMUDEV_ALL, 0);
}

static inline int pm_remove(int fd, __u32 group)
{
	return pm_ctl(fd, PMUDEV_IOC_REMOVE, group, PMUDEV_ALL, 0);
}

static inline int pm_reset(int fd, __u32 slot, __u64 value)
{
	return pm_ctl(fd, PMUDEV_IOC_RESET, PMUDEV_ALL, slot, value);
}

/* A raw event of group 0. */
static inline struct pmudev_event_attr raw_event(__u64 config, __u32 flags)
{
	struct pmudev_event_attr attr = {
		.type = PMUDEV_TYPE_RAW,
		.flags = flags,
		.config = config,
	};

	return attr;
}

static inline struct pmudev_event_attr in_group(struct pmudev_event_attr attr, __u32 group)
{
	attr.group = group;
	return attr;
}

static inline __u32 my_tid(void)
{
	return syscall(SYS_gettid);
}

/* --------------------------------------------------------- reading the page -- */

struct reader {
	const struct pmudev_page *page;
	__u32 tid;
	unsigned int retries; /* since somebody set it to 0 */
};

static inline struct reader reader_of(const struct pmudev_page *page)
{
	return (struct reader){ .page = page, .tid = my_tid() };
}

/*
 * The reader's algorithm of the ABI. Returns 0, or -EAGAIN where the ABI says read(2). Inlined, so
 * that two reads in one function with the same slot cost the same.
 */
static inline __attribute__((always_inline)) int direct_read(struct reader *reader, unsigned int i,
							     __u64 *value)
{
	const struct pmudev_page *page = reader->page;
	__u64 count, raw;
	__u32 seq, index, shift;

	for (;; reader->retries++) {
		seq = READ_ONCE(page->seq);
		if (READ_ONCE(page->owner) != reader->tid)
			return -EAGAIN;
		barrier();
		index = READ_ONCE(page->slots[i].index);
		shift = READ_ONCE(page->slots[i].shift);
		count = READ_ONCE(page->slots[i].count);
		if (!index)
			return -EAGAIN;
		raw = counter(READ_ONCE(page->slots[i].operand));
		barrier();
		if (READ_ONCE(page->seq) == seq && READ_ONCE(page->owner) == reader->tid)
			break;
	}
	*value = count + (((raw - count) << shift) >> shift);
	return 0;
}

/* What a program does: directly if possible, else by read(2). Returns 0 or -errno. */
int read_either(int fd, struct reader *reader, unsigned int slot, __u64 *value, bool *direct);

/* read(2) in a fixed number of instructions: bytes or -errno. */
static inline __attribute__((always_inline)) long raw_read(int fd, union record *record)
{
	return raw_call(SYS_read, fd, (long)record, sizeof(*record));
}

/*
 * Events of one slot between two reads of one kind with n rounds of loop() between them. 0, or
 * -errno; measure_direct() repeats itself until no read was interrupted, -EAGAIN if it cannot.
 */
int measure_direct(struct reader *reader, unsigned int slot, __u64 n, __u64 *count);
int measure_read(int fd, unsigned int slot, __u64 n, __u64 *count);

/* Does user mode fault when it reads this counter (operand as in the page)? */
bool counter_faults(__u32 operand);
/* All of the counters fault, or none does: 1, 0; -1 if some do. */
int all_fault(void);

/* ------------------------------------------------------------ the machine -- */

#define USER_ACCESS "/proc/sys/dev/pmudev/user_access"

/* 0 or -errno */
int write_file(const char *path, const char *text);
/* Does a (short) file have it? */
bool has_word(const char *path, const char *word);
/* The number at the start of a file, or -errno. */
long read_number(const char *path);

static inline int set_user_access(bool open)
{
	return write_file(USER_ACCESS, open ? "1" : "0");
}

/* Are we in the emulated machine of tests/vm? */
bool emulated(void);
/* Which one: its name in tests/vm/boot, "" if none. */
const char *machine_name(void);
/* May retired instructions be asserted to the unit: each CPU counts its own, all of them? */
bool exact_instructions(void);
/* Also those of a program from its start on? On 32-bit arm it starts with one more now and then. */
bool exact_programs(void);
/* May cycles, so many for each instruction? */
bool exact_cycles(void);
/* The raw event for counts that others must not disturb: instructions if exact, else cycles. */
__u64 steady_event(void);
/* Is an instruction a nanosecond of CLOCK_MONOTONIC? */
bool exact_clock(void);
/* Does this kernel offer them? */
bool user_reads(void);
#define NO_USER_READS "no user reads on this kernel"
#define NO_FIXED_COUNTER "this PMU has no fixed counters"

/* The first number of its version. */
int kernel_major(void);
/* Is this a kernel that watches what it does? It executes ten times as much. */
bool debug_kernel(void);
/*
 * How often to do what is done @often: a fifth where PMUDEV_FEW is set, as `make check` sets it,
 * and on debug kernels, which are slow; not with KCSAN, which needs races.
 * What is asserted must not depend on it.
 */
int few(int often);
/*
 * As debug_kernel(), and the module waits now and then, wherever it is, for somebody to race
 * with it.
 */
bool kcsan_kernel(void);
/* Where the module is, to load it again: PMUDEV_KO, or where the test machine has it. */
const char *module_file(void);
int unload_module(void);
int load_module(void);
/* Others: by name, by file. 0 or -errno. */
int unload_module_named(const char *name);
int load_module_file(const char *path);
int load_module_with(const char *path, const char *args);
int cpus_online(void);
int pin_task_to(int tid, int cpu);

static inline int pin_to(int cpu)
{
	return pin_task_to(0, cpu);
}

int set_cpu_online(int cpu, bool online);

/* Nanoseconds of CLOCK_MONOTONIC. */
__u64 now_ns(void);
/* Until a condition holds, at most ten seconds; false if it never did. The longer, the rarer. */
#define WAIT_FOR(condition)                                               \
	({                                                                \
		__u64 __end = now_ns() + 10000000000ULL, __pause = 20000; \
		bool __held;                                              \
		while (!(__held = !!(condition)) && now_ns() < __end) {   \
			pause_ns(__pause);                                \
			if (__pause < 1000000)                            \
				__pause += __pause / 8;                   \
		}                                                         \
		__held;                                                   \
	})

/* Not to wait for anything: to be woken again and again in the midst of what others do. */
void pause_ns(__u64 ns);

/*
 * Now and then in a busy loop: others get to work who need the caller's CPU to answer them, which
 * in an emulator runs only when it is its turn.
 */
static inline void give_way(__u64 done, __u64 *next)
{
	if (done < *next)
		return;
	pause_ns(done % 17 * 1001);
	*next = done + 2000;
}

/* How a task is (its letter in /proc) and who its parent is: 0, or -ESRCH. */
int task_stat(int tid, char *state, int *parent);

static inline char task_state(int tid)
{
	char state;
	int parent;

	return task_stat(tid, &state, &parent) ? 0 : state;
}

/* A descriptor to, or from, the process at the other end of a unix socket: 0, it, or -errno. */
int send_fd(int socket, int fd);
int receive_fd(int socket);

/* fork() of a child that ends when this process does. */
int fork_bound(void);
/* A child's wait status: 0 if it exited with 0, else the code, or 1000 + the signal. */
int child_result(int pid);
/* Ends such a child. */
void stop_child(int pid);

/*
 * Two ends that let two threads or processes run in turn, for certain: pass() wakes the other
 * and sleeps until it passes back.
 */
struct turns {
	int pipe[2][2];
};

int turns_init(struct turns *turns);
void turns_end(struct turns *turns);
void turn_wait(struct turns *turns, int me);
void turn_give(struct turns *turns, int me);

static inline void turn_pass(struct turns *turns, int me)
{
	turn_give(turns, me);
	turn_wait(turns, me);
}

/* For use below kselftest_harness.h: a call that must be refused with this errno and reason. */
#define EXPECT_REFUSED(error, reason, call)                                     \
	do {                                                                    \
		EXPECT_EQ(-(error), (int)(call));                               \
		EXPECT_EQ((__u32)(reason), why.code) TH_LOG("call: %s", #call); \
	} while (0)

#endif /* PMUDEV_TEST_COMMON_H */
