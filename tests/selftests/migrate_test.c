// SPDX-License-Identifier: GPL-2.0
/*
 * A thread is moved from CPU to CPU a thousand times, and its count is right to the instruction.
 * Where an emulator counts the instructions of all its CPUs in one, there are invariants that do
 * not depend on it: cycles are nanoseconds there, so that the time a thread had a CPU is a second
 * account of the same thing, from above and from below.
 */
#include "common.h"
#include "kselftest_harness.h"

#include <pthread.h>

#define MIGRATIONS 1000
#define N	   500

/*
 * What a move may cost the account in the kernel: the code between the clock's and the counter's
 * reading at both ends, in nanoseconds. A lost or doubled stretch is the length of a whole round.
 */
#define SLACK_NS (debug_kernel() ? 1600 : 400)

FIXTURE(migrate)
{
	int cpus;
	int cpu[CPU_SETSIZE];
};

FIXTURE_SETUP(migrate)
{
	cpu_set_t set;
	int i;

	if (cpus_online() < 2)
		SKIP(return, "needs two CPUs");
	ASSERT_EQ(0, sched_getaffinity(0, sizeof(set), &set));
	for (i = 0; i < CPU_SETSIZE; i++)
		if (CPU_ISSET(i, &set))
			self->cpu[self->cpus++] = i;
	ASSERT_EQ(0, set_user_access(true));
}

FIXTURE_TEARDOWN(migrate)
{
	set_user_access(false);
}

static int move(struct _test_data_migrate *self, int i)
{
	int to = self->cpu[i % self->cpus];
	int ret = pin_to(to);

	return ret ? ret : sched_getcpu() == to ? 0 : -ESTALE;
}

/* Nothing runs backwards, nothing is missing, and direct reads lie between calls. */
TEST_F(migrate, thousand_times)
{
	struct pmudev_event_attr events[] = {
		raw_event(EVENT_CYCLES, DIRECT_READ),
		raw_event(EVENT_CYCLES, USER_ONLY),
		raw_event(EVENT_CYCLES, PMUDEV_EXCLUDE_USER | PMUDEV_EXCLUDE_HV),
		raw_event(EVENT_CYCLES, PMUDEV_EXCLUDE_HV),
	};
	__u64 last = 0, direct = 0, start, end;
	unsigned int fallbacks = 0;
	union record first, r;
	struct reader reader;
	bool is_direct;
	int fd, i, slot;

	fd = pm_set(events, 4, true);
	ASSERT_GE(fd, 0);
	reader = reader_of(pm_map(fd));
	ASSERT_NE(NULL, reader.page);
	start = now_ns();
	ASSERT_EQ(0, pm_read(fd, &first));
	for (i = 0; i < MIGRATIONS; i++) {
		ASSERT_EQ(0, move(self, i));
		loop(N);
		ASSERT_EQ(0, pm_read(fd, &r));
		ASSERT_GT(r.r.counts[0].value, last + N);
		ASSERT_EQ(0, read_either(fd, &reader, 0, &direct, &is_direct));
		ASSERT_GE(direct, r.r.counts[0].value);
		fallbacks += !is_direct;
		ASSERT_EQ(0, pm_read(fd, &r));
		ASSERT_GE(r.r.counts[0].value, direct);
		last = r.r.counts[0].value;
	}
	end = now_ns();
	/* The page is good on every CPU: the owner runs whenever it looks. */
	EXPECT_EQ(0U, fallbacks);
	EXPECT_GE(last - first.r.counts[0].value, (__u64)N * MIGRATIONS);
	for (slot = 0; slot < 4; slot++)
		EXPECT_EQ(r.r.counts[slot].time_enabled, r.r.counts[slot].time_running);
	EXPECT_LE(r.r.time_enabled - first.r.time_enabled, end - start);
	if (!emulated())
		return;
	/* Two counters on one event, in user mode: both, or neither, saw every instruction. */
	EXPECT_EQ(r.r.counts[0].value, r.r.counts[1].value);
	EXPECT_LE(r.r.counts[0].value - first.r.counts[0].value, EMULATED_CYCLES * (end - start));
}

/*
 * User and kernel add up to both, and both to the time that the thread had a CPU, over the whole of
 * the thousand moves.
 */
TEST_F(migrate, accounts_agree)
{
	struct pmudev_event_attr events[] = {
		raw_event(EVENT_CYCLES, USER_ONLY),
		raw_event(EVENT_CYCLES, PMUDEV_EXCLUDE_USER | PMUDEV_EXCLUDE_HV),
		raw_event(EVENT_CYCLES, PMUDEV_EXCLUDE_HV),
	};
	__s64 user, kernel, both, ran;
	union record first, r;
	int fd, i;

	if (!emulated())
		SKIP(return, "needs the emulator, whose cycles are nanoseconds");
	fd = pm_set(events, 3, true);
	ASSERT_GE(fd, 0);
	ASSERT_EQ(0, pm_read(fd, &first));
	for (i = 0; i < MIGRATIONS; i++) {
		ASSERT_EQ(0, move(self, i));
		loop(N);
	}
	ASSERT_EQ(0, pm_read(fd, &r));
	user = r.r.counts[0].value - first.r.counts[0].value;
	kernel = r.r.counts[1].value - first.r.counts[1].value;
	both = r.r.counts[2].value - first.r.counts[2].value;
	ran = r.r.time_running - first.r.time_running;
	TH_LOG("user %lld + kernel %lld, both %lld, ran %lld ns", user, kernel, both, ran);
	EXPECT_GE(user, (__s64)N * MIGRATIONS);
	/* The three are stopped and started together, and read in the same order at both ends. */
	EXPECT_GE(both, user + kernel - MIGRATIONS);
	EXPECT_LE(both, user + kernel + MIGRATIONS);
	EXPECT_LE(both, EMULATED_CYCLES * (ran + SLACK_NS * MIGRATIONS));
	/* A CPU's own cycles stand still while the emulator has others run. */
	if (!exact_instructions())
		EXPECT_GE(both, ran - SLACK_NS * MIGRATIONS);
	close(fd);
}

/* ------------------------------------------------------------ to the instruction -- */

struct traveller {
	pthread_t thread;
	int fd;
	int moves;
	int cpus; /* places in masks[], one after another */
	cpu_set_t masks[8];
	__u32 cpu[8];
	/* results */
	int error;
	__u64 count[2];
	__u64 step[MIGRATIONS];
};

/* Another CPU and a loop: the same instructions wherever it goes, and if it stays. */
static inline __attribute__((always_inline)) long travel(struct traveller *t, int i)
{
	__u32 cpu = ~0U;
	long ret = raw_call(SYS_sched_setaffinity, 0, sizeof(t->masks[0]),
			    (long)&t->masks[i % t->cpus]);

	ret |= raw_call(SYS_getcpu, (long)&cpu, 0, 0);
	loop(N);
	return ret | (cpu ^ t->cpu[i % t->cpus]);
}

static __attribute__((noinline)) void whole_journey(struct traveller *t)
{
	union record before, after;
	long error;
	int i;

	memset(&after, 0, sizeof(after));
	travel(t, 0);
	error = raw_read(t->fd, &before) < 0;
	for (i = 0; i < t->moves; i++)
		error |= travel(t, i + 1);
	error |= raw_read(t->fd, &after) < 0;
	t->error = error ? -EIO : 0;
	for (i = 0; i < 2; i++)
		t->count[i] = after.r.counts[i].value - before.r.counts[i].value;
}

/* Steps that were not read in one go are 0. */
static __attribute__((noinline)) void step_by_step(struct traveller *t, struct reader *reader)
{
	__u64 before = 0, after = 0;
	long error = 0;
	int i;

	memset(t->step, 0, sizeof(t->step));
	travel(t, 0);
	for (i = 0; i < t->moves; i++) {
		reader->retries = 0;
		error |= direct_read(reader, 0, &before);
		error |= travel(t, i + 1);
		error |= direct_read(reader, 0, &after);
		if (!reader->retries)
			t->step[i] = after - before;
	}
	t->error = error ? -EIO : 0;
}

static const struct pmudev_event_attr twice[] = {
	{ .type = PMUDEV_TYPE_RAW, .flags = DIRECT_READ, .config = EVENT_INSTRUCTIONS },
	{ .type = PMUDEV_TYPE_RAW, .flags = DIRECT_READ, .config = EVENT_INSTRUCTIONS },
};

static void plan(struct traveller *t, struct _test_data_migrate *self, int first, int cpus)
{
	int i;

	t->moves = MIGRATIONS;
	t->cpus = cpus;
	for (i = 0; i < cpus; i++) {
		t->cpu[i] = self->cpu[(first + i) % self->cpus];
		CPU_ZERO(&t->masks[i]);
		CPU_SET(t->cpu[i], &t->masks[i]);
	}
}

TEST_F(migrate, exactly)
{
	static struct traveller stays, moves;
	__u64 step = 0;
	struct reader reader;
	int i, missed = 0;

	if (!exact_instructions())
		SKIP(return, "instructions are not counted exactly here (PMUDEV_EXACT)");
	plan(&stays, self, 0, 1);
	plan(&moves, self, 0, self->cpus < 8 ? self->cpus : 8);
	moves.fd = pm_set(twice, 2, true);
	ASSERT_GE(moves.fd, 0);
	stays.fd = moves.fd;
	/* The first one also brings in its pages. */
	whole_journey(&stays);
	whole_journey(&stays);
	ASSERT_EQ(0, stays.error);
	whole_journey(&moves);
	ASSERT_EQ(0, moves.error);
	for (i = 0; i < 2; i++) {
		EXPECT_GT(stays.count[i], (__u64)MIGRATIONS * N * LOOP_INSTRUCTIONS);
		EXPECT_EQ(stays.count[0], stays.count[i]);
		EXPECT_EQ(stays.count[0], moves.count[i]);
	}

	reader = reader_of(pm_map(moves.fd));
	ASSERT_NE(NULL, reader.page);
	step_by_step(&stays, &reader);
	step_by_step(&stays, &reader);
	ASSERT_EQ(0, stays.error);
	step_by_step(&moves, &reader);
	ASSERT_EQ(0, moves.error);
	for (i = 0; i < MIGRATIONS; i++) {
		if (!step)
			step = stays.step[i];
		missed += !moves.step[i];
		if (moves.step[i])
			ASSERT_EQ(step, moves.step[i]) TH_LOG("step %d", i);
		if (stays.step[i])
			ASSERT_EQ(step, stays.step[i]) TH_LOG("step %d, staying", i);
	}
	EXPECT_LT(missed, MIGRATIONS / 10);
	close(moves.fd);
}

static void *travel_along(void *arg)
{
	struct traveller *t = arg;

	t->fd = pm_set(twice, 2, true);
	t->error = t->fd;
	if (t->fd < 0)
		return NULL;
	t->moves /= 4;
	whole_journey(t);
	close(t->fd);
	return NULL;
}

/* As many travellers as CPUs, always coming where another one has just been. */
TEST_F(migrate, exactly_all_at_once)
{
	static struct traveller t[8];
	int i, n = self->cpus < 8 ? self->cpus : 8;

	if (!exact_instructions())
		SKIP(return, "instructions are not counted exactly here (PMUDEV_EXACT)");
	for (i = 0; i < n; i++) {
		plan(&t[i], self, i, n);
		ASSERT_EQ(0, pthread_create(&t[i].thread, NULL, travel_along, &t[i]));
	}
	for (i = 0; i < n; i++) {
		ASSERT_EQ(0, pthread_join(t[i].thread, NULL));
		ASSERT_EQ(0, t[i].error);
		EXPECT_GT(t[i].count[0], (__u64)t[i].moves * N * LOOP_INSTRUCTIONS);
		EXPECT_EQ(t[0].count[0], t[i].count[0]);
		EXPECT_EQ(t[i].count[0], t[i].count[1]);
	}
}

/* Moved by the scheduler, as it likes, against others that want the CPUs too. */
TEST_F(migrate, among_others)
{
	struct pmudev_event_attr event = raw_event(EVENT_CYCLES, DIRECT_READ);
	__u64 value, last = 0;
	struct reader reader;
	int children[16];
	int fd, i, n = self->cpus < 8 ? self->cpus + 1 : 9;

	for (i = 0; i < n; i++) {
		children[i] = fork_bound();
		if (!children[i])
			for (;;) {
				loop(20000);
				sched_yield();
			}
	}
	fd = pm_set(&event, 1, true);
	ASSERT_GE(fd, 0);
	reader = reader_of(pm_map(fd));
	ASSERT_NE(NULL, reader.page);
	for (i = 0; i < 300; i++) {
		loop(5000);
		sched_yield();
		ASSERT_EQ(0, read_either(fd, &reader, 0, &value, NULL));
		ASSERT_GE(value, last + 5000);
		last = value;
	}
	for (i = 0; i < n; i++)
		stop_child(children[i]);
	close(fd);
}

/* Others read a set whose owner keeps moving: asked where it is, it may have left already. */
struct moving {
	struct _test_data_migrate *self;
	int fd, error;
	bool started, stop;
};

static void *keep_moving(void *arg)
{
	struct pmudev_event_attr event = raw_event(EVENT_CYCLES, USER_ONLY);
	struct moving *moving = arg;
	int i;

	moving->fd = pm_set(&event, 1, true);
	__atomic_store_n(&moving->started, true, __ATOMIC_RELEASE);
	for (i = 0; !READ_ONCE(moving->stop) && !moving->error; i++) {
		moving->error = move(moving->self, i);
		loop(100);
	}
	return NULL;
}

TEST_F(migrate, read_by_others_on_the_way)
{
	struct moving moving = { .self = self };
	pthread_t thread;
	union record r;
	__u64 last = 0, moves = 0;
	int i;

	ASSERT_EQ(0, pthread_create(&thread, NULL, keep_moving, &moving));
	ASSERT_TRUE(WAIT_FOR(__atomic_load_n(&moving.started, __ATOMIC_ACQUIRE)));
	ASSERT_GE(moving.fd, 0);
	for (i = 0; i < 2000; i++) {
		if (pm_read(moving.fd, &r)) {
			moves = ~0ULL;
			break;
		}
		if (r.r.counts[0].value < last || r.r.time_running != r.r.time_enabled)
			moves = ~0ULL;
		last = r.r.counts[0].value;
		/* The next one at any moment of a move. */
		pause_ns(i * 997 % 9001);
	}
	WRITE_ONCE(moving.stop, true);
	ASSERT_EQ(0, pthread_join(thread, NULL));
	EXPECT_EQ(0, moving.error);
	EXPECT_EQ(0ULL, moves);
	EXPECT_GT(last, 0ULL);
	close(moving.fd);
}

TEST_HARNESS_MAIN
