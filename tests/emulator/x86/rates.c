// SPDX-License-Identifier: GPL-2.0
/* LLC references and misses are every Nth instruction, branch misses every Nth branch. */
#include "x86.h"

static u64 count(u64 sel, u32 n)
{
	stop_pmu();
	wrmsr(EVTSEL(0), sel | OS | EN);
	count_loop(1, n);
	return rdmsr(PMC(0));
}

/* Of a multiple of N instructions exactly one in N is it, wherever they begin. */
static void test_multiples(u64 event, u32 every)
{
	u32 i;

	if (!every) {
		equal("a rate of 0: none", count(event, 10000), 0);
		equal("    and no cycle with one", count(event | CMASK(1) | INV, 1000),
		      1ULL * machine.core * LOOP_INSNS(1000));
		return;
	}
	for (i = 0; i < 3; i++)
		equal("one in N instructions", count(event, 5 * every - 3), 10);
}

/* Two runs in ring 3, and what ring 0 does between them does not move the numbers. */
static void test_user(u64 event, u32 every)
{
	if (!every)
		return;
	stop_pmu();
	wrmsr(EVTSEL(0), event | USR | EN);
	wrmsr(GLOBAL_CTRL, 1);
	user_n = 2 * every;
	run_user(user_loop);
	user_n = 3 * every - 2;
	run_user(user_loop);
	equal("ring 3 has numbers of its own", rdpmc(0), 10);
	stop_pmu();
}

/*
 * Instructions and events, read together again and again: there is one beginning from which every
 * Nth explains all of them.
 */
static void test_law(u64 event, u32 every)
{
	u32 s[64][2], i, phase, beginnings = 0;

	if (!every || machine.gp < 2)
		return;
	stop_pmu();
	wrmsr(EVTSEL(0), EV_INSN | OS | EN);
	wrmsr(EVTSEL(1), event | OS | EN);
	wrmsr(GLOBAL_CTRL, 3);
	for (i = 0; i < 64; i++)
		sample(s[i], i * i % 41);
	wrmsr(GLOBAL_CTRL, 0);
	for (phase = 0; phase < every; phase++) {
		for (i = 1; i < 64; i++) {
			if (s[i][1] - s[0][1] != (s[i][0] - s[0][0] + phase) / every)
				break;
		}
		beginnings += i == 64;
	}
	check("there is a beginning from which it is every Nth", beginnings);
	check("    and not many", beginnings <= 4 || every > 50);
	stop_pmu();
}

/* They come apart, so a cycle has one or none. */
static void test_conditions(u64 event, u32 every)
{
	u32 n = 5 * every - 3;
	u64 cycles = 2ULL * LOOP_INSNS(n);

	if (every < 2 || machine.core != 2)
		return;
	equal("CMASK=1", count(event | CMASK(1), n), 10);
	equal("CMASK=1 INV", count(event | CMASK(1) | INV, n), cycles - 10);
	equal("EDGE", count(event | EDGE, n), 10);
	equal("EDGE INV", count(event | EDGE | INV | CMASK(1), n), 10);
	equal("CMASK=2", count(event | CMASK(2), n), 0);
	equal("CMASK=2 INV", count(event | CMASK(2) | INV, n), cycles);
	if (machine.version >= 6)
		equal("CMASK=1 EQ", count(event | CMASK(1) | EQ, n), 10);
}

static void test_branch_misses(void)
{
	u32 every = machine.branch_miss;
	u64 cycles = (u64)machine.core * LOOP_INSNS(10 * every);

	if (!every) {
		equal("no branch misses", count(EV_BRANCH_MISS, 10000), 0);
		return;
	}
	equal("one in N branches is missed", count(EV_BRANCH_MISS, 10 * every), 10);
	equal("again", count(EV_BRANCH_MISS, 10 * every), 10);
	equal("CMASK=1", count(EV_BRANCH_MISS | CMASK(1), 10 * every), 10);
	equal("CMASK=1 INV", count(EV_BRANCH_MISS | CMASK(1) | INV, 10 * every), cycles - 10);
	equal("EDGE", count(EV_BRANCH_MISS | EDGE, 10 * every), 10);
	stop_pmu();
	wrmsr(EVTSEL(0), EV_BRANCH_MISS | USR | EN);
	wrmsr(GLOBAL_CTRL, 1);
	user_n = 3 * every - 1;
	run_user(user_loop);
	user_n = 7 * every + 1;
	run_user(user_loop);
	equal("one in N of ring 3's branches", rdpmc(0), 10);
	stop_pmu();
}

static void test_llc(u64 event, u32 every)
{
	test_multiples(event, every);
	test_user(event, every);
	test_law(event, every);
	test_conditions(event, every);
}

void test_rates(void)
{
	if (!(machine.missing & 1 << 3))
		test_llc(EV_LLC_REF, machine.llc_ref);
	else
		equal("LLC references are missing", count(EV_LLC_REF, 1000), 0);
	if (!(machine.missing & 1 << 4))
		test_llc(EV_LLC_MISS, machine.llc_miss);
	if (!(machine.missing & 1 << 6))
		test_branch_misses();
}
