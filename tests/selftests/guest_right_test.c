// SPDX-License-Identifier: GPL-2.0
/*
 * The right to read of a thread that runs a vcpu: KVM saves the register that gives it and puts it
 * back, so whatever happens meanwhile to the thread's sets, others must not find it given.
 */
#include "guest_group.h"
#include "kselftest_harness.h"

#include <pthread.h>
#include <unistd.h>

struct runner {
	struct guest_vcpu *vcpu;
	bool own;      /* it opens the set itself */
	bool disabled; /* but does not enable it */
	int tid, fd, ret;
	int faults; /* all_fault(), when it is back */
	struct pmudev_page *page;
	pthread_t thread;
};

/* Counts in the guest as well: that is how others see that it is there. */
static struct pmudev_event_attr readable(void)
{
	return raw_event(EVENT_INSTRUCTIONS, DIRECT_READ);
}

static void *run(void *arg)
{
	struct runner *r = arg;
	struct pmudev_event_attr event = readable();

	r->ret = pin_to(0);
	if (!r->ret && r->own) {
		r->fd = pm_set(&event, 1, !r->disabled);
		r->page = r->fd < 0 ? NULL : pm_map(r->fd);
	}
	WRITE_ONCE(r->tid, gettid());
	if (!r->ret)
		r->ret = vcpu_run(r->vcpu);
	r->faults = all_fault();
	return NULL;
}

FIXTURE(guest_right)
{
	struct guest guest;
	struct runner runner;
	int keeper;
};

/* The test is on CPU 1, and the guest on CPU 0. */
FIXTURE_SETUP(guest_right)
{
	struct pmudev_event_attr event = readable();
	int ret;

	self->guest.vm = -1;
	self->runner.fd = -1;
	self->keeper = -1;
	if (cpus_online() < 2)
		SKIP(return, "needs two CPUs");
	ret = guest_open(&self->guest);
	if (ret == -ENOENT)
		SKIP(return, "needs /dev/kvm on arm64");
	ASSERT_EQ(0, ret);
	ASSERT_EQ(0, set_user_access(true));
	ASSERT_EQ(0, pin_to(1));
	/* The counters are not given back in between. */
	self->keeper = pm_set(&event, 1, true);
	ASSERT_GE(self->keeper, 0);
	self->runner.vcpu = &self->guest.vcpu[0];
	ASSERT_EQ(0, vcpu_set_work(self->runner.vcpu, (struct guest_work){ .el0 = GUEST_ENDLESS }));
}

FIXTURE_TEARDOWN(guest_right)
{
	if (self->guest.vm < 0)
		return;
	if (self->keeper >= 0)
		close(self->keeper);
	guest_close(&self->guest);
	set_user_access(false);
}

static void start(struct __test_metadata *_metadata, struct runner *r, bool own)
{
	r->own = own;
	ASSERT_EQ(0, pthread_create(&r->thread, NULL, run, r));
	ASSERT_TRUE(WAIT_FOR(READ_ONCE(r->tid)));
}

/* With a set of its own, mapped; it is in the guest now. */
static void start_with_own(struct __test_metadata *_metadata, struct runner *r)
{
	start(_metadata, r, true);
	ASSERT_NE(NULL, r->page);
	ASSERT_TRUE(count_grows(r->fd, 0));
}

static void end(struct __test_metadata *_metadata, struct runner *r)
{
	ASSERT_EQ(0, vcpu_interrupt(r->vcpu, r->tid));
	pthread_join(r->thread, NULL);
	EXPECT_EQ(-EINTR, r->ret);
}

/* Nobody counts this thread for user reads: it takes turns with the guest on its CPU. */
static void check_bystander(struct __test_metadata *_metadata)
{
	int i;

	ASSERT_EQ(0, pin_to(0));
	for (i = 0; i < 50; i++) {
		ASSERT_EQ(1, all_fault()) TH_LOG("look %d", i);
		sched_yield();
	}
	ASSERT_EQ(0, pin_to(1));
}

/* The last set of a thread goes while its guest runs; @look: before that is back in user mode. */
static void close_meanwhile(struct __test_metadata *_metadata, struct runner *r, bool look)
{
	pm_unmap(r->page);
	close(r->fd);
	if (look)
		check_bystander(_metadata);
	end(_metadata, r);
	EXPECT_EQ(1, r->faults);
	check_bystander(_metadata);
}

TEST_F(guest_right, closed_meanwhile)
{
	start_with_own(_metadata, &self->runner);
	close_meanwhile(_metadata, &self->runner, true);
}

/* It is back before it was switched out. */
TEST_F(guest_right, back_at_once)
{
	start_with_own(_metadata, &self->runner);
	close_meanwhile(_metadata, &self->runner, false);
}

/* The counters are given back as well. */
TEST_F(guest_right, last_of_all)
{
	start_with_own(_metadata, &self->runner);
	close(self->keeper);
	self->keeper = -1;
	close_meanwhile(_metadata, &self->runner, true);
}

/*
 * The counters are given back while the guest runs, and its thread's own set, which is mapped, was
 * never enabled.
 */
static void give_back(struct __test_metadata *_metadata, struct runner *r, int *keeper)
{
	struct pmudev_event_attr event = readable();
	int fd;

	r->disabled = true;
	start(_metadata, r, true);
	ASSERT_NE(NULL, r->page);
	fd = pm_attach(r->tid, 0, &event, 1, true);
	ASSERT_GE(fd, 0);
	ASSERT_TRUE(count_grows(fd, 0));
	close(fd);
	close(*keeper);
	*keeper = -1;
}

TEST_F(guest_right, given_back_meanwhile)
{
	struct runner *r = &self->runner;

	give_back(_metadata, r, &self->keeper);
	end(_metadata, r);
	EXPECT_EQ(1, r->faults);
	check_bystander(_metadata);
	pm_unmap(r->page);
	close(r->fd);
}

/* As before, and somebody takes the counters again, all while the guest runs. */
TEST_F(guest_right, taken_again_meanwhile)
{
	struct pmudev_event_attr event = readable();
	struct runner *r = &self->runner;
	struct pmudev_query query;

	give_back(_metadata, r, &self->keeper);
	ASSERT_TRUE(WAIT_FOR(!pm_query(&query) && !(query.state & PMUDEV_STATE_RESERVED)));
	self->keeper = pm_set(&event, 1, true);
	ASSERT_GE(self->keeper, 0);
	end(_metadata, r);
	check_bystander(_metadata);
	pm_unmap(r->page);
	close(r->fd);
	check_bystander(_metadata);
}

/* Of a thread whose page another thread unmaps, and maps again. */
TEST_F(guest_right, unmapped_meanwhile)
{
	struct runner *r = &self->runner;
	int i;

	start_with_own(_metadata, r);
	for (i = 0; i < 5; i++) {
		pm_unmap(r->page);
		check_bystander(_metadata);
		r->page = pm_map(r->fd);
		ASSERT_NE(NULL, r->page);
		check_bystander(_metadata);
	}
	end(_metadata, r);
	check_bystander(_metadata);
	pm_unmap(r->page);
	close(r->fd);
}

/* A set that another thread has bound to it, and mapped. */
TEST_F(guest_right, bound_meanwhile)
{
	struct pmudev_event_attr event = readable();
	struct runner *r = &self->runner;

	start(_metadata, r, false);
	r->fd = pm_attach(r->tid, 0, &event, 1, true);
	ASSERT_GE(r->fd, 0);
	ASSERT_TRUE(count_grows(r->fd, 0));
	r->page = pm_map(r->fd);
	ASSERT_NE(NULL, r->page);
	check_bystander(_metadata);
	ASSERT_TRUE(count_grows(r->fd, 0));
	check_bystander(_metadata);
	end(_metadata, r);
	check_bystander(_metadata);
	pm_unmap(r->page);
	close(r->fd);
}

TEST_HARNESS_MAIN
