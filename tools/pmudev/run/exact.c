// SPDX-License-Identifier: GPL-2.0
#define _GNU_SOURCE
#include <errno.h>
#include <linux/audit.h>
#include <signal.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/wait.h>

#include <pmudev_deadline.h>

#include "../common/cmd.h"
#include "../common/trace.h"
#include "exact.h"

/* The deadline's signal. It cannot be blocked or ignored, and the thread never gets it. */
#define SIGNAL SIGSTOP
#define ID     0x706d75

static bool ptrace_failed(const char *what)
{
	complain("ptrace cannot %s the command: %s", what, strerror(errno));
	return false;
}

static bool go_on(struct exact *exact, int request, int signal)
{
	if (!ptrace(request, exact->pid, 0, (void *)(long)signal) || errno == ESRCH)
		return true;
	return ptrace_failed(request == PTRACE_SINGLESTEP ? "step through" : "continue");
}

/* Waits until it stops or ends. False: an error, which was reported. */
static bool wait_for_stop(struct exact *exact)
{
	if (exact->seen) {
		exact->seen = false;
		return true;
	}
	while (waitpid(exact->pid, &exact->status, __WALL) < 0) {
		if (errno == EINTR)
			continue;
		complain("cannot wait for the command: %s", strerror(errno));
		return false;
	}
	return true;
}

/* Is it the deadline's signal that the thread stopped for? */
static bool is_deadline(const struct exact *exact)
{
	siginfo_t info;

	return !trace_event(exact->status) && WSTOPSIG(exact->status) == SIGNAL &&
	       !ptrace(PTRACE_GETSIGINFO, exact->pid, 0, &info) && info.si_code == SI_SIGIO &&
	       info.si_fd == ID;
}

static bool look(const struct exact *exact, struct __ptrace_syscall_info *info)
{
	return ptrace(PTRACE_GET_SYSCALL_INFO, exact->pid, (void *)sizeof(*info), info) > 0;
}

static bool is_x86(const struct exact *exact)
{
	struct __ptrace_syscall_info info;

	return look(exact, &info) &&
	       (info.arch == AUDIT_ARCH_X86_64 || info.arch == AUDIT_ARCH_I386);
}

/* A step ends with SIGTRAP. The kernel's are told from those of the program's own. */
static bool is_step(const struct exact *exact)
{
	siginfo_t info;

	if (trace_event(exact->status) || WSTOPSIG(exact->status) != SIGTRAP ||
	    ptrace(PTRACE_GETSIGINFO, exact->pid, 0, &info))
		return false;
	switch (info.si_code) {
	case TRAP_TRACE: /* behind an instruction */
	case SIGTRAP:	 /* before the first one of a signal handler */
		return true;
	case TRAP_BRKPT: /* on x86 behind a system call, elsewhere an instruction for it */
		return is_x86(exact);
	case SI_USER: /* behind a system call, if no process has sent it */
		return !info.si_pid;
	default:
		return false;
	}
}

/* ------------------------------------------------------------------------ far away -- */

bool exact_begin(struct exact *exact)
{
	struct pmudev_deadline deadline = {
		.flags = PMUDEV_DEADLINE_SIGNAL,
		.value = exact->wanted - exact->skid,
		.signal = SIGNAL,
		.id = ID,
	};

	if (exact->wanted > exact->skid && pmudev_deadline_set(exact->set, &deadline, 1)) {
		complain_refusal(exact->set, "the deadline");
		return false;
	}
	/* Nobody runs on who should have been stopped. */
	if (ptrace(PTRACE_SEIZE, exact->pid, 0, PTRACE_O_EXITKILL | PTRACE_O_TRACEEXEC))
		return ptrace_failed("trace");
	return true;
}

/* Goes on from a stop that is not the deadline's. */
static bool pass_on(const struct exact *exact)
{
	return trace_go_on(exact->pid, exact->status) || ptrace_failed("continue");
}

void exact_meanwhile(void *arg)
{
	struct exact *exact = arg;

	while (!exact->seen && waitpid(exact->pid, &exact->status, __WALL | WNOHANG) > 0) {
		exact->seen = !WIFSTOPPED(exact->status) ||
			      trace_event(exact->status) == PTRACE_EVENT_EXEC;
		if (!exact->seen)
			pass_on(exact);
	}
}

static bool read_count(struct exact *exact)
{
	if (!pmudev_read_count_slow(exact->set, 0, &exact->count))
		return true;
	complain_refusal(exact->set, "the count");
	return false;
}

/*
 * Has the count come near? The deadline's signal has lost its information if the thread has as many
 * signals pending as it may.
 */
static bool is_near(struct exact *exact)
{
	return !trace_event(exact->status) && read_count(exact) &&
	       exact->count + exact->skid >= exact->wanted;
}

/*
 * Until single steps are to begin. Return: EXACT_REACHED then. @signal: out: another one that it
 * stopped for
 */
static enum exact_end come_near(struct exact *exact, int *signal)
{
	for (;;) {
		if (!wait_for_stop(exact))
			return EXACT_FAILED;
		if (!WIFSTOPPED(exact->status))
			return EXACT_ENDED;
		if (is_deadline(exact) || (trace_event(exact->status) == PTRACE_EVENT_EXEC &&
					   exact->wanted <= exact->skid))
			return EXACT_REACHED;
		if (is_near(exact)) {
			*signal = WSTOPSIG(exact->status) == SIGNAL ? 0 : WSTOPSIG(exact->status);
			return EXACT_REACHED;
		}
		if (!pass_on(exact))
			return EXACT_FAILED;
	}
}

/* ---------------------------------------------------------------------- step by step -- */

/* One step. @signal: for the thread before it, and the one that arrived since */
static enum exact_end take_step(struct exact *exact, int *signal)
{
	if (!go_on(exact, PTRACE_SINGLESTEP, *signal) || !wait_for_stop(exact))
		return EXACT_FAILED;
	*signal = 0;
	if (!WIFSTOPPED(exact->status))
		return EXACT_ENDED;
	if (!trace_event(exact->status) && !is_step(exact) && !is_deadline(exact))
		*signal = WSTOPSIG(exact->status);
	exact->steps++;
	return EXACT_REACHED;
}

static bool read_pc(struct exact *exact)
{
	struct __ptrace_syscall_info info;

	if (!look(exact, &info))
		return ptrace_failed("look at");
	exact->pc = info.instruction_pointer;
	return true;
}

enum exact_end exact_wait(struct exact *exact)
{
	int signal = 0;
	enum exact_end end = come_near(exact, &signal);

	while (end == EXACT_REACHED) {
		if (!read_count(exact))
			return EXACT_FAILED;
		if (exact->count >= exact->wanted)
			break;
		end = take_step(exact, &signal);
	}
	if (end == EXACT_ENDED && !read_count(exact))
		return EXACT_FAILED;
	if (end != EXACT_REACHED)
		return end;
	if (!read_pc(exact))
		return EXACT_FAILED;
	/* It would be lost: send it again, for whoever continues the thread. */
	if (signal)
		kill(exact->pid, signal);
	return exact->count == exact->wanted ? EXACT_REACHED : EXACT_MISSED;
}

bool exact_let_go(struct exact *exact, bool stopped)
{
	/* As a signal: from a stop that is for none, the detached thread would take none along. */
	if (stopped)
		kill(exact->pid, SIGSTOP);
	if (!ptrace(PTRACE_DETACH, exact->pid, 0, 0))
		return true;
	return ptrace_failed("leave");
}
