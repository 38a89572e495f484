// SPDX-License-Identifier: GPL-2.0
/*
 * No memory left: a process in a memory control group whose limit is what it has already. Whatever
 * it asks of the module is done, or refused with ENOMEM and done when it asks again with memory; a
 * child that could not be counted is told of; and what was counted before is counted on, to the
 * instruction. The kernel's own reports of such a group are no complaints.
 *
 * The process can neither be killed for the group's sake nor have a page fault: it is told instead.
 */
#include "cgroup.h"
#include "storm.h"
#include "kselftest_harness.h"

#include <fcntl.h>
#include <linux/sched.h>
#include <signal.h>
#include <sys/mman.h>

#define MOST 250 /* sets at a time: more than a group without memory has room for */
#define LOOP 2000

enum {
	OPEN,
	BIND,
	ADD,
	ENABLE,
	MAP,
	STEPS,
};

/* In shared memory, by the process. */
struct result {
	int line;
	long long value, bound;
	unsigned int sets, refused[STEPS];
	unsigned int counted, incomplete, unborn;
};

static struct result *result;
/* Files of the group. */
static int limit, high, usage;

#define CHECK(condition, value_, bound_)                   \
	do {                                               \
		if (!(condition)) {                        \
			result->value = value_;            \
			result->bound = bound_;            \
			result->line = __LINE__;           \
			raw_call(SYS_exit_group, 1, 0, 0); \
		}                                          \
	} while (0)

/* ------------------------------------------------------------------------- the limit -- */

static long to_file(int fd, const char *text, int len)
{
	return raw_call4(SYS_pwrite64, fd, (long)text, len, 0);
}

static void lift(void)
{
	CHECK(to_file(limit, "max", 3) == 3, 0, 0);
}

/* So many pages more than there are in use, and none in the CPUs' stocks. */
static void restrict_to(unsigned int pages)
{
	char text[32];
	int n;

	to_file(high, "4096", 4);
	CHECK(to_file(high, "max", 3) == 3, 0, 0);
	n = pread(usage, text, sizeof(text) - 1, 0);
	CHECK(n > 0, n, 0);
	text[n] = 0;
	n = snprintf(text, sizeof(text), "%ld", strtol(text, NULL, 10) + pages * PAGE_BYTES);
	CHECK(to_file(limit, text, n) == n, n, 0);
}

/* --------------------------------------------------------------------- what is asked -- */

static struct set {
	int fd;
	struct pmudev_page *page;
	int next; /* step */
} sets[MOST];

/* Many events, some of which take turns. */
static void make_events(struct pmudev_event_attr *events, unsigned int nr, __u32 flags)
{
	unsigned int i;

	for (i = 0; i < nr; i++)
		events[i] =
			in_group(raw_event(EVENT_CYCLES, flags | (i ? PMUDEV_MULTIPLEX : 0)), i);
}

/* One step more: 0 or -errno. */
static int go_on(struct set *s, __u32 flags)
{
	struct pmudev_event_attr events[24];
	int ret;

	switch (s->next) {
	case OPEN:
		s->fd = pm_open();
		return s->fd < 0 ? s->fd : 0;
	case BIND:
		return pm_bind(s->fd, PMUDEV_TARGET_TASK, 0, 0);
	case ADD:
		make_events(events, ARRAY_SIZE(events), flags);
		return pm_add(s->fd, events, ARRAY_SIZE(events));
	case ENABLE:
		/* There are not counters for all: on and off. */
		ret = pm_enable(s->fd, PMUDEV_ALL);
		return ret ? ret : pm_disable(s->fd, PMUDEV_ALL);
	default:
		if (!(flags & PMUDEV_USER_READ))
			return 0;
		s->page = pm_map(s->fd);
		return s->page ? 0 : -errno;
	}
}

static void check_window(int fd, __u64 expected)
{
	__u64 count = set_loop(fd, LOOP);

	if (exact_instructions())
		CHECK(count == expected, count, expected);
	CHECK(count >= LOOP, count, LOOP);
}

/* Sets until one is refused: which, or MOST. */
static unsigned int fill(__u32 flags)
{
	unsigned int nr;
	int ret;

	for (nr = 0; nr < MOST; nr++) {
		sets[nr] = (struct set){ .fd = -1 };
		for (; sets[nr].next < STEPS; sets[nr].next++) {
			ret = go_on(&sets[nr], flags);
			if (!ret)
				continue;
			CHECK(ret == -ENOMEM, ret, sets[nr].next);
			/* Opening and mapping ask the kernel for memory, too. */
			if (sets[nr].next != OPEN && sets[nr].next != MAP)
				CHECK(why.code == PMUDEV_WHY_MEMORY, why.code, sets[nr].next);
			return nr;
		}
	}
	return nr;
}

static void ask_for_sets(unsigned int round)
{
	struct pmudev_event_attr event = raw_event(steady_event(), USER_ONLY);
	__u32 flags = user_reads() ? DIRECT_READ : USER_ONLY;
	unsigned int nr, i;
	__u64 expected;
	int keep;

	keep = pm_set(&event, 1, true);
	CHECK(keep >= 0, keep, why.code);
	set_loop(keep, LOOP);
	expected = set_loop(keep, LOOP);
	restrict_to(round % 5);
	nr = fill(flags);
	check_window(keep, expected);
	lift();
	check_window(keep, expected);
	result->sets += nr;
	if (nr < MOST) {
		result->refused[sets[nr].next]++;
		/* What was refused changed nothing: it can be asked again. */
		for (; sets[nr].next < STEPS; sets[nr].next++)
			CHECK(!go_on(&sets[nr], flags), sets[nr].next, why.code);
		nr++;
	}
	for (i = 0; i < nr; i++) {
		if (sets[i].page)
			pm_unmap(sets[i].page);
		close(sets[i].fd);
	}
	check_window(keep, expected);
	close(keep);
}

/* -------------------------------------------------------------------------- children -- */

/* A child in the same memory that executes a loop: what the set counts meanwhile. */
static __attribute__((noinline)) __u64 with_child(int fd, __u32 *flags, long *child)
{
	union record before, after;

	memset(&after, 0, sizeof(after));
	if (raw_read(fd, &before) < 0)
		return 0;
	*child = raw_call4(SYS_clone, CLONE_VM | CLONE_VFORK | SIGCHLD, 0, 0, 0);
	if (!*child) {
		loop(LOOP);
		raw_call(SYS_exit_group, 0, 0, 0);
	}
	raw_call4(SYS_wait4, -1, 0, 0, 0);
	if (raw_read(fd, &after) < 0)
		return 0;
	*flags = after.r.flags;
	return after.r.counts[0].value - before.r.counts[0].value;
}

static __u64 count_child(__u32 bind_flags, int pages, __u32 *flags, long *child)
{
	struct pmudev_event_attr event = raw_event(steady_event(), USER_ONLY);
	int fd = pm_attach(0, bind_flags, &event, 1, true);
	__u64 count;

	CHECK(fd >= 0, fd, why.code);
	if (pages >= 0)
		restrict_to(pages);
	count = with_child(fd, flags, child);
	if (pages >= 0)
		lift();
	close(fd);
	return count;
}

/* Until there was and was not memory for one: how much the kernel has put by before differs. */
static void ask_for_children(unsigned int rounds)
{
	__u64 alone, both, count, expected;
	unsigned int i;
	__u32 flags;
	long child;

	count_child(PMUDEV_BIND_INHERIT, -1, &flags, &child);
	alone = count_child(0, -1, &flags, &child);
	both = count_child(PMUDEV_BIND_INHERIT, -1, &flags, &child);
	CHECK(both >= alone + LOOP, both, alone);
	for (i = 0; i < 20 * rounds; i++) {
		if (i >= rounds && result->unborn + result->incomplete && result->counted)
			break;
		count = count_child(PMUDEV_BIND_INHERIT, i % 24, &flags, &child);
		expected = child < 0 || flags & PMUDEV_RECORD_INCOMPLETE ? alone : both;
		if (exact_instructions())
			CHECK(count == expected, count, expected);
		CHECK(child > 0 || child == -ENOMEM || child == -EAGAIN, child, i);
		result->unborn += child < 0;
		result->incomplete += !!(flags & PMUDEV_RECORD_INCOMPLETE);
		result->counted += expected == both;
	}
}

/* ----------------------------------------------------------------------------- tests -- */

FIXTURE(memory_storm)
{
	struct cgroup group;
};

static int open_file(const struct cgroup *group, const char *file, int flags)
{
	char path[160];

	snprintf(path, sizeof(path), "%s/%s", group->path, file);
	return open(path, flags | O_CLOEXEC);
}

FIXTURE_SETUP(memory_storm)
{
	if (geteuid())
		SKIP(return, "needs root");
	if (cgroup_make(&self->group, "memory"))
		SKIP(return, "no memory control groups in this kernel (CONFIG_MEMCG)");
	ASSERT_EQ(0, set_user_access(true));
	result = storm_memory(sizeof(*result));
	ASSERT_NE(NULL, result);
	limit = open_file(&self->group, "memory.max", O_RDWR);
	high = open_file(&self->group, "memory.high", O_RDWR);
	usage = open_file(&self->group, "memory.current", O_RDONLY);
	ASSERT_TRUE(limit >= 0 && high >= 0 && usage >= 0);
	/* The kernel's reports are long enough. */
	write_file("/proc/sys/vm/oom_dump_tasks", "0");
}

FIXTURE_TEARDOWN(memory_storm)
{
	close(limit);
	close(high);
	close(usage);
	EXPECT_EQ(0, cgroup_end(&self->group));
	set_user_access(false);
	EXPECT_EQ(0, nothing_left());
}

/* In the group, with all its memory present and locked. */
static void enter(const struct cgroup *group)
{
	char room[64 * 1024];

	memset(room, 0, sizeof(room));
	barrier();
	CHECK(!write_file("/proc/self/oom_score_adj", "-1000"), errno, 0);
	CHECK(!cgroup_enter(group), errno, 0);
	CHECK(!mlockall(MCL_CURRENT), errno, 0);
}

TEST_F_TIMEOUT(memory_storm, sets, 300)
{
	unsigned int round, rounds = storm_times(8), refused = 0, i;
	int child = fork_bound();

	if (!child) {
		enter(&self->group);
		for (round = 0; round < rounds; round++)
			ask_for_sets(round);
		_exit(0);
	}
	EXPECT_EQ(0, child_result(child))
	TH_LOG("line %d: %lld, %lld", result->line, result->value, result->bound);
	for (i = 0; i < STEPS; i++)
		refused += result->refused[i];
	TH_LOG("%u sets in %u rounds; refused at open %u, bind %u, add %u, enable %u, map %u",
	       result->sets, rounds, result->refused[OPEN], result->refused[BIND],
	       result->refused[ADD], result->refused[ENABLE], result->refused[MAP]);
	EXPECT_EQ(rounds, refused);
}

TEST_F_TIMEOUT(memory_storm, children, 300)
{
	unsigned int rounds = storm_times(48);
	int child = fork_bound();

	if (!child) {
		enter(&self->group);
		ask_for_children(rounds);
		_exit(0);
	}
	EXPECT_EQ(0, child_result(child))
	TH_LOG("line %d: %lld, %lld", result->line, result->value, result->bound);
	TH_LOG("%u children counted, %u born without being counted, %u not born", result->counted,
	       result->incomplete, result->unborn);
	EXPECT_GT(result->counted, 0U);
	EXPECT_GT(result->unborn + result->incomplete, 0U);
}

TEST_HARNESS_MAIN
