/* SPDX-License-Identifier: GPL-2.0 */
/*
 * KVM's guests: what is loaded here counts as its host/guest filter says. Upcalls of the backend.
 */
#ifndef _PMUDEV_CONTEXT_GUEST_H
#define _PMUDEV_CONTEXT_GUEST_H

/* This CPU is about to run a guest. Irqs off until it does, or until pmudev_guest_left(). */
void pmudev_guest_entered(void);

/* This CPU is back from a guest. Preemption off since then; interrupts since were the host's. */
void pmudev_guest_left(void);

#endif /* _PMUDEV_CONTEXT_GUEST_H */
