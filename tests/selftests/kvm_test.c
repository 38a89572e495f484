// SPDX-License-Identifier: GPL-2.0
/*
 * A reader and a guest of KVM's on one CPU. While a vcpu is loaded on a VHE host, PMUSERENR_EL0 is
 * KVM's: a reader that comes after has its right all the same, and a thread that is both falls
 * back where it has not.
 */
#include "direct.h"
#include "disturb.h"
#include "guest.h"
#include "kselftest_harness.h"

#include <sys/mman.h>

#define ROUNDS (debug_kernel() ? 300 : 2000)

struct shared {
	struct guest guest;
	struct disturbance other;
};

FIXTURE(kvm)
{
	struct shared *shared;
	struct pmudev_page *page;
	int fd;
	struct reader reader;
};

/* -------------------------------------------------------------- who is disturbing -- */

/* A guest on the reader's CPU, which has it whenever the reader does not want it. */
static int run_guest(void *arg, unsigned int i)
{
	struct guest *guest = arg;

	if (i)
		return guest_run(guest);
	nice(39);
	return guest_open(guest);
}

/* Somebody who wakes up on the vcpu's CPU, with counters of its own. */
static int run_other(void *arg, unsigned int i)
{
	struct pmudev_event_attr event = raw_event(EVENT_CYCLES, USER_ONLY);
	static int fd = -1;

	(void)arg;
	if (!i)
		fd = pm_set(&event, 1, true);
	loop(500);
	return fd < 0 ? fd : 0;
}

static void start_other(struct __test_metadata *_metadata, struct _test_data_kvm *self,
			int (*once)(void *arg, unsigned int i), __u64 pause)
{
	self->shared->other = (struct disturbance){
		.once = once,
		.arg = &self->shared->guest,
		.pause = pause,
	};
	ASSERT_EQ(0, disturb_start(&self->shared->other));
	ASSERT_TRUE(WAIT_FOR(READ_ONCE(self->shared->other.times) > 1 ||
			     READ_ONCE(self->shared->other.wrong)));
}

static void end_other(struct __test_metadata *_metadata, struct _test_data_kvm *self)
{
	EXPECT_EQ(0, disturb_end(&self->shared->other));
}

FIXTURE_SETUP(kvm)
{
	struct guest guest;
	int ret;

	self->fd = -1;
	ret = guest_open(&guest);
	if (ret == -ENOENT)
		SKIP(return, "needs /dev/kvm on arm64");
	ASSERT_EQ(0, ret);
	/* It does what it should. */
	EXPECT_EQ(0, guest_run(&guest));
	EXPECT_EQ(0, guest_run(&guest));
	guest_close(&guest);
	self->shared = mmap(NULL, sizeof(*self->shared), PROT_READ | PROT_WRITE,
			    MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	ASSERT_NE(MAP_FAILED, self->shared);
	ASSERT_EQ(0, pin_to(0));
	ASSERT_EQ(0, set_user_access(true));
}

FIXTURE_TEARDOWN(kvm)
{
	if (self->shared && self->shared->other.pid)
		stop_child(self->shared->other.pid);
	if (self->page)
		pm_unmap(self->page);
	if (self->fd >= 0)
		close(self->fd);
	set_user_access(false);
}

static void start_reading(struct __test_metadata *_metadata, struct _test_data_kvm *self,
			  struct pmudev_event_attr event)
{
	self->fd = pm_set(&event, 1, true);
	ASSERT_GE(self->fd, 0);
	self->page = pm_map(self->fd);
	ASSERT_NE(NULL, self->page);
	self->reader = reader_of(self->page);
}

/* --------------------------------------------------------------------- tests -- */

/*
 * It is the guest that is preempted, most of the time in the guest's code: each measurement begins
 * when a pause ends. None is off by one, and none falls back.
 */
TEST_F(kvm, reader_beside_a_guest)
{
	const unsigned int least = ROUNDS / (debug_kernel() ? 30 : 10);
	unsigned int exits = 0, before;
	__u64 count, first = 0;
	int i;

	start_other(_metadata, self, run_guest, 10);
	start_reading(_metadata, self, raw_event(steady_event(), DIRECT_READ));
	before = READ_ONCE(self->shared->other.times);
	/* Longer where the guest seldom has its turn. */
	for (i = 0; i < ROUNDS || (exits < least && i < 20 * ROUNDS); i++) {
		ASSERT_EQ(0, measure_direct(&self->reader, 0, 100, &count));
		if (!i || !exact_instructions())
			first = count;
		ASSERT_EQ(first, count) TH_LOG("round %d", i);
		pause_ns(10000 + i % 17 * 1001);
		exits = READ_ONCE(self->shared->other.times) - before;
	}
	TH_LOG("%u exits in %d rounds", exits, i);
	EXPECT_GE(exits, least);
	end_other(_metadata, self);
}

/* Preempted in the guest, the thread has its right again when KVM_RUN returns. */
TEST_F(kvm, vcpu_thread_reads)
{
	unsigned int direct = 0, calls = 0, i;
	union record before, after;
	struct guest guest;
	bool is_direct;
	__u64 value;

	start_other(_metadata, self, run_other, 30000);
	start_reading(_metadata, self, raw_event(EVENT_CYCLES, DIRECT_READ));
	ASSERT_EQ(0, guest_open(&guest));
	for (i = 0; i < ROUNDS; i++) {
		ASSERT_EQ(0, guest_run(&guest));
		ASSERT_EQ(0, pm_read(self->fd, &before));
		ASSERT_EQ(0, read_either(self->fd, &self->reader, 0, &value, &is_direct));
		ASSERT_EQ(0, pm_read(self->fd, &after));
		ASSERT_GT(value, before.r.counts[0].value);
		ASSERT_LT(value, after.r.counts[0].value);
		direct += is_direct;
		calls += !is_direct;
		/* A switch in user mode, and the right is back. */
		if (i % 8 == 7) {
			pause_ns(1000);
			ASSERT_EQ(0, direct_read(&self->reader, 0, &value));
		}
	}
	TH_LOG("%u direct, %u by call", direct, calls);
	EXPECT_EQ((unsigned int)ROUNDS, direct);
	end_other(_metadata, self);
	guest_close(&guest);
}

/* A bare read does not fault either. */
TEST_F(kvm, vcpu_thread_reads_bare)
{
	unsigned int faults = 0, lost = 0, i;
	struct guest guest;
	__u32 seq;
	bool mine, fault;

	start_other(_metadata, self, run_other, 30000);
	start_reading(_metadata, self, bare_event(true, DIRECT_FLAGS));
	ASSERT_EQ(0, guest_open(&guest));
	for (i = 0; i < ROUNDS; i++) {
		ASSERT_EQ(0, guest_run(&guest));
		do {
			seq = READ_ONCE(self->page->seq);
			mine = READ_ONCE(self->page->owner) == self->reader.tid;
			fault = counter_faults(FIXED_OPERAND);
		} while (seq != READ_ONCE(self->page->seq));
		/* What the page says holds. */
		ASSERT_FALSE(mine && fault);
		faults += fault;
		lost += !mine;
		if (i % 8 == 7) {
			pause_ns(1000);
			ASSERT_FALSE(counter_faults(FIXED_OPERAND));
		}
	}
	TH_LOG("not the owner %u times, %u faults", lost, faults);
	EXPECT_EQ(0U, lost);
	EXPECT_EQ(0U, faults);
	end_other(_metadata, self);
	guest_close(&guest);
}

TEST_HARNESS_MAIN
