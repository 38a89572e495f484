// SPDX-License-Identifier: GPL-2.0
/* The ring of a set's samples. Its pages are locked memory of the user who maps it first. */
#include <linux/log2.h>
#include <linux/mm.h>
#include <linux/sched/signal.h>
#include <linux/slab.h>

#include "../memory.h"
#include "ring.h"
#include "set.h"

static void free_pages_of(struct pmudev_ring *ring)
{
	unsigned int i;

	for (i = 0; i < ring->nr && ring->pages[i]; i++)
		__free_page(ring->pages[i]);
	kvfree(ring);
}

static struct pmudev_ring *alloc_ring(unsigned int nr)
{
	struct pmudev_ring *ring = kvzalloc(struct_size(ring, pages, nr), PMUDEV_GFP);
	unsigned int i;

	if (!ring)
		return NULL;
	ring->nr = nr;
	ring->size = (nr - 1) * PAGE_SIZE;
	for (i = 0; i < nr; i++) {
		ring->pages[i] = alloc_page(PMUDEV_GFP | __GFP_ZERO);
		if (!ring->pages[i]) {
			free_pages_of(ring);
			return NULL;
		}
	}
	ring->page = page_address(ring->pages[0]);
	ring->page->version = PMUDEV_ABI_VERSION;
	ring->page->size = sizeof(*ring->page);
	ring->page->data_offset = PAGE_SIZE;
	ring->page->data_size = ring->size;
	return ring;
}

struct pmudev_ring *pmudev_ring_get(struct pmudev_open_set *open, unsigned long nr, int *error,
				    struct pmudev_refusal *why)
{
	struct pmudev_ring *ring, *other;
	struct user_struct *user;

	/* Pairs with the cmpxchg() below. */
	ring = smp_load_acquire(&open->ring);
	if (nr < 2 || !is_power_of_2(nr - 1) || nr - 1 > PMUDEV_SAMPLES_MAX / PAGE_SIZE ||
	    (ring && ring->nr != nr)) {
		*error = pmudev_refuse(why, -EINVAL, PMUDEV_WHY_RING, PMUDEV_SAMPLES_MAX);
		return NULL;
	}
	if (ring)
		return ring;
	if (!pmudev_charge_locked(nr, &user)) {
		*error = pmudev_refuse(why, -EPERM, PMUDEV_WHY_MEMLOCK, rlimit(RLIMIT_MEMLOCK));
		return NULL;
	}
	ring = alloc_ring(nr);
	if (!ring) {
		*error = pmudev_refuse(why, -ENOMEM, PMUDEV_WHY_MEMORY, 0);
		goto uncharge;
	}
	/* Another process may map it at this moment. */
	ring->user = user;
	other = cmpxchg(&open->ring, NULL, ring);
	if (!other)
		return ring;
	free_pages_of(ring);
	ring = other->nr == nr ? other : NULL;
	if (!ring)
		*error = pmudev_refuse(why, -EINVAL, PMUDEV_WHY_RING, PMUDEV_SAMPLES_MAX);
uncharge:
	pmudev_uncharge_locked(user, nr);
	return ring;
}

void pmudev_ring_free(struct pmudev_ring *ring)
{
	pmudev_uncharge_locked(ring->user, ring->nr);
	free_pages_of(ring);
}
