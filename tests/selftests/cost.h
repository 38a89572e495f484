/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What a piece of code costs in instructions of user mode, by a counter of them. It stands
 * three times in a row, then six times: the difference is three of it, with all that the
 * compiler makes of them and nothing else.
 */
#ifndef PMUDEV_TEST_COST_H
#define PMUDEV_TEST_COST_H

#include <stdbool.h>
#include <stdint.h>

/* How often it is tried to get the same result twice: an interruption makes a read begin anew. */
#define COST_TRIES 50

/* A value that is wanted in a register. */
static inline __attribute__((always_inline)) void use(uint64_t value)
{
	asm volatile("" : : "r"(value));
}

/* Values that are wanted in memory. */
static inline __attribute__((always_inline)) void use_at(const void *values)
{
	asm volatile("" : : "r"(values) : "memory");
}

/*
 * A pointer of which the compiler knows nothing: what it points to is at small offsets from
 * it.
 */
#define IN_REGISTER(pointer)                  \
	({                                    \
		__auto_type __p = (pointer);  \
		asm volatile("" : "+r"(__p)); \
		__p;                          \
	})

#define THRICE(code)  \
	do {          \
		code; \
		code; \
		code; \
	} while (0)

/* @now: the instructions so far, in the same number of them each time */
struct marks {
	uint64_t (*now)(void *arg);
	void *arg;
	uint64_t at[4];
	unsigned int nr;
};

static __attribute__((noinline, unused)) void mark(struct marks *marks)
{
	marks->at[marks->nr++] = marks->now(marks->arg);
}

/*
 * Thrice the instructions of @code, of one try. The first time is for what is learnt or
 * cached.
 */
#define COST_ONCE(now_fn, now_arg, code)                                   \
	({                                                                 \
		struct marks __marks = { .now = now_fn, .arg = now_arg };  \
		THRICE(code);                                              \
		mark(&__marks);                                            \
		mark(&__marks);                                            \
		THRICE(code);                                              \
		mark(&__marks);                                            \
		THRICE(code);                                              \
		THRICE(code);                                              \
		mark(&__marks);                                            \
		(long)(__marks.at[3] - 2 * __marks.at[2] + __marks.at[1]); \
	})

/*
 * The instructions of @code, -1 if they were never twice the same. The compiler may put an
 * instruction of its own between two marks; two it has not been seen to.
 */
#define COST_OF(now_fn, now_arg, code)                                                     \
	({                                                                                 \
		long __cost = -1, __before = -2;                                           \
		int __tries;                                                               \
		for (__tries = 0; __tries < COST_TRIES && __cost != __before; __tries++) { \
			__before = __cost;                                                 \
			__cost = COST_ONCE(now_fn, now_arg, code);                         \
		}                                                                          \
		__cost == __before ? (__cost + 1) / 3 : -1;                                \
	})

#endif /* PMUDEV_TEST_COST_H */
