// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/personality.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "../common/cmd.h"
#include "../common/proc_stat.h"
#include "candidates.h"

enum {
	FAULTS,
	SWITCHES,
	MIGRATIONS,
	INVOLUNTARY,
	SIGNALS,
	INTERRUPTS,
	LAST_CPU
};

const struct candidate candidates[NR_CANDIDATES] = {
	[FAULTS] = { "page-faults", false,
		     "count a part that touches its memory before (MAP_POPULATE, mlockall(2)); "
		     "run once before, so that files are cached" },
	[SWITCHES] = { "context-switches", false,
		       "look for loops that poll or spin while they wait; let fewer threads share "
		       "locks" },
	[MIGRATIONS] = { "cpu-migrations", false, "pin it to a CPU: taskset -c CPU" },
	[INVOLUNTARY] = { "involuntary-switches", false,
			  "others want its CPU: pin it to a quiet one (taskset -c CPU)" },
	[SIGNALS] = { "signals", false,
		      "look for timers, profilers and children that send them: each runs a "
		      "handler" },
	[INTERRUPTS] = { "interrupts", false,
			 "longer runs have more, too; if the CPU counts them, pin to a CPU with "
			 "few of them" },
	[LAST_CPU] = { "last-cpu", true,
		       "pin it to a CPU: taskset -c CPU; allocators and locks choose by CPU" },
};

/* Interrupts of devices, on arm64 of all kinds; and x86's own. */
static const char *const interrupts[] = {
	"irq/irq_handler_entry",
	"irq_vectors/local_timer_entry",
	"irq_vectors/reschedule_entry",
	"irq_vectors/call_function_entry",
	"irq_vectors/call_function_single_entry",
	"irq_vectors/irq_work_entry",
};

/* ----------------------------------------------------------------------------- opening -- */

/* Return: the descriptor or a negative errno */
static int open_event(struct perf_event_attr *attr, pid_t child, bool inherit)
{
	int fd;

	attr->size = sizeof(*attr);
	attr->disabled = 1;
	attr->inherit = inherit;
	attr->enable_on_exec = 1;
	fd = syscall(SYS_perf_event_open, attr, child, -1, -1, PERF_FLAG_FD_CLOEXEC);
	return fd < 0 ? -errno : fd;
}

static void note(struct candidate_count *count, int fd)
{
	const bool may_not = fd == -EACCES || fd == -EPERM;

	if (fd >= 0)
		count->fds[count->nr++] = fd;
	else
		snprintf(count->why, sizeof(count->why), "%s",
			 may_not ? "it needs CAP_PERFMON" : strerror(-fd));
}

static void open_software(struct candidate_count *count, uint64_t config, pid_t child, bool inherit)
{
	struct perf_event_attr attr = { .type = PERF_TYPE_SOFTWARE, .config = config };
	int fd = open_event(&attr, child, inherit);

	/* Page faults of user mode need no capability. */
	if (fd == -EACCES && config == PERF_COUNT_SW_PAGE_FAULTS) {
		attr.exclude_kernel = 1;
		fd = open_event(&attr, child, inherit);
	}
	note(count, fd);
}

/* The tracepoint's number, or a negative errno. @name: "group/event" */
static int tracepoint_id(const char *name)
{
	static const char *const folders[] = { "/sys/kernel/tracing", "/sys/kernel/debug/tracing" };
	int id = -ENOENT, error = -ENOENT;
	char path[128];
	size_t i;
	FILE *in;

	for (i = 0; i < ARRAY_SIZE(folders) && id < 0; i++) {
		snprintf(path, sizeof(path), "%s/events/%s/id", folders[i], name);
		in = fopen(path, "re");
		if (!in) {
			error = errno == EACCES ? -EACCES : error;
			continue;
		}
		if (fscanf(in, "%d", &id) != 1)
			id = -ENOENT;
		fclose(in);
	}
	return id < 0 ? error : id;
}

/* False if this one does not count. */
static bool open_tracepoint(struct candidate_count *count, const char *name, pid_t child,
			    bool inherit)
{
	struct perf_event_attr attr = { .type = PERF_TYPE_TRACEPOINT };
	int id = tracepoint_id(name);

	if (id >= 0) {
		attr.config = id;
		note(count, open_event(&attr, child, inherit));
	} else {
		snprintf(count->why, sizeof(count->why), "%s",
			 id == -EACCES ? "tracefs is root's" :
					 "the kernel's tracefs has no such event");
	}
	return !*count->why;
}

void candidates_open(struct candidate_count *counts, pid_t child, bool inherit)
{
	size_t i;

	memset(counts, 0, NR_CANDIDATES * sizeof(*counts));
	open_software(&counts[FAULTS], PERF_COUNT_SW_PAGE_FAULTS, child, inherit);
	open_software(&counts[SWITCHES], PERF_COUNT_SW_CONTEXT_SWITCHES, child, inherit);
	open_software(&counts[MIGRATIONS], PERF_COUNT_SW_CPU_MIGRATIONS, child, inherit);
	open_tracepoint(&counts[SIGNALS], "signal/signal_deliver", child, inherit);
	if (!open_tracepoint(&counts[INTERRUPTS], interrupts[0], child, inherit))
		return;
	for (i = 1; i < ARRAY_SIZE(interrupts); i++)
		open_tracepoint(&counts[INTERRUPTS], interrupts[i], child, inherit);
	/* Those that another architecture has are not missing here. */
	counts[INTERRUPTS].why[0] = '\0';
}

void candidates_close(struct candidate_count *counts)
{
	unsigned int i, n;

	for (i = 0; i < NR_CANDIDATES; i++) {
		for (n = 0; n < counts[i].nr; n++)
			close(counts[i].fds[n]);
		counts[i].nr = 0;
	}
}

/* ----------------------------------------------------------------------------- reading -- */

static void read_fds(struct candidate_count *count)
{
	uint64_t value;
	unsigned int i;

	for (i = 0; i < count->nr; i++) {
		if (read(count->fds[i], &value, sizeof(value)) == sizeof(value))
			count->value += value;
		else
			snprintf(count->why, sizeof(count->why), "it cannot be read");
	}
}

void candidates_read(struct candidate_count *counts, const struct rusage *usage)
{
	unsigned int i;

	for (i = 0; i < NR_CANDIDATES; i++)
		read_fds(&counts[i]);
	counts[INVOLUNTARY].value = usage->ru_nivcsw;
}

void candidates_look(struct candidate_count *counts, pid_t child)
{
	struct candidate_count *count = &counts[LAST_CPU];
	unsigned long long cpu;

	if (proc_stat(child, PROC_LAST_CPU, &cpu))
		count->value = cpu;
	else
		snprintf(count->why, sizeof(count->why), "/proc does not tell it");
}

/* Of a file with one number in this base. */
static unsigned long read_number(const char *path, int base, unsigned long unknown)
{
	char line[32];
	FILE *in = fopen(path, "re");

	if (in && fgets(line, sizeof(line), in))
		unknown = strtoul(line, NULL, base);
	if (in)
		fclose(in);
	return unknown;
}

bool addresses_random(pid_t child)
{
	const unsigned long own = personality(0xffffffff);
	char path[64];

	snprintf(path, sizeof(path), "/proc/%d/personality", child);
	return read_number("/proc/sys/kernel/randomize_va_space", 10, 2) &&
	       !(read_number(path, 16, own) & ADDR_NO_RANDOMIZE);
}
