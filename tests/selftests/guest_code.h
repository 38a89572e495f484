/* SPDX-License-Identifier: GPL-2.0 */
/* What guests execute, and how many instructions that is. */
#ifndef PMUDEV_TEST_GUEST_CODE_H
#define PMUDEV_TEST_GUEST_CODE_H

#include "guest.h"

/* Nothing is there, in the guest. */
#define GUEST_DOOR 0x10000000ULL

/* Registers of the guest. */
#define GUEST_REG_LEFT	9  /* rounds left of the loop that it is in */
#define GUEST_REG_EL1	19 /* the work */
#define GUEST_REG_CALLS 20
#define GUEST_REG_EL0	21
#define GUEST_REG_PSTATE 24 /* of EL0 */

/* It begins at address 0, and must be there: it looks where it is, for its vectors. */
extern const char guest_code[], guest_code_end[];
/* Its loops: two instructions each. */
extern const char guest_el1[], guest_el0[];

/* In a round that was begun, with so many rounds left of a loop and this PC: 0, or -ERANGE. */
int guest_part(struct guest_work work, __u64 pc, __u64 left, struct guest_count *c);

#endif /* PMUDEV_TEST_GUEST_CODE_H */
