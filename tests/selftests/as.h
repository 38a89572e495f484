/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What somebody else may do. Each attempt is made by a child that has become him, and whose failure
 * is the number of the line at which it was not as expected.
 */
#ifndef PMUDEV_TEST_AS_H
#define PMUDEV_TEST_AS_H

#include <linux/capability.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include "common.h"

#define NOBODY 65534

#ifndef CAP_PERFMON
#define CAP_PERFMON 38
#endif

/* Whoever likes may open the device from now on; @mode: which it had, for chmod(). 0 or -errno. */
int open_to_all(mode_t *mode);

/* From root to uid, keeping this one capability (or none: -1). */
int become(uid_t uid, int capability);

/*
 * Into a new user namespace, as its root, who is the user that called: 0 or -errno. Of a child
 * with one thread, whose capabilities are all those of a namespace then, and none of the machine.
 */
int enter_user_namespace(void);

/* Exit codes have eight bits, lines of a file do not: in a shared word. */
extern int *failed_line;

/* Of a child that ended: 0, the line, or less than 0 if it ended otherwise. */
int line_of(int child);

/* Runs @body as uid with a capability; 0 if everything in it held, else the line. */
#define AS(uid, capability, body)                        \
	({                                               \
		int __child = fork();                    \
		if (!__child) {                          \
			CHECK(!become(uid, capability)); \
			body;                            \
			_exit(0);                        \
		}                                        \
		line_of(__child);                        \
	})

#define CHECK(condition)                         \
	do {                                     \
		if (!(condition)) {              \
			*failed_line = __LINE__; \
			_exit(1);                \
		}                                \
	} while (0)
#define CHECK_REFUSED(err, reason, call) CHECK((call) == -(err) && why.code == (reason))

#endif /* PMUDEV_TEST_AS_H */
