// SPDX-License-Identifier: GPL-2.0
/*
 * Events to counters: a maximum matching by augmenting paths. An event that finds all its
 * counters taken asks their events, in turn, to move; each counter is asked
 * at most once for each new event, so the work is bounded by events x counters
 * x events.
 */
#include <pmudev/pure.h>

#define NO_EVENT	0xff
#define NO_COUNTER	0xff

/**
 * struct matching - the placement under construction
 * @allowed: of the events
 * @owner: the event on each counter, or NO_EVENT
 * @free: the counters without an event
 * @from: for the search: by counter, the event that asked for it
 */
struct matching {
	const u64 *allowed;
	u64 free;
	u8 owner[64];
	u8 from[64];
};

/* Give @counter to the event that asked for it, and so on back to @first. */
static void shift(struct matching *m, u8 *counter, unsigned int c, unsigned int first)
{
	unsigned int event;

	m->free &= ~BIT_ULL(c);
	do {
		unsigned int freed;

		event = m->from[c];
		freed = counter[event];
		m->owner[c] = event;
		counter[event] = c;
		c = freed;
	} while (event != first);
}

/* Breadth first from @event over the counters that its kind of path can reach. */
static bool place(struct matching *m, u8 *counter, unsigned int event)
{
	unsigned int head = 0, tail = 0;
	u8 queue[64];
	u64 seen = 0;

	counter[event] = NO_COUNTER;
	queue[tail++] = event;
	while (head < tail) {
		unsigned int e = queue[head++];
		u64 fresh = m->allowed[e] & ~seen;

		if (fresh & m->free) {
			unsigned int c = fls64(fresh & m->free) - 1;

			m->from[c] = e;
			shift(m, counter, c, event);
			return true;
		}
		seen |= fresh;
		while (fresh) {
			unsigned int c = __ffs64(fresh);

			fresh &= fresh - 1;
			m->from[c] = e;
			queue[tail++] = m->owner[c];
		}
	}
	return false;
}

int pmudev_assign(const u64 *allowed, unsigned int nr, u8 *counter)
{
	struct matching m = { .allowed = allowed, .free = ~0ULL };
	unsigned int i;

	memset(m.owner, NO_EVENT, sizeof(m.owner));
	for (i = 0; i < nr; i++)
		if (!place(&m, counter, i))
			return i;
	return -1;
}
