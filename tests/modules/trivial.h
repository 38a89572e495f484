/* SPDX-License-Identifier: GPL-2.0 */
/* The ioctls of tests/modules/trivial.c. */
#ifndef PMUDEV_TESTS_TRIVIAL_H
#define PMUDEV_TESTS_TRIVIAL_H

#include <linux/ioctl.h>

#define TRIVIAL_DEVICE "trivial"

/* As much as struct pmudev_ctl. */
struct trivial_args {
	unsigned char bytes[88];
};

/* Copies its argument in, and returns. */
#define TRIVIAL_NOTHING _IO('T', 0)
/* From now on read(2) has the CPU with that number call a function that does nothing, first. */
#define TRIVIAL_CALL _IO('T', 1)

#endif /* PMUDEV_TESTS_TRIVIAL_H */
