// SPDX-License-Identifier: GPL-2.0
/* Hooks into the kernel that have no stable interface. */
#include <linux/spinlock.h>
#include <linux/string.h>
#include <linux/tracepoint.h>

#include "hooks.h"

static LIST_HEAD(hooks);
static DEFINE_SPINLOCK(hooks_lock); /* the list; nothing nests in it */

void pmudev_hook_match(struct pmudev_hook *hook, struct tracepoint *tp)
{
	if (!hook->tp && !strcmp(tp->name, hook->name))
		hook->tp = tp;
}

void pmudev_hook_note(struct pmudev_hook *hook, bool installed)
{
	spin_lock(&hooks_lock);
	if (installed && !hook->installed)
		list_add_tail(&hook->node, &hooks);
	else if (!installed && hook->installed)
		list_del(&hook->node);
	WRITE_ONCE(hook->installed, installed);
	spin_unlock(&hooks_lock);
}

int pmudev_hook_install(struct pmudev_hook *hook)
{
	int ret = tracepoint_probe_register(hook->tp, hook->probe, NULL);

	if (!ret)
		pmudev_hook_note(hook, true);
	return ret;
}

void pmudev_hook_remove(struct pmudev_hook *hook)
{
	if (!hook->installed)
		return;
	tracepoint_probe_unregister(hook->tp, hook->probe, NULL);
	/* No probe runs, and none is about to, after this. */
	tracepoint_synchronize_unregister();
	pmudev_hook_note(hook, false);
}

void pmudev_walk_hooks(void (*fn)(const char *name, void *arg), void *arg)
{
	struct pmudev_hook *hook;

	spin_lock(&hooks_lock);
	list_for_each_entry(hook, &hooks, node)
		fn(hook->name, arg);
	spin_unlock(&hooks_lock);
}
