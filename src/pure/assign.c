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

#define EVEN  0x55555555ULL /* pairs are on programmable counters */
#define SLOTS 16
#define CUTS  8			    /* that are remembered; forgetting one costs time only */
#define FULL  0x8080808080808080ULL /* in every lane of plan.sum */

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
 * @searching: slots are being chosen for pairs
 * @on: the events that are on
 * @known: the counters that any event can take
 * @barred: by kind: counters that no event in play can take; of pairs: even ones
 * @used: by kind: counters that events in play have; of pairs: the even one
 * @lost: the events in play that have no counter
 * @pairs: the events in play that are pairs
 * @nr_pairs: how many
 * @slots: all that pairs can take, in play or not; this and the like are the even counters
 * @in: those chosen for pairs
 * @chosen: how many
 * @nr_slots: how many there are for the pairs in play
 * @order: which, those to be tried first in front
 * @picked: the places in @order of those chosen
 * @nr_cuts: how many cuts were found; the last of them are kept, each in a lane of 8 bits. A cut
 *	gives slots a weight, and what is chosen may weigh so much together.
 * @of_pairs: 1 in the lanes of cuts that allow 1 more with each pair that comes into play
 * @start: lane by lane, FULL less how much is allowed and 1
 * @sum: lane by lane, the same and the weight of what is chosen: FULL if it is too much
 * @weight: by slot, lane by lane
 * @owner: who has a counter that is used
 * @asked: the counters that place() has asked for, if it failed
 * @nr_asked: how many
 */
struct plan {
	const struct pmudev_want *want;
	u8 *counter;
	bool staying;
	bool searching;
	u64 on;
	u64 known;
	u64 barred[KINDS];
	u64 used[KINDS];
	u64 lost;
	u64 pairs;
	unsigned int nr_pairs;

	u64 slots;
	u64 in;
	unsigned int chosen;
	unsigned int nr_slots;
	u8 order[SLOTS];
	u8 picked[SLOTS];
	unsigned int nr_cuts;
	u64 of_pairs;
	u64 start;
	u64 sum;
	u64 weight[SLOTS];
	u8 owner[64];
	u8 asked[64];
	unsigned int nr_asked;
};

/* The counters of the slots, or of the pairs on the even counters, @slots. */
static u64 both(u64 slots)
{
	return slots | slots << 1;
}

/* The slots that @counters are in. */
static u64 touched(u64 counters)
{
	return (counters | counters >> 1) & EVEN;
}

static u64 allowed(const struct plan *p, unsigned int event)
{
	const struct pmudev_want *want = &p->want[event];

	return want->pair ? want->allowed & EVEN & ~p->barred[PAIR] :
			    want->allowed & ~p->barred[SINGLE];
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

/* @event gets @c. If it cannot use it itself, the first of those asked that can does, and so on. */
static void shift(struct plan *p, unsigned int event, unsigned int c)
{
	p->used[p->want[event].pair] |= BIT_ULL(c);
	while (!(p->want[event].allowed & BIT_ULL(c))) {
		unsigned int i = 0;

		while (!(p->want[p->owner[p->asked[i]]].allowed & BIT_ULL(c)))
			i++;
		put(p, p->owner[p->asked[i]], c);
		c = p->asked[i];
	}
	put(p, event, c);
}

/*
 * Give @event a counter by a shortest augmenting path: breadth first. Without one, nothing
 * changes.
 */
static bool place(struct plan *p, unsigned int event)
{
	enum kind k = p->want[event].pair;
	u64 here = (k == PAIR ? p->in : ~both(p->in)) & ~p->barred[k];
	u64 free = here & ~p->used[k];
	u64 ask = p->want[event].allowed & here, seen = ask;

	p->nr_asked = 0;
	while (!(ask & free)) {
		u64 next = 0;

		if (!ask)
			return false;
		for (; ask; ask &= ask - 1) {
			unsigned int c = __ffs64(ask);

			p->asked[p->nr_asked++] = c;
			next |= p->want[p->owner[c]].allowed;
		}
		ask = next & here & ~seen;
		seen |= ask;
	}
	ask &= free;
	shift(p, event, p->searching ? (unsigned int)fls64(ask) - 1 : best(p, k, ask));
	return true;
}

/* ---------------------------------------------------------------- cuts -- */

/**
 * struct crowd - some events, and what they can use
 * @nr: how many
 * @among: their counters
 * @once: the slots that any of them can use
 * @twice: the slots that two of them can use
 */
struct crowd {
	unsigned int nr;
	u64 among;
	u64 once;
	u64 twice;
};

static struct crowd with(const struct crowd *crowd, u64 allowed)
{
	u64 slots = touched(allowed);

	return (struct crowd){
		.nr = crowd->nr + 1,
		.among = crowd->among | allowed,
		.once = crowd->once | slots,
		.twice = crowd->twice | (crowd->once & slots),
	};
}

/* The counters less one of each slot that only one of them can use: so many can be placed. */
static u64 room(const struct crowd *crowd)
{
	u64 wide = crowd->among & (crowd->among >> 1) & EVEN;

	return crowd->among & ~((wide & ~crowd->twice) << 1);
}

/* What is chosen may weigh @limit, a slot as much as it has of @counters: 0, 1 or 2. */
static void cut(struct plan *p, u64 counters, int limit, bool of_pairs)
{
	unsigned int shift = p->nr_cuts++ % CUTS * 8;
	u64 lane = 0xffULL << shift, start = 127 - limit;
	u64 sum = start + hweight64(counters & both(p->in)), bits;
	unsigned int i;

	for (i = 0; p->slots >> (2 * i); i++, counters >>= 2) {
		bits = counters & 3;
		p->weight[i] = (p->weight[i] & ~lane) | (bits - (bits >> 1)) << shift;
	}
	p->of_pairs = (p->of_pairs & ~lane) | (u64)of_pairs << shift;
	p->start = (p->start & ~lane) | start << shift;
	p->sum = (p->sum & ~lane) | sum << shift;
}

/*
 * The stuck event and those asked are too many for what is left to them. More single events make the
 * reason better, as long as it remains one: if they bring less room with them than there is on
 * the average for those that come with it.
 */
static void grow(const struct plan *p, struct crowd *crowd, u64 asked)
{
	bool few = 2 * p->nr_pairs < p->nr_slots;
	u64 rest, more, left = ~both(p->in);

	for (rest = p->used[SINGLE] & ~asked; rest; rest &= rest - 1) {
		struct crowd larger = with(crowd, allowed(p, p->owner[__ffs64(rest)]));

		more = room(&larger) & ~room(crowd);
		if (more & left & ((more & left) - 1))
			continue;
		more &= more - 1;
		if (few ? more : more & (more - 1))
			continue;
		*crowd = larger;
	}
}

/* place() has found nothing for @event: why not, for the search. */
static void learn(struct plan *p, unsigned int event)
{
	struct crowd crowd = with(&(struct crowd){ 0 }, allowed(p, event));
	unsigned int i;
	u64 asked = 0;

	for (i = 0; i < p->nr_asked; i++) {
		crowd = with(&crowd, allowed(p, p->owner[p->asked[i]]));
		asked |= BIT_ULL(p->asked[i]);
	}
	if (p->want[event].pair) {
		/* Slots that are of no use to them are to be few. */
		cut(p, ~crowd.among & EVEN, (int)p->nr_pairs - (int)crowd.nr, true);
	} else {
		grow(p, &crowd, asked);
		cut(p, room(&crowd), (int)hweight64(room(&crowd)) - (int)crowd.nr, false);
	}
}

/* --------------------------------------------------- the slots of pairs -- */

static void append(struct plan *p, u64 *rest, u64 slots)
{
	slots &= *rest;
	*rest ^= slots;
	for (; slots; slots &= slots - 1)
		p->order[p->nr_slots++] = __ffs64(slots);
}

/* What pairs are on comes first, then what is free of single events, then what has only one. */
static void begin_search(struct plan *p)
{
	u64 rest, slots = 0, single = p->used[SINGLE];

	for (rest = p->pairs; rest; rest &= rest - 1)
		slots |= allowed(p, __ffs64(rest));
	p->nr_slots = 0;
	append(p, &slots, p->used[PAIR]);
	append(p, &slots, ~touched(single));
	append(p, &slots, single ^ single >> 1);
	append(p, &slots, ~0ULL);
	p->in = 0;
	p->chosen = 0;
	p->sum = p->start;
}

/* Who is on the wrong side of the slots chosen loses its counter. */
static void evict(struct plan *p)
{
	u64 single = p->used[SINGLE] & both(p->in), pair = p->used[PAIR] & ~p->in, rest;

	for (rest = single | pair; rest; rest &= rest - 1)
		p->lost |= BIT_ULL(p->owner[__ffs64(rest)]);
	p->used[SINGLE] ^= single;
	p->used[PAIR] ^= pair;
}

/* The first choice of slots, or the next, that no cut rules out: in lexical order of @picked. */
static bool search(struct plan *p, bool again)
{
	unsigned int at = 0, chosen = p->chosen, slot;
	u64 in = p->in, sum = p->sum;

	if (p->nr_slots < p->nr_pairs)
		return false;
	while (again || chosen < p->nr_pairs) {
		/* Too few remain, or another choice is wanted: leave out the last one. */
		if (again || at - chosen > p->nr_slots - p->nr_pairs) {
			if (!chosen)
				return false;
			at = p->picked[--chosen];
			slot = p->order[at++];
			in ^= BIT_ULL(slot);
			sum -= p->weight[slot / 2];
			again = sum & FULL;
			continue;
		}
		slot = p->order[at];
		if (!((sum + p->weight[slot / 2]) & FULL)) {
			p->picked[chosen++] = at;
			in |= BIT_ULL(slot);
			sum += p->weight[slot / 2];
		}
		at++;
	}
	p->chosen = chosen;
	p->in = in;
	p->sum = sum;
	evict(p);
	return true;
}

/* Place all that are lost, wherever pairs have to be for it; @anew: their slots are others. */
static bool solve(struct plan *p, bool anew)
{
	if (anew) {
		begin_search(p);
		if (!search(p, false))
			return false;
	}
	while (p->lost) {
		if (place(p, __ffs64(p->lost))) {
			p->lost &= p->lost - 1;
			continue;
		}
		if (!p->nr_pairs)
			return false;
		learn(p, __ffs64(p->lost));
		if (!search(p, true))
			return false;
	}
	return true;
}

/* ---------------------------------------------------------- the events -- */

static void find_on(struct plan *p, unsigned int nr, u64 *displaced, u64 *newcomers)
{
	unsigned int i;

	for (i = 0; i < nr; i++) {
		const struct pmudev_want *want = &p->want[i];
		u64 can = want->pair ? want->allowed & EVEN : want->allowed;
		u64 at = want->now < 64 ? can & BIT_ULL(want->now) : 0;
		u64 takes = want->pair ? both(at) : at;

		p->known |= want->pair ? both(can) : can;
		p->slots |= want->pair ? can : 0;
		if (at && !(p->barred[SINGLE] & takes)) {
			p->barred[SINGLE] |= takes;
			p->on |= BIT_ULL(i);
			p->counter[i] = want->now;
		} else if (want->now != PMUDEV_NOWHERE) {
			*displaced |= BIT_ULL(i);
		} else {
			*newcomers |= BIT_ULL(i);
		}
	}
	p->barred[PAIR] = touched(p->barred[SINGLE]);
}

/* The events that are on must move after all: they come into play where they are. */
static void bring_in(struct plan *p)
{
	u64 rest;

	p->staying = false;
	p->barred[SINGLE] = 0;
	p->barred[PAIR] = 0;
	p->of_pairs = 0;
	p->start = 0;
	memset(p->weight, 0, sizeof(p->weight));
	for (rest = p->on; rest; rest &= rest - 1) {
		unsigned int i = __ffs64(rest);

		put(p, i, p->want[i].now);
		p->pairs |= (u64)p->want[i].pair << i;
	}
	p->nr_pairs = hweight64(p->pairs);
	p->searching = p->nr_pairs;
}

static bool add(struct plan *p, unsigned int event)
{
	bool pair = p->want[event].pair;

	p->lost |= BIT_ULL(event);
	if (pair) {
		p->pairs |= BIT_ULL(event);
		p->nr_pairs++;
		p->searching = true;
		p->start -= p->of_pairs;
	}
	if (solve(p, pair))
		return true;
	if (!p->staying || !p->on)
		return false;
	bring_in(p);
	return solve(p, p->nr_pairs);
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

	p->searching = false;
	p->used[SINGLE] = 0;
	p->used[PAIR] = 0;
	for (; events; events &= events - 1) {
		unsigned int i = __ffs64(events);

		if ((p->on & BIT_ULL(i)) && (good[p->want[i].pair] & BIT_ULL(p->want[i].now)))
			put(p, i, p->want[i].now);
		else
			p->lost |= BIT_ULL(i);
	}
	for (; p->lost; p->lost &= p->lost - 1)
		place(p, __ffs64(p->lost));
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
	if (bad < 0 && p.nr_pairs)
		settle(&p, displaced | newcomers | (p.staying ? 0 : p.on));
	return bad;
}
