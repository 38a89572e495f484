// SPDX-License-Identifier: GPL-2.0
/* CPU hotplug. */
#include <linux/cpuhotplug.h>

#include "../cpu/reserve.h"
#include "entry.h"

static int state;

/* Before user tasks run there, on that CPU. */
static int online(unsigned int cpu)
{
	pmudev_cpu_online(cpu);
	return 0;
}

/* After user tasks were told to leave, on that CPU. */
static int offline(unsigned int cpu)
{
	pmudev_cpu_offline(cpu);
	return 0;
}

int pmudev_hotplug_init(void)
{
	state = cpuhp_setup_state(CPUHP_AP_ONLINE_DYN, "pmudev:online", online, offline);
	return min(state, 0);
}

void pmudev_hotplug_exit(void)
{
	/* Calls offline() on every CPU that is online. */
	cpuhp_remove_state(state);
}
