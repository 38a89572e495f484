// SPDX-License-Identifier: GPL-2.0
#include "guest.h"

#ifdef __aarch64__

#include <errno.h>
#include <fcntl.h>
#include <linux/kvm.h>
#include <stdint.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>

#define MEMORY 65536
#define DOOR   0x10000000ULL

/* Where a vcpu begins: at 0, with all registers 0. As the instructions are encoded. */
static const __u32 guest_code[] = {
	0xd2a20001,		       /*	mov	x1, #DOOR */
	0xd2800002 | GUEST_LOOPS << 5, /* 1:	mov	x2, #GUEST_LOOPS */
	0xf1000442,		       /* 2:	subs	x2, x2, #1 */
	0x54ffffe1,		       /*	b.ne	2b */
	0x91000400,		       /*	add	x0, x0, #1 */
	0xf9000020,		       /*	str	x0, [x1] */
	0x17fffffb,		       /*	b	1b */
};

static int make_vcpu(struct guest *g, int kvm)
{
	struct kvm_userspace_memory_region region = { .memory_size = MEMORY };
	struct kvm_vcpu_init init;

	g->memory = mmap(NULL, MEMORY, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (g->memory == MAP_FAILED)
		return -ENOMEM;
	memcpy(g->memory, guest_code, sizeof(guest_code));
	__builtin___clear_cache(g->memory, (char *)g->memory + MEMORY);
	region.userspace_addr = (uintptr_t)g->memory;
	g->run_size = ioctl(kvm, KVM_GET_VCPU_MMAP_SIZE, 0);
	g->vm = ioctl(kvm, KVM_CREATE_VM, 0);
	if (g->vm < 0 || ioctl(g->vm, KVM_SET_USER_MEMORY_REGION, &region) ||
	    ioctl(g->vm, KVM_ARM_PREFERRED_TARGET, &init))
		return -errno;
	g->vcpu = ioctl(g->vm, KVM_CREATE_VCPU, 0);
	if (g->vcpu < 0 || ioctl(g->vcpu, KVM_ARM_VCPU_INIT, &init))
		return -errno;
	g->run = mmap(NULL, g->run_size, PROT_READ | PROT_WRITE, MAP_SHARED, g->vcpu, 0);
	return g->run == MAP_FAILED ? -errno : 0;
}

int guest_open(struct guest *g)
{
	int kvm = open("/dev/kvm", O_RDWR | O_CLOEXEC);
	int ret;

	*g = (struct guest){ .vm = -1, .vcpu = -1, .run = MAP_FAILED, .memory = MAP_FAILED };
	if (kvm < 0)
		return -errno;
	ret = make_vcpu(g, kvm);
	close(kvm);
	if (ret)
		guest_close(g);
	return ret;
}

int guest_run(struct guest *g)
{
	const struct kvm_run *run = g->run;
	__u64 said;

	while (ioctl(g->vcpu, KVM_RUN, 0))
		if (errno != EINTR)
			return -errno;
	if (run->exit_reason != KVM_EXIT_MMIO || !run->mmio.is_write || run->mmio.len != 8 ||
	    run->mmio.phys_addr != DOOR)
		return -EPROTO;
	memcpy(&said, run->mmio.data, sizeof(said));
	g->exits++;
	return said == g->exits ? 0 : -EPROTO;
}

void guest_close(struct guest *g)
{
	if (g->run != MAP_FAILED)
		munmap(g->run, g->run_size);
	if (g->vcpu >= 0)
		close(g->vcpu);
	if (g->vm >= 0)
		close(g->vm);
	if (g->memory != MAP_FAILED)
		munmap(g->memory, MEMORY);
}

#else

#include <errno.h>

int guest_open(struct guest *g)
{
	(void)g;
	return -ENOENT;
}

int guest_run(struct guest *g)
{
	(void)g;
	return -ENOENT;
}

void guest_close(struct guest *g)
{
	(void)g;
}

#endif
