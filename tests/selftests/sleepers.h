/* SPDX-License-Identifier: GPL-2.0 */
/* Many threads that sleep, to be counted: a user with as much as he can have. */
#ifndef PMUDEV_TEST_SLEEPERS_H
#define PMUDEV_TEST_SLEEPERS_H

/* So many there can be at a time, in one process. */
#define SLEEPERS_MOST 4200

/* As root, for the processes made from now on: so many descriptors and threads. 0 or -errno. */
int allow_sleepers(void);

/* In the calling process, until it ends. They sleep when this returns. 0, or -errno. */
int sleepers_start(int nr);

/* The id of one. */
int sleeper_tid(int i);

#endif /* PMUDEV_TEST_SLEEPERS_H */
