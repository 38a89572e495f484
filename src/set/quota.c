// SPDX-License-Identifier: GPL-2.0
/*
 * The quota. A set and its children are charged to the user who binds it, until they go; in a user
 * namespace to the user who made the outermost one, so that making namespaces gains nothing.
 * CAP_SYS_RESOURCE is not charged.
 */
#include <linux/capability.h>
#include <linux/cred.h>
#include <linux/hashtable.h>
#include <linux/slab.h>
#include <linux/uidgid.h>
#include <linux/user_namespace.h>

#include "../memory.h"
#include "quota.h"

/**
 * struct pmudev_quota_owner - a user
 * @node: in the table, by @uid; under owners_lock
 * @uid: the user. Constant.
 * @nr: sets and children charged
 * @refs: the same, and those whose memory waits for RCU; with the last the owner goes
 */
struct pmudev_quota_owner {
	struct hlist_node node;
	kuid_t uid;
	atomic_t nr;
	atomic_t refs;
};

static DEFINE_HASHTABLE(owners, 6);
static DEFINE_SPINLOCK(owners_lock); /* the table */

/* As many as the limit may wait to be freed, and at least this many. */
#define FREED_LATER 256

int pmudev_quota_limit = 4096;

static kuid_t owner_uid(void)
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
	    max(READ_ONCE(pmudev_quota_limit), FREED_LATER))
		return false;
	nr = atomic_read(&owner->nr);
	do {
		if (nr >= READ_ONCE(pmudev_quota_limit))
			return false;
	} while (!atomic_try_cmpxchg(&owner->nr, &nr, nr + 1));
	atomic_inc(&owner->refs);
	return true;
}

/* The owner of a user; if there is none yet it is @fresh. */
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
	found = find_or_add(owner_uid(), fresh);
	granted = pmudev_quota_charge(found);
	/* An owner that was there before has sets, and stays. */
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

/* Also from an RCU callback, which frees children. */
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
