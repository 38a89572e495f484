/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A thread that is stopped after exactly so many instructions of user mode. A deadline stops it a
 * little before; from there on it takes single steps, and its count is read after each.
 */
#ifndef EXACT_H
#define EXACT_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include <pmudev.h>

enum exact_end {
	EXACT_REACHED, /* stopped after so many */
	EXACT_MISSED,  /* stopped after more: the interrupt came later than expected */
	EXACT_ENDED,   /* ended before */
	EXACT_FAILED,  /* which was reported on stderr */
};

/**
 * struct exact - such a thread
 * @set: counts its instructions in slot 0, from the execution of a program on
 * @pid: the thread; the only one of its process now, and a child of this one
 * @wanted: how many instructions it may execute
 * @skid: how many before that it is stopped
 * @count: how many it has executed
 * @steps: of these, how many steps it took at the end
 * @pc: where it stopped
 * @status: as wait(2) has it, when it has ended
 * @seen: it has stopped or ended with this @status, and exact_wait() has not looked at that
 */
struct exact {
	struct pmudev *set;
	pid_t pid;
	uint64_t wanted;
	uint64_t skid;
	uint64_t count;
	uint64_t steps;
	uint64_t pc;
	int status;
	bool seen;
};

/* Sets the deadline and begins to trace. False if that fails, which was reported on stderr. */
bool exact_begin(struct exact *exact);

/*
 * What stops it before it executes the program must not hold it up. To be called until that is
 * executed. @exact: struct exact
 */
void exact_meanwhile(void *exact);

/* Until it has executed so many instructions, or has ended. */
enum exact_end exact_wait(struct exact *exact);

/* It goes on by itself, or stays stopped; signals that came meanwhile reach it. */
bool exact_let_go(struct exact *exact, bool stopped);

#endif /* EXACT_H */
