// SPDX-License-Identifier: GPL-2.0
/*
 * Events to counters, exactly.
 *
 * Single events are a matching: one that finds its counters taken asks their events, in turn,
 * to move (an augmenting path). So are pairs, once it is settled which slots (an even counter and
 * the next) are theirs: single events keep off these, and pairs keep to them. Only the choice of
 * slots has to be searched, and what fails cuts the search short: an event that finds no path
 * proves that too many events want the same counters (Hall's theorem), and every choice that the
 * same proof rules out is passed over.
 */
#include <pmudev/pure.h>

#define EVEN	0x5555555555555555ULL
#define SLOTS	32
#define CUTS	8			/* that are remembered; forgetting one costs time only */
#define FULL	0x8080808080808080ULL	/* in every lane of plan.sum */

enum kind {
	SINGLE,
	PAIR,
	KINDS,
};

/**
 * struct plan - the placement under construction
 * @want: what the events want
 * @counter: by event, of those that have one
 * @staying: the events that are on are left alone: their counters are barred, and they are not
 *	in play
 * @on: the events that are on
 * @known: the counters that any event can take
 * @barred: by kind: counters that no event in play can take; of pairs: even ones
 * @used: by kind: counters that events in play have; of pairs: the even one
 * @lost: the events in play that have no counter
 * @pairs: the events in play that are pairs
 * @nr_pairs: how many
 * @nr_slots: the slots that these can take
 * @decided: of so many it is decided whether pairs get them; they are first in @order
 * @chosen: how many of these pairs get
 * @slots: all slots; these and the like are the even counters
 * @in: those chosen
 * @nr_cuts: how many were found
 * @lanes: by kind: the lanes, of 8 bits, of cuts that events of the kind have found. A cut says
 *	how much may be taken away of some counters: from single events by slots that are chosen,
 *	from pairs by those that are not.
 * @start: lane by lane, FULL less how much may be taken away and 1
 * @sum: lane by lane, the same and what has been taken away: FULL if it is too much
 * @weight: by slot: lane by lane, how much it takes away
 * @order: the slots, those to be tried first in front
 * @owner: who has a counter that is used
 */
struct plan {
	const struct pmudev_want *want;
	u8 *counter;
	bool staying;
	u64 on;
	u64 known;
	u64 barred[KINDS];
	u64 used[KINDS];
	u64 lost;
	u64 pairs;
	unsigned int nr_pairs;

	unsigned int nr_slots;
	unsigned int decided;
	unsigned int chosen;
	u64 slots;
	u64 in;
	unsigned int nr_cuts;
	u64 lanes[KINDS];
	u64 start;
	u64 sum;
	u64 weight[SLOTS];
	u8 order[SLOTS];
	u8 owner[64];
};

/* The counters of pairs on the even ones @slots. */
static u64 both(u64 slots)
{
	return slots | slots << 1;
}

/* The slots that @counters are in. */
static u64 touched(u64 counters)
{
	return (counters | counters >> 1) & EVEN;
}

/* ------------------------------------------------------------ matching -- */

static void put(struct plan *p, unsigned int event, unsigned int c)
{
	p->counter[event] = c;
	p->owner[c] = event;
	p->used[p->want[event].pair] |= BIT_ULL(c);
}

/*
 * Of several free counters a fixed one, then one whose neighbour is taken, so that slots remain
 * for pairs, then the highest.
 */
static unsigned int best(const struct plan *p, enum kind k, u64 fit)
{
	u64 free = p->known & ~p->used[SINGLE] & ~both(p->used[PAIR]) & ~p->barred[SINGLE];
	u64 alone = fit & ~both(free & (free >> 1) & EVEN);

	if (k == SINGLE && !(fit >> 32) && alone)
		fit = alone;
	return fls64(fit) - 1;
}

/*
 * @events events can do with no other counters than @among: of these at most the difference may be
 * taken away from them.
 */
static void cut(struct plan *p, enum kind k, u64 among, unsigned int events)
{
	unsigned int shift = p->nr_cuts++ % CUTS * 8;
	u64 lane = 0xffULL << shift;
	u64 away = k == PAIR ? ~p->in : both(p->in);
	u64 rest;

	for (rest = p->slots; rest; rest &= rest - 1) {
		unsigned int c = __ffs64(rest);
		u64 weight = (among >> c & 1) + (k == SINGLE && among >> c & 2);

		p->weight[c / 2] = (p->weight[c / 2] & ~lane) | weight << shift;
	}
	p->lanes[!k] &= ~lane;
	p->lanes[k] |= lane;
	p->start = (p->start & ~lane) | (127ULL + events - hweight64(among)) << shift;
	p->sum = (p->sum & ~lane) | (p->start & lane);
	p->sum += (u64)hweight64(among & away) << shift;
}

/*
 * Give @first a counter by a shortest augmenting path: breadth first. Without one, nothing
 * changes, and there is a new cut.
 */
static bool place(struct plan *p, unsigned int first)
{
	enum kind k = p->want[first].pair;
	u64 fresh = k == PAIR ? p->in : ~both(p->in);
	u64 free = fresh & ~p->used[k], among = 0;
	unsigned int head = 0, tail = 0, c, old;
	u8 queue[64], from[64];

	queue[tail++] = first;
	while (head < tail) {
		unsigned int event = queue[head++];
		u64 can = p->want[event].allowed & ~p->barred[k];
		u64 ask = can & fresh;

		if (can & free) {
			c = best(p, k, can & free);
			for (; event != first; event = from[c]) {
				old = p->counter[event];
				put(p, event, c);
				c = old;
			}
			put(p, first, c);
			return true;
		}
		among |= can;
		fresh &= ~ask;
		for (; ask; ask &= ask - 1) {
			c = __ffs64(ask);
			from[c] = event;
			queue[tail++] = p->owner[c];
		}
	}
	cut(p, k, among, tail);
	return false;
}

/* Place all that are lost. */
static bool place_lost(struct plan *p)
{
	while (p->lost) {
		if (!place(p, __ffs64(p->lost)))
			return false;
		p->lost &= p->lost - 1;
	}
	return true;
}

/* Who is on the wrong side of the slots chosen loses its counter. */
static void evict(struct plan *p)
{
	u64 wrong[KINDS] = { p->used[SINGLE] & both(p->in), p->used[PAIR] & ~p->in };
	u64 rest;

	for (rest = wrong[SINGLE] | wrong[PAIR]; rest; rest &= rest - 1)
		p->lost |= BIT_ULL(p->owner[__ffs64(rest)]);
	p->used[SINGLE] &= ~wrong[SINGLE];
	p->used[PAIR] &= ~wrong[PAIR];
}

/* --------------------------------------------------- the slots of pairs -- */

static void append(struct plan *p, u64 *rest, u64 slots)
{
	slots &= *rest;
	*rest &= ~slots;
	for (; slots; slots &= ~BIT_ULL(p->order[p->nr_slots++]))
		p->order[p->nr_slots] = fls64(slots) - 1;
}

/* What pairs are on comes first, then what is free of single events, then what has only one. */
static void begin_search(struct plan *p)
{
	u64 rest, slots = 0, single = p->used[SINGLE];

	for (rest = p->pairs; rest; rest &= rest - 1)
		slots |= p->want[__ffs64(rest)].allowed & ~p->barred[PAIR];
	p->nr_slots = 0;
	append(p, &slots, p->used[PAIR]);
	append(p, &slots, ~touched(single));
	append(p, &slots, single ^ single >> 1);
	append(p, &slots, ~0ULL);
	p->decided = 0;
	p->chosen = 0;
	p->in = 0;
	p->sum = p->start;
}

static void decide(struct plan *p, bool in)
{
	unsigned int slot = p->order[p->decided++];

	if (in) {
		p->in |= BIT_ULL(slot);
		p->chosen++;
		p->sum += p->weight[slot / 2] & p->lanes[SINGLE];
	} else {
		p->sum += p->weight[slot / 2] & p->lanes[PAIR];
	}
}

/* Return: whether it was chosen. */
static bool undecide(struct plan *p)
{
	unsigned int slot = p->order[--p->decided];
	bool in = p->in & BIT_ULL(slot);

	if (in) {
		p->in ^= BIT_ULL(slot);
		p->chosen--;
		p->sum -= p->weight[slot / 2] & p->lanes[SINGLE];
	} else {
		p->sum -= p->weight[slot / 2] & p->lanes[PAIR];
	}
	return in;
}

/* Leave out the last slot that was chosen, or the one before, and so on. */
static bool leave_out(struct plan *p)
{
	while (p->decided) {
		if (!undecide(p) || p->nr_slots - p->decided + p->chosen <= p->nr_pairs)
			continue;
		decide(p, false);
		if (!(p->sum & FULL))
			return true;
		undecide(p);
	}
	return false;
}

/* The first choice of slots, or the next, that no cut rules out. */
static bool search(struct plan *p, bool first)
{
	bool good = first && p->nr_slots >= p->nr_pairs;

	for (;;) {
		if (!good && !leave_out(p))
			return false;
		if (p->decided == p->nr_slots)
			return true;
		decide(p, p->chosen < p->nr_pairs);
		good = !(p->sum & FULL);
	}
}

/* ---------------------------------------------------------- the events -- */

/* Place all that are lost, wherever the slots of pairs have to be for it. */
static bool solve(struct plan *p, bool anew)
{
	if (anew) {
		begin_search(p);
		if (!search(p, true))
			return false;
		evict(p);
	}
	while (!place_lost(p)) {
		if (!search(p, false))
			return false;
		evict(p);
	}
	return true;
}

static void find_on(struct plan *p, unsigned int nr, u64 *displaced, u64 *newcomers)
{
	unsigned int i;

	for (i = 0; i < nr; i++) {
		const struct pmudev_want *want = &p->want[i];
		u64 at = want->now < 64 ? want->allowed & BIT_ULL(want->now) : 0;
		u64 takes = want->pair ? both(at) : at;

		if (want->pair)
			p->slots |= want->allowed;
		else
			p->known |= want->allowed;
		if (at && !(p->barred[SINGLE] & takes)) {
			p->barred[SINGLE] |= takes;
			p->on |= BIT_ULL(i);
			p->counter[i] = want->now;
		} else if (want->now < 64) {
			*displaced |= BIT_ULL(i);
		} else {
			*newcomers |= BIT_ULL(i);
		}
	}
	p->known |= both(p->slots);
	p->barred[PAIR] = touched(p->barred[SINGLE]);
}

/* The events that are on must move after all: they come into play where they are. */
static void bring_in(struct plan *p)
{
	u64 rest;

	p->staying = false;
	p->barred[SINGLE] = 0;
	p->barred[PAIR] = 0;
	p->lanes[SINGLE] = 0;
	p->lanes[PAIR] = 0;
	p->start = 0;
	for (rest = p->on; rest; rest &= rest - 1) {
		unsigned int i = __ffs64(rest);

		put(p, i, p->want[i].now);
		if (p->want[i].pair)
			p->pairs |= BIT_ULL(i);
	}
	p->nr_pairs = hweight64(p->pairs);
}

static bool add(struct plan *p, unsigned int event)
{
	p->lost |= BIT_ULL(event);
	if (p->want[event].pair) {
		p->pairs |= BIT_ULL(event);
		p->nr_pairs++;
	}
	if (solve(p, p->want[event].pair))
		return true;
	if (!p->staying)
		return false;
	bring_in(p);
	return solve(p, true);
}

static int add_all(struct plan *p, u64 events)
{
	for (; events; events &= events - 1)
		if (!add(p, __ffs64(events)))
			return __ffs64(events);
	return -1;
}

/*
 * The search has moved events to and fro. With the slots that it found, place once more whoever
 * cannot be where it was.
 */
static void settle(struct plan *p, u64 events)
{
	u64 good[KINDS] = { ~both(p->in), p->in };

	p->used[SINGLE] = 0;
	p->used[PAIR] = 0;
	p->lost = events;
	for (events = p->on; events; events &= events - 1) {
		unsigned int i = __ffs64(events);

		if (good[p->want[i].pair] & BIT_ULL(p->want[i].now)) {
			put(p, i, p->want[i].now);
			p->lost &= ~BIT_ULL(i);
		}
	}
	place_lost(p);
}

int pmudev_assign(const struct pmudev_want *want, unsigned int nr, u8 *counter)
{
	struct plan p = { .want = want, .counter = counter, .staying = true };
	u64 displaced = 0, newcomers = 0;
	int bad;

	find_on(&p, nr, &displaced, &newcomers);
	bad = add_all(&p, displaced);
	if (bad < 0)
		bad = add_all(&p, newcomers);
	if (bad < 0 && !p.staying && p.nr_pairs)
		settle(&p, p.on | displaced | newcomers);
	return bad;
}
