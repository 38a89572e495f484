/* SPDX-License-Identifier: GPL-2.0 */
/* A command and what it starts, traced with ptrace(2). */
#ifndef TRACE_H
#define TRACE_H

#include <stdbool.h>
#include <sys/types.h>

enum trace_what {
	TRACE_STOP,  /* it stopped for something else */
	TRACE_NEW,   /* a process, which may be new and has executed nothing yet then */
	TRACE_EXEC,  /* it has executed another program, and nothing of that yet */
	TRACE_EXIT,  /* it is about to end; its memory is still there */
	TRACE_ENDED, /* it has ended, and was collected */
};

/**
 * struct traced - what happened to a thread
 * @tid: its number; of a process's first thread, the process's
 * @status: as wait(2) has it
 * @what: the same in short
 */
struct traced {
	pid_t tid;
	int status;
	enum trace_what what;
};

/*
 * Traces a child process, with @children all that it starts from now on. Return: false with errno.
 * What is traced goes on by itself when this process ends.
 */
bool trace_begin(pid_t pid, bool children);

/*
 * What happened next. Children of this process that are not traced are collected, too, when they
 * end. Return: false if nothing has happened.
 */
bool trace_next(struct traced *traced);

/* As PTRACE_EVENT_*; 0: it stopped for a signal. */
static inline int trace_event(int status)
{
	return (unsigned int)status >> 16;
}

/*
 * Lets a thread go on from a stop, with the signal that it stopped for. One whose process was
 * stopped by somebody stays so. False with errno; a thread that was killed meanwhile is no failure.
 */
bool trace_go_on(pid_t tid, int status);

#endif /* TRACE_H */
