// SPDX-License-Identifier: GPL-2.0
#include <linux/perf_event.h>
#include <string.h>

#include "cmd.h"
#include "software_events.h"

#define SW(event) PERF_COUNT_SW_##event

static const struct software_event known[] = {
	{ "task-clock", NULL, SW(TASK_CLOCK), true, false, "CPU time of what is counted" },
	{ "cpu-clock", NULL, SW(CPU_CLOCK), true, false, "the same" },
	{ "context-switches", "cs", SW(CONTEXT_SWITCHES), false, false,
	  "how often the kernel put another thread on a CPU" },
	{ "cpu-migrations", "migrations", SW(CPU_MIGRATIONS), false, false,
	  "how often a thread moved to another CPU" },
	{ "page-faults", "faults", SW(PAGE_FAULTS), false, false,
	  "accesses to pages that the kernel had to provide first" },
	{ "minor-faults", NULL, SW(PAGE_FAULTS_MIN), false, false,
	  "page faults without input from a disk" },
	{ "major-faults", NULL, SW(PAGE_FAULTS_MAJ), false, false,
	  "page faults with input from a disk" },
	{ "alignment-faults", NULL, SW(ALIGNMENT_FAULTS), false, false,
	  "unaligned accesses that the kernel completed" },
	{ "emulation-faults", NULL, SW(EMULATION_FAULTS), false, false,
	  "instructions that the kernel emulated" },
	{ "cgroup-switches", NULL, 11 /* SW(CGROUP_SWITCHES) */, false, false,
	  "context switches to another control group" },
	{ "duration_time", NULL, 0, false, true, "the time that passed" },
};

static bool is_name(const char *name, const char *text, size_t len)
{
	return name && strlen(name) == len && !strncmp(name, text, len);
}

const struct software_event *software_event_find(const char *text, size_t len)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(known); i++)
		if (is_name(known[i].name, text, len) || is_name(known[i].alias, text, len))
			return &known[i];
	return NULL;
}

const struct software_event *software_event_nth(unsigned int n)
{
	return n < ARRAY_SIZE(known) ? &known[n] : NULL;
}
