// SPDX-License-Identifier: GPL-2.0
/*
 * The module is loaded and unloaded again and again, under users. It does not go while anything is
 * open; while it is there counts are those of every other time, to the instruction; and when it has
 * gone nothing of it is left: no hook, no file, no right to read, and perf counts as ever.
 */
#include "disturb.h"
#include "perf.h"
#include "storm.h"
#include "subject.h"
#include "kselftest_harness.h"

#include <signal.h>

#define WORK 20000

/* What the kernel says of a module that is in use. */
#define IN_USE (-EAGAIN)

FIXTURE(module_storm)
{
	struct pmudev_event_attr own, others;
	struct subject subject;
	__u64 cost;   /* of the subject */
	__u64 window; /* of this thread, by its own set */
	__s64 perf;   /* by perf */
};

FIXTURE_SETUP(module_storm)
{
	if (geteuid() || access(module_file(), R_OK))
		SKIP(return, "needs root and the module's file (PMUDEV_KO)");
	self->own = raw_event(steady_event(), user_reads() ? DIRECT_READ : USER_ONLY);
	self->others = raw_event(steady_event(), USER_ONLY);
	self->cost = exact_instructions() ? subject_cost() : 0;
	ASSERT_EQ(0, subject_fork(&self->subject));
	ASSERT_EQ(0, subject_work(&self->subject, 1));
}

/* The programs that follow need it. */
FIXTURE_TEARDOWN(module_storm)
{
	if (!self->subject.pid)
		return;
	if (module_references() < 0)
		EXPECT_EQ(0, load_module());
	EXPECT_EQ(0, subject_end(&self->subject));
	set_user_access(false);
	EXPECT_EQ(0, nothing_left());
}

/* ------------------------------------------------------------------ while it is there -- */

enum {
	OWN,
	OTHER,
	INHERITED,
	PROCESS,
	CPU,
	SETS,
};

static int open_kind(struct _test_data_module_storm *self, int kind)
{
	int fd, ret;

	switch (kind) {
	case OWN:
		return pm_set(&self->own, 1, true);
	case OTHER:
		return pm_attach(self->subject.pid, 0, &self->others, 1, true);
	case INHERITED:
		return pm_attach(0, PMUDEV_BIND_INHERIT, &self->others, 1, true);
	case PROCESS:
		fd = pm_open();
		ret = fd < 0 ? fd : pm_bind(fd, PMUDEV_TARGET_PROCESS, self->subject.pid, 0);
		if (!ret)
			ret = pm_add(fd, &self->others, 1);
		if (!ret)
			ret = pm_enable(fd, PMUDEV_ALL);
		return ret ? ret : fd;
	default:
		return pm_cpu_set(0, PMUDEV_BIND_SHARED, &self->others, 1);
	}
}

static void check_counts(struct __test_metadata *_metadata, struct _test_data_module_storm *self,
			 const int *fd, struct pmudev_page *page)
{
	struct reader reader = reader_of(page);
	__u64 other, process, count, value;

	other = pm_value(fd[OTHER], 0);
	process = pm_value(fd[PROCESS], 0);
	ASSERT_EQ(0, subject_work(&self->subject, WORK));
	other = pm_value(fd[OTHER], 0) - other;
	process = pm_value(fd[PROCESS], 0) - process;
	set_loop(fd[OWN], WORK);
	count = set_loop(fd[OWN], WORK);
	EXPECT_GE(count, (__u64)WORK);
	EXPECT_GE(pm_value(fd[INHERITED], 0), count);
	EXPECT_GE(pm_value(fd[CPU], 0), (__u64)WORK);
	if (page) {
		EXPECT_EQ(0, direct_read(&reader, 0, &value));
		EXPECT_GE(value, 2 * count);
		EXPECT_LE(value, pm_value(fd[OWN], 0));
	}
	EXPECT_EQ(other, process);
	EXPECT_GE(other, (__u64)WORK);
	if (!self->cost)
		return;
	EXPECT_EQ(WORK * LOOP_INSTRUCTIONS + self->cost, other);
	if (self->window)
		EXPECT_EQ(self->window, count);
	self->window = count;
}

/* ----------------------------------------------------------------- when it has gone -- */

/* No line of the file names it. */
static bool names_us(const char *path)
{
	char line[512];
	bool found = false;
	FILE *f = fopen(path, "r");

	while (f && !found && fgets(line, sizeof(line), f))
		found = strstr(line, "pmudev");
	if (f)
		fclose(f);
	return found;
}

static void check_gone(struct __test_metadata *_metadata, struct _test_data_module_storm *self)
{
	__s64 perf;
	int fd;

	EXPECT_EQ(-1L, module_references());
	EXPECT_EQ(-ENOENT, pm_open());
	EXPECT_NE(0, access(USER_ACCESS, F_OK));
	EXPECT_FALSE(names_us("/sys/kernel/debug/kprobes/list"));
	EXPECT_FALSE(names_us("/proc/modules"));
	EXPECT_TRUE(counter_faults(FIXED_OPERAND));
	fd = perf_open(EVENT_INSTRUCTIONS, 0, 0, -1);
	if (fd < 0)
		return;
	perf_loop(fd, WORK);
	perf = perf_loop(fd, WORK);
	EXPECT_GE(perf, WORK);
	if (self->perf && self->cost)
		EXPECT_EQ(self->perf, perf);
	self->perf = perf;
	close(fd);
}

TEST_F_TIMEOUT(module_storm, with_sets_of_all_kinds, 300)
{
	unsigned int i, times = storm_times(8);
	struct pmudev_page *page;
	int fd[SETS], kind, last;

	/* The CPU that is counted. */
	ASSERT_EQ(0, pin_to(0));
	for (i = 0; i < times; i++) {
		ASSERT_EQ(0, set_user_access(true));
		for (kind = 0; kind < SETS; kind++) {
			fd[kind] = open_kind(self, kind);
			ASSERT_GE(fd[kind], 0) TH_LOG("kind %d", kind);
		}
		page = self->own.flags & PMUDEV_USER_READ ? pm_map(fd[OWN]) : NULL;
		check_counts(_metadata, self, fd, page);
		/* Whichever is the last one keeps it; a mapping, too. */
		last = i % SETS;
		for (kind = 0; kind < SETS; kind++)
			if (kind != last)
				close(fd[kind]);
		EXPECT_EQ(IN_USE, unload_module());
		if (page && i % 2) {
			close(fd[last]);
			EXPECT_EQ(IN_USE, unload_module());
		}
		if (page)
			pm_unmap(page);
		if (!page || i % 2 == 0)
			close(fd[last]);
		ASSERT_TRUE(WAIT_FOR(!unload_module()));
		check_gone(_metadata, self);
		/* Who was counted goes on, and may be again. */
		ASSERT_EQ(0, subject_work(&self->subject, WORK));
		ASSERT_EQ(0, load_module());
	}
}

/* --------------------------------------------------------------------- under users -- */

struct shared {
	struct disturbance user[3], loader[2];
	/* Asked for while the module is there. */
	struct pmudev_event_attr event;
	bool exact;
	unsigned int counted, absent;
	struct {
		__u64 count, expected;
		unsigned int round;
	} wrong; /* the last one */
};

/* What an open answers while the module comes and goes. */
static bool not_there(int ret)
{
	return ret == -ENOENT || ret == -ENODEV || ret == -ENXIO;
}

/* Sets, a page, a child: whatever there is time for. */
static int use(void *arg, unsigned int i)
{
	struct shared *s = arg;
	int fd = pm_attach(0, i % 2 ? PMUDEV_BIND_INHERIT : 0, &s->event, 1, true), child;
	static __u64 expected;
	__u64 count;

	if (not_there(fd)) {
		__atomic_fetch_add(&s->absent, 1, __ATOMIC_RELAXED);
		return -EAGAIN;
	}
	if (fd < 0)
		return fd;
	if (i % 3 == 2) {
		child = fork();
		if (!child)
			_exit(0);
		if (child_result(child))
			return -ECHILD;
	}
	set_loop(fd, WORK);
	count = set_loop(fd, WORK);
	close(fd);
	if (!expected)
		expected = count;
	if (count < WORK || (s->exact && count != expected)) {
		s->wrong.count = count;
		s->wrong.expected = expected;
		s->wrong.round = i;
		return -ERANGE;
	}
	__atomic_fetch_add(&s->counted, 1, __ATOMIC_RELAXED);
	return 0;
}

/* Two of them: one finds what the other has done. */
static int load_and_unload(void *arg, unsigned int i)
{
	int ret = i % 2 ? load_module() : unload_module();

	(void)arg;
	if (ret == -EAGAIN || ret == -EBUSY || ret == -EEXIST || ret == -ENOENT)
		return -EAGAIN;
	/* Time to use it. */
	if (i % 2)
		pause_ns(1000000);
	return ret;
}

static unsigned int loads(struct shared *s)
{
	return READ_ONCE(s->loader[0].times) + READ_ONCE(s->loader[1].times);
}

TEST_F_TIMEOUT(module_storm, under_users, 300)
{
	unsigned int i, times = storm_times(8);
	struct shared *s = storm_memory(sizeof(*s));

	ASSERT_NE(NULL, s);
	s->event = raw_event(steady_event(), USER_ONLY);
	s->exact = exact_instructions();
	for (i = 0; i < 3; i++) {
		s->user[i] = (struct disturbance){ .once = use, .arg = s };
		/* Long enough that there are moments at which it is not in use. */
		s->user[i].pause = (600000 + i * 200003) * (debug_kernel() ? 10 : 1);
		ASSERT_EQ(0, disturb_start(&s->user[i]));
	}
	for (i = 0; i < 2; i++) {
		s->loader[i] = (struct disturbance){ .once = load_and_unload };
		s->loader[i].pause = 100000 + i * 50021;
		ASSERT_EQ(0, disturb_start(&s->loader[i]));
	}
	EXPECT_TRUE(WAIT_FOR(loads(s) > times && READ_ONCE(s->counted) > times));
	for (i = 0; i < 2; i++)
		EXPECT_EQ(0, disturb_end(&s->loader[i]));
	for (i = 0; i < 3; i++)
		EXPECT_EQ(0, disturb_end(&s->user[i]))
	TH_LOG("%llu for %llu in round %u", s->wrong.count, s->wrong.expected, s->wrong.round);
	TH_LOG("loaded or unloaded %u times, %u counts, not there %u times", loads(s), s->counted,
	       s->absent);
	if (module_references() < 0)
		ASSERT_EQ(0, load_module());
	ASSERT_TRUE(WAIT_FOR(!unload_module()));
	check_gone(_metadata, self);
	ASSERT_EQ(0, load_module());
}

TEST_HARNESS_MAIN
