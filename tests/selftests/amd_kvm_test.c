// SPDX-License-Identifier: GPL-2.0
/*
 * Real guests: KVM runs one in the emulated AMD machine, whose instructions are known to the unit.
 * Events for the guest or the host only are told apart by the selector's bits alone.
 */
#include "common.h"
#include "kselftest_harness.h"

#if defined(__x86_64__)

#include <fcntl.h>
#include <linux/kvm.h>
#include <sys/ioctl.h>
#include <sys/mman.h>

#define IRQBYPASS_KO "/modules/irqbypass.ko"
#define KVM_KO	     "/modules/kvm.ko"
#define KVM_AMD_KO   "/modules/kvm-amd.ko"
#define MEDIATED     "/sys/module/kvm_amd/parameters/enable_mediated_pmu"

#define CODE 0x1000 /* where the guest's code is */
#define ROOM 0x1000

/* From real mode's first instruction up to HLT, which is intercepted and does not retire. */
#define GUEST_INSTRUCTIONS(n) (1 + 2 * (__u64)(n))

#define KERNEL PMUDEV_EXCLUDE_USER

FIXTURE(kvm)
{
	unsigned int version;
	int vm, vcpu;
	__u8 *code;
	struct kvm_run *run;
	size_t run_size;
};

static void unload(void)
{
	unload_module_named("kvm_amd");
	unload_module_named("kvm");
	unload_module_named("irqbypass");
}

static void end_guest(struct _test_data_kvm *self)
{
	if (self->run)
		munmap(self->run, self->run_size);
	if (self->code)
		munmap(self->code, ROOM);
	if (self->vcpu >= 0)
		close(self->vcpu);
	if (self->vm >= 0)
		close(self->vm);
	self->run = NULL;
	self->code = NULL;
	self->vcpu = -1;
	self->vm = -1;
}

FIXTURE_SETUP(kvm)
{
	struct pmudev_query query;

	self->vm = -1;
	self->vcpu = -1;
	ASSERT_EQ(0, pm_query(&query));
	self->version = query.arch_version;
	if (!exact_instructions())
		SKIP(return, "instructions are not counted exactly here (PMUDEV_EXACT)");
	if (access(KVM_AMD_KO, R_OK))
		SKIP(return, "no kvm-amd.ko");
	unload();
}

FIXTURE_TEARDOWN(kvm)
{
	end_guest(self);
	unload();
}

static void load_kvm(struct __test_metadata *_metadata, const char *args)
{
	if (!access(IRQBYPASS_KO, R_OK))
		ASSERT_EQ(0, load_module_file(IRQBYPASS_KO));
	ASSERT_EQ(0, load_module_file(KVM_KO));
	ASSERT_EQ(0, load_module_with(KVM_AMD_KO, args));
	ASSERT_TRUE(WAIT_FOR(!access("/dev/kvm", R_OK | W_OK)));
}

static void make_guest(struct __test_metadata *_metadata, struct _test_data_kvm *self, bool apic)
{
	struct kvm_enable_cap split = { .cap = KVM_CAP_SPLIT_IRQCHIP, .args = { 24 } };
	struct kvm_userspace_memory_region region = { .guest_phys_addr = CODE,
						      .memory_size = ROOM };
	int kvm = open("/dev/kvm", O_RDWR | O_CLOEXEC);

	ASSERT_GE(kvm, 0);
	self->run_size = ioctl(kvm, KVM_GET_VCPU_MMAP_SIZE, 0);
	self->vm = ioctl(kvm, KVM_CREATE_VM, 0);
	close(kvm);
	ASSERT_GE(self->vm, 0);
	if (apic)
		ASSERT_EQ(0, ioctl(self->vm, KVM_ENABLE_CAP, &split));
	self->code = mmap(NULL, ROOM, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	ASSERT_NE(MAP_FAILED, (void *)self->code);
	region.userspace_addr = (unsigned long)self->code;
	ASSERT_EQ(0, ioctl(self->vm, KVM_SET_USER_MEMORY_REGION, &region));
	self->vcpu = ioctl(self->vm, KVM_CREATE_VCPU, 0);
	ASSERT_GE(self->vcpu, 0);
	self->run = mmap(NULL, self->run_size, PROT_READ | PROT_WRITE, MAP_SHARED, self->vcpu, 0);
	ASSERT_NE(MAP_FAILED, (void *)self->run);
}

/* movl $n, %ecx; 1: decl %ecx; jnz 1b; hlt */
static void run_guest(struct __test_metadata *_metadata, struct _test_data_kvm *self, __u32 n)
{
	static const __u8 code[] = { 0x66, 0xb9, 0, 0, 0, 0, 0x66, 0x49, 0x75, 0xfc, 0xf4 };
	struct kvm_regs regs = { .rip = CODE, .rflags = 2 };
	struct kvm_sregs sregs;
	unsigned int i;

	for (i = 0; i < sizeof(code); i++)
		self->code[i] = code[i];
	for (i = 0; i < 4; i++)
		self->code[2 + i] = n >> 8 * i;
	ASSERT_EQ(0, ioctl(self->vcpu, KVM_GET_SREGS, &sregs));
	sregs.cs.base = 0;
	sregs.cs.selector = 0;
	ASSERT_EQ(0, ioctl(self->vcpu, KVM_SET_SREGS, &sregs));
	ASSERT_EQ(0, ioctl(self->vcpu, KVM_SET_REGS, &regs));
	do {
		i = ioctl(self->vcpu, KVM_RUN, 0);
	} while (i && errno == EINTR);
	ASSERT_EQ(0U, i);
	ASSERT_EQ((__u32)KVM_EXIT_HLT, self->run->exit_reason);
}

/* Guests only, the host only, both: the first is exact, and the sum of two is the third. */
TEST_F(kvm, guest_and_host)
{
	const struct pmudev_event_attr events[] = {
		raw_event(EVENT_INSTRUCTIONS, KERNEL | PMUDEV_EXCLUDE_HOST),
		raw_event(EVENT_INSTRUCTIONS, KERNEL | PMUDEV_EXCLUDE_GUEST),
		raw_event(EVENT_INSTRUCTIONS, KERNEL),
		raw_event(EVENT_BRANCHES, KERNEL | PMUDEV_EXCLUDE_HOST),
	};
	static const __u32 rounds[] = { 1, 1000, 1000000, 3000000 };
	union record before, after;
	__u64 count[4];
	unsigned int i, j;
	int fd;

	load_kvm(_metadata, "");
	make_guest(_metadata, self, false);
	/* The first one brings in the pages. */
	run_guest(_metadata, self, 10);
	fd = pm_set(events, ARRAY_SIZE(events), true);
	ASSERT_GE(fd, 0);
	for (i = 0; i < ARRAY_SIZE(rounds); i++) {
		ASSERT_EQ(0, pm_read(fd, &before));
		run_guest(_metadata, self, rounds[i]);
		ASSERT_EQ(0, pm_read(fd, &after));
		for (j = 0; j < ARRAY_SIZE(count); j++)
			count[j] = after.r.counts[j].value - before.r.counts[j].value;
		EXPECT_EQ(GUEST_INSTRUCTIONS(rounds[i]), count[0]);
		EXPECT_EQ(rounds[i], count[3]);
		EXPECT_LT(0ULL, count[1]);
		/* Without a global register, counters are not read or started at once. */
		if (self->version >= 2)
			EXPECT_EQ(count[0] + count[1], count[2]);
	}
	close(fd);
}

/* A set is there before virtual machines, with them, and after. */
TEST_F(kvm, virtualization_comes_and_goes)
{
	const struct pmudev_event_attr events[] = {
		raw_event(EVENT_INSTRUCTIONS, USER_ONLY | PMUDEV_EXCLUDE_GUEST),
		raw_event(EVENT_INSTRUCTIONS, USER_ONLY),
		raw_event(EVENT_INSTRUCTIONS, USER_ONLY | PMUDEV_EXCLUDE_HOST),
		raw_event(EVENT_INSTRUCTIONS, KERNEL | PMUDEV_EXCLUDE_HOST),
	};
	unsigned int round;
	__u64 before;
	union record r;
	int fd;

	fd = pm_set(events, ARRAY_SIZE(events), true);
	ASSERT_GE(fd, 0);
	for (round = 0; round < 3; round++) {
		ASSERT_EQ(0, pm_read(fd, &r));
		EXPECT_EQ(r.r.counts[0].value, r.r.counts[1].value);
		load_kvm(_metadata, "");
		make_guest(_metadata, self, false);
		ASSERT_EQ(0, pm_read(fd, &r));
		EXPECT_EQ(r.r.counts[0].value, r.r.counts[1].value);
		EXPECT_EQ(0ULL, r.r.counts[2].value);
		before = r.r.counts[3].value;
		run_guest(_metadata, self, 1000);
		ASSERT_EQ(0, pm_read(fd, &r));
		EXPECT_EQ(r.r.counts[0].value, r.r.counts[1].value);
		EXPECT_EQ(GUEST_INSTRUCTIONS(1000), r.r.counts[3].value - before);
		end_guest(self);
		ASSERT_TRUE(WAIT_FOR(!unload_module_named("kvm_amd")));
		unload();
		loop(1000);
		ASSERT_EQ(0, pm_read(fd, &r));
		EXPECT_EQ(r.r.counts[0].value, r.r.counts[1].value);
	}
	EXPECT_LT(3000ULL * LOOP_INSTRUCTIONS, r.r.counts[0].value);
	close(fd);
}

/* Counters that no set uses are still 0 when KVM has turned virtualization on or off. */
TEST_F(kvm, unused_counters_stay_clear)
{
	struct pmudev_event_attr attr = raw_event(EVENT_INSTRUCTIONS, DIRECT_READ | PMUDEV_COUNTER);
	struct pmudev_event_attr other = raw_event(EVENT_INSTRUCTIONS, KERNEL | PMUDEV_COUNTER);
	struct pmudev_page *page;
	int fd, fd2;

	if (!user_reads())
		SKIP(return, NO_USER_READS);
	ASSERT_EQ(0, set_user_access(true));
	other.counter = 3;
	fd2 = pm_set(&other, 1, true);
	ASSERT_GE(fd2, 0);
	ASSERT_EQ(0, pm_disable(fd2, 0));
	fd = pm_set(&attr, 1, true);
	ASSERT_GE(fd, 0);
	page = pm_map(fd);
	ASSERT_NE(NULL, page);
	ASSERT_FALSE(counter_faults(3));
	EXPECT_EQ(0ULL, counter(3));
	load_kvm(_metadata, "");
	make_guest(_metadata, self, false);
	EXPECT_EQ(0ULL, counter(3));
	run_guest(_metadata, self, 1000);
	EXPECT_EQ(0ULL, counter(3));
	pm_unmap(page);
	close(fd);
	close(fd2);
	set_user_access(false);
}

/* A mediated vPMU (Linux 7.2): a virtual machine has the PMU itself, and nobody else gets it. */
TEST_F(kvm, a_guest_that_has_the_pmu)
{
	struct pmudev_event_attr attr = raw_event(EVENT_INSTRUCTIONS, USER_ONLY);
	int fd;

	load_kvm(_metadata, "enable_mediated_pmu=1");
	if (!has_word(MEDIATED, "Y"))
		SKIP(return, "KVM has no mediated vPMU on this kernel or PMU");
	/* One with a local APIC has it. */
	make_guest(_metadata, self, true);
	EXPECT_REFUSED(EBUSY, PMUDEV_WHY_PMU_HELD, pm_set(&attr, 1, true));
	EXPECT_EQ((__u32)PMUDEV_HOLDER_HYPERVISOR, why.holder.kind);
	ASSERT_TRUE(WAIT_FOR(!unload_module()));
	EXPECT_EQ(-EOPNOTSUPP, load_module());
	end_guest(self);
	ASSERT_EQ(0, load_module());
	fd = pm_set(&attr, 1, true);
	EXPECT_LE(0, fd);
	close(fd);
}

#else

TEST(kvm)
{
	SKIP(return, "x86 only");
}

#endif

TEST_HARNESS_MAIN
