// SPDX-License-Identifier: GPL-2.0
#include "guest.h"

#ifdef __aarch64__

#include <errno.h>
#include <fcntl.h>
#include <linux/kvm.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "common.h"
#include "guest_code.h"

#define MEMORY 65536
#define KICK   SIGUSR2

#define CORE_REG(name) \
	(KVM_REG_ARM64 | KVM_REG_SIZE_U64 | KVM_REG_ARM_CORE | KVM_REG_ARM_CORE_REG(name))
#define GENERAL_REG(n) (CORE_REG(regs.regs[0]) + (n) * (sizeof(__u64) / sizeof(__u32)))

static int set_reg(struct guest_vcpu *v, __u64 id, __u64 value)
{
	struct kvm_one_reg reg = { .id = id, .addr = (uintptr_t)&value };

	return ioctl(v->fd, KVM_SET_ONE_REG, &reg) ? -errno : 0;
}

static int get_reg(struct guest_vcpu *v, __u64 id, __u64 *value)
{
	struct kvm_one_reg reg = { .id = id, .addr = (uintptr_t)value };

	return ioctl(v->fd, KVM_GET_ONE_REG, &reg) ? -errno : 0;
}

int vcpu_set_work(struct guest_vcpu *v, struct guest_work work)
{
	int ret = set_reg(v, GENERAL_REG(GUEST_REG_EL1), work.el1);

	if (!ret)
		ret = set_reg(v, GENERAL_REG(GUEST_REG_CALLS), work.calls);
	if (!ret)
		ret = set_reg(v, GENERAL_REG(GUEST_REG_EL0), work.el0);
	v->work = work;
	return ret;
}

/* ------------------------------------------------------------------ running -- */

/* At the end of its round, with the number of those before? */
static int at_door(struct guest_vcpu *v)
{
	const struct kvm_run *run = v->run;
	__u64 said;

	if (run->exit_reason != KVM_EXIT_MMIO || !run->mmio.is_write || run->mmio.len != 8 ||
	    run->mmio.phys_addr != GUEST_DOOR)
		return -EPROTO;
	memcpy(&said, run->mmio.data, sizeof(said));
	return said == v->exits++ ? 0 : -EPROTO;
}

int vcpu_run(struct guest_vcpu *v)
{
	while (ioctl(v->fd, KVM_RUN, 0)) {
		if (errno != EINTR)
			return -errno;
		if (__atomic_exchange_n(&v->run->immediate_exit, 0, __ATOMIC_RELAXED))
			return -EINTR;
	}
	return at_door(v);
}

static void kicked(int signal_)
{
	(void)signal_;
}

int vcpu_interrupt(struct guest_vcpu *v, int tid)
{
	/* Without SA_RESTART: the call ends. */
	struct sigaction action = { .sa_handler = kicked };

	if (sigaction(KICK, &action, NULL))
		return -errno;
	__atomic_store_n(&v->run->immediate_exit, 1, __ATOMIC_SEQ_CST);
	return syscall(SYS_tgkill, getpid(), tid, KICK) ? -errno : 0;
}

int vcpu_executed(struct guest_vcpu *v, struct guest_count *c)
{
	__u64 pc, left;
	int ret = get_reg(v, CORE_REG(regs.pc), &pc);

	if (!ret)
		ret = get_reg(v, GENERAL_REG(GUEST_REG_LEFT), &left);
	return ret ? ret : guest_part(v->work, pc, left, c);
}

int vcpu_cut_short(struct guest_vcpu *v)
{
	/* Also right where it was taken off and not yet looked at: that looks at the flags. */
	int ret = set_reg(v, GENERAL_REG(GUEST_REG_LEFT), 1);

	return ret ? ret : vcpu_run(v);
}

int guest_run(struct guest *g)
{
	return vcpu_run(&g->vcpu[0]);
}

/* --------------------------------------------------------- making and ending -- */

static int make_vcpu(struct guest *g, struct guest_vcpu *v, struct kvm_vcpu_init *init)
{
	int ret;

	v->fd = ioctl(g->vm, KVM_CREATE_VCPU, g->nr);
	if (v->fd < 0)
		return -errno;
	v->run = MAP_FAILED;
	g->nr++;
	if (ioctl(v->fd, KVM_ARM_VCPU_INIT, init))
		return -errno;
	v->run = mmap(NULL, g->run_size, PROT_READ | PROT_WRITE, MAP_SHARED, v->fd, 0);
	if (v->run == MAP_FAILED)
		return -errno;
	/* User mode with everything masked; EL1 begins so. */
	ret = set_reg(v, GENERAL_REG(GUEST_REG_PSTATE), 0x3c0);
	if (!ret)
		ret = vcpu_set_work(v, (struct guest_work){ .el1 = GUEST_LOOPS });
	return ret ? ret : vcpu_run(v);
}

static int make_vm(struct guest *g, int kvm, struct kvm_vcpu_init *init)
{
	struct kvm_userspace_memory_region region = { .memory_size = MEMORY };

	g->memory = mmap(NULL, MEMORY, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (g->memory == MAP_FAILED)
		return -ENOMEM;
	memcpy(g->memory, guest_code, guest_code_end - guest_code);
	__builtin___clear_cache(g->memory, (char *)g->memory + MEMORY);
	region.userspace_addr = (uintptr_t)g->memory;
	g->run_size = ioctl(kvm, KVM_GET_VCPU_MMAP_SIZE, 0);
	g->vm = ioctl(kvm, KVM_CREATE_VM, 0);
	if (g->vm < 0 || ioctl(g->vm, KVM_SET_USER_MEMORY_REGION, &region) ||
	    ioctl(g->vm, KVM_ARM_PREFERRED_TARGET, init))
		return -errno;
	return 0;
}

int guest_open_vcpus(struct guest *g, unsigned int nr)
{
	struct kvm_vcpu_init init;
	int kvm = open("/dev/kvm", O_RDWR | O_CLOEXEC);
	int ret;

	*g = (struct guest){ .vm = -1, .memory = MAP_FAILED };
	if (kvm < 0)
		return -errno;
	ret = make_vm(g, kvm, &init);
	while (!ret && g->nr < nr)
		ret = make_vcpu(g, &g->vcpu[g->nr], &init);
	close(kvm);
	if (ret)
		guest_close(g);
	return ret;
}

int guest_open(struct guest *g)
{
	return guest_open_vcpus(g, 1);
}

bool guest_forbids_hotplug(void)
{
	return !strcmp(machine_name(), "nvhe");
}

void guest_close(struct guest *g)
{
	while (g->nr) {
		struct guest_vcpu *v = &g->vcpu[--g->nr];

		if (v->run != MAP_FAILED)
			munmap(v->run, g->run_size);
		close(v->fd);
	}
	if (g->vm >= 0)
		close(g->vm);
	if (g->memory != MAP_FAILED)
		munmap(g->memory, MEMORY);
	g->vm = -1;
	g->memory = MAP_FAILED;
}

#endif
