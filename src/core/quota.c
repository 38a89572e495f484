// SPDX-License-Identifier: GPL-2.0
/*
 * How much a user may have: sets that are bound, and heirs, which are nothing that RLIMIT_NOFILE
 * or RLIMIT_NPROC would bound (a mapping keeps a set without a descriptor; a thread may have many).
 *
 * The one who binds a set pays for it and its heirs, until they go. In a user namespace that is
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
 * struct pmudev_payer - a user
 * @node: finds it by @uid
 * @uid: the user
 * @nr: what he has
 * @refs: the same, and what he had whose memory waits for RCU; with the last of it the payer goes
 */
struct pmudev_payer {
	struct hlist_node node;
	kuid_t uid;
	atomic_t nr;
	atomic_t refs;
};

static DEFINE_HASHTABLE(payers, 6);
static DEFINE_SPINLOCK(payers_lock); /* the table */

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

bool pmudev_quota_more(struct pmudev_payer *payer)
{
	int nr;

	if (!payer)
		return true;
	/* Children that come and go faster than RCU frees them take memory, too. */
	if (atomic_read(&payer->refs) - atomic_read(&payer->nr) >=
	    max(READ_ONCE(limit), FREED_LATER))
		return false;
	nr = atomic_read(&payer->nr);
	do {
		if (nr >= READ_ONCE(limit))
			return false;
	} while (!atomic_try_cmpxchg(&payer->nr, &nr, nr + 1));
	atomic_inc(&payer->refs);
	return true;
}

/* If there is none of that user yet it is @fresh. */
static struct pmudev_payer *find_or_add(kuid_t uid, struct pmudev_payer *fresh)
{
	struct pmudev_payer *payer;

	lockdep_assert_held(&payers_lock);
	hash_for_each_possible(payers, payer, node, __kuid_val(uid))
		if (uid_eq(payer->uid, uid))
			return payer;
	fresh->uid = uid;
	hash_add(payers, &fresh->node, __kuid_val(uid));
	return fresh;
}

int pmudev_quota_get(struct pmudev_payer **payer)
{
	struct pmudev_payer *fresh, *found;
	bool granted;

	*payer = NULL;
	if (ns_capable_noaudit(&init_user_ns, CAP_SYS_RESOURCE))
		return 0;
	fresh = kzalloc(sizeof(*fresh), PMUDEV_GFP);
	if (!fresh)
		return -ENOMEM;
	spin_lock_irq(&payers_lock);
	found = find_or_add(who_pays(), fresh);
	granted = pmudev_quota_more(found);
	/* Who was there before has something, and stays. */
	if (!granted && found == fresh)
		hash_del(&fresh->node);
	spin_unlock_irq(&payers_lock);
	if (granted)
		*payer = found;
	if (*payer != fresh)
		kfree(fresh);
	return granted ? 0 : -EDQUOT;
}

void pmudev_quota_give_back(struct pmudev_payer *payer)
{
	if (payer)
		atomic_dec(&payer->nr);
}

/* In whatever context: what an heir takes is freed by an RCU callback. */
void pmudev_quota_forget(struct pmudev_payer *payer)
{
	unsigned long flags;

	if (!payer || !atomic_dec_and_lock_irqsave(&payer->refs, &payers_lock, flags))
		return;
	hash_del(&payer->node);
	spin_unlock_irqrestore(&payers_lock, flags);
	kfree(payer);
}

void pmudev_quota_put(struct pmudev_payer *payer)
{
	pmudev_quota_give_back(payer);
	pmudev_quota_forget(payer);
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
