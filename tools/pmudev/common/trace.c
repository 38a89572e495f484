// SPDX-License-Identifier: GPL-2.0
#define _GNU_SOURCE
#include <errno.h>
#include <signal.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "trace.h"

bool trace_begin(pid_t pid, bool children)
{
	const long all = PTRACE_O_TRACEFORK | PTRACE_O_TRACEVFORK | PTRACE_O_TRACECLONE;
	const long options = PTRACE_O_TRACEEXEC | PTRACE_O_TRACEEXIT | (children ? all : 0);

	return !ptrace(PTRACE_SEIZE, pid, 0, options);
}

/* Is it a process, and not one more thread of one? */
static bool is_process(pid_t tid)
{
	int fd = syscall(SYS_pidfd_open, tid, 0);

	if (fd >= 0)
		close(fd);
	return fd >= 0;
}

static enum trace_what what(pid_t tid, int status)
{
	if (!WIFSTOPPED(status))
		return TRACE_ENDED;
	switch (trace_event(status)) {
	case PTRACE_EVENT_EXEC:
		return TRACE_EXEC;
	case PTRACE_EVENT_EXIT:
		return TRACE_EXIT;
	case PTRACE_EVENT_STOP:
		/* One that is traced from its birth on stops there. */
		return WSTOPSIG(status) == SIGTRAP && is_process(tid) ? TRACE_NEW : TRACE_STOP;
	default:
		return TRACE_STOP;
	}
}

bool trace_next(struct traced *traced)
{
	do
		traced->tid = waitpid(-1, &traced->status, __WALL | WNOHANG);
	while (traced->tid < 0 && errno == EINTR);
	if (traced->tid <= 0)
		return false;
	traced->what = what(traced->tid, traced->status);
	return true;
}

bool trace_go_on(pid_t tid, int status)
{
	int request = PTRACE_CONT, signal = 0;

	if (!trace_event(status))
		signal = WSTOPSIG(status);
	else if (trace_event(status) == PTRACE_EVENT_STOP && WSTOPSIG(status) != SIGTRAP)
		request = PTRACE_LISTEN;
	return !ptrace(request, tid, 0, (void *)(long)signal) || errno == ESRCH;
}
