/* SPDX-License-Identifier: GPL-2.0 */
/* Threads that each run a vcpu of a guest. */
#ifndef PMUDEV_TEST_RUNNER_H
#define PMUDEV_TEST_RUNNER_H

#include "guest.h"
#include "subject.h"

struct runner {
	struct subject thread;
	struct guest_vcpu *vcpu;
	unsigned int rounds;
	bool busy;
	int cpus; /* if not 0: it goes to the next of so many CPUs after each round */
};

/* It sleeps when this returns. */
int runner_start(struct runner *r, struct guest_vcpu *v);
/* Its vcpu does so many rounds; it runs when this returns. */
void runner_go(struct runner *r, unsigned int rounds);
/* They are done, and it sleeps: 0, or what vcpu_run() said. */
long runner_wait(struct runner *r);
/* It is in the guest, in a round that does not end, on this CPU (-1: wherever): 0 or -errno. */
int runner_enter(struct runner *r, int cpu);
/* And out again: what it has executed in this round. */
int runner_leave(struct runner *r, struct guest_count *c);
/* The thread ends, if need be in the midst of its rounds. */
void runner_end(struct runner *r);

#endif /* PMUDEV_TEST_RUNNER_H */
