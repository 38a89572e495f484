// SPDX-License-Identifier: GPL-2.0
/*
 * Memory control groups: what sets take is charged to who makes them, and given back with them;
 * where a group has no more the call is refused, and nobody is killed, in that group or another.
 */
#include "as.h"
#include "cgroup.h"
#include "quota.h"
#include "sleepers.h"
#include "subject.h"
#include "kselftest_harness.h"

#include <stdio.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>

#define NO_MEMCG "no memory control groups in this kernel (CONFIG_MEMCG)"
#define SETS	 400
#define EVENTS	 PMUDEV_MAX_EVENTS
/* What is charged beforehand, to a CPU, and given back later. */
#define SLACK (1 << 20)

FIXTURE(memcg)
{
	struct cgroup group;
	mode_t mode;
};

FIXTURE_SETUP(memcg)
{
	const struct rlimit many = { 4 * SETS, 4 * SETS };
	const struct rlimit all = { RLIM_INFINITY, RLIM_INFINITY };

	if (geteuid())
		SKIP(return, "needs root");
	if (cgroup_make(&self->group, "memory"))
		SKIP(return, NO_MEMCG);
	ASSERT_EQ(0, open_to_all(&self->mode));
	ASSERT_EQ(0, set_user_access(true));
	ASSERT_EQ(0, setrlimit(RLIMIT_NOFILE, &many));
	ASSERT_EQ(0, setrlimit(RLIMIT_MEMLOCK, &all));
}

FIXTURE_TEARDOWN(memcg)
{
	struct pmudev_query query;

	chmod(PMUDEV_DEVICE, self->mode);
	set_user_access(false);
	EXPECT_EQ(0, cgroup_end(&self->group));
	EXPECT_TRUE(WAIT_FOR(!pm_query(&query) && !(query.state & PMUDEV_STATE_RESERVED)));
	EXPECT_EQ(0ULL, query.busy);
}

/* ---------------------------------------------------------------- orders for a subject -- */

static const struct cgroup *group;

static long enter_as_nobody(long capability)
{
	int ret = cgroup_enter(group);

	return ret ? ret : become(NOBODY, capability);
}

static int fd[SETS];
static struct pmudev_page *page[SETS];

static long open_sets(long nr)
{
	while (nr--) {
		fd[nr] = pm_open();
		if (fd[nr] < 0)
			return fd[nr];
	}
	return 0;
}

static long bind_sets(long nr)
{
	int ret = 0;

	while (!ret && nr--)
		ret = pm_bind(fd[nr], PMUDEV_TARGET_TASK, 0, 0);
	return ret;
}

static struct pmudev_event_attr events[EVENTS];

/* The sets from the first on: how many got their events before one did not, for want of memory. */
static long fill_from(long first)
{
	long i;
	int ret;

	for (i = first; i < SETS; i++) {
		ret = pm_add(fd[i], events, EVENTS);
		if (ret)
			return ret == -ENOMEM && why.code == PMUDEV_WHY_MEMORY ? i - first : ret;
	}
	return SETS - first;
}

static long empty_last(long last)
{
	int group_, ret = 0;

	for (group_ = 0; !ret && group_ < EVENTS; group_++)
		ret = pm_remove(fd[last], group_);
	return ret;
}

static long map_sets(long nr)
{
	while (nr--) {
		page[nr] = pm_map(fd[nr]);
		/* A page is charged when it is made, and not again for being looked at. */
		if (!page[nr] || page[nr]->nr_slots != EVENTS)
			return -errno;
	}
	return 0;
}

static long close_sets(long nr)
{
	while (nr--) {
		if (page[nr])
			pm_unmap(page[nr]);
		close(fd[nr]);
	}
	return 0;
}

/* All that it has is in memory, and what it will have. */
static long stay_in_memory(long flags)
{
	return mlockall(flags) ? -errno : 0;
}

static long current_of(const struct cgroup *in)
{
	return cgroup_read(in, "memory.current", NULL);
}

static int start(struct __test_metadata *_metadata, struct subject *s, const struct cgroup *in)
{
	__u32 flags = user_reads() ? DIRECT_READ : USER_ONLY;
	int i;

	group = in;
	for (i = 0; i < EVENTS; i++)
		events[i] = in_group(raw_event(EVENT_CYCLES, flags), i);
	ASSERT_EQ(0, subject_fork(s));
	return subject_do(s, enter_as_nobody, -1);
}

/* ---------------------------------------------------------------------------- the tests -- */

TEST_F(memcg, charged_and_given_back)
{
	/* An open file and the set in it; 60 of 64 events; the page. */
	const long least = SETS * (1024 + 60 * 64 + (user_reads() ? 4096 : 0));
	struct subject s;
	long before, with;

	ASSERT_EQ(0, start(_metadata, &s, &self->group));
	ASSERT_EQ(0, subject_do(&s, stay_in_memory, MCL_CURRENT));
	before = current_of(&self->group);
	ASSERT_GE(before, 0);
	ASSERT_EQ(0, subject_do(&s, open_sets, SETS));
	ASSERT_EQ(0, subject_do(&s, bind_sets, SETS));
	ASSERT_EQ(SETS, subject_do(&s, fill_from, 0));
	if (user_reads())
		ASSERT_EQ(0, subject_do(&s, map_sets, SETS));
	with = current_of(&self->group) - before;
	TH_LOG("%d sets: %ld bytes each", SETS, with / SETS);
	EXPECT_GE(with, least - SLACK / 4);
	if (!debug_kernel())
		EXPECT_LE(with, 2 * least);
	ASSERT_EQ(0, subject_do(&s, close_sets, SETS));
	EXPECT_TRUE(WAIT_FOR(current_of(&self->group) <= before + SLACK));
	EXPECT_EQ(0, subject_end(&s));
}

/* 400 sets of 64 events take 1.5 MiB more than without; there is a third of that. */
TEST_F(memcg, no_more_than_there_is)
{
	struct pmudev_event_attr event = raw_event(EVENT_CYCLES, USER_ONLY);
	char limit[32];
	struct subject s;
	long had;
	int own;

	ASSERT_EQ(0, start(_metadata, &s, &self->group));
	ASSERT_EQ(0, subject_do(&s, open_sets, SETS));
	ASSERT_EQ(0, subject_do(&s, bind_sets, SETS));
	/* The last as a trial: nothing is the first time from now on. */
	ASSERT_EQ(1, subject_do(&s, fill_from, SETS - 1));
	ASSERT_EQ(0, subject_do(&s, stay_in_memory, MCL_CURRENT | MCL_FUTURE));
	snprintf(limit, sizeof(limit), "%ld", current_of(&self->group) + (512 << 10));
	ASSERT_EQ(0, cgroup_write(&self->group, "memory.max", limit));
	had = subject_do(&s, fill_from, 0);
	TH_LOG("%ld of %d had their events", had, SETS);
	EXPECT_GT(had, 10);
	ASSERT_LT(had, SETS - 2);
	EXPECT_EQ(0, cgroup_read(&self->group, "memory.events", "oom_kill"));
	/* Others have what they had. */
	own = pm_set(&event, 1, true);
	EXPECT_GE(own, 0);
	loop(1000);
	EXPECT_GE(pm_value(own, 0), 1000ULL);
	close(own);
	/* What was refused has changed nothing: it can be had as soon as there is memory. */
	ASSERT_EQ(0, cgroup_write(&self->group, "memory.max", "max"));
	ASSERT_EQ(0, subject_do(&s, empty_last, SETS - 1));
	EXPECT_EQ(SETS - had, subject_do(&s, fill_from, had));
	EXPECT_EQ(0, subject_do(&s, close_sets, SETS));
	EXPECT_EQ(0, subject_end(&s));
}

/* ------------------------------------------------------ room that is to be made -- */

/* Threads whose parts are more than is charged beforehand, to a CPU: about 1 MiB. */
#define CROWD 400
/* What the group can give back as soon as somebody waits for it. */
#define FREEABLE (16 << 20)

static struct subject target;

static long start_crowd(long nr)
{
	return sleepers_start(nr);
}

/* Another process of the same user, with many threads. */
static long have_target(long nr)
{
	/* Who has changed user is not dumpable until it says so. */
	int ret = prctl(PR_SET_DUMPABLE, 1) ? -errno : subject_fork(&target);

	return ret ? ret : subject_do(&target, start_crowd, nr);
}

/* Written to, and not wanted any more: without swap, too, it is given back when it is asked for. */
static long fill_lazily(long size)
{
	char *memory = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	long i;

	if (memory == MAP_FAILED)
		return -errno;
	for (i = 0; i < size; i += 4096)
		WRITE_ONCE(memory[i], 1);
	return madvise(memory, size, MADV_FREE) ? -errno : 0;
}

static long bind_target(long nr)
{
	return pm_bind(fd[nr], PMUDEV_TARGET_PROCESS, target.pid, 0);
}

static long end_target(long unused)
{
	(void)unused;
	return subject_end(&target);
}

/*
 * Of a group at its limit that has what it can do without. While another process is bound nobody
 * waits for memory; before that it may take as long as it takes.
 */
TEST_F(memcg, room_is_made_for_others)
{
	char limit[32];
	struct subject s;

	ASSERT_EQ(0, allow_sleepers());
	ASSERT_EQ(0, start(_metadata, &s, &self->group));
	ASSERT_EQ(0, subject_do(&s, have_target, CROWD));
	ASSERT_EQ(0, subject_do(&s, open_sets, 2));
	ASSERT_EQ(0, subject_do(&s, fill_lazily, FREEABLE));
	snprintf(limit, sizeof(limit), "%ld", current_of(&self->group));
	ASSERT_EQ(0, cgroup_write(&self->group, "memory.max", limit));
	EXPECT_EQ(0, subject_do(&s, bind_target, 0));
	EXPECT_EQ(0, cgroup_read(&self->group, "memory.events", "oom_kill"));
	ASSERT_EQ(0, cgroup_write(&self->group, "memory.max", "max"));
	ASSERT_EQ(0, subject_do(&s, close_sets, 2));
	ASSERT_EQ(0, subject_do(&s, end_target, 0));
	EXPECT_EQ(0, subject_end(&s));
}

/* ------------------------------------------------------- children that come and go -- */

/* Sets that each child inherits, and children one after the other: 100 MB of parts in all. */
#define INHERITED 64
#define CHILDREN  200
/* What the sets and one child take, of the limit; of its parts, as many more may wait for RCU. */
#define ROOM	(2 * INHERITED)
#define WAITING 256
/* A child's part in a set of 64 events takes no more. */
#define PART 10240

static long inherit_sets(long nr)
{
	int i, ret = 0;

	for (i = 0; i < EVENTS; i++)
		events[i].flags = USER_ONLY;
	while (nr-- && !ret) {
		fd[nr] = pm_attach(0, PMUDEV_BIND_INHERIT, events, EVENTS, false);
		ret = fd[nr] < 0 ? fd[nr] : 0;
	}
	return ret;
}

static long have_children(long nr)
{
	int child, status;

	while (nr--) {
		child = vfork();
		if (!child)
			_exit(0);
		if (child < 0 || waitpid(child, &status, 0) != child || status)
			return -ECHILD;
	}
	return 0;
}

static bool misses_some(int fd_)
{
	union record record;

	return pm_read(fd_, &record) || record.r.flags & PMUDEV_RECORD_INCOMPLETE;
}

static long any_misses_some(long nr)
{
	while (nr--)
		if (misses_some(fd[nr]))
			return 1;
	return 0;
}

/*
 * What children leave behind is freed when RCU lets it. There is no more of it than the limit
 * allows, whether children are counted (@limit has room for one) or are one too many.
 */
static void come_and_go(struct __test_metadata *_metadata, struct _test_data_memcg *self,
			long limit)
{
	const long most = limit + (limit > WAITING ? limit : WAITING);
	long before, alone, peak;
	struct subject s;

	ASSERT_EQ(0, start(_metadata, &s, &self->group));
	ASSERT_EQ(0, subject_do(&s, stay_in_memory, MCL_CURRENT));
	ASSERT_EQ(0, subject_do(&s, have_children, CHILDREN));
	alone = cgroup_read(&self->group, "memory.peak", NULL);
	if (alone < 0)
		SKIP(subject_end(&s); return, "this kernel does not keep the peak");
	ASSERT_EQ(0, set_limit(limit));
	ASSERT_EQ(0, subject_do(&s, inherit_sets, INHERITED));
	before = current_of(&self->group);
	ASSERT_EQ(0, subject_do(&s, have_children, CHILDREN));
	peak = cgroup_read(&self->group, "memory.peak", NULL);
	TH_LOG("children alone: %ld KiB; before %ld, peak %ld KiB, at most %ld of parts%s",
	       alone >> 10, before >> 10, peak >> 10, most * PART >> 10,
	       subject_do(&s, any_misses_some, INHERITED) ? "; some were not counted" : "");
	if (before < alone)
		before = alone;
	if (!debug_kernel())
		EXPECT_LE(peak, before + most * PART + SLACK);
	ASSERT_EQ(0, subject_do(&s, close_sets, INHERITED));
	EXPECT_EQ(0, subject_end(&s));
}

TEST_F(memcg, children_that_come_and_go)
{
	long limit = read_number(LIMIT);

	come_and_go(_metadata, self, ROOM);
	EXPECT_EQ(0, set_limit(limit));
}

/* Not counted, and nothing is kept of the attempt. */
TEST_F(memcg, children_beyond_the_limit)
{
	long limit = read_number(LIMIT);

	come_and_go(_metadata, self, INHERITED);
	EXPECT_EQ(0, set_limit(limit));
}

TEST_HARNESS_MAIN
