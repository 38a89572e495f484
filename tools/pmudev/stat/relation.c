// SPDX-License-Identifier: GPL-2.0
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "relation.h"

/* So many random orders are looked at. */
#define ORDERS 1000

/* ------------------------------------------------------------------------- numbering -- */

static int compare(const void *a, const void *b)
{
	const uint64_t one = *(const uint64_t *)a, other = *(const uint64_t *)b;

	return (one > other) - (one < other);
}

/* The different ones in ascending order, to be freed; NULL: no memory. */
static uint64_t *distinct_values(const uint64_t *values, unsigned int nr, unsigned int *distinct)
{
	uint64_t *sorted = malloc(nr * sizeof(*sorted));
	unsigned int i;

	if (!sorted)
		return NULL;
	memcpy(sorted, values, nr * sizeof(*sorted));
	qsort(sorted, nr, sizeof(*sorted), compare);
	*distinct = 1;
	for (i = 1; i < nr; i++)
		if (sorted[i] != sorted[*distinct - 1])
			sorted[(*distinct)++] = sorted[i];
	return sorted;
}

bool extent_find(const uint64_t *values, unsigned int nr, struct extent *extent)
{
	uint64_t *sorted = distinct_values(values, nr, &extent->distinct);

	if (!sorted)
		return false;
	extent->min = sorted[0];
	extent->max = sorted[extent->distinct - 1];
	free(sorted);
	return true;
}

/* ------------------------------------------------------------------- going together -- */

/**
 * struct pairing - the runs' numbers, with those of one kind in another order
 * @counts: of the runs
 * @others: of the runs
 * @nr: how many runs
 * @place: of each run, the number of the other one's value among the different ones
 * @distinct: how many of them
 * @first: of each of them, the first run that has it, plus one
 * @order: the other number of run i is that of run order[i]
 */
struct pairing {
	const uint64_t *counts;
	const uint64_t *others;
	unsigned int nr;
	unsigned int *place;
	unsigned int distinct;
	unsigned int *first;
	unsigned int *order;
};

static void pairing_close(struct pairing *p)
{
	free(p->place);
	free(p->first);
	free(p->order);
}

static bool pairing_open(struct pairing *p, const uint64_t *counts, const uint64_t *others,
			 unsigned int nr)
{
	uint64_t *sorted, *at;
	unsigned int i;

	*p = (struct pairing){ .counts = counts, .others = others, .nr = nr };
	sorted = distinct_values(others, nr, &p->distinct);
	p->place = calloc(nr, sizeof(*p->place));
	p->first = calloc(nr, sizeof(*p->first));
	p->order = calloc(nr, sizeof(*p->order));
	if (!sorted || !p->place || !p->first || !p->order) {
		free(sorted);
		pairing_close(p);
		return false;
	}
	for (i = 0; i < nr; i++) {
		at = bsearch(&others[i], sorted, p->distinct, sizeof(*sorted), compare);
		p->place[i] = at - sorted;
		p->order[i] = i;
	}
	free(sorted);
	return true;
}

/* Are counts equal whenever the other number is? */
static bool is_equal(const struct pairing *p)
{
	unsigned int i, place;

	memset(p->first, 0, p->distinct * sizeof(*p->first));
	for (i = 0; i < p->nr; i++) {
		place = p->place[p->order[i]];
		if (!p->first[place])
			p->first[place] = i + 1;
		else if (p->counts[p->first[place] - 1] != p->counts[i])
			return false;
	}
	return true;
}

static uint64_t other(const struct pairing *p, unsigned int run)
{
	return p->others[p->order[run]];
}

/* The difference for each one more, an integer, the same for all runs; 0: there is none */
static int64_t cost(const struct pairing *p)
{
	int64_t steps = 0, difference = 0;
	unsigned int i;

	for (i = 1; i < p->nr && !steps; i++) {
		steps = other(p, i) - other(p, 0);
		difference = p->counts[i] - p->counts[0];
	}
	if (!steps || difference % steps)
		return 0;
	difference /= steps;
	for (i = 1; i < p->nr; i++) {
		steps = other(p, i) - other(p, 0);
		if (p->counts[i] - p->counts[0] != (uint64_t)difference * (uint64_t)steps)
			return 0;
	}
	return difference;
}

/* ----------------------------------------------------------------------------- chance -- */

/* xorshift64: always the same numbers, so that the same runs are told the same. */
static uint64_t next_random(uint64_t *state)
{
	*state ^= *state << 13;
	*state ^= *state >> 7;
	*state ^= *state << 17;
	return *state;
}

static void shuffle(struct pairing *p, uint64_t *state)
{
	unsigned int i, with, swap;

	for (i = p->nr - 1; i; i--) {
		with = next_random(state) % (i + 1);
		swap = p->order[i];
		p->order[i] = p->order[with];
		p->order[with] = swap;
	}
}

/* In what share of random orders do they go together so? The order is another one then. */
static double chance(struct pairing *p, bool linear)
{
	uint64_t state = 0x9e3779b97f4a7c15;
	unsigned int i, as_well = 0;

	for (i = 0; i < ORDERS; i++) {
		shuffle(p, &state);
		as_well += linear ? cost(p) != 0 : is_equal(p);
	}
	return (double)as_well / ORDERS;
}

/* --------------------------------------------------------------------------- together -- */

static double mean(const uint64_t *values, unsigned int nr)
{
	double sum = 0;
	unsigned int i;

	/* Differences to the first one: no loss between large numbers. */
	for (i = 0; i < nr; i++)
		sum += (double)(int64_t)(values[i] - values[0]);
	return sum / nr;
}

static double correlation(const struct pairing *p)
{
	const double middle = mean(p->counts, p->nr), other_middle = mean(p->others, p->nr);
	double both = 0, squares = 0, other_squares = 0, off, other_off;
	unsigned int i;

	for (i = 0; i < p->nr; i++) {
		off = (double)(int64_t)(p->counts[i] - p->counts[0]) - middle;
		other_off = (double)(int64_t)(p->others[i] - p->others[0]) - other_middle;
		both += off * other_off;
		squares += off * off;
		other_squares += other_off * other_off;
	}
	return squares && other_squares ? both / sqrt(squares * other_squares) : 0;
}

bool relation_find(const uint64_t *counts, const uint64_t *others, unsigned int nr, bool names,
		   struct relation *relation)
{
	struct pairing p;
	bool equal, linear;

	*relation = (struct relation){ .kind = RELATION_CONSTANT, .chance = 1 };
	if (!pairing_open(&p, counts, others, nr))
		return false;
	if (p.distinct > 1) {
		equal = is_equal(&p);
		relation->cost = equal && !names ? cost(&p) : 0;
		relation->correlation = names ? 0 : correlation(&p);
		/* Two points are always on a line. */
		linear = relation->cost && p.distinct > 2;
		if (equal)
			relation->chance = chance(&p, linear);
		if (equal && relation->chance <= RELATION_CHANCE)
			relation->kind = linear ? RELATION_COST : RELATION_EQUAL;
		else if (!equal && fabs(relation->correlation) >= RELATION_CORRELATION)
			relation->kind = RELATION_ALONG;
		else
			relation->kind = equal ? RELATION_OPEN : RELATION_NONE;
	}
	pairing_close(&p);
	return true;
}
