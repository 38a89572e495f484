/* SPDX-License-Identifier: GPL-2.0 */
/* What tests write to /dev/fake_kvm. */
#ifndef FAKE_KVM_H
#define FAKE_KVM_H

#include <linux/types.h>

/**
 * struct fake_entry - a guest's entry and exit
 * @rounds: of a loop of two instructions, as the guest; not 0
 * @flags: FAKE_*
 */
struct fake_entry {
	__u64 rounds;
	__u64 flags;
};

#define FAKE_NO_ENTRY	1 /* no kvm_entry */
#define FAKE_NO_EXIT	2 /* no kvm_exit: as KVM where the CPU refuses to enter */
#define FAKE_NMI	4 /* an NMI of nobody's before the loop */

#endif /* FAKE_KVM_H */
