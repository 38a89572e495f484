// SPDX-License-Identifier: GPL-2.0
/*
 * AMD's guest-only and host-only counters by perf's exclude_host and exclude_guest: a guest under
 * KVM, whose instructions are known to the unit, on the first CPU and on the last.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <linux/kvm.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "perf_test.h"

#define CODE_AT 0x1000

/* Up to HLT, which is intercepted and does not retire. */
#define GUEST_INSNS(n) (2 * (uint64_t)(n) + 1)

static struct {
	int vm, vcpu;
	long run_size;
	struct kvm_run *run;
	uint8_t *code;
} guest;

static int need(const char *what, int ret)
{
	if (ret < 0) {
		printf("# no guest: ");
		fflush(stdout);
		perror(what);
		exit(1);
	}
	return ret;
}

/* In real mode: MOV n to ECX, DEC and JNZ, HLT. */
static void write_code(uint32_t n)
{
	static const uint8_t code[] = { 0x66, 0xb9, 0, 0, 0, 0, 0x66, 0x49, 0x75, 0xfc, 0xf4 };

	memcpy(guest.code, code, sizeof(code));
	memcpy(guest.code + 2, &n, sizeof(n));
}

static void make_guest(void)
{
	struct kvm_userspace_memory_region region = { .guest_phys_addr = CODE_AT,
						      .memory_size = 4096 };
	int kvm = need("/dev/kvm", open("/dev/kvm", O_RDWR));

	guest.run_size = need("the size of a run", ioctl(kvm, KVM_GET_VCPU_MMAP_SIZE, 0));
	guest.vm = need("a machine", ioctl(kvm, KVM_CREATE_VM, 0));
	guest.code = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	region.userspace_addr = (uintptr_t)guest.code;
	need("memory", ioctl(guest.vm, KVM_SET_USER_MEMORY_REGION, &region));
	guest.vcpu = need("a CPU", ioctl(guest.vm, KVM_CREATE_VCPU, 0));
	guest.run = mmap(NULL, guest.run_size, PROT_READ | PROT_WRITE, MAP_SHARED, guest.vcpu, 0);
	need("a run", guest.run == MAP_FAILED ? -1 : 0);
	close(kvm);
}

static void free_guest(void)
{
	munmap(guest.run, guest.run_size);
	munmap(guest.code, 4096);
	close(guest.vcpu);
	close(guest.vm);
}

/* From its first instruction to HLT. */
static void reset_guest(uint32_t n)
{
	struct kvm_regs regs = { .rip = CODE_AT, .rflags = 2 };
	struct kvm_sregs sregs;

	write_code(n);
	need("its segments", ioctl(guest.vcpu, KVM_GET_SREGS, &sregs));
	sregs.cs.base = 0;
	sregs.cs.selector = 0;
	need("its segments", ioctl(guest.vcpu, KVM_SET_SREGS, &sregs));
	need("its registers", ioctl(guest.vcpu, KVM_SET_REGS, &regs));
}

enum {
	GUEST = 1,
	HOST = 2,
	KERNEL = 4
};

static int open_event(uint64_t config, int where, uint64_t period)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_HARDWARE,
		.size = sizeof(attr),
		.config = config,
		.sample_period = period,
		.disabled = 1,
		.pinned = 1,
		.exclude_kernel = !(where & KERNEL),
		.exclude_host = !(where & HOST),
		.exclude_guest = !(where & GUEST),
	};

	return need("an event", syscall(SYS_perf_event_open, &attr, 0, -1, -1, 0));
}

static uint64_t count_event(int fd, uint32_t n)
{
	uint64_t val;

	reset_guest(n);
	ioctl(fd, PERF_EVENT_IOC_ENABLE, 0);
	need("the guest", ioctl(guest.vcpu, KVM_RUN, 0));
	ioctl(fd, PERF_EVENT_IOC_DISABLE, 0);
	if (guest.run->exit_reason != KVM_EXIT_HLT)
		equal("the guest ends with HLT", guest.run->exit_reason, KVM_EXIT_HLT);
	return read(fd, &val, sizeof(val)) == sizeof(val) ? val : ~0ULL;
}

static uint64_t count(uint64_t config, int where, uint32_t n)
{
	int fd = open_event(config, where, 0);
	uint64_t val = count_event(fd, n);

	close(fd);
	return val;
}

static void test_counts(uint32_t n)
{
	uint64_t insns = GUEST_INSNS(n);

	equal("guest only: its instructions", count(PERF_COUNT_HW_INSTRUCTIONS, GUEST | KERNEL, n),
	      insns);
	equal("    branches", count(PERF_COUNT_HW_BRANCH_INSTRUCTIONS, GUEST | KERNEL, n), n);
	equal("    cycles", count(PERF_COUNT_HW_CPU_CYCLES, GUEST | KERNEL, n),
	      option("core") * insns);
	equal("    in user mode none", count(PERF_COUNT_HW_INSTRUCTIONS, GUEST, n), 0);
	check("guest and host are more",
	      count(PERF_COUNT_HW_INSTRUCTIONS, GUEST | HOST | KERNEL, n) > insns);
}

/* What the host's user mode executes depends on nothing that the guest does. */
static void test_host(void)
{
	uint64_t few = count(PERF_COUNT_HW_INSTRUCTIONS, HOST, 10);

	check("host only: user mode", few > 10 && few < 1000);
	equal("    the same beside a longer guest", count(PERF_COUNT_HW_INSTRUCTIONS, HOST, 100000),
	      few);
	equal("    and if the guest may count: it has no user mode",
	      count(PERF_COUNT_HW_INSTRUCTIONS, HOST | GUEST, 100000), few);
}

static void test_samples(void)
{
	const uint64_t period = 5000;
	const uint32_t n = 500000;
	int fd = open_event(PERF_COUNT_HW_INSTRUCTIONS, GUEST | KERNEL, period);
	struct perf_event_mmap_page *page =
		mmap(NULL, 65 * 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);

	need("a ring", page == MAP_FAILED ? -1 : 0);
	equal("guest only, with samples: its instructions", count_event(fd, n), GUEST_INSNS(n));
	equal("    one sample in each period", count_samples(page), GUEST_INSNS(n) / period);
	munmap(page, 65 * 4096);
	close(fd);
}

void test_guests(void)
{
	int cpu, last = option("cpus") - 1;

	for (cpu = 0; cpu <= last; cpu += last ? last : 1) {
		use_cpu(cpu);
		make_guest();
		test_counts(1000);
		test_counts(300000);
		test_host();
		test_samples();
		free_guest();
	}
}
