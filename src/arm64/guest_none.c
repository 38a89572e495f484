// SPDX-License-Identifier: GPL-2.0
/* 32-bit kernels have no KVM. */
#include "pmuv3.h"

int pmuv3_protected_kvm(enum pmuv3_shape shape)
{
	return false;
}

void pmuv3_guest_enter(struct pmudev_hw *const *hw, unsigned int nr)
{
}

void pmuv3_guest_leave(void)
{
}

void pmuv3_on_guest_entry(void *data, unsigned long vcpu_pc)
{
}

void pmuv3_on_guest_exit(void *data, int ret, unsigned int esr_ec, unsigned long vcpu_pc)
{
}
