/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A guest of KVM's, of one vcpu and seven instructions: it counts to GUEST_LOOPS, writes to an
 * address where nothing is how often it has, and begins again. arm64 only.
 */
#ifndef PMUDEV_TEST_GUEST_H
#define PMUDEV_TEST_GUEST_H

#include <linux/types.h>
#include <stddef.h>

#define GUEST_LOOPS 5000

struct kvm_run;

struct guest {
	int vm;
	int vcpu;
	struct kvm_run *run;
	size_t run_size;
	void *memory;
	__u64 exits;
};

/* Of the calling process, and to be run by the calling thread. 0 or -errno (ENOENT: no KVM). */
int guest_open(struct guest *g);
/* Until it next writes: 0 or -errno (EPROTO: it did not do what it should). */
int guest_run(struct guest *g);
void guest_close(struct guest *g);

#endif /* PMUDEV_TEST_GUEST_H */
