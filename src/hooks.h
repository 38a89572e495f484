/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Hooks into the kernel that have no stable interface: installed when a set first needs them, and
 * listed while they are installed. docs/hooks.md describes each by the name that it has here.
 */
#ifndef _PMUDEV_HOOKS_H
#define _PMUDEV_HOOKS_H

#include <linux/list.h>
#include <linux/types.h>

struct tracepoint;

struct pmudev_hook {
	const char *name; /* the tracepoint's, or of another kind of hook the kernel symbol's */
	void *probe; /* the function, of the tracepoint's type; NULL if this is no tracepoint */
	struct tracepoint *tp; /* NULL: the kernel has none of that name */
	bool installed;
	struct list_head node; /* in the list of installed hooks */
};

/* Set @tp of a hook if @tp has its name and the hook has none. */
void pmudev_hook_match(struct pmudev_hook *hook, struct tracepoint *tp);

/* Install a probe whose tracepoint was found. May sleep. Return: 0 or an error. */
int pmudev_hook_install(struct pmudev_hook *hook);

/* Remove it if it is installed, and wait until no CPU executes it. May sleep. */
void pmudev_hook_remove(struct pmudev_hook *hook);

/* A hook of another kind was installed or removed: list it. Any task context. */
void pmudev_hook_note(struct pmudev_hook *hook, bool installed);

/* Call @fn with the name of each installed hook. @fn must not sleep. */
void pmudev_walk_hooks(void (*fn)(const char *name, void *arg), void *arg);

#endif /* _PMUDEV_HOOKS_H */
