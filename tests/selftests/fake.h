/* SPDX-License-Identifier: GPL-2.0 */
/* Guests that are none: see tests/modules/fake_kvm.c. */
#ifndef PMUDEV_TEST_FAKE_H
#define PMUDEV_TEST_FAKE_H

#if defined(__x86_64__)

#include "../modules/fake_kvm.h"
#include "common.h"

#define FAKE_KVM "fake_kvm"
/* Where the test machine has it. */
#define FAKE_KVM_KO "/modules/fake_kvm.ko"

/*
 * What is missing for such guests; NULL: nothing. If KVM is loaded, KVM's entry and exit are hooked
 * instead.
 */
const char *fake_lacks(void);
int fake_load(void);
int fake_unload(void);
/* A descriptor to enter guests by, or -errno. The module stays while it is open. */
int fake_open(void);
/* 0 or -errno */
int fake_enter(int fake, __u64 rounds, __u64 flags);

/* Are the probes where guests are entered and left? */
bool guests_watched(void);

#endif
#endif /* PMUDEV_TEST_FAKE_H */
