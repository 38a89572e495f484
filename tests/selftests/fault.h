/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Memory that the kernel has not: one allocation fails, on purpose. Of the calling thread's the nth
 * from now on, or now and then one of anybody's; all, or only what the module asks for.
 */
#ifndef PMUDEV_TEST_FAULT_H
#define PMUDEV_TEST_FAULT_H

#include <stdbool.h>

/* What is missing for that, NULL if nothing is. Else memory can fail from then on. */
const char *fault_missing(void);

/* The calling thread's nth allocation fails. */
void fault_arm(unsigned int nth);
/* Not any more. Has one failed? */
bool fault_disarm(void);
/* The same of another thread. */
void fault_arm_task(int tid, unsigned int nth);
bool fault_disarm_task(int tid);

/*
 * Only allocations with the module among their callers, until fault_everywhere(). While the module
 * is loaded, or where it was and will be again within some MiB.
 */
int fault_module_only(void);
void fault_everywhere(void);

/*
 * Of these only what the module itself asks the allocator for, with at most so many functions of
 * the kernel between. That is the same number each time, while what the allocator needs for it
 * varies: so every one of them fails once. The module is loaded; 0 or -errno.
 */
int fault_near(unsigned int between);

/* Nothing fails that this function of the kernel asks for, or has others ask for: 0 or -errno. */
int fault_spare(const char *function);

/* One of anybody's in the module, with this probability. Has one failed? Then none will. */
void fault_maybe(unsigned int percent);
bool fault_was(void);

/*
 * For every allocation that may come, or each step-th of them, until none failed a few times in
 * succession: the kernel does not need memory of its own the same number of times each time.
 */
#define fault_for_some(nth, failed, step)                                              \
	for (int __none = failed = 0, __step = nth = (step); nth < 2000 && __none < 4; \
	     nth += __step, __none = failed ? 0 : __none + 1)
#define fault_for_each(nth, failed) fault_for_some(nth, failed, 1)

#endif /* PMUDEV_TEST_FAULT_H */
