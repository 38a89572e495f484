// SPDX-License-Identifier: GPL-2.0
/*
 * How much a user may have: sets that are bound, and children, which are nothing that RLIMIT_NOFILE
 * or RLIMIT_NPROC would bound (a mapping keeps a set without a descriptor; a thread may have many).
 *
 * The one who binds a set pays for it and its children, until they go. In a user namespace that is
 * whoever made the outermost of them: so nobody has more for making namespaces and being many
 * users there. Who has CAP_SYS_RESOURCE pays nothing.
 */
#include <linux/capability.h>
#include <linux/cred.h>
#include <linux/hashtable.h>
#include <linux/slab.h>
#include <linux/sysctl.h>
#include <linux/uidgid.h>
#include <linux/user_namespace.h>

#include "compat.h"
#include "core.h"

/**
 * struct pmudev_quota_owner - a user
 * @node: finds it by @uid
 * @uid: the user
 * @nr: what he has
 * @refs: the same, and what he had whose memory waits for RCU; with the last of it the owner goes
 */
struct pmudev_quota_owner {
	struct hlist_node node;
	kuid_t uid;
	atomic_t nr;
	atomic_t refs;
};

static DEFINE_HASHTABLE(owners, 6);
static DEFINE_SPINLOCK(owners_lock); /* the table */

/* As many as the limit may wait to be freed; where that is small, so many. */
#define FREED_LATER 256

static int limit = 4096;
static struct ctl_table_header *header;

unsigned int pmudev_quota_limit(void)
{
	return READ_ONCE(limit);
}

static kuid_t who_pays(void)
{
	struct user_namespace *ns = current_user_ns();
	kuid_t uid = current_uid();

	for (; ns != &init_user_ns; ns = ns->parent)
		uid = ns->owner;
	return uid;
}

bool pmudev_quota_charge(struct pmudev_quota_owner *owner)
{
	int nr;

	if (!owner)
		return true;
	/* Children that come and go faster than RCU frees them take memory, too. */
	if (atomic_read(&owner->refs) - atomic_read(&owner->nr) >=
	    max(READ_ONCE(limit), FREED_LATER))
		return false;
	nr = atomic_read(&owner->nr);
	do {
		if (nr >= READ_ONCE(limit))
			return false;
	} while (!atomic_try_cmpxchg(&owner->nr, &nr, nr + 1));
	atomic_inc(&owner->refs);
	return true;
}

/* If there is none of that user yet it is @fresh. */
static struct pmudev_quota_owner *find_or_add(kuid_t uid, struct pmudev_quota_owner *fresh)
{
	struct pmudev_quota_owner *owner;

	lockdep_assert_held(&owners_lock);
	hash_for_each_possible(owners, owner, node, __kuid_val(uid))
		if (uid_eq(owner->uid, uid))
			return owner;
	fresh->uid = uid;
	hash_add(owners, &fresh->node, __kuid_val(uid));
	return fresh;
}

int pmudev_quota_get(struct pmudev_quota_owner **owner)
{
	struct pmudev_quota_owner *fresh, *found;
	bool granted;

	*owner = NULL;
	if (ns_capable_noaudit(&init_user_ns, CAP_SYS_RESOURCE))
		return 0;
	fresh = kzalloc(sizeof(*fresh), PMUDEV_GFP);
	if (!fresh)
		return -ENOMEM;
	spin_lock_irq(&owners_lock);
	found = find_or_add(who_pays(), fresh);
	granted = pmudev_quota_charge(found);
	/* Who was there before has something, and stays. */
	if (!granted && found == fresh)
		hash_del(&fresh->node);
	spin_unlock_irq(&owners_lock);
	if (granted)
		*owner = found;
	if (*owner != fresh)
		kfree(fresh);
	return granted ? 0 : -EDQUOT;
}

void pmudev_quota_uncharge(struct pmudev_quota_owner *owner)
{
	if (owner)
		atomic_dec(&owner->nr);
}

/* In whatever context: what an child takes is freed by an RCU callback. */
void pmudev_quota_put_memory(struct pmudev_quota_owner *owner)
{
	unsigned long flags;

	if (!owner || !atomic_dec_and_lock_irqsave(&owner->refs, &owners_lock, flags))
		return;
	hash_del(&owner->node);
	spin_unlock_irqrestore(&owners_lock, flags);
	kfree(owner);
}

void pmudev_quota_put(struct pmudev_quota_owner *owner)
{
	pmudev_quota_uncharge(owner);
	pmudev_quota_put_memory(owner);
}

static struct ctl_table table[1 + PMUDEV_CTL_TABLE_END] = { {
	.procname = "max_sets_per_user",
	.data = &limit,
	.maxlen = sizeof(limit),
	.mode = 0644,
	.proc_handler = proc_dointvec_minmax,
	.extra1 = SYSCTL_ZERO,
	.extra2 = SYSCTL_INT_MAX,
} };

int pmudev_quota_init(void)
{
	header = register_sysctl("dev/pmudev", table);
	return header ? 0 : -ENOMEM;
}

void pmudev_quota_exit(void)
{
	unregister_sysctl_table(header);
}
