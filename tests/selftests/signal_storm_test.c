// SPDX-License-Identifier: GPL-2.0
/*
 * Signals and a tracer's stops come upon threads that read their own counters, wherever they are:
 * between two instructions of a read, in the call, in a handler that reads, too. Threads are moved
 * all the while. What each of them counts is what it executed, its handlers included.
 */
#include "workers.h"
#include "disturb.h"
#include "storm.h"
#include "subject.h"
#include "kselftest_harness.h"

#include <signal.h>
#include <stdlib.h>
#include <sys/ptrace.h>
#include <sys/wait.h>

#define HANDS 6

#ifndef PTRACE_SEIZE
#define PTRACE_SEIZE	 0x4206
#define PTRACE_INTERRUPT 0x4207
#endif

struct shared {
	struct workers workers;
	int cpus;
	struct disturbance sender[2], mover;
};

FIXTURE(signal_storm)
{
	struct shared *s;
};

/* ---------------------------------------------------------------- disturbances -- */

/* No more than some for each window: on a slow machine there would be nothing but handlers. */
static int send_signal(void *arg, unsigned int i)
{
	static unsigned int sent[HANDS], during[HANDS];
	unsigned int which = i * 5 / 3 % HANDS, windows;
	struct shared *s = arg;

	windows = READ_ONCE(s->workers.hand[which].windows);
	if (during[which] != windows)
		sent[which] = 0;
	if (sent[which] == 3)
		return -EAGAIN;
	sent[which]++;
	during[which] = windows;
	if (syscall(SYS_tgkill, s->workers.pid, READ_ONCE(s->workers.hand[which].tid),
		    i / 3 % 2 ? SIGUSR1 : SIGUSR2))
		return -errno;
	return 0;
}

static int move(void *arg, unsigned int i)
{
	struct shared *s = arg;

	return pin_task_to(READ_ONCE(s->workers.hand[i % HANDS].tid), i * 7 / 3 % s->cpus);
}

FIXTURE_SETUP(signal_storm)
{
	unsigned int i, slow = debug_kernel() ? 10 : 1;

	ASSERT_EQ(0, set_user_access(true));
	self->s = storm_memory(sizeof(*self->s));
	ASSERT_NE(NULL, self->s);
	self->s->cpus = cpus_online();
	for (i = 0; i < 2; i++)
		self->s->sender[i] = (struct disturbance){
			.once = send_signal,
			.arg = self->s,
			.pause = slow * (20000 + i * 7001),
		};
	self->s->mover = (struct disturbance){ .once = move, .arg = self->s };
	self->s->mover.pause = slow * 100000;
}

FIXTURE_TEARDOWN(signal_storm)
{
	stop_child(self->s->sender[0].pid);
	stop_child(self->s->sender[1].pid);
	stop_child(self->s->mover.pid);
	stop_child(self->s->workers.pid);
	set_user_access(false);
	EXPECT_EQ(0, nothing_left());
}

static void start(struct __test_metadata *_metadata, struct shared *s)
{
	ASSERT_EQ(0, workers_start(&s->workers, HANDS, true));
	ASSERT_EQ(0, disturb_start(&s->sender[0]));
	ASSERT_EQ(0, disturb_start(&s->sender[1]));
	ASSERT_EQ(0, disturb_start(&s->mover));
}

static void end(struct __test_metadata *_metadata, struct shared *s)
{
	unsigned int i, direct = 0;

	EXPECT_TRUE(workers_works(&s->workers));
	EXPECT_EQ(0, disturb_end(&s->sender[0]));
	EXPECT_EQ(0, disturb_end(&s->sender[1]));
	EXPECT_EQ(0, disturb_end(&s->mover));
	EXPECT_EQ(0, workers_end(&s->workers));
	EXPECT_WORKERS(&s->workers);
	for (i = 0; i < HANDS; i++)
		direct += s->workers.hand[i].direct;
	TH_LOG("%u windows, %llu signals, %u moves, %u reads of pages in windows",
	       workers_windows(&s->workers), workers_signals(&s->workers), s->mover.times, direct);
	EXPECT_GT(s->mover.times, debug_kernel() ? 3U : 10U);
	if (user_reads())
		EXPECT_GT(direct, workers_windows(&s->workers) / 4);
}

/* -------------------------------------------------------------------- handlers -- */

TEST_F_TIMEOUT(signal_storm, handled, 300)
{
	struct workers *workers = &self->s->workers;
	__u64 most = storm_times(1000);

	start(_metadata, self->s);
	while (workers_signals(workers) < most && !workers_wrong(workers))
		ASSERT_TRUE(workers_works(workers));
	end(_metadata, self->s);
}

/* The whole process is halted, and goes on. */
TEST_F_TIMEOUT(signal_storm, halted, 300)
{
	struct workers *workers = &self->s->workers;
	unsigned int i, times = storm_times(40);
	int status;

	start(_metadata, self->s);
	for (i = 0; i < times && !workers_wrong(workers); i++) {
		ASSERT_EQ(0, kill(workers->pid, SIGSTOP));
		ASSERT_EQ(workers->pid, waitpid(workers->pid, &status, WUNTRACED));
		ASSERT_TRUE(WIFSTOPPED(status));
		pause_ns(i % 5 * 30001);
		ASSERT_EQ(0, kill(workers->pid, SIGCONT));
		pause_ns(10000 + i % 11 * 9001);
	}
	end(_metadata, self->s);
}

/* Killed wherever they are, mapped pages and all. */
TEST_F_TIMEOUT(signal_storm, killed, 300)
{
	unsigned int i, times = storm_times(12);
	struct shared *s = self->s;

	for (i = 0; i < times; i++) {
		ASSERT_EQ(0, workers_start(&s->workers, HANDS, true));
		pause_ns(i * 9973 % 100000);
		ASSERT_EQ(0, kill(s->workers.pid, SIGKILL));
		EXPECT_EQ(1000 + SIGKILL, child_result(s->workers.pid));
		s->workers.pid = 0;
		EXPECT_WORKERS(&s->workers);
		EXPECT_EQ(0, module_references());
	}
}

/* ---------------------------------------------------------------------- traced -- */

/* Waits for the next stop: the signal that is to be delivered with the next step, or -errno. */
static int next_stop(int tid, int *event)
{
	int status;

	if (waitpid(tid, &status, __WALL) != tid)
		return -errno;
	if (!WIFSTOPPED(status))
		return -ECHILD;
	*event = status >> 16;
	/* A step, or a stop of the tracer's own. */
	return *event || WSTOPSIG(status) == SIGTRAP ? 0 : WSTOPSIG(status);
}

static int trace(long request, int tid, int signal_)
{
	return ptrace(request, tid, 0, (long)signal_) ? -errno : 0;
}

/* Where a halted thread is, 0 if nobody knows. */
static unsigned long stands_at(int tid)
{
	char path[32], line[256] = "", *last;
	FILE *f;

	snprintf(path, sizeof(path), "/proc/%d/syscall", tid);
	f = fopen(path, "r");
	if (!f)
		return 0;
	last = fgets(line, sizeof(line), f) ? strrchr(line, ' ') : NULL;
	fclose(f);
	return last ? strtoul(last, NULL, 16) : 0;
}

/* Until the stop that was asked for: @wanted as a signal, or 0 for one of the tracer's own. */
static int stop_for(int tid, int wanted)
{
	int event, signal_;

	for (;;) {
		signal_ = next_stop(tid, &event);
		if (signal_ < 0 || (wanted ? signal_ == wanted : event != 0))
			return signal_ < 0 ? signal_ : 0;
		signal_ = trace(PTRACE_CONT, tid, signal_);
		if (signal_)
			return signal_;
	}
}

/*
 * One instruction: the signal for the next step, or -errno. After a system call arm64 reports one
 * step more that executes nothing, which QEMU counts as an instruction all the same: @extra.
 */
static int step(struct hand *h, int signal_, unsigned int extra)
{
	unsigned long at = stands_at(h->tid);
	int ret = trace(PTRACE_SINGLESTEP, h->tid, signal_), event;

	if (ret)
		return ret;
	ret = next_stop(h->tid, &event);
	if (!ret && !signal_ && stands_at(h->tid) == at)
		WRITE_ONCE(h->extra, h->extra + extra);
	return ret;
}

/* Halted, some steps, and away; how it is halted differs. 0 or -errno. */
static int trace_once(struct hand *h, unsigned int i, unsigned int extra)
{
	unsigned int n = i * 7 % 40, k;
	int signal_ = 0, ret, event, tid = h->tid;

	if (i % 2) {
		ret = trace(PTRACE_SEIZE, tid, 0);
		if (!ret)
			ret = trace(PTRACE_INTERRUPT, tid, 0);
	} else {
		ret = trace(PTRACE_ATTACH, tid, 0);
	}
	if (!ret)
		ret = stop_for(tid, i % 2 ? 0 : SIGSTOP);
	for (k = 0; k < n && !ret; k++) {
		if (i % 3) {
			signal_ = step(h, signal_, extra);
		} else {
			ret = trace(PTRACE_SYSCALL, tid, signal_);
			signal_ = ret ? 0 : next_stop(tid, &event);
		}
		if (signal_ < 0)
			return signal_;
	}
	return ret ? ret : trace(PTRACE_DETACH, tid, signal_);
}

/* What is counted for a step that executes nothing; else it is one instruction, or -ERANGE. */
static int step_extra(void)
{
	struct pmudev_event_attr event = raw_event(steady_event(), USER_ONLY);
	int fd, ret, i, stop, extra = 0, pid = fork_bound();
	unsigned long at;
	__u64 last;

	while (!pid)
		raw_call(SYS_getppid, 0, 0, 0);
	fd = pm_attach(pid, 0, &event, 1, true);
	ret = fd < 0 ? fd : trace(PTRACE_SEIZE, pid, 0);
	if (!ret)
		ret = trace(PTRACE_INTERRUPT, pid, 0);
	if (!ret)
		ret = stop_for(pid, 0);
	for (i = 0; i < 40 && !ret; i++) {
		last = pm_value(fd, 0);
		at = stands_at(pid);
		ret = trace(PTRACE_SINGLESTEP, pid, 0);
		if (!ret)
			ret = next_stop(pid, &stop);
		last = pm_value(fd, 0) - last;
		if (stands_at(pid) == at)
			extra = last;
		else if (last != 1 && exact_instructions())
			ret = -ERANGE;
	}
	close(fd);
	stop_child(pid);
	return ret ? ret : extra;
}

TEST_F_TIMEOUT(signal_storm, traced, 300)
{
	unsigned int i, times = storm_times(48);
	struct workers *workers = &self->s->workers;
	int extra, ret;

	extra = step_extra();
	ASSERT_GE(extra, 0);
	/* A step is soon over, however many want the CPU. */
	nice(-20);
	EXPECT_LE(extra, 1);
	start(_metadata, self->s);
	for (i = 0; i < times && !workers_wrong(workers); i++) {
		ret = trace_once(&workers->hand[i % HANDS], i, extra);
		/* One with whom something is wrong ends. */
		if (!workers_wrong(workers))
			ASSERT_EQ(0, ret) TH_LOG("tracing %u", i);
		pause_ns(i % 7 * 9001);
	}
	end(_metadata, self->s);
}

/* The tracer's sets of the thread count one instruction a step. */
TEST_F_TIMEOUT(signal_storm, each_step_counts_one, 120)
{
	struct pmudev_event_attr event = raw_event(steady_event(), USER_ONLY);
	unsigned int i, times = storm_times(200);
	__u64 last, now, executed;
	struct spinner s;
	int stop, fd;

	ASSERT_EQ(0, spinner_start(&s));
	fd = pm_attach(s.pid, 0, &event, 1, true);
	ASSERT_GE(fd, 0);
	ASSERT_EQ(0, trace(PTRACE_SEIZE, s.pid, 0));
	ASSERT_EQ(0, trace(PTRACE_INTERRUPT, s.pid, 0));
	ASSERT_EQ(0, stop_for(s.pid, 0));
	last = pm_value(fd, 0);
	executed = spinner_executed(&s);
	for (i = 0; i < times; i++) {
		if (i % 16 == 0)
			ASSERT_EQ(0, pin_task_to(s.pid, i / 16 % self->s->cpus));
		ASSERT_EQ(0, trace(PTRACE_SINGLESTEP, s.pid, 0));
		ASSERT_EQ(0, next_stop(s.pid, &stop));
		now = pm_value(fd, 0);
		if (exact_instructions())
			ASSERT_EQ(last + 1, now) TH_LOG("step %u", i);
		ASSERT_GE(now, last);
		last = now;
	}
	/* The account is the tracee's own. */
	EXPECT_EQ((__u64)times, spinner_executed(&s) - executed);
	ASSERT_EQ(0, trace(PTRACE_DETACH, s.pid, 0));
	EXPECT_TRUE(WAIT_FOR(pm_value(fd, 0) > last));
	close(fd);
	spinner_stop(&s);
}

TEST_HARNESS_MAIN
