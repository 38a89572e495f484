/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Guests of KVM's that execute a known number of instructions. arm64 only.
 *
 * Each vcpu goes in rounds: it writes to an address where nothing is how many rounds it has done,
 * which ends KVM_RUN; then come a loop at EL1, calls that KVM answers by itself, and a loop at EL0.
 * The code is in guest_code.c. It has neither interrupts nor a stage 1 MMU.
 */
#ifndef PMUDEV_TEST_GUEST_H
#define PMUDEV_TEST_GUEST_H

#include <linux/types.h>
#include <stdbool.h>
#include <stddef.h>

#define GUEST_LOOPS 5000 /* at EL1, if nothing else is said */
#define GUEST_VCPUS 4
#define GUEST_ENDLESS (1ULL << 60)

struct kvm_run;

/* What a round is. */
struct guest_work {
	__u64 el1;   /* rounds of a loop at EL1 */
	__u64 calls; /* each leaves the guest, and not KVM_RUN */
	__u64 el0;   /* rounds of a loop at EL0; 0: it does not go there */
};

/* Instructions. */
struct guest_count {
	__u64 el1;
	__u64 el0;
};

struct guest_vcpu {
	int fd;
	struct kvm_run *run;
	struct guest_work work;
	__u64 exits;
};

struct guest {
	int vm;
	size_t run_size;
	void *memory;
	unsigned int nr;
	struct guest_vcpu vcpu[GUEST_VCPUS];
};

/*
 * Of the calling process, with so many vcpus, each at the end of its round 0. 0 or -errno (ENOENT:
 * no KVM).
 */
int guest_open_vcpus(struct guest *g, unsigned int nr);
int guest_open(struct guest *g);
/* A round of vcpu 0. */
int guest_run(struct guest *g);
void guest_close(struct guest *g);
/*
 * On nvhe of the emulator, a Cortex-A72, a CPU that was offline enters a guest with a wrong
 * VBAR_EL2, and takes exceptions for ever: each time a CPU comes online, the kernel's
 * spectre_v3a_enable_mitigation() adds to the number of the vectors that KVM uses there. So what
 * runs guests runs there before anything else takes CPUs offline ("early=" in the matrix).
 */
bool guest_forbids_hotplug(void);

/* What it does from its next round on. To be called between two. */
int vcpu_set_work(struct guest_vcpu *v, struct guest_work work);
/*
 * A round, by the calling thread: 0 or -errno (EPROTO: it did not do what it should; EINTR: it was
 * interrupted, and goes on with the next call).
 */
int vcpu_run(struct guest_vcpu *v);
/* A thread that is in vcpu_run() comes back, and one that is about to call it at once. */
int vcpu_interrupt(struct guest_vcpu *v, int tid);
/* What an interrupted round has executed so far; -ERANGE if it is in neither loop. */
int vcpu_executed(struct guest_vcpu *v, struct guest_count *c);
/* An interrupted round is made to end soon, and run to its end. */
int vcpu_cut_short(struct guest_vcpu *v);

/* What a whole round executes. */
struct guest_count guest_round(struct guest_work work);

#endif /* PMUDEV_TEST_GUEST_H */
