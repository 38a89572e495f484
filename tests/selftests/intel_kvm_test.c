// SPDX-License-Identifier: GPL-2.0
/*
 * KVM comes and goes as a module, while sets want its guests told apart from the host: a made-up
 * one (tests/modules/fake_kvm.c), and the kernel's own as far as it loads without the hardware.
 */
#include "fake.h"
#include "kselftest_harness.h"

#if defined(__x86_64__)

#define IRQBYPASS_KO "/modules/irqbypass.ko"
#define KVM_KO	     "/modules/kvm.ko"

#define ROUNDS 10000ULL

/* A module in use. */
#define IN_USE (-EAGAIN)

static const struct pmudev_event_attr events[] = {
	{
		.type = PMUDEV_TYPE_RAW,
		.config = EVENT_INSTRUCTIONS,
		.flags = PMUDEV_EXCLUDE_USER | PMUDEV_EXCLUDE_HOST,
	},
	{
		.type = PMUDEV_TYPE_RAW,
		.config = EVENT_INSTRUCTIONS,
		.flags = PMUDEV_EXCLUDE_USER | PMUDEV_EXCLUDE_GUEST,
	},
};

FIXTURE(kvm)
{
	int fake;
	int fd;
};

FIXTURE_SETUP(kvm)
{
	self->fake = -1;
	self->fd = -1;
	if (fake_lacks())
		SKIP(return, "%s", fake_lacks());
	ASSERT_EQ(0, pin_to(0));
	ASSERT_TRUE(WAIT_FOR(!guests_watched()));
}

FIXTURE_TEARDOWN(kvm)
{
	if (self->fake >= 0)
		close(self->fake);
	if (self->fd >= 0)
		close(self->fd);
	fake_unload();
	unload_module_named("kvm");
	unload_module_named("irqbypass");
}

/* What a guest of ROUNDS counts now. */
static __u64 guest_count(struct __test_metadata *_metadata, int fd)
{
	__u64 before = pm_value(fd, 0);
	int fake = fake_open();

	EXPECT_EQ(0, fake_enter(fake, ROUNDS, 0));
	close(fake);
	return pm_value(fd, 0) - before;
}

/* A set is there before KVM, and when it goes, and when it comes again. */
TEST_F(kvm, comes_and_goes)
{
	__u64 count;
	int i;

	self->fd = pm_set(events, 2, true);
	ASSERT_GE(self->fd, 0);
	EXPECT_FALSE(guests_watched());
	for (i = 0; i < 3; i++) {
		ASSERT_EQ(0, fake_load());
		EXPECT_TRUE(guests_watched());
		count = guest_count(_metadata, self->fd);
		EXPECT_GE(count, LOOP_INSTRUCTIONS * ROUNDS);
		EXPECT_LT(count, 2 * LOOP_INSTRUCTIONS * ROUNDS);
		ASSERT_EQ(0, fake_unload());
		EXPECT_FALSE(guests_watched());
		count = pm_value(self->fd, 0);
		loop(100000);
		EXPECT_EQ(count, pm_value(self->fd, 0));
	}
}

/* The probes go a second after the last set that wants them, however often that is. */
TEST_F(kvm, probes_stay_a_second)
{
	__u64 end;
	int i, other;

	ASSERT_EQ(0, fake_load());
	EXPECT_FALSE(guests_watched());
	other = pm_set(events, 2, false);
	ASSERT_GE(other, 0);
	EXPECT_TRUE(guests_watched());
	self->fd = pm_set(events, 2, true);
	ASSERT_GE(self->fd, 0);
	close(other);
	/* The other one still wants them. */
	end = now_ns();
	while (now_ns() < end + 1500000000ULL)
		pause_ns(100000000);
	EXPECT_TRUE(guests_watched());
	EXPECT_GE(guest_count(_metadata, self->fd), LOOP_INSTRUCTIONS * ROUNDS);
	for (i = 0; i < 20; i++) {
		close(self->fd);
		EXPECT_TRUE(guests_watched());
		self->fd = pm_set(events, 2, true);
		ASSERT_GE(self->fd, 0);
	}
	/* Its events removed, or the set gone. */
	ASSERT_EQ(0, pm_disable(self->fd, 0));
	ASSERT_EQ(0, pm_remove(self->fd, 0));
	EXPECT_TRUE(guests_watched());
	ASSERT_TRUE(WAIT_FOR(!guests_watched()));
	close(self->fd);
	self->fd = pm_set(events, 2, false);
	close(self->fd);
	self->fd = -1;
	end = now_ns();
	EXPECT_TRUE(WAIT_FOR(!guests_watched()));
	EXPECT_GE(now_ns() - end, 900000000ULL);
}

/* While a guest may run its module stays, and ours while the guest's has nothing to do with it. */
TEST_F(kvm, stays_while_it_is_used)
{
	ASSERT_EQ(0, fake_load());
	self->fd = pm_set(events, 2, true);
	ASSERT_GE(self->fd, 0);
	self->fake = fake_open();
	ASSERT_GE(self->fake, 0);
	EXPECT_EQ(IN_USE, fake_unload());
	EXPECT_GE(guest_count(_metadata, self->fd), LOOP_INSTRUCTIONS * ROUNDS);
	/* The probes are in another module's code when ours goes. */
	close(self->fd);
	self->fd = -1;
	EXPECT_TRUE(guests_watched());
	EXPECT_EQ(0, unload_module());
	EXPECT_EQ(0, fake_enter(self->fake, ROUNDS, 0));
	EXPECT_EQ(0, load_module());
	self->fd = pm_set(events, 2, true);
	ASSERT_GE(self->fd, 0);
	EXPECT_GE(guest_count(_metadata, self->fd), LOOP_INSTRUCTIONS * ROUNDS);
}

/* Guests without end on each CPU, now and then on none. Who cannot enter one tries again. */
static void run_guests(int cpu)
{
	unsigned int i;
	int fake;

	pin_to(cpu);
	for (i = cpu;; i++) {
		fake = fake_open();
		if (fake >= 0)
			fake_enter(fake, 100, 0);
		close(fake);
		pause_ns(20000 + i % 7 * 100000);
	}
}

static int come_and_go(void)
{
	int i, ret;

	for (i = 0; i < 10; i++) {
		ret = fake_load();
		if (ret)
			return ret;
		pause_ns(1000000);
		while ((ret = fake_unload()) == IN_USE)
			pause_ns(10000);
		if (ret)
			return ret;
	}
	return 0;
}

/* All at once: the module comes and goes, guests are entered, sets come and go. */
TEST_F(kvm, storm)
{
	int cpus = cpus_online(), guests[16], mover, cpu, sets = 0;
	__u64 end = now_ns() + 20000000000ULL;

	ASSERT_LE(cpus, 16);
	for (cpu = 0; cpu < cpus; cpu++) {
		guests[cpu] = fork_bound();
		if (!guests[cpu])
			run_guests(cpu);
	}
	mover = fork_bound();
	if (!mover)
		_exit(!!come_and_go());
	for (; task_state(mover) != 'Z' && now_ns() < end; sets++) {
		self->fd = pm_set(events, 2, true);
		ASSERT_GE(self->fd, 0);
		pause_ns(sets % 17 * 10001);
		close(self->fd);
		self->fd = -1;
		/* Once the last of them is gone for long. */
		if (sets == 50)
			WAIT_FOR(!guests_watched());
	}
	EXPECT_EQ(0, child_result(mover));
	for (cpu = 0; cpu < cpus; cpu++)
		stop_child(guests[cpu]);
	EXPECT_GE(sets, 10);
	TH_LOG("%d sets", sets);
}

/* The kernel's own, which without the hardware has no guests: found, and told from another. */
TEST_F(kvm, the_real_one)
{
	if (access(KVM_KO, R_OK))
		SKIP(return, "needs the kernel's kvm.ko: scripts/setup 6.12-amd64");
	ASSERT_EQ(0, load_module_file(IRQBYPASS_KO));
	self->fd = pm_set(events, 2, true);
	ASSERT_GE(self->fd, 0);
	ASSERT_EQ(0, load_module_file(KVM_KO));
	EXPECT_TRUE(guests_watched());
	/* A second one of the kind is not what is watched, coming and going. */
	ASSERT_EQ(0, fake_load());
	EXPECT_TRUE(guests_watched());
	EXPECT_EQ(0ULL, guest_count(_metadata, self->fd));
	ASSERT_EQ(0, fake_unload());
	EXPECT_TRUE(guests_watched());
	close(self->fd);
	self->fd = -1;
	EXPECT_TRUE(WAIT_FOR(!guests_watched()));
	self->fd = pm_set(events, 2, true);
	ASSERT_GE(self->fd, 0);
	EXPECT_TRUE(guests_watched());
	ASSERT_EQ(0, unload_module_named("kvm"));
	EXPECT_FALSE(guests_watched());
}

#else

TEST(kvm)
{
	SKIP(return, "x86 only");
}

#endif

TEST_HARNESS_MAIN
