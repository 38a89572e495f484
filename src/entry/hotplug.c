// SPDX-License-Identifier: GPL-2.0
/* CPU hotplug, and the end of the system. */
#include <linux/cpuhotplug.h>
#include <linux/reboot.h>

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

/* The next kernel (kexec) must find no counter that counts or interrupts. */
static int reboot(struct notifier_block *nb, unsigned long event, void *unused)
{
	pmudev_reserve_close();
	return NOTIFY_OK;
}

static struct notifier_block reboot_nb = { .notifier_call = reboot };

int pmudev_hotplug_init(void)
{
	state = cpuhp_setup_state(CPUHP_AP_ONLINE_DYN, "pmudev:online", online, offline);
	if (state < 0)
		return state;
	register_reboot_notifier(&reboot_nb);
	return 0;
}

void pmudev_hotplug_exit(void)
{
	unregister_reboot_notifier(&reboot_nb);
	/* Calls offline() on every CPU that is online. */
	cpuhp_remove_state(state);
}
