// SPDX-License-Identifier: GPL-2.0
/*
 * Sets are bound to tasks that are just forking, executing, ending, and closed while these are.
 * What each call answers is luck; that it answers with an errno of the contract, that no target is
 * the worse for it and that nothing stays held is not. The kernel's log, searched after every
 * program, tells the rest.
 */
#include "subject.h"
#include "kselftest_harness.h"

#include <dirent.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/wait.h>

#define TARGETS	  3
#define ATTACHERS 3
#define ATTEMPTS  (debug_kernel() ? 150 : few(600))

struct shared {
	bool stop;
	int wrong;  /* the first answer that is not in the contract */
	int failed; /* what went wrong with a target: a line */
	unsigned int lives[TARGETS];
	unsigned int bound, refused;
};

FIXTURE(churn)
{
	struct shared *shared;
	int target[TARGETS];
	int attacher[ATTACHERS];
};

/* ------------------------------------------------------------------------ targets -- */

static void *short_thread(void *arg)
{
	loop(*(__u64 *)arg % 3000 + 1);
	return NULL;
}

#define FAIL()                                                 \
	do {                                                   \
		WRITE_ONCE(shared->failed, __LINE__);          \
		_exit(1);                                      \
	} while (0)

/* Threads, children that end, that execute, that have threads: one after the other. */
static void live(struct shared *shared, int me)
{
	pthread_t thread[4];
	__u64 seed = me + 1;
	int i, child;

	while (!READ_ONCE(shared->stop)) {
		seed = seed * 6364136223846793005ULL + 1442695040888963407ULL;
		for (i = 0; i < 4; i++)
			if (pthread_create(&thread[i], NULL, short_thread, &seed))
				FAIL();
		child = seed >> 60 & 1 ? vfork() : fork();
		if (child < 0)
			FAIL();
		if (!child) {
			if (seed >> 61 & 1)
				execl("/proc/self/exe", "churn_test", "--loop", NULL);
			_exit(0);
		}
		for (i = 0; i < 4; i++)
			pthread_join(thread[i], NULL);
		if (child_result(child))
			FAIL();
		__atomic_fetch_add(&shared->lives[me], 1, __ATOMIC_RELAXED);
		if (seed >> 59 & 1)
			pause_ns(seed >> 40 & 0x7fff);
	}
	_exit(0);
}

/* ---------------------------------------------------------------------- attachers -- */

/* Some thread of the process, or one that it has made. */
static int some_task(int pid, unsigned int which)
{
	char path[64];
	struct dirent *entry;
	int tid = pid;
	DIR *dir;

	if (which % 3 == 0)
		return pid;
	/* What it will make next, or has just made. */
	if (which % 3 == 1)
		return pid + which / 3 % 64;
	snprintf(path, sizeof(path), "/proc/%d/task", pid);
	dir = opendir(path);
	while (dir && (entry = readdir(dir)))
		if (atoi(entry->d_name))
			tid = atoi(entry->d_name);
	if (dir)
		closedir(dir);
	return tid;
}

static bool in_the_contract(int ret)
{
	return ret >= 0 || ret == -ESRCH || ret == -EBUSY || ret == -EINVAL || ret == -EPERM;
}

static int attempt(int target, unsigned int seed)
{
	static const __u32 flags[] = { 0, PMUDEV_BIND_INHERIT, PMUDEV_BIND_ON_EXEC,
				       PMUDEV_BIND_INHERIT | PMUDEV_BIND_ON_EXEC };
	struct pmudev_event_attr events[2] = {
		raw_event(EVENT_CYCLES, USER_ONLY),
		in_group(raw_event(EVENT_CYCLES, USER_ONLY), 1),
	};
	bool process = seed >> 3 & 1;
	int fd = pm_open(), ret, i;
	union record r;
	__u64 last = 0;

	if (fd < 0)
		return fd;
	if (seed >> 4 & 1)
		events[1].flags |= PMUDEV_MULTIPLEX;
	ret = pm_bind(fd, process ? PMUDEV_TARGET_PROCESS : PMUDEV_TARGET_TASK,
		      process ? target : some_task(target, seed >> 8), flags[seed & 3]);
	if (!ret)
		ret = pm_add(fd, events, 2);
	if (!ret)
		ret = pm_enable(fd, PMUDEV_ALL);
	for (i = 0; i < (int)(seed >> 5 & 7) && !ret; i++) {
		ret = pm_read(fd, &r);
		if (!ret && r.r.counts[0].value < last)
			ret = -ERANGE;
		last = r.r.counts[0].value;
		pause_ns(seed >> 10 & 0xffff);
		if (!ret && seed >> 6 & 1)
			ret = i & 1 ? pm_enable(fd, 1) : pm_disable(fd, 1);
	}
	close(fd);
	return ret;
}

static void attach_on_and_on(struct shared *shared, const int *target, unsigned int seed)
{
	int i, ret;

	for (i = 0; i < ATTEMPTS; i++) {
		seed = seed * 1103515245 + 12345;
		ret = attempt(target[(seed >> 16) % TARGETS], seed >> 4);
		if (!in_the_contract(ret) && !shared->wrong)
			WRITE_ONCE(shared->wrong, ret);
		__atomic_fetch_add(ret ? &shared->refused : &shared->bound, 1, __ATOMIC_RELAXED);
	}
	_exit(0);
}

/* -------------------------------------------------------------------------- tests -- */

FIXTURE_SETUP(churn)
{
	int i;

	self->shared = mmap(NULL, sizeof(*self->shared), PROT_READ | PROT_WRITE,
			    MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	ASSERT_NE(MAP_FAILED, self->shared);
	for (i = 0; i < TARGETS; i++) {
		self->target[i] = fork_bound();
		if (!self->target[i])
			live(self->shared, i);
	}
}

FIXTURE_TEARDOWN(churn)
{
	struct pmudev_query query;
	int i;

	for (i = 0; i < TARGETS; i++)
		stop_child(self->target[i]);
	EXPECT_TRUE(WAIT_FOR(!pm_query(&query) && !(query.state & PMUDEV_STATE_RESERVED)));
	EXPECT_EQ(0ULL, query.busy);
}

static void start_attachers(struct _test_data_churn *self)
{
	int i;

	for (i = 0; i < ATTACHERS; i++) {
		self->attacher[i] = fork_bound();
		if (!self->attacher[i])
			attach_on_and_on(self->shared, self->target, i + 1);
	}
}

TEST_F_TIMEOUT(churn, attached_while_they_live, 120)
{
	int i;

	start_attachers(self);
	for (i = 0; i < ATTACHERS; i++)
		EXPECT_EQ(0, child_result(self->attacher[i]));
	WRITE_ONCE(self->shared->stop, true);
	for (i = 0; i < TARGETS; i++) {
		EXPECT_EQ(0, child_result(self->target[i])) TH_LOG("line %d", self->shared->failed);
		self->target[i] = 0;
		EXPECT_GT(self->shared->lives[i], (unsigned int)few(10));
	}
	EXPECT_EQ(0, self->shared->wrong);
	TH_LOG("%u went through, %u were refused", self->shared->bound, self->shared->refused);
	EXPECT_GT(self->shared->bound, (unsigned int)ATTEMPTS / 4);
}

/* The attachers are killed in the midst of it, and the targets, too. */
TEST_F_TIMEOUT(churn, killed_in_the_midst, 120)
{
	unsigned int before;
	int i, round;

	for (round = 0; round < few(10); round++) {
		before = READ_ONCE(self->shared->bound);
		start_attachers(self);
		EXPECT_TRUE(WAIT_FOR(READ_ONCE(self->shared->bound) > before + 3));
		pause_ns(round * 999983 + 1);
		i = round % TARGETS;
		stop_child(self->target[i]);
		self->target[i] = fork_bound();
		if (!self->target[i])
			live(self->shared, i);
		for (i = 0; i < ATTACHERS; i++)
			stop_child(self->attacher[i]);
	}
	EXPECT_EQ(0, self->shared->wrong);
	EXPECT_EQ(0, self->shared->failed);
}

int main(int argc, char **argv)
{
	if (argc > 1 && !strcmp(argv[1], "--loop")) {
		loop(1000);
		_exit(0);
	}
	return test_harness_run(argc, argv);
}
