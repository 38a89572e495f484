// SPDX-License-Identifier: GPL-2.0
/* The arithmetic of totals. */
#include <pmudev/budget.h>

static void end_step(struct pmudev_budget *budget, struct pmudev_budget_part *part)
{
	budget->unseen -= part->step;
	part->step = 0;
}

void pmudev_budget_add(struct pmudev_budget *budget, struct pmudev_budget_part *part, u64 count)
{
	u64 more = count - part->known;

	if (!part->joined) {
		part->joined = true;
		budget->threads++;
		if (budget->relative)
			budget->target += more;
	}
	end_step(budget, part);
	budget->known += more;
	part->known = count;
}

void pmudev_budget_leave(struct pmudev_budget *budget, struct pmudev_budget_part *part, u64 count)
{
	if (part->left)
		return;
	pmudev_budget_add(budget, part, count);
	part->left = true;
	budget->threads--;
}

u64 pmudev_budget_step(struct pmudev_budget *budget, struct pmudev_budget_part *part)
{
	u64 left = budget->target - budget->known, step;

	/* What is left is not known yet. */
	if (budget->held || budget->known >= budget->target)
		left = PMUDEV_MIN_STEP;
	step = left;
	if (budget->threads > 1) {
		/* A quarter of what is left for all of them, or less. */
		step = left >> fls64(4ULL * budget->threads - 1);
		if (step < PMUDEV_MIN_STEP)
			step = left < PMUDEV_MIN_STEP ? left : PMUDEV_MIN_STEP;
	}
	part->step = step;
	budget->unseen += step;
	return step;
}

bool pmudev_budget_reached(struct pmudev_budget *budget)
{
	if (budget->held || budget->reached || budget->known < budget->target)
		return false;
	budget->reached = true;
	return true;
}

bool pmudev_budget_hidden(const struct pmudev_budget *budget)
{
	return !budget->held && !budget->reached &&
	       budget->unseen >= budget->target - budget->known;
}

bool pmudev_budget_unclear(const struct pmudev_budget *budget)
{
	return pmudev_budget_hidden(budget) && budget->threads > 1 &&
	       budget->unseen > (u64)budget->threads * PMUDEV_MIN_STEP;
}
