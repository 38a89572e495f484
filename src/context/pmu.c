// SPDX-License-Identifier: GPL-2.0
/* The PMUs: found by the backend, with what the core derives from its report. */
#include <linux/clocksource.h>
#include <linux/math64.h>
#include <linux/time64.h>

#include "guest.h"
#include "overflow.h"
#include "user_page.h"

struct pmudev_pmu pmudev_pmus[PMUDEV_MAX_PMUS];
unsigned int pmudev_nr_pmus;

static void nobody_lends(struct pmudev_pmu_info *info)
{
}

struct pmudev_upcalls pmudev_upcalls = {
	.perf_waits = nobody_lends,
	.user_access_lost = pmudev_user_access_lost,
	.clear_residue = pmudev_clear_residue,
	.guest_entered = pmudev_guest_entered,
	.guest_left = pmudev_guest_left,
	.overflowed = pmudev_overflowed,
};

/*
 * About a millisecond, as perf's hardware PMUs have it by default, but no fraction of the kernel's
 * tick, nor of the periods that programs have: else of some groups each turn would be on at the
 * same moment of the period, and their counts, scaled, be those of that moment. This is
 * 1 + 1 / (8 + 1 / 1.618...) ms, by the golden ratio: of 64 of it or fewer, no number is nearly a
 * multiple of a millisecond.
 */
#define ROTATE_NS 1116034ULL

static void set_clock(struct pmudev_pmu *pmu)
{
	u64 hz = pmu->info.clock_hz;

	pmu->mult = 1;
	/* The kernel's function takes 32 bits; a faster clock is a whole number of kHz. */
	if (hz > U32_MAX)
		clocks_calc_mult_shift(&pmu->mult, &pmu->shift, div_u64(hz, 1000), NSEC_PER_MSEC,
				       1000);
	else if (hz)
		clocks_calc_mult_shift(&pmu->mult, &pmu->shift, hz, NSEC_PER_SEC, 1);
	/* Readers of perf's page shift a 1 of 32 bits: as perf, no shift is that long. */
	if (pmu->shift == 32) {
		pmu->shift = 31;
		pmu->mult >>= 1;
	}
	pmu->rotate_ticks = hz ? div_u64(hz * ROTATE_NS, NSEC_PER_SEC) : ROTATE_NS;
}

/*
 * A thread may come to any CPU in the middle of a read: only counters that all CPUs have can be
 * read directly.
 */
static void set_user(bool user_reads)
{
	u64 user = user_reads ? ~0ULL : 0;
	struct pmudev_pmu *pmu;

	pmudev_for_each_pmu(pmu)
		user &= pmu->info.user;
	pmudev_for_each_pmu(pmu) {
		pmu->info.user = user;
		if (!user_reads)
			pmu->info.features &= ~(PMUDEV_HAS_USER_READ | PMUDEV_HAS_DIRECT);
	}
}

int pmudev_pmus_init(bool user_reads)
{
	struct pmudev_pmu_info *info[PMUDEV_MAX_PMUS];
	struct pmudev_pmu *pmu;
	unsigned int i;
	int nr;

	for (i = 0; i < PMUDEV_MAX_PMUS; i++) {
		info[i] = &pmudev_pmus[i].info;
		info[i]->index = i;
	}
	nr = pmudev_backend.probe(info, &pmudev_upcalls);
	if (nr < 0)
		return nr;
	pmudev_nr_pmus = nr;
	pmudev_for_each_pmu(pmu) {
		mutex_init(&pmu->lock);
		set_clock(pmu);
	}
	set_user(user_reads);
	return 0;
}

void pmudev_pmus_exit(void)
{
	pmudev_backend.remove();
}
