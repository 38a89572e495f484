// SPDX-License-Identifier: GPL-2.0
/*
 * Reads by eight threads on four CPUs while everything happens to them at once that can happen: no
 * value is wrong, and none of them ever faults, which would end the process.
 *
 * PMUDEV_READS in the environment says how many; else it is as many as the machine does in some
 * seconds. Each disturbance has to have happened before it ends.
 */
#include "disturb.h"
#include "guest.h"
#include "kselftest_harness.h"
#include "perf_load.h"
#include "readers.h"

#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>

/* Each disturbance at least so often. */
#define LEAST 10

enum {
	MOVE,
	COMPETE,
	CHANGE = COMPETE + 4,
	USER_ACCESS_TOGGLES,
	/* It waits for the two after it, which must not have ended before. */
	HOTPLUG,
	PERF_CPU,
	PERF_TASK,
	PERF_READER,
	PERF_RECORD,
	GUEST,
	DISTURBANCES,
};

struct shared {
	struct crowd crowd;
	struct guest guest;
	int cpus;
	struct perf_load perf;
	bool quiet, closed[2]; /* no events of perf's, please; those of the two have none */
	struct disturbance d[DISTURBANCES];
};

FIXTURE(read_storm)
{
	struct shared *shared;
	long perf_right;
	__u64 reads;
};

/* ------------------------------------------------------------------ disturbances -- */

/* To a CPU, or any. Those that are offline are none. */
static int move(void *arg, unsigned int i)
{
	struct shared *s = arg;
	int tid = READ_ONCE(s->crowd.tid[i % READERS]), cpu = i * 7 / 3 % (s->cpus + 1);
	cpu_set_t all;

	if (cpu < s->cpus)
		return pin_task_to(tid, cpu) ? -EAGAIN : 0;
	CPU_ZERO(&all);
	for (cpu = 0; cpu < s->cpus; cpu++)
		CPU_SET(cpu, &all);
	return sched_setaffinity(tid, sizeof(all), &all) ? -EAGAIN : 0;
}

/* A task with sets of its own, other values on the same counters, that has the CPU for a moment. */
static int compete(void *arg, unsigned int i)
{
	struct pmudev_event_attr events[] = {
		raw_event(EVENT_INSTRUCTIONS, 0),
		raw_event(EVENT_CYCLES, 0),
		raw_event(EVENT_INSTRUCTIONS, USER_ONLY),
		raw_event(FIXED_EVENT, USER_ONLY | PMUDEV_COUNTER),
	};
	static int fd = -1;

	(void)arg;
	events[3].counter = FIXED_COUNTER;
	if (!i)
		fd = pm_set(events, 4, true);
	if (fd < 0)
		return fd;
	loop(1000);
	return pm_reset(fd, PMUDEV_ALL, i * 0x9e3779b97f4a7c15ULL);
}

/* A thread's set, by another thread of its process. */
static int change_others(void *arg, unsigned int i)
{
	struct shared *s = arg;
	struct reading *r = &s->crowd.reading[i % READERS];

	return churn_step(&r->set, &r->others);
}

static int toggle_user_access(void *arg, unsigned int i)
{
	(void)arg;
	(void)i;
	if (set_user_access(false))
		return -EIO;
	pause_ns(20000);
	return set_user_access(true);
}

/*
 * Where an event of perf's can be made while pmudev has the PMU, it is tried to be put on a counter
 * again and again; where it cannot, perf has asked for the PMU.
 */
static int open_perf(int *fd, int tid, int cpu)
{
	int ret;

	if (*fd > 0)
		close(*fd);
	ret = perf_open(EVENT_CYCLES, 0, tid, cpu);
	*fd = ret;
	if (ret == -EBUSY && PMU_ARCH != PMUDEV_ARCH_ARM64)
		return 0;
	/* The CPU is offline, the thread has ended. */
	return ret >= 0 ? 0 : ret == -ENODEV || ret == -ESRCH ? -EAGAIN : ret;
}

/* Has somebody asked for quiet? */
static bool close_perf(struct shared *s, int *fd, unsigned int nr, unsigned int which)
{
	unsigned int i;

	if (!__atomic_load_n(&s->quiet, __ATOMIC_SEQ_CST))
		return false;
	for (i = 0; i < nr; i++) {
		if (fd[i] > 0)
			close(fd[i]);
		fd[i] = 0;
	}
	__atomic_store_n(&s->closed[which], true, __ATOMIC_SEQ_CST);
	return true;
}

static int perf_cpu(void *arg, unsigned int i)
{
	static int fd[12];
	struct shared *s = arg;

	if (close_perf(s, fd, ARRAY_SIZE(fd), 0))
		return -EAGAIN;
	return open_perf(&fd[i % ARRAY_SIZE(fd)], -1, i % s->cpus);
}

static int perf_task(void *arg, unsigned int i)
{
	static int fd[12];
	struct shared *s = arg;

	if (close_perf(s, fd, ARRAY_SIZE(fd), 1))
		return -EAGAIN;
	return open_perf(&fd[i % ARRAY_SIZE(fd)], READ_ONCE(s->crowd.tid[i % READERS]), -1);
}

/*
 * A turn of perf's that began on a CPU that goes offline ends on another one, and from Linux 7 on
 * the kernel warns then, without pmudev as well (docs/coexistence.md): there perf has no events
 * meanwhile.
 */
static int hotplug(void *arg, unsigned int i)
{
	struct shared *s = arg;
	unsigned int tries = debug_kernel() ? 6 : 1;
	int ret;

	if (kernel_major() >= 7) {
		s->closed[0] = false;
		s->closed[1] = false;
		__atomic_store_n(&s->quiet, true, __ATOMIC_SEQ_CST);
		/* Closing a dozen of them takes more than ten seconds on a debug kernel. */
		while (!WAIT_FOR(READ_ONCE(s->closed[0]) && READ_ONCE(s->closed[1])))
			if (!--tries)
				return -ETIMEDOUT;
		/* Its timers find nothing to do, and start no more: each within a turn, 4 ms. */
		pause_ns(20000000);
	}
	ret = hotplug_once((void *)(long)s->cpus, i);
	__atomic_store_n(&s->quiet, false, __ATOMIC_SEQ_CST);
	return ret;
}

static int run_guest(void *arg, unsigned int i)
{
	struct shared *s = arg;

	return i ? guest_run(&s->guest) : guest_open(&s->guest);
}

/* ------------------------------------------------------------------------ the storm -- */

static __u64 how_many(void)
{
	bool all = !strcmp(machine_name(), "vhe") || !strcmp(machine_name(), "v4-g8-w");

	/* The whole takes minutes of two machines: 10^8 by hand. */
	return crowd_reads(all ? 10000000 : 2000000);
}

static void set_up(struct shared *s)
{
	struct disturbance with[DISTURBANCES] = {
		[MOVE] = DISTURB("moved", move, s, 100000),
		[CHANGE] = DISTURB("their sets changed", change_others, s, 50000),
		[USER_ACCESS_TOGGLES] =
			DISTURB("user access disabled", toggle_user_access, s, 700000),
		[HOTPLUG] = DISTURB("a CPU gone and back", hotplug, s, 2000000),
		[PERF_CPU] = DISTURB("perf on a CPU", perf_cpu, s, 300000),
		[PERF_TASK] = DISTURB("perf on a thread", perf_task, s, 300000),
		[PERF_READER] = DISTURB("a reader of perf's", perf_load_read, &s->perf, 300000),
		[PERF_RECORD] = DISTURB("perf's samples", perf_load_record, &s->perf, 300000),
		[GUEST] = DISTURB("the guest's exits", run_guest, s, 30000),
	};
	int i;

	for (i = COMPETE; i < CHANGE; i++)
		with[i] = (struct disturbance)DISTURB("others' turns", compete, s, 300000);
	memcpy(s->d, with, sizeof(with));
}

FIXTURE_SETUP(read_storm)
{
	struct guest guest;
	int ret;

	self->reads = how_many();
	self->shared = mmap(NULL, sizeof(*self->shared), PROT_READ | PROT_WRITE,
			    MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	ASSERT_NE(MAP_FAILED, self->shared);
	self->shared->cpus = cpus_online();
	ASSERT_EQ(0, perf_load_init(&self->shared->perf, self->shared->cpus));
	set_up(self->shared);
	if (self->shared->cpus < 2 || set_cpu_online(1, true))
		self->shared->d[HOTPLUG].once = NULL;
	ret = guest_open(&guest);
	if (!ret)
		guest_close(&guest);
	else
		self->shared->d[GUEST].once = NULL;
	if (!ret && guest_forbids_hotplug())
		self->shared->d[HOTPLUG].once = NULL;
	self->perf_right = read_number(PERF_RIGHT_FILE);
	if (!BESIDE_PERF || write_file(PERF_RIGHT_FILE, "1"))
		self->shared->d[PERF_READER].once = NULL;
	if (!BESIDE_PERF)
		self->shared->d[PERF_RECORD].once = NULL;
	ASSERT_EQ(0, set_user_access(true));
}

FIXTURE_TEARDOWN(read_storm)
{
	int i;

	for (i = 0; i < DISTURBANCES; i++)
		if (self->shared->d[i].pid)
			stop_child(self->shared->d[i].pid);
	for (i = 1; i < self->shared->cpus; i++)
		set_cpu_online(i, true);
	if (self->shared->d[PERF_READER].once)
		write_file(PERF_RIGHT_FILE, self->perf_right > 0 ? "1" : "0");
	set_user_access(false);
}

/* The one disturbance that is a thread of the readers' process. */
static void *change_on(void *arg)
{
	disturb_go_on(arg);
	return NULL;
}

static void tell(struct __test_metadata *_metadata, struct shared *s)
{
	__u64 direct = 0, calls = 0, discarded = 0, moves = 0, switches = 0, own = 0;
	int i;

	for (i = 0; i < READERS; i++) {
		struct reading *r = &s->crowd.reading[i];

		EXPECT_EQ(0, r->wrong.line)
		TH_LOG("reader %d (%s, %s): readers.c:%d: %#llx, %#llx", i,
		       r->bare ? "bare" : "checked", r->fixed ? "fixed" : "programmable",
		       r->wrong.line, r->wrong.value, r->wrong.bound);
		/* Each of them, not all together. */
		EXPECT_GT(r->direct, r->calls);
		direct += r->direct;
		calls += r->calls;
		discarded += r->discarded;
		moves += r->moves;
		switches += r->switches;
		own += r->own.done;
	}
	TH_LOG("%llu reads direct, %llu by call, %llu discarded", direct, calls, discarded);
	TH_LOG("%llu switches, on another CPU %llu times, %llu changes of their own", switches,
	       moves, own);
	EXPECT_GT(calls, 0ULL);
	EXPECT_GE(switches, 10ULL * READERS);
	EXPECT_GE(own, (__u64)READERS);
	if (s->cpus > 1)
		EXPECT_GE(moves, (__u64)LEAST);
}

TEST_F_TIMEOUT(read_storm, of_everything, 1200)
{
	struct shared *s = self->shared;
	pthread_t changer;
	int i;

	/* Before there are threads: a process of one is what fork makes. */
	for (i = 0; i < DISTURBANCES; i++)
		if (s->d[i].once && i != CHANGE)
			ASSERT_EQ(0, disturb_prepare(&s->d[i]));
	ASSERT_EQ(0, crowd_start(&s->crowd));
	ASSERT_EQ(0, pthread_create(&changer, NULL, change_on, &s->d[CHANGE]));
	for (i = 0; i < DISTURBANCES; i++)
		disturb_begin(&s->d[i]);
	WRITE_ONCE(s->crowd.go, true);
	crowd_wait(&s->crowd, self->reads, s->d, DISTURBANCES, LEAST);
	WRITE_ONCE(s->d[CHANGE].stop, true);
	pthread_join(changer, NULL);
	EXPECT_EQ(0, s->d[CHANGE].wrong);
	for (i = 0; i < DISTURBANCES; i++) {
		if (s->d[i].pid)
			EXPECT_EQ(0, disturb_end(&s->d[i])) TH_LOG("%s", s->d[i].name);
		if (!s->d[i].once) {
			TH_LOG("%s: not possible here", s->d[i].name);
			continue;
		}
		TH_LOG("%s: %u", s->d[i].name, s->d[i].times);
		EXPECT_GE(s->d[i].times, (unsigned int)LEAST) TH_LOG("%s", s->d[i].name);
	}
	if (s->d[PERF_READER].once)
		EXPECT_LT(0ULL, s->perf.direct);
	TH_LOG("perf's reader: %llu reads direct", s->perf.direct);
	crowd_stop(&s->crowd);
	tell(_metadata, s);
	EXPECT_GE(s->crowd.reads, self->reads);
	crowd_close(&s->crowd);
}

TEST_HARNESS_MAIN
