// SPDX-License-Identifier: GPL-2.0
/*
 * Totals: threads count in steps. What is known is never above the sum, what is unseen covers the
 * rest, and the deadline is reached by what is known.
 */
#include <pmudev/budget.h>

#include "unit.h"

#define THREADS 8

struct sum {
	struct pmudev_budget budget;
	struct pmudev_budget_part part[THREADS];
	u64 count[THREADS]; /* what they really counted */
	u64 end[THREADS];   /* of their steps */
	unsigned int nr;
	unsigned int looks;
};

static u64 sum_of(const struct sum *sum)
{
	u64 all = 0;
	unsigned int i;

	for (i = 0; i < sum->nr; i++)
		all += sum->count[i];
	return all;
}

/* A thread tells its count, and begins a step. Return: whether the deadline is reached. */
static bool tell(struct sum *sum, unsigned int i)
{
	pmudev_budget_add(&sum->budget, &sum->part[i], sum->count[i]);
	if (pmudev_budget_reached(&sum->budget))
		return true;
	sum->end[i] = sum->count[i] + pmudev_budget_step(&sum->budget, &sum->part[i]);
	return false;
}

/* As a worker does, when it could have been reached unseen. */
static bool look(struct sum *sum)
{
	unsigned int i;

	if (!pmudev_budget_unclear(&sum->budget))
		return false;
	sum->looks++;
	for (i = 0; i < sum->nr; i++)
		if (tell(sum, i))
			return true;
	return false;
}

static void begin(struct sum *sum, unsigned int nr, u64 target)
{
	unsigned int i;

	*sum = (struct sum){ .budget.target = target, .nr = nr };
	for (i = 0; i < nr; i++)
		EXPECT_TRUE(!tell(sum, i));
	EXPECT_EQ(nr, sum->budget.threads);
	look(sum);
}

/* One counts as far as it may, but not further than to its step's end: it is interrupted there. */
static bool count(struct sum *sum, unsigned int i, u64 events)
{
	u64 left = sum->end[i] - sum->count[i];

	if (events < left) {
		sum->count[i] += events;
		return false;
	}
	sum->count[i] = sum->end[i];
	return tell(sum, i) || look(sum);
}

static void check_bounds(const struct sum *sum)
{
	EXPECT_TRUE(sum->budget.known <= sum_of(sum));
	EXPECT_TRUE(sum_of(sum) <= sum->budget.known + sum->budget.unseen);
}

static void run(unsigned int nr, u64 target, u32 seed)
{
	struct sum sum;
	bool reached = false;

	begin(&sum, nr, target);
	while (!reached) {
		seed = seed * 1664525 + 1013904223;
		reached = count(&sum, (seed >> 8) % nr, (seed >> 4) % (target / 50 + 2));
		check_bounds(&sum);
	}
	EXPECT_TRUE(sum_of(&sum) >= target);
	EXPECT_TRUE(sum_of(&sum) < target + (nr > 1 ? nr * PMUDEV_MIN_STEP : 1));
	EXPECT_TRUE(!pmudev_budget_reached(&sum.budget));
	/* Each look leaves a quarter of what was left. */
	EXPECT_TRUE(sum.looks <= 40);
}

static void random_threads(void)
{
	unsigned int nr;
	u64 target;
	u32 seed;

	for (nr = 1; nr <= THREADS; nr++)
		for (target = 1; target < 1ULL << 40; target = target * 7 + 3)
			for (seed = 0; seed < 20; seed++)
				run(nr, target, seed * 2654435761U);
}

/* Most of it was counted by one that sleeps since. */
static void one_asleep(void)
{
	struct sum sum;
	u64 target = 1000000000;

	begin(&sum, 4, target);
	/* Just not to the end of its step. */
	EXPECT_TRUE(!count(&sum, 0, sum.end[0] - 1));
	while (!count(&sum, 1, target))
		check_bounds(&sum);
	EXPECT_TRUE(sum_of(&sum) >= target);
	EXPECT_TRUE(sum_of(&sum) < target + 4 * PMUDEV_MIN_STEP);
}

static void leaving(void)
{
	struct sum sum;
	u64 unseen;

	begin(&sum, 2, 1000000);
	sum.count[0] = 1234;
	unseen = sum.budget.unseen;
	pmudev_budget_leave(&sum.budget, &sum.part[0], sum.count[0]);
	EXPECT_EQ(1234, sum.budget.known);
	EXPECT_EQ(1, sum.budget.threads);
	EXPECT_TRUE(sum.budget.unseen < unseen);
	/* Once only. */
	pmudev_budget_leave(&sum.budget, &sum.part[0], 99999);
	EXPECT_EQ(1234, sum.budget.known);
	EXPECT_EQ(1, sum.budget.threads);
	/* The last one has one step. */
	EXPECT_TRUE(!tell(&sum, 1));
	EXPECT_EQ(1000000 - 1234, sum.end[1] - sum.count[1]);
}

/* Counts of before move the deadline; while it is held nothing is reached. */
static void relative(void)
{
	struct sum sum = { .budget = { .target = 1000, .held = true, .relative = true }, .nr = 1 };

	sum.count[0] = 50000;
	EXPECT_TRUE(!tell(&sum, 0));
	EXPECT_EQ(51000, sum.budget.target);
	EXPECT_EQ(50000, sum.budget.known);
	sum.budget.relative = false;
	sum.count[0] = 52000;
	EXPECT_TRUE(!tell(&sum, 0));
	EXPECT_TRUE(!pmudev_budget_unclear(&sum.budget));
	sum.budget.held = false;
	EXPECT_TRUE(pmudev_budget_reached(&sum.budget));
}

int main(void)
{
	RUN(random_threads);
	RUN(one_asleep);
	RUN(leaving);
	RUN(relative);
	return unit_end();
}
