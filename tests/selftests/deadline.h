/* SPDX-License-Identifier: GPL-2.0 */
/* Deadlines without a library between, for the programs that test them. */
#ifndef PMUDEV_TEST_DEADLINE_H
#define PMUDEV_TEST_DEADLINE_H

#include <poll.h>
#include <stdint.h>
#include <string.h>
#include <sys/ioctl.h>

#include "common.h"

#define MAX_OVERFLOWS "/proc/sys/dev/pmudev/max_overflows"

/* Interrupts without limit, or with that which the module begins with. */
static inline int limit_overflows(bool limited)
{
	return write_file(MAX_OVERFLOWS, limited ? "25" : "1000000000");
}

static inline int pm_deadlines(int fd, const struct pmudev_deadline *deadline, unsigned int nr)
{
	struct pmudev_deadlines call = {
		.size = sizeof(call),
		.nr = nr,
		.deadline_size = sizeof(*deadline),
		.deadlines = (uintptr_t)deadline,
	};

	if (!ioctl(fd, PMUDEV_IOC_DEADLINE, &call))
		return 0;
	why = call.refusal;
	return -errno;
}

/* One without actions; @period 0: once. */
static inline int pm_deadline(int fd, __u32 slot, __u32 flags, __u64 value, __u64 period)
{
	struct pmudev_deadline deadline = {
		.slot = slot,
		.flags = flags | (period ? PMUDEV_DEADLINE_PERIODIC : 0),
		.value = value,
		.period = period,
	};

	return pm_deadlines(fd, &deadline, 1);
}

/* How many reports, or -errno. */
static inline int pm_reports(int fd, struct pmudev_report *report, unsigned int room)
{
	struct pmudev_reports call = {
		.size = sizeof(call),
		.nr = room,
		.report_size = sizeof(*report),
		.reports = (uintptr_t)report,
	};

	if (!ioctl(fd, PMUDEV_IOC_REPORT, &call))
		return call.nr;
	why = call.refusal;
	return -errno;
}

/* Continue what is stopped: 0 or -errno. */
static inline int pm_continue(int fd)
{
	struct pmudev_ctl ctl = { .size = sizeof(ctl), .group = PMUDEV_ALL, .slot = PMUDEV_ALL };

	if (!ioctl(fd, PMUDEV_IOC_CONTINUE, &ctl))
		return 0;
	why = ctl.refusal;
	return -errno;
}

/* Is it asleep in the kernel, and not by a call of its own? It makes none that sleeps so. */
static inline bool is_stopped(pid_t pid)
{
	return task_state(pid) == 'D' || task_state(pid) == 'I';
}

/*
 * Waits for the report, and then for the thread to sleep: one that was told to go on looks stopped
 * until it runs.
 */
static inline bool wait_stopped(int fd, pid_t pid, struct pmudev_report *report)
{
	struct pollfd wait = { .fd = fd, .events = POLLIN };

	return poll(&wait, 1, 10000) == 1 && pm_reports(fd, report, 1) == 1 &&
	       WAIT_FOR(is_stopped(pid));
}

/*
 * Does the emulator interrupt where a counter overflows? QEMU without patches, which machines of
 * arm64 with one CPU are, notices an overflow when the thread leaves user mode.
 */
static inline bool overflows_interrupt(void)
{
#if defined(__aarch64__) || defined(__arm__)
	return !emulated() || sysconf(_SC_NPROCESSORS_CONF) > 1;
#else
	return true;
#endif
}

/* And at the very instruction, as silicon does not. */
static inline bool interrupts_on_time(void)
{
	return exact_instructions() && strncmp(machine_name(), "skid", 4);
}

#define NO_INTERRUPTS "QEMU without patches does not interrupt here"

/* NULL: there are deadlines here; else why there are none, or "": it failed. */
static inline const char *no_deadlines(struct pmudev_query *query)
{
	if (pm_query(query))
		return "";
	if (!(query->features & PMUDEV_HAS_DEADLINE))
		return "no deadlines here";
	return overflows_interrupt() ? NULL : NO_INTERRUPTS;
}

/* What poll() says of a set now. */
static inline int poll_now(int fd)
{
	struct pollfd wait = { .fd = fd, .events = POLLIN };
	int ret = poll(&wait, 1, 0);

	return ret < 0 ? -errno : ret ? wait.revents : 0;
}

#endif /* PMUDEV_TEST_DEADLINE_H */
