// SPDX-License-Identifier: GPL-2.0
/*
 * The quota. A set and its children are charged to the user that binds the set, until they are
 * destroyed. In a user namespace they are charged to the user that created the outermost namespace,
 * so that creating namespaces gains nothing. Processes with CAP_SYS_RESOURCE are not charged.
 */
#include <linux/capability.h>
#include <linux/cred.h>
#include <linux/hashtable.h>
#include <linux/slab.h>
#include <linux/uidgid.h>
#include <linux/user_namespace.h>

#include "../memory.h"
#include "quota.h"

/* A user with sets. Freed with the last of @refs. */
struct pmudev_quota_owner {
	struct hlist_node node; /* in the table, by @uid; under owners_lock */
	kuid_t uid;		/* the user. Constant. */
	atomic_t nr;		/* sets and children charged */
	atomic_t refs;		/* @nr, and the number of children that wait for RCU to be freed */
};

static DEFINE_HASHTABLE(owners, 6);
static DEFINE_SPINLOCK(owners_lock); /* the table */

/* As many children as the limit, but at least this many, may wait to be freed. */
#define FREED_LATER 256

int pmudev_quota_limit = 4096;

/* The user that the calling process is charged to. */
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
	/* Bound the memory of children that end faster than RCU frees them. */
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

/* Find the owner of a user; if there is none, add @new. */
static struct pmudev_quota_owner *find_or_add(kuid_t uid, struct pmudev_quota_owner *new)
{
	struct pmudev_quota_owner *owner;

	lockdep_assert_held(&owners_lock);
	hash_for_each_possible(owners, owner, node, __kuid_val(uid))
		if (uid_eq(owner->uid, uid))
			return owner;
	new->uid = uid;
	hash_add(owners, &new->node, __kuid_val(uid));
	return new;
}

int pmudev_quota_get(struct pmudev_quota_owner **owner)
{
	struct pmudev_quota_owner *new, *found;
	bool granted;

	*owner = NULL;
	if (ns_capable_noaudit(&init_user_ns, CAP_SYS_RESOURCE))
		return 0;
	new = kzalloc(sizeof(*new), PMUDEV_GFP);
	if (!new)
		return -ENOMEM;
	spin_lock_irq(&owners_lock);
	found = find_or_add(owner_uid(), new);
	granted = pmudev_quota_charge(found);
	/* An owner that existed before has sets, and stays in the table. */
	if (!granted && found == new)
		hash_del(&new->node);
	spin_unlock_irq(&owners_lock);
	if (granted)
		*owner = found;
	if (*owner != new)
		kfree(new);
	return granted ? 0 : -EDQUOT;
}

void pmudev_quota_uncharge(struct pmudev_quota_owner *owner)
{
	if (owner)
		atomic_dec(&owner->nr);
}

/* The RCU callback that frees children calls it, too. */
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
